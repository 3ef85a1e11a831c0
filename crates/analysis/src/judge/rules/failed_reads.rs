//! CS014: reads that failed in mid-run.

use super::rule::Draft;
use crate::judge::facts::Facts;
use crate::judge::say;
use crate::record::{Clock, Severity};

pub(super) fn apply(facts: &Facts) -> Vec<Draft> {
    let hit: Vec<&Clock> = facts.clocks.iter().filter(|c| c.failed_reads > 0).collect();
    if hit.is_empty() {
        return Vec::new();
    }
    let said: Vec<String> = hit
        .iter()
        .map(|c| {
            format!(
                "{}: {} of {} failed",
                c.id,
                say::grouped(c.failed_reads),
                say::count(c.reads.saturating_add(c.failed_reads), "read")
            )
        })
        .collect();
    vec![Draft {
        severity: Severity::Error,
        title: format!("{} failed in mid-run after having worked", say::names(&hit)),
        evidence: said.join("; ") + ".",
        why: "Hardly any program checks what clock_gettime returns: after a failed read it works with what stood in the \
              buffer, often the time before."
            .into(),
        fix: "Find out who refuses: `strace -c -e trace=clock_gettime,gettimeofday clockscope` shows the errors of \
              calls that reach the kernel; then look for a seccomp filter that was installed meanwhile, an interposed \
              library (CS013), or a device that went away (/dev/ptp*)."
            .into(),
        clocks: say::ids(&hit),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::made_up::{findings, healthy};

    #[test]
    fn failed_reads_are_an_error_with_their_count() {
        let (machine, mut clocks) = healthy();
        clocks[0].failed_reads = 12;
        let found = findings(&machine, &clocks, "CS014");
        assert_eq!((found.len(), found[0].severity), (1, Severity::Error));
        assert!(found[0].evidence.contains("12 of 1 000 012 reads failed"), "{}", found[0].evidence);
    }

    #[test]
    fn none_failed_is_silent() {
        let (machine, clocks) = healthy();
        assert!(findings(&machine, &clocks, "CS014").is_empty());
    }
}
