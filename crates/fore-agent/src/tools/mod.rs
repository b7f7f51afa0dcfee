//! Tools that touch the world, one file each with the words the model reads about it in a `.md` beside it.
//!
//! A tool never decides whether it may: it gets a permit that was presented, and does what that permit names.

mod bash;
mod difference;
mod edit;
mod fields;
mod glob;
mod grep;
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

pub use bash::{BackgroundRuns, StoppedRun};
pub(crate) use bash::{Bash, BashOutput};
pub(crate) use edit::Edit;
pub(crate) use glob::Glob;
pub(crate) use grep::Grep;
#[doc(hidden)]
pub use grep::grep;
pub(crate) use notebook_edit::NotebookEdit;
pub(crate) use read::Read;
pub use seen::SeenFiles;
pub use skill::Skill;
pub(crate) use tool_context::is_denied;
pub use tool_context::{ToolContext, WorkingFolder};
pub(crate) use web_fetch::WebFetch;
pub(crate) use write::Write;

use crate::{event::ShownCall, output::Output};
use fore_plan::gate::{Action, Presented};
use serde_json::Value;

/// A tool that touches the world.
pub(crate) trait Tool: Send + Sync + std::fmt::Debug {
    /// The one name of the tool; [`Action::from_call`] knows it.
    fn name(&self) -> &'static str;

    /// What the model reads: short, because it is sent with every request.
    fn description(&self) -> &str;

    /// JSON Schema of the input, an object without further fields.
    fn parameters(&self) -> Value;

    /// One line for people that says what a call is about, such as `src/cart.rs, lines 10 to 40`.
    fn line(&self, input: &Value) -> String;

    /// Does what the permit allows, on a thread of its own, and returns early when `hands.cancel` is cancelled.
    ///
    /// Where a path or command matters, the permit's action names it; the input gives only what the gate does not judge,
    /// such as offsets and the new text.
    fn run(&self, permit: Presented, input: &Value, context: &ToolContext) -> Output;

    /// What a person is shown before they answer a question about this call: the command, or the difference. The error is
    /// why it cannot work as things are, in the words that running it would give. It changes nothing.
    fn preview(&self, action: &Action, input: &Value, context: &ToolContext) -> Result<ShownCall, String> {
        let _ = (action, context);
        Ok(ShownCall::line(self.line(input)))
    }

    /// What a person was shown of a call that went well, as far as its input and what the model was told of it say; none
    /// where what it was told is all there is.
    fn again(&self, input: &Value, told: &str, project: Option<&std::path::Path>) -> Option<crate::event::ShownCall> {
        let _ = (input, told, project);
        None
    }
}
