//! What goes wrong on purpose: error responses, cut and stalled streams, broken and repeated events.

use std::time::Duration;

use fore_testkit::{
    Chunking, CutAt, FailureKind, Fault, ModelScript, Noise, ProviderFailure, RetryAfter, ScriptedTurn, Server,
    WireProtocol, call_raw, failure, hang_up, rate_limited, text,
};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use crate::client::{Got, headers, open, path, post};
use crate::requests::{Done, answered, ask};

async fn play(protocol: WireProtocol, turn: ScriptedTurn) -> Got {
    let server = Server::start(ModelScript::new().turn(turn)).await.unwrap();
    let got = post(&server, protocol, &ask(protocol, "go")).await;
    server.finish().unwrap();
    got
}

const STORY: &str = "A text of several pieces, with ünïcödé in it.";

#[tokio::test]
async fn failures_have_each_providers_status_and_shape() {
    let kinds = [
        FailureKind::InvalidRequest,
        FailureKind::Overflow,
        FailureKind::Unauthorized,
        FailureKind::Forbidden,
        FailureKind::ModelNotFound,
        FailureKind::Timeout,
        FailureKind::RateLimit,
        FailureKind::ServerError,
        FailureKind::Overloaded,
    ];
    let mut page = String::new();
    for protocol in WireProtocol::ALL {
        for kind in kinds {
            let got = play(protocol, failure(kind)).await;
            page.push_str(&format!("{protocol} {kind:?}: {} {}\n", got.status, got.body));
        }
    }
    insta::assert_snapshot!(page);
}

#[tokio::test]
async fn retry_after_comes_as_seconds_or_as_a_date() {
    for protocol in WireProtocol::ALL {
        let got = play(protocol, rate_limited(7)).await;
        assert_eq!((got.status, got.header("retry-after")), (429, Some("7")), "{protocol}");
        let date = "Wed, 21 Oct 2026 07:28:00 GMT".to_owned();
        let late = ProviderFailure {
            retry_after: Some(RetryAfter::Date(date.clone())),
            code: Some(529),
            ..ProviderFailure::new(FailureKind::Overloaded)
        };
        let got = play(protocol, ScriptedTurn::default().fault(Fault::Status(late))).await;
        assert_eq!((got.status, got.header("retry-after")), (529, Some(date.as_str())), "{protocol}");
    }
    let gemini = play(WireProtocol::Gemini, rate_limited(7)).await.json();
    assert_eq!(gemini["error"]["details"][0]["retryDelay"], "7s");
}

#[tokio::test]
async fn a_cut_stream_has_exactly_the_bytes_before_the_cut() {
    for protocol in WireProtocol::ALL {
        let whole = play(protocol, text(STORY)).await;
        assert!(whole.complete);
        for bytes in [0, 1, 100, whole.body.len() - 1] {
            let got = play(protocol, text(STORY).cut(CutAt::Bytes(bytes))).await;
            assert_eq!((got.status, got.complete), (200, false), "{protocol} {bytes}");
            assert_eq!(got.body, String::from_utf8_lossy(&whole.body.as_bytes()[..bytes]), "{protocol} {bytes}");
        }
        let got = play(protocol, text(STORY).cut(CutAt::AfterEvent(2))).await;
        assert!(whole.body.starts_with(&got.body) && got.body.ends_with("\n\n") && !got.complete, "{protocol}");
        assert_eq!(got.events().len(), 2, "{protocol}");
        let got = play(protocol, text(STORY).cut(CutAt::InsideEvent(2))).await;
        assert!(whole.body.starts_with(&got.body) && !got.body.ends_with('\n') && !got.complete, "{protocol}");
        assert_eq!(got.events().len(), 2, "{protocol}");
    }
}

#[tokio::test]
async fn a_cut_far_behind_what_a_socket_holds_is_exact_too() {
    let long = "0123456789".repeat(800_000);
    let turn = || text(long.as_str()).chunking(Chunking { piece_chars: 100_000, ..Chunking::default() });
    let whole = play(WireProtocol::Chat, turn()).await;
    assert!(whole.complete && whole.body.len() > long.len());
    let bytes = whole.body.len() - 1_000;
    let got = play(WireProtocol::Chat, turn().cut(CutAt::Bytes(bytes))).await;
    assert_eq!((got.complete, got.body.len()), (false, bytes));
    assert!(whole.body.starts_with(&got.body));
}

#[tokio::test]
async fn a_stream_can_end_properly_without_its_last_events() {
    for protocol in WireProtocol::ALL {
        let got = play(protocol, text(STORY).end_early(CutAt::AfterEvent(2))).await;
        assert_eq!((got.complete, got.events().len()), (true, 2), "{protocol}");
    }
}

#[tokio::test]
async fn hanging_up_sends_not_one_byte_and_the_next_turn_answers_the_retry() {
    for protocol in WireProtocol::ALL {
        let server = Server::start(ModelScript::new().turn(hang_up()).turn(text("again"))).await.unwrap();
        assert_eq!(post(&server, protocol, &ask(protocol, "go")).await, Got::default(), "{protocol}");
        assert_eq!(post(&server, protocol, &ask(protocol, "go")).await.status, 200, "{protocol}");
        server.finish().unwrap();
    }
}

