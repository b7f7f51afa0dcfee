//! Looks at a command in the background, or stops it. It never starts one.

use super::output;
use crate::{
    event::ShownCall,
    output::Output,
    tools::{Tool, ToolContext, fields},
};
use fore_plan::gate::{Action, Presented};
use serde_json::{Value, json};

/// The tool `BashOutput`.
#[derive(Debug)]
pub(crate) struct BashOutput;

impl Tool for BashOutput {
    fn name(&self) -> &'static str {
        "BashOutput"
    }

    fn description(&self) -> &'static str {
        include_str!("bash_output.md").trim_ascii_end()
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "id": { "type": "string", "description": "The id that Bash gave" },
                "stop": { "type": "boolean", "description": "End the command" },
            },
            "required": ["id"],
            "additionalProperties": false,
        })
    }

    fn line(&self, input: &Value) -> String {
        let id: String = input.get("id").and_then(Value::as_str).unwrap_or_default().chars().take(40).collect();
        let stops = input.get("stop").and_then(Value::as_bool) == Some(true);
        if stops { format!("stop {id}") } else { id }
    }

    fn run(&self, permit: Presented, input: &Value, context: &ToolContext) -> Output {
        if !matches!(permit.action(), Action::Think { tool } if tool == self.name()) {
            return Output::error("the permit of this call is not for BashOutput");
        }
        let read = || Ok::<_, String>((fields::required(input, "id")?, fields::choice(input, "stop")?));
        let (id, stop) = match read() {
            Ok(wanted) => wanted,
            Err(why) => return Output::error(why),
        };
        if stop == Some(true) {
            context.background.stop(id);
        }
        let Some(look) = context.background.take_output(id) else {
            return Output::error(format!(
                "there is no background command `{}`; {}",
                id.chars().take(40).collect::<String>(),
                context.background.names()
            ));
        };
        match look.ended {
            Some(ended) => output(&look.text, &ended),
            None => {
                let text = look.text.trim_end_matches('\n');
                let said = if text.is_empty() { "nothing new".to_owned() } else { text.to_owned() };
                let shown = fore_text::output(&super::bounded(&look.text, super::MAX_SHOWN_BYTES));
                Output::text(format!("{said}\n(still running)"), ShownCall::text("still running", shown))
            }
        }
    }
}
