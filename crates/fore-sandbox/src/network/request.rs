//! The head of one proxy request: read within bounds, and refused where two readers could understand it differently.

use super::MAX_HEAD_TIME;
use fore_plan::Host;
use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const MAX_HEAD_BYTES: usize = 32 << 10;
const MAX_HEADERS: usize = 200;
/// Headers that are between the program and us.
const HOP_BY_HOP: [&str; 8] =
    ["connection", "keep-alive", "te", "trailer", "upgrade", "host", "transfer-encoding", "content-length"];

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProxyRequest {
    /// A connection through which anything may go.
    Connect(Host),
    /// One request in plain HTTP.
    Plain(PlainRequest),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct PlainRequest {
    pub(super) host: Host,
    method: String,
    /// As it was written after `http://`, for the `Host` header.
    authority: String,
    path: String,
    headers: Vec<(String, String)>,
    pub(super) body: BodyLength,
}

/// How long what follows the head is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyLength {
    None,
    Length(u64),
    Chunked,
}

/// Why a head was not understood.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnclearHead(pub(super) &'static str);

/// Reads until the head is over; gives the head, and what came after it.
pub(super) fn read_head(client: &mut TcpStream) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let start = Instant::now();
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let rest = bytes.split_off(end + 4);
            bytes.truncate(end);
            return Ok(Some((bytes, rest)));
        }
        let left = MAX_HEAD_TIME.saturating_sub(start.elapsed());
        if bytes.len() > MAX_HEAD_BYTES || left.is_zero() {
            return Ok(None);
        }
        client.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        let count = client.read(&mut buffer)?;
        if count == 0 {
            return Ok(None);
        }
        bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
    }
}

impl ProxyRequest {
    pub(super) fn parse(head: &[u8]) -> Result<ProxyRequest, UnclearHead> {
        let text = std::str::from_utf8(head).map_err(|_| UnclearHead("the request is not text"))?;
        let mut lines = text.split("\r\n");
        let first = lines.next().unwrap_or_default();
        if text.replace("\r\n", "").contains(|letter: char| letter.is_control() && letter != '\t') {
            return Err(UnclearHead("the request holds control characters"));
        }
        let [method, target, version] = first.split(' ').collect::<Vec<_>>()[..] else {
            return Err(UnclearHead("the first line is not a request"));
        };
        if !is_token(method) || !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
            return Err(UnclearHead("the first line is not a request in HTTP/1"));
        }
        let headers = lines.map(header).collect::<Result<Vec<_>, _>>()?;
        if headers.len() > MAX_HEADERS {
            return Err(UnclearHead("too many headers"));
        }
        if method == "CONNECT" {
            let host = target.parse().map_err(|_| UnclearHead("CONNECT needs host:port"))?;
            return Ok(ProxyRequest::Connect(host));
        }
        plain(method, target, headers).map(ProxyRequest::Plain)
    }
}

fn plain(method: &str, target: &str, headers: Vec<(String, String)>) -> Result<PlainRequest, UnclearHead> {
    let rest =
        target.strip_prefix("http://").ok_or(UnclearHead("only http:// addresses and CONNECT are understood"))?;
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host =
        host_of(authority).ok_or(UnclearHead("the address names no host, or one that can be read in two ways"))?;
    let values =
        |name: &str| headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect();
    let hosts: Vec<&str> = values("host");
    if hosts.len() > 1 || hosts.iter().any(|named| host_of(named).as_ref() != Some(&host)) {
        return Err(UnclearHead("the Host header names another host than the address"));
    }
    let (lengths, encodings): (Vec<&str>, Vec<&str>) = (values("content-length"), values("transfer-encoding"));
    let body = match (lengths.as_slice(), encodings.as_slice()) {
        ([], []) => BodyLength::None,
        ([length], []) if length.bytes().all(|byte| byte.is_ascii_digit()) => {
            BodyLength::Length(length.parse().map_err(|_| UnclearHead("the body's length is not a number"))?)
        }
        ([], [encoding]) if encoding.eq_ignore_ascii_case("chunked") => BodyLength::Chunked,
        _ => return Err(UnclearHead("the body's length can be read in two ways")),
    };
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let path = path.split('#').next().unwrap_or_default().to_owned();
    let dropped = dropped(&headers);
    let headers = headers.into_iter().filter(|(name, _)| !dropped.contains(name)).collect();
    Ok(PlainRequest { host, method: method.into(), authority: authority.into(), path, headers, body })
}

/// What does not travel on: fixed ones, whatever is for a proxy, and what the program says is for this connection only.
fn dropped(headers: &[(String, String)]) -> Vec<String> {
    let named = headers.iter().filter(|(name, _)| name == "connection").flat_map(|(_, value)| value.split(','));
    let for_proxies = headers.iter().map(|(name, _)| name.clone()).filter(|name| name.starts_with("proxy-"));
    let fixed = HOP_BY_HOP.map(str::to_owned);
    named.map(|name| name.trim().to_ascii_lowercase()).chain(for_proxies).chain(fixed).collect()
}

fn host_of(authority: &str) -> Option<Host> {
    match authority.parse() {
        Ok(host) => Some(host),
        Err(_) if authority.contains(':') && !authority.ends_with(']') => None,
        Err(_) => Host::new(authority, 80),
    }
}

