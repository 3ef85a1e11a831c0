//! clockperf's output, and what its authors published, for where the program is not at hand.

/// Costs by our clock ids, ns, from what `clockperf` prints. Its second line for a coarse clock, which has no name,
/// is left out.
pub(crate) fn costs(output: &str) -> Vec<(String, f64)> {
    let table = output.lines().skip_while(|line| !line.starts_with("Name ")).skip(1);
    table
        .take_while(|line| !line.is_empty())
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((our_id(words.next()?), words.next()?.parse().ok()?))
        })
        .collect()
}

fn our_id(name: &str) -> String {
    match name {
        "process" | "thread" => format!("{name}-cputime"),
        _ => name.replace("_crs", "-coarse").replace('_', "-"),
    }
}

/// The example run in clockperf's README (v1.0.0, Linux 4.5.0, x86-64, TSC at 2401 MHz), quiet: id and cost, ns.
pub(crate) const PUBLISHED: [(&str, f64); 14] = [
    ("tsc", 15.93),
    ("gettimeofday", 22.87),
    ("realtime", 23.69),
    ("realtime-coarse", 9.68),
    ("monotonic", 23.40),
    ("monotonic-coarse", 9.03),
    ("monotonic-raw", 73.34),
    ("boottime", 77.66),
    ("process-cputime", 132.47),
    ("thread-cputime", 125.87),
    ("clock", 134.26),
    ("getrusage", 210.87),
    ("ftime", 27.86),
    ("time", 5.36),
];

#[cfg(test)]
mod tests {
    use super::costs;

    #[test]
    fn its_table_is_read() {
        let output = "clockperf v2.1.0\n\n== Reported Clock Frequencies ==\n\ntsc                    2596MHz\n\n\n\
            == Clock Behavior Tests ==\n\n\
            Name                Cost(ns)      +/-    Resol  Mono  Fail  Warp  Stal  Regr\n\
            tsc                     9.93    1.39%  1000MHz    No     0     0    48     0\n\
            realtime_crs            7.37    6.73%    250Hz    No   999     0     0     0\n\
            \x20                       7.34   49.91%\n\
            process               546.77    0.16%     ----   Yes     0     0     0     0\n";
        let expected = [("tsc", 9.93), ("realtime-coarse", 7.37), ("process-cputime", 546.77)];
        assert_eq!(costs(output), expected.map(|(id, cost)| (id.to_owned(), cost)));
    }

    #[test]
    fn other_text_gives_nothing() {
        assert!(costs("Segmentation fault\n").is_empty());
    }
}
