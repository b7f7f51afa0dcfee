//! Schemas of tools in the shape that every provider takes.

use fore_mcp::provider_schema;
use serde_json::{Value, json};

fn flat(schema: Value) -> (Value, Option<String>) {
    let got = provider_schema(&schema).unwrap();
    (got.schema, got.note)
}

fn refused(schema: Value) -> String {
    provider_schema(&schema).unwrap_err().to_string()
}

#[test]
fn a_plain_schema_stays_what_it_is() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "string", "description": "x\ny"}, "b": {"anyOf": [{"type": "null"}, {"type": "number"}]}},
        "required": ["a"],
        "additionalProperties": false,
    });
    let expected = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": schema["properties"],
        "required": ["a"],
    });
    assert_eq!(flat(schema), (expected, None));
    assert_eq!(flat(json!({})), (json!({"type": "object", "properties": {}}), None));
    let odd = json!({"$schema": "x", "type": ["object", "null"], "$defs": {"d": {"type": "string"}}});
    assert_eq!(flat(odd).0, json!({"type": "object", "$defs": {"d": {"type": "string"}}, "properties": {}}));
}

#[test]
fn alternatives_at_the_root_become_one_object_and_a_note() {
    let schema = json!({
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": "file"}, "path": {"type": "string"}}, "required": ["kind", "path"]},
            {"properties": {"kind": {"const": "url"}, "url": {"type": "string"}}, "required": ["kind", "url"]},
            {"$ref": "#/$defs/third"},
        ],
        "$defs": {"third": {"type": "object", "properties": {"kind": {"const": "none"}}, "required": ["kind"]}},
    });
    let (got, note) = flat(schema);
    assert_eq!(got["required"], json!(["kind"]));
    let kinds = json!({"anyOf": [{"const": "file"}, {"const": "url"}, {"const": "none"}]});
    assert_eq!(got["properties"], json!({"kind": kinds, "path": {"type": "string"}, "url": {"type": "string"}}));
    assert!(got.get("oneOf").is_none());
    assert_eq!(note.unwrap(), "Give exactly one of these sets of fields: (kind, path) or (kind, url) or (kind).");
}

#[test]
fn what_must_all_hold_is_put_together() {
    let schema = json!({
        "allOf": [
            {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"$ref": "#/$defs/b"},
        ],
        "properties": {"c": {"type": "number"}},
        "required": ["c"],
        "$defs": {"b": {"properties": {"b": {"type": "boolean"}}, "required": ["b", "a"]}},
    });
    let (got, note) = flat(schema);
    assert_eq!((got["required"].clone(), note), (json!(["c", "a", "b"]), None));
    let names: Vec<&String> = got["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["c", "a", "b"]);
}

#[test]
fn what_cannot_be_said_is_refused_with_the_reason() {
    let mut deep = json!({"type": "string"});
    for _ in 0..60 {
        deep = json!({"type": "object", "properties": {"x": deep}});
    }
    let long = "x".repeat(40 << 10);
    for (schema, reason) in [
        (json!([]), "the schema of its input is not an object"),
        (json!({"type": "string"}), "its input is not an object"),
        (json!({"anyOf": [{"type": "string"}]}), "its input is not an object"),
        (json!({"$ref": "https://example.com/schema"}), "the schema of its input refers to something outside of it"),
        (json!({"$ref": "#/$defs/none"}), "the schema of its input refers to something that is not there"),
        (
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}),
            "the schema of its input refers to something outside of it",
        ),
        (json!({"anyOf": vec![json!({}); 40]}), "its input has too many alternatives"),
        (deep, "the schema of its input is too deep"),
        (json!({"properties": {"a": {"description": long}}}), "the schema of its input is too large for a model"),
        (
            json!({"properties": {"a\u{200b}": {}}}),
            "a name in the schema of its input has characters that nobody can see",
        ),
        (
            json!({"properties": {"a": {"enum": ["x\u{202e}"]}}}),
            "a value in the schema of its input has characters that nobody can see",
        ),
    ] {
        assert_eq!(refused(schema), reason);
    }
}

#[test]
fn words_for_reading_show_what_hides_in_them() {
    let (got, _) = flat(json!({"properties": {"a": {"description": "safe\u{e0041}\u{e0042}"}}}));
    assert_eq!(got["properties"]["a"]["description"], "safe\\u{e0041}\\u{e0042}");
}
