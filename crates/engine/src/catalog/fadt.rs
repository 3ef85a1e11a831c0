//! The firmware's Fixed ACPI Description Table, as far as it tells where the power management timer is (ACPI
//! specification 6.5, 5.2.9 'Fixed ACPI Description Table').

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Timer {
    pub(super) port: u16,
    /// Its bits: 24 or 32.
    pub(super) width: u32,
}

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
            return Err(format!("the timer is at 0x{address:x} of address space {space}, not behind an I/O port"));
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

    type Field<'a> = (usize, &'a [u8]);

    /// A table of `length` bytes with the given fields, its checksum right.
    fn table(length: usize, fields: &[Field]) -> Vec<u8> {
        let mut table = vec![0u8; length];
        let stated = (length as u32).to_le_bytes();
        for (at, bytes) in [(0, &b"FACP"[..]), (LENGTH, &stated)].iter().chain(fields) {
            table[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        table[9] = table.iter().fold(0u8, |sum, byte| sum.wrapping_sub(*byte));
        table
    }

    const OLD: Field = (PM_TMR_BLK, &[0x08, 0x06, 0, 0]);
    const LEN: Field = (PM_TMR_LEN, &[4]);
    const WIDE: Field = (FLAGS, &[0, 1, 0, 0]);
    const REDUCED: Field = (FLAGS, &[0, 0, 0x10, 0]);
    const NEW: Field = (X_PM_TMR_BLK, &[1, 32, 0, 3, 0x08, 0xb0, 0, 0, 0, 0, 0, 0]);
    const MEMORY: Field = (X_PM_TMR_BLK, &[0, 32, 0, 3, 0, 0, 0, 0xfe, 0, 0, 0, 0]);
    const FAR: Field = (X_PM_TMR_BLK, &[1, 32, 0, 3, 0, 0, 1, 0, 0, 0, 0, 0]);
    const LAST: Field = (PM_TMR_BLK, &[0xfe, 0xff, 0, 0]);

    #[test]
    fn old_and_new_tables() {
        for (length, fields, port, width) in [
            (116, &[OLD, LEN][..], 0x608, 24),
            (244, &[OLD, LEN, WIDE], 0x608, 32),
            // The extended block goes first.
            (244, &[OLD, LEN, NEW], 0xb008, 24),
            // A table that ends before it does not have it.
            (216, &[OLD, LEN], 0x608, 24),
        ] {
            assert_eq!(timer(&table(length, fields)), Ok(Timer { port, width }));
        }
    }

    #[test]
    fn tables_without_a_timer() {
        for (fields, reason) in [
            (&[][..], "PM_TMR_BLK is 0"),
            // PM_TMR_LEN is 0: not supported.
            (&[OLD], "PM_TMR_BLK is 0"),
            (&[OLD, LEN, REDUCED], "HW_REDUCED"),
            (&[MEMORY], "0xfe000000 of address space 0"),
            (&[FAR], "0x10000"),
            (&[LAST, LEN], "0xfffe"),
        ] {
            let why = timer(&table(276, fields)).unwrap_err();
            assert!(why.contains(reason), "{why}");
        }
    }

    #[test]
    fn tables_that_are_not_sound() {
        let whole = table(244, &[OLD, LEN]);
        for length in 0..whole.len() {
            assert!(timer(&whole[..length]).is_err(), "{length}");
        }
        let (mut bent, mut long) = (whole.clone(), whole);
        bent[PM_TMR_BLK] ^= 1;
        long[LENGTH..LENGTH + 4].fill(0xff);
        for (table, reason) in [
            (&[][..], "no FADT"),
            (b"FACP", "cut off"),
            (&[0xff; 276], "no FADT"),
            (&table(115, &[OLD]), "cut off"),
            (&bent, "checksum"),
            (&long, "cut off"),
        ] {
            assert!(timer(table).unwrap_err().contains(reason), "{reason}");
        }
    }
}
