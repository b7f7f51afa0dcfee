//! What a provider can keep from one request to the next: each begins with all bytes of the one before, in every protocol,
//! also across entering and leaving plan mode.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need")]

use crate::support::Stage;
use fore_agent::Command;
use fore_testkit::{ModelScript, RecordedRequest, WireProtocol, call, text};
use serde_json::json;

const PLAN: &str = "# Plan\n\n1. Fix it.\n\n## Verification\nRun the tests.\n";

/// How the messages of a body begin; everything before belongs to the prefix too.
fn messages_of(protocol: WireProtocol) -> &'static str {
    match protocol {
        WireProtocol::Anthropic | WireProtocol::Chat => "\"messages\":[",
        WireProtocol::Responses => "\"input\":[",
        WireProtocol::Gemini => "\"contents\":[",
    }
}

/// The bytes of a body up to the end of its last message.
pub(crate) fn until_end_of_messages(request: &RecordedRequest, protocol: WireProtocol) -> &[u8] {
    let body = std::str::from_utf8(&request.body).unwrap();
    let start = body.find(messages_of(protocol)).unwrap_or_else(|| panic!("{protocol:?} {} {body:.400}", request.path))
        + messages_of(protocol).len();
    let (mut depth, mut in_text, mut is_escaped) = (0_i32, false, false);
    for (place, byte) in body.bytes().enumerate().skip(start) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b'{' | b'[' if !in_text => depth += 1,
            b']' if !in_text && depth == 0 => return &request.body[..place],
            b'}' | b']' if !in_text => depth -= 1,
            _ => {}
        }
    }
    panic!("the messages have no end: {body}");
}

/// Planning by the person's key, a plan that is not taken, one that is, work, planning again by the model, and out of it.
fn story() -> ModelScript {
    ModelScript::new()
        .turn(text("Hello."))
        .turn(call("Read", json!({"file_path": "notes.txt"})).call("Glob", json!({"pattern": "*.txt"})))
        .turn(call("Bash", json!({"command": "touch made"})))
        .turn(text("Which one do you mean?"))
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(call("ExitPlanMode", json!({"plan": format!("{PLAN}More.\n")})))
        .turn(call("Write", json!({"file_path": "a.txt", "content": "a\n"})))
        .turn(text("Done."))
        .turn(call("EnterPlanMode", json!({})))
        .turn(text("What next?"))
        .turn(text("I am out."))
}

async fn play(protocol: WireProtocol) -> Vec<RecordedRequest> {
    let stage = Stage::over(protocol, story());
    std::fs::write(stage.project.join("notes.txt"), "Fix it, \"soon\".\n").unwrap();
    let mut show = stage.start("default").await;
    show.prompt("hi").await;
    show.until("ended").await;
    show.send(Command::Mode { to: "plan".parse().unwrap() }).await;
    show.prompt("fix it").await;
    show.until("ended").await;
    show.prompt("this one").await;
    show.until("approval of revision 1").await;
    show.answer("keepPlanning").await;
    show.until("approval of revision 2").await;
    show.answer("acceptEdits").await;
    show.until("ended").await;
    show.prompt("and now?").await;
    show.until("asks to plan").await;
    let question = show.last_question.clone().unwrap();
    show.send(Command::ConfirmPlanning { question, yes: true }).await;
    show.until("ended").await;
    show.send(Command::LeavePlanMode).await;
    show.prompt("enough").await;
    show.until("ended").await;
    show.close().await;
    stage.server.finish().unwrap_or_else(|report| panic!("{report}"))
}

#[tokio::test(flavor = "current_thread")]
async fn every_request_of_a_planning_story_begins_with_the_bytes_of_the_one_before() {
    for protocol in WireProtocol::ALL {
        let requests = play(protocol).await;
        assert_eq!(requests.len(), 11, "{protocol:?}");
        for (number, pair) in requests.windows(2).enumerate() {
            let before = until_end_of_messages(&pair[0], protocol);
            let common = before.iter().zip(pair[1].body.iter()).take_while(|(one, other)| one == other).count();
            let differs = String::from_utf8_lossy(&before[common..]);
            assert_eq!(common, before.len(), "{protocol:?}, request {}: {:.300}", number + 1, differs);
        }
    }
}
