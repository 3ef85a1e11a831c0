//! Records as tables: the columns that CSV, Parquet, JSON lines and the Python package share, and the cells in them.
//!
//! A column is named after the fields on the way to it, joined by underscores, so that each keeps its unit. What a cell holds
//! (text, a number …) says the tables' schema, which the tests make of the record's
//! types.

pub mod parquet;

use std::sync::OnceLock;

use clockscope_analysis::record::Record;
use serde_json::{Map, Value, json};

use crate::schemas::Of;

/// The version of the tables.
pub const VERSION: &str = "clockscope-tables/1";

/// A clock's columns, in the record's order; later ones come last, so that no place changes. Events are left out: they are
/// a table of their own, in JSON.
pub const CLOCK: &str = "id api kind path path_evidence promises_may_step promises_slewed \
    promises_counts_suspend promises_per_cpu interposed_by cost_ns_median cost_ns_low cost_ns_high cost_ns_min cost_ns_p99 \
    cost_ns_p999 cost_ns_max cost_ns_batches tick_ns_nominal tick_ns_nominal_source tick_ns_reported \
    tick_ns_smallest_step tick_ns_smallest_step_counts tick_ns_quantum tick_ns_quantum_low tick_ns_quantum_high \
    tick_ns_method tick_ns_readings reads undecided failed_reads monotonic stalls_count stalls_unexplained \
    stalls_longest_reads stalls_longest_ns stalls_of_200_reads regressions_count regressions_largest_ns \
    regressions_over_1ms warps_count warps_largest_ns warps_over_1ms events_omitted interruptions_count \
    interruptions_longest_ns interruptions_by_cause span_ns_within_1_percent_value rate_ppm rate_low_ppm rate_high_ppm rate_against witness missing \
    base forced ordered for_timing cost_ns_p99_low cost_ns_p99_high cost_ns_p999_low cost_ns_p999_high \
    cost_ns_runs_runs cost_ns_runs_low cost_ns_runs_high span_ns_within_1_percent_low \
    span_ns_within_1_percent_high span_ns_within_10_percent_value span_ns_within_10_percent_low \
    span_ns_within_10_percent_high span_ns_within_0_1_percent_value span_ns_within_0_1_percent_low \
    span_ns_within_0_1_percent_high";

/// A pair of CPUs, after its clock.
pub const PAIR: &str = "cpu_a cpu_b distance low_ns high_ns low_counts high_counts joint_low_ns joint_high_ns constant \
                        round_trip_ns messages backward_count backward_of backward_largest_ns missing drift_ppb_value \
                        drift_ppb_low drift_ppb_high drift_low_ppb drift_high_ppb drift_steady drift_visits drift_over_ns \
                        nodes drift_missing";

/// A finding.
pub const FINDING: &str = "code severity title evidence why fix clocks";

/// A finding, where many records' stand in one table.
const FINDING_OF_MANY: &str = "code severity title evidence why fix clocks usual of_run";

/// A run, its machine and its verdict.
const MACHINE: &str = "schema tool_version run_started_at_utc run_started_at_within_ns run_wall_s run_cpu run_reference \
    run_witness run_interrupted run_standstill_share run_steal_share run_load machine_id machine_hostname machine_os machine_arch \
    machine_kernel machine_cpu_vendor machine_cpu_model machine_cpu_family_model_stepping machine_cpu_microcode \
    machine_cpus_online machine_cpus_nodes machine_virtualization_guest machine_virtualization_hypervisor \
    machine_clocksource_current machine_clocksource_available machine_tsc_generation machine_tsc_watchdog \
    machine_ntp_synchronised machine_ntp_max_error_ns machine_governor machine_container verdict_intervals verdict_wall \
    verdict_cheap";

/// What each row begins with: the file that its record was read from, and the run's id.
const WHOSE: &str = "file run_id";

/// A table of several records.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// The file's name, without an ending.
    pub name: &'static str,
    /// The record's type that a row is, as its JSON schema names it.
    pub of: &'static str,
    /// Columns of what the row belongs to.
    before: &'static str,
    own: &'static str,
    rows: fn(&Record) -> Vec<Value>,
}

