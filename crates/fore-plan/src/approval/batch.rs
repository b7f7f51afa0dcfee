//! Plan-mode tools in a batch with other calls: who is judged when.

/// How one call of a batch is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
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
pub fn order(tools: &[&str]) -> Vec<Turn> {
    let enters = tools.iter().position(|tool| plan_tool(tool) == Some("EnterPlanMode"));
    let mut has_exit = false;
    tools
        .iter()
        .enumerate()
        .map(|(index, tool)| match (plan_tool(tool), enters) {
            (Some("EnterPlanMode"), Some(first)) if index == first => Turn::InPlace,
            (Some("EnterPlanMode"), _) => Turn::Repeated,
            (_, Some(_)) => Turn::Retry,
            (Some(_), None) if std::mem::replace(&mut has_exit, true) => Turn::Repeated,
            (Some(_), None) => Turn::Last,
            (None, None) => Turn::InPlace,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tools: &[&str], expected: &[Turn]) {
        assert_eq!(order(tools), expected, "{tools:?}");
    }

    #[test]
    fn an_exit_is_judged_after_everything_else_in_its_batch() {
        check(&["ExitPlanMode", "Edit", "Read"], &[Turn::Last, Turn::InPlace, Turn::InPlace]);
        check(&["Edit", "exit_plan_mode"], &[Turn::InPlace, Turn::Last]);
        check(&["ExitPlanMode", "ExitPlanMode"], &[Turn::Last, Turn::Repeated]);
    }

    #[test]
    fn entering_makes_its_siblings_retry() {
        check(&["Edit", "EnterPlanMode", "Bash"], &[Turn::Retry, Turn::InPlace, Turn::Retry]);
        check(&["EnterPlanMode", "ExitPlanMode"], &[Turn::InPlace, Turn::Retry]);
        check(&["EnterPlanMode", "EnterPlanMode"], &[Turn::InPlace, Turn::Repeated]);
    }

    #[test]
    fn a_batch_without_plan_tools_stays_as_it_is() {
        check(&["Read", "Bash"], &[Turn::InPlace, Turn::InPlace]);
        check(&[], &[]);
    }
}
