//! Every rule of every protocol, broken once: the report says where, what was expected and what came.

use fore_testkit::{ModelScript, ScriptedTurn, Server, WireProtocol, reasoning, text};
use serde_json::{Value, json};

use crate::client::{Got, headers, path, post, send};
use crate::requests::{Done, answered, ask, history};

type Change = (&'static str, fn(&mut Value));
type HeaderCase<'a> = (&'a str, WireProtocol, &'a [(&'a str, &'a str)]);

/// The reports of requests that are right except for one change each.
async fn page(protocol: WireProtocol, start: Value, changes: &[Change]) -> String {
    let mut page = String::new();
    for (name, change) in changes {
        let mut body = start.clone();
        change(&mut body);
        let server = Server::start(ModelScript::new().turn(text("x")).allow_unused_turns()).await.unwrap();
        let got = post(&server, protocol, &body).await;
        let report = server.finish().map_or_else(|report| report.to_string(), |_| "no violation\n".to_owned());
        page.push_str(&format!("## {name} ({})\n{report}\n", got.status));
    }
    page
}

fn push(body: &mut Value, field: &str, value: Value) {
    body[field].as_array_mut().unwrap().push(value);
}

fn remove(body: &mut Value, field: &str) {
    body.as_object_mut().unwrap().remove(field);
}

#[tokio::test]
async fn anthropic_requests_keep_the_rules() {
    let changes: &[Change] = &[
        ("nothing changed", |_| {}),
        ("an unknown field", |body| body["n"] = json!(2)),
        ("no limit", |body| remove(body, "max_tokens")),
        ("a limit of zero", |body| body["max_tokens"] = json!(0)),
        ("no stream", |body| remove(body, "stream")),
        ("no model", |body| remove(body, "model")),
        ("no messages", |body| body["messages"] = json!([])),
        ("a system role", |body| body["messages"][0]["role"] = json!("system")),
        ("an empty text", |body| body["messages"][0]["content"][0]["text"] = json!("")),
        ("a blank system prompt", |body| body["system"][0]["text"] = json!(" ")),
        ("an unknown block", |body| body["messages"][0]["content"][0] = json!({"type": "input_text", "text": "x"})),
        ("an unknown field in a block", |body| body["messages"][0]["content"][0]["role"] = json!("user")),
        ("the user twice", |body| push(body, "messages", json!({"role": "user", "content": "again"}))),
        ("the assistant last", |body| push(body, "messages", json!({"role": "assistant", "content": "I"}))),
        ("the assistant first", |body| {
            body["messages"] = json!([{"role": "assistant", "content": "I"}, {"role": "user", "content": "you"}]);
        }),
        ("a bad tool name", |body| body["tools"][0]["name"] = json!("read file")),
        ("a tool twice", |body| {
            let tool = body["tools"][0].clone();
            push(body, "tools", tool);
        }),
        ("no schema", |body| remove(&mut body["tools"][0], "input_schema")),
        ("a schema that is no object", |body| body["tools"][0]["input_schema"] = json!({"type": "string"})),
        ("a required property that is none", |body| {
            body["tools"][0]["input_schema"]["required"] = json!(["path", "other"]);
        }),
        ("an unknown type", |body| {
            body["tools"][0]["input_schema"]["properties"]["path"]["type"] = json!("text");
        }),
        ("an array without items", |body| {
            body["tools"][0]["input_schema"]["properties"]["path"]["type"] = json!("array");
        }),
        ("an empty enum", |body| body["tools"][0]["input_schema"]["properties"]["path"]["enum"] = json!([])),
        ("five cache marks", |body| {
            let block = json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}});
            body["messages"][0]["content"] = json!([block, block, block, block]);
        }),
        ("a small thinking budget", |body| body["thinking"] = json!({"type": "enabled", "budget_tokens": 5})),
        ("an unknown kind of thinking", |body| body["thinking"] = json!({"type": "hard"})),
        ("a call nobody made", |body| {
            let call = json!({"type": "tool_use", "id": "toolu_x", "name": "Read", "input": {}});
            push(body, "messages", json!({"role": "assistant", "content": [call]}));
            let result = json!({"type": "tool_result", "tool_use_id": "toolu_x", "content": "x"});
            push(body, "messages", json!({"role": "user", "content": [result]}));
        }),
        ("a signature nobody made", |body| {
            let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "forged"});
            push(body, "messages", json!({"role": "assistant", "content": [thinking]}));
            push(body, "messages", json!({"role": "user", "content": "go on"}));
        }),
        ("a result nobody asked for", |body| {
            body["messages"][0]["content"] = json!([{"type": "tool_result", "tool_use_id": "toolu_x", "content": "x"}]);
        }),
    ];
    insta::assert_snapshot!(page(WireProtocol::Anthropic, ask(WireProtocol::Anthropic, "go"), changes).await);
}

