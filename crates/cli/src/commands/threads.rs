//! `clockscope threads`: what threads see that read a clock at once.

use std::time::Duration;

use clockscope_engine::machine::cpu_list;
use clockscope_engine::session::Options;
use clockscope_engine::survey::{MOST_THREADS, THREADS};

use super::{Refused, steps};
use crate::args::Call;
use crate::failure::Failure;

/// How long to read unless asked otherwise.
const TIME: Duration = Duration::from_secs(3);

const THREADS_HELP: &str = "\
Examples:
  clockscope threads                                          the counter and monotonic
  clockscope threads --threads 1-24 --clock std-instant,tscp  the sweep that many write by hand
  clockscope threads --clock truetick,monotonic --pin         each thread pinned to a CPU, in turn
  clockscope threads --threads 8 --format csv                 a row for each thread, for a program

A pair is two reads with nothing between them: start, stop. Threads run where the scheduler puts them, as programs' do. \
Pairs far longer than usual are looked into at once, by what the kernel counts for the thread and its CPU: the shares say \
where their time went, and what is left for the clock. --reads N takes so many pairs a thread instead of a time.";

pub(super) const REFUSED: &[Refused] = &[(
    "--cpu",
    "threads run on all CPUs that this process may use; leave --cpu out and limit those, as in `taskset -c 0 clockscope threads`",
)];

/// Show what 1, 2, 4 … threads see that read a clock at once, and where their longest pairs of reads come from
#[derive(Debug, clap::Args)]
#[command(after_help = THREADS_HELP)]
pub struct Threads {
    /// How many threads read at once, one number after the other, as in 1,2,8 or 1-24 [default: 1, 2, 4 … and twice
    /// the CPUs]
    #[arg(long, value_name = "LIST", value_parser = numbers)]
    // Not `Vec`, by which clap would take several values.
    threads: Option<std::vec::Vec<u32>>,
    /// Pin the threads to the CPUs that this process may use, in turn
    #[arg(long)]
    pin: bool,
}

/// Reads numbers of threads; an error is a sentence that says what would be right.
fn numbers(text: &str) -> Result<Vec<u32>, String> {
    let wrong = || "numbers of threads are numbers and ranges from low to high, as in 1,2,8 or 1-24".to_owned();
    let mut numbers = cpu_list(text).ok_or_else(wrong)?;
    numbers.dedup();
    match numbers.iter().find(|number| !(1..=MOST_THREADS).contains(number)) {
        Some(0) => Err("no thread reads nothing; begin with 1, as in 1-24".into()),
        Some(_) => Err(format!(
            "at most {MOST_THREADS} threads read at once: each has a stack and a histogram of its own, some 250 KiB, and beyond \
             twice the CPUs they only wait for one another"
        )),
        None => Ok(numbers),
    }
}

impl Threads {
    pub(super) fn run(&self, cli: &Call) -> Result<(), Failure> {
        steps::refuse(cli, REFUSED)?;
        let threads = self.threads.clone().unwrap_or_default();
        let options = Options { threads, pin: self.pin, ..cli.measure.options(Some(TIME)) };
        steps::measured(cli, &THREADS, &options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_threads_are_lists_within_the_limit() {
        for (text, wanted) in [("1-4", &[1, 2, 3, 4][..]), ("1,2,8", &[1, 2, 8]), ("1024", &[1024]), ("2,2", &[2])] {
            assert_eq!(numbers(text).as_deref(), Ok(wanted));
        }
        for (text, word) in
            [("0", "as in 1-24"), ("0-4", "as in 1-24"), ("10000", "1024"), ("many", "1,2,8"), ("", "1,2,8")]
        {
            assert!(numbers(text).unwrap_err().contains(word), "{text}");
        }
    }
}
