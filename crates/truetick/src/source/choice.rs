//! What was chosen, and why.

/// What time is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The CPU's counter, fitted to the system's clock over and over.
    Counter,
    /// The operating system's clock.
    System,
}

/// Why a source was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
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
    /// The kernel's clock is a hypervisor's page over the counter, and read in user space, as it is only while the host
    /// calls the counter stable.
    StablePage,
    /// The kernel's clock is a hypervisor's page over the counter, and not seen to be read in user space.
    UnstablePage,
}

/// A source and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Choice {
    /// What time is made of.
    pub source: Source,
    /// Why.
    pub why: Why,
}

const ALL_WHY: [Why; 12] = [
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
    Why::StablePage,
    Why::UnstablePage,
];

impl Choice {
    /// This source, for this reason.
    #[must_use]
    pub const fn new(source: Source, why: Why) -> Self {
        Self { source, why }
    }

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

impl core::fmt::Display for Source {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Counter => "the CPU's counter",
            Self::System => "the system's clock",
        })
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
            Self::StablePage => {
                "the kernel's clock is a hypervisor's page over the counter, whose host calls the counter stable"
            }
            Self::UnstablePage => {
                "the kernel's clock is a hypervisor's page over the counter, whose host is not seen to call it stable"
            }
            Self::KernelLeftIt => "the kernel has ceased to make its own clock of the counter",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
