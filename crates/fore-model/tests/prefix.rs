//! The bytes a provider caches: request N+1 begins with everything request N held, whatever happens in between.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use fore_model::measure::encode;
use fore_model::{
    Arguments, Block, CacheMarks, ChosenModel, History, Image, Message, ModelRequest, Reasoning, ResultPart, Seal,
    TextBlock, ToolChoice, ToolResult, ToolUse,
};
use fore_testkit::{ModelScript, WireProtocol, reasoning, text};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{ALL, Setting, chosen, each, request};

/// The body, and where its history ends.
fn encoded(request: &ModelRequest, model: &ChosenModel) -> (Vec<u8>, usize) {
    let mut body = Vec::new();
    let mut last = 0;
    let announced = encode(request, model, &mut |piece| {
        last = body.len();
        body.extend_from_slice(piece);
    });
    assert_eq!(announced, body.len() as u64);
    serde_json::from_slice::<Value>(&body).expect("a body is JSON");
    (body, last)
}

fn scripted(protocol: WireProtocol) -> ChosenModel {
    chosen(protocol, support::MODEL, "http://127.0.0.1:1/v1")
}

fn seal(protocol: WireProtocol, word: &str) -> Option<Seal> {
    let data = match protocol {
        WireProtocol::Anthropic => json!({ "signature": word }),
        WireProtocol::Responses => {
            json!({"item": {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": word}})
        }
        WireProtocol::Chat => json!({}),
        WireProtocol::Gemini => json!({ "thoughtSignature": word }),
    };
    Some(Seal { from: support::ours(protocol), model: support::MODEL.into(), data })
}

/// One round: what the user says, and what the model answers.
#[derive(Clone, Debug)]
struct Round {
    user: String,
    picture: bool,
    thought: Option<String>,
    text: String,
    calls: Vec<(String, bool)>,
}

fn round() -> impl Strategy<Value = Round> {
    let calls = prop::collection::vec(("[a-z\"\\\\ é]{0,6}", any::<bool>()), 0..3);
    ("\\PC{1,12}", any::<bool>(), prop::option::of("\\PC{0,8}"), "\\PC{0,12}", calls)
        .prop_map(|(user, picture, thought, text, calls)| Round { user, picture, thought, text, calls })
}

/// A conversation that ends with the user, as every request does.
fn messages(protocol: WireProtocol, rounds: &[Round]) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut open: Vec<ToolUse> = Vec::new();
    for (number, round) in rounds.iter().enumerate() {
        let mut user = Message::results(open.drain(..).map(|call| result(&call)).collect());
        user.blocks.push(Block::text(format!("{} <system-reminder>round {number}</system-reminder>", round.user)));
        if round.picture {
            user.blocks.push(Block::Image(Image::from_bytes("image/png", round.user.as_bytes())));
        }
        messages.push(user);
        let mut blocks = Vec::new();
        if let Some(thought) = &round.thought {
            blocks.push(Block::Reasoning(Reasoning { text: thought.clone(), seal: seal(protocol, "sealed") }));
        }
        blocks.push(Block::Text(TextBlock { text: format!("answer {}", round.text), seal: None }));
        for (index, (argument, broken)) in round.calls.iter().enumerate() {
            let arguments = if *broken {
                Arguments::parse(&format!("{{{argument}"))
            } else {
                Arguments::Ok(json!({ "path": argument }))
            };
            let use_ = ToolUse { id: format!("call_{number}_{index}"), name: "Read".into(), arguments, seal: None };
            open.push(use_.clone());
            blocks.push(Block::ToolUse(use_));
        }
        messages.push(Message::assistant(blocks));
    }
    let mut last = Message::results(open.drain(..).map(|call| result(&call)).collect());
    last.blocks.push(Block::text("go on"));
    messages.push(last);
    messages
}

fn result(call: &ToolUse) -> ToolResult {
    let mut result = ToolResult::text(call, format!("result of {}", call.id));
    result.is_error = call.id.ends_with('1');
    result.content.push(ResultPart::Image(Image::from_bytes("image/png", b"pixels")));
    result
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_longer_history_begins_with_the_bytes_of_the_shorter(rounds in prop::collection::vec(round(), 1..5), quiet in any::<bool>()) {
        for protocol in ALL {
            let model = scripted(protocol);
            let all = messages(protocol, &rounds);
            let mut history = History::new();
            let mut before: Option<(Vec<u8>, usize)> = None;
            for message in &all {
                history.push(message.clone());
                if message.role == fore_model::Role::Assistant {
                    continue;
                }
                // What may differ between requests stands after the history.
                let mut asked = request(&history);
                if quiet {
                    asked.tool_choice = ToolChoice::None;
                    asked.max_output_tokens = Some(history.len() as u32 + 1);
                }
                let now = encoded(&asked, &model);
                if let Some((old, end)) = before {
                    prop_assert_eq!(&old[..end], &now.0[..end], "{}", protocol);
                }
                before = Some(now);
            }
        }
    }

    #[test]
    fn the_same_messages_always_give_the_same_bytes(rounds in prop::collection::vec(round(), 1..4)) {
        for protocol in ALL {
            let model = scripted(protocol);
            let build = || request(&messages(protocol, &rounds).into_iter().collect());
            let (first, again) = (build(), build());
            prop_assert_eq!(encoded(&first, &model), encoded(&again, &model));
            prop_assert_eq!(encoded(&first, &model), encoded(&first.clone(), &model), "encoded before or not");
        }
    }

    #[test]
    fn rolling_marks_are_few_and_are_all_that_moves(rounds in prop::collection::vec(round(), 1..5)) {
        let model = scripted(WireProtocol::Anthropic);
        let mut rolling = request(&messages(WireProtocol::Anthropic, &rounds).into_iter().collect());
        let trailing = encoded(&rolling, &model).0;
        rolling.cache.marks = CacheMarks::Rolling;
        let marked = String::from_utf8(encoded(&rolling, &model).0).unwrap();
        let mark = ",\"cache_control\":{\"type\":\"ephemeral\"}";
        prop_assert!(marked.matches(mark).count() <= 4);
        prop_assert!(marked.matches(mark).count() >= 3);
        prop_assert_eq!(marked.replace(mark, ""), String::from_utf8(trailing).unwrap().replace(mark, ""));
    }
}

#[test]
fn neighbours_of_one_role_become_one_message_where_roles_must_alternate() {
    for protocol in ALL {
        let model = scripted(protocol);
        let mut history: History = [Message::user("one")].into_iter().collect();
        let (alone, end) = encoded(&request(&history), &model);
        history.push(Message::user("two"));
        history.push(Message::assistant(vec![]));
        history.push(Message::user("three"));
        let (joined, _) = encoded(&request(&history), &model);
        // All but the end of the message's own list is the same.
        let same = end - "]}".len();
        assert_eq!(joined[..same], alone[..same]);
        let body: Value = serde_json::from_slice(&joined).unwrap();
        let (list, expected) = match protocol {
            WireProtocol::Anthropic => ("messages", 1),
            WireProtocol::Gemini => ("contents", 1),
            WireProtocol::Responses => ("input", 3),
            WireProtocol::Chat => ("messages", 4),
        };
        assert_eq!(body[list].as_array().unwrap().len(), expected, "{protocol}: {body}");
    }
}

/// A planning story: reminders come and go, tools run, the plan is approved, work begins. Tools and system text never change.
#[tokio::test]
async fn a_whole_planning_story_keeps_its_prefix() {
    each(|protocol| async move {
        let script = ModelScript::new()
            .turn(reasoning("Where is it?").text("I look.").call("Read", json!({"path": "src/cart.rs"})))
            .turn(reasoning("").call("Read", json!({"path": "a"})).call("List", json!({})))
            .turn(text("Here is the plan.").call("List", json!({})))
            .turn(text("Approved; I begin.").call("Read", json!({"path": "b"})))
            .turn(text("Done."));
        let setting = Setting::start(protocol, script).await;
        let notes = [
            "<system-reminder>Plan mode is on: nothing may be changed.</system-reminder>",
            "<system-reminder>Plan mode is still on.</system-reminder>",
            "<system-reminder>You left plan mode; the approved plan follows.</system-reminder>",
            "",
        ];
        let mut history: History = [Message::user("add discounts")].into_iter().collect();
        for note in notes {
            let answer = setting.ask(&history).await.unwrap();
            let results = answer.tool_calls().map(|call| ToolResult::text(call, "ok")).collect();
            history.push(answer.into_message());
            let mut message = Message::results(results);
            message.blocks.push(Block::text(note));
            history.push(message);
        }
        assert_eq!(setting.ask(&history).await.unwrap().text(), "Done.");
        let (_, history_end) = encoded(&request(&history), &setting.model);
        let whole = encoded(&request(&history), &setting.model).0;
        let tail = whole[history_end..].to_vec();
        let bodies: Vec<_> = setting.finish().into_iter().map(|request| request.body).collect();
        assert_eq!(bodies.len(), 5);
        for pair in bodies.windows(2) {
            assert!(pair[0].ends_with(&tail), "the settings after the history are the same in every turn");
            let end = pair[0].len() - tail.len();
            assert_eq!(pair[1][..end], pair[0][..end], "{protocol}");
        }
    })
    .await;
}

#[test]
fn a_request_with_everything_looks_like_this() {
    let rounds = [Round {
        user: "Why is login slow?".into(),
        picture: true,
        thought: Some("Hm.".into()),
        text: "I look.".into(),
        calls: vec![("a".into(), false), ("b".into(), true)],
    }];
    for protocol in ALL {
        let history = messages(protocol, &rounds).into_iter().collect();
        let (body, _) = encoded(&request(&history), &scripted(protocol));
        let body: Value = serde_json::from_slice(&body).unwrap();
        insta::assert_snapshot!(format!("everything-{protocol}"), serde_json::to_string_pretty(&body).unwrap());
    }
}

#[test]
fn what_one_model_sealed_is_not_sent_to_another() {
    let round = Round {
        user: "u".into(),
        picture: false,
        thought: Some("t".into()),
        text: String::new(),
        calls: vec![("x".into(), false)],
    };
    for from in ALL {
        let history: History = messages(from, std::slice::from_ref(&round)).into_iter().collect();
        for to in ALL {
            let same = String::from_utf8(encoded(&request(&history), &scripted(to)).0).unwrap();
            let expected = from == to && to != WireProtocol::Chat;
            assert_eq!(same.contains("sealed"), expected, "{from} to {to}");
            let other = chosen(to, "another-model", "http://127.0.0.1:1/v1");
            assert!(
                !String::from_utf8(encoded(&request(&history), &other).0).unwrap().contains("sealed"),
                "{from} to {to}"
            );
        }
    }
}

fn at_home(name: &str) -> ChosenModel {
    let key = |variable: &str| variable.ends_with("_API_KEY").then(|| support::KEY.to_owned());
    fore_model::choose(&fore_model::parse_name(name).unwrap(), &fore_model::ProviderSettings::default(), &key).unwrap()
}

#[test]
fn reasoning_goes_back_in_the_field_its_provider_reads() {
    let details = json!({"details": [{"type": "reasoning.text", "text": "Hm.", "signature": "s", "index": 0}]});
    let table = [
        ("deepseek/m", json!({"role": "assistant", "content": "Yes.", "reasoning_content": "Hm."})),
        ("openrouter/m", json!({"role": "assistant", "content": "Yes.", "reasoning_details": details["details"]})),
        ("groq/m", json!({"role": "assistant", "content": "Yes."})),
    ];
    // One history for all of them: what was encoded for one provider is not sent to another.
    let seal = Some(Seal { from: fore_model::Protocol::ChatCompletions, model: "m".into(), data: details.clone() });
    let thought = Block::Reasoning(Reasoning { text: "Hm.".into(), seal });
    let history: History =
        [Message::user("Well?"), Message::assistant(vec![thought, Block::text("Yes.")]), Message::user("Sure?")]
            .into_iter()
            .collect();
    for (name, expected) in table {
        let (body, _) = encoded(&request(&history), &at_home(name));
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["messages"][2], expected, "{name}");
    }
}

#[test]
fn each_model_is_asked_to_reason_in_its_own_words() {
    use fore_model::{Effort, Thinking};
    let table = [
        (
            "anthropic/claude-opus-5-5",
            Thinking::Effort(Effort::High),
            "thinking",
            json!({"type": "adaptive", "display": "summarized"}),
        ),
        ("anthropic/claude-opus-5-5", Thinking::Budget(20_000), "output_config", json!({"effort": "high"})),
        (
            "anthropic/claude-haiku-4-5",
            Thinking::Effort(Effort::Low),
            "thinking",
            json!({"type": "enabled", "budget_tokens": 2_048}),
        ),
        (
            "anthropic/claude-haiku-4-5",
            Thinking::Budget(9_000),
            "thinking",
            json!({"type": "enabled", "budget_tokens": 3_072}),
        ),
        ("anthropic/claude-haiku-4-5", Thinking::Budget(500), "thinking", Value::Null),
        ("anthropic/claude-3-5-haiku", Thinking::Effort(Effort::Low), "thinking", Value::Null),
        ("openai/gpt-5.4", Thinking::Effort(Effort::Low), "reasoning", json!({"effort": "low", "summary": "auto"})),
        ("openai/gpt-4.1", Thinking::Effort(Effort::Low), "reasoning", Value::Null),
        ("openai/gpt-4.1", Thinking::Effort(Effort::Low), "include", Value::Null),
        ("openrouter/x", Thinking::Budget(9_000), "reasoning", json!({"max_tokens": 9_000})),
        ("groq/x", Thinking::Effort(Effort::High), "reasoning_effort", json!("high")),
        ("mistral/x", Thinking::Effort(Effort::High), "reasoning_effort", Value::Null),
        ("mistral/x", Thinking::Default, "stream_options", Value::Null),
        (
            "google/gemini-3.8-flash",
            Thinking::Effort(Effort::High),
            "generationConfig",
            json!({"maxOutputTokens": 4_096, "thinkingConfig": {"includeThoughts": true, "thinkingLevel": "high"}}),
        ),
        (
            "google/gemini-2.5-pro",
            Thinking::Effort(Effort::Low),
            "generationConfig",
            json!({"maxOutputTokens": 4_096, "thinkingConfig": {"includeThoughts": true, "thinkingBudget": 2_048}}),
        ),
        (
            "google/gemini-2.0-flash",
            Thinking::Effort(Effort::Low),
            "generationConfig",
            json!({"maxOutputTokens": 4_096}),
        ),
    ];
    for (name, thinking, field, expected) in table {
        let asked = ModelRequest { thinking, ..request(&[Message::user("hi")].into_iter().collect()) };
        let body: Value = serde_json::from_slice(&encoded(&asked, &at_home(name)).0).unwrap();
        assert_eq!(body[field], expected, "{name} {thinking:?} {field}");
    }
}

#[test]
fn a_request_without_tools_or_system_text_is_still_a_request() {
    for protocol in ALL {
        let asked =
            ModelRequest::new(fore_model::RequestHead::new("", vec![]), [Message::user("hi")].into_iter().collect());
        let body: Value = serde_json::from_slice(&encoded(&asked, &scripted(protocol)).0).unwrap();
        assert_eq!(
            (&body["tools"], &body["system"], &body["instructions"]),
            (&Value::Null, &Value::Null, &Value::Null)
        );
    }
}

#[test]
fn a_call_of_another_model_is_marked_as_such_where_signatures_are_wanted() {
    let foreign = ToolUse { id: "call:1".into(), name: "Read".into(), arguments: Arguments::parse("{}"), seal: None };
    let history: History = [
        Message::user("go"),
        Message::assistant(vec![
            Block::ToolUse(foreign.clone()),
            Block::ToolUse(ToolUse { id: "call:2".into(), ..foreign.clone() }),
        ]),
        Message::results(vec![ToolResult::text(&foreign, "ok")]),
    ]
    .into_iter()
    .collect();
    let parts = |name: &str| {
        let body: Value = serde_json::from_slice(&encoded(&request(&history), &at_home(name)).0).unwrap();
        body["contents"][1]["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| part["thoughtSignature"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(parts("google/gemini-3.8-flash"), [json!("skip_thought_signature_validator"), Value::Null]);
    assert_eq!(parts("google/gemini-2.5-pro"), [Value::Null, Value::Null]);
    // Ids are brought into the shape another protocol wants, in calls and results alike.
    let body: Value = serde_json::from_slice(&encoded(&request(&history), &at_home("anthropic/m")).0).unwrap();
    assert_eq!(body["messages"][1]["content"][0]["id"], "call_1");
    assert_eq!(body["messages"][2]["content"][0]["tool_use_id"], "call_1");
}

#[test]
fn a_model_of_budgets_does_not_think_inside_a_round_that_another_model_began() {
    let call = ToolUse { id: "call_1".into(), name: "Read".into(), arguments: Arguments::parse("{}"), seal: None };
    let thinking = |thought: Option<Block>| {
        let blocks = thought.into_iter().chain([Block::ToolUse(call.clone())]).collect();
        let history: History =
            [Message::user("go"), Message::assistant(blocks), Message::results(vec![ToolResult::text(&call, "ok")])]
                .into_iter()
                .collect();
        let (body, _) = encoded(&request(&history), &at_home("anthropic/claude-haiku-4-5"));
        serde_json::from_slice::<Value>(&body).unwrap()["thinking"].clone()
    };
    let by = |model: &str| {
        let seal = Seal {
            from: fore_model::Protocol::AnthropicMessages,
            model: model.into(),
            data: json!({"signature": "s"}),
        };
        Some(Block::Reasoning(Reasoning { text: "Hm.".into(), seal: Some(seal) }))
    };
    assert_eq!(thinking(None), Value::Null);
    assert_eq!(thinking(by("claude-opus-5-5")), Value::Null);
    assert_eq!(thinking(by("claude-haiku-4-5"))["type"], "enabled");
}
