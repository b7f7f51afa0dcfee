//! Which turn answers which request, and what a script demands of it.

use fore_testkit::{
    Demand, Expect, ModelScript, ResultExpect, Server, ValueExpect, WireProtocol, call, reasoning, text,
};
use serde_json::{Value, json};

use crate::client::{path, post, send};
use crate::requests::{Done, answered, ask, ask_with, history};

fn read_done(id: String, result: &'static str) -> Done {
    Done { id, name: "Read", arguments: json!({"path": "a.rs"}), result }
}

fn call_id(protocol: WireProtocol, part: usize) -> String {
    let prefix = if protocol == WireProtocol::Anthropic { "toolu_" } else { "call_" };
    format!("{prefix}c0t0p{part}")
}

fn seal_name(protocol: WireProtocol) -> &'static str {
    match protocol {
        WireProtocol::Anthropic => "signature",
        WireProtocol::Responses => "encrypted_content",
        WireProtocol::Chat => "no seals here",
        WireProtocol::Gemini => "thoughtSignature",
    }
}

#[tokio::test]
async fn the_same_story_with_reasoning_and_tools_runs_on_all_four_protocols() {
    for protocol in WireProtocol::ALL {
        let script = ModelScript::new()
            .turn(
                reasoning("I should look.")
                    .text("Looking.")
                    .call("Read", json!({"path": "a.rs"}))
                    .call("Read", json!({"path": "a.rs"}))
                    .expect_user("hello")
                    .expect_tool("Read"),
            )
            .turn(text("Done.").expect_result("Read", "fn main").expect_system("You are a test"));
        let server = Server::start(script).await.unwrap();
        let first = ask(protocol, "hello there");
        let got = post(&server, protocol, &first).await;
        assert_eq!((got.status, got.complete), (200, true), "{protocol}: {}", got.body);
        let seal = got.find(seal_name(protocol)).unwrap_or_default();
        let calls = [read_done(call_id(protocol, 2), "fn main() {}"), read_done(call_id(protocol, 3), "again")];
        let second = answered(protocol, first, Some(("I should look.", &seal)), Some("Looking."), &calls);
        let got = post(&server, protocol, &second).await;
        assert_eq!(got.status, 200, "{protocol}: {}", got.body);
        assert!(got.body.contains("Done."), "{protocol}: {}", got.body);
        let requests = server.finish().unwrap();
        assert_eq!(requests.iter().map(|request| request.turn).collect::<Vec<_>>(), [Some(0), Some(1)]);
    }
}

#[tokio::test]
async fn reasoning_before_plain_words_comes_back_too() {
    for protocol in WireProtocol::ALL {
        let script = || ModelScript::new().turn(reasoning("Hm.").text("Yes, it is.")).turn(text("Bye."));
        let go_on = |seal: Option<&str>| {
            let reasoning = seal.map(|seal| ("Hm.", seal));
            let mut body = answered(protocol, ask(protocol, "is it?"), reasoning, Some("Yes, it is."), &[]);
            let more = ask(protocol, "thanks")[history(protocol)].as_array().unwrap().last().unwrap().clone();
            body[history(protocol)].as_array_mut().unwrap().push(more);
            body
        };
        let server = Server::start(script()).await.unwrap();
        let seal = post(&server, protocol, &ask(protocol, "is it?")).await.find(seal_name(protocol));
        let got = post(&server, protocol, &go_on(seal.as_deref())).await;
        assert_eq!(got.status, 200, "{protocol}: {}", got.body);
        server.finish().unwrap();
        let server = Server::start(script().allow_unused_turns()).await.unwrap();
        post(&server, protocol, &ask(protocol, "is it?")).await;
        let got = post(&server, protocol, &go_on(None)).await;
        assert_eq!(got.status, if protocol == WireProtocol::Chat { 200 } else { 400 }, "{protocol}: {}", got.body);
    }
}

#[tokio::test]
async fn conversations_at_the_same_time_do_not_mix() {
    const AGENTS: usize = 20;
    const TURNS: usize = 5;
    let name = |agent: usize| format!("agent-{agent};");
    let mut script = ModelScript::new();
    for agent in 0..AGENTS {
        let turns = (0..TURNS).map(|turn| text(format!("{} says {turn}", name(agent))));
        script = script.conversation(name(agent), name(agent), turns);
    }
    let server = Server::start(script).await.unwrap();
    let talk = async |agent: usize| {
        let protocol = WireProtocol::ALL[agent % 4];
        let body = ask_with(protocol, &format!("You are {}", name(agent)), "go");
        for turn in 0..TURNS {
            let got = post(&server, protocol, &body).await;
            let words = format!("{} says {turn}", name(agent));
            let said: String = got.events().iter().filter_map(|event| delta_of(protocol, event)).collect();
            assert_eq!(said, words);
        }
    };
    futures_util::future::join_all((0..AGENTS).map(talk)).await;
    assert_eq!(server.finish().unwrap().len(), AGENTS * TURNS);
}

