//! A watch of this thread, with what is done to it.

use std::cell::Cell;
use std::sync::mpsc::channel;

use clockscope_analysis::analyze::attribution::{Cause, attribute};

use super::*;
use crate::measure::allowed_cpus;

const PAGES: usize = 64;
/// The watch ends after so many storms, however long that takes.
const STORMS: u64 = 50;

/// The kernel's clock; now and then a read comes with page faults.
#[derive(Clone, Copy)]
struct Faulting<'a> {
    witness: Witness,
    reads: &'a Cell<u64>,
    storms: &'a Cell<u64>,
    stop: &'a AtomicBool,
}

impl Stamper for Faulting<'_> {
    fn stamp(&self) -> Stamp {
        self.reads.set(self.reads.get() + 1);
        if self.reads.get().is_multiple_of(20_000) {
            self.storms.set(self.storms.get() + 1);
            fault();
            self.stop.store(self.storms.get() >= STORMS, Ordering::Relaxed);
        }
        Stamp { cpu: None, ..self.witness.stamp() }
    }
}

/// Touches so many pages for the first time.
fn fault() {
    const PAGE: usize = 4096;
    // SAFETY: the mapping is new and this function's own; only its bytes are written.
    unsafe {
        let (of, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let map = libc::mmap(std::ptr::null_mut(), PAGES * PAGE, of, flags, -1, 0);
        assert_ne!(map, libc::MAP_FAILED);
        libc::madvise(map, PAGES * PAGE, libc::MADV_NOHUGEPAGE);
        for page in 0..PAGES {
            map.cast::<u8>().add(page * PAGE).write_volatile(1);
        }
        libc::munmap(map, PAGES * PAGE);
    }
}

#[test]
fn a_storm_of_page_faults_is_seen_whole_and_called_that() {
    let cpu = *allowed_cpus().unwrap().last().unwrap();
    let _pinned = Pinned::to(cpu).unwrap();
    let witness = Witness::kernel().unwrap();
    let order = Watch { witness, longer_than: 5000, length: i64::MAX, throttling: Vec::new(), stops: false };
    let (reads, storms, stop) = (Cell::new(0), Cell::new(0), AtomicBool::new(false));
    let (tell, told) = channel();
    let faulting = Faulting { witness, reads: &reads, storms: &storms, stop: &stop };
    let vigil = Watching::new(cpu, &order, faulting, &tell).until_over(&stop);
    drop(tell);
    let all: Vec<Absence> = told
        .iter()
        .flat_map(|told| match told {
            Told::Absences(lot) => lot.absences,
            Told::End(_) => Vec::new(),
        })
        .collect();
    assert!(vigil.trouble.is_none() && vigil.reads > 0 && vigil.looks == all.len() as u64, "{vigil:?}");
    let faults: u64 = all.iter().filter_map(|absence| absence.seen.minor_faults).sum();
    // The first may come before the watch, the last in its end.
    let least = (storms.get().saturating_sub(2)) * PAGES as u64;
    assert!(storms.get() >= STORMS && faults >= least, "{faults} faults of {} storms", storms.get());
    let stormy = all.iter().filter(|absence| absence.seen.minor_faults >= Some(PAGES as u64));
    for absence in stormy.filter(|absence| absence.seen.waited_ns == Some(0)) {
        let shares = attribute(absence.length as f64, &absence.seen, false);
        assert!(shares.of(Cause::PageFault) > 0.0 || shares.of(Cause::Stolen) > 0.0, "{absence:?}: {shares:?}");
    }
    let noticing: u64 = vigil.noticing.iter().map(|looks| looks.time).sum();
    assert!(noticing > 0 && noticing <= vigil.looking && vigil.noticing[0].from >= 5000, "{vigil:?}");
    // They lie apart, in order, within the watch.
    let mut last = vigil.start;
    for absence in &all {
        assert!(absence.from >= last && absence.length >= 5000, "{absence:?}");
        last = absence.from + absence.length;
    }
    assert!(vigil.end >= last && vigil.looking <= vigil.end - vigil.start, "{vigil:?}");
}
