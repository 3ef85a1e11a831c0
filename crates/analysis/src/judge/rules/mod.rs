//! The rules, one file a rule or a small family of them, and a line below for each file: the codes, and the functions that
//! return one draft, none or more. A code's page is in `docs/findings`. `prelude` is what a
//! rule is, and what all are written with.

mod prelude;

use prelude::Rule;

/// Makes the list of all rules of their files.
macro_rules! rules {
    ($($file:ident { $($code:literal => $apply:ident),* })*) => {
        $(mod $file;)*

        /// Every rule, a family after the other.
        pub(super) const RULES: &[Rule] = &[$($(Rule {
            code: $code,
            page: include_str!(concat!("../../../../../docs/findings/", $code, ".md")),
            apply: |facts| $file::$apply(facts).into_iter().collect(),
        },)*)*];
    };
}

rules! {
    lost_vdso { "CS001" => apply }
    slow_source { "CS002" => apply }
    tsc_unfit { "CS003" => apply }
    coarse_quantum { "CS004" => apply }
    faults { "CS005" => regressions, "CS006" => warps, "CS007" => stalls }
    needless_coarse { "CS008" => apply }
    unsynchronised { "CS009" => apply }
    unwatched_tsc { "CS010" => apply }
    guest { "CS011" => apply }
    disturbed { "CS012" => interruption, "CS015" => undecided }
    interposed { "CS013" => apply }
    failed_reads { "CS014" => apply }
    skew { "CS016" => apply }
    slept { "CS017" => apply }
    clock_set { "CS018" => apply }
    slewed { "CS019" => apply }
    clocksource_changed { "CS020" => apply }
    namespace { "CS021" => apply }
}
