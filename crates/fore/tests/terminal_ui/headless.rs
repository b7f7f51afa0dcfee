//! The same story without a terminal: the steps of `scenario.json` over JSON lines, on a stage like the terminal's.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it is wrong")]
#![allow(clippy::disallowed_methods, reason = "starts the program under test")]

use crate::stage::{Stage, scenario};
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Command, Stdio},
};

/// Plays the only run of a story on its stage.
pub(crate) fn play(stage: &Stage, story: &str) {
    let scenario = scenario(story);
    let run = scenario.pointer("/runs/0").unwrap();
    let words = run.get("arguments").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let host = ["--input-format", "stream-json", "--output-format", "stream-json", "-p"];
    let program = stage.fore(&words.chain(host).collect::<Vec<_>>());
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).current_dir(&program.folder).env_clear().envs(program.environment);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut events = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut question = Value::Null;
    for step in run.get("person").and_then(Value::as_array).unwrap() {
        let awaited = match step {
            Value::String(_) => Some("turn-ended"),
            _ => step.pointer("/await/event").and_then(Value::as_str),
        };
        match awaited {
            Some(awaited) => question = wait(&mut events, awaited),
            None => writeln!(input, "{}", said(step, &question)).unwrap(),
        }
    }
    drop(input);
    events.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(0), "{story}");
}

/// Waits for an event; what an answer to it has to name.
fn wait(events: &mut impl Iterator<Item = String>, awaited: &str) -> Value {
    let event =
        events.map(|line| serde_json::from_str::<Value>(&line).unwrap()).find(|event| event["event"] == awaited);
    let event = event.unwrap_or_else(|| panic!("the run ended before `{awaited}`"));
    event.pointer("/request/agentId").or_else(|| event.get("question")).cloned().unwrap_or_default()
}

fn said(step: &Value, question: &Value) -> Value {
    let (name, value) = step.as_object().and_then(|step| step.iter().next()).unwrap();
    match name.as_str() {
        "prompt" => json!({"command": "prompt", "text": value}),
        "reply" => json!({"command": "reply", "question": question, "reply": value}),
        "form" => json!({"command": "fill-form", "question": question, "answers": value}),
        "answer" => {
            let mut answer = json!({"event": "plan:exit:response", "agentId": question});
            answer.as_object_mut().unwrap().extend(value.as_object().cloned().unwrap());
            answer
        }
        other => panic!("no story in the terminal has the step {other}"),
    }
}
