//! What is wrong with a machine, without the figures of its clocks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Finding, Machine, ProgramAdvice, Record, Run, Tool, Verdict};

/// Version of the diagnosis.
pub const DIAGNOSIS_SCHEMA: &str = "clockscope-doctor/1";

/// What `clockscope doctor` found out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// `clockscope-doctor/1`.
    pub schema: String,
    /// Program and version that made it.
    pub tool: Tool,
    /// When, for how long and where on the machine was measured.
    pub run: Run,
    /// The machine.
    pub machine: Machine,
    /// Findings, worst first, and causes before what may come of them.
    pub findings: Vec<Finding>,
    /// Which clock to use for what.
    pub verdict: Verdict,
    /// Which clocks programs take here; there where `--for` asked for some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<ProgramAdvice>,
}

impl From<&Record> for Diagnosis {
    fn from(record: &Record) -> Self {
        let Record { tool, run, machine, findings, verdict, .. } = record.clone();
        Self { schema: DIAGNOSIS_SCHEMA.into(), tool, run, machine, findings, verdict, programs: Vec::new() }
    }
}
