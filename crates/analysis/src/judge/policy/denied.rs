//! Findings as a policy names them: by code, or by how severe they are.

use std::fmt;

use serde::Deserialize;

use crate::judge::rules::RULES;
use crate::judge::{codes, explain};
use crate::record::{Finding, Severity};
use crate::text::nearest;

/// The code of a finding that a record may have.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Code(pub(super) String);

impl TryFrom<String> for Code {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let code = text.trim().to_uppercase();
        if RULES.iter().any(|rule| rule.code == code) {
            return Ok(Self(code));
        }
        if explain(&code).is_some() {
            let why =
                "is told of runtimes, samples, spans, timers, interruptions and threads, so that no survey has it";
            return Err(format!("{code} {why}; leave it out"));
        }
        let hint = nearest::hint(&code, codes().into_iter().map(|(code, _)| code));
        Err(format!("no finding has the code '{text}'{hint} (`clockscope explain` lists them)"))
    }
}

/// What is not to be found.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) enum Denied {
    /// Findings as severe as this or worse; not what tells of the run alone, nor what holds on every machine of the kind.
    Severity(Severity),
    /// That finding, in any case.
    Code(Code),
}

const SEVERITIES: [(&str, Severity); 3] =
    [("error", Severity::Error), ("warning", Severity::Warning), ("note", Severity::Note)];

impl TryFrom<String> for Denied {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if let Some((_, severity)) = SEVERITIES.iter().find(|(name, _)| *name == text) {
            return Ok(Self::Severity(*severity));
        }
        let hint = nearest::hint(&text, SEVERITIES.iter().map(|(name, _)| *name));
        match Code::try_from(text.clone()) {
            Ok(code) => Ok(Self::Code(code)),
            Err(_) if !hint.is_empty() => Err(format!("'{text}' is neither a severity nor a code{hint}")),
            Err(why) => Err(why),
        }
    }
}

impl fmt::Display for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Severity(severity) => {
                let name = SEVERITIES.iter().find(|(_, its)| its == severity).map_or("", |(name, _)| name);
                f.write_str(name)
            }
            Self::Code(Code(code)) => f.write_str(code),
        }
    }
}

impl Denied {
    /// Whether it speaks of that finding.
    pub(super) fn is_about(&self, finding: &Finding) -> bool {
        match self {
            Self::Severity(mildest) => finding.severity <= *mildest && !finding.usual && !finding.of_run,
            Self::Code(Code(code)) => finding.code == *code,
        }
    }
}
