//! What the file tools tell the model about themselves: short, because it is sent with every request, and true.

use super::{Edit, Glob, Grep, NotebookEdit, Read, Tool, Write};
use crate::disk::Disk;
use fore_plan::gate::{Action, Kind};
use serde_json::{Value, json};
use std::path::Path;

/// Bytes of one description, and of everything the file tools send together.
const MOST_DESCRIPTION_BYTES: usize = 700;
const MOST_BYTES: usize = 5_000;

const TOOLS: [&dyn Tool; 6] = [&Read, &Glob, &Grep, &Write, &Edit, &NotebookEdit];

#[test]
fn descriptions_and_schemas_are_short() {
    let mut all = 0;
    for tool in TOOLS {
        let (description, schema) = (tool.description(), tool.parameters().to_string());
        assert!(description.len() <= MOST_DESCRIPTION_BYTES, "{}: {}", tool.name(), description.len());
        assert!(!description.ends_with('\n'), "{}", tool.name());
        all += tool.name().len() + description.len() + schema.len();
    }
    assert!(all <= MOST_BYTES, "{all}");
}

#[test]
fn every_schema_is_an_object_that_takes_nothing_else_and_names_what_it_requires() {
    for tool in TOOLS {
        let schema = tool.parameters();
        assert_eq!(
            (&schema["type"], &schema["additionalProperties"]),
            (&json!("object"), &json!(false)),
            "{}",
            tool.name()
        );
        let required = schema["required"].as_array().unwrap();
        assert!(
            required.iter().all(|name| schema["properties"].get(name.as_str().unwrap()).is_some()),
            "{}",
            tool.name()
        );
    }
}

#[test]
fn the_gate_knows_every_tool_by_its_name_and_its_own_fields() {
    let disk = Disk::new(Path::new("/projects/shop"), None);
    let kind = |tool: &dyn Tool| {
        let fields = tool.parameters()["required"].as_array().unwrap().clone();
        let input: Value = fields.into_iter().map(|name| (name.as_str().unwrap().to_owned(), json!("x"))).collect();
        Action::from_call(tool.name(), &input, &disk).kind()
    };
    assert_eq!(TOOLS.map(kind), [Kind::Read, Kind::Search, Kind::Search, Kind::Edit, Kind::Edit, Kind::Edit]);
}
