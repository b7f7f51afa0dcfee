//! Tools that touch the world, one file each with the words the model reads about it in a `.md` beside it.
//!
//! A tool never decides whether it may: it gets a permit that was presented, and does what that permit names.

mod bash;
mod difference;
mod edit;
mod glob;
mod grep;
pub(crate) mod input;
mod ls;
mod notebook_edit;
mod pending_edit;
mod read;
#[cfg(test)]
mod schema_tests;
mod seen;
mod skill;
mod suggestions;
#[cfg(test)]
pub(crate) mod test_support;
mod tool_context;
mod walk;
mod web_fetch;
mod write;

pub(crate) use bash::BackgroundRuns;
pub(crate) use bash::{Bash, BashOutput};
pub(crate) use difference::counts as changed_lines;
pub(crate) use edit::Edit;
pub(crate) use glob::Glob;
pub(crate) use grep::Grep;
#[doc(hidden)]
pub(crate) use grep::grep;
pub(crate) use ls::Ls;
pub(crate) use notebook_edit::NotebookEdit;
pub(crate) use read::Read;
pub(crate) use seen::SeenFiles;
pub(crate) use skill::Skill;
pub(crate) use tool_context::is_denied;
pub(crate) use tool_context::{ToolContext, WorkingFolder};
pub(crate) use walk::{FileSearch, SearchTarget, WalkEnd};
pub(crate) use web_fetch::WebFetch;
pub(crate) use write::Write;

use crate::{event::ShownCall, output::Output};
use fore_plan::{
    ToolName,
    gate::{Action, Presented},
};
use input::FieldAlias;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

/// A tool that touches the world.
pub(crate) trait Tool: Send + Sync + std::fmt::Debug {
    fn name(&self) -> ToolName;

    /// What the model reads: short, because it is sent with every request.
    fn description(&self) -> &str;

    /// JSON Schema of the input, an object without further fields.
    fn parameters(&self) -> Value;

    /// One line for people that says what a call is about, such as `src/cart.rs, lines 10 to 40`.
    fn line(&self, input: &Value) -> String;

    /// Does what the permit allows, on a thread of its own, and returns early when `context.cancel` is cancelled.
    fn run(&self, permit: Presented, input: &Value, context: &ToolContext) -> Output;

    /// What a person is shown before they answer a question about this call: the command, or the difference. The error is
    /// why it cannot work as things are, in the words that running it would give. It changes nothing.
    fn preview(&self, action: &Action, input: &Value, context: &ToolContext) -> Result<ShownCall, String>;

    /// What a person was shown of a call that went well, as far as its input and what the model was told of it say; none
    /// where what it was told is all there is.
    fn again(&self, input: &Value, told: &str, project: Option<&Path>) -> Option<ShownCall>;
}

/// The same, with its input as a type: what the model is told of the fields and what is read of them cannot differ.
pub(crate) trait TypedTool: Send + Sync + std::fmt::Debug {
    type Input: DeserializeOwned + JsonSchema;

    const NAME: ToolName;

    /// Names of fields that the gate takes for the same.
    const ALIASES: &'static [FieldAlias] = &[];

    /// What stands in the line of a call for what it has to say and does not.
    const UNSAID: &'static str = "?";

    fn description(&self) -> &str;

    fn line(&self, input: &Self::Input) -> String;

    /// Where a path or command matters, the permit's action names it; the input gives only what the gate does not judge,
    /// such as offsets and the new text.
    fn run(&self, permit: Presented, input: Self::Input, context: &ToolContext) -> Output;

    fn preview(&self, action: &Action, input: Self::Input, context: &ToolContext) -> Result<ShownCall, String> {
        let _ = (action, context);
        Ok(ShownCall::line(self.line(&input)))
    }

    fn again(&self, input: Self::Input, told: &str, project: Option<&Path>) -> Option<ShownCall> {
        let _ = (input, told, project);
        None
    }
}

impl<T: TypedTool> Tool for T {
    fn name(&self) -> ToolName {
        T::NAME
    }

    fn description(&self) -> &str {
        TypedTool::description(self)
    }

    fn parameters(&self) -> Value {
        input::schema::<T::Input>()
    }

    fn line(&self, input: &Value) -> String {
        input::readable(input, T::ALIASES, T::UNSAID).map_or_else(String::new, |input| TypedTool::line(self, &input))
    }

    fn run(&self, permit: Presented, input: &Value, context: &ToolContext) -> Output {
        match input::read(input, T::ALIASES) {
            Ok(input) => TypedTool::run(self, permit, input, context),
            Err(why) => Output::error(why.to_string()),
        }
    }

    fn preview(&self, action: &Action, input: &Value, context: &ToolContext) -> Result<ShownCall, String> {
        let input = input::read(input, T::ALIASES).map_err(|why| why.to_string())?;
        TypedTool::preview(self, action, input, context)
    }

    fn again(&self, input: &Value, told: &str, project: Option<&Path>) -> Option<ShownCall> {
        TypedTool::again(self, input::read(input, T::ALIASES).ok()?, told, project)
    }
}
