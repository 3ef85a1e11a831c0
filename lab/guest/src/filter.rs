//! A seccomp filter that makes `clock_gettime` fail. What the vDSO serves makes no system call and goes on working.

use std::io;
use std::mem::offset_of;

use libc::{BPF_ABS, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_RET, BPF_W, seccomp_data, sock_filter, sock_fprog};

/// Puts the calling process under the filter, for good. Async-signal-safe: no allocation, system calls only.
pub(crate) fn deny_clock_gettime() -> io::Result<()> {
    let statement = |code: u32, k: u32| sock_filter { code: code as u16, jt: 0, jf: 0, k };
    let program = [
        statement(BPF_LD | BPF_W | BPF_ABS, offset_of!(seccomp_data, nr) as u32),
        sock_filter { code: (BPF_JMP | BPF_JEQ | BPF_K) as u16, jt: 0, jf: 1, k: libc::SYS_clock_gettime as u32 },
        statement(BPF_RET | BPF_K, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
        statement(BPF_RET | BPF_K, libc::SECCOMP_RET_ALLOW),
    ];
    let filter = sock_fprog { len: program.len() as u16, filter: program.as_ptr().cast_mut() };
    // SAFETY: PR_SET_NO_NEW_PRIVS takes integers only.
    let privileges = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    // SAFETY: the kernel copies the filter, which lives until the call returns, and writes nothing.
    let filtered = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const filter) };
    if privileges != 0 || filtered != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
