//! Paths into a record: `clocks[monotonic].tick_ns.quantum`.

use serde_json::Value;

/// The value that the path leads to: names joined by dots, each with any number of `[selector]`. A selector is an
/// index, `key=value`, or the `id`, `code`, `name` or `label` of the element meant; the first that fits is taken.
pub(crate) fn find<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let mut inside = false;
    let is_joint = |letter: char| {
        inside = letter == '[' || (inside && letter != ']');
        letter == '.' && !inside
    };
    path.split(is_joint).try_fold(value, |value, step| {
        let (name, mut selectors) = step.split_at(step.find('[').unwrap_or(step.len()));
        let mut value = value.get(name)?;
        while let Some(rest) = selectors.strip_prefix('[') {
            let (selector, after) = rest.split_once(']')?;
            value = select(value, selector)?;
            selectors = after;
        }
        selectors.is_empty().then_some(value)
    })
}

fn select<'a>(value: &'a Value, selector: &str) -> Option<&'a Value> {
    if let Some(map) = value.as_object() {
        return map.get(selector);
    }
    let elements = value.as_array()?;
    if let Ok(index) = selector.parse::<usize>() {
        return elements.get(index);
    }
    let is = |element: &Value, key: &str, wanted: &str| {
        element.get(key).and_then(Value::as_str).is_some_and(|found| found == wanted)
    };
    elements.iter().find(|element| match selector.split_once('=') {
        Some((key, wanted)) => is(element, key, wanted),
        None => ["id", "code", "name", "label"].iter().any(|key| is(element, key, selector)),
    })
}

#[cfg(test)]
mod tests {
    use super::find;
    use serde_json::json;

    #[test]
    fn ids_codes_keys_and_indices_select() {
        let record = json!({
            "clocks": [{ "id": "tsc" }, { "id": "monotonic@vdso", "tick_ns": { "quantum": 10.0 } }],
            "findings": [{ "code": "CS001", "clocks": ["a", "b"] }],
            "events": [{ "kind": "stall" }, { "kind": "warp", "cpu": 1 }],
            "missing": { "tick_ns.quantum": "why" },
            "runtimes": [{ "name": "go", "clocks": [{ "label": "time.Now", "samples": 7 }] }],
        });
        let at = |path| find(&record, path);
        assert_eq!(at("clocks[monotonic@vdso].tick_ns.quantum"), Some(&json!(10.0)));
        assert_eq!(at("findings[CS001].clocks[1]"), Some(&json!("b")));
        assert_eq!(at("events[kind=warp].cpu"), Some(&json!(1)));
        assert_eq!(at("runtimes[go].clocks[time.Now].samples"), Some(&json!(7)));
        assert_eq!(at("clocks[1][id]"), Some(&json!("monotonic@vdso")));
    }

    #[test]
    fn what_is_not_there_is_none() {
        let record = json!({ "clocks": [{ "id": "tsc" }] });
        for path in ["clock", "clocks[7]", "clocks[tscp].id", "clocks[tsc", "clocks[tsc].id.x", ""] {
            assert_eq!(find(&record, path), None, "{path}");
        }
    }
}
