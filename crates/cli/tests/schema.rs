//! The schema files under docs/ are the types' own, and the checked-in records obey them.
//! `UPDATE_SCHEMA=1 cargo test -p clockscope --test schema` writes them anew.

use std::path::Path;

use clockscope_analysis::record::{Deltas, Diagnosis, Record, SkewReport, Sweep};
use serde_json::Value;

fn check(name: &str, schema: &schemars::Schema, fixture: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let generated = serde_json::to_string_pretty(schema).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&file, &generated).unwrap();
    }
    let stored = std::fs::read_to_string(file).unwrap();
    assert!(stored == generated, "docs/{name} is out of date; UPDATE_SCHEMA=1 writes it anew");

    let validator = jsonschema::validator_for(schema.as_value()).unwrap();
    let mut record: Value = serde_json::from_str(fixture).unwrap();
    let errors: Vec<String> = validator.iter_errors(&record).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    record["schema"] = Value::from(1);
    assert!(!validator.is_valid(&record), "the schema lets anything pass");
}

#[test]
fn schemas_are_those_of_the_types() {
    check("record.schema.json", &schemars::schema_for!(Record), include_str!("fixtures/record.json"));
    check("deltas.schema.json", &schemars::schema_for!(Deltas), include_str!("fixtures/deltas.json"));
    check("sweep.schema.json", &schemars::schema_for!(Sweep), include_str!("fixtures/sweep.json"));
    let record: Record = serde_json::from_str(include_str!("fixtures/record.json")).unwrap();
    let diagnosis = serde_json::to_string(&Diagnosis::from(&record)).unwrap();
    check("doctor.schema.json", &schemars::schema_for!(Diagnosis), &diagnosis);
    check("skew.schema.json", &schemars::schema_for!(SkewReport), include_str!("fixtures/skew.json"));
}
