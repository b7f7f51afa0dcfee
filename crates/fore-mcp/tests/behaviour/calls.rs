//! Calls: results, progress, time, cancelling, and whether one that failed may have happened.

use crate::fake::{connected, object, options};
use fore_mcp::{CallFate, CallOptions, McpContent, McpFaultKind, McpProgress};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::mpsc;

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

#[tokio::test]
async fn a_call_brings_every_kind_of_content() {
    let (connection, mut fake) = connected(options()).await;
    let result = json!({
        "content": [
            {"type": "text", "text": "\u{1b}[1mbytes as they are"},
            {"type": "image", "mimeType": "image/png", "data": "aGVsbG8="},
            {"type": "image", "mimeType": "image/png", "data": "%%%"},
            {"type": "audio", "mimeType": "audio/wav", "data": "aGVsbG8="},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "inside"}},
            {"type": "resource", "resource": {"uri": "file:///b", "mimeType": "image/gif", "blob": "aGVsbG8="}},
            {"type": "resource", "resource": {"uri": "file:///c", "mimeType": "application/zip", "blob": "aGVsbG8="}},
            {"type": "resource_link", "uri": "file:///d", "name": "d"},
        ],
        "structuredContent": {"n": 1},
        "isError": true,
    });
    let arguments = object(json!({"a": [1, 2]}));
    let call = connection.call("show", arguments, CallOptions::default());
    let (got, request) = tokio::join!(call, fake.gives("tools/call", result));
    assert_eq!(request["params"]["name"], "show");
    assert_eq!(request["params"]["arguments"], json!({"a": [1, 2]}));
    let got = got.unwrap();
    let image = |mime: &str| McpContent::Image { mime: mime.into(), data: b"hello".to_vec() };
    let not_shown = |what: &str| McpContent::NotShown(what.into());
    assert_eq!(
        got.content,
        [
            McpContent::Text("\u{1b}[1mbytes as they are".into()),
            image("image/png"),
            not_shown("an image that cannot be read (image/png)"),
            not_shown("sound (audio/wav)"),
            McpContent::Resource { uri: "file:///a".into(), text: "inside".into() },
            image("image/gif"),
            not_shown("6 bytes of file:///c (application/zip)"),
            McpContent::Link { uri: "file:///d".into(), name: "d".into() },
        ]
    );
    assert_eq!((got.structured, got.is_error), (Some(json!({"n": 1})), true));
}

#[tokio::test]
async fn a_result_is_cut_where_it_is_larger_than_anybody_reads() {
    let (connection, mut fake) = connected(options()).await;
    let result = text(&"é".repeat(5 << 20));
    let (got, _) =
        tokio::join!(connection.call("t", object(json!({})), CallOptions::default()), fake.gives("tools/call", result));
    let content = got.unwrap().content;
    let [McpContent::Text(got)] = content.as_slice() else { panic!("{} parts", content.len()) };
    assert!(got.ends_with(&format!("\n[{} more bytes left out]", 2 << 20)), "{}", got.len());
    let many = json!({"content": vec![json!({"type": "text", "text": "x"}); 300]});
    let (got, _) =
        tokio::join!(connection.call("t", object(json!({})), CallOptions::default()), fake.gives("tools/call", many));
    assert_eq!(got.unwrap().content.last(), Some(&McpContent::NotShown("44 more parts".into())));
}

#[tokio::test(start_paused = true)]
async fn progress_is_heard_and_keeps_a_call_alive() {
    let (connection, mut fake) = connected(options()).await;
    let (sender, mut progress) = mpsc::channel(8);
    let call = connection.call("slow", object(json!({})), CallOptions { progress: Some(sender), timeout: None });
    let server = async {
        let request = fake.hears("tools/call").await;
        let token = &request["params"]["_meta"]["progressToken"];
        for done in 1..=3 {
            tokio::time::sleep(Duration::from_secs(50)).await;
            let params = json!({"progressToken": token, "progress": done, "total": 3, "message": "step\u{7}"});
            fake.notifies("notifications/progress", params).await;
        }
        tokio::time::sleep(Duration::from_secs(50)).await;
        fake.answers(&request, text("done")).await;
    };
    let (got, ()) = tokio::join!(call, server);
    assert_eq!(got.unwrap().content, [McpContent::Text("done".into())]);
    for done in [1.0, 2.0, 3.0] {
        let message = Some("step\\u{7}".into());
        assert_eq!(progress.recv().await, Some(McpProgress { done, total: Some(3.0), message }));
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_call_ends_in_time_and_may_have_happened() {
    let (connection, mut fake) = connected(options()).await;
    let call = connection.call("slow", object(json!({})), CallOptions::default());
    let server = async {
        let request = fake.hears("tools/call").await;
        let cancelled = fake.hears("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], request["id"]);
    };
    let (got, ()) = tokio::join!(call, server);
    let fault = got.unwrap_err();
    assert_eq!((fault.kind, fault.fate), (McpFaultKind::Silent, CallFate::MayHaveHappened));
    assert_eq!(fault.message, "no sign of life for 60 s");
    let call = connection.call(
        "slow",
        object(json!({})),
        CallOptions { timeout: Some(Duration::from_secs(2)), progress: None },
    );
    assert_eq!(call.await.unwrap_err().message, "no sign of life for 2 s");
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_cancelled() {
    let (connection, mut fake) = connected(options()).await;
    let call = connection.call("slow", object(json!({})), CallOptions::default());
    let request = tokio::select! {
        _ = call => panic!("nobody answered"),
        request = fake.hears("tools/call") => request,
    };
    let cancelled = fake.hears("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
}

#[tokio::test]
async fn what_a_server_refuses_did_not_happen_and_what_broke_may_have() {
    let (connection, mut fake) = connected(options()).await;
    for (code, fate) in [
        (-32601, CallFate::DidNotHappen),
        (-32602, CallFate::DidNotHappen),
        (-32603, CallFate::MayHaveHappened),
        (-1, CallFate::MayHaveHappened),
    ] {
        let call = connection.call("t", object(json!({})), CallOptions::default());
        let server = async {
            let request = fake.hears("tools/call").await;
            fake.refuses(&request, code, "no").await;
        };
        let (got, ()) = tokio::join!(call, server);
        let fault = got.unwrap_err();
        assert_eq!((fault.kind, fault.fate, fault.message), (McpFaultKind::Refused, fate, format!("no ({code})")));
    }
    let call = connection.call("t", object(json!({})), CallOptions::default());
    let server = async {
        fake.hears("tools/call").await;
        drop(fake);
    };
    let (got, ()) = tokio::join!(call, server);
    let fault = got.unwrap_err();
    assert_eq!((fault.kind, fault.fate), (McpFaultKind::Closed, CallFate::MayHaveHappened));
    let fault = connection.call("t", object(json!({})), CallOptions::default()).await.unwrap_err();
    assert_eq!(fault.kind, McpFaultKind::Closed);
}

#[tokio::test]
async fn an_answer_that_is_none_is_an_error_at_once() {
    let (connection, mut fake) = connected(options()).await;
    let call = connection.call("t", object(json!({})), CallOptions::default());
    let server = async {
        let request = fake.hears("tools/call").await;
        fake.says(json!({"jsonrpc": "1.0", "id": request["id"], "result": 7})).await;
    };
    let (got, ()) = tokio::join!(call, server);
    let fault = got.unwrap_err();
    assert_eq!(fault.fate, CallFate::MayHaveHappened);
    assert!(fault.message.contains("not as the protocol says"), "{fault}");
}
