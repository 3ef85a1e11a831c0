//! The thread that reads: where it runs, and the clocks that it reads by.

use super::{Error, Options};
use crate::measure::{Pinned, Witness, allowed_cpus, lock_memory};

/// The reading thread, pinned, with its witnesses.
pub(super) struct Reader {
    pinned: Option<Pinned>,
    /// The CPUs that this process might run on before the thread was pinned; empty where that can't be read.
    pub(super) allowed: Vec<u32>,
    pub(super) notes: Vec<String>,
    /// The witness of the system's clocks: the counter, where it can be read and moves.
    pub(super) witness: Witness,
    /// The kernel's clock: witness of the counter, and judge over it; `None` where it can't be read.
    pub(super) kernel: Option<Witness>,
}

impl Reader {
    pub(super) fn new(options: &Options) -> Result<Self, Error> {
        let mut notes = Vec::new();
        let allowed = allowed_cpus().unwrap_or_else(|error| {
            notes.push(format!("not pinned: the allowed CPUs can't be read: {error}"));
            Vec::new()
        });
        let pinned = pin(options.cpu, &allowed, &mut notes)?;
        if let Err(error) = lock_memory() {
            notes.push(format!("memory not locked: {error}"));
        }
        let kernel = Witness::kernel();
        let counter = Witness::counter().filter(moves);
        let Some(witness) = counter.or(kernel) else {
            return Err(Error::NoWitness("neither the CPU's counter nor CLOCK_MONOTONIC can be read".into()));
        };
        if counter.is_none() {
            notes.push(
                "the CPU's counter can't be read or does not move; the kernel's clock is the witness".into(),
            );
        }
        Ok(Self { pinned, allowed, notes, witness, kernel })
    }

    /// The CPU that the thread is pinned to.
    pub(super) fn cpu(&self) -> Option<u32> {
        self.pinned.as_ref().map(Pinned::cpu)
    }
}

fn pin(wanted: Option<u32>, allowed: &[u32], notes: &mut Vec<String>) -> Result<Option<Pinned>, Error> {
    if let Some(cpu) = wanted
        && !allowed.is_empty()
        && !allowed.contains(&cpu)
    {
        return Err(Error::Cpu { cpu, allowed: ranges(allowed) });
    }
    // The last one: the first takes the most interrupts on most machines.
    let Some(cpu) = wanted.filter(|_| !allowed.is_empty()).or(allowed.last().copied()) else {
        return Ok(None);
    };
    match Pinned::to(cpu) {
        Ok(pinned) => Ok(Some(pinned)),
        Err(error) => {
            notes.push(format!("not pinned to CPU {cpu}: {error}"));
            Ok(None)
        }
    }
}

/// Whether two stamps some microseconds apart differ.
fn moves(witness: &Witness) -> bool {
    let first = witness.stamp();
    (0..100_000).any(|_| witness.stamp().since(first) > 0)
}

/// CPUs as the kernel writes lists: `0-3,8`.
pub(super) fn ranges(cpus: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &cpu in cpus {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => parts.push((cpu, cpu)),
        }
    }
    let text: Vec<String> =
        parts.iter().map(|(a, b)| if a == b { a.to_string() } else { format!("{a}-{b}") }).collect();
    text.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_read_like_the_kernels() {
        assert_eq!(ranges(&[0, 1, 2, 8, 10, 11]), "0-2,8,10-11");
        assert_eq!(ranges(&[]), "");
    }
}