#[tokio::test]
async fn responses_requests_keep_the_rules() {
    let changes: &[Change] = &[
        ("nothing changed", |_| {}),
        ("an unknown field", |body| body["max_tokens"] = json!(2)),
        ("a stored response", |body| body["previous_response_id"] = json!("resp_1")),
        ("no input", |body| remove(body, "input")),
        ("a limit of zero", |body| body["max_output_tokens"] = json!(0)),
        ("an unknown role", |body| body["input"][0]["role"] = json!("tool")),
        ("a part of the wrong side", |body| body["input"][0]["content"][0]["type"] = json!("output_text")),
        ("an empty text", |body| body["input"][0]["content"][0]["text"] = json!("")),
        ("an unknown item", |body| push(body, "input", json!({"type": "tool_result"}))),
        ("a nested tool", |body| body["tools"][0] = json!({"type": "function", "function": {"name": "Read"}})),
        ("a strict tool with optional properties", |body| {
            body["tools"][0]["strict"] = json!(true);
            remove(&mut body["tools"][0]["parameters"], "required");
        }),
        ("a dotted tool name", |body| body["tools"][0]["name"] = json!("read.file")),
        ("an item id of another kind", |body| {
            push(body, "input", json!({"type": "reasoning", "id": "msg_1", "summary": []}));
            push(body, "input", json!({"role": "user", "content": "go on"}));
        }),
        ("arguments that are no text", |body| {
            push(body, "input", json!({"type": "function_call", "call_id": "call_x", "name": "Read", "arguments": {}}));
            push(body, "input", json!({"type": "function_call_output", "call_id": "call_x", "output": "x"}));
        }),
        ("an output without a call", |body| {
            push(body, "input", json!({"type": "function_call_output", "call_id": "call_x", "output": "x"}));
        }),
    ];
    insta::assert_snapshot!(page(WireProtocol::Responses, ask(WireProtocol::Responses, "go"), changes).await);
}

#[tokio::test]
async fn chat_requests_keep_the_rules() {
    let changes: &[Change] = &[
        ("nothing changed", |_| {}),
        ("an unknown field", |body| body["input"] = json!("x")),
        ("two limits", |body| {
            body["max_tokens"] = json!(5);
            body["max_completion_tokens"] = json!(5);
        }),
        ("an unknown role", |body| body["messages"][1]["role"] = json!("model")),
        ("no content", |body| remove(&mut body["messages"][1], "content")),
        ("a part of another protocol", |body| {
            body["messages"][1]["content"] = json!([{"type": "input_text", "text": "x"}]);
        }),
        ("a flat tool", |body| body["tools"][0] = json!({"type": "function", "name": "Read"})),
        ("no calls but the field", |body| {
            push(body, "messages", json!({"role": "assistant", "content": "I", "tool_calls": []}));
            push(body, "messages", json!({"role": "user", "content": "go on"}));
        }),
        ("an assistant without words", |body| {
            push(body, "messages", json!({"role": "assistant", "content": ""}));
            push(body, "messages", json!({"role": "user", "content": "go on"}));
        }),
        ("a result without a call", |body| {
            push(body, "messages", json!({"role": "tool", "tool_call_id": "call_x", "content": "x"}));
        }),
    ];
    insta::assert_snapshot!(page(WireProtocol::Chat, ask(WireProtocol::Chat, "go"), changes).await);
}

