//! Servers that answer in their own way: small windows, unknown fields, one document instead of a stream, and waits that are told.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::sync::{Arc, Mutex};

use fore_model::{Client, ClientLimits, Error, History, Message, ModelRequest, ProviderSettings, choose, parse_name};
use fore_testkit::{Fault, ModelScript, ScriptedTurn, Server, WireProtocol, rate_limited, text};
use serde_json::json;
use support::Setting;

#[tokio::test]
async fn a_field_that_a_server_refuses_is_left_out_from_then_on() {
    let script = ModelScript {
        refused_fields: vec!["stream_options".into(), "prompt_cache_key".into()],
        ..ModelScript::new().turn(text("one")).turn(text("two"))
    };
    let setting = Setting::start(WireProtocol::Chat, script).await;
    let history: History = [Message::user("hi")].into_iter().collect();
    assert_eq!(setting.ask(&history).await.unwrap().text(), "one");
    assert_eq!(setting.server.requests().len(), 3, "one refusal for each field");
    assert_eq!(setting.ask(&history).await.unwrap().text(), "two");
    assert_eq!(setting.finish().len(), 4, "both are remembered");
}

#[tokio::test]
async fn an_answer_in_one_piece_is_an_answer_on_every_protocol() {
    let page = [
        (
            WireProtocol::Chat,
            json!({"model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}]}),
        ),
        (
            WireProtocol::Anthropic,
            json!({"model": "m", "content": [{"type": "text", "text": "Hello."}], "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 2}}),
        ),
        (
            WireProtocol::Responses,
            json!({"model": "m", "status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": "Hello."}]}]}),
        ),
        (
            WireProtocol::Gemini,
            json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello."}]}, "finishReason": "STOP"}]}),
        ),
    ];
    for (protocol, document) in page {
        let turn = ScriptedTurn::default().fault(Fault::Document(document));
        let setting = Setting::start(protocol, ModelScript::new().turn(turn)).await;
        let history: History = [Message::user("hi")].into_iter().collect();
        let answer = setting.ask(&history).await.unwrap();
        assert_eq!((answer.text().as_str(), answer.complete), ("Hello.", true), "{protocol}");
    }
}

#[tokio::test]
async fn a_gateway_that_says_nought_has_not_counted() {
    let page = [
        (
            WireProtocol::Chat,
            json!({"model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}}),
        ),
        (
            WireProtocol::Anthropic,
            json!({"model": "m", "content": [{"type": "text", "text": "Hello."}], "stop_reason": "end_turn", "usage": {"input_tokens": 0, "output_tokens": 0}}),
        ),
        (
            WireProtocol::Responses,
            json!({"model": "m", "status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": "Hello."}]}], "usage": {"input_tokens": 0, "output_tokens": 0}}),
        ),
        (
            WireProtocol::Gemini,
            json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello."}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 0, "candidatesTokenCount": 0, "totalTokenCount": 0}}),
        ),
    ];
    for (protocol, document) in page {
        let counted = |tokens: u64| document.to_string().replace(":0", &format!(":{tokens}"));
        for (tokens, known) in [(0, None), (7, Some(7))] {
            let document = serde_json::from_str(&counted(tokens).replace("\"index\":7", "\"index\":0")).unwrap();
            let turn = ScriptedTurn::default().fault(Fault::Document(document));
            let setting = Setting::start(protocol, ModelScript::new().turn(turn)).await;
            let history: History = [Message::user("hi")].into_iter().collect();
            let answer = setting.ask(&history).await.unwrap();
            assert_eq!(answer.usage.map(|usage| usage.output), known, "{protocol}, {tokens}");
        }
    }
}

#[tokio::test]
async fn an_error_with_status_200_is_told_as_the_error_it_is() {
    let document = json!({"error": {"message": "no credits are left", "type": "insufficient_quota"}});
    let turn = ScriptedTurn::default().fault(Fault::Document(document));
    let setting = Setting::start(WireProtocol::Chat, ModelScript::new().turn(turn)).await;
    let history: History = [Message::user("hi")].into_iter().collect();
    let error = setting.ask(&history).await.unwrap_err();
    assert!(matches!(error, Error::QuotaSpent { .. }), "{error:?}");
    assert!(!error.to_string().contains("200"), "{error}");
}

