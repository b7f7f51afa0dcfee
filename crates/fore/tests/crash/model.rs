//! A model without a memory: it works out from the history it is sent which steps are confirmed, looks where that is not
//! known, and makes the next one. It never makes a step twice unless it has seen that the first one left nothing.

use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
};

pub(crate) const PLAN: &str = "# Two files and a log\n\n1. Write them.\n\n## Verification\n\nRead the log.\n";

/// One step of the story.
struct Step {
    tool: &'static str,
    input: Value,
    /// The file that shows whether it took effect, and the words that show it.
    evidence: Option<(&'static str, &'static str)>,
}

/// The whole story. `plan` is the file that the program named.
fn story(plan: &str) -> Vec<Step> {
    let step = |tool, input| Step { tool, input, evidence: None };
    let seen = |tool, input, file, words| Step { tool, input, evidence: Some((file, words)) };
    let log =
        |words: &'static str| seen("Bash", json!({"command": format!("echo {words} >> log.txt")}), "log.txt", words);
    let edit = |path: &str, old, new| json!({"file_path": path, "old_string": old, "new_string": new});
    vec![
        step("Read", json!({"file_path": "notes.txt"})),
        // Written to the same bytes however often.
        step("Write", json!({"file_path": plan, "content": PLAN})),
        step("ExitPlanMode", json!({})),
        log("first"),
        seen("Write", json!({"file_path": "a.txt", "content": "one\n"}), "a.txt", "o"),
        seen("Edit", edit("a.txt", "one", "two"), "a.txt", "two"),
        log("second"),
        seen("Write", json!({"file_path": "b.txt", "content": "b\n"}), "b.txt", "b"),
        log("third"),
    ]
}

/// What the history says about a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    NotDone,
    Done,
    /// The program ended while it was under way.
    Unclear,
    /// The file has to be read before it can be changed.
    Unread,
}

/// The next call, or none when everything is done.
pub(crate) fn next(request: &Value) -> Option<(String, Value)> {
    let calls = calls(request);
    for step in story(&plan_path(request)) {
        match known(&step, &calls) {
            Known::Done => {}
            Known::NotDone => return Some((step.tool.to_owned(), step.input)),
            Known::Unclear | Known::Unread => match (step.evidence, step.input.get("file_path")) {
                (Some((file, _)), _) => return Some(("Read".to_owned(), json!({"file_path": file}))),
                (None, Some(file)) => return Some(("Read".to_owned(), json!({"file_path": file}))),
                (None, None) => return Some((step.tool.to_owned(), step.input)),
            },
        }
    }
    None
}

fn known(step: &Step, calls: &[Call]) -> Known {
    let mut known = Known::NotDone;
    let file = step.evidence.map(|(file, _)| json!(file)).or_else(|| step.input.get("file_path").cloned());
    for call in calls {
        if call.name == step.tool && call.input == step.input {
            known = match (call.is_error, &call.result) {
                (false, _) => Known::Done,
                (true, words) if words.contains("program ended while") => Known::Unclear,
                (true, words) if words.contains("was approved") || words.contains("is not on") => Known::Done,
                (true, words) if words.contains("ead it first") || words.contains("ead it again") => Known::Unread,
                (true, _) => Known::NotDone,
            };
        } else if call.name == "Read" && file.as_ref() == call.input.get("file_path") {
            known = match (known, step.evidence) {
                // A look that was itself cut off shows nothing.
                (known, _) if call.result.contains("program ended while") => known,
                (Known::Unclear, Some((_, words))) if !call.is_error && call.result.contains(words) => Known::Done,
                (Known::Unclear | Known::Unread, _) => Known::NotDone,
                (known, _) => known,
            };
        }
    }
    known
}

/// One call of the history with its result.
struct Call {
    name: String,
    input: Value,
    result: String,
    is_error: bool,
}

fn calls(request: &Value) -> Vec<Call> {
    let blocks = || {
        request["messages"].as_array().into_iter().flatten().flat_map(|message| message["content"].as_array()).flatten()
    };
    let result = |id: &Value| blocks().find(|block| block["type"] == "tool_result" && block["tool_use_id"] == *id);
    let call = |block: &Value| {
        let result = result(&block["id"])?;
        Some(Call {
            name: block["name"].as_str()?.to_owned(),
            input: block["input"].clone(),
            result: result["content"].to_string(),
            is_error: result["is_error"] == true,
        })
    };
    blocks().filter(|block| block["type"] == "tool_use").filter_map(call).collect()
}

/// The plan file, as the reminder names it.
fn plan_path(request: &Value) -> String {
    let text = request["messages"].to_string().replace("\\n", " ");
    let end = text.find("/plans/").and_then(|start| Some((start, start + text.get(start..)?.find(".md")? + 3)));
    let Some((middle, end)) = end else { return String::new() };
    let start = text[..middle]
        .rfind(|letter: char| letter.is_whitespace() || "`\"(\\".contains(letter))
        .map_or(0, |place| place + 1);
    text[start..end].to_owned()
}

/// Answers requests on this listener until the test ends, each connection on a thread of its own.
pub(crate) fn serve(listener: TcpListener) {
    for stream in listener.incoming().flatten() {
        std::thread::spawn(move || answer(stream));
    }
}

/// Whoever was killed reads no answer; that is no failure of the model.
fn answer(stream: TcpStream) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let request: Value = serde_json::from_slice(&body).ok()?;
    let stream = &mut &stream;
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n").ok()?;
    for event in events(&request) {
        write!(stream, "event: {}\ndata: {event}\n\n", event["type"].as_str()?).ok()?;
    }
    Some(())
}

fn events(request: &Value) -> Vec<Value> {
    // Ids are told apart by where in the history they stand.
    let count = request["messages"].as_array().map_or(0, Vec::len);
    let next = next(request);
    let stop = if next.is_some() { "tool_use" } else { "end_turn" };
    let (block, delta) = match next {
        Some((name, input)) => (
            json!({"type": "tool_use", "id": format!("toolu_{count}"), "name": name, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": input.to_string()}),
        ),
        None => (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": "All done."})),
    };
    let message = json!({"id": format!("msg_{count}"), "type": "message", "role": "assistant", "content": [], "model": "scripted",
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 10, "output_tokens": 1}});
    vec![
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ]
}
