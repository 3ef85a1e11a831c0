//! How fast one clock runs by another.

mod lags;
mod pair;
mod relative;
mod segments;
mod whole;
#[cfg(test)]
mod whole_tests;

pub use whole::whole;

#[derive(Debug, Clone, Copy)]
pub struct Quanta {
    pub clock: f64,
    pub by: f64,
}
pub fn rate(a: &[crate::trace::Bracketed], q: Quanta) -> Option<crate::record::Interval> {
    lags::rate(a, q.clock)
}
pub fn relative(
    track: &[crate::trace::Bracketed],
    q: Quanta,
    scale: f64,
    against: &str,
) -> Result<crate::record::Rate, String> {
    relative::relative(
        track,
        relative::Scale { count_ns: scale, reference_ns: 1.0, quantum_ns: (q.clock + q.by) * scale },
        against,
    )
}
