//! Follows a program and all that it starts from one system call to the next. ptrace(2) obeys the one thread that started the
//! program; all of this happens in it.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use clockscope_analysis::trace::Told;
use libc::pid_t;

use super::calls::{self, Entered, Source};
use super::ptrace::{self, Info, Step};

/// Most values that are kept.
const MOST: u64 = 1_000_000;

/// What was told, by what told it.
#[derive(Debug, Default)]
pub(super) struct Kept {
    sources: BTreeMap<Source, usize>,
    pub(super) told: Vec<Told>,
    count: u64,
    pub(super) left_out: u64,
}

impl Kept {
    fn keep(&mut self, source: Source, ns: i64) {
        if self.count == MOST {
            self.left_out += 1;
            return;
        }
        self.count += 1;
        let at = *self.sources.entry(source).or_insert_with(|| {
            let (clock, call) = calls::name(source);
            self.told.push(Told { clock, call, ns: Vec::new() });
            self.told.len() - 1
        });
        if let Some(told) = self.told.get_mut(at) {
            told.ns.push(ns);
        }
    }
}

/// Follows the program from the first instruction of its image, before which it is stopped, to its end; what it started and
/// left behind is killed when this thread ends. `Err`: why it can't be followed.
pub(super) fn follow(program: pid_t, kept: &mut Kept) -> Result<ExitStatus, String> {
    match wait(program) {
        Ok((_, status)) if libc::WIFSTOPPED(status) => {}
        Ok((_, status)) => return Ok(ExitStatus::from_raw(status)),
        Err(error) => return Err(format!("waitpid: {error}")),
    }
    ptrace::follow(program).map_err(|error| format!("ptrace(PTRACE_SETOPTIONS): {error}"))?;
    let info = ptrace::info(program)
        .map_err(|error| format!("ptrace(PTRACE_GET_SYSCALL_INFO), which Linux has since 5.3: {error}"))?;
    if !calls::is_known(info.arch) {
        return Err(format!("the system calls of this CPU ({:#x} in linux/audit.h) are not known here", info.arch));
    }
    hide_vdso(program, &info).map_err(|error| format!("its vDSO could not be hidden: {error}"))?;
    // A thread is known from its first stop on; with it the call that it is in, if that tells the time.
    let mut threads: BTreeMap<pid_t, Option<Entered>> = BTreeMap::from([(program, None)]);
    // A thread that something kills while it is stopped can't be resumed, nor asked; its end is told next.
    let _ = ptrace::resume(program, 0);
    loop {
        // No child but the program was started by this thread.
        let (thread, status) = wait(-1).map_err(|error| format!("waitpid: {error}"))?;
        if !libc::WIFSTOPPED(status) {
            threads.remove(&thread);
            if thread == program {
                return Ok(ExitStatus::from_raw(status));
            }
            continue;
        }
        let (signal, event) = (libc::WSTOPSIG(status), status >> 16);
        let is_new = !threads.contains_key(&thread);
        let within = threads.entry(thread).or_default();
        let delivered = match (signal, event) {
            (SYSTEM_CALL, _) => {
                step(thread, within, kept);
                0
            }
            (libc::SIGTRAP, libc::PTRACE_EVENT_EXEC) => {
                *within = None;
                let _ = ptrace::info(thread).and_then(|info| hide_vdso(thread, &info));
                0
            }
            (_, 1..) => 0,
            // What a thread that is followed begins with; nobody sent it.
            (libc::SIGSTOP, _) if is_new => 0,
            _ => signal,
        };
        let _ = ptrace::resume(thread, delivered);
    }
}

/// The signal that PTRACE_O_TRACESYSGOOD makes of a stop at a system call.
const SYSTEM_CALL: i32 = libc::SIGTRAP | 0x80;

/// At the beginning or the end of a system call.
fn step(thread: pid_t, within: &mut Option<Entered>, kept: &mut Kept) {
    let Ok(info) = ptrace::info(thread) else { return };
    match (info.step(), within.take()) {
        (Step::Enters(number, arguments), _) => *within = Entered::new(&info, number, arguments),
        (Step::Returns(value), Some(entered)) => {
            let peek = |address, into: &mut [u8]| ptrace::peek(thread, address, into);
            entered.told(value, peek, |source, ns| kept.keep(source, ns));
        }
        _ => {}
    }
}

/// The next child or thread of those started or traced by this thread that stops or ends.
fn wait(which: pid_t) -> io::Result<(pid_t, i32)> {
    let mut status = 0;
    loop {
        // Not what other threads of this process wait for; but threads as well as processes.
        // SAFETY: writes one int.
        let found = unsafe { libc::waitpid(which, &raw mut status, libc::__WALL | libc::__WNOTHREAD) };
        if found > 0 {
            return Ok((found, status));
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Takes the vDSO out of what the kernel tells a new image (getauxval(3)): at its start the stack holds the number of
/// arguments, the arguments, a null, the environment, a null, and pairs of type and value that the type 0 ends.
fn hide_vdso(process: pid_t, info: &Info) -> io::Result<()> {
    const AT_NULL: u64 = 0;
    const AT_IGNORE: u64 = 1;
    const AT_SYSINFO_EHDR: u64 = 33;
    // The kernel lets arguments and environment have 6 MiB.
    const MOST_WORDS: u64 = 1 << 20;
    let size = info.word() as u64;
    let address = |at: u64| info.stack.wrapping_add(at.wrapping_mul(size));
    let word = |at: u64| {
        let mut bytes = [0; 8];
        let own = bytes.get_mut(..info.word()).unwrap_or_default();
        ptrace::peek(process, address(at), own)?;
        let narrow = bytes.first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes));
        Ok::<u64, io::Error>(if size == 4 { narrow.into() } else { u64::from_ne_bytes(bytes) })
    };
    let too_long = || io::Error::other("the program's stack is not as programs begin with");
    let mut at = word(0)?.checked_add(2).filter(|at| *at < MOST_WORDS).ok_or_else(too_long)?;
    while word(at)? != 0 {
        at += 1;
        if at == MOST_WORDS {
            return Err(too_long());
        }
    }
    at += 1;
    while at < MOST_WORDS {
        match word(at)? {
            AT_NULL => return Ok(()),
            AT_SYSINFO_EHDR if size == 4 => ptrace::poke(process, address(at), &(AT_IGNORE as u32).to_ne_bytes())?,
            AT_SYSINFO_EHDR => ptrace::poke(process, address(at), &AT_IGNORE.to_ne_bytes())?,
            _ => {}
        }
        at += 2;
    }
    Err(too_long())
}
