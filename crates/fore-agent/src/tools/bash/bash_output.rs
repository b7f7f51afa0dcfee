//! Looks at a command in the background, or stops it. It never starts one.

use super::output;
use crate::{
    event::ShownCall,
    output::Output,
    tools::{ToolContext, TypedTool},
};
use fore_plan::{
    ToolName,
    gate::{Action, Presented},
};
use schemars::JsonSchema;
use serde::Deserialize;

/// The tool `BashOutput`.
#[derive(Debug)]
pub(crate) struct BashOutput;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct BashOutputInput {
    /// The id that Bash gave
    id: String,
    /// End the command
    stop: Option<bool>,
}

impl TypedTool for BashOutput {
    type Input = BashOutputInput;

    const NAME: ToolName = ToolName::BashOutput;

    const UNSAID: &'static str = "";

    fn description(&self) -> &str {
        include_str!("bash_output.md").trim_ascii_end()
    }

    fn line(&self, input: &BashOutputInput) -> String {
        let id: String = input.id.chars().take(40).collect();
        if input.stop == Some(true) { format!("stop {id}") } else { id }
    }

    fn run(&self, permit: Presented, input: BashOutputInput, context: &ToolContext) -> Output {
        if !matches!(permit.action(), Action::Think { tool } if *tool == ToolName::BashOutput) {
            return Output::error("the permit of this call is not for BashOutput");
        }
        let id = input.id.as_str();
        if input.stop == Some(true) {
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
            Some(ended) => output(&look.text, look.text.lines().count(), &ended),
            None => {
                let text = look.text.trim_end_matches('\n');
                let said = if text.is_empty() { "nothing new".to_owned() } else { text.to_owned() };
                let shown = fore_text::output(&super::bounded(&look.text, super::MAX_SHOWN_BYTES));
                Output::text(format!("{said}\n(still running)"), ShownCall::text("still running", shown))
            }
        }
    }
}
