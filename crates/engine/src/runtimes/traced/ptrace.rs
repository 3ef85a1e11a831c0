//! The calls of ptrace(2) that tracing needs. All but `trace_me` work from the thread alone that started the program.

use std::io;

use libc::{c_long, pid_t};

// By linux/ptrace.h; the same on each CPU. The C library's crate has them with types that differ between C libraries.
const TRACEME: c_long = 0;
const PEEKDATA: c_long = 2;
const POKEDATA: c_long = 5;
const SYSCALL: c_long = 24;
const SETOPTIONS: c_long = 0x4200;
const GET_SYSCALL_INFO: c_long = 0x420e;

/// Bytes that are read or written at once.
const WORD: usize = size_of::<c_long>();

/// Where a program stands: `struct ptrace_syscall_info`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Info {
    operation: u8,
    reserved: u8,
    flags: u16,
    /// The CPU's kind and word, as audit(7) has it.
    pub(super) arch: u32,
    instruction: u64,
    pub(super) stack: u64,
    data: [u64; 8],
}

/// What the program is about to do, or has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// It enters the system call of that number, with these of its arguments.
    Enters(u64, [u64; 2]),
    /// The system call returned that.
    Returns(i64),
    /// The system call failed, or it is something else.
    Other,
}

impl Info {
    /// Bytes of a word of the program.
    pub(super) fn word(&self) -> usize {
        const IS_64_BIT: u32 = 0x8000_0000;
        if self.arch & IS_64_BIT == 0 { 4 } else { 8 }
    }

    pub(super) fn step(&self) -> Step {
        const ENTRY: u8 = 1;
        const EXIT: u8 = 2;
        match (self.operation, &self.data) {
            (ENTRY, [number, first, second, ..]) => Step::Enters(*number, [*first, *second]),
            // The byte after the result says whether it is an error.
            (EXIT, [result, failed, ..]) if failed.to_ne_bytes()[0] == 0 => Step::Returns(*result as i64),
            _ => Step::Other,
        }
    }
}

/// # Safety
/// What the request writes to `data`, if it takes that for an address, must have room there.
unsafe fn call(request: c_long, pid: pid_t, address: usize, data: usize) -> io::Result<()> {
    // SAFETY: the system call touches no other memory of this process.
    match unsafe { libc::syscall(libc::SYS_ptrace, request, c_long::from(pid), address, data) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Lets the thread that started this process trace it. Async-signal-safe.
pub(super) fn trace_me() -> io::Result<()> {
    // SAFETY: writes nothing.
    unsafe { call(TRACEME, 0, 0, 0) }
}

/// Has a stopped program's system calls, threads, children and new images told, and has it killed when its tracer ends.
pub(super) fn follow(pid: pid_t) -> io::Result<()> {
    let options = libc::PTRACE_O_TRACESYSGOOD
        | libc::PTRACE_O_TRACEEXEC
        | libc::PTRACE_O_TRACECLONE
        | libc::PTRACE_O_TRACEFORK
        | libc::PTRACE_O_TRACEVFORK
        | libc::PTRACE_O_EXITKILL;
    // SAFETY: writes nothing.
    unsafe { call(SETOPTIONS, pid, 0, options as usize) }
}

/// Lets it go on to where the next system call begins or ends; with a signal, if that is not 0.
pub(super) fn resume(pid: pid_t, signal: i32) -> io::Result<()> {
    // SAFETY: writes nothing.
    unsafe { call(SYSCALL, pid, 0, signal as usize) }
}

/// Where it stands (Linux 5.3).
pub(super) fn info(pid: pid_t) -> io::Result<Info> {
    let mut info = Info::default();
    // SAFETY: writes as many bytes as it is told that there are, of which any are a value of these fields.
    unsafe { call(GET_SYSCALL_INFO, pid, size_of::<Info>(), (&raw mut info).expose_provenance()) }.map(|()| info)
}

/// Reads the program's memory.
pub(super) fn peek(pid: pid_t, address: u64, into: &mut [u8]) -> io::Result<()> {
    for (at, piece) in into.chunks_mut(WORD).enumerate() {
        let word = peek_word(pid, place(address, at * WORD)?)?;
        piece.copy_from_slice(&word.to_ne_bytes()[..piece.len()]);
    }
    Ok(())
}

/// Writes the program's memory: up to a word.
pub(super) fn poke(pid: pid_t, address: u64, bytes: &[u8]) -> io::Result<()> {
    let address = place(address, 0)?;
    let mut word = peek_word(pid, address)?.to_ne_bytes();
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    // SAFETY: writes nothing in this process.
    unsafe { call(POKEDATA, pid, address, usize::from_ne_bytes(word)) }
}

fn peek_word(pid: pid_t, address: usize) -> io::Result<usize> {
    let mut word = 0_usize;
    // SAFETY: writes one word. The system call does so; the C library's function returns it instead.
    unsafe { call(PEEKDATA, pid, address, (&raw mut word).expose_provenance()) }.map(|()| word)
}

fn place(address: u64, offset: usize) -> io::Result<usize> {
    let place = usize::try_from(address).ok().and_then(|address| address.checked_add(offset));
    place.ok_or_else(|| io::Error::from_raw_os_error(libc::EFAULT))
}
