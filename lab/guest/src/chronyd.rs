//! Debian's chronyd in a guest without a network: its source is a socket (`refclock SOCK`) to which process 1 writes by how
//! much UTC is ahead.

use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use lab_guest::notes::Chronyd as Noted;
use lab_guest::plan::{CHRONYD, CHRONYD_LIBRARIES, CHRONYD_LOADER, Chronyd};
use rustix::time::ClockId;

use crate::clocks::{rate_ppm, read};
use crate::utc::{Bracket, Utc};

const SOCKET: &str = "/chronyd/source";
/// Its settings. By Debian's own it tells the kernel that the clock is right (rtcsync) and never sets it (no makestep). The
/// source is right to 0.5 ms, half of what is told for its delay.
const SETTINGS: [&str; 5] = [
    "refclock SOCK /chronyd/source poll 0 delay 0.001 refid UTC",
    "rtcsync",
    "pidfile /chronyd/pid",
    "port 0",
    "cmdport 0",
];
/// What a sample may be off by, ns.
const EXACT_NS: i64 = 500_000;
const PAUSE: Duration = Duration::from_millis(50);

/// chronyd and its source, under way.
pub(crate) struct Running {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Noted>>,
}

impl Running {
    pub(crate) fn start(plan: Chronyd, utc: Utc) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            sleep(Duration::from_secs_f64(plan.at_s));
            let mut daemon = daemon()?;
            let noted = feed(utc, &mut daemon, &asked);
            // Fails where it has ended by itself, which `feed` tells.
            let _ = daemon.kill();
            daemon.wait().context("can't wait for chronyd")?;
            noted
        });
        Self { stop, thread }
    }

    pub(crate) fn end(self) -> Result<Noted> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_else(|_| bail!("the thread of chronyd's source panicked"))
    }
}

/// Starts it, in the foreground: what it says goes to the console.
fn daemon() -> Result<Child> {
    let mut command = Command::new(CHRONYD_LOADER);
    command.args(["--library-path", CHRONYD_LIBRARIES, CHRONYD, "-d", "-u", "root"]).args(SETTINGS);
    let daemon = command.spawn().context("can't start chronyd")?;
    let start = Instant::now();
    while !Path::new(SOCKET).exists() {
        ensure!(start.elapsed() < Duration::from_secs(10), "chronyd makes no socket for its source");
        sleep(Duration::from_millis(10));
    }
    Ok(daemon)
}

/// Tells it by how much UTC is ahead, again and again, and looks at what it makes of the clock.
fn feed(utc: Utc, daemon: &mut Child, stop: &AtomicBool) -> Result<Noted> {
    let socket = UnixDatagram::unbound().context("no socket")?;
    let beyond_monotonic = || utc.bracket().realtime_ns() - read(ClockId::Monotonic);
    let first = beyond_monotonic();
    let mut noted = Noted { samples: 0, slowest_ppm: 0.0, fastest_ppm: 0.0, realtime_step_ns: 0 };
    while !stop.load(Ordering::Relaxed) {
        if let Some(status) = daemon.try_wait().context("can't wait for chronyd")? {
            bail!("chronyd ended with {status}");
        }
        let bracket = utc.bracket();
        if bracket.width_ns() < 2 * EXACT_NS {
            socket.send_to(&sample(bracket), SOCKET).context("chronyd's socket takes no sample")?;
            noted.samples += 1;
        }
        let rate = rate_ppm()?;
        noted.slowest_ppm = noted.slowest_ppm.min(rate);
        noted.fastest_ppm = noted.fastest_ppm.max(rate);
        sleep(PAUSE);
    }
    noted.realtime_step_ns = beyond_monotonic() - first;
    Ok(noted)
}

/// `struct sock_sample` of chrony 4.3 (refclock_sock.c), on 64-bit systems: the system's time as `struct timeval`, by how
/// much UTC is ahead of it, s, then four `int`: whether this is a pulse, the leap second, padding, and what it is known by.
fn sample(bracket: Bracket) -> [u8; 40] {
    const MAGIC: i32 = 0x534f_434b;
    let (time, ahead) = (bracket.realtime_ns(), bracket.ahead_ns() as f64 / 1e9);
    let words = [time.div_euclid(1_000_000_000), time.rem_euclid(1_000_000_000) / 1000, ahead.to_bits().cast_signed()];
    let mut bytes = [0; 40];
    for (part, word) in bytes.chunks_exact_mut(8).zip(words) {
        part.copy_from_slice(&word.to_ne_bytes());
    }
    bytes[36..].copy_from_slice(&MAGIC.to_ne_bytes());
    bytes
}
