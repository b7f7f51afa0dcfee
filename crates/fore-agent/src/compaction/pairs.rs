//! Keeps calls and results in pairs: every protocol refuses a history in which one of them is alone.

use fore_model::{Block, History, Message, ResultPart, Role, ToolResult, ToolUse};

/// What stands for the result of a call that never got one.
const NOT_RUN: &str = "This call has no result: it was not run to its end.";

/// The same history if all its calls are answered; else one in which they are.
pub(super) fn sound(history: &History) -> History {
    let last = history.len().checked_sub(1).and_then(|at| history.get(at));
    // Only the end of a live history can be open; looking through all of it would cost with its length.
    match last {
        Some(message) if !calls(&message).is_empty() => {
            let mut answered = history.clone();
            answered.push(Message::results(calls(&message).iter().map(not_run).collect()));
            answered
        }
        Some(_) | None => history.clone(),
    }
}

/// Answers calls that have no result and drops results that have no call.
pub(super) fn repaired(messages: Vec<Message>) -> Vec<Message> {
    let mut whole: Vec<Message> = Vec::with_capacity(messages.len());
    let mut open: Vec<ToolUse> = Vec::new();
    for message in messages {
        match message.role {
            Role::Assistant => {
                answer_rest(&mut open, &mut whole);
                open = calls(&message);
                whole.push(message);
            }
            Role::User => {
                let message = with_known_results(message, &mut open);
                if !has_results(&message) {
                    answer_rest(&mut open, &mut whole);
                }
                if !message.blocks.is_empty() {
                    whole.push(message);
                }
            }
        }
    }
    answer_rest(&mut open, &mut whole);
    whole
}

fn with_known_results(message: Message, open: &mut Vec<ToolUse>) -> Message {
    let mut keep = |block: &Block| match block {
        Block::ToolResult(result) => match open.iter().position(|call| call.id == result.id) {
            Some(at) => {
                open.remove(at);
                true
            }
            None => false,
        },
        Block::Text(_) | Block::Image(_) | Block::ToolUse(_) | Block::Reasoning(_) => true,
    };
    Message { role: message.role, blocks: message.blocks.into_iter().filter(|block| keep(block)).collect() }
}

/// Answers what is still open in the message of results that came last, or in one of its own.
fn answer_rest(open: &mut Vec<ToolUse>, whole: &mut Vec<Message>) {
    if open.is_empty() {
        return;
    }
    let results = Message::results(open.drain(..).map(|call| not_run(&call)).collect());
    match whole.last_mut() {
        // Results come before any other words of the same message.
        Some(last) if has_results(last) => {
            last.blocks.splice(0..0, results.blocks);
        }
        Some(_) | None => whole.push(results),
    }
}

fn not_run(call: &ToolUse) -> ToolResult {
    let content = vec![ResultPart::Text(NOT_RUN.to_owned())];
    ToolResult { id: call.id.clone(), name: call.name.clone(), content, is_error: true }
}

pub(super) fn has_results(message: &Message) -> bool {
    message.blocks.iter().any(|block| matches!(block, Block::ToolResult(_)))
}

fn calls(message: &Message) -> Vec<ToolUse> {
    let call = |block: &Block| match block {
        Block::ToolUse(call) => Some(call.clone()),
        Block::Text(_) | Block::Image(_) | Block::ToolResult(_) | Block::Reasoning(_) => None,
    };
    message.blocks.iter().filter_map(call).collect()
}
