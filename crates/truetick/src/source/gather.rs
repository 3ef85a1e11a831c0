//! Gathers the evidence.

use super::{
    choose::{Counter, Evidence, Forced, Kernel},
    cpuid, system,
};
use crate::{native, os};

/// What the choice needs, or `all` that can be asked, for people. No allocation on Unix. The environment is looked at in
/// the first call only.
pub(crate) fn gather(all: bool) -> Evidence {
    let counter = match (native::HAS_COUNTER, native::HAS_COUNTER && system::forbidden()) {
        (false, _) => Counter::Absent,
        (true, true) => Counter::Forbidden,
        (true, false) => Counter::Readable,
    };
    let (forced, kernel) = (os::forced(), system::kernel());
    let decided =
        counter != Counter::Readable || kernel.is_some() || matches!(forced, Some(Forced::Counter | Forced::System));
    let page = kernel == Some(Kernel::Page) && !matches!(forced, Some(Forced::Counter | Forced::System));
    // CPUID last: a hypervisor traps it, which takes longer than all else.
    let invariant = (all || !decided) && cpuid::invariant();
    // It reads the counter, so it is not asked where that is forbidden.
    let asked = counter == Counter::Readable && (all || page || (!decided && invariant));
    let in_user_space = if asked { system::in_user_space() } else { None };
    Evidence { counter, forced, kernel, invariant, in_user_space }
}
