//! A call that the program makes itself, once something else has decided about it. It never runs a tool.

use super::{CallResult, ToolCall};
use crate::session::{caller::CallerContext, session_context::SessionContext, toolbox::Toolbox};
use fore_model::ResultPart;
use fore_plan::ToolName;
use serde_json::Value;
use std::sync::Arc;

impl CallResult {
    /// What the model reads of it.
    pub(crate) fn words(&self) -> String {
        let texts = self.output.model.iter().map(|piece| match piece {
            ResultPart::Text(text) => text.as_str(),
            ResultPart::Image(_) => "",
        });
        texts.chain(self.reminders.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
    }
}

impl ToolCall {
    /// What the program itself does in a tool's place, once something else has decided about it.
    pub(crate) fn of_program(
        context: &Arc<SessionContext>,
        caller: &Arc<CallerContext>,
        toolbox: &Arc<Toolbox>,
        tool: ToolName,
    ) -> ToolCall {
        ToolCall {
            context: Arc::clone(context),
            caller: Arc::clone(caller),
            toolbox: Arc::clone(toolbox),
            id: context.work.next_call(),
            tool: tool.into(),
            input: Value::Null,
            shown_amendment: Arc::default(),
        }
    }
}
