//! From evidence to a choice: a pure function.

use super::choice::{Choice, Source, Why};

/// Whether there is a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counter {
    /// Not on this kind of CPU.
    Absent,
    /// The system forbids it (`PR_SET_TSC`).
    Forbidden,
    /// Readable.
    Readable,
}

/// The kernel's verdict on the counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "no system says each of them")]
pub(crate) enum Kernel {
    /// It is the current clocksource.
    Uses,
    /// It is not: available and passed over, or taken off the list.
    Rejects,
    /// The current clocksource is a hypervisor's page over the counter, in which the host says whether the counter is stable
    /// (KVM's and Xen's by PVCLOCK_TSC_STABLE_BIT, Hyper-V's by a sequence that is not 0). The kernel reads that with each
    /// reading, and makes a system call of it where it is not.
    Page,
}

/// What the environment asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forced {
    /// `counter`, or the counter's own name (`tsc`, `cntvct`, `rdtime`).
    Counter,
    /// `os` or `system`.
    System,
    /// Something else, which counts for nothing.
    Unknown,
}

/// All that the choice is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// Whether there is a counter.
    pub(crate) counter: Counter,
    /// What the environment asks for.
    pub(crate) forced: Option<Forced>,
    /// The kernel's verdict; `None`: it gives none.
    pub(crate) kernel: Option<Kernel>,
    /// Whether the CPU promises a counter of constant rate (CPUID 8000_0007H:EDX\[8\]; by architecture elsewhere).
    /// May be left unasked, and false, where the answers before it decide; so may the one below.
    pub(crate) invariant: bool,
    /// Whether the system's clock is read in user space, which it is only where it is made of a counter that the kernel
    /// trusts; `None`: not asked, or not to be told.
    pub(crate) in_user_space: Option<bool>,
}

/// Decides. When in doubt, the operating system's clock.
pub(crate) fn choose(e: Evidence) -> Choice {
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
        // CPUID's bit does not matter: a host that may move a guest to another one hides it, and the page goes on.
        (_, _, Some(Kernel::Page)) if e.in_user_space == Some(true) => return counter(Why::StablePage),
        (_, _, Some(Kernel::Page)) => return system(Why::UnstablePage),
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

#[cfg(test)]
mod tests {
    use super::*;

    const SILENT: Evidence =
        Evidence { counter: Counter::Readable, forced: None, kernel: None, invariant: true, in_user_space: Some(true) };

    #[test]
    fn each_question_decides_in_its_turn() {
        use Source::{Counter as C, System as S};
        let uses = Evidence { kernel: Some(Kernel::Uses), ..SILENT };
        let page = Evidence { kernel: Some(Kernel::Page), invariant: false, ..SILENT };
        let rejects = Evidence { kernel: Some(Kernel::Rejects), ..SILENT };
        let cases = [
            (Evidence { counter: Counter::Absent, forced: Some(Forced::Counter), ..uses }, S, Why::NoCounter),
            (Evidence { counter: Counter::Forbidden, forced: Some(Forced::Counter), ..uses }, S, Why::Forbidden),
            (Evidence { forced: Some(Forced::Counter), ..rejects }, C, Why::Forced),
            (Evidence { forced: Some(Forced::System), ..uses }, S, Why::Forced),
            (Evidence { forced: Some(Forced::Unknown), ..uses }, C, Why::KernelUsesIt),
            (uses, C, Why::KernelUsesIt),
            (Evidence { invariant: false, in_user_space: None, ..uses }, C, Why::KernelUsesIt),
            (page, C, Why::StablePage),
            (Evidence { in_user_space: Some(false), ..page }, S, Why::UnstablePage),
            (Evidence { in_user_space: None, invariant: true, ..page }, S, Why::UnstablePage),
            (Evidence { counter: Counter::Forbidden, ..page }, S, Why::Forbidden),
            (rejects, S, Why::KernelRejectedIt),
            (Evidence { invariant: false, ..SILENT }, S, Why::NotInvariant),
            (Evidence { in_user_space: Some(false), ..SILENT }, S, Why::InDoubt),
            (Evidence { in_user_space: None, ..SILENT }, S, Why::InDoubt),
            (Evidence { forced: Some(Forced::Unknown), ..SILENT }, C, Why::UserSpace),
            (SILENT, C, Why::UserSpace),
        ];
        for (evidence, source, why) in cases {
            assert_eq!(choose(evidence), Choice { source, why }, "{evidence:?}");
        }
    }
}
