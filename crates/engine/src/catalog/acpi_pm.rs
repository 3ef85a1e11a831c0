//! The ACPI power management timer: a counter of 3.579545 MHz behind an I/O port (ACPI specification 6.5,
//! 4.8.2.1 'Power Management Timer'). x86 alone has I/O ports.

use std::cell::Cell;
use std::io::{Error, ErrorKind};
use std::sync::OnceLock;

use super::clock::clock;
use super::wrap::{Narrow, Wrap};
use super::{Clock, Description, Register, Unit, fadt, trial};
use clockscope_analysis::record::{Kind, Path};

/// A count, ns: the specification fixes the frequency.
const COUNT_NS: f64 = 1e9 / 3_579_545.0;
/// Where the kernel shows the firmware's Fixed ACPI Description Table.
const TABLE: &str = "/sys/firmware/acpi/tables/FACP";

#[derive(Clone, Copy)]
struct AcpiPm {
    timer: fadt::Timer,
    wrap: &'static Wrap,
}

thread_local! {
    /// The port that this thread may read. The right belongs to the thread, and reading without it is SIGSEGV.
    static GRANTED: Cell<Option<u16>> = const { Cell::new(None) };
}

impl AcpiPm {
    /// Asks for the right to read the port, once a thread; 0, or −1 with `errno` set.
    #[cold]
    fn grant(&self) -> i32 {
        // SAFETY: gives this thread access to four ports; what is done with them is up to `call` alone.
        let status = unsafe { libc::ioperm(self.timer.port.into(), 4, 1) };
        if status == 0 {
            GRANTED.set(Some(self.timer.port));
        }
        status
    }
}

clock!(
    AcpiPm,
    Narrow = Narrow::EMPTY,
    |self, out| {
        // A comparison and a jump never taken beside a read of a microsecond and more.
        if GRANTED.get() != Some(self.timer.port) && self.grant() != 0 {
            return -1;
        }
        let bits: u32;
        // SAFETY: the thread may read the port; reading this register has no effect on it (ACPI, 4.8.2.1).
        unsafe {
            std::arch::asm!("in eax, dx", in("dx") self.timer.port, out("eax") bits,
            options(nomem, nostack, preserves_flags));
        }
        *out = Narrow { bits, wrap: Some(self.wrap) };
        0
    },
    |raw| raw.extended()
);

pub(super) fn register<R: Register>(register: &mut R) {
    static FOUND: OnceLock<Result<AcpiPm, String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let table = std::fs::read(TABLE).map_err(|error| unreadable(&error))?;
        let timer = fadt::timer(&table).map_err(|why| format!("{TABLE}: {why}"))?;
        let clock = AcpiPm { timer, wrap: Wrap::new(timer.width, COUNT_NS, None) };
        alive(&clock).map(|()| clock)
    });
    register.found(describe(found.as_ref().ok().map(|clock| clock.timer)), found.as_ref().copied());
}

/// Whether the port may be read, and anything answers there.
fn alive(clock: &AcpiPm) -> Result<(), String> {
    let port = clock.timer.port;
    if clock.grant() != 0 {
        let error = Error::last_os_error();
        return Err(format!(
            "ioperm(0x{port:x}): {error}; it takes CAP_SYS_RAWIO (root, outside a container), and a kernel that \
             Secure Boot has not locked down"
        ));
    }
    // The kernel's word is not the CPU's: some emulators refuse what the kernel has allowed, by SIGSEGV.
    let survived = trial::survives(|| {
        clock.call(&mut { Narrow::EMPTY });
    });
    if !survived.map_err(|why| format!("reading port 0x{port:x} could not be tried in a child: {why}"))? {
        return Err(format!(
            "the CPU (or who emulates it) refuses to read port 0x{port:x} although the kernel allows it: the process \
             that tried was killed"
        ));
    }
    // What no device answers for reads as ones.
    let mut raw = Narrow::EMPTY;
    let answers = (0..4).any(|_| clock.call(&mut raw) == 0 && raw.bits != u32::MAX);
    answers.then_some(()).ok_or_else(|| format!("port 0x{port:x} reads as ones only: no device answers there"))
}

fn unreadable(error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => format!("there is no {TABLE}: no ACPI here, or no /sys; it names the timer's port"),
        ErrorKind::PermissionDenied => {
            format!("{TABLE}: permission denied; root may read it, and CAP_SYS_RAWIO the port that it names")
        }
        _ => format!("{TABLE}: {error}"),
    }
}

fn describe(timer: Option<fadt::Timer>) -> Description {
    let (api, path_evidence) = timer.map_or(("in eax, dx (ACPI PM timer)".into(), "not looked at".into()), |t| {
        let evidence = format!(
            "the instruction stands in our own code; the FADT names port 0x{:x} and {} bits, and it is reckoned how \
             often they came round",
            t.port, t.width
        );
        (format!("in eax, dx (ACPI PM timer, port 0x{:x})", t.port), evidence)
    });
    Description {
        path: Path::Port,
        path_evidence,
        ticks_by: Some("the ACPI specification".into()),
        ..Description::new("acpi-pm", &api, Kind::Device, Unit::Ns(COUNT_NS))
    }
}
