//! Histories and what is read of them; the answers of `ExitPlanMode` are the real ones.

use super::{PlanReception, TaskHistory};
use fore_model::{Arguments, Block, History, Message, ToolResult, ToolUse};
use fore_plan::{
    ToolName,
    approval::{ApprovalText, Comment},
};
use serde_json::json;

fn call(id: &str, tool: &str) -> ToolUse {
    ToolUse { id: id.into(), name: tool.into(), arguments: Arguments::Ok(json!({ "n": id })), seal: None }
}

fn asks(call: &ToolUse) -> Message {
    Message::assistant(vec![Block::ToolUse(call.clone())])
}

fn gives(call: &ToolUse, text: &str) -> Message {
    let mut message = Message::results(vec![ToolResult::text(call, text)]);
    message.blocks.push(Block::text("<system-reminder>\nstay calm\n</system-reminder>"));
    message
}

fn read(messages: Vec<Message>) -> TaskHistory {
    TaskHistory::read(&messages.into_iter().collect::<History>())
}

/// A plan for "first" was handed in and got this answer.
fn handed_in(answer: &str) -> Vec<Message> {
    let (look, exit) = (call("1", "Grep"), call("2", "ExitPlanMode"));
    vec![Message::user("first"), asks(&look), gives(&look, "a.rs:1"), asks(&exit), gives(&exit, answer)]
}

#[test]
fn reminders_are_not_what_the_person_said() {
    let mut message = Message::user("add discounts");
    message.blocks.push(Block::text("<system-reminder>\nfind the teapot\n</system-reminder>"));
    let conversation = read(vec![message]);
    assert_eq!(conversation.messages, ["add discounts"]);
    assert_eq!((conversation.rounds, conversation.verdict), (0, None));
}

#[test]
fn only_the_last_request_counts_and_results_are_paired_with_their_calls() {
    let (old, new) = (call("1", "Grep"), call("2", "Read"));
    let history = vec![
        Message::user("first"),
        asks(&old),
        gives(&old, "old"),
        Message::assistant(vec![Block::text("done")]),
        Message::user("second"),
        asks(&new),
        gives(&new, "new"),
    ];
    let conversation = read(history);
    assert_eq!((conversation.messages.as_slice(), conversation.rounds), (["second".to_owned()].as_slice(), 1));
    let answered: Vec<_> = conversation.answered.iter().map(|held| (held.tool, held.text.as_deref())).collect();
    assert_eq!(answered, [(Some(ToolName::Read), Some("new"))]);
}

#[test]
fn a_no_with_words_begins_again_with_them() {
    let comment = Comment { first_line: 3, last_line: 3, quote: "1. `src/a.rs`".into(), remark: "not this one".into() };
    let rejection = ApprovalText::Rejected {
        path: "/plans/a.md",
        reason: Some("look at the checkout"),
        comments: &[comment],
        changed: None,
    };
    let conversation = read(handed_in(&rejection.render()));
    assert_eq!(conversation.messages, ["first", "look at the checkout\n\n\nLine 3:\nnot this one"]);
    assert_eq!((conversation.rounds, conversation.answered.len(), conversation.verdict), (0, 0, None));
}

#[test]
fn other_answers_to_a_plan_are_told_apart() {
    let no_words = ApprovalText::Rejected { path: "/plans/a.md", reason: None, comments: &[], changed: None }.render();
    let no_decision = ApprovalText::NoDecision { path: "/plans/a.md", reason: "The window was closed.", changed: None };
    for (answer, verdict) in [
        (no_words, PlanReception::NoWords),
        (no_decision.render(), PlanReception::NoWords),
        (ApprovalText::SavedAndStopped { path: "/plans/a.md", changed: None }.render(), PlanReception::Over),
        (ApprovalText::Discarded.render(), PlanReception::Over),
        (ApprovalText::NobodyCanApprove { path: "/plans/a.md" }.render(), PlanReception::Over),
        (ApprovalText::LeftByPerson { level: "default" }.render(), PlanReception::Over),
    ] {
        assert_eq!(read(handed_in(&answer)).verdict, Some(verdict), "{answer}");
    }
}

#[test]
fn what_is_said_after_an_open_plan_adds_to_its_task_and_after_a_closed_one_begins_another() {
    let no_words = ApprovalText::Rejected { path: "/plans/a.md", reason: None, comments: &[], changed: None }.render();
    let mut open = handed_in(&no_words);
    open.extend([Message::assistant(vec![Block::text("What?")]), Message::user("the checkout too")]);
    assert_eq!(read(open).messages, ["first", "the checkout too"]);
    let mut beside = handed_in(&no_words);
    beside.last_mut().unwrap().blocks.push(Block::text("the checkout too"));
    let beside = read(beside);
    assert_eq!((beside.messages, beside.verdict), (vec!["first".to_owned(), "the checkout too".to_owned()], None));
    let mut closed = handed_in(&ApprovalText::Discarded.render());
    closed.extend([Message::assistant(vec![Block::text("Fine.")]), Message::user("second")]);
    assert_eq!(read(closed).messages, ["second"]);
}
