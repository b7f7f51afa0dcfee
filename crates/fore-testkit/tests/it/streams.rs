//! What each protocol's stream looks like, byte for byte, for a turn with everything in it.

use fore_testkit::{
    Chunking, ModelScript, ScriptedStop, ScriptedTurn, ScriptedUsage, Server, WireProtocol, reasoning, text,
};
use serde_json::json;

use crate::client::post;
use crate::requests::ask;

fn everything() -> ScriptedTurn {
    reasoning("Two files.")
        .text("I will read both.")
        .call("Read", json!({"path": "src/a.rs"}))
        .call("Read", json!({"path": "src/b.rs"}))
        .usage(ScriptedUsage { input: 1000, cached: 800, cache_write: 100, output: 50, reasoning: 10 })
        .chunking(Chunking { piece_chars: 16, ..Chunking::default() })
}

async fn stream(protocol: WireProtocol, turn: ScriptedTurn) -> String {
    let server = Server::start(ModelScript::new().turn(turn)).await.unwrap();
    let got = post(&server, protocol, &ask(protocol, "go")).await;
    assert_eq!(got.header("content-type"), Some("text/event-stream; charset=utf-8"));
    assert_eq!(got.header("transfer-encoding"), Some("chunked"));
    server.finish().unwrap();
    got.body
}

#[tokio::test]
async fn anthropic_streams_blocks_with_signature_and_partial_arguments() {
    insta::assert_snapshot!(stream(WireProtocol::Anthropic, everything()).await);
}

#[tokio::test]
async fn responses_streams_numbered_items_with_encrypted_reasoning() {
    insta::assert_snapshot!(stream(WireProtocol::Responses, everything()).await);
}

#[tokio::test]
async fn chat_streams_deltas_usage_and_done() {
    insta::assert_snapshot!(stream(WireProtocol::Chat, everything()).await);
}

#[tokio::test]
async fn gemini_streams_parts_with_the_signature_on_the_first_call() {
    insta::assert_snapshot!(stream(WireProtocol::Gemini, everything()).await);
}

#[tokio::test]
async fn reasoning_that_only_the_provider_can_read_has_no_words() {
    let anthropic = stream(WireProtocol::Anthropic, reasoning("").text("x")).await;
    assert!(anthropic.contains("redacted_thinking") && !anthropic.contains("thinking_delta"), "{anthropic}");
    let responses = stream(WireProtocol::Responses, reasoning("").text("x")).await;
    assert!(responses.contains("encrypted_content") && !responses.contains("reasoning_summary"), "{responses}");
    let gemini = stream(WireProtocol::Gemini, reasoning("").text("x")).await;
    assert!(gemini.contains(r#"{"text":"","thoughtSignature":""#) && !gemini.contains(r#""thought":true"#), "{gemini}");
}

#[tokio::test]
async fn every_stop_reason_has_its_name_in_every_protocol() {
    let mut page = String::new();
    for protocol in WireProtocol::ALL {
        for stop in [ScriptedStop::End, ScriptedStop::ToolCalls, ScriptedStop::MaxTokens, ScriptedStop::Refusal] {
            let body = stream(protocol, text("x").stop_because(stop)).await;
            let names =
                ["\"stop_reason\":\"", "\"finish_reason\":\"", "\"finishReason\":\"", "\"status\":\"", "\"reason\":\""];
            let mut found: Vec<&str> = Vec::new();
            for name in names {
                found.extend(body.split(name).skip(1).filter_map(|rest| rest.split('"').next()));
            }
            found.dedup();
            page.push_str(&format!("{protocol} {stop:?}: {}\n", found.join(", ")));
        }
    }
    insta::assert_snapshot!(page);
}

#[tokio::test]
async fn usage_and_encrypted_reasoning_come_only_when_asked_for() {
    let server = Server::start(ModelScript::new().turn(everything()).turn(everything())).await.unwrap();
    let mut chat = ask(WireProtocol::Chat, "go");
    chat.as_object_mut().unwrap().remove("stream_options");
    assert!(!post(&server, WireProtocol::Chat, &chat).await.body.contains("usage"));
    let mut responses = ask(WireProtocol::Responses, "go");
    responses.as_object_mut().unwrap().remove("include");
    assert!(!post(&server, WireProtocol::Responses, &responses).await.body.contains("encrypted_content"));
    server.finish().unwrap();
}
