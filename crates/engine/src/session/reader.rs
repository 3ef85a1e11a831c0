//! The thread that reads: where it runs, and the clocks that it reads by.

use super::error::Error;
use crate::measure::{Locked, Pinned, Witness, allowed_cpus};

/// The reading thread, pinned, with its witnesses.
pub(crate) struct Reader {
    pinned: Option<Pinned>,
    _locked: Option<Locked>,
    /// The CPUs that this process might run on before the thread was pinned; empty where that can't be read.
    pub(crate) allowed: Vec<u32>,
    pub(crate) notes: Vec<String>,
    /// The witness of the system's clocks: the counter, where it can be read and moves.
    pub(crate) witness: Witness,
    /// The kernel's clock: witness of the counter, and judge over it; `None` where it can't be read.
    pub(crate) kernel: Option<Witness>,
}

/// Why memory could not be locked, and what comes of it.
fn not_locked(error: &std::io::Error) -> String {
    let why = match error.raw_os_error() {
        Some(libc::ENOMEM | libc::EPERM | libc::EAGAIN) => "the limit on locked memory is too low (`ulimit -l`)".into(),
        _ => error.to_string(),
    };
    format!("memory is not locked, so a page fault may look like a slow read: {why}")
}

impl Reader {
    /// Lets the thread run wherever it may. Returns the CPU that it was kept on, if it was.
    pub(crate) fn unpin(&mut self) -> Option<u32> {
        self.pinned.take().map(|pinned| pinned.cpu)
    }

    /// Keeps the thread on that CPU.
    pub(crate) fn pin(&mut self, cpu: u32) -> std::io::Result<()> {
        self.pinned = Some(Pinned::to(cpu)?);
        Ok(())
    }

    pub(crate) fn new(cpu: Option<u32>) -> Result<Self, Error> {
        let mut notes = Vec::new();
        let allowed = allowed_cpus().unwrap_or_else(|error| {
            notes.push(format!("not pinned: the allowed CPUs can't be read: {error}"));
            Vec::new()
        });
        let pinned = pin(cpu, &allowed, &mut notes)?;
        let locked = Locked::new().map_err(|error| notes.push(not_locked(&error))).ok();
        let kernel = Witness::kernel();
        let counter = Witness::counter().filter(moves);
        let Some(witness) = counter.or(kernel) else {
            return Err(Error::no_witness("neither the CPU's counter nor CLOCK_MONOTONIC can be read"));
        };
        if counter.is_none() {
            notes.push("the CPU's counter can't be read or does not move; the kernel's clock is the witness".into());
        }
        Ok(Self { pinned, _locked: locked, allowed, notes, witness, kernel })
    }

    pub(crate) fn cpu(&self) -> Option<u32> {
        self.pinned.as_ref().map(|pinned| pinned.cpu)
    }
}

/// Pins the calling thread to the CPU that is wanted, or the last one allowed.
pub(crate) fn pin(wanted: Option<u32>, allowed: &[u32], notes: &mut Vec<String>) -> Result<Option<Pinned>, Error> {
    if let Some(cpu) = wanted
        && !allowed.is_empty()
        && !allowed.contains(&cpu)
    {
        return Err(Error::no_cpu(cpu, &ranges(allowed)));
    }
    // The last one: the first takes the most interrupts on most machines.
    let Some(cpu) = wanted.filter(|_| !allowed.is_empty()).or(allowed.last().copied()) else {
        return Ok(None);
    };
    Ok(Pinned::to(cpu).map_err(|error| notes.push(format!("not pinned to CPU {cpu}: {error}"))).ok())
}

/// Whether two stamps some microseconds apart differ.
fn moves(witness: &Witness) -> bool {
    let first = witness.stamp();
    (0..100_000).any(|_| witness.stamp().since(first) > 0)
}

/// The CPUs asked for, or all allowed ones: two at least.
pub(crate) fn chosen(wanted: Option<&[u32]>, allowed: &[u32]) -> Result<Vec<u32>, Error> {
    const WHAT: &str = "skew is what two CPUs differ by, and";
    let list = ranges(allowed);
    if allowed.len() < 2 {
        let only = if list.is_empty() { "CPUs that can't be told".into() } else { format!("CPU {list}") };
        return Err(Error::Machine(format!(
            "{WHAT} this process may run on {only} only; widen the taskset or the cpuset"
        )));
    }
    let Some(wanted) = wanted else { return Ok(allowed.to_vec()) };
    let mut cpus: Vec<u32> = wanted.to_vec();
    cpus.sort_unstable();
    cpus.dedup();
    if let Some(&cpu) = cpus.iter().find(|cpu| !allowed.contains(cpu)) {
        return Err(Error::no_cpu(cpu, &list));
    }
    if cpus.len() < 2 {
        return Err(Error::Usage(format!("{WHAT} --cpus names one; choose two or more of {list}")));
    }
    Ok(cpus)
}

/// The CPUs to watch: those asked for, or the reader's own.
pub(crate) fn watched(wanted: Option<&[u32]>, reader: &Reader) -> Result<Vec<u32>, Error> {
    let mut cpus: Vec<u32> = wanted.map_or_else(|| reader.cpu().into_iter().collect(), <[u32]>::to_vec);
    cpus.sort_unstable();
    cpus.dedup();
    if let Some(&cpu) = cpus.iter().find(|cpu| !reader.allowed.contains(cpu)) {
        return Err(Error::no_cpu(cpu, &ranges(&reader.allowed)));
    }
    if cpus.is_empty() {
        return Err(Error::Machine("no thread can be kept on one CPU here: the allowed CPUs can't be read".into()));
    }
    Ok(cpus)
}

/// CPUs as the kernel writes lists: `0-3,8`.
pub(crate) fn ranges(cpus: &[u32]) -> String {
    let runs = cpus.chunk_by(|cpu, next| cpu + 1 == *next).map(|run| match run {
        [first, .., last] => format!("{first}-{last}"),
        _ => run[0].to_string(),
    });
    runs.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_read_like_the_kernels() {
        assert_eq!(ranges(&[0, 1, 2, 8, 10, 11]), "0-2,8,10-11");
        assert_eq!(ranges(&[]), "");
    }

    #[test]
    fn the_cpus_asked_for_are_held_against_the_allowed_ones() {
        assert_eq!(chosen(None, &[0, 2, 5]), Ok(vec![0, 2, 5]));
        assert_eq!(chosen(Some(&[5, 0, 5]), &[0, 2, 5]), Ok(vec![0, 5]));
        assert_eq!(chosen(Some(&[0, 1]), &[0, 2]), Err(Error::no_cpu(1, "0,2")));
        let few = chosen(Some(&[2, 2]), &[0, 2]).unwrap_err();
        assert!(few.is_usage() && few.to_string().contains("0,2"), "{few}");
        for allowed in [&[3][..], &[]] {
            let one = chosen(Some(&[3]), allowed).unwrap_err();
            assert!(!one.is_usage() && one.to_string().contains("only"), "{one}");
        }
    }
}
