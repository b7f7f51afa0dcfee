//! Notices that a model goes round in circles: the same calls with the same results, again and again.

use fore_model::{Arguments, ResultPart, ToolResult, ToolUse};
use fore_plan::ToolName;
use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash, Hasher},
};

/// So often in a row, and the model is told.
const TELL_AFTER: usize = 3;
/// So often in a row, and the turn ends.
const END_AFTER: usize = 5;
/// Calls that may take turns in a circle.
const MAX_CIRCLE: usize = 3;

/// What is to be done about a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Circle {
    None,
    Tell,
    /// The turn ends; this call is part of the circle.
    End(String),
}

/// The last calls of a turn with their results, as numbers.
#[derive(Debug, Default)]
pub(super) struct RepeatWatch {
    last: VecDeque<u64>,
    newest: String,
    was_told: bool,
}

impl RepeatWatch {
    pub(super) fn add(&mut self, call: &ToolUse, result: &ToolResult) {
        // A run that goes on in the background may have nothing new to say for long.
        if ToolName::from_called(&call.name) == Some(ToolName::BashOutput) {
            return;
        }
        let mut hasher = DefaultHasher::new();
        call.name.hash(&mut hasher);
        match &call.arguments {
            Arguments::Ok(value) => value.to_string().hash(&mut hasher),
            Arguments::Broken { raw, .. } => raw.hash(&mut hasher),
        }
        result.is_error.hash(&mut hasher);
        for part in &result.content {
            match part {
                ResultPart::Text(text) => text.hash(&mut hasher),
                ResultPart::Image(image) => image.base64.hash(&mut hasher),
            }
        }
        if self.last.len() >= END_AFTER * MAX_CIRCLE {
            self.last.pop_front();
        }
        self.last.push_back(hasher.finish());
        self.newest.clone_from(&call.name);
    }

    /// What the calls so far come to. A model is told once in a turn.
    pub(super) fn circle(&mut self) -> Circle {
        let most = (1..=MAX_CIRCLE).map(|length| self.rounds(length)).max().unwrap_or(0);
        if most >= END_AFTER {
            return Circle::End(self.newest.clone());
        }
        if most >= TELL_AFTER && !std::mem::replace(&mut self.was_told, true) { Circle::Tell } else { Circle::None }
    }

    /// How often the newest calls, so many of them, came in a row.
    fn rounds(&self, length: usize) -> usize {
        let calls: Vec<u64> = self.last.iter().rev().copied().collect();
        let Some(newest) = calls.get(..length) else { return 0 };
        calls.chunks(length).take_while(|round| *round == newest).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn add(watch: &mut RepeatWatch, path: &str, result: &str) -> Circle {
        let call = ToolUse {
            id: "1".into(),
            name: "Read".into(),
            arguments: Arguments::Ok(json!({ "file_path": path })),
            seal: None,
        };
        watch.add(&call, &ToolResult::text(&call, result));
        watch.circle()
    }

    #[test]
    fn the_same_call_with_the_same_result_is_told_after_three_and_ended_after_five() {
        let mut watch = RepeatWatch::default();
        let seen: Vec<Circle> = (0..5).map(|_| add(&mut watch, "a.rs", "not there")).collect();
        assert_eq!(seen, [Circle::None, Circle::None, Circle::Tell, Circle::None, Circle::End("Read".into())]);
    }

    #[test]
    fn calls_that_take_turns_are_a_circle_too() {
        let mut watch = RepeatWatch::default();
        let seen: Vec<Circle> =
            (0..10).map(|round| add(&mut watch, if round % 2 == 0 { "a.rs" } else { "b.rs" }, "not there")).collect();
        assert_eq!(seen.iter().position(|circle| *circle == Circle::Tell), Some(5));
        assert_eq!(seen.last(), Some(&Circle::End("Read".into())));
    }

    #[test]
    fn another_result_or_another_call_begins_anew() {
        let mut watch = RepeatWatch::default();
        for round in 0..20 {
            assert_eq!(add(&mut watch, "log.txt", &format!("{round} lines")), Circle::None);
            assert_eq!(add(&mut watch, &format!("{round}.rs"), "not there"), Circle::None);
        }
    }
}
