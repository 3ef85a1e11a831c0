//! Gathers every source from a run.

use super::{apart, khz, measured, stated};
use crate::analyze::Analysis;
use crate::analyze::account::Account;
use crate::analyze::rate::Quanta;
use crate::judge::clocksource::{Clocksource, TSC};
use crate::record::{
    FREQUENCY_SCHEMA, Frequency, FrequencyOrigin, FrequencyReport, FrequencySource, Interval, KernelFrequency, Kind,
    Path, Run, Unavailable,
};
use crate::trace::{Description, Unit};

/// The raw clock, which the kernel never steers.
const RAW: &str = "monotonic-raw";

impl Analysis {
    /// Every source of the counter's frequency; which is to be trusted is not said yet.
    pub fn frequency(&self, run: &Run) -> FrequencyReport {
        let header = self.header();
        let machine = &header.machine;
        let mut report = FrequencyReport {
            schema: FREQUENCY_SCHEMA.into(),
            tool: header.tool.clone(),
            reference: run.reference.clone(),
            cpu: run.cpu,
            clocksource: machine.clocksource.current.clone(),
            over_s: run.wall_s,
            ntp: machine.ntp.clone(),
            ntp_end: run.ntp_end.clone(),
            interrupted: run.interrupted,
            notes: run.notes.clone(),
            missing: run.missing.clone(),
            ..FrequencyReport::default()
        };
        let counter = header.clocks.iter().find(|d| d.kind == Kind::Counter);
        report.counter = counter.map(|d| d.base.clone());
        self.measure(&mut report, counter);
        let tsc = machine.tsc.as_ref();
        let of_machine = tsc.into_iter().flat_map(|tsc| tsc.frequencies_hz.iter().chain(&tsc.kernel_frequencies_hz));
        let said = of_machine.cloned().chain(counter.and_then(of_device)).chain(stated::by_name(&machine.cpu));
        report.sources.extend(said.filter_map(|frequency| stated::entry(&frequency)));
        let silent = tsc.into_iter().flat_map(|tsc| &tsc.frequencies_missing);
        let silent = silent.map(|(id, reason)| Unavailable { id: id.clone(), reason: reason.clone() });
        report.unavailable.extend(silent);
        if tsc.is_none() {
            let reason = format!("CPUID and hypervisors' pages are x86's; this is {}", machine.arch);
            report.unavailable.push(Unavailable { id: "cpuid".into(), reason });
        }
        if report.clocksource.as_deref() == Some(TSC) && run.clocksource_changes.is_empty() {
            report.kernel = kernel(&report.sources);
        }
        if let Some(KernelFrequency { khz, by }) = &report.kernel {
            // One step either way, as of all that is stated: how the kernel came to whole kHz nobody says.
            let hz = Interval { value: khz.value * 1e3, low: (khz.low - 1.0) * 1e3, high: (khz.high + 1.0) * 1e3 };
            let source = FrequencySource::new("kernel-khz", FrequencyOrigin::Kernel, by.clone(), hz);
            report.sources.push(FrequencySource { step_hz: Some(1e3), ..source });
        }
        if let Some(ours) = report.measured_hz {
            for source in &mut report.sources {
                let is_measured = source.origin == FrequencyOrigin::Measured;
                // A stated one is held to what it says; what its rounding permits stands beside it.
                let hz = if is_measured { source.hz } else { Interval::exactly(source.hz.value) };
                source.off_ppm = Some(apart(hz, ours));
            }
        }
        report.sources.sort_by_key(|source| source.origin);
        report
    }

    /// The counter beside the reference, and beside every other clock that was read between stamps of it.
    fn measure(&self, report: &mut FrequencyReport, counter: Option<&Description>) {
        let header = self.header();
        let lost = |id: &str, reason: String| Unavailable { id: id.into(), reason };
        let tells = |id: &str| header.unavailable.iter().find(|clock| clock.id == id);
        let devices = ["hpet", "acpi-pm", "ptp0"];
        // Devices would know better; hypervisors' pages have their reason among the stated ones.
        report.unavailable = devices.into_iter().filter_map(tells).cloned().collect();
        let Some(counter) = counter else {
            let why =
                tells(TSC).map_or_else(|| "no counter of the CPU can be read here".into(), |seen| seen.reason.clone());
            report.missing.insert("measured_hz".into(), why);
            return;
        };
        let reference = &header.clocks[header.reference];
        let is_witness = header.clocks[header.witness].is_same_clock(counter);
        let ours = self.ours(counter, is_witness);
        match ours {
            Ok((hz, readings)) => {
                report.measured_hz = Some(hz);
                report.sources.push(self.measured(reference, hz, readings));
            }
            Err(why) => {
                report.missing.insert("measured_hz".into(), why);
            }
        }
        let changed = !self.clocksources.is_empty();
        for account in self.accounts.iter().flatten() {
            let d = account.description();
            if d.is_same_clock(counter) || d.is_same_clock(reference) {
                continue;
            }
            let hz = if !is_witness {
                Err("it is read beside the kernel's clock, as the counter can't be the witness here".into())
            } else if changed && d.kind.is_kernels() {
                Err("the kernel changed its clocksource meanwhile".into())
            } else {
                self.by_clock(account)
            };
            match hz {
                Ok(hz) => report.sources.push(self.measured(d, hz, account.anchors().len())),
                Err(why) => report.unavailable.push(lost(&d.id, why)),
            }
        }
    }

