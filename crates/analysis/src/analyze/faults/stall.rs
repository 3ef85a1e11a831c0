//! Runs of equal readings: how long the clock stood still in each, at least.

use super::kept::When;
use crate::record::Stalls;

/// The share of what reads take in a row that each of them takes at least: in a short row up to a third is the stamps'.
const WITHOUT_STAMPS: f64 = 0.7;
/// Most runs that wait for the quickest read, 256 KiB; beyond that they are judged by what is known.
const WAITING: usize = 4096;

/// A run of equal readings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Equal {
    pub(super) reads: u64,
    /// What it has lasted by the witness, ns,
    pub(super) witnessed_ns: f64,
    /// and the reads of one row beyond that.
    pub(super) gaps: u64,
}

impl Equal {
    /// It has lasted so long by the witness.
    pub(super) fn witnessed(&mut self, ns: f64, least_ns: f64) {
        if ns >= self.lasted_ns(least_ns) {
            (self.witnessed_ns, self.gaps) = (ns, 0);
        }
    }

    fn lasted_ns(&self, least_ns: f64) -> f64 {
        let gaps_ns = if self.gaps == 0 { 0.0 } else { self.gaps as f64 * least_ns };
        self.witnessed_ns + gaps_ns
    }
}

/// A run that was longer than the clock may stand still, if a read takes as long as the quickest one so far.
#[derive(Debug, Clone, Copy)]
struct Suspect {
    equal: Equal,
    standstill_ns: f64,
    when: When,
}

/// A run that was too long.
pub(super) struct Stall {
    pub(super) reads: u64,
    /// At least, ns.
    pub(super) lasted_ns: f64,
    pub(super) when: When,
}

/// All runs.
///
/// Within a row no witness tells how long a read took. A CPU may become twice as fast in the midst of a run, or have to
/// share its core no more; so runs are judged by the quickest row of all, at the end.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs {
    count: u64,
    of_200_reads: u64,
    longest_reads: u64,
    /// Of the longest by the witness, and of those with most reads of one row.
    longest: [Option<Equal>; 2],
    /// What a read takes at least, ns.
    least_ns: Option<f64>,
    suspects: Vec<Suspect>,
}

impl Runs {
    /// The reads of a row took so long each, ns. Of a bracket of no length nothing is known.
    pub(super) fn took(&mut self, read_ns: f64) {
        let least_ns = WITHOUT_STAMPS * read_ns;
        if least_ns > 0.0 && self.least_ns.is_none_or(|known| least_ns < known) {
            self.least_ns = Some(least_ns);
        }
    }

    /// What a read takes at least, ns; 0 before one was timed.
    pub(super) fn least_ns(&self) -> f64 {
        self.least_ns.unwrap_or(0.0)
    }

    /// A run has ended. Those that have to be judged now, because too many wait.
    pub(super) fn end(&mut self, equal: Equal, standstill_ns: f64, when: When) -> Vec<Stall> {
        self.count += 1;
        self.longest_reads = self.longest_reads.max(equal.reads);
        // clockperf's 'Fail'.
        self.of_200_reads += u64::from(equal.reads >= 200);
        let key: [fn(&Equal) -> f64; 2] = [|equal| equal.witnessed_ns, |equal| equal.gaps as f64];
        for (longest, key) in self.longest.iter_mut().zip(key) {
            if longest.is_none_or(|longest| key(&longest) < key(&equal)) {
                *longest = Some(equal);
            }
        }
        if equal.lasted_ns(self.least_ns()) > standstill_ns {
            self.suspects.push(Suspect { equal, standstill_ns, when });
        }
        if self.suspects.len() < WAITING { Vec::new() } else { self.judged() }
    }

    /// The runs that were too long by all that is known now.
    pub(super) fn judged(&mut self) -> Vec<Stall> {
        let least_ns = self.least_ns();
        let stall = |Suspect { equal, standstill_ns, when }: Suspect| {
            let lasted_ns = equal.lasted_ns(least_ns);
            (lasted_ns > standstill_ns).then_some(Stall { reads: equal.reads, lasted_ns, when })
        };
        self.suspects.drain(..).filter_map(stall).collect()
    }

    /// The counts, those of the runs that were too long being told.
    pub(super) fn stalls(&self, unexplained: u64) -> Stalls {
        let longest_ns = self.longest.iter().flatten().map(|equal| equal.lasted_ns(self.least_ns()));
        Stalls {
            count: self.count,
            unexplained,
            longest_reads: self.longest_reads,
            longest_ns: longest_ns.fold(0.0, f64::max),
            of_200_reads: self.of_200_reads,
        }
    }
}
