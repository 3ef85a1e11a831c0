//! Made-up messages between CPUs whose offsets are known.

use proptest::prelude::*;

use super::*;
use crate::trace::{Bounds, Exchange};

/// Clocks of several CPUs: each is `offsets[cpu]` ahead of time, and shows its value rounded down to `quantum`.
struct World {
    offsets: Vec<i64>,
    quantum: i64,
    now: i64,
}

impl World {
    fn read(&self, cpu: usize) -> i64 {
        (self.now + self.offsets[cpu]).div_euclid(self.quantum) * self.quantum
    }

    /// `rounds` messages there and back, each way taking at least its own time and as much longer as chance has it.
    fn exchange(&mut self, a: usize, b: usize, ways: [i64; 2], rounds: usize, seed: &mut u64) -> Exchange {
        let mut late = move || {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Mostly a little, sometimes a whole scheduler's slice.
            let chance = *seed >> 33;
            if chance.is_multiple_of(50) { 4_000_000 } else { (chance % 40) as i64 }
        };
        let mut trace = Exchange::default();
        let mut sent = self.read(a);
        for _ in 0..rounds {
            let mut bounds = Bounds::default();
            self.now += ways[0] + late();
            let theirs = self.read(b);
            self.now += ways[1] + late();
            let received = self.read(a);
            bounds.to_b(theirs - sent);
            bounds.to_a(received - theirs);
            trace.compare(theirs - sent);
            trace.compare(received - theirs);
            trace.block(bounds);
            trace.messages += 2;
            sent = received;
        }
        trace
    }
}

fn terms(quantum: Option<f64>) -> Terms {
    let count_ns = Interval { value: 0.5, low: 0.499_999, high: 0.500_001 };
    Terms { clock: "tscp".into(), count_ns, quantum, set: false }
}

fn played(a: u32, b: u32, trace: Exchange) -> Played {
    Played { cpu_a: a, cpu_b: b, distance: None, found: Ok(trace) }
}

fn found(cpus: &[u32], played: &[Played], quantum: Option<f64>) -> Skew {
    skew(&terms(quantum), cpus, &BTreeMap::new(), played)
}

/// Two CPUs, one `offset` counts ahead.
fn two(offset: i64) -> Skew {
    let mut world = World { offsets: vec![0, offset], quantum: 1, now: 1 << 40 };
    let trace = world.exchange(0, 1, [110, 180], 200, &mut 7);
    found(&[0, 1], &[played(0, 1, trace)], Some(1.0))
}

#[test]
fn unequal_ways_give_an_unequal_interval_that_holds_the_truth() {
    let skew = two(0);
    let pair = &skew.pairs[0];
    assert_eq!((skew.agree, pair.constant, skew.backward.count), (Some(true), Some(true), 0));
    let (low, high) = (pair.low_counts.unwrap(), pair.high_counts.unwrap());
    assert!((-190..=-181).contains(&low) && (111..=120).contains(&high), "{low} to {high}");
    assert!(pair.low_ns.unwrap() <= low as f64 * 0.5 && pair.high_ns.unwrap() >= high as f64 * 0.5);
}

#[test]
fn an_offset_larger_than_the_way_excludes_zero_and_goes_back() {
    for offset in [-64_400_000, 64_400_000] {
        let skew = two(offset);
        let pair = &skew.pairs[0];
        assert_eq!(skew.agree, Some(false));
        assert!(pair.low_counts.unwrap() <= offset && offset <= pair.high_counts.unwrap());
        assert!(pair.low_ns.unwrap() > 0.0 || pair.high_ns.unwrap() < 0.0);
        assert!(skew.backward.count > 0 && skew.backward.of == 400);
        let largest = skew.backward.largest_ns.unwrap();
        assert!(largest > 0.0 && largest <= 32_200_100.0, "{largest}");
        assert_eq!(skew.worst, Some([0, 1]));
    }
}

