//! The firmware's Fixed ACPI Description Table, as far as it tells where the power management timer is (ACPI
//! specification 6.5, 5.2.9 'Fixed ACPI Description Table').

/// Where the timer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Timer {
    /// Its I/O port.
    pub(super) port: u16,
    /// Its bits: 24 or 32.
    pub(super) width: u32,
}

/// Offsets of the fields.
const LENGTH: usize = 4;
const PM_TMR_BLK: usize = 76;
const PM_TMR_LEN: usize = 91;
const FLAGS: usize = 112;
const X_PM_TMR_BLK: usize = 208;
/// Flags: the counter has 32 bits; there is no fixed hardware.
const TMR_VAL_EXT: u32 = 1 << 8;
const HW_REDUCED_ACPI: u32 = 1 << 20;

/// The timer that a table names. A table that is not sound in itself is refused: reading a port that no table
/// vouches for may do something.
pub(super) fn timer(table: &[u8]) -> Result<Timer, String> {
    if !table.starts_with(b"FACP") {
        return Err(format!("no FADT ({} bytes without its signature)", table.len()));
    }
    let stated = word(table, LENGTH).unwrap_or(0) as usize;
    let Some(table) = table.get(..stated).filter(|table| table.len() >= FLAGS + 4) else {
        return Err(format!("cut off: {} bytes, of which it states {stated}", table.len()));
    };
    if table.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte)) != 0 {
        return Err("its checksum is wrong".into());
    }
    let flags = word(table, FLAGS).unwrap_or(0);
    if flags & HW_REDUCED_ACPI != 0 {
        return Err("the machine has no ACPI timer (HW_REDUCED_ACPI)".into());
    }
    let address = match extended(table) {
        Some((1, address)) => address,
        Some((space, address)) => {
            return Err(format!(
                "the timer is at 0x{address:x} of address space {space}, not behind an I/O port"
            ));
        }
        // PM_TMR_LEN is 4 where there is a timer.
        None if table[PM_TMR_LEN] == 4 => u64::from(word(table, PM_TMR_BLK).unwrap_or(0)),
        None => 0,
    };
    let width = if flags & TMR_VAL_EXT == 0 { 24 } else { 32 };
    match u16::try_from(address) {
        Ok(0) => Err("it names no ACPI timer (PM_TMR_BLK is 0)".into()),
        Ok(port) if port <= u16::MAX - 3 => Ok(Timer { port, width }),
        _ => Err(format!("the timer's port 0x{address:x} is none that x86 has")),
    }
}

/// X_PM_TMR_BLK, a Generic Address Structure: address space and address; `None` where the table is too old to
/// have it or it is not used.
fn extended(table: &[u8]) -> Option<(u8, u64)> {
    let low = u64::from(word(table, X_PM_TMR_BLK + 4)?);
    let high = u64::from(word(table, X_PM_TMR_BLK + 8)?);
    let address = high << 32 | low;
    (address != 0).then_some((table[X_PM_TMR_BLK], address))
}

fn word(table: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(table.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of `length` bytes with the given fields, its checksum right.
    fn table(length: usize, fields: &[(usize, &[u8])]) -> Vec<u8> {
        let mut table = vec![0u8; length];
        table[..4].copy_from_slice(b"FACP");
        table[LENGTH..LENGTH + 4].copy_from_slice(&(length as u32).to_le_bytes());
        for (at, bytes) in fields {
            table[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        table[9] = table.iter().fold(0u8, |sum, byte| sum.wrapping_sub(*byte));
        table
    }

    const OLD: (usize, &[u8]) = (PM_TMR_BLK, &[0x08, 0x06, 0, 0]);
    const LEN: (usize, &[u8]) = (PM_TMR_LEN, &[4]);
    const WIDE: (usize, &[u8]) = (FLAGS, &[0, 1, 0, 0]);
    const REDUCED: (usize, &[u8]) = (FLAGS, &[0, 0, 0x10, 0]);

    #[test]
    fn old_and_new_tables() {
        assert_eq!(timer(&table(116, &[OLD, LEN])), Ok(Timer { port: 0x608, width: 24 }));
        assert_eq!(timer(&table(244, &[OLD, LEN, WIDE])), Ok(Timer { port: 0x608, width: 32 }));
        // The extended block goes first.
        let new: (usize, &[u8]) = (X_PM_TMR_BLK, &[1, 32, 0, 3, 0x08, 0xb0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(timer(&table(244, &[OLD, LEN, new])), Ok(Timer { port: 0xb008, width: 24 }));
        // A table that ends before it does not have it.
        assert_eq!(timer(&table(216, &[OLD, LEN])), Ok(Timer { port: 0x608, width: 24 }));
    }

    #[test]
    fn tables_without_a_timer() {
        let why = |fields: &[(usize, &[u8])]| timer(&table(276, fields)).unwrap_err();
        assert!(why(&[]).contains("PM_TMR_BLK is 0"));
        assert!(why(&[OLD]).contains("PM_TMR_BLK is 0"), "PM_TMR_LEN is 0: not supported");
        assert!(why(&[OLD, LEN, REDUCED]).contains("HW_REDUCED"));
        let memory: (usize, &[u8]) = (X_PM_TMR_BLK, &[0, 32, 0, 3, 0, 0, 0, 0xfe, 0, 0, 0, 0]);
        assert!(why(&[memory]).contains("0xfe000000 of address space 0"));
        let far: (usize, &[u8]) = (X_PM_TMR_BLK, &[1, 32, 0, 3, 0, 0, 1, 0, 0, 0, 0, 0]);
        assert!(why(&[far]).contains("0x10000"));
        assert!(why(&[(PM_TMR_BLK, &[0xfe, 0xff, 0, 0]), LEN]).contains("0xfffe"));
    }

    #[test]
    fn tables_that_are_not_sound() {
        assert!(timer(&[]).unwrap_err().contains("no FADT"));
        assert!(timer(b"FACP").unwrap_err().contains("cut off"));
        assert!(timer(&[0xff; 276]).unwrap_err().contains("no FADT"));
        let whole = table(244, &[OLD, LEN]);
        for length in 0..whole.len() {
            assert!(timer(&whole[..length]).is_err(), "{length}");
        }
        assert!(timer(&table(115, &[OLD])).unwrap_err().contains("cut off"));
        let mut bent = whole.clone();
        bent[PM_TMR_BLK] ^= 1;
        assert!(timer(&bent).unwrap_err().contains("checksum"));
        let mut long = whole;
        long[LENGTH..LENGTH + 4].fill(0xff);
        assert!(timer(&long).unwrap_err().contains("cut off"));
    }
}
