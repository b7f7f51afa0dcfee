//! Rules for the tools that a request offers: their names and the schemas of their arguments.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::json_place::JsonPlace;
use crate::protocol::WireProtocol;
use crate::report::BrokenRules;

const NAME_RULE: &str = "tool names use the allowed alphabet";
const SCHEMA_RULE: &str = "tool schemas are valid JSON schema objects";
const MAX_DEPTH: usize = 32;

/// The keywords that Gemini's `parameters` accept; `parametersJsonSchema` takes all of JSON schema.
const GEMINI_KEYWORDS: [&str; 22] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "items",
    "minimum",
    "maximum",
];

/// Which keywords a schema may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaDialect {
    /// All of JSON schema.
    Json,
    /// Gemini's subset.
    GeminiSubset,
    /// All properties required and no others, as OpenAI's `strict` demands.
    Strict,
}

/// Checks a name and remembers it; a name may be used once.
pub(super) fn name(protocol: WireProtocol, place: &JsonPlace<'_>, names: &mut Vec<String>, findings: &mut BrokenRules) {
    let name = place.text("name").unwrap_or_default();
    let path = format!("{}.name", place.path);
    let (limit, more): (usize, &[char]) = match protocol {
        WireProtocol::Anthropic => (128, &['_', '-']),
        WireProtocol::Responses | WireProtocol::Chat => (64, &['_', '-']),
        WireProtocol::Gemini => (64, &['_', '-', '.', ':']),
    };
    let letters = name.chars().all(|letter| letter.is_ascii_alphanumeric() || more.contains(&letter));
    let start =
        protocol != WireProtocol::Gemini || name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if name.is_empty() || name.len() > limit || !letters || !start {
        let alphabet: String = more.iter().collect();
        findings.add(NAME_RULE, &path, format!("1 to {limit} of a-z A-Z 0-9 {alphabet}"), format!("{name:?}"));
    }
    if names.iter().any(|have| have == name) {
        findings.add("tool names are unique", path, "a new name", name);
    }
    names.push(name.to_owned());
}

/// Checks the schema of a tool's arguments: an object at the top.
pub(super) fn arguments(place: &JsonPlace<'_>, dialect: SchemaDialect, findings: &mut BrokenRules) {
    if !place.text("type").is_some_and(|kind| kind.eq_ignore_ascii_case("object")) {
        findings.add(SCHEMA_RULE, format!("{}.type", place.path), "\"object\"", place.shown());
    }
    schema(place, dialect, MAX_DEPTH, findings);
}

fn schema(place: &JsonPlace<'_>, dialect: SchemaDialect, depth: usize, findings: &mut BrokenRules) {
    if place.value.is_boolean() && dialect != SchemaDialect::GeminiSubset {
        return;
    }
    if !place.value.is_object() {
        findings.add(SCHEMA_RULE, &place.path, "a schema", place.shown());
        return;
    }
    if depth == 0 {
        findings.add(SCHEMA_RULE, &place.path, format!("at most {MAX_DEPTH} levels"), "a deeper schema");
        return;
    }
    if dialect == SchemaDialect::GeminiSubset {
        super::only_fields(place, "Gemini's schemas use its subset", &GEMINI_KEYWORDS, &[], findings);
    }
    types(place, findings);
    required(place, dialect, findings);
    for keyword in ["enum", "anyOf", "oneOf", "allOf"] {
        let filled = |list: &JsonPlace<'_>| list.value.as_array().is_some_and(|array| !array.is_empty());
        if let Some(list) = place.get(keyword).filter(|list| !filled(list)) {
            findings.add(SCHEMA_RULE, list.path.clone(), "a list with elements", list.shown());
        }
    }
    let properties = place.get("properties").map(|member| member.members()).unwrap_or_default();
    let variants = ["anyOf", "oneOf", "allOf", "prefixItems"].into_iter().filter_map(|name| place.get(name));
    let direct = ["items", "additionalProperties", "not"].into_iter().filter_map(|name| place.get(name));
    let inner: Vec<JsonPlace<'_>> = properties
        .into_iter()
        .map(|(_, property)| property)
        .chain(variants.flat_map(|list| list.items()))
        .chain(direct)
        .collect();
    for place in inner {
        schema(&place, dialect, depth - 1, findings);
    }
}

fn types(place: &JsonPlace<'_>, findings: &mut BrokenRules) {
    const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];
    let Some(kind) = place.get("type") else { return };
    let known = |value: &Value| value.as_str().is_some_and(|text| TYPES.contains(&text.to_ascii_lowercase().as_str()));
    let fine = match kind.value {
        Value::Array(list) => !list.is_empty() && list.iter().all(known),
        other => known(other),
    };
    if !fine {
        findings.add(SCHEMA_RULE, kind.path.clone(), format!("one of {}", TYPES.join(", ")), kind.shown());
    }
    if kind.value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("array")) && place.get("items").is_none() {
        findings.add(SCHEMA_RULE, &place.path, "`items` beside the type array", place.shown());
    }
}

fn required(place: &JsonPlace<'_>, dialect: SchemaDialect, findings: &mut BrokenRules) {
    let properties = place.get("properties");
    if let Some(wrong) = properties.as_ref().filter(|member| !member.value.is_object()) {
        findings.add(SCHEMA_RULE, wrong.path.clone(), "an object of schemas", wrong.shown());
    }
    let names: BTreeSet<&str> =
        properties.map(|member| member.members().into_iter().map(|(name, _)| name).collect()).unwrap_or_default();
    let mut seen = BTreeSet::new();
    if let Some(list) = place.get("required") {
        if !list.value.is_array() {
            findings.add(SCHEMA_RULE, list.path.clone(), "a list of property names", list.shown());
        }
        for item in list.items() {
            let fine = item.value.as_str().is_some_and(|name| names.contains(name) && seen.insert(name));
            if !fine {
                findings.add(SCHEMA_RULE, item.path.clone(), "a property, named once", item.shown());
            }
        }
    }
    if dialect == SchemaDialect::Strict && place.text("type") == Some("object") {
        if seen != names {
            let missing: Vec<&str> = names.difference(&seen).copied().collect();
            findings.add("strict tools require all properties", &place.path, missing.join(", "), "not required");
        }
        if place.value.get("additionalProperties") != Some(&Value::Bool(false)) {
            let path = format!("{}.additionalProperties", place.path);
            findings.add("strict tools allow no other properties", path, "false", "something else");
        }
    }
}
