//! What the file tools tell the model about themselves: short, because it is sent with every request, and true.

use super::{
    Bash, BashOutput, Edit, Glob, Grep, NotebookEdit, Read, Skill, Tool, WebFetch, Write, test_support::Workplace,
};
use crate::{
    control::{agent, ask_user_question, plan_mode, todo_write},
    disk::Disk,
};
use fore_plan::{
    gate::{Action, ToolKind},
    workflow::Trigger,
};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};
use std::{path::Path, sync::Arc};

/// Bytes of one description, and of everything the file tools send together.
const MAX_DESCRIPTION_BYTES: usize = 700;
const MAX_BYTES: usize = 5_000;

const TOOLS: [&dyn Tool; 6] = [&Read, &Glob, &Grep, &Write, &Edit, &NotebookEdit];

#[test]
fn descriptions_and_schemas_are_short() {
    let mut all = 0;
    for tool in TOOLS {
        let (description, schema) = (tool.description(), tool.parameters().to_string());
        assert!(description.len() <= MAX_DESCRIPTION_BYTES, "{}: {}", tool.name(), description.len());
        assert!(!description.ends_with('\n'), "{}", tool.name());
        all += tool.name().name().len() + description.len() + schema.len();
    }
    assert!(all <= MAX_BYTES, "{all}");
}

#[test]
fn the_model_is_told_of_every_field_that_is_read() {
    let (web_fetch, skill) = (WebFetch::default(), Skill::new(Arc::default()));
    let others: [&dyn Tool; 4] = [&Bash, &BashOutput, &web_fetch, &skill];
    let tools = TOOLS.into_iter().chain(others).map(|tool| (tool.name().to_string(), tool.parameters()));
    let control = [todo_write::schema(), ask_user_question::schema(), agent::schema()];
    let plan = [plan_mode::enter_schema(Trigger::default()), plan_mode::exit_schema()];
    let control = control.into_iter().chain(plan).map(|schema| (schema.name, schema.parameters));
    let page: String = tools.chain(control).map(|(name, schema)| format!("{name} {schema}\n")).collect();
    assert_eq!(page, include_str!("schemas.txt"));
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
        Action::from_call(tool.name().name(), &input, &disk).kind()
    };
    assert_eq!(
        TOOLS.map(kind),
        [ToolKind::Read, ToolKind::Search, ToolKind::Search, ToolKind::Edit, ToolKind::Edit, ToolKind::Edit]
    );
}

/// A place with one file of these bytes, where every tool has seen it.
fn place_with(bytes: &[u8]) -> Workplace {
    let place = Workplace::new();
    let path = place.put("file.ipynb", bytes);
    place.context.seen.note(&path, fore_sandbox::edit::fingerprint(bytes));
    place
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_a_file_holds_and_a_model_asks_the_tools_answer(
        bytes in prop_oneof![vec(any::<u8>(), 0..200), "[\\{\\}\\[\\]\":, a-c\\n\\r\u{1b}ä]{0,80}".prop_map(String::into_bytes)],
        pattern in "[a-c\\{\\}\\[\\]\\(\\)*?!,/.\\\\ä^$+|-]{0,12}",
        text in "[ \\t\\r\\na-cä0-9]{0,12}",
        number in proptest::option::of(0..5_usize),
    ) {
        let place = place_with(&bytes);
        let page: [(&dyn Tool, Value); 8] = [
            (&Read, json!({"file_path": "file.ipynb", "offset": number, "limit": number})),
            (&Glob, json!({"pattern": pattern})),
            (&Grep, json!({"pattern": pattern, "output_mode": "content", "-C": number, "multiline": number.is_some()})),
            (&Grep, json!({"pattern": "a", "glob": pattern, "head_limit": number})),
            (&Edit, json!({"file_path": "file.ipynb", "old_string": text, "new_string": pattern, "replace_all": number.is_some()})),
            (&NotebookEdit, json!({"notebook_path": "file.ipynb", "cell_id": number, "new_source": text, "cell_type": "code"})),
            (&NotebookEdit, json!({"notebook_path": "file.ipynb", "edit_mode": "insert", "new_source": text, "cell_type": "raw"})),
            (&Write, json!({"file_path": text, "content": pattern})),
        ];
        for (tool, input) in page {
            let _ = (place.preview(tool, input.clone()), tool.line(&input), place.call(tool, input));
        }
    }
}
