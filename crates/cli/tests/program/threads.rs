//! `clockscope threads`.

use clockscope_analysis::record::{Crowd, Record, ThreadsReport};

use crate::{await_work, clockscope, done, has_two, kill, obeying, on_one, quiet, run, start, text, under, well};

const SHORT: [&str; 5] = ["threads", "--time", "300ms", "--format", "json"];

fn report(ended: crate::Ended) -> ThreadsReport {
    obeying("threads.schema.json", &well(ended))
}

/// A thread that reads, or the reason why it does not, for every one asked for.
fn assert_whole(crowd: &Crowd) {
    assert_eq!(crowd.rows.len(), crowd.threads as usize);
    assert_eq!(crowd.pairs.observations, crowd.rows.iter().map(|row| row.pairs.observations).sum::<u64>());
    for row in &crowd.rows {
        assert_eq!(row.missing.is_none(), row.pairs.observations > 0, "{row:?}");
        let shares = row.pairs.tail.shares.values().sum::<f64>();
        assert!(row.pairs.tail.pairs == 0 || (shares - 1.0).abs() < 1e-9, "{row:?}");
        assert!(row.pairs.sum_ns <= row.pairs.observed_ns * 1.01 + 1000.0, "{row:?}");
    }
}

#[test]
fn every_thread_has_its_row_for_each_clock_in_the_order_asked_for() {
    let clocks = ["--clock", "truetick,std-instant,monotonic", "--threads", "1,24"];
    let report = report(run(&[&SHORT[..], &clocks].concat()));
    let ids: Vec<&str> = report.clocks.iter().map(|clock| clock.clock.as_str()).collect();
    assert_eq!(ids, ["truetick", "std-instant", "monotonic"]);
    for clock in &report.clocks {
        assert_eq!(clock.crowds.iter().map(|crowd| crowd.threads).collect::<Vec<_>>(), [1, 24]);
        clock.crowds.iter().for_each(assert_whole);
    }
}

#[test]
fn one_cpu_and_pinned_threads_are_no_hindrance() {
    let report = report(done(&mut on_one(&clockscope(&[&SHORT[..], &["--pin"]].concat()))));
    assert_eq!(report.cpus, Some(1));
    let crowds = report.clocks.iter().flat_map(|clock| &clock.crowds);
    for crowd in crowds {
        assert_whole(crowd);
        assert!(crowd.threads <= 2 && crowd.rows.iter().all(|row| row.cpu.is_some()), "{crowd:?}");
        assert_eq!(crowd.pairs.migrations, 0);
    }
}

#[test]
fn a_number_of_pairs_is_taken_by_every_thread() {
    let report = report(run(&[&SHORT[..], &["--threads", "3", "--reads", "20k"]].concat()));
    for crowd in report.clocks.iter().flat_map(|clock| &clock.crowds) {
        for row in &crowd.rows {
            let pairs = &row.pairs;
            let told = pairs.observations + pairs.retries + pairs.failed_reads;
            // A stop that went back leaves no pair; a start that did, after the pair before, does.
            assert!((told..=told + pairs.went_back).contains(&20_000), "{row:?}");
        }
    }
}

#[test]
fn ctrl_c_prints_what_there_is() {
    // However long the run is to be, what comes before the threads is over in a second or two.
    let mut child = start(&mut clockscope(&["threads", "--time", "1h", "--threads", "2,3", "--format", "json"]));
    await_work(child.id(), "pairs-");
    kill("-INT", &child.id().to_string());
    assert!(child.wait().is_ok());
    let (code, out, _) = text(child.wait_with_output().expect("it has ended"));
    assert_eq!(code, Some(130));
    let report: ThreadsReport = obeying("threads.schema.json", &out);
    assert!(report.interrupted);
    report.clocks.iter().flat_map(|clock| &clock.crowds).for_each(assert_whole);
}

#[test]
fn a_librarys_clock_is_surveyed_only_where_it_is_asked_for() {
    let ids = |clocks: &[&str]| -> Vec<String> {
        let json = quiet(run(&[&["--time", "300ms", "--format", "json"], clocks].concat()));
        let record: Record = serde_json::from_str(&json).expect("a record");
        record.clocks.into_iter().map(|clock| clock.id).collect()
    };
    assert_eq!(ids(&["--clock", "std-instant,truetick"]), ["truetick", "std-instant"]);
    assert!(ids(&[]).iter().all(|id| id != "truetick" && id != "std-instant"));
}

/// Threads of one realtime priority on the CPU of the thread that is to end them: it has to come to run all the same.
#[test]
fn a_realtime_policy_keeps_no_command_from_its_end() {
    let realtime = |inner: &std::process::Command| under("chrt", &["--fifo", "10"], inner);
    let Ok(true) = realtime(&std::process::Command::new("true")).status().map(|status| status.success()) else {
        return;
    };
    for command in ["threads", "skew", "interruptions", "survey"] {
        if command == "skew" && !has_two() {
            continue;
        }
        let mut limited = under("timeout", &["60"], &realtime(&clockscope(&[command, "--time", "300ms"])));
        let (code, _, err) = done(&mut limited);
        assert_eq!(code, Some(0), "{command}: {err}");
    }
}
