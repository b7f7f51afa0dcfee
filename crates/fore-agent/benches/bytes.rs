//! What is sent: system prompt and tools of the first request, and a whole planning session with what repeats in it.
#![expect(clippy::disallowed_methods, reason = "a benchmark lays out its own files")]
#![expect(clippy::expect_used, clippy::panic, reason = "a benchmark that cannot set itself up has failed")]

mod support;

use fore_agent::{Command, Event};
use fore_plan::approval::ExitResponse;
use fore_testkit::{ModelScript, RecordedRequest, Server, WireProtocol, call, text};
use serde_json::{Value, json};
use support::{Place, verdict};

const HEAD_TARGET_KB: f64 = 24.0;
const PLAN: &str = "# Discounts\n\n1. Add them in `cart.rs`.\n\n## Verification\nRun the tests.\n";

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut all_met = true;
    for (protocol, ours) in [
        (WireProtocol::Anthropic, fore_model::Protocol::AnthropicMessages),
        (WireProtocol::Responses, fore_model::Protocol::OpenAiResponses),
        (WireProtocol::Chat, fore_model::Protocol::ChatCompletions),
        (WireProtocol::Gemini, fore_model::Protocol::Gemini),
    ] {
        let requests = runtime.block_on(story(protocol, ours));
        all_met &= report(protocol, &requests);
    }
    if !all_met {
        std::process::exit(1);
    }
}

/// Twenty requests: exploring, questions of the person, a plan that is not taken at first, then the work.
async fn story(protocol: WireProtocol, ours: fore_model::Protocol) -> Vec<RecordedRequest> {
    let place = Place::new();
    place.file("cart.rs", &"pub fn total(prices: &[u32]) -> u32 { prices.iter().sum() }\n".repeat(60));
    let read = || call("Read", json!({"file_path": "cart.rs"}));
    let grep = || call("Grep", json!({"pattern": "total", "output_mode": "content"}));
    let mut script = ModelScript::new();
    for _ in 0..4 {
        script = script.turn(read()).turn(grep()).turn(text("What kind of discounts?"));
    }
    let edit = call("Edit", json!({"file_path": "cart.rs", "old_string": "nothing", "new_string": "x"}));
    let script = script
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(read())
        .turn(call("ExitPlanMode", json!({"plan": format!("{PLAN}\nAnd the docs.\n")})))
        .turn(read())
        .turn(edit)
        .turn(grep())
        .turn(text("Done."))
        .turn(text("You are welcome."));
    let server = Server::start_blocking(script).expect("a server");
    let launch = place.launch(ours, &server.url(protocol), "plan", support::usual_settings());
    let mut handle = fore_agent::start(launch).await.expect("a session");
    for _ in 0..4 {
        support::turn(&mut handle, "Plan discounts for the cart.").await;
    }
    assert!(handle.send(Command::Prompt { text: "Ten percent.".into(), when: Default::default() }).await, "it goes on");
    let mut answers = ["keepPlanning", "acceptEdits"].into_iter();
    loop {
        match handle.next().await.expect("the session goes on") {
            Event::ApprovalAsked(asked) => {
                let response = ExitResponse {
                    agent_id: asked.request.agent_id,
                    selected: answers.next().expect("two requests").into(),
                    reason: "the docs are missing".into(),
                    comments: Vec::new(),
                    plan: None,
                    steps: None,
                    contract_hash: None,
                    grants: Default::default(),
                    through: None,
                };
                assert!(handle.send(Command::Approval(response)).await, "it goes on");
            }
            Event::TurnEnded { .. } => break,
            _ => {}
        }
    }
    support::turn(&mut handle, "Thanks.").await;
    server.finish().unwrap_or_else(|report| panic!("{report}"))
}

fn report(protocol: WireProtocol, requests: &[RecordedRequest]) -> bool {
    let kilobytes = |bytes: usize| bytes as f64 / 1000.0;
    let Some(first) = requests.first() else { return false };
    let body = first.json();
    let length = |value: &Value| if value.is_null() { 0 } else { value.to_string().len() };
    let system = match protocol {
        WireProtocol::Anthropic => length(&body["system"]),
        WireProtocol::Responses => length(&body["instructions"]),
        WireProtocol::Chat => length(&body["messages"][0]),
        WireProtocol::Gemini => length(&body["systemInstruction"]) + length(&body["system_instruction"]),
    };
    let tools = length(&body["tools"]);
    let total: usize = requests.iter().map(|request| request.body.len()).sum();
    let repeated: usize = requests.windows(2).map(|pair| common(&pair[0].body, &pair[1].body)).sum();
    println!(
        "{protocol:?}: first request {:.1} kB (system {:.1}, tools {:.1}); {} requests {:.0} kB, {:.1} % of them a repeated prefix",
        kilobytes(first.body.len()),
        kilobytes(system),
        kilobytes(tools),
        requests.len(),
        kilobytes(total),
        100.0 * repeated as f64 / total as f64,
    );
    verdict(&format!("{protocol:?}: system and tools"), kilobytes(system + tools), "kB", HEAD_TARGET_KB)
}

fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}
