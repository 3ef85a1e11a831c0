//! `cargo xtask bench runtimes`: what a read costs by `clockscope runtimes` and by the languages' own benchmark tools, in one
//! run, in turn, on one CPU.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use clockscope_analysis::record::RuntimesReport;
use serde_json::Value;

use super::load::allowed_cpus;
use super::table::{Rounds, markdown};
use crate::{languages, python, shell};

/// What to run.
#[derive(Args)]
pub(crate) struct Options {
    /// Rounds; each runs the probes and every tool
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// Runtimes, as in go or jvm [default: all]
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
}

/// Labels, and what a read costs, ns.
type Costs = Vec<(String, f64)>;

/// A tool that measures what a call costs.
struct Tool {
    name: &'static str,
    /// The probe's name for what it runs in.
    runtime: &'static str,
    /// Builds what it needs in a folder; the command that measures.
    ready: fn(&Path) -> Result<Command>,
    /// What it measured, from what it wrote to standard output and into the folder.
    costs: fn(&str, &Path) -> Result<Costs>,
}

const TOOLS: [Tool; 5] = [
    Tool { name: "go test -bench", runtime: "go", ready: go, costs: |text, _| Ok(go_costs(text)) },
    Tool { name: "JMH", runtime: "jvm", ready: jmh, costs: |_, folder| jmh_costs(folder) },
    Tool { name: "pyperf", runtime: "python", ready: pyperf, costs: |text, _| lines(text) },
    Tool { name: "BenchmarkDotNet's method", runtime: "mono", ready: mono, costs: |text, _| lines(text) },
    Tool { name: "BenchmarkDotNet's method", runtime: "dotnet", ready: dotnet, costs: |text, _| lines(text) },
];

/// Measures and prints.
pub(crate) fn run(options: &Options) -> Result<()> {
    let clockscope = shell::release_build()?;
    let cpu = *allowed_cpus()?.last().context("this process may use no CPU")?;
    let path = languages::path()?;
    let mut ready = Vec::new();
    let is_wanted = |tool: &&Tool| options.only.is_empty() || options.only.iter().any(|name| name == tool.runtime);
    for tool in TOOLS.iter().filter(is_wanted) {
        let folder = shell::target().join("bench").join(tool.runtime);
        fs::create_dir_all(&folder).with_context(|| format!("can't make {}", folder.display()))?;
        match (tool.ready)(&folder) {
            Ok(command) => ready.push((tool, folder, command)),
            Err(error) => println!("{} is left out: {error:#}", tool.name),
        }
    }
    let mut rows: Vec<Row> = Vec::new();
    for round in 1..=options.rounds {
        eprintln!("round {round} of {}", options.rounds);
        for (tool, folder, command) in &ready {
            // Before and after, so that a CPU that becomes slower or faster in between does so for both.
            let ours = || ours(&clockscope, tool.runtime, cpu, &path);
            let before = ours()?;
            let text = shell::output(pinned(command, cpu).env("PATH", &path))?;
            let (theirs, after) = ((tool.costs)(&text, folder)?, ours()?);
            let find = |costs: &Costs, label: &str| costs.iter().find(|(of, _)| of == label).map(|(_, ns)| *ns);
            for (label, theirs) in &theirs {
                let (Some(before), Some(after)) = (find(&before, label), find(&after, label)) else { continue };
                Row::of(&mut rows, tool, label).note(f64::midpoint(before, after), *theirs);
            }
        }
    }
    println!("Costs in ns, median (min–max) of {} rounds; the ratio is each round's.\n", options.rounds);
    let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
    print!("{}", markdown(&["runtime", "clock", "tool", "clockscope", "its tool", "ratio"], &cells));
    Ok(())
}

/// What the runtime's clocks cost by its probe.
fn ours(clockscope: &Path, runtime: &str, cpu: usize, path: &OsStr) -> Result<Costs> {
    let mut command = Command::new(clockscope);
    command.args(["runtimes", runtime, "--format", "json", "--no-progress", "--reads", "1000", "--cpu"]);
    let text = shell::output(command.arg(cpu.to_string()).env("PATH", path))?;
    let report: RuntimesReport = serde_json::from_str(&text).context("the report on the runtimes")?;
    let clocks = report.runtimes.into_iter().flat_map(|runtime| runtime.clocks);
    Ok(clocks.filter_map(|clock| Some((clock.sampled.label, clock.sampled.cost_ns?.median))).collect())
}

/// A clock's costs over the rounds.
struct Row {
    tool: &'static Tool,
    label: String,
    ours: Rounds,
    theirs: Rounds,
    ratio: Rounds,
}

impl Row {
    fn of<'a>(rows: &'a mut Vec<Self>, tool: &'static Tool, label: &str) -> &'a mut Self {
        let known = rows.iter().position(|row| row.tool.runtime == tool.runtime && row.label == label);
        let at = known.unwrap_or_else(|| {
            let [ours, theirs, ratio] = Default::default();
            rows.push(Self { tool, label: label.to_owned(), ours, theirs, ratio });
            rows.len() - 1
        });
        &mut rows[at]
    }

    fn note(&mut self, ours: f64, theirs: f64) {
        self.ours.push(ours);
        self.theirs.push(theirs);
        self.ratio.push(ours / theirs);
    }

    fn cells(&self) -> Vec<String> {
        let (tool, label) = (self.tool, format!("`{}`", self.label));
        let figures = [self.ours.shown(1), self.theirs.shown(1), self.ratio.shown(3)];
        [vec![tool.runtime.into(), label, tool.name.into()], figures.to_vec()].concat()
    }
}

