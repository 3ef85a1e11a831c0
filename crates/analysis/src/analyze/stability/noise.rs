//! Which power law a clock's noise follows at an averaging time: by how the modified Allan variance goes on from it, for
//! that tells all five apart (NIST SP 1065, table 3).

/// S_y(f) ~ f^α, α from −2 to 2.
pub(super) type Law = i32;

/// Averaging times longer than one in so many of the series have too few windows to tell; the last that do tell count.
const LONGEST: u64 = 16;

/// The law at that place of modified variances, each times the square of its averaging time, in octaves, with the times in
/// steps, of a series of so many phases; `None` where there is no neighbour to go by.
pub(super) fn law(modified: &[(u64, Option<f64>)], at: usize, points: u64) -> Option<Law> {
    let told = modified.partition_point(|(steps, _)| steps * LONGEST <= points);
    let from = at.min(told.saturating_sub(2));
    let (shorter, longer) = (modified.get(from)?.1?, modified.get(from + 1)?.1?);
    // Times tau²: mod σ² ~ tau^(−α−1), so that the ratio over an octave is 2^(1−α).
    let power = libm::log2(longer / shorter);
    power.is_finite().then(|| (1.0 - power).round().clamp(-2.0, 2.0) as Law)
}

/// As IEEE 1139 calls it.
pub(super) fn name(law: Law) -> String {
    match law {
        ..=-2 => "random walk FM",
        -1 => "flicker FM",
        0 => "white FM",
        1 => "flicker PM",
        _ => "white PM",
    }
    .into()
}