fn delta_of(protocol: WireProtocol, event: &Value) -> Option<String> {
    let text = match protocol {
        WireProtocol::Anthropic => &event["delta"]["text"],
        WireProtocol::Responses => &event["delta"],
        WireProtocol::Chat => &event["choices"][0]["delta"]["content"],
        WireProtocol::Gemini => &event["candidates"][0]["content"]["parts"][0]["text"],
    };
    text.as_str().map(str::to_owned)
}

#[tokio::test]
async fn conversations_with_a_key_have_their_own_turns() {
    let script = ModelScript::new()
        .turn(text("main one"))
        .turn(text("main two"))
        .conversation("explore", "You explore", [text("explore one")])
        .conversation("by user", "KEY-7", [text("seven one")]);
    let server = Server::start(script).await.unwrap();
    let protocol = WireProtocol::Chat;
    let got = post(&server, protocol, &ask(protocol, "a")).await;
    assert_eq!(got.find("content").unwrap(), "main one");
    let got = post(&server, protocol, &ask_with(protocol, "You explore code.", "b")).await;
    assert_eq!(got.find("content").unwrap(), "explore one");
    let got = post(&server, protocol, &ask(protocol, "c KEY-7 d")).await;
    assert_eq!(got.find("content").unwrap(), "seven one");
    let got = post(&server, protocol, &ask(protocol, "e")).await;
    assert_eq!(got.find("content").unwrap(), "main two");
    let names: Vec<_> = server.finish().unwrap().into_iter().filter_map(|request| request.conversation).collect();
    assert_eq!(names, ["main", "explore", "by user", "main"]);
}