#[test]
fn an_offset_that_changes_is_told_and_its_range_is_given() {
    let mut world = World { offsets: vec![0, 0], quantum: 1, now: 1 << 40 };
    let mut trace = world.exchange(0, 1, [110, 180], 100, &mut 1);
    world.offsets[1] = 50_000;
    trace.add(&world.exchange(0, 1, [110, 180], 100, &mut 2));
    let skew = found(&[0, 1], &[played(0, 1, trace)], Some(1.0));
    let pair = &skew.pairs[0];
    assert_eq!((pair.constant, skew.agree), (Some(false), Some(false)));
    let range = pair.low_counts.unwrap()..=pair.high_counts.unwrap();
    assert!(range.contains(&0) && range.contains(&50_000), "{range:?}");
    assert!(skew.offsets.is_empty() && skew.missing["offsets"].contains("changed during the run"));
}

#[test]
fn pairs_that_contradict_one_another_have_no_offsets() {
    let at = |offset: i64| {
        let mut world = World { offsets: vec![0, offset], quantum: 1, now: 0 };
        world.exchange(0, 1, [100, 100], 50, &mut 3)
    };
    let all = [played(0, 1, at(0)), played(1, 2, at(0)), played(0, 2, at(9000))];
    let skew = found(&[0, 1, 2], &all, None);
    assert!(skew.offsets.is_empty() && skew.missing["offsets"].contains("no offsets fit"));
    assert_eq!(skew.quantum_ns, None);
    assert!(skew.missing.contains_key("quantum_ns"));
}

#[test]
fn a_third_cpu_tightens_the_interval_of_two() {
    let tight = |world: &mut World, a, b, ways| world.exchange(a, b, ways, 400, &mut 5);
    let mut world = World { offsets: vec![0, 20, 40], quantum: 1, now: 0 };
    let all = [
        played(0, 1, tight(&mut world, 0, 1, [30, 30])),
        played(1, 2, tight(&mut world, 1, 2, [30, 30])),
        // Two packages: a long way.
        played(0, 2, tight(&mut world, 0, 2, [400, 400])),
    ];
    let skew = found(&[0, 1, 2], &all, Some(1.0));
    let far = &skew.pairs[1];
    assert_eq!((far.cpu_a, far.cpu_b), (0, 2));
    assert!(far.joint_low_ns > far.low_ns && far.joint_high_ns < far.high_ns);
    assert!(far.joint_low_ns.unwrap() <= 20.0 && 20.0 <= far.joint_high_ns.unwrap());
}

#[test]
fn what_was_not_measured_is_absent_with_its_reason() {
    let lost: BTreeMap<u32, String> = [(3, "taken away".to_owned())].into();
    let strayed = Exchange { strayed: true, backward: 7, ordered: 9, ..Exchange::default() };
    let failed = Exchange { failed: 1, ..Exchange::default() };
    let all = [
        Played { cpu_a: 0, cpu_b: 1, distance: None, found: Err("nobody came".into()) },
        played(0, 2, Exchange::default()),
        played(1, 2, strayed),
        played(2, 4, failed),
    ];
    let skew = skew(&terms(None), &[0, 1, 2, 4], &lost, &all);
    assert_eq!((skew.agree, skew.worst, skew.backward), (None, None, Backward::default()));
    assert_eq!(skew.missing["cpu 3"], "taken away");
    for (pair, reason) in skew.pairs.iter().zip(["nobody came", "no message", "taken away from it", "failed"]) {
        assert_eq!((pair.low_ns, pair.constant), (None, None));
        assert!(pair.missing.as_ref().unwrap().contains(reason), "{:?}", pair.missing);
    }
    assert!(super::skew(&terms(None), &[], &lost, &[]).offsets.is_empty());
}

