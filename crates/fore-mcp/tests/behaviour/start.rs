//! How a connection over pipes comes about, and how it does not.

use crate::fake::{connected, discovered, discovered_connection, options, pair};
use fore_mcp::{CallFate, ConnectOptions, McpEvent, McpFaultKind};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn an_old_server_is_greeted_the_old_way_and_asked_nothing_it_does_not_know() {
    let (other, mut fake) = pair();
    let (connection, first) = tokio::join!(other.connect(options()), fake.shakes_hands());
    let connection = connection.unwrap();
    assert_eq!(first["params"]["protocolVersion"], "2025-11-25");
    assert_eq!(first["params"]["clientInfo"], json!({"name": "forethought", "version": "1.0"}));
    // Nobody is there to be asked, so no server is told that somebody is.
    assert_eq!(first["params"]["capabilities"], json!({"roots": {}}));
    let identity = connection.server_info();
    assert_eq!((identity.name.as_str(), identity.protocol.as_str()), ("fake\\u{202e}", "2025-11-25"));
    assert_eq!(connection.instructions(), Some("Use me \\u{200b}well."));
    connection.close().await;
    fake.hears_the_end().await;
}

#[tokio::test]
async fn a_new_server_refuses_the_handshake_and_is_discovered_over_the_same_pipes() {
    let (connection, mut fake) = discovered_connection(options(), json!({"tools": {}})).await;
    assert_eq!(connection.server_info().protocol, "2026-07-28");
    let list = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private", "tools": []});
    let (tools, request) = tokio::join!(connection.tools(), fake.gives("tools/list", list));
    assert!(tools.unwrap().tools.is_empty());
    let meta = &request["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    // Roots are of the old era.
    assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
}

#[tokio::test(start_paused = true)]
async fn a_slow_old_server_costs_no_wait_beyond_its_own() {
    let (other, mut fake) = pair();
    let slow = async {
        tokio::time::sleep(Duration::from_secs(15)).await;
        fake.shakes_hands().await;
    };
    let begun = tokio::time::Instant::now();
    let (connection, ()) = tokio::join!(other.connect(options()), slow);
    connection.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(16), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_to_one_handshake_is_asked_the_other_way() {
    let (other, mut fake) = pair();
    let server = async {
        fake.hears("initialize").await;
        let discover = fake.hears("server/discover").await;
        fake.answers(&discover, discovered(json!({}))).await;
    };
    let (connection, ()) = tokio::join!(other.connect(options()), server);
    assert_eq!(connection.unwrap().server_info().protocol, "2026-07-28");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_given_up_in_time() {
    let (other, _fake) = pair();
    let begun = tokio::time::Instant::now();
    let fault = other.connect(options()).await.unwrap_err();
    assert_eq!((fault.kind, fault.message.as_str()), (McpFaultKind::Silent, "it did not answer within 30 s"));
    assert_eq!(begun.elapsed().as_secs(), 30);
}

#[tokio::test]
async fn a_server_that_ends_or_refuses_both_says_so() {
    let (other, fake) = pair();
    drop(fake);
    let fault = other.connect(options()).await.unwrap_err();
    assert_eq!((fault.kind, fault.fate), (McpFaultKind::NotConnected, CallFate::DidNotHappen));

    let (other, mut fake) = pair();
    let server = async {
        let first = fake.hears("initialize").await;
        fake.refuses(&first, -32000, "no\u{1b}[2J licence").await;
        let second = fake.hears("server/discover").await;
        fake.refuses(&second, -32601, "unknown").await;
    };
    let (connection, ()) = tokio::join!(other.connect(options()), server);
    let fault = connection.unwrap_err();
    assert_eq!(fault.message, "it refused both handshakes: no\\u{1b}[2J licence; unknown");
}

#[tokio::test]
async fn what_a_program_prints_besides_goes_to_the_log() {
    let (other, mut fake) = pair();
    let server = async {
        fake.prints("Starting the server \u{1b}[1mnow").await;
        fake.prints("").await;
        fake.notifies("notifications/message", json!({"level": "info", "data": "early"})).await;
        let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
        fake.says(ping).await;
        let first = fake.hears("initialize").await;
        let pong = fake.hear().await;
        assert_eq!(pong, json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
        fake.answers(&first, crate::fake::welcome(json!({}))).await;
        fake.hears("notifications/initialized").await;
        fake.prints("[1, 2]").await;
        fake.notifies("notifications/message", json!({"level": "error", "logger": "db", "data": {"a": 1}})).await;
    };
    let (connection, ()) = tokio::join!(other.connect(options()), server);
    let connection = connection.unwrap();
    let mut events = connection.events();
    let log = |level: &str, text: &str| Some(McpEvent::Log { level: level.into(), text: text.into() });
    let no_message = "no message on its output: ";
    assert_eq!(events.next().await, log("warning", &format!("{no_message}Starting the server \\u{{1b}}[1mnow")));
    assert_eq!(events.next().await, log("info", "\"early\""));
    assert_eq!(events.next().await, log("warning", &format!("{no_message}[1, 2]")));
    assert_eq!(events.next().await, log("error", "db: {\"a\":1}"));
    drop(fake);
    assert_eq!(events.next().await, Some(McpEvent::Closed { reason: "its output ended".into() }));
    assert_eq!(events.next().await, None);
    assert!(!connection.is_open());
}

#[tokio::test]
async fn a_message_without_end_ends_the_connection() {
    let (connection, mut fake) = connected(options()).await;
    let mut events = connection.events();
    let flood = async {
        let piece = "x".repeat(1 << 20);
        loop {
            if fake.writes(&piece).await.is_err() {
                return;
            }
        }
    };
    tokio::join!(flood, async {
        let reason = "it sent a message of more than 32 MiB".to_owned();
        assert_eq!(events.next().await, Some(McpEvent::Closed { reason }));
        drop(connection);
    });
}

#[tokio::test]
async fn a_connection_that_is_dropped_hangs_up() {
    let (connection, mut fake) = connected(ConnectOptions { call_timeout: Duration::from_secs(5), ..options() }).await;
    drop(connection);
    fake.hears_the_end().await;
}
