use super::*;

const T: Instant = Instant::from_nanos(1_500_000_000);

#[test]
fn differences_saturate_at_zero() {
    let later = T + Duration::from_millis(3);
    assert_eq!(later - T, Duration::from_millis(3));
    assert_eq!(later.duration_since(T), Duration::from_millis(3));
    assert_eq!(T - later, Duration::ZERO);
    assert_eq!(T.duration_since(later), Duration::ZERO);
    assert_eq!(T.saturating_duration_since(later), Duration::ZERO);
    assert_eq!(T.checked_duration_since(later), None);
    assert_eq!(T.checked_duration_since(T), Some(Duration::ZERO));
    let (first, last) = (Instant::from_nanos(i64::MIN + 1), Instant::from_nanos(i64::MAX));
    assert_eq!(last.elapsed(), Duration::ZERO);
    assert_eq!(Instant::from_nanos(1_000_000_000) - Instant::from_nanos(0), Duration::from_secs(1));
    assert_eq!(last - first, Duration::from_nanos(u64::MAX - 1));
    assert_eq!(first - last, Duration::ZERO);
}

#[test]
fn sums_end_where_the_type_does() {
    let (first, last) = (Instant::from_nanos(i64::MIN + 1), Instant::from_nanos(i64::MAX));
    assert_eq!(T.checked_add(Duration::MAX), None);
    assert_eq!(T.checked_sub(Duration::MAX), None);
    assert_eq!(last.checked_add(Duration::from_nanos(1)), None);
    assert_eq!(T.checked_add(last - T), Some(last));
    assert_eq!(T.checked_sub(T - first), Some(first));
    assert_eq!(first.checked_sub(Duration::from_nanos(1)), None);
    assert_eq!(T.checked_sub(Duration::from_millis(1500)), Some(Instant::from_nanos(0)));
    let mut t = T;
    t += Duration::from_nanos(2);
    t -= Duration::from_nanos(1);
    assert_eq!(t.as_nanos(), 1_500_000_001);
}

#[test]
fn reaches_back_beyond_the_systems_start() {
    let hour = Duration::from_secs(3600);
    let before = T - hour;
    assert_eq!(before.as_nanos(), 1_500_000_000 - 3_600_000_000_000);
    assert_eq!((T - before, before + hour), (hour, T));
    assert!(before < Instant::from_nanos(0) && Instant::now() - hour * 24 * 365 * 100 < before);
}

#[test]
#[should_panic(expected = "overflow when adding duration to instant")]
fn plus_panics_as_stds_does() {
    let _ = T + Duration::MAX;
}

#[test]
#[should_panic(expected = "overflow when subtracting duration from instant")]
fn minus_panics_as_stds_does() {
    let _ = T - Duration::MAX;
}

#[test]
fn an_option_takes_no_more_room_and_the_least_instant_is_one() {
    assert_eq!(size_of::<Option<Instant>>(), 8);
    let least = Instant::from_nanos(i64::MIN);
    assert_eq!((least.as_nanos(), Some(least).is_some()), (i64::MIN + 1, true));
    assert_eq!(least.checked_sub(Duration::from_nanos(1)), None);
    for ns in [-1, 0, 1, i64::MAX] {
        assert_eq!(Instant::from_nanos(ns).as_nanos(), ns);
    }
    assert!([-1, 0, 1].map(Instant::from_nanos).is_sorted());
}

#[test]
fn after_a_stamp_from_elsewhere() {
    let ahead = Instant::now() + Duration::from_secs(3600);
    assert_eq!(Instant::now_relaxed_after(ahead), ahead);
    assert!(Instant::now_relaxed_after(T) > T);
}

#[test]
fn recent_is_between_former_readings_and_the_next() {
    let begun = Instant::now();
    let mut last = Instant::recent();
    // So many turns, and not a time alone: all of it can pass in one of them.
    for _ in 0..1_000_000 {
        let before = Instant::now();
        let recent = Instant::recent();
        assert!(recent >= last && recent <= Instant::now(), "{recent:?} after {last:?}");
        // As old as a line, at most.
        assert!(before.saturating_duration_since(recent) <= Duration::from_millis(2));
        last = recent;
        if last > begun && begun.elapsed() > Duration::from_millis(20) {
            return;
        }
    }
    assert!(last > begun, "it stands still");
}

#[test]
fn shows_seconds() {
    assert_eq!(format!("{T:?}"), "Instant(1.500000000 s)");
    assert_eq!(format!("{:?}", T - Duration::from_secs(3)), "Instant(-1.500000000 s)");
}
