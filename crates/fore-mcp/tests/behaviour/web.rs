//! Connections over HTTP: both eras, two channels, logins that are missing, and answers that are too much.

use crate::fake::{discovered, object, options, welcome};
use fore_mcp::{
    CallFate, CallOptions, HttpOptions, LoginTokens, McpConnection, McpContent, McpFault, McpFaultKind, ServerEntry,
    ServerTransport, TokenStore,
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// One request, as far as a test looks at it.
struct Asked {
    method: String,
    path: String,
    head: String,
    body: Value,
}

/// What is answered.
enum Answer {
    Json(u16, &'static str, Value),
    /// Raw bytes after the head, and then the end.
    Raw(u16, &'static str, Vec<u8>),
    /// Events as they come.
    Events(mpsc::Receiver<String>),
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let mut first = head.split_whitespace();
    let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    Some(Asked { method, path, head, body: serde_json::from_slice(&body).unwrap_or_default() })
}

async fn write(stream: &mut BufReader<TcpStream>, answer: Answer) {
    let head = |status: u16, headers: &str| format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}\r\n");
    match answer {
        Answer::Json(status, headers, body) => {
            let body = body.to_string();
            let headers = format!("content-type: application/json\r\ncontent-length: {}\r\n{headers}", body.len());
            let _ = stream.write_all((head(status, &headers) + &body).as_bytes()).await;
        }
        Answer::Raw(status, headers, bytes) => {
            let _ = stream.write_all(head(status, headers).as_bytes()).await;
            let _ = stream.write_all(&bytes).await;
        }
        Answer::Events(mut events) => {
            let _ = stream.write_all(head(200, "content-type: text/event-stream\r\n").as_bytes()).await;
            while let Some(event) = events.recv().await {
                if stream.write_all(event.as_bytes()).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// A server on a port of its own; gives its address.
async fn serve(answer: impl Fn(Asked) -> Answer + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                if let Some(asked) = read(&mut stream).await {
                    let answer = answer(asked);
                    write(&mut stream, answer).await;
                }
            });
        }
    });
    address
}

fn http() -> HttpOptions {
    HttpOptions { user_agent: "forethought/1.0".into(), proxy: None, tokens: None, login: None }
}

fn entry(url: String, headers: &[(&str, &str)]) -> ServerEntry {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ServerEntry::new("web", ServerTransport::Http { url, headers })
}

async fn connect(url: String) -> Result<McpConnection, McpFault> {
    McpConnection::over_http(&entry(url, &[]), http(), options()).await
}

fn result(asked: &Asked, result: Value) -> Answer {
    Answer::Json(200, "mcp-session-id: s1\r\n", json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": result}))
}

fn text(text: &str) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})
}

/// What a server without a stream of its own says to everything else.
fn nothing(asked: &Asked) -> Answer {
    Answer::Raw(if asked.method == "GET" { 405 } else { 202 }, "content-length: 0\r\n", Vec::new())
}

#[tokio::test]
async fn a_new_server_is_discovered_and_gets_the_headers_it_wants() {
    let url = serve(|asked| {
        assert!(asked.head.contains("authorization: Bearer mine"), "{}", asked.head);
        match asked.body["method"].as_str() {
            Some("server/discover") => result(&asked, discovered(json!({"tools": {}}))),
            Some("tools/call") => {
                let head = asked.head.to_lowercase();
                assert!(head.contains("mcp-method: tools/call") && head.contains("mcp-name: echo"), "{head}");
                result(&asked, text("hello"))
            }
            _ => nothing(&asked),
        }
    })
    .await;
    let entry = entry(url, &[("Authorization", " Bearer mine ")]);
    let connection = McpConnection::over_http(&entry, http(), options()).await.unwrap();
    assert_eq!(connection.server_info().protocol, "2026-07-28");
    let got = connection.call("echo", object(json!({})), CallOptions::default()).await.unwrap();
    assert_eq!(got.content, [McpContent::Text("hello".into())]);
}