#[tokio::test]
async fn a_small_window_is_learned_from_the_list_and_bounds_the_answer() {
    let script = ModelScript { window: Some(4_096), ..ModelScript::new().turn(text("ok")) };
    let server = Server::start(script).await.unwrap();
    let name = parse_name("custom/scripted").unwrap();
    let settings = ProviderSettings { base_url: Some(server.url(WireProtocol::Chat)), ..ProviderSettings::default() };
    let model = choose(&name, &settings, &|_| None).unwrap();
    let client = Client::new(ClientLimits::default(), None).unwrap();
    assert_eq!(client.window(&model), None);
    let history: History = [Message::user("hi")].into_iter().collect();
    let request = ModelRequest::new(support::head(), history);
    client.stream(&model, &request).await.unwrap().finish().await.unwrap();
    assert_eq!(client.window(&model), Some(4_096));
    let sent: serde_json::Value = serde_json::from_slice(&server.finish().unwrap()[0].body).unwrap();
    let limit = sent["max_tokens"].as_u64().unwrap();
    assert!((3_000..4_096).contains(&limit), "{limit}");
}

#[tokio::test]
async fn every_wait_before_another_try_is_told() {
    let script = ModelScript::new().turn(rate_limited(6)).turn(text("ok"));
    let mut setting = Setting::start(WireProtocol::Chat, script).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&told);
    setting.client = setting.client.telling(Arc::new(move |notice| heard.lock().unwrap().push(notice)));
    let history: History = [Message::user("hi")].into_iter().collect();
    setting.ask(&history).await.unwrap();
    let told = told.lock().unwrap().clone();
    let [notice] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(
        (notice.why.as_str(), notice.wait.as_secs(), notice.attempt, notice.attempts),
        ("rate limited", 6, 2, 6)
    );
}

#[tokio::test]
async fn items_that_are_named_and_not_numbered_are_read_and_so_is_the_end_alone() {
    let named = concat!(
        "data: {\"type\":\"response.created\",\"response\":{\"model\":\"m\"}}\n\n",
        "data: {\"type\":\"response.output_item.added\",\"item\":{\"id\":\"msg_1\",\"type\":\"message\"}}\n\n",
        "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"delta\":\"Hel\"}\n\n",
        "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\",\"delta\":\"lo\"}\n\n",
        "data: {\"type\":\"response.output_item.added\",\"item\":{\"id\":\"fc_1\",\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"Read\"}}\n\n",
        "data: {\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"fc_1\",\"delta\":\"{\\\"a\\\":1}\"}\n\n",
        "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"Read\",\"arguments\":\"{\\\"a\\\":1}\"}}\n\n",
        "data: {\"type\":\"response.completed\",\"response\":{\"model\":\"m\",\"output\":[]}}\n\n",
    );
    let at_the_end = concat!(
        "data: {\"type\":\"response.completed\",\"response\":{\"model\":\"m\",\"output\":[",
        "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello\"}]},",
        "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"Read\",\"arguments\":\"{\\\"a\\\":1}\"}]}}\n\n",
    );
    for stream in [named, at_the_end] {
        let mut decoding = fore_model::measure::Decoding::new(fore_model::Protocol::OpenAiResponses, "m");
        let (mut answer, mut events) = (fore_model::Answer::default(), Vec::new());
        decoding.feed(stream.as_bytes(), &mut events).unwrap();
        let (rest, is_whole) = decoding.end();
        events.iter().chain(&rest).for_each(|event| answer.apply(event));
        let calls: Vec<_> = answer.tool_calls().map(|call| (call.id.clone(), call.name.clone())).collect();
        assert_eq!((answer.text().as_str(), is_whole), ("Hello", true));
        assert_eq!(calls, [("c1".to_owned(), "Read".to_owned())]);
    }
}
