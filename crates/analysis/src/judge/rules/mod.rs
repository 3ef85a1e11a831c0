//! The rules, one file a rule or a small family of them, and a line below for each file: the codes, and the functions that
//! return one draft, none or more. A code's page is in `docs/findings`. `prelude` is what a rule is, and what all are
//! written with.
//!
//! Of findings equally severe those stand first that stand first here: what may be the cause before what may come of it.

pub(super) mod prelude;

pub(super) use prelude::{Draft, Rule, Tells};

/// Makes the list of all rules of their files; `Usual` and `Run` mark what tells of something else than this machine.
macro_rules! rules {
    ($($file:ident { $($code:literal $($tells:ident)? => $apply:ident),* })*) => {
        $(mod $file;)*

        /// Every rule, a family after the other.
        pub(super) const RULES: &[Rule] = &[$($(Rule {
            code: $code,
            page: include_str!(concat!("../../../../../docs/findings/", $code, ".md")),
            apply: |facts| $file::$apply(facts).into_iter().collect(),
            tells: rules!(@tells $($tells)?),
        },)*)*];
    };
    (@tells) => { prelude::Tells::Machine };
    (@tells $tells:ident) => { prelude::Tells::$tells };
}

rules! {
    interposed { "CS013" => apply }
    clocksource_changed { "CS020" => apply }
    disrupted { "CS023" Run => apply }
    slept { "CS017" Run => apply }
    clock_set { "CS018" => apply }
    namespace { "CS021" => apply }
    slow_source { "CS002" => apply }
    lost_vdso { "CS001" => apply }
    tsc_unfit { "CS003" => apply }
    skew { "CS016" => apart, "CS022" => drifting }
    failed_reads { "CS014" => apply }
    faults { "CS005" => regressions, "CS006" => warps, "CS007" => stalls }
    disturbed { "CS012" Run => interruption, "CS015" Run => undecided }
    unsynchronised { "CS009" => apply }
    slewed { "CS019" => apply }
    coarse_quantum { "CS004" => apply }
    needless_coarse { "CS008" => apply }
    unwatched_tsc { "CS010" Usual => apply }
    guest { "CS011" Usual => apply }
}
