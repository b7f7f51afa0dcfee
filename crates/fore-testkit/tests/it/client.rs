//! A minimal HTTP client over TCP that shows every byte; it shares no code with the server or with any real client.

use fore_testkit::{Server, WireProtocol};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A response, complete or not.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// Whether HTTP ended properly.
    pub(crate) complete: bool,
}

impl Got {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(have, _)| have == name).map(|(_, value)| value.as_str())
    }

    /// The data of all events that are JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        let lines = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        lines.filter_map(|data| serde_json::from_str(data).ok()).collect()
    }

    /// The first text under this name anywhere in the events, that is not empty.
    pub(crate) fn find(&self, name: &str) -> Option<String> {
        self.events().iter().find_map(|event| find(event, name))
    }
}

fn find(value: &Value, name: &str) -> Option<String> {
    match value {
        Value::Object(object) => {
            let here = object.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
            here.map(str::to_owned).or_else(|| object.values().find_map(|value| find(value, name)))
        }
        Value::Array(array) => array.iter().find_map(|value| find(value, name)),
        _ => None,
    }
}

/// The headers a client of this protocol sends.
pub(crate) fn headers(protocol: WireProtocol) -> Vec<(&'static str, &'static str)> {
    let mut headers = vec![("content-type", "application/json")];
    match protocol {
        WireProtocol::Anthropic => headers.extend([("x-api-key", "secret"), ("anthropic-version", "2023-06-01")]),
        WireProtocol::Responses | WireProtocol::Chat => headers.push(("authorization", "Bearer secret")),
        WireProtocol::Gemini => headers.push(("x-goog-api-key", "secret")),
    }
    headers
}

pub(crate) fn path(protocol: WireProtocol) -> String {
    let query = if protocol == WireProtocol::Gemini { "?alt=sse" } else { "" };
    format!("{}{query}", protocol.path("m"))
}

/// Posts a body as a client of this protocol does.
pub(crate) async fn post(server: &Server, protocol: WireProtocol, body: &Value) -> Got {
    send(server, "POST", &path(protocol), &headers(protocol), &body.to_string()).await
}

/// Sends a request and reads until the connection closes.
pub(crate) async fn send(server: &Server, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Got {
    send_to(&server.origin(), method, path, headers, body).await
}

/// The same to any origin.
pub(crate) async fn send_to(origin: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Got {
    let mut stream = open(origin, method, path, headers, body).await;
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    parse(&bytes)
}

/// Sends a request and leaves the reading to the caller.
pub(crate) async fn open(origin: &str, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
    let address = origin.replace("http://", "");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    stream
}

fn parse(bytes: &[u8]) -> Got {
    let Some(split) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { return Got::default() };
    let head = String::from_utf8_lossy(&bytes[..split]).into_owned();
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok()).unwrap();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let rest = &bytes[split + 4..];
    let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let (body, complete) = if chunked { unchunk(rest) } else { (rest.to_vec(), true) };
    Got { status, headers, body: String::from_utf8_lossy(&body).into_owned(), complete }
}

fn unchunk(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(end) = rest.windows(2).position(|window| window == b"\r\n") else { return (body, false) };
        let size = usize::from_str_radix(&String::from_utf8_lossy(&rest[..end]), 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        let data = &rest[end + 2..];
        body.extend(&data[..size.min(data.len())]);
        if data.len() < size + 2 {
            return (body, false);
        }
        rest = &data[size + 2..];
    }
}
