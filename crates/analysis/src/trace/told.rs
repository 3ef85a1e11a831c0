//! What system calls told a program that was watched.

/// What one system call, or one field of what it writes, told a program: the values in the order in which they were told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The id of the clock in the catalog; of a clock that the catalog lacks, what the call names it by.
    pub clock: String,
    /// The call, as `clock_gettime(CLOCK_MONOTONIC)`.
    pub call: String,
    /// The values, ns.
    pub ns: Vec<i64>,
}