#[tokio::test]
async fn an_old_server_refuses_the_discovery_in_any_way_and_gets_the_handshake() {
    for refusal in [
        || {
            Answer::Json(
                400,
                "",
                json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "no session"}}),
            )
        },
        || Answer::Raw(404, "content-length: 9\r\n", b"not found".to_vec()),
        || Answer::Json(200, "", json!({"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "unknown"}})),
        || Answer::Json(200, "", json!({"jsonrpc": "2.0", "id": 0, "result": {}})),
        || {
            let event = b"data: {\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"ok\":true}}\n\n".to_vec();
            Answer::Raw(200, "content-type: text/event-stream\r\n", event)
        },
    ] {
        let url = serve(move |asked| match asked.body["method"].as_str() {
            Some("server/discover") => refusal(),
            Some("initialize") => result(&asked, welcome(json!({"tools": {}}))),
            Some("tools/call") => {
                assert!(asked.head.contains("mcp-session-id: s1"), "{}", asked.head);
                result(&asked, text("old"))
            }
            _ => nothing(&asked),
        })
        .await;
        let connection = connect(url).await.unwrap();
        assert_eq!(connection.server_info().protocol, "2025-11-25");
        let got = connection.call("echo", object(json!({})), CallOptions::default()).await.unwrap();
        assert_eq!(got.content, [McpContent::Text("old".into())]);
    }
}

#[tokio::test]
async fn a_session_that_has_ended_is_begun_anew_by_its_caller() {
    let begun = Mutex::new(0);
    let url = serve(move |asked| match asked.body["method"].as_str() {
        Some("initialize") => {
            *begun.lock().unwrap() += 1;
            result(&asked, welcome(json!({"tools": {}})))
        }
        Some("tools/call") if *begun.lock().unwrap() == 1 => Answer::Raw(404, "content-length: 0\r\n", Vec::new()),
        Some("tools/call") => result(&asked, text("anew")),
        _ => nothing(&asked),
    })
    .await;
    let connection = connect(url).await.unwrap();
    let fault = connection.call("t", object(json!({})), CallOptions::default()).await.unwrap_err();
    assert_eq!((fault.kind, fault.fate), (McpFaultKind::Closed, CallFate::DidNotHappen));
    let connection = connection.reconnect(&fault).await.unwrap();
    let got = connection.call("t", object(json!({})), CallOptions::default()).await.unwrap();
    assert_eq!(got.content, [McpContent::Text("anew".into())]);
}

/// A server with two channels, which answers everything with its method.
async fn two_channels(endpoint: &'static str) -> String {
    let waiting: Mutex<Option<mpsc::Sender<String>>> = Mutex::default();
    serve(move |asked| match (asked.method.as_str(), asked.path.as_str()) {
        ("GET", "/sse") => {
            let (sender, events) = mpsc::channel(16);
            sender.try_send(format!("event: endpoint\r\ndata: {endpoint}\r\n\r\n")).unwrap();
            *waiting.lock().unwrap() = Some(sender);
            Answer::Events(events)
        }
        ("POST", "/messages?id=7") => {
            let answer = match asked.body["method"].as_str() {
                Some("initialize") => Some(welcome(json!({"tools": {}}))),
                Some("tools/call") => Some(text("by two channels")),
                _ => None,
            };
            if let Some(answer) = answer {
                let message = json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": answer});
                let event = format!(": a comment\n\nevent: message\ndata: {message}\n\n");
                waiting.lock().unwrap().as_ref().unwrap().try_send(event).unwrap();
            }
            Answer::Raw(202, "content-length: 0\r\n", Vec::new())
        }
        _ => Answer::Raw(405, "content-length: 0\r\n", Vec::new()),
    })
    .await
}

#[tokio::test]
async fn a_server_with_two_channels_is_spoken_to_as_such_also_where_nobody_said_so() {
    let url = format!("{}/sse", two_channels("/messages?id=7").await);
    let known = ServerEntry::new("sse", ServerTransport::Sse { url: url.clone(), headers: Vec::new() });
    for entry in [known, entry(url, &[])] {
        let connection = McpConnection::over_http(&entry, http(), options()).await.unwrap();
        let got = connection.call("t", object(json!({})), CallOptions::default()).await.unwrap();
        assert_eq!(got.content, [McpContent::Text("by two channels".into())]);
    }
}

#[tokio::test]
async fn messages_go_to_no_other_server_than_the_one_that_was_named() {
    let url = format!("{}/sse", two_channels("http://127.0.0.1:9/messages").await);
    let entry = ServerEntry::new("sse", ServerTransport::Sse { url, headers: Vec::new() });
    let fault = McpConnection::over_http(&entry, http(), options()).await.unwrap_err();
    assert_eq!(fault.message, "it wants messages to go to another server");

    let elsewhere = serve(|asked| panic!("{} came", asked.path)).await;
    let location: &'static str =
        Box::leak(format!("location: {elsewhere}/x\r\ncontent-length: 0\r\n").into_boxed_str());
    let url = serve(move |_| Answer::Raw(307, location, Vec::new())).await;
    let fault = connect(url).await.unwrap_err();
    assert_eq!(fault.kind, McpFaultKind::NotConnected);
}

#[tokio::test]
async fn a_server_that_wants_a_login_says_so() {
    for head in ["www-authenticate: Bearer resource_metadata=\"x\"\r\ncontent-length: 0\r\n", "content-length: 0\r\n"] {
        let url = serve(move |_| Answer::Raw(401, head, Vec::new())).await;
        let fault = connect(url).await.unwrap_err();
        assert_eq!((fault.kind, fault.fate), (McpFaultKind::NeedsLogin, CallFate::DidNotHappen));
    }
}

#[tokio::test]
async fn nobody_there_and_nonsense_are_told_apart() {
    let fault = connect("http://127.0.0.1:1/mcp".into()).await.unwrap_err();
    assert!(fault.message.contains("no connection"), "{fault}");
    assert_eq!(fault.fate, CallFate::DidNotHappen);
    let url = serve(|_| Answer::Raw(200, "content-type: text/html\r\n", b"<html>".to_vec())).await;
    let fault = connect(url).await.unwrap_err();
    assert!(fault.message.contains("text/html"), "{fault}");
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_to_its_end() {
    let url = serve(|asked| match asked.body["method"].as_str() {
        Some("server/discover") => result(&asked, discovered(json!({"tools": {}}))),
        Some("tools/call") => {
            let kind = match asked.body["params"]["name"].as_str() {
                Some("json") => "content-type: application/json\r\n",
                _ => "content-type: text/event-stream\r\n",
            };
            let mut body = b"data: ".to_vec();
            body.resize(40 << 20, b'x');
            Answer::Raw(200, kind, body)
        }
        _ => nothing(&asked),
    })
    .await;
    let connection = connect(url).await.unwrap();
    for tool in ["json", "events"] {
        let fault = connection.call(tool, object(json!({})), CallOptions::default()).await.unwrap_err();
        assert_eq!(fault.fate, CallFate::MayHaveHappened, "{tool}: {fault}");
    }
}

/// Keeps what it is given.
#[derive(Default)]
struct Kept(Mutex<Option<LoginTokens>>);

impl TokenStore for Kept {
    fn load(&self) -> Result<Option<LoginTokens>, String> {
        Ok(self.0.lock().unwrap().clone())
    }
    fn save(&self, tokens: &LoginTokens) -> Result<(), String> {
        *self.0.lock().unwrap() = Some(tokens.clone());
        Ok(())
    }
    fn clear(&self) {
        *self.0.lock().unwrap() = None;
    }
}

/// Follows the login page as a browser would whose person is logged in already.
struct Browser;

impl fore_mcp::LoginHandler for Browser {
    fn redirect_uri(&self) -> String {
        "http://127.0.0.1:9/back".into()
    }

    fn visit(&self, page: String) -> std::pin::Pin<Box<dyn Future<Output = Option<String>> + Send + '_>> {
        Box::pin(async move {
            let state = page.split("state=").nth(1)?.split('&').next()?.to_owned();
            assert!(page.contains("code_challenge_method=S256"), "{page}");
            Some(format!("http://127.0.0.1:9/back?code=c1&state={state}"))
        })
    }
}

#[tokio::test]
async fn a_login_is_made_once_and_its_tokens_are_kept() {
    let address: Arc<Mutex<String>> = Arc::default();
    let own = Arc::clone(&address);
    let logins = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&logins);
    let url = serve(move |asked| {
        let base = own.lock().unwrap().clone();
        let plain = |body: Value| Answer::Json(200, "", body);
        match (asked.path.as_str(), asked.body["method"].as_str()) {
            ("/.well-known/oauth-protected-resource/mcp", _) => {
                plain(json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]}))
            }
            ("/.well-known/oauth-authorization-server", _) => plain(json!({
                "issuer": base,
                "authorization_endpoint": format!("{base}/authorize"),
                "token_endpoint": format!("{base}/token"),
                "registration_endpoint": format!("{base}/register"),
                "code_challenge_methods_supported": ["S256"],
                "response_types_supported": ["code"],
            })),
            ("/register", _) => Answer::Json(201, "", json!({"client_id": "c", "redirect_uris": ["http://127.0.0.1:9/back"]})),
            ("/token", _) => {
                *counted.lock().unwrap() += 1;
                plain(json!({"access_token": "t1", "token_type": "Bearer", "expires_in": 3600}))
            }
            ("/mcp", _) if !asked.head.contains("authorization: Bearer t1") => {
                let head = format!("www-authenticate: Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"\r\ncontent-length: 0\r\n");
                Answer::Raw(401, Box::leak(head.into_boxed_str()), Vec::new())
            }
            ("/mcp", Some("server/discover")) => result(&asked, discovered(json!({"tools": {}}))),
            ("/mcp", Some("tools/call")) => result(&asked, text("logged in")),
            _ => Answer::Raw(404, "content-length: 0\r\n", Vec::new()),
        }
    })
    .await;
    *address.lock().unwrap() = url.clone();
    let store = Arc::new(Kept::default());
    let tokens = Some(Arc::clone(&store) as Arc<dyn TokenStore>);
    let entry = entry(format!("{url}/mcp"), &[]);
    let without = HttpOptions { tokens: tokens.clone(), ..http() };
    let fault = McpConnection::over_http(&entry, without.clone(), options()).await.unwrap_err();
    assert_eq!(fault.kind, McpFaultKind::NeedsLogin);
    let with = HttpOptions { login: Some(Arc::new(Browser)), ..without.clone() };
    for http in [with, without] {
        let connection = McpConnection::over_http(&entry, http, options()).await.unwrap();
        let got = connection.call("t", object(json!({})), CallOptions::default()).await.unwrap();
        assert_eq!(got.content, [McpContent::Text("logged in".into())]);
    }
    assert_eq!(*logins.lock().unwrap(), 1);
    let kept = store.load().unwrap().unwrap();
    assert!(kept.0.contains("t1") && !format!("{kept:?}").contains("t1"));
}