    /// The counter's frequency by the reference, and the readings that it rests on, where they are kept apart.
    fn ours(&self, counter: &Description, is_witness: bool) -> Result<(Interval, usize), String> {
        let reference = self.header().reference;
        if is_witness {
            if !self.timebase.is_settled() || self.timebase.readings() < 2 {
                return Err("the run ended before the counter's rate was known".into());
            }
            let tick = self.tick();
            let hz = Interval { value: 1e9 / tick.value, low: 1e9 / tick.high, high: 1e9 / tick.low };
            return measured::useful(hz).map(|hz| (hz, self.timebase.readings()));
        }
        let account = self.accounts.iter().flatten().find(|account| account.description().is_same_clock(counter));
        let account = account.ok_or("the run was not about the counter")?;
        let quantum = account.quantum_ns() / account.count_ns();
        let quanta = Quanta { clock: quantum, by: self.timers.quantum(reference) };
        let hz = measured::of_counter(account.track(), quanta, self.timebase.count_ns())?;
        Ok((hz, account.track().len()))
    }

    fn by_clock(&self, account: &Account) -> Result<Interval, String> {
        let d = account.description();
        let count_ns = match d.unit {
            Unit::Ns(ns) if d.kind != Kind::CpuTime => ns,
            Unit::Ns(_) => return Err("it counts CPU time, which runs only while the thread does".into()),
            Unit::Ticks => return Err("nobody states what its ticks are worth".into()),
        };
        let quanta = Quanta { clock: account.quantum_ns() / count_ns, by: self.timers.quantum(self.header().witness) };
        measured::by_clock(account.anchors(), quanta, count_ns)
    }

    fn measured(&self, clock: &Description, hz: Interval, readings: usize) -> FrequencySource {
        let counter = self.header().clocks.iter().find(|d| d.kind == Kind::Counter).map(|d| d.base.as_str());
        let current = self.header().machine.clocksource.current.as_deref();
        let of_kernel =
            current.and_then(Clocksource::of).map(|source| source.counter.is_some() && source.counter == counter);
        let how = format!("{}, read {readings} times beside the counter", clock.api);
        FrequencySource {
            // A hypervisor's page gives the time of a moment and the counter's factor.
            of_the_counter: if clock.kind.is_kernels() { of_kernel } else { Some(clock.path == Path::Page) },
            by_page: clock.path == Path::Page,
            steered: clock.promises.slewed,
            readings: Some(readings as u64),
            ..FrequencySource::new(&clock.id, FrequencyOrigin::Measured, how, hz)
        }
    }
}

/// Of a counter whose tick stands in a register of its own, as ARM's: what that says.
fn of_device(counter: &Description) -> Option<Frequency> {
    let Unit::Ns(ns) = counter.unit else { return None };
    let by = counter.ticks_by.as_ref()?;
    Some(Frequency { source: "counter-register".into(), hz: 1e9 / ns, read_from: by.clone(), step_hz: Some(1.0) })
}

/// The kernel's whole kHz, by whoever tells them best.
fn kernel(sources: &[FrequencySource]) -> Option<KernelFrequency> {
    let find = |name: &str| sources.iter().find(|source| source.source == name);
    let exactly = |khz: f64, by: String| KernelFrequency { khz: Interval::exactly(khz), by };
    let perf = || {
        let page = find("perf-page")?;
        Some(exactly(khz::whole(page.hz.value, page.step_hz?)?, format!("whole kHz of {}", page.provenance)))
    };
    let vdso = || {
        let page = find("vdso-page")?;
        // It is what one number of kHz gives, to the last digit.
        let [low, high] = [-1e-12, 1e-12].map(|off| page.hz.value * (1.0 + off));
        let found = khz::by_raw(Interval { low, high, ..page.hz })?;
        Some(KernelFrequency { khz: found, by: format!("the whole kHz of which the kernel makes {}", page.provenance) })
    };
    let raw = || {
        let raw = find(RAW)?;
        let found = khz::by_raw(raw.hz)?;
        let by = "derived: the whole kHz by which the kernel's raw clock runs as measured, as no page tells them";
        Some(KernelFrequency { khz: found, by: by.into() })
    };
    let log = || {
        let log = find("kernel-log")?;
        Some(exactly(khz::whole(log.hz.value, 1.0)?, log.provenance.clone()))
    };
    perf().or_else(vdso).or_else(raw).or_else(log)
}
