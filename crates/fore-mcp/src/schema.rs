//! The schema of a tool's input in the shape that every provider takes, or the reason why that tool cannot be offered.

use serde_json::{Map, Value, json};

/// Bytes of a schema that goes to a model.
const MAX_BYTES: usize = 32 << 10;
const MAX_DEPTH: usize = 32;
/// Alternatives at the root.
const MAX_BRANCHES: usize = 32;
const ALTERNATIVES: [&str; 2] = ["anyOf", "oneOf"];
/// Keys at the root that say nothing to a model, or that providers refuse.
const DROPPED: [&str; 6] = ["$schema", "$id", "$comment", "not", "if", "then"];

/// A schema for a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderSchema {
    /// An object with properties; nothing at its root but what every provider takes.
    pub schema: Value,
    /// What got lost, to be added to the tool's description.
    pub note: Option<String>,
}

/// Why a tool is left out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SchemaFault(pub String);

fn fault<T>(reason: &str) -> Result<T, SchemaFault> {
    Err(SchemaFault(reason.to_owned()))
}

/// The same schema without alternatives at its root: they become one object that allows each of them, and a note says so. A schema
/// that is no object, is too large or has hidden characters where they mean something is refused.
pub fn provider_schema(schema: &Value) -> Result<ProviderSchema, SchemaFault> {
    let Value::Object(root) = schema else { return fault("the schema of its input is not an object") };
    let root = resolved(root, root, 0)?;
    let mut flat = Flat::of(&root, &root, 0)?;
    let mut out = Map::new();
    out.insert("type".into(), json!("object"));
    for (key, value) in &root {
        let is_ours =
            matches!(key.as_str(), "type" | "properties" | "required" | "allOf" | "anyOf" | "oneOf" | "$ref" | "else");
        if !is_ours && !DROPPED.contains(&key.as_str()) {
            out.insert(key.clone(), value.clone());
        }
    }
    out.insert("properties".into(), Value::Object(std::mem::take(&mut flat.properties)));
    if !flat.required.is_empty() {
        out.insert("required".into(), json!(flat.required));
    }
    let schema = visible(&Value::Object(out), 0)?;
    if schema.to_string().len() > MAX_BYTES {
        return fault("the schema of its input is too large for a model");
    }
    let note = (!flat.notes.is_empty()).then(|| fore_text::prose(&flat.notes.join(" ")).into_owned());
    Ok(ProviderSchema { schema, note })
}

/// What an object and its alternatives allow together.
#[derive(Default)]
struct Flat {
    properties: Map<String, Value>,
    required: Vec<String>,
    notes: Vec<String>,
}

impl Flat {
    fn of(root: &Map<String, Value>, object: &Map<String, Value>, depth: usize) -> Result<Flat, SchemaFault> {
        if depth > MAX_DEPTH {
            return fault("the schema of its input is too deep");
        }
        match object.get("type") {
            None => {}
            Some(Value::String(kind)) if kind == "object" => {}
            Some(Value::Array(kinds)) if kinds.iter().any(|kind| kind == "object") => {}
            Some(_) => return fault("its input is not an object"),
        }
        let mut flat = Flat::default();
        match object.get("properties") {
            Some(Value::Object(properties)) => flat.properties = properties.clone(),
            None => {}
            Some(_) => return fault("the properties of its input are not an object"),
        }
        flat.required = names(object.get("required"));
        for branch in branches(root, object, "allOf")? {
            let branch = Flat::of(root, &branch, depth + 1)?;
            branch.required.iter().for_each(|name| flat.need(name));
            flat.join(branch);
        }
        for key in ALTERNATIVES {
            let alternatives = branches(root, object, key)?;
            if alternatives.is_empty() {
                continue;
            }
            let alternatives =
                alternatives.iter().map(|branch| Flat::of(root, branch, depth + 1)).collect::<Result<Vec<_>, _>>()?;
            flat.notes.push(described(key, &alternatives));
            let common = |name: &&String| alternatives.iter().all(|branch| branch.required.contains(name));
            let needed: Vec<String> = alternatives
                .first()
                .map(|first| first.required.iter().filter(common).cloned().collect())
                .unwrap_or_default();
            needed.iter().for_each(|name| flat.need(name));
            alternatives.into_iter().for_each(|branch| flat.join(branch));
        }
        Ok(flat)
    }

    fn need(&mut self, name: &str) {
        if !self.required.iter().any(|known| known == name) {
            self.required.push(name.to_owned());
        }
    }