#[tokio::test]
async fn a_stalled_stream_waits_until_the_client_closes_and_says_so() {
    for protocol in WireProtocol::ALL {
        let server = Server::start(ModelScript::new().turn(text(STORY).stall(2))).await.unwrap();
        let body = ask(protocol, "go").to_string();
        let mut stream = open(&server.origin(), "POST", &path(protocol), &headers(protocol), &body).await;
        let mut bytes = Vec::new();
        let two_events = |bytes: &[u8]| String::from_utf8_lossy(bytes).matches("data: ").count() == 2;
        while !two_events(&bytes) {
            assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "{protocol}");
        }
        assert_eq!(server.closed(), [] as [usize; 0]);
        drop(stream);
        assert!(server.wait_closed(0).await, "{protocol}");
        server.finish().unwrap();
    }
}

#[tokio::test]
async fn a_malformed_event_is_the_only_one_that_cannot_be_read() {
    for protocol in WireProtocol::ALL {
        let whole = play(protocol, text(STORY)).await.events();
        let got = play(protocol, text(STORY).fault(Fault::MalformedEvent(1))).await;
        assert!(got.complete);
        let mut rest = whole.clone();
        rest.remove(1);
        assert_eq!(got.events(), rest, "{protocol}");
        assert_eq!(
            got.body.matches("data: ").count(),
            got.events().len() + 1 + usize::from(protocol == WireProtocol::Chat)
        );
    }
}

#[tokio::test]
async fn an_error_inside_the_stream_has_each_providers_shape() {
    let mut page = String::new();
    for protocol in WireProtocol::ALL {
        for kind in [FailureKind::Overloaded, FailureKind::RateLimit] {
            let fault = Fault::ErrorEvent { after_event: 1, failure: ProviderFailure::new(kind) };
            let got = play(protocol, text(STORY).fault(fault)).await;
            assert!(got.complete);
            let last = got.body.trim_end().rsplit("\n\n").next().unwrap().to_owned();
            page.push_str(&format!("{protocol} {kind:?}:\n{last}\n"));
        }
    }
    insta::assert_snapshot!(page);
}

#[tokio::test]
async fn noise_adds_events_and_comments_and_changes_no_content() {
    for protocol in WireProtocol::ALL {
        let whole = play(protocol, text(STORY)).await;
        for noise in [Noise::Ping, Noise::Comment, Noise::UnknownEvent, Noise::DuplicateEvents, Noise::CarriageReturn] {
            let got = play(protocol, text(STORY).noise(noise)).await;
            assert!(got.complete);
            assert_ne!(got.body, whole.body, "{protocol} {noise:?}");
            let mut seen = got.events();
            match noise {
                Noise::DuplicateEvents => seen.dedup(),
                Noise::Ping | Noise::UnknownEvent => seen.retain(|event| whole.events().contains(event)),
                Noise::Comment => assert!(got.body.contains(": keep-alive\n\n")),
                Noise::CarriageReturn => assert!(got.body.ends_with("\r\n\r\n")),
            }
            assert_eq!(seen, whole.events(), "{protocol} {noise:?}");
        }
    }
}

#[tokio::test]
async fn slow_bytes_are_the_same_bytes() {
    for protocol in WireProtocol::ALL {
        let whole = play(protocol, text(STORY)).await;
        let pace = Chunking { write_bytes: 7, delay_ms: 1, ..Chunking::default() };
        assert_eq!(play(protocol, text(STORY).chunking(pace)).await.body, whole.body, "{protocol}");
        let rated = text(STORY).rate(1_000, Chunking::default().piece_chars);
        assert_eq!(play(protocol, rated).await.body, whole.body, "{protocol}");
    }
}

#[tokio::test]
async fn slow_writes_arrive_one_by_one() {
    let pace = Chunking { write_bytes: 10, ..Chunking::default() };
    let server = Server::start(ModelScript::new().turn(text(STORY).chunking(pace))).await.unwrap();
    let body = ask(WireProtocol::Chat, "go").to_string();
    let mut stream =
        open(&server.origin(), "POST", &path(WireProtocol::Chat), &headers(WireProtocol::Chat), &body).await;
    let mut all = Vec::new();
    tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut all)).await.unwrap().unwrap();
    // Each write of the script is a chunk of its own: a size of ten, in hexadecimal, and ten bytes.
    let text = String::from_utf8_lossy(&all);
    assert!(text.contains("\r\nA\r\ndata: {\"id\r\nA\r\n"), "{text}");
    server.finish().unwrap();
}

#[tokio::test]
async fn broken_arguments_reach_the_client_and_may_be_answered() {
    for protocol in [WireProtocol::Anthropic, WireProtocol::Responses, WireProtocol::Chat] {
        let script = ModelScript::new().turn(call_raw("Read", "{\"path\": ")).turn(text("sorry"));
        let server = Server::start(script).await.unwrap();
        let first = ask(protocol, "go");
        let got = post(&server, protocol, &first).await;
        assert!(got.complete, "{protocol}");
        let id = if protocol == WireProtocol::Anthropic { "toolu_c0t0p0" } else { "call_c0t0p0" };
        let done = Done { id: id.to_owned(), name: "Read", arguments: json!({}), result: "broken JSON" };
        let got = post(&server, protocol, &answered(protocol, first, None, None, &[done])).await;
        assert_eq!(got.status, 200, "{protocol}: {}", got.body);
        server.finish().unwrap();
    }
    // Gemini has no broken arguments on the wire, only a finish reason that says so.
    let got = play(WireProtocol::Gemini, call_raw("Read", "{\"path\": ")).await;
    let last: Value = got.events().pop().unwrap();
    assert_eq!(last["candidates"][0]["finishReason"], "MALFORMED_FUNCTION_CALL");
    assert!(!got.body.contains("functionCall\""));
}
