//! CS014: reads that failed in mid-run.

use super::prelude::*;

pub(super) fn apply(facts: &Facts) -> Option<Draft> {
    let hit: Vec<&Clock> = facts.clocks.iter().filter(|c| c.failed_reads > 0).collect();
    let said = |c: &&Clock| {
        let of = text::count(c.reads.saturating_add(c.failed_reads), "read");
        format!("{}: {} of {of} failed", c.id, text::grouped(c.failed_reads))
    };
    (!hit.is_empty()).then(|| Draft {
        severity: Error,
        title: format!("{} failed in mid-run after having worked", names(&hit)),
        evidence: hit.iter().map(said).collect(),
        why: "Hardly any program checks what clock_gettime returns: after a failed read it works with what stood in \
              the buffer, often the time before."
            .into(),
        fix: "Find out who refuses: `strace -c -e trace=clock_gettime,gettimeofday clockscope` shows the errors of \
              calls that reach the kernel; then look for a seccomp filter that was installed meanwhile, an \
              interposed library (CS013), or a device that went away (/dev/ptp*)."
            .into(),
        clocks: ids(hit),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_reads_are_an_error_with_their_count() {
        let failed = Case::healthy().silent("CS014").but(|case| case.clock("tsc").failed_reads = 12);
        failed.finds("CS014", Error, &["tsc: 12 of 1,000,012 reads failed"]);
    }
}