    /// Takes in what a branch allows. Where two mean different things by a name, either may come.
    fn join(&mut self, branch: Flat) {
        for (name, value) in branch.properties {
            match self.properties.get_mut(&name) {
                Some(known) if *known == value => {}
                Some(known) => match known.get_mut("anyOf").and_then(Value::as_array_mut) {
                    Some(list) if !list.contains(&value) => list.push(value),
                    Some(_) => {}
                    None => *known = json!({"anyOf": [known.take(), value]}),
                },
                None => {
                    self.properties.insert(name, value);
                }
            }
        }
        self.notes.extend(branch.notes);
    }
}

fn names(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn branches(
    root: &Map<String, Value>,
    object: &Map<String, Value>,
    key: &str,
) -> Result<Vec<Map<String, Value>>, SchemaFault> {
    let Some(list) = object.get(key) else { return Ok(Vec::new()) };
    let Value::Array(list) = list else { return fault("the alternatives of its input are not a list") };
    if list.len() > MAX_BRANCHES {
        return fault("its input has too many alternatives");
    }
    let branch = |value: &Value| match value {
        Value::Object(branch) => resolved(root, branch, 0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            fault("an alternative of its input is not an object")
        }
    };
    list.iter().map(branch).collect()
}

/// The object that a `$ref` at its start leads to, within the same schema.
fn resolved(
    root: &Map<String, Value>,
    object: &Map<String, Value>,
    depth: usize,
) -> Result<Map<String, Value>, SchemaFault> {
    let Some(reference) = object.get("$ref") else { return Ok(object.clone()) };
    let path = reference.as_str().and_then(|reference| reference.strip_prefix("#/"));
    let (Some(path), true) = (path, depth < MAX_DEPTH) else {
        return fault("the schema of its input refers to something outside of it");
    };
    let mut steps = path.split('/').map(|step| step.replace("~1", "/").replace("~0", "~"));
    let first = steps.next().and_then(|step| root.get(&step));
    let found = steps.try_fold(first, |value, step| value.map(|value| value.get(&step)));
    let Some(Some(Value::Object(found))) = found else {
        return fault("the schema of its input refers to something that is not there");
    };
    let mut found = resolved(root, found, depth + 1)?;
    // What stands beside a reference adds to it.
    let beside = object.iter().filter(|(key, _)| *key != "$ref");
    for (key, value) in beside {
        found.entry(key.clone()).or_insert_with(|| value.clone());
    }
    Ok(found)
}

fn described(key: &str, alternatives: &[Flat]) -> String {
    let fields = |branch: &Flat| {
        let shown: &Vec<String> = &branch.required;
        if shown.is_empty() { branch.properties.keys().cloned().collect::<Vec<_>>() } else { shown.clone() }.join(", ")
    };
    let listed: Vec<String> = alternatives.iter().map(fields).map(|fields| format!("({fields})")).collect();
    let how = if key == "oneOf" { "exactly one" } else { "at least one" };
    fore_text::cut::ellipsis(&format!("Give {how} of these sets of fields: {}.", listed.join(" or ")), 600).into_owned()
}

/// Texts for reading with hidden characters as marks. Where a hidden character has a meaning it cannot be shown, so the tool is refused.
fn visible(value: &Value, depth: usize) -> Result<Value, SchemaFault> {
    if depth > MAX_DEPTH {
        return fault("the schema of its input is too deep");
    }
    Ok(match value {
        Value::Object(object) => {
            let mut out = Map::new();
            for (key, inner) in object {
                if is_hiding(key) {
                    return fault("a name in the schema of its input has characters that nobody can see");
                }
                let inner = match inner {
                    Value::String(text) if matches!(key.as_str(), "description" | "title" | "$comment") => {
                        Value::String(fore_text::prose(text).into_owned())
                    }
                    Value::Null
                    | Value::Bool(_)
                    | Value::Number(_)
                    | Value::String(_)
                    | Value::Array(_)
                    | Value::Object(_) => visible(inner, depth + 1)?,
                };
                out.insert(key.clone(), inner);
            }
            Value::Object(out)
        }
        Value::Array(list) => {
            Value::Array(list.iter().map(|inner| visible(inner, depth + 1)).collect::<Result<Vec<_>, _>>()?)
        }
        Value::String(text) if is_hiding(text) => {
            return fault("a value in the schema of its input has characters that nobody can see");
        }
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => value.clone(),
    })
}

fn is_hiding(text: &str) -> bool {
    text.chars().any(|letter| letter != '\n' && letter != '\t' && fore_text::hidden(letter).is_some())
}

/// The same value with all keys in order, for texts that must not depend on how a server writes.
pub(crate) fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut pairs: Vec<_> = object.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            pairs.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Object(pairs.into_iter().collect())
        }
        Value::Array(list) => Value::Array(list.iter().map(sorted).collect()),
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => value.clone(),
    }
}