fn header(line: &str) -> Result<(String, String), UnclearHead> {
    let (name, value) = line.split_once(':').ok_or(UnclearHead("a header without a colon"))?;
    // A space before the colon, or a line that goes on with the one before, is read differently by different servers.
    if !is_token(name) {
        return Err(UnclearHead("a header's name is not a name"));
    }
    Ok((name.to_ascii_lowercase(), value.trim_matches([' ', '\t']).to_owned()))
}

fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// How the request is addressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RequestForm {
    /// To the server itself.
    Origin,
    /// To another proxy, with the header by which that knows the person, if it wants one.
    Absolute(Option<String>),
}

impl PlainRequest {
    /// The head as it is sent on: one request, and the connection closes after the answer.
    pub(super) fn head(&self, form: &RequestForm) -> String {
        let PlainRequest { method, authority, path, .. } = self;
        let mut text = match form {
            RequestForm::Origin => format!("{method} {path} HTTP/1.1\r\n"),
            RequestForm::Absolute(login) => {
                let login = login.as_deref().unwrap_or_default();
                format!("{method} http://{authority}{path} HTTP/1.1\r\n{login}")
            }
        };
        text.push_str(&format!("host: {authority}\r\n"));
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        match self.body {
            BodyLength::None => {}
            BodyLength::Length(length) => text.push_str(&format!("content-length: {length}\r\n")),
            BodyLength::Chunked => text.push_str("transfer-encoding: chunked\r\n"),
        }
        text.push_str("connection: close\r\n\r\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(head: &str) -> Result<String, &'static str> {
        match ProxyRequest::parse(head.as_bytes()) {
            Ok(ProxyRequest::Connect(host)) => Ok(format!("connect {host}")),
            Ok(ProxyRequest::Plain(plain)) => Ok(plain.head(&RequestForm::Origin)),
            Err(UnclearHead(why)) => Err(why),
        }
    }

    #[test]
    fn a_request_is_sent_on_in_one_spelling() {
        assert_eq!(parsed("CONNECT Docs.RS.:443 HTTP/1.1\r\nHost: other.example").unwrap(), "connect docs.rs:443");
        let head = "POST http://docs.rs/a?b=c#d HTTP/1.1\r\nHost: docs.rs\r\nConnection: keep-alive, X-Hop\r\n\
                    X-Hop: 1\r\nProxy-Authorization: x\r\nUpgrade: h2c\r\nContent-Length: 3\r\nAccept:  */* ";
        let expected =
            "POST /a?b=c HTTP/1.1\r\nhost: docs.rs\r\naccept: */*\r\ncontent-length: 3\r\nconnection: close\r\n\r\n";
        assert_eq!(parsed(head).unwrap(), expected);
        let head = "GET http://[::1]:8080 HTTP/1.0";
        assert_eq!(parsed(head).unwrap(), "GET / HTTP/1.1\r\nhost: [::1]:8080\r\nconnection: close\r\n\r\n");
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        let get = |target: &str, headers: &str| format!("GET {target} HTTP/1.1{headers}");
        let two = "the body's length can be read in two ways";
        let host = "the address names no host, or one that can be read in two ways";
        let page = [
            (get("http://a.example/", "\r\nHost: b.example"), "the Host header names another host than the address"),
            (
                get("http://a.example/", "\r\nHost: a.example\r\nHost: a.example"),
                "the Host header names another host than the address",
            ),
            (get("http://a.example/", "\r\nHost: a.example:81"), "the Host header names another host than the address"),
            (get("http://a.example/", "\r\nContent-Length: 3\r\nTransfer-Encoding: chunked"), two),
            (get("http://a.example/", "\r\nContent-Length: 3\r\nContent-Length: 4"), two),
            (get("http://a.example/", "\r\nContent-Length: +3"), two),
            (get("http://a.example/", "\r\nTransfer-Encoding: gzip, chunked"), two),
            (get("http://a.example/", "\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), two),
            (get("http://a.example/", "\r\nContent-Length : 3"), "a header's name is not a name"),
            (get("http://a.example/", "\r\nA: b\r\n c"), "a header without a colon"),
            (get("http://a.example/", "\r\nA: b\r\n c: d"), "a header's name is not a name"),
            (get("http://a.example/", "\r\nA: b\nHost: b.example"), "the request holds control characters"),
            (get("http://good.example@a.example/", ""), host),
            (get("http://a.example:80:81/", ""), host),
            (get("http://2130706433/", ""), host),
            (get("http://0x7f.1/", ""), host),
            (get("http://a.example\\@b/", ""), host),
            (get("http:///x", ""), host),
            (get("/x", "\r\nHost: a.example"), "only http:// addresses and CONNECT are understood"),
            (get("https://a.example/", ""), "only http:// addresses and CONNECT are understood"),
            (get("http://a.example/ x", ""), "the first line is not a request"),
            ("CONNECT a.example HTTP/1.1".into(), "CONNECT needs host:port"),
            ("CONNECT a.example:443@b:1 HTTP/1.1".into(), "CONNECT needs host:port"),
            ("GET http://a.example/ HTTP/2.0".into(), "the first line is not a request in HTTP/1"),
        ];
        for (head, why) in page {
            assert_eq!(parsed(&head), Err(why), "{head:?}");
        }
    }
}