#[tokio::test]
async fn gemini_requests_keep_the_rules() {
    let changes: &[Change] = &[
        ("nothing changed", |_| {}),
        ("an unknown field", |body| body["messages"] = json!([])),
        ("an unknown field of the configuration", |body| body["generationConfig"] = json!({"maxTokens": 5})),
        ("a limit of zero", |body| body["generationConfig"] = json!({"maxOutputTokens": 0})),
        ("an unknown role", |body| body["contents"][0]["role"] = json!("assistant")),
        ("no parts", |body| body["contents"][0]["parts"] = json!([])),
        ("an empty text", |body| body["contents"][0]["parts"][0]["text"] = json!("")),
        ("a part of two kinds", |body| body["contents"][0]["parts"][0]["inlineData"] = json!({})),
        ("a keyword outside of the subset", |body| {
            body["tools"][0]["functionDeclarations"][0]["parameters"]["additionalProperties"] = json!(false);
        }),
        ("the same keyword in full JSON schema", |body| {
            let function = &mut body["tools"][0]["functionDeclarations"][0];
            function["parametersJsonSchema"] = function["parameters"].take();
            remove(function, "parameters");
            function["parametersJsonSchema"]["additionalProperties"] = json!(false);
        }),
        ("a name that begins with a digit", |body| {
            body["tools"][0]["functionDeclarations"][0]["name"] = json!("7read");
        }),
        ("the model twice", |body| {
            push(body, "contents", json!({"role": "model", "parts": [{"text": "I"}]}));
            push(body, "contents", json!({"role": "model", "parts": [{"text": "I"}]}));
            push(body, "contents", json!({"role": "user", "parts": [{"text": "go on"}]}));
        }),
        ("a response without id that is no object", |body| {
            let response = json!({"functionResponse": {"name": "Read", "response": "x"}});
            push(
                body,
                "contents",
                json!({"role": "model", "parts": [{"functionCall": {"id": "call_x", "name": "Read"}}]}),
            );
            push(body, "contents", json!({"role": "user", "parts": [response]}));
        }),
    ];
    insta::assert_snapshot!(page(WireProtocol::Gemini, ask(WireProtocol::Gemini, "go"), changes).await);
}

#[tokio::test]
async fn headers_are_required_and_keys_stay_out_of_the_report() {
    let mut page = String::new();
    let json_type = ("content-type", "application/json");
    let cases: &[HeaderCase<'_>] = &[
        ("no headers", WireProtocol::Anthropic, &[]),
        (
            "an old version",
            WireProtocol::Anthropic,
            &[json_type, ("x-api-key", "hidden"), ("anthropic-version", "2023-01-01")],
        ),
        (
            "two ways",
            WireProtocol::Anthropic,
            &[
                json_type,
                ("x-api-key", "hidden"),
                ("authorization", "Bearer hidden"),
                ("anthropic-version", "2023-06-01"),
            ],
        ),
        ("no key", WireProtocol::Responses, &[json_type]),
        ("another scheme", WireProtocol::Responses, &[json_type, ("authorization", "Basic hidden")]),
        ("no scheme", WireProtocol::Chat, &[json_type, ("authorization", "hidden")]),
        ("no key on the own machine", WireProtocol::Chat, &[json_type]),
        ("no key", WireProtocol::Gemini, &[json_type]),
    ];
    for (name, protocol, headers) in cases {
        let server = Server::start(ModelScript::new().turn(text("x")).allow_unused_turns()).await.unwrap();
        let body = ask(*protocol, "go").to_string();
        let got = send(&server, "POST", &path(*protocol), headers, &body).await;
        let report = server.finish().map_or_else(|report| report.to_string(), |_| "no violation\n".to_owned());
        page.push_str(&format!("## {protocol}: {name} ({})\n{report}\n", got.status));
    }
    assert!(!page.contains("hidden"), "{page}");
    insta::assert_snapshot!(page);
}

