//! Four protocols × what can happen in a turn, against the scripted server, which checks everything that is sent to it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::time::Duration;

use fore_model::{
    Arguments, Block, Client, ClientLimits, Error, EventKind, FailurePhase, Message, ProviderSettings, ProxyUrl,
    Secret, StopReason, ToolResult, Usage, choose, parse_name,
};
use fore_testkit::{
    Chunking, CutAt, FailureKind, Fault, ModelScript, Noise, ProviderFailure, RetryAfter, Server, WireProtocol, call,
    call_raw, failure, hang_up, rate_limited, reasoning, text,
};
use serde_json::json;
use support::{ALL, Setting, each};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Enough for several events in every protocol.
const LONG: &str = "The quick brown fox jumps over the lazy dog, and over it again, until the dog has had enough of it and goes home to sleep.";

#[tokio::test]
async fn plain_text() {
    each(|protocol| async move {
        let usage = fore_testkit::ScriptedUsage { input: 900, cached: 512, output: 80, reasoning: 0, cache_write: 0 };
        let setting = Setting::start(protocol, ModelScript::new().turn(text("Hello, wörld ☂").usage(usage))).await;
        let history = [Message::user("hi")].into_iter().collect();
        let answer = setting.ask(&history).await.unwrap();
        assert_eq!(answer.text(), "Hello, wörld ☂");
        assert_eq!(answer.stop, Some(StopReason::EndTurn));
        let expected = Usage { input: 900, output: 80, cached_read: 512, cached_write: 0, reasoning: 0 };
        assert_eq!(answer.usage, Some(expected));
        assert_eq!(answer.served.as_deref(), Some(support::MODEL));
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn a_server_that_counts_nothing_has_not_counted() {
    each(|protocol| async move {
        let usage = fore_testkit::ScriptedUsage { input: 0, cached: 0, output: 0, reasoning: 0, cache_write: 0 };
        let setting = Setting::start(protocol, ModelScript::new().turn(text("Hello").usage(usage))).await;
        let answer = setting.ask(&[Message::user("hi")].into_iter().collect()).await.unwrap();
        assert_eq!((answer.text().as_str(), answer.usage), ("Hello", None));
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn every_event_names_the_model_it_comes_from() {
    each(|protocol| async move {
        let setting = Setting::start(protocol, ModelScript::new().turn(text("hello"))).await;
        let request = setting.request(&[Message::user("hi")].into_iter().collect());
        let mut events = setting.client.stream(&setting.model, &request).await.unwrap();
        let mut last = None;
        while let Some(event) = events.next().await {
            let event = event.unwrap();
            assert_eq!(event.model, setting.model.name);
            last = Some(event.kind);
        }
        assert_eq!(last, Some(EventKind::Done));
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn one_tool_and_its_result() {
    each(|protocol| async move {
        let script = ModelScript::new()
            .turn(text("I look.").call("Read", json!({"path": "src/a \"b\".rs", "lines": 3})))
            .turn(text("It says hello.").expect_result("Read", "hello from the file"));
        let setting = Setting::start(protocol, script).await;
        let mut history = [Message::user("what does it say?")].into_iter().collect();
        let answer = setting.ask(&history).await.unwrap();
        assert_eq!(answer.stop, Some(StopReason::ToolUse));
        let calls: Vec<_> = answer.tool_calls().cloned().collect();
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0].arguments, Arguments::Ok(json!({"path": "src/a \"b\".rs", "lines": 3})));
        history.push(answer.into_message());
        history.push(Message::results(vec![ToolResult::text(&calls[0], "hello from the file")]));
        assert_eq!(setting.ask(&history).await.unwrap().text(), "It says hello.");
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn three_parallel_tools_with_noise_and_small_pieces() {
    each(|protocol| async move {
        let turn = call("Read", json!({"path": "a"})).call("List", json!({})).call("Read", json!({"path": "c"}));
        let turn = turn
            .noise(Noise::Ping)
            .noise(Noise::Comment)
            .noise(Noise::UnknownEvent)
            .noise(Noise::DuplicateEvents)
            .noise(Noise::CarriageReturn)
            .chunking(Chunking { piece_chars: 2, write_bytes: 7, delay_ms: 0 });
        let setting = Setting::start(protocol, ModelScript::new().turn(turn).turn(text("done"))).await;
        let mut history = [Message::user("go")].into_iter().collect();
        let answer = setting.ask(&history).await.unwrap();
        let calls: Vec<_> = answer.tool_calls().cloned().collect();
        let seen: Vec<_> = calls.iter().map(|call| (call.name.as_str(), call.arguments.clone())).collect();
        assert_eq!(
            seen,
            [
                ("Read", Arguments::Ok(json!({"path": "a"}))),
                ("List", Arguments::Ok(json!({}))),
                ("Read", Arguments::Ok(json!({"path": "c"}))),
            ]
        );
        history.push(answer.into_message());
        let mut results: Vec<_> =
            calls.iter().map(|call| ToolResult::text(call, format!("result {}", call.id))).collect();
        results[1].is_error = true;
        let mut message = Message::results(results);
        message.blocks.push(Block::text("<system-reminder>still planning</system-reminder>"));
        history.push(message);
        assert_eq!(setting.ask(&history).await.unwrap().text(), "done");
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn reasoning_goes_back_unchanged_and_in_order() {
    each(|protocol| async move {
        let first =
            reasoning("Let me think.\nHm: \"quotes\"").reasoning("").text("So.").call("Read", json!({"path": "a"}));
        let second = reasoning("More.").call("Read", json!({"path": "b"}));
        let script = ModelScript::new().turn(first).turn(second).turn(text("done"));
        let setting = Setting::start(protocol, script).await;
        let mut history: fore_model::History = [Message::user("go")].into_iter().collect();
        for _ in 0..2 {
            let answer = setting.ask(&history).await.unwrap();
            let thinks = |message: &Message| message.blocks.iter().any(|block| matches!(block, Block::Reasoning(_)));
            assert!(thinks(&answer.clone().into_message()), "{answer:?}");
            let results = answer.tool_calls().map(|call| ToolResult::text(call, "ok")).collect();
            // Through JSON, as a transcript would keep it.
            let kept = serde_json::to_string(&answer.into_message()).unwrap();
            history.push(serde_json::from_str(&kept).unwrap());
            history.push(Message::results(results));
        }
        assert_eq!(setting.ask(&history).await.unwrap().text(), "done");
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn broken_arguments_become_a_result_the_model_can_correct() {
    each(|protocol| async move {
        let script = ModelScript::new().turn(call_raw("Read", "{\"path\": \"a")).turn(text("sorry"));
        let setting = Setting::start(protocol, script).await;
        let mut history = [Message::user("go")].into_iter().collect();
        let answer = setting.ask(&history).await.unwrap();
        if protocol == WireProtocol::Gemini {
            // The server itself reads the calls of its model; broken ones never reach a client.
            assert_eq!(answer.stop, Some(StopReason::MalformedCall));
            history.push(Message::user("Your call could not be read; please repeat it."));
        } else {
            let calls: Vec<_> = answer.tool_calls().cloned().collect();
            assert!(matches!(&calls[0].arguments, Arguments::Broken { raw, .. } if raw == "{\"path\": \"a"));
            history.push(answer.into_message());
            history.push(Message::results(vec![calls[0].broken_result().unwrap()]));
        }
        assert_eq!(setting.ask(&history).await.unwrap().text(), "sorry");
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn a_cut_stream_is_an_error_that_carries_what_arrived() {
    each(|protocol| async move {
        for turn in [text(LONG).cut(CutAt::AfterEvent(7)), text(LONG).end_early(CutAt::InsideEvent(8))] {
            let setting = Setting::start(protocol, ModelScript::new().turn(turn)).await;
            let error = setting.ask(&[Message::user("go")].into_iter().collect()).await.unwrap_err();
            assert!(matches!(error, Error::Cut { .. }), "{error:?}");
            let so_far = error.so_far().unwrap();
            let arrived = so_far.text();
            assert!(!so_far.complete && !arrived.is_empty() && LONG.starts_with(&arrived), "{arrived:?}");
            assert_eq!(setting.server.requests().len(), 1, "no attempt after the first byte");
            setting.finish();
        }
    })
    .await;
}

#[tokio::test]
async fn a_rate_limit_is_waited_for_as_the_server_asks() {
    each(|protocol| async move {
        let date = RetryAfter::Date("Sun, 06 Nov 1994 08:49:49 GMT".into());
        let dated = ProviderFailure { retry_after: Some(date), ..ProviderFailure::new(FailureKind::RateLimit) };
        let script = ModelScript::new()
            .turn(rate_limited(7))
            .turn(fore_testkit::ScriptedTurn::default().fault(Fault::Status(dated)))
            .turn(text("at last"));
        let setting = Setting::start(protocol, script).await;
        let answer = setting.ask(&[Message::user("go")].into_iter().collect()).await.unwrap();
        assert_eq!(answer.text(), "at last");
        assert_eq!(setting.clock.waits(), [Duration::from_secs(7), Duration::from_secs(12)]);
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn failures_before_the_first_byte_are_tried_again_with_growing_waits() {
    each(|protocol| async move {
        let script = ModelScript::new()
            .turn(failure(FailureKind::Overloaded))
            .turn(failure(FailureKind::ServerError))
            .turn(failure(FailureKind::Timeout))
            .turn(hang_up())
            .turn(text("at last"));
        let setting = Setting::start(protocol, script).await;
        let answer = setting.ask(&[Message::user("go")].into_iter().collect()).await.unwrap();
        assert_eq!(answer.text(), "at last");
        assert_eq!(setting.clock.waits(), [500, 1_000, 2_000, 4_000].map(Duration::from_millis));
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn retries_end_and_the_last_refusal_is_reported() {
    each(|protocol| async move {
        let script = (0..6).fold(ModelScript::new(), |script, _| script.turn(failure(FailureKind::Overloaded)));
        let setting = Setting::start(protocol, script).await;
        let error = setting.ask(&[Message::user("go")].into_iter().collect()).await.unwrap_err();
        assert!(matches!(error, Error::Overloaded { attempts: 6, .. }), "{error:?}");
        setting.finish();

        let setting = Setting::start(protocol, ModelScript::new().turn(rate_limited(3_600))).await;
        let error = setting.ask(&[Message::user("go")].into_iter().collect()).await.unwrap_err();
        let hour = Some(Duration::from_secs(3_600));
        assert!(
            matches!(&error, Error::RateLimited { attempts: 1, retry_after, .. } if *retry_after == hour),
            "{error:?}"
        );
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn an_overflow_is_its_own_error_and_is_not_repeated() {
    each(|protocol| async move {
        let setting = Setting::start(protocol, ModelScript::new().turn(failure(FailureKind::Overflow))).await;
        let error = setting.ask(&[Message::user("go")].into_iter().collect()).await.unwrap_err();
        let Error::ContextOverflow { tokens, limit, .. } = error else { panic!("{error:?}") };
        let expected = match protocol {
            WireProtocol::Anthropic => (Some(200_001), Some(200_000)),
            WireProtocol::Responses => (None, None),
            WireProtocol::Chat => (Some(130_001), Some(128_000)),
            WireProtocol::Gemini => (Some(1_048_577), Some(1_048_576)),
        };
        assert_eq!((tokens, limit), expected);
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    each(|protocol| async move {
        let turn = text(LONG).stall(7);
        let setting = Setting::start(protocol, ModelScript::new().turn(turn)).await;
        let request = setting.request(&[Message::user("go")].into_iter().collect());
        let mut events = setting.client.stream(&setting.model, &request).await.unwrap();
        while !matches!(events.next().await.unwrap().unwrap().kind, EventKind::TextDelta { .. }) {}
        drop(events);
        assert!(setting.server.wait_closed(0).await, "the server never saw the connection close");
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn silence_in_the_middle_ends_in_a_timeout_that_carries_what_arrived() {
    each(|protocol| async move {
        let turn = text(LONG).stall(7);
        let setting = Setting::start(protocol, ModelScript::new().turn(turn)).await;
        let request = setting.request(&[Message::user("go")].into_iter().collect());
        let mut events = setting.client.stream(&setting.model, &request).await.unwrap();
        while !matches!(events.next().await.unwrap().unwrap().kind, EventKind::TextDelta { .. }) {}
        setting.clock.end_patience();
        let error = events.finish().await.unwrap_err();
        let Error::Timeout { phase, so_far, .. } = error else { panic!("{error:?}") };
        assert_eq!(phase, FailurePhase::WhileAnswering);
        assert!(LONG.starts_with(&so_far.text()));
        assert!(setting.server.wait_closed(0).await);
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn an_error_in_the_middle_is_reported_with_its_cause() {
    each(|protocol| async move {
        let fault = Fault::ErrorEvent { after_event: 4, failure: ProviderFailure::new(FailureKind::Overloaded) };
        let setting =
            Setting::start(protocol, ModelScript::new().turn(text("a beginning of something").fault(fault))).await;
        let error = setting.ask(&[Message::user("go")].into_iter().collect()).await.unwrap_err();
        let Error::Broke { cause, .. } = &error else { panic!("{error:?}") };
        assert!(matches!(**cause, Error::Overloaded { .. }), "{cause:?}");
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn garbage_in_the_stream_is_an_error_and_no_crash() {
    each(|protocol| async move {
        let turn = text("words and more words").fault(Fault::MalformedEvent(2));
        let setting = Setting::start(protocol, ModelScript::new().turn(turn)).await;
        let error = setting.ask(&[Message::user("go")].into_iter().collect()).await.unwrap_err();
        assert!(matches!(error, Error::Garbled { .. }), "{error:?}");
        setting.finish();
    })
    .await;
}

#[tokio::test]
async fn a_wrong_key_names_its_variable_and_not_itself() {
    each(|protocol| async move {
        let script = ModelScript::new().key("the-right-key").turn(text("never")).allow_unused_turns();
        let setting = Setting::start(protocol, script).await;
        let error = setting.ask(&[Message::user("go")].into_iter().collect()).await.unwrap_err();
        let shown = format!("{error} {error:?}");
        let variable = support::key_variable(protocol);
        assert!(matches!(error, Error::Auth { .. }), "{shown}");
        assert!(shown.contains(&format!("the variable {variable}")), "{shown}");
        assert!(!shown.contains(support::KEY), "{shown}");
    })
    .await;
}

#[tokio::test]
async fn an_unknown_model_lists_near_names() {
    each(|protocol| async move {
        let script = ModelScript::new().model("scripted-model-2").model("scripted-model-3").allow_unused_turns();
        let setting = Setting::start(protocol, script.turn(text("never"))).await;
        let error = setting.ask(&[Message::user("go")].into_iter().collect()).await.unwrap_err();
        let Error::ModelNotFound { near, .. } = &error else { panic!("{error:?}") };
        assert_eq!(near, &["scripted-model-2", "scripted-model-3"], "{error}");
    })
    .await;
}

#[tokio::test]
async fn nobody_listening_on_the_own_machine_is_told_at_once_and_without_secrets() {
    for protocol in ALL {
        let server = Server::start(ModelScript::new()).await.unwrap();
        let url = server.url(protocol);
        drop(server);
        let setting = support::at(protocol, &url);
        let error = setting
            .0
            .stream(&setting.1, &support::request(&[Message::user("x")].into_iter().collect()))
            .await
            .unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(matches!(error, Error::Network { attempts: 1, .. }), "{shown}");
        assert!(!shown.contains(support::KEY), "{shown}");
    }
}

#[tokio::test]
async fn a_server_that_quotes_the_key_does_not_get_it_into_an_error() {
    each(|protocol| async move {
        let quoting = |kind| ProviderFailure {
            message: Some(format!("bad key {}!", support::KEY)),
            ..ProviderFailure::new(kind)
        };
        let refused = fore_testkit::ScriptedTurn::default().fault(Fault::Status(quoting(FailureKind::InvalidRequest)));
        let inside = text(LONG).fault(Fault::ErrorEvent { after_event: 5, failure: quoting(FailureKind::ServerError) });
        for turn in [refused, inside] {
            let setting = Setting::start(protocol, ModelScript::new().turn(turn)).await;
            let error = setting.ask(&[Message::user("go")].into_iter().collect()).await.unwrap_err();
            let shown = format!("{error} {error:?} {error:#?}");
            assert!(shown.contains("bad key [hidden]!") && !shown.contains(support::KEY), "{shown}");
            setting.finish();
        }
    })
    .await;
}

#[tokio::test]
async fn keys_travel_in_headers_and_never_in_the_address() {
    each(|protocol| async move {
        let setting = Setting::start(protocol, ModelScript::new().key(support::KEY).turn(text("hello"))).await;
        setting.ask(&[Message::user("hi")].into_iter().collect()).await.unwrap();
        let request = setting.finish().remove(0);
        let expected = match protocol {
            WireProtocol::Anthropic => "/v1/messages",
            WireProtocol::Responses => "/v1/responses",
            WireProtocol::Chat => "/v1/chat/completions",
            WireProtocol::Gemini => "/v1beta/models/scripted-model:streamGenerateContent?alt=sse",
        };
        assert_eq!(request.path, expected);
        let length = request.body.len().to_string();
        assert_eq!(request.header("content-length"), Some(length.as_str()), "a length is announced");
    })
    .await;
}

#[tokio::test]
async fn the_world_is_reached_through_a_proxy_and_extra_headers_are_sent() {
    let server = Server::start(ModelScript::new().turn(text("through the proxy"))).await.unwrap();
    let proxy = ProxyUrl(server.origin());
    let settings = ProviderSettings {
        base_url: Some("http://model.invalid/v1".into()),
        headers: vec![("x-team".into(), Secret::new("blue"))],
        ..ProviderSettings::default()
    };
    let model = choose(&parse_name("custom/m").unwrap(), &settings, &|_| None).unwrap();
    let client = Client::new(ClientLimits::default(), Some(&proxy)).unwrap();
    let request = support::request(&[Message::user("hi")].into_iter().collect());
    let answer = client.stream(&model, &request).await.unwrap().finish().await.unwrap();
    assert_eq!(answer.text(), "through the proxy");
    let seen = server.requests().remove(0);
    assert_eq!((seen.header("host"), seen.header("x-team")), (Some("model.invalid"), Some("blue")));
}

/// Answers one request with these bytes.
async fn answering(response: String) -> (String, tokio::task::JoinHandle<()>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut seen = vec![0; 65_536];
        let _read = stream.read(&mut seen).await.unwrap();
        stream.write_all(response.as_bytes()).await.unwrap();
    });
    (address, task)
}

#[tokio::test]
async fn a_page_instead_of_a_stream_is_told_and_a_redirection_is_not_followed() {
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 8\r\n\r\n<welcome";
    let moved = "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:9/v1\r\ncontent-length: 0\r\n\r\n";
    for (response, words) in
        [(page, "(200): it sent a page instead of an answer"), (moved, "(307): the server redirects elsewhere")]
    {
        let (address, task) = answering(response.to_owned()).await;
        let (client, model) = support::at(WireProtocol::Chat, &address);
        let request = support::request(&[Message::user("hi")].into_iter().collect());
        let error = client.stream(&model, &request).await.unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        task.await.unwrap();
    }
}

#[tokio::test]
async fn an_event_without_end_is_an_error_within_bounds() {
    let body = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}", "x".repeat(5_000));
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let (address, task) = answering(format!("{head}{body}")).await;
    let (_, model) = support::at(WireProtocol::Chat, &address);
    let client = Client::new(ClientLimits { max_event_bytes: 4_096, ..ClientLimits::default() }, None).unwrap();
    let request = support::request(&[Message::user("hi")].into_iter().collect());
    let error = client.stream(&model, &request).await.unwrap().finish().await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit: 4_096, .. }), "{error:?}");
    task.await.unwrap();
}

#[tokio::test]
async fn an_address_that_holds_secrets_is_shown_without_them() {
    let server = Server::start(ModelScript::new()).await.unwrap();
    let closed = server.origin().replace("http://", "");
    drop(server);
    let (client, model) =
        support::at(WireProtocol::Chat, &format!("http://me:pass-in-url@{closed}/v1?token=query-secret"));
    let request = support::request(&[Message::user("hi")].into_iter().collect());
    let error = client.stream(&model, &request).await.unwrap_err();
    let shown = format!("{error} {error:?} {model:?} {client:?}");
    assert!(shown.contains(&closed), "{shown}");
    for secret in ["pass-in-url", "query-secret", support::KEY] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[tokio::test]
async fn nobody_listening_elsewhere_is_tried_again() {
    let server = Server::start(ModelScript::new()).await.unwrap();
    let proxy = ProxyUrl(server.origin());
    drop(server);
    let settings = ProviderSettings { base_url: Some("http://model.invalid/v1".into()), ..ProviderSettings::default() };
    let model = choose(&parse_name("custom/m").unwrap(), &settings, &|_| None).unwrap();
    let (client, clock) = support::client_through(Some(&proxy));
    let request = support::request(&[Message::user("hi")].into_iter().collect());
    let error = client.stream(&model, &request).await.unwrap_err();
    assert!(matches!(error, Error::Network { attempts: 6, .. }), "{error:?}");
    assert_eq!(clock.waits().len(), 5);
}
