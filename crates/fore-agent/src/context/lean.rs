//! The head for small windows and slow machines: a short system text and the tools that most tasks need, in 6 kB.

use super::system::{SystemFacts, lines};
use fore_model::ToolSchema;
use fore_text::cut;
use serde_json::Value;

/// A window of so many tokens or fewer is small.
pub(crate) const SMALL_WINDOW: u64 = 16_384;
/// Of system text and tools together.
const MAX_BYTES: usize = 6_000;
/// What surrounds a tool on the wire.
const TOOL_FRAME: usize = 80;

/// The tools that most tasks need, with what there is to say about them.
const TOOLS: [(&str, &str); 9] = [
    ("Read", "Reads a file with line numbers, or lists a folder. `offset` and `limit` choose lines."),
    ("Glob", "Finds files by a pattern such as `src/**/*.rs`."),
    ("Grep", "Searches files for a regular expression. `output_mode`: files_with_matches, content or count."),
    ("Write", "Writes a whole file. Read it first if it is there."),
    ("Edit", "Replaces an exact text in a file that you have read. The text must be there once, or use `replace_all`."),
    ("Bash", "Runs a shell command. `rehearse: true` throws all its writes away, which is allowed while planning."),
    ("AskUserQuestion", "Asks the person up to four questions, each with two to four options."),
    ("EnterPlanMode", "Asks the person whether to plan first. For tasks with several steps or an unclear way."),
    (
        "ExitPlanMode",
        "Hands in the plan for approval, once the plan file is written. Only for plans, not for questions.",
    ),
];

/// The system text.
pub(crate) fn lean_prompt(surroundings: &SystemFacts<'_>, tools: &[ToolSchema]) -> String {
    let text = include_str!("lean.md").trim_end().replace("{surroundings}", &lines(surroundings));
    let room = MAX_BYTES.saturating_sub(text.len() + tools.iter().map(size).sum::<usize>());
    let room = room.saturating_sub(surroundings.present.len());
    let mut text = with_memory(text, surroundings.memory, room);
    text.push_str(surroundings.present);
    text
}

/// The memory of the project, as far as it fits.
fn with_memory(mut text: String, memory: &str, room: usize) -> String {
    const HEAD: &str = "\n\n# Project memory\n\n";
    const NOTE: &str = "\n(There is more in the project's AGENTS.md.)";
    let kept = cut::whole_lines(memory, room.saturating_sub(HEAD.len() + NOTE.len()));
    if !kept.trim().is_empty() {
        text.push_str(HEAD);
        text.push_str(kept.trim_end());
        if kept.len() < memory.len() {
            text.push_str(NOTE);
        }
    }
    text
}

/// Those of the tools that are offered here, in few words.
pub(crate) fn lean_tools(tools: &[ToolSchema]) -> Vec<ToolSchema> {
    let one = |tool: &ToolSchema| {
        let (_, description) = TOOLS.iter().find(|(name, _)| *name == tool.name)?;
        let mut parameters = tool.parameters.clone();
        without_descriptions(&mut parameters);
        Some(ToolSchema { name: tool.name.clone(), description: (*description).to_owned(), parameters })
    };
    tools.iter().filter_map(one).collect()
}

fn without_descriptions(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            // A property may be called so itself; then it is an object.
            if fields.get("description").is_some_and(Value::is_string) {
                fields.remove("description");
            }
            fields.values_mut().for_each(without_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(without_descriptions),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn size(tool: &ToolSchema) -> usize {
    tool.name.len() + tool.description.len() + tool.parameters.to_string().len() + TOOL_FRAME
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::toolbox::{TeamPlace, ToolOffering, Toolbox};
    use fore_plan::{approval::Reachable, workflow::Trigger};
    use std::{path::Path, sync::Arc};

    #[test]
    fn the_lean_head_has_at_most_six_kilobytes_whatever_the_project_says_of_itself() {
        let offering = ToolOffering {
            reachable: Reachable::Approver,
            model_may_plan: true,
            hides_todo: false,
            trigger: Trigger::default(),
            team: TeamPlace::Alone,
        };
        let tools = lean_tools(&Toolbox::new(&Arc::default()).offered(&offering));
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, TOOLS.map(|(name, _)| name));
        for memory in ["", "Run `make test`.\n", &"A line of rules.\n".repeat(2_000)] {
            let folder = Path::new("/projects/shop");
            let facts = SystemFacts { project: folder, folder, caged: true, memory, present: "" };
            let prompt = lean_prompt(&facts, &tools);
            let bytes = prompt.len() + tools.iter().map(size).sum::<usize>();
            assert!(bytes <= MAX_BYTES, "{bytes} bytes");
            assert_eq!(prompt.contains("# Project memory"), !memory.is_empty());
        }
    }
}
