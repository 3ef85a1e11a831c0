//! Pairs of CPUs in rounds: disjoint pairs run at the same time.

/// The rounds of a round-robin tournament of `n` players, 0 to n − 1: in each of them every player is in at most one
/// pair, and in all of them together every pair comes up once. n − 1 rounds for an even number of players, n for an
/// odd one. Each pair has its smaller number first.
///
/// The circle method (Kirkman 1847): one player stays, the others move on by one seat. Two rounds in a row link all
/// players with one another.
pub fn rounds(n: usize) -> Vec<Vec<(usize, usize)>> {
    if n < 2 {
        return Vec::new();
    }
    let seats = n + n % 2;
    let moving = seats - 1;
    (0..moving)
        .map(|round| {
            let pair = |seat: usize| match seat {
                0 => (moving, round),
                _ => ((round + seat) % moving, (round + moving - seat) % moving),
            };
            (0..seats / 2)
                .map(pair)
                .map(|(a, b)| (a.min(b), a.max(b)))
                // With an odd number the last one is nobody.
                .filter(|(_, b)| *b < n)
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_pair_comes_up_once_and_nobody_plays_twice_at_a_time() {
        for n in 0..40 {
            let rounds = rounds(n);
            let wanted = if n < 2 { 0 } else { n - 1 + n % 2 };
            assert_eq!(rounds.len(), wanted, "{n} players");
            let mut seen = BTreeSet::new();
            for round in &rounds {
                let mut players = BTreeSet::new();
                for (a, b) in round {
                    assert!(a < b && *b < n);
                    assert!(players.insert(*a) && players.insert(*b), "{n} players: {round:?}");
                    assert!(seen.insert((*a, *b)), "{n} players: {a} and {b} meet twice");
                }
            }
            assert_eq!(seen.len(), n * n.saturating_sub(1) / 2);
        }
    }

    #[test]
    fn two_rounds_link_everybody() {
        for n in 3..40 {
            let mut linked: BTreeSet<usize> = [0].into();
            let pairs: Vec<(usize, usize)> = rounds(n).into_iter().take(2).flatten().collect();
            for _ in 0..n {
                for (a, b) in &pairs {
                    if linked.contains(a) || linked.contains(b) {
                        linked.extend([*a, *b]);
                    }
                }
            }
            assert_eq!(linked.len(), n);
        }
    }
}