#[tokio::test]
async fn bodies_and_paths_that_belong_to_no_protocol_are_reported() {
    let server = Server::start(ModelScript::new().turn(text("x")).allow_unused_turns()).await.unwrap();
    let got = send(&server, "POST", "/v1/messages", &headers(WireProtocol::Anthropic), "{\"model\": ").await;
    assert_eq!(got.status, 400);
    assert_eq!(send(&server, "POST", "/v1/message", &headers(WireProtocol::Anthropic), "{}").await.status, 404);
    let got = send(&server, "POST", "/v1/responses", &headers(WireProtocol::Responses), "[]").await;
    assert_eq!(got.status, 400);
    insta::assert_snapshot!(server.finish().unwrap_err().to_string(), @r#"
    request 0 (anthropic) breaks: the body is JSON
      at        $
      expected  JSON
      found     EOF while parsing a value at line 1 column 10
    request 1 (no known protocol) breaks: the path belongs to a protocol
      at        path
      expected  /v1/messages, /v1/responses, /v1/chat/completions, /v1beta/models/{model}:streamGenerateContent
      found     POST /v1/message
    request 2 (responses, main) breaks: the body is a JSON object
      at        $
      expected  an object
      found     []
    request 2 (responses, main) breaks: there are messages
      at        $
      expected  at least one message of the user
      found     none
    "#);
}

/// What a client may do wrong with an answer that it got.
struct Returned<'a> {
    protocol: WireProtocol,
    first: Value,
    seal: &'a str,
}

impl Returned<'_> {
    fn with(&self, seal: Option<&str>, order: [usize; 2], results: usize) -> Value {
        let done = |part: usize| Done {
            id: format!("{}c0t0p{part}", if self.protocol == WireProtocol::Anthropic { "toolu_" } else { "call_" }),
            name: "Read",
            arguments: json!({"path": format!("{part}.rs")}),
            result: "text",
        };
        let reasoning = seal.map(|seal| ("Hm.", seal));
        let calls = order.map(done);
        let mut body = answered(self.protocol, self.first.clone(), reasoning, None, &calls);
        let list = body[history(self.protocol)].as_array_mut().unwrap();
        for _ in results..2 {
            match self.protocol {
                WireProtocol::Anthropic => drop(list.last_mut().unwrap()["content"].as_array_mut().unwrap().pop()),
                WireProtocol::Gemini => drop(list.last_mut().unwrap()["parts"].as_array_mut().unwrap().pop()),
                WireProtocol::Responses | WireProtocol::Chat => drop(list.pop()),
            }
        }
        body
    }
}

fn two_calls() -> ScriptedTurn {
    reasoning("Hm.").call("Read", json!({"path": "1.rs"})).call("Read", json!({"path": "2.rs"}))
}

