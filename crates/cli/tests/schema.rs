//! The schema files under docs/ are the types' own, and the checked-in results obey them.
//! `UPDATE_SCHEMA=1 cargo test -p clockscope --test schema` writes them anew.

use std::path::Path;

use clockscope_analysis::judge::advise;
use clockscope_analysis::judge::policy::{self, Date};
use clockscope_analysis::record::{Diagnosis, Program, Record};
use clockscope_cli::schemas::Of;
use serde_json::Value;

#[test]
fn schemas_are_those_of_the_types() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for &(of, name) in Of::ALL {
        let file = root.join(format!("../../docs/{name}.schema.json"));
        let schema = of.of_type().expect("a type");
        let generated = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let updates = std::env::var_os("UPDATE_SCHEMA").is_some();
        if updates {
            std::fs::write(&file, &generated).unwrap();
        }
        let stored = std::fs::read_to_string(&file).unwrap();
        assert!(stored == generated, "docs/{name}.schema.json is out of date; UPDATE_SCHEMA=1 writes it anew");

        assert!(updates || of.text() == stored, "{name}: the program has another");

        let fixture = |name| std::fs::read_to_string(root.join(format!("tests/fixtures/{name}.json"))).unwrap();
        let mut result: Value = match of {
            Of::Doctor => {
                let record: Record = serde_json::from_str(&fixture("record")).unwrap();
                let programs = advise(&record, &Program::ALL);
                serde_json::to_value(Diagnosis { programs, ..Diagnosis::from(&record) }).unwrap()
            }
            Of::Check => {
                let record: Record = serde_json::from_str(&fixture("record")).unwrap();
                let policy = clockscope_cli::policy_file::read(Path::new("low-latency")).unwrap();
                let today = Date::of("2026-06-15").unwrap();
                let checked = policy::check(&policy, "record.json", &record, today);
                serde_json::to_value(policy::report(&policy, "low-latency", record.tool, vec![checked], today)).unwrap()
            }
            Of::MonitorLine => {
                let mut report: Value = serde_json::from_str(&fixture("monitor")).unwrap();
                report["clocks"][0]["last"].take()
            }
            _ => serde_json::from_str(&fixture(name)).unwrap(),
        };
        let validator = jsonschema::validator_for(schema.as_value()).unwrap();
        let errors: Vec<String> = validator.iter_errors(&result).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let required = if of == Of::MonitorLine { "clock" } else { "schema" };
        result[required] = Value::from(1);
        assert!(!validator.is_valid(&result), "{name}: the schema lets anything pass");
    }
}
