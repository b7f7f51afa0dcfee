//! Plan-mode tools in a batch with other calls: who is judged when.

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

/// The canonical name of a plan-mode tool, if `tool` is one.
pub fn plan_tool(tool: &str) -> Option<&'static str> {
    match tool {
        "EnterPlanMode" | "enter_plan_mode" => Some("EnterPlanMode"),
        "ExitPlanMode" | "exit_plan_mode" => Some("ExitPlanMode"),
        _ => None,
    }
}

/// Says for each call of a batch when it is judged.
pub fn order(tools: &[&str]) -> Vec<BatchOrder> {
    let enters = tools.iter().position(|tool| plan_tool(tool) == Some("EnterPlanMode"));
    let mut has_exit = false;
    tools
        .iter()
        .enumerate()
        .map(|(index, tool)| match (plan_tool(tool), enters) {
            (Some("EnterPlanMode"), Some(first)) if index == first => BatchOrder::InPlace,
            (Some("EnterPlanMode"), _) => BatchOrder::Repeated,
            (_, Some(_)) => BatchOrder::Retry,
            (Some(_), None) if std::mem::replace(&mut has_exit, true) => BatchOrder::Repeated,
            (Some(_), None) => BatchOrder::Last,
            (None, None) => BatchOrder::InPlace,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tools: &[&str], expected: &[BatchOrder]) {
        assert_eq!(order(tools), expected, "{tools:?}");
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
        check(&["Read", "Bash"], &[BatchOrder::InPlace, BatchOrder::InPlace]);
        check(&[], &[]);
    }
}