#[tokio::test]
async fn a_request_too_many_and_a_turn_too_many_fail_the_test() {
    let server = Server::start(ModelScript::new().turn(text("one"))).await.unwrap();
    post(&server, WireProtocol::Chat, &ask(WireProtocol::Chat, "a")).await;
    let got = post(&server, WireProtocol::Chat, &ask(WireProtocol::Chat, "b")).await;
    assert_eq!(got.status, 400);
    let report = server.finish().unwrap_err().to_string();
    insta::assert_snapshot!(report, @r"
    request 1 (chat, main) breaks: the script has a turn for every request
      at        main
      expected  no request after 1 turns
      found     one more request
    ");
    let script = ModelScript::new().turn(text("one")).conversation("sub", "key", [text("two")]);
    let report = Server::start(script).await.unwrap().finish().unwrap_err().to_string();
    insta::assert_snapshot!(report, @r"
    never asked for: main: turn 0 of 1
    never asked for: sub: turn 0 of 1
    ");
    let script = ModelScript::new().turn(text("one")).allow_unused_turns();
    assert_eq!(Server::start(script).await.unwrap().finish().unwrap(), []);
}

#[tokio::test]
async fn broken_expectations_are_reported_with_what_came() {
    let value = ValueExpect {
        protocol: Some(WireProtocol::Anthropic),
        path: "$.messages[-1].role".to_owned(),
        demand: Demand::Equals(json!("assistant")),
    };
    let other =
        ValueExpect { protocol: Some(WireProtocol::Gemini), path: "$.never".to_owned(), demand: Demand::Exists(true) };
    let turn = text("no")
        .expect_user("goodbye")
        .expect_system("strict")
        .expect_result("Read", "fn")
        .expect_tool("Write")
        .expect_value(value)
        .expect_value(other);
    let server = Server::start(ModelScript::new().turn(turn).allow_unused_turns()).await.unwrap();
    let got = post(&server, WireProtocol::Anthropic, &ask(WireProtocol::Anthropic, "hello")).await;
    assert_eq!(got.status, 400);
    assert_eq!(got.json()["error"]["type"], "invalid_request_error");
    insta::assert_snapshot!(server.finish().unwrap_err().to_string(), @r#"
    request 0 (anthropic, main) breaks: the script's expectation
      at        system prompt
      expected  containing "strict"
      found     You are a test.
    request 0 (anthropic, main) breaks: the script's expectation
      at        last user message
      expected  containing "goodbye"
      found     "hello"
    request 0 (anthropic, main) breaks: the script's expectation
      at        tool results of the last message
      expected  a result of Read containing "fn"
      found     no tool results
    request 0 (anthropic, main) breaks: the script's expectation
      at        tools
      expected  a tool named Write
      found     Read
    request 0 (anthropic, main) breaks: the script's expectation
      at        $.messages[-1].role
      expected  equal to "assistant"
      found     "user"
    "#);
}

#[tokio::test]
async fn results_are_expected_by_tool_text_and_error_mark() {
    let wanted = |contains: &str, lacks: &str, is_error: bool| ResultExpect {
        tool: "Read".to_owned(),
        contains: Some(contains.to_owned()),
        lacks: Some(lacks.to_owned()),
        is_error: Some(is_error),
    };
    let cases = [
        (wanted("no such", "secret", true), 200),
        (wanted("no such", "file", true), 400),
        (wanted("found", "secret", true), 400),
        (wanted("no such", "secret", false), 400),
        (ResultExpect { tool: "Write".to_owned(), ..wanted("no such", "secret", true) }, 400),
    ];
    for (result, status) in cases {
        let mut second = text("x");
        second.expect = Some(Expect { results: vec![result], ..Expect::default() });
        let script = ModelScript::new().turn(call("Read", json!({"path": "a.rs"}))).turn(second).allow_unused_turns();
        let server = Server::start(script).await.unwrap();
        let first = ask(WireProtocol::Anthropic, "go");
        post(&server, WireProtocol::Anthropic, &first).await;
        let done = read_done(call_id(WireProtocol::Anthropic, 0), "no such file");
        let mut body = answered(WireProtocol::Anthropic, first, None, None, &[done]);
        body["messages"][2]["content"][0]["is_error"] = json!(true);
        let got = post(&server, WireProtocol::Anthropic, &body).await;
        assert_eq!(got.status, status, "{}", got.body);
    }
}

#[tokio::test]
async fn tests_without_a_runtime_can_use_the_server_too() {
    let server = std::thread::spawn(|| {
        let server = Server::start_blocking(ModelScript::new().turn(call("Read", json!({"path": "a"})))).unwrap();
        assert_eq!(server.url(WireProtocol::Chat), format!("{}/v1", server.origin()));
        assert_eq!(server.url(WireProtocol::Anthropic), server.origin());
        server
    })
    .join()
    .unwrap();
    post(&server, WireProtocol::Gemini, &ask(WireProtocol::Gemini, "a")).await;
    assert!(server.wait_requests_blocking(1));
    server.finish().unwrap();
}

#[tokio::test]
async fn requests_are_recorded_byte_for_byte_without_keys() {
    let turns = WireProtocol::ALL.map(|protocol| text(protocol.name()));
    let script = turns.into_iter().fold(ModelScript::new().turn(text("by query")), ModelScript::turn);
    let server = Server::start(script).await.unwrap();
    let body = ask(WireProtocol::Gemini, "a").to_string().replace(':', " : ");
    let path = format!("{}&key=secret", path(WireProtocol::Gemini));
    send(&server, "POST", &path, &[("content-type", "application/json")], &body).await;
    for protocol in WireProtocol::ALL {
        post(&server, protocol, &ask(protocol, "a")).await;
    }
    let requests = server.finish().unwrap();
    assert_eq!(requests[0].path, "/v1beta/models/m:streamGenerateContent?alt=sse&key=<redacted>");
    assert_eq!(requests[0].body, body);
    for (protocol, request) in WireProtocol::ALL.into_iter().zip(&requests[1..]) {
        assert_eq!((request.protocol, request.json()), (Some(protocol), ask(protocol, "a")));
    }
    let keys = ["x-api-key", "authorization", "authorization", "x-goog-api-key"];
    let kept: Vec<_> = keys.iter().zip(&requests[1..]).map(|(name, request)| request.header(name)).collect();
    assert_eq!(kept, [Some("<redacted>"), Some("Bearer <redacted>"), Some("Bearer <redacted>"), Some("<redacted>")]);
    assert!(!format!("{requests:?}").contains("secret"));
}

#[tokio::test]
async fn models_are_listed_in_each_shape_and_others_do_not_exist() {
    let script = ModelScript::new().model("known").allow_unused_turns().turn(text("never"));
    let server = Server::start(script).await.unwrap();
    let anthropic = send(&server, "GET", "/v1/models", &[("anthropic-version", "2023-06-01")], "").await.json();
    assert_eq!(anthropic["data"][0]["id"], "known");
    assert_eq!(anthropic["has_more"], false);
    assert_eq!(send(&server, "GET", "/v1/models", &[], "").await.json()["data"][0]["object"], "model");
    assert_eq!(send(&server, "GET", "/v1beta/models", &[], "").await.json()["models"][0]["name"], "models/known");
    assert_eq!(send(&server, "GET", "/api/tags", &[], "").await.json()["models"][0]["model"], "known");
    assert_eq!(send(&server, "GET", "/health", &[], "").await.status, 404);
    for protocol in WireProtocol::ALL {
        assert_eq!(post(&server, protocol, &ask(protocol, "a")).await.status, 404);
    }
    server.finish().unwrap();
}

#[tokio::test]
async fn another_key_than_the_scripts_is_refused_as_the_provider_does() {
    let server = Server::start(ModelScript::new().key("right").turn(text("never")).allow_unused_turns()).await.unwrap();
    let mut statuses = Vec::new();
    for protocol in WireProtocol::ALL {
        statuses.push(post(&server, protocol, &ask(protocol, "a")).await.status);
    }
    assert_eq!(statuses, [401, 401, 401, 400]);
    server.finish().unwrap();
}
