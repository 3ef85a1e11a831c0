//! The tables' schema under docs/ is that of the record's types, and what is exported obeys it.
//! `UPDATE_SCHEMA=1 cargo test -p clockscope --test tables` writes it anew, and with it the Python package's copy.

use std::path::Path;

use clockscope_analysis::record::Record;
use clockscope_cli::schemas::Of;
use clockscope_cli::tables::{TABLES, Table, VERSION};
use schemars::schema_for;
use serde_json::{Map, Value, json};

/// Where the schema stands: for those who read, and in the package.
const FILES: [&str; 2] = ["../../docs/tables.schema.json", "../../python/clockscope/tables.schema.json"];

/// The field of that name, or the one that the names on the way to it make: these names, and the type that JSON schemas have
/// for it.
fn of_field(all: &Value, node: &Value, name: &str) -> Option<(Vec<String>, String)> {
    let node = resolved(all, node);
    let fields = node["properties"].as_object()?;
    if let Some(field) = fields.get(name) {
        return Some((vec![name.to_owned()], simple(resolved(all, field))));
    }
    fields.iter().find_map(|(key, inner)| {
        let (mut path, of) = of_field(all, inner, name.strip_prefix(key.as_str())?.strip_prefix('_')?)?;
        path.insert(0, key.clone());
        Some((path, of))
    })
}

/// What a reference means, and what may be there where `null` may be too.
fn resolved<'a>(all: &'a Value, node: &'a Value) -> &'a Value {
    if let Some(name) = node["$ref"].as_str() {
        return resolved(all, all.pointer(name.trim_start_matches('#')).expect("a definition"));
    }
    let present = node["anyOf"].as_array().and_then(|any| any.iter().find(|it| it["type"] != "null"));
    present.map_or(node, |node| resolved(all, node))
}

/// The cell's type: lists and maps become text.
fn simple(node: &Value) -> String {
    let of = match &node["type"] {
        Value::Array(types) => types.iter().filter_map(Value::as_str).find(|of| *of != "null"),
        of => of.as_str(),
    };
    let of = of.filter(|of| ["boolean", "integer", "number"].contains(of));
    of.unwrap_or("string").to_owned()
}

fn generated() -> String {
    let all = schema_for!(Record).to_value();
    let of = |table: &Table| {
        let node = if table.of == "Record" { &all } else { &all["$defs"][table.of] };
        let column = |name: &str| {
            let is_of_other = ["file", "run_id"].contains(&name) || (name == "clock" && table.of == "SkewPair");
            let (path, of) = if is_of_other {
                // What a row belongs to.
                (Vec::new(), "string".to_owned())
            } else {
                of_field(&all, node, name).unwrap_or_else(|| panic!("{}: no field is {name}", table.name))
            };
            (name.to_owned(), json!({ "type": [of, "null"], "x-path": path }))
        };
        let columns: Map<String, Value> = table.columns().map(column).collect();
        let names: Vec<&str> = table.columns().collect();
        let row = json!({ "type": "object", "required": names, "additionalProperties": false, "properties": columns });
        (table.name.to_owned(), row)
    };
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": VERSION,
        "description": "The tables of `clockscope export`: a row is an object of these fields, in the order of `required`; \
                        x-path leads to the field in the record's own row.",
        "$defs": TABLES.iter().map(of).collect::<Map<_, _>>(),
    });
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

#[test]
fn the_schema_is_that_of_the_types() {
    let generated = generated();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in FILES {
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(root.join(file), &generated).unwrap();
        }
        let stored = std::fs::read_to_string(root.join(file)).unwrap();
        assert!(stored == generated, "{file} is out of date; UPDATE_SCHEMA=1 writes it anew");
    }
}

#[test]
fn rows_obey_the_schema_and_hold_what_the_record_has() {
    let schema: Value = serde_json::from_str(&Of::Tables.text()).unwrap();
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/record.json"));
    let record: Record = serde_json::from_str(&text.unwrap()).unwrap();
    for table in TABLES {
        let validator = jsonschema::validator_for(&schema["$defs"][table.name]).unwrap();
        let rows = table.rows("a.json", &record);
        assert_eq!(rows.is_empty(), table.name == "skew_pairs" && record.skew.is_empty(), "{}", table.name);
        for row in rows {
            let row: Value = table.columns().map(str::to_owned).zip(row).collect::<Map<_, _>>().into();
            let errors: Vec<String> = validator.iter_errors(&row).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{}: {errors:?}", table.name);
            assert_eq!((&row["file"], &row["run_id"]), (&json!("a.json"), &json!(record.run.id)));
        }
    }
    let of = |table: usize, column: &str| {
        let at = TABLES[table].columns().position(|name| name == column).unwrap();
        TABLES[table].rows("a.json", &record).swap_remove(0).swap_remove(at)
    };
    assert_eq!(of(0, "cost_ns_median"), json!(9.508));
    assert_eq!(of(0, "reads"), json!(1_000_000));
    assert_eq!(of(0, "promises_slewed"), json!(false));
    assert_eq!(of(0, "rate_ppm"), Value::Null);
    assert!(of(0, "missing").as_str().unwrap().contains("span_ns: the survey does not measure it"));
    assert_eq!(of(1, "clocks").as_str().unwrap().split(' ').count(), 4);
    assert_eq!(of(3, "run_started_at_utc"), json!("2026-11-20T12:34:56.789012345Z"));
    assert_eq!(of(3, "machine_cpu_family_model_stepping"), json!("25 17 1"));
}