/// The sources of a runtime's benchmark.
fn sources(runtime: &str) -> PathBuf {
    shell::root().join("bench/runtimes").join(runtime)
}

fn with<A: AsRef<OsStr>>(mut command: Command, arguments: impl IntoIterator<Item = A>) -> Command {
    command.args(arguments);
    command
}

/// The same on one CPU, with all that it starts.
fn pinned(command: &Command, cpu: usize) -> Command {
    let mut pinned = Command::new("taskset");
    pinned.args(["-c", &cpu.to_string()]).arg(command.get_program()).args(command.get_args());
    pinned.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    pinned
}

/// `label value` lines.
fn lines(text: &str) -> Result<Costs> {
    let line = |line: &str| {
        let (label, value) = line.split_once(' ').with_context(|| format!("no value in '{line}'"))?;
        Ok((label.to_owned(), value.parse().with_context(|| format!("'{value}' is no number"))?))
    };
    text.lines().map(line).collect()
}

fn go(folder: &Path) -> Result<Command> {
    let program = folder.join("clocks.test");
    let build = with(Command::new("go"), ["test", "-c", "-o"]);
    shell::run(with(build, [&program]).current_dir(sources("go")).env("GO111MODULE", "off"))?;
    let command = Command::new(program);
    Ok(with(command, ["-test.bench=.", "-test.benchtime=200ms", "-test.cpu=1"]))
}

/// `BenchmarkClocks/time.Now   4089342   58.66 ns/op`
fn go_costs(text: &str) -> Costs {
    let rows = text.lines().filter_map(|line| {
        let (_, row) = line.split_once('/')?;
        let [label, _, ns, "ns/op"] = row.split_whitespace().collect::<Vec<_>>()[..] else { return None };
        Some((label.to_owned(), ns.parse().ok()?))
    });
    rows.collect()
}

fn jmh(folder: &Path) -> Result<Command> {
    let libraries = folder.join("lib");
    if !libraries.is_dir() {
        let output = format!("-DoutputDirectory={}", libraries.display());
        let goal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
        shell::run(with(Command::new("mvn"), ["--quiet", "--batch-mode", goal, &output]).current_dir(sources("jvm")))?;
    }
    let build = with(Command::new("javac"), ["-encoding", "UTF-8", "-cp"]);
    let build = with(build, [libraries.join("*"), "-d".into(), folder.join("classes")]);
    shell::run(&mut with(build, [sources("jvm").join("Clocks.java")]))?;
    let path = format!("{}:{}/*", folder.join("classes").display(), folder.join("lib").display());
    let command = with(Command::new("java"), ["-cp", &path, "org.openjdk.jmh.Main"]);
    let command = with(command, ["-f", "1", "-wi", "5", "-w", "200ms", "-i", "5", "-r", "200ms", "-v", "SILENT"]);
    Ok(with(with(command, ["-rf", "json", "-rff"]), [folder.join("result.json")]))
}

fn jmh_costs(folder: &Path) -> Result<Costs> {
    let labels = [
        ("clocks.Clocks.nanoTime", "System.nanoTime"),
        ("clocks.Clocks.currentTimeMillis", "System.currentTimeMillis"),
        ("clocks.Clocks.instantNow", "Instant.now"),
    ];
    let text = fs::read_to_string(folder.join("result.json")).context("JMH's result")?;
    let results: Vec<Value> = serde_json::from_str(&text).context("JMH's result")?;
    let cost = |result: &Value| {
        let (_, label) = labels.iter().find(|(name, _)| result["benchmark"] == *name)?;
        Some(((*label).to_owned(), result["primaryMetric"]["scorePercentiles"]["50.0"].as_f64()?))
    };
    Ok(results.iter().filter_map(cost).collect())
}

/// Prints `label value` lines of what pyperf's own `timeit` makes of a call.
const PYPERF: &str = "
import json, os, statistics, subprocess, sys, tempfile
for name in ('perf_counter_ns', 'monotonic_ns', 'time_ns', 'time', 'process_time_ns', 'thread_time_ns'):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'result.json')
        subprocess.run([sys.executable, '-m', 'pyperf', 'timeit', '--quiet', '--copy-env', '-p', '2', '-n', '5', '-w', '1',
            '--min-time', '0.05', '-o', out, '-s', f'from time import {name} as read', 'read()'],
            check=True, stdout=subprocess.DEVNULL)
        runs = json.load(open(out))['benchmarks'][0]['runs']
    values = [value for run in runs for value in run.get('values', ())]
    print(f'time.{name}', statistics.median(values) * 1e9)
";

fn pyperf(_: &Path) -> Result<Command> {
    Ok(with(python::with(&["pyperf"])?, ["-c", PYPERF]))
}

fn mono(folder: &Path) -> Result<Command> {
    Ok(with(Command::new("mono"), [compiled(folder, "exe")?]))
}

fn dotnet(folder: &Path) -> Result<Command> {
    let mut command = with(Command::new("dotnet"), ["exec", "--runtimeconfig"]);
    command.arg(shell::root().join("probes/dotnet/probe.runtimeconfig.json"));
    Ok(with(command, [compiled(folder, "dll")?]))
}

fn compiled(folder: &Path, kind: &str) -> Result<PathBuf> {
    let program = folder.join("bench").with_extension(kind);
    let out = format!("-out:{}", program.display());
    let compile = with(Command::new("mcs"), ["-nologo", "-optimize", "-nowarn:414", "-target:exe", &out]);
    shell::run(&mut with(compile, [sources("dotnet").join("Bench.cs")]))?;
    Ok(program)
}