async fn second(protocol: WireProtocol, body: impl Fn(&Returned<'_>) -> Value) -> (Got, String) {
    let server =
        Server::start(ModelScript::new().turn(two_calls()).turn(text("x")).allow_unused_turns()).await.unwrap();
    let first = ask(protocol, "go");
    let got = post(&server, protocol, &first).await;
    let name = match protocol {
        WireProtocol::Anthropic => "signature",
        WireProtocol::Responses => "encrypted_content",
        WireProtocol::Chat => "none",
        WireProtocol::Gemini => "thoughtSignature",
    };
    let seal = got.find(name).unwrap_or_default();
    let got = post(&server, protocol, &body(&Returned { protocol, first, seal: &seal })).await;
    let report = server.finish().map_or_else(|report| report.to_string(), |_| "no violation\n".to_owned());
    (got, report)
}

#[tokio::test]
async fn answers_come_back_whole_and_every_call_is_answered_once() {
    let mut page = String::new();
    for protocol in WireProtocol::ALL {
        let (got, report) = second(protocol, |returned| returned.with(Some(returned.seal), [1, 2], 2)).await;
        assert_eq!((got.status, report.as_str()), (200, "no violation\n"), "{protocol}");
        let (_, report) = second(protocol, |returned| returned.with(Some(returned.seal), [1, 2], 1)).await;
        page.push_str(&format!("## {protocol}: one result missing\n{report}\n"));
        let (_, report) = second(protocol, |returned| returned.with(Some(returned.seal), [2, 1], 2)).await;
        page.push_str(&format!("## {protocol}: calls exchanged\n{report}\n"));
        if protocol != WireProtocol::Chat {
            let (_, report) = second(protocol, |returned| returned.with(None, [1, 2], 2)).await;
            page.push_str(&format!("## {protocol}: seal lost\n{report}\n"));
            let (_, report) = second(protocol, |returned| returned.with(Some("forged"), [1, 2], 2)).await;
            page.push_str(&format!("## {protocol}: seal changed\n{report}\n"));
        }
        let (_, report) = second(protocol, |returned| {
            let text = returned.with(Some(returned.seal), [1, 2], 2).to_string();
            serde_json::from_str(&text.replace("1.rs", "changed.rs")).unwrap()
        })
        .await;
        page.push_str(&format!("## {protocol}: arguments changed\n{report}\n"));
    }
    insta::assert_snapshot!(page);
}

#[tokio::test]
async fn reasoning_text_comes_back_as_it_was_sent() {
    for protocol in [WireProtocol::Anthropic, WireProtocol::Responses] {
        let (got, report) = second(protocol, |returned| {
            let text = returned.with(Some(returned.seal), [1, 2], 2).to_string();
            serde_json::from_str(&text.replace("\"Hm.\"", "\"Well.\"")).unwrap()
        })
        .await;
        assert_eq!(got.status, 400, "{protocol}");
        assert!(report.contains("reasoning comes back unchanged"), "{protocol}: {report}");
    }
}

#[tokio::test]
async fn reasoning_of_chat_may_stay_out_but_not_change() {
    for (words, status) in [("Hm.", 200), ("Well.", 400)] {
        let (got, report) = second(WireProtocol::Chat, |returned| {
            let mut body = returned.with(None, [1, 2], 2);
            body["messages"][2]["reasoning_content"] = json!(words);
            body
        })
        .await;
        assert_eq!(got.status, status, "{report}");
        assert_eq!(report.contains("$.messages[2].reasoning_content"), status == 400, "{report}");
    }
}

#[tokio::test]
async fn an_answer_that_comes_back_twice_is_reported() {
    for protocol in WireProtocol::ALL {
        let (got, report) = second(protocol, |returned| {
            let mut body = returned.with(Some(returned.seal), [1, 2], 2);
            let list = body[history(protocol)].as_array_mut().unwrap();
            let system = usize::from(protocol == WireProtocol::Chat);
            let again = list[1 + system..].to_vec();
            list.extend(again);
            body
        })
        .await;
        assert_eq!(got.status, 400, "{protocol}");
        assert!(report.contains("an answer after turn 0"), "{protocol}: {report}");
    }
}

#[tokio::test]
async fn seals_need_not_come_back_to_another_model() {
    let (got, report) = second(WireProtocol::Anthropic, |returned| {
        let mut body = returned.with(None, [1, 2], 2);
        body["model"] = json!("another");
        body
    })
    .await;
    assert_eq!((got.status, report.as_str()), (200, "no violation\n"));
}

#[tokio::test]
async fn results_after_words_are_refused_by_anthropic() {
    let (_, report) = second(WireProtocol::Anthropic, |returned| {
        let mut body = returned.with(Some(returned.seal), [1, 2], 2);
        let content = body["messages"][2]["content"].as_array_mut().unwrap();
        content.insert(1, json!({"type": "text", "text": "by the way"}));
        body
    })
    .await;
    assert!(report.contains("tool results come first"), "{report}");
}

#[tokio::test]
async fn foreign_history_is_accepted_when_the_script_says_so() {
    for protocol in WireProtocol::ALL {
        let server = Server::start(ModelScript::new().turn(text("x")).foreign_history()).await.unwrap();
        let done = Done { id: "toolu_old".to_owned(), name: "Read", arguments: json!({"path": "a"}), result: "text" };
        let body = answered(protocol, ask(protocol, "go"), Some(("Hm.", "old seal")), None, &[done]);
        assert_eq!(post(&server, protocol, &body).await.status, 200, "{protocol}");
        server.finish().unwrap();
    }
}
