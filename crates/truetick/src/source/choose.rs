//! From evidence to a choice: a pure function.

/// What time is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// The CPU's counter, fitted to the system's clock over and over.
    Counter,
    /// The operating system's clock.
    System,
}

/// Why a source was chosen. The order is that of the questions asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// This kind of CPU has no counter that a program can read.
    NoCounter,
    /// The system forbids this process to read the counter.
    Forbidden,
    /// `TRUETICK_SOURCE` says so.
    Forced,
    /// The kernel makes its own clock of this counter.
    KernelUsesIt,
    /// The kernel could use this counter for its clock and does not.
    KernelRejectedIt,
    /// The kernel says nothing, and the CPU does not promise a constant rate.
    NotInvariant,
    /// The kernel says nothing, and its clock is not seen to be read in user space.
    InDoubt,
    /// The kernel says nothing, but lets its clock be read in user space, and the CPU promises a constant rate.
    UserSpace,
    /// The counter was used, and jumped again and again.
    Unsteady,
    /// The counter was used, until the kernel ceased to make its own clock of it.
    KernelLeftIt,
}

/// A source and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Choice {
    /// What time is made of.
    pub source: Source,
    /// Why.
    pub why: Why,
}

/// Whether there is a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Not on this kind of CPU.
    Absent,
    /// The system forbids it (`PR_SET_TSC`).
    Forbidden,
    /// Readable.
    Readable,
}

/// The kernel's verdict on the counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// It is the current clocksource.
    Uses,
    /// It is not: available and passed over, or taken off the list.
    Rejects,
}

/// What the environment asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forced {
    /// `counter`, or the counter's own name (`tsc`, `cntvct`, `rdtime`).
    Counter,
    /// `os` or `system`.
    System,
    /// Something else, which counts for nothing.
    Unknown,
}

/// All that the choice is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// Whether there is a counter.
    pub counter: Counter,
    /// What the environment asks for.
    pub forced: Option<Forced>,
    /// The kernel's verdict; `None`: it gives none.
    pub kernel: Option<Kernel>,
    /// Whether the CPU promises a counter of constant rate (CPUID 8000_0007H:EDX\[8\]; by architecture elsewhere).
    /// May be left unasked, and false, where the answers before it decide; so may the one below.
    pub invariant: bool,
    /// Whether the system's clock is read in user space, which it is only where it is made of a counter that the kernel
    /// trusts; `None`: not asked, or not to be told.
    pub in_user_space: Option<bool>,
}

/// Decides. When in doubt, the operating system's clock.
pub fn choose(e: &Evidence) -> Choice {
    let counter = |why| Choice { source: Source::Counter, why };
    let system = |why| Choice { source: Source::System, why };
    match (e.counter, e.forced, e.kernel) {
        (Counter::Absent, ..) => return system(Why::NoCounter),
        // Not even when forced: the read would end the process.
        (Counter::Forbidden, ..) => return system(Why::Forbidden),
        (_, Some(Forced::Counter), _) => return counter(Why::Forced),
        (_, Some(Forced::System), _) => return system(Why::Forced),
        (_, _, Some(Kernel::Uses)) => return counter(Why::KernelUsesIt),
        (_, _, Some(Kernel::Rejects)) => return system(Why::KernelRejectedIt),
        (_, None | Some(Forced::Unknown), None) => {}
    }
    if !e.invariant {
        return system(Why::NotInvariant);
    }
    match e.in_user_space {
        Some(true) => counter(Why::UserSpace),
        _ => system(Why::InDoubt),
    }
}

const ALL_WHY: [Why; 10] = [
    Why::NoCounter,
    Why::Forbidden,
    Why::Forced,
    Why::KernelUsesIt,
    Why::KernelRejectedIt,
    Why::NotInvariant,
    Why::InDoubt,
    Why::UserSpace,
    Why::Unsteady,
    Why::KernelLeftIt,
];

impl Choice {
    /// As a word, never 0.
    pub(crate) fn word(self) -> u64 {
        let source = match self.source {
            Source::Counter => 1,
            Source::System => 2,
        };
        source | (self.why as u64) << 8
    }

    /// From a word; `None` from any that is no choice.
    pub(crate) fn of_word(word: u64) -> Option<Self> {
        let source = match word & 0xff {
            1 => Source::Counter,
            2 => Source::System,
            _ => return None,
        };
        Some(Self { source, why: *ALL_WHY.get((word >> 8) as usize)? })
    }
}

impl core::fmt::Display for Why {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::NoCounter => "this kind of CPU has no counter that a program can read",
            Self::Forbidden => "the system forbids this process to read the counter",
            Self::Forced => "TRUETICK_SOURCE says so",
            Self::KernelUsesIt => "the kernel makes its own clock of the counter",
            Self::KernelRejectedIt => "the kernel does not use the counter for its own clock",
            Self::NotInvariant => "the kernel gives no verdict and the CPU does not promise a counter of constant rate",
            Self::InDoubt => "the kernel gives no verdict and its clock is not seen to be read in user space",
            Self::UserSpace => {
                "the kernel gives no verdict, but lets its clock be read in user space, as it does of a counter that it trusts"
            }
            Self::Unsteady => "the counter jumped again and again",
            Self::KernelLeftIt => "the kernel has ceased to make its own clock of the counter",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SILENT: Evidence =
        Evidence { counter: Counter::Readable, forced: None, kernel: None, invariant: true, in_user_space: Some(true) };

    #[test]
    fn each_question_decides_in_its_turn() {
        use Source::{Counter as C, System as S};
        let uses = Evidence { kernel: Some(Kernel::Uses), ..SILENT };
        let rejects = Evidence { kernel: Some(Kernel::Rejects), ..SILENT };
        let cases = [
            (Evidence { counter: Counter::Absent, forced: Some(Forced::Counter), ..uses }, S, Why::NoCounter),
            (Evidence { counter: Counter::Forbidden, forced: Some(Forced::Counter), ..uses }, S, Why::Forbidden),
            (Evidence { forced: Some(Forced::Counter), ..rejects }, C, Why::Forced),
            (Evidence { forced: Some(Forced::System), ..uses }, S, Why::Forced),
            (Evidence { forced: Some(Forced::Unknown), ..uses }, C, Why::KernelUsesIt),
            (uses, C, Why::KernelUsesIt),
            (Evidence { invariant: false, in_user_space: None, ..uses }, C, Why::KernelUsesIt),
            (rejects, S, Why::KernelRejectedIt),
            (Evidence { invariant: false, ..SILENT }, S, Why::NotInvariant),
            (Evidence { in_user_space: Some(false), ..SILENT }, S, Why::InDoubt),
            (Evidence { in_user_space: None, ..SILENT }, S, Why::InDoubt),
            (Evidence { forced: Some(Forced::Unknown), ..SILENT }, C, Why::UserSpace),
            (SILENT, C, Why::UserSpace),
        ];
        for (evidence, source, why) in cases {
            assert_eq!(choose(&evidence), Choice { source, why }, "{evidence:?}");
        }
    }

    #[test]
    fn a_choice_survives_its_word() {
        for (i, why) in ALL_WHY.into_iter().enumerate() {
            assert_eq!(why as usize, i);
            for source in [Source::Counter, Source::System] {
                let choice = Choice { source, why };
                assert_eq!(Choice::of_word(choice.word()), Some(choice));
            }
        }
        assert_eq!(Choice::of_word(0), None);
        assert_eq!(Choice::of_word(u64::MAX), None);
    }
}