#[test]
fn groups_are_by_distance() {
    let mut world = World { offsets: vec![0; 4], quantum: 1, now: 0 };
    let mut play = |a: usize, b: usize, way: i64, distance| {
        let trace = world.exchange(a, b, [way, way], 50, &mut 5);
        Played { distance: Some(distance), ..played(a as u32, b as u32, trace) }
    };
    let all = [
        play(0, 1, 20, Distance::SameCore),
        play(2, 3, 25, Distance::SameCore),
        play(0, 2, 300, Distance::OtherPackage),
    ];
    let skew = found(&[0, 1, 2, 3], &all, Some(1.0));
    let seen: Vec<_> = skew.by_distance.iter().map(|group| (group.distance, group.pairs)).collect();
    assert_eq!(seen, [(Distance::SameCore, 2), (Distance::OtherPackage, 1)]);
    assert!(skew.by_distance[0].lowest_ns > skew.by_distance[1].lowest_ns);
}

proptest! {
    #[test]
    fn the_truth_lies_in_every_interval_and_none_is_empty(
        offsets in prop::collection::vec(-5_000_000i64..5_000_000, 2..7),
        quantum in prop_oneof![Just(1i64), Just(26), Just(10_000_000)],
        ways in [5i64..2000, 5i64..2000],
        rounds in 1usize..60,
        now in 0i64..1 << 50,
        mut seed in any::<u64>(),
    ) {
        let cpus: Vec<u32> = (0..offsets.len() as u32).collect();
        let mut world = World { offsets: offsets.clone(), quantum, now };
        let mut all = Vec::new();
        for (a, b) in super::rounds(offsets.len()).into_iter().flatten() {
            let trace = world.exchange(a, b, ways, rounds, &mut seed);
            all.push(played(a as u32, b as u32, trace));
        }
        let skew = found(&cpus, &all, Some(quantum as f64));
        let truth = |a: u32, b: u32| (offsets[b as usize] - offsets[a as usize]) as f64 * 0.5;
        for pair in &skew.pairs {
            let truth = truth(pair.cpu_a, pair.cpu_b);
            prop_assert_eq!(pair.constant, Some(true));
            let (low, high) = (pair.low_ns.unwrap(), pair.high_ns.unwrap());
            let (joint_low, joint_high) = (pair.joint_low_ns.unwrap(), pair.joint_high_ns.unwrap());
            prop_assert!(low <= joint_low && joint_low <= joint_high && joint_high <= high);
            prop_assert!(joint_low <= truth && truth <= joint_high, "{} is not in {:?}", truth, pair);
            // What excludes 0 by more than the quantum has been seen to go back.
            prop_assert!((low <= 0.0 && 0.0 <= high) || pair.backward.count > 0);
        }
        prop_assert_eq!(skew.offsets.len(), offsets.len());
        for offset in &skew.offsets {
            let truth = truth(0, offset.cpu);
            prop_assert!(offset.low_ns <= truth && truth <= offset.high_ns);
        }
        // The offsets fit one another: no pair's bounds are broken, but for the tick's uncertainty.
        for pair in &skew.pairs {
            let apart = skew.offsets[pair.cpu_b as usize].offset_ns - skew.offsets[pair.cpu_a as usize].offset_ns;
            let slack = 1.0 + 1e-5 * apart.abs() + 50.0;
            prop_assert!(pair.low_ns.unwrap() - slack <= apart && apart <= pair.high_ns.unwrap() + slack);
        }
    }

    #[test]
    fn garbage_does_no_harm(
        bounds in prop::collection::vec(any::<(Option<i64>, Option<i64>)>(), 3),
        counts in any::<[u64; 3]>(),
        quantum in prop::option::of(any::<f64>()),
    ) {
        let trace = |(low, high): (Option<i64>, Option<i64>)| Exchange {
            bounds: Bounds { low, high },
            ever: Some(Bounds { low: high, high: low }),
            messages: counts[0] / 8,
            ordered: counts[1] / 8,
            backward: counts[2] / 8,
            ..Exchange::default()
        };
        let pairs = [(0, 1), (1, 2), (0, 2)];
        let all: Vec<Played> =
            pairs.into_iter().zip(bounds).map(|((a, b), bounds)| played(a, b, trace(bounds))).collect();
        let _ = found(&[0, 1, 2], &all, quantum);
    }
}
