//! The words of the workflows and of the plan-mode tools, put together from the `.md` files beside this one.

use super::settings::{Agents, ExploreOrder, PlanLength, Trigger, Workflow, WorkflowKind};
use crate::reminder::fill;

/// The paragraph of the system prompt that explains reminders, once (E8).
pub const SYSTEM_PROMPT_TAGS: &str = include_str!("tags.md").trim_ascii_end();

/// What the model reads about `EnterPlanMode`, with the advice when to call it (C4).
pub fn enter_tool_description(trigger: Trigger) -> String {
    let trigger = match trigger {
        Trigger::Eager => include_str!("trigger-eager.md"),
        Trigger::Reserved => include_str!("trigger-reserved.md"),
    };
    fill(include_str!("enter-tool.md"), &[("trigger", trigger)])
}

/// What the model reads about `ExitPlanMode`.
pub fn exit_tool_description() -> String {
    fill(include_str!("exit-tool.md"), &[])
}

/// Result of `EnterPlanMode`: short, because the workflow comes by reminder (C3).
pub fn entered() -> String {
    fill(include_str!("entered.md"), &[])
}

/// What the model reads when the person does not want to plan.
pub fn enter_declined() -> String {
    fill(include_str!("enter-declined.md"), &[])
}

/// What the model reads when it plans already.
pub fn enter_already_planning(path: &str) -> String {
    fill(include_str!("enter-already.md"), &[("path", path)])
}

/// The part of the full reminder that says how to plan.
pub(crate) fn workflow_text(workflow: Workflow) -> String {
    let length = length_text(workflow.length);
    match workflow.kind {
        WorkflowKind::Interview => fill(include_str!("interview.md"), &[("length", length)]),
        WorkflowKind::FivePhases => {
            let explore = explore_text(workflow.agents);
            let plan = workflow.agents.plan.to_string();
            let values = [("explore", explore.as_str()), ("plan", &plan), ("length", length)];
            fill(include_str!("five-phases.md"), &values)
        }
    }
}

fn explore_text(agents: Agents) -> String {
    let template = match agents.order {
        _ if agents.explore.get() == 1 => return fill(include_str!("explore-one.md"), &[]),
        ExploreOrder::Parallel => include_str!("explore-parallel.md"),
        ExploreOrder::Sequential => include_str!("explore-sequential.md"),
    };
    fill(template, &[("count", &agents.explore.to_string())])
}

fn length_text(length: PlanLength) -> &'static str {
    match length {
        PlanLength::Control => include_str!("length-control.md"),
        PlanLength::Trim => include_str!("length-trim.md"),
        PlanLength::Cut => include_str!("length-cut.md"),
        PlanLength::Cap => include_str!("length-cap.md"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c4_and_e8_the_words_of_the_tools_and_the_system_prompt() {
        let page = [
            enter_tool_description(Trigger::Eager),
            enter_tool_description(Trigger::Reserved),
            exit_tool_description(),
            SYSTEM_PROMPT_TAGS.to_owned(),
            entered(),
            enter_declined(),
            enter_already_planning("/plans/brave-quiet-fox.md"),
        ];
        let page = page.join("\n\n----\n\n");
        assert_eq!(crate::reminder::places(&page), Vec::<&str>::new());
        insta::assert_snapshot!("tool_words", page);
    }

    #[test]
    fn f4_the_four_lengths() {
        let page = [PlanLength::Control, PlanLength::Trim, PlanLength::Cut, PlanLength::Cap]
            .map(|length| format!("{length:?}: {}", length_text(length)));
        insta::assert_snapshot!("lengths", page.join("\n"));
    }
}
