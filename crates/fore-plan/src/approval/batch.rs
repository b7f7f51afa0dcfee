//! Plan-mode tools in a batch with other calls: who is judged when.

use crate::tool_name::ToolName;

/// How one call of a batch is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchOrder {
    /// In its place.
    InPlace,
    /// After all others: the approval must show the plan as the whole batch left it.
    Last,
    /// Not now: the mode is about to change, so the model calls it again afterwards.
    Retry,
    /// Entering or leaving once per batch is enough.
    Repeated,
}

/// Says for each call of a batch when it is judged. None: a tool that nobody knows, or one of a server.
pub fn order(tools: &[Option<ToolName>]) -> Vec<BatchOrder> {
    let enters = tools.iter().position(|tool| *tool == Some(ToolName::EnterPlanMode));
    let mut has_exit = false;
    tools
        .iter()
        .enumerate()
        .map(|(index, tool)| match (tool, enters) {
            (Some(ToolName::EnterPlanMode), Some(first)) if index == first => BatchOrder::InPlace,
            (Some(ToolName::EnterPlanMode), _) => BatchOrder::Repeated,
            (_, Some(_)) => BatchOrder::Retry,
            (Some(ToolName::ExitPlanMode), None) if std::mem::replace(&mut has_exit, true) => BatchOrder::Repeated,
            (Some(ToolName::ExitPlanMode), None) => BatchOrder::Last,
            (
                Some(
                    ToolName::Read
                    | ToolName::Glob
                    | ToolName::Grep
                    | ToolName::Ls
                    | ToolName::WebFetch
                    | ToolName::WebSearch
                    | ToolName::AskUserQuestion
                    | ToolName::BashOutput
                    | ToolName::Write
                    | ToolName::Edit
                    | ToolName::MultiEdit
                    | ToolName::NotebookEdit
                    | ToolName::Bash
                    | ToolName::Agent
                    | ToolName::TodoWrite
                    | ToolName::Skill
                    | ToolName::AmendPlan
                    | ToolName::McpSearch
                    | ToolName::McpCall
                    | ToolName::McpRead
                    | ToolName::SendMessage
                    | ToolName::AnswerPlan,
                )
                | None,
                None,
            ) => BatchOrder::InPlace,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tools: &[&str], expected: &[BatchOrder]) {
        let names: Vec<_> = tools.iter().map(|tool| ToolName::from_called(tool)).collect();
        assert_eq!(order(&names), expected, "{tools:?}");
    }

    #[test]
    fn an_exit_is_judged_after_everything_else_in_its_batch() {
        check(&["ExitPlanMode", "Edit", "Read"], &[BatchOrder::Last, BatchOrder::InPlace, BatchOrder::InPlace]);
        check(&["Edit", "exit_plan_mode"], &[BatchOrder::InPlace, BatchOrder::Last]);
        check(&["ExitPlanMode", "ExitPlanMode"], &[BatchOrder::Last, BatchOrder::Repeated]);
    }

    #[test]
    fn entering_makes_its_siblings_retry() {
        check(&["Edit", "EnterPlanMode", "Bash"], &[BatchOrder::Retry, BatchOrder::InPlace, BatchOrder::Retry]);
        check(&["EnterPlanMode", "ExitPlanMode"], &[BatchOrder::InPlace, BatchOrder::Retry]);
        check(&["EnterPlanMode", "EnterPlanMode"], &[BatchOrder::InPlace, BatchOrder::Repeated]);
    }

    #[test]
    fn a_batch_without_plan_tools_stays_as_it_is() {
        check(&["Read", "mcp__db__query"], &[BatchOrder::InPlace, BatchOrder::InPlace]);
        check(&[], &[]);
    }
}