/// All tables.
pub const TABLES: [Table; 4] = [
    Table { name: "clocks", of: "Clock", before: "", own: CLOCK, rows: |record| each(&record.clocks) },
    Table { name: "findings", of: "Finding", before: "", own: FINDING_OF_MANY, rows: |record| each(&record.findings) },
    Table { name: "skew_pairs", of: "SkewPair", before: "clock", own: PAIR, rows: pairs },
    Table { name: "machines", of: "Record", before: "", own: MACHINE, rows: machine },
];

impl Table {
    /// The names of all columns.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> {
        [WHOSE, self.before, self.own].into_iter().flat_map(str::split_ascii_whitespace)
    }

    /// The rows of one record, a cell a column.
    pub fn rows(&self, file: &str, record: &Record) -> Vec<Vec<Value>> {
        let types = types(self.name);
        let row = |mut row: Value| {
            row["file"] = file.into();
            row["run_id"] = record.run.id.clone().into();
            let cell = |(name, of): (&str, &Type)| find(&row, name).map_or(Value::Null, |value| of.cell(value));
            self.columns().zip(types).map(cell).collect()
        };
        (self.rows)(record).into_iter().map(row).collect()
    }
}

fn each<T: serde::Serialize>(values: &[T]) -> Vec<Value> {
    values.iter().map(|value| serde_json::to_value(value).unwrap_or_default()).collect()
}

fn pairs(record: &Record) -> Vec<Value> {
    let of_clock = |skew: &clockscope_analysis::record::Skew| {
        let clock = Value::from(skew.clock.as_str());
        each(&skew.pairs)
            .into_iter()
            .map(move |mut pair| {
                pair["clock"] = clock.clone();
                pair
            })
            .collect::<Vec<_>>()
    };
    record.skew.iter().flat_map(of_clock).collect()
}

fn machine(record: &Record) -> Vec<Value> {
    let Record { schema, tool, run, machine, verdict, .. } = record;
    vec![json!({ "schema": schema, "tool": tool, "run": run, "machine": machine, "verdict": verdict })]
}

/// What a column's cells hold; each may be `null`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// Text; lists and maps become it too.
    Text,
    /// Yes or no.
    Flag,
    /// A whole number.
    Whole,
    /// A number.
    Number,
}

impl Type {
    /// By the name that JSON schemas have for it.
    fn of(name: &str) -> Self {
        match name {
            "boolean" => Self::Flag,
            "integer" => Self::Whole,
            "number" => Self::Number,
            _ => Self::Text,
        }
    }

    /// The cell that a field comes to.
    fn cell(self, value: &Value) -> Value {
        match (self, value) {
            (_, Value::Null) | (Self::Text, Value::String(_)) => value.clone(),
            (Self::Text, _) => text(value).into(),
            _ => value.clone(),
        }
    }
}

/// The types of a table's columns, in their order.
pub fn types(table: &str) -> &'static [Type] {
    static ALL: OnceLock<Vec<(&str, Vec<Type>)>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let schema: Value = serde_json::from_str(&Of::Tables.text()).unwrap_or_default();
        let of = |table: &Table| {
            let columns = &schema["$defs"][table.name]["properties"];
            let of = |name: &str| Type::of(columns[name]["type"][0].as_str().unwrap_or_default());
            (table.name, table.columns().map(of).collect())
        };
        TABLES.iter().map(of).collect()
    });
    all.iter().find(|(name, _)| *name == table).map_or(&[], |(_, types)| types)
}

/// The field of that name: its own, or the names on the way to it joined by underscores. `None` too where it is `null`.
pub fn find<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let fields: &Map<String, Value> = value.as_object()?;
    let below = |(key, inner): (&String, &'a Value)| find(inner, name.strip_prefix(key)?.strip_prefix('_')?);
    fields.get(name).filter(|value| !value.is_null()).or_else(|| fields.iter().find_map(below))
}

/// A field as text; a map as `key: value; key: value`.
pub fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        // As Rust writes it: no '.0' behind whole numbers.
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(" "),
        Value::Object(map) => {
            map.iter().map(|(key, value)| format!("{key}: {}", text(value))).collect::<Vec<_>>().join("; ")
        }
    }
}
