//! Attacks on the proxy of a cage with network: spellings, smuggling, other ports and other ways out. Each is one raw request.

use crate::permitted::RunTyped;
use crate::place;
use fore_plan::{Cage, Contacts, Host, HostPattern, Outside};
use fore_sandbox::{CageSettings, Cages, Job, JobCommand};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// A server that writes down what it is asked.
struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let list = Arc::clone(&asked);
        std::thread::spawn(move || {
            for mut client in listener.incoming().flatten() {
                let mut buffer = [0; 4096];
                let count = client.read(&mut buffer).unwrap_or(0);
                list.lock().unwrap().push(String::from_utf8_lossy(&buffer[..count]).into_owned());
                let _ = client.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi");
            }
        });
        Server { port, asked }
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

/// Other ways to write this machine, and services that hand out credentials.
fn spellings(port: u16) -> Vec<String> {
    let here = "localhost localhost. LOCALHOST 127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0x7f.1 0177.0.0.1 017700000001 0.0.0.0 0 \
        [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:1] [64:ff9b::7f00:1] [2002:7f00:1::] [::1%lo] a.localhost 127.0.0.1. \
        127.0.0.1%2e 127.0.0.1%00.docs.rs docs.rs@127.0.0.1 127.0.0.2 10.0.0.1 192.168.0.1";
    let metadata = "169.254.169.254:80 [fd00:ec2::254]:80 100.100.100.200:80 [::ffff:169.254.169.254]:80 \
        metadata.google.internal:80 0xa9fea9fe:80 2852039166:80";
    let named = here.split_whitespace().map(|name| format!("{name}:{port}"));
    named.chain(metadata.split_whitespace().map(str::to_owned)).collect()
}

/// Requests in which two readers could see two hosts. `open` was approved, `shut` was not.
fn smuggled(open: &str, shut: &str) -> Vec<String> {
    let get = |target: &str, headers: &str| format!("GET {target} HTTP/1.1\r\n{headers}\r\n");
    vec![
        get(&format!("http://{open}/"), &format!("Host: {shut}\r\n")),
        get(&format!("http://{open}/"), &format!("Host: {open}\r\nHost: {shut}\r\n")),
        get(&format!("http://{open}@{shut}/"), ""),
        get(&format!("http://{shut}#@{open}/"), ""),
        get(&format!("http://{shut}\\@{open}/"), ""),
        get(&format!("//{shut}/"), &format!("Host: {open}\r\n")),
        get("/", &format!("Host: {shut}\r\n")),
        get(&format!("http://{open}/"), &format!("Host: {open}\r\n Host: {shut}\r\n")),
        get(&format!("http://{open}/"), &format!("Host : {shut}\r\n")),
        get(&format!("http://{open}/"), "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"),
        get(&format!("http://{open}/"), "Content-Length: 4\r\nContent-Length: 5\r\n"),
        get(&format!("http://{open}/"), "Transfer-Encoding: xchunked\r\n"),
        format!("GET http://{open}/ HTTP/1.1\nHost: {shut}\n\r\n\r\n"),
        format!("CONNECT {open},{shut} HTTP/1.1\r\n\r\n"),
        format!("CONNECT http://{shut}/ HTTP/1.1\r\n\r\n"),
        format!("CONNECT {shut}/{open} HTTP/1.1\r\n\r\n"),
        format!("GET ftp://{shut}/ HTTP/1.1\r\n\r\n"),
        "GET file:///etc/passwd HTTP/1.1\r\n\r\n".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        "\x05\x01\x00\r\n\r\n".to_owned(),
        "\x04\x01\x00\x50\x7f\x00\x00\x01\x00\r\n\r\n".to_owned(),
    ]
}

/// A script that sends each request on a connection of its own and prints the first line of each answer.
fn script(requests: &[String]) -> String {
    // Who was hung up on in the middle still reads the answer.
    let mut text = "trap '' PIPE\n".to_owned();
    for (number, request) in requests.iter().enumerate() {
        let bytes: String = request.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        text.push_str(&format!(
            "( exec 3<>/dev/tcp/127.0.0.1/3128 && (printf '{bytes}' >&3; head -c 12 <&3); echo \" {number}\" ) 2>/dev/null\n"
        ));
    }
    text
}

fn run(cage: &Cage, text: String) -> Result<fore_sandbox::RunOutcome, String> {
    let folder = tempfile::tempdir_in(place()).unwrap();
    let settings = CageSettings {
        setup: Some(env!("CARGO_BIN_EXE_fore-cage-setup").into()),
        ..crate::permitted::usual_settings()
    };
    let job = Job::new(JobCommand::Script(text), folder.path());
    Cages::new(settings, &fore_commands::CATALOGUE).run_typed(cage, job).map_err(|error| error.to_string())
}

/// Nobody but the one approved port of this machine is reached, however it is written.
pub(crate) fn spelled_and_smuggled() -> Result<(), String> {
    let (open, shut) = (Server::start(), Server::start());
    let named =
        Contacts { hosts: vec![HostPattern::One(Host::new("127.0.0.1", open.port).unwrap())], services: Vec::new() };
    let (open_host, shut_host) = (format!("127.0.0.1:{}", open.port), format!("127.0.0.1:{}", shut.port));
    let mut requests = smuggled(&open_host, &shut_host);
    for host in spellings(shut.port) {
        requests.push(format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        requests.push(format!("GET http://{host}/ HTTP/1.1\r\n\r\n"));
    }
    for outside in [Outside::Named(named.clone()), Outside::AnyPublic(named.clone())] {
        for cage in [Cage::ReadOnly { outside: outside.clone() }, Cage::Workspace { outside: outside.clone() }] {
            let outcome = run(&cage, script(&requests))?;
            let text = outcome.stdout.text();
            let lines: Vec<&str> = text.lines().collect();
            if lines.len() != requests.len() {
                return Err(format!("{} answers to {} requests: {text}", lines.len(), requests.len()));
            }
            for (request, line) in requests.iter().zip(&lines) {
                // What is no request at all gets no answer, or that it is none.
                let answer = line.rsplit_once(' ').map_or(*line, |(answer, _)| answer);
                if !matches!(answer, "HTTP/1.1 403" | "HTTP/1.1 400" | "") {
                    return Err(format!("{request:?} got {line:?}"));
                }
            }
            let (reached, also) = (shut.asked(), open.asked());
            if !reached.is_empty() || !also.is_empty() {
                return Err(format!("reached: {reached:?} {also:?}"));
            }
            if outcome.connections.iter().any(|connection| connection.refused.is_none()) {
                return Err(format!("{:?}", outcome.connections));
            }
        }
    }
    Ok(())
}

/// One connection carries one request, without what would change the protocol; the rest of it goes nowhere.
pub(crate) fn one_request_each() -> Result<(), String> {
    let (open, shut) = (Server::start(), Server::start());
    let host = format!("127.0.0.1:{}", open.port);
    let second = format!("GET http://127.0.0.1:{}/second HTTP/1.1\r\n\r\n", shut.port);
    let requests = [
        format!("POST http://{host}/first HTTP/1.1\r\nContent-Length: 2\r\n\r\nok{second}"),
        format!(
            "POST http://{host}/chunks HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\nok\r\n0\r\n\r\n{second}"
        ),
        format!(
            "GET http://{host}/socket HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n{second}"
        ),
        format!(
            "GET http://{host}/clear HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n\r\n"
        ),
    ];
    let cage = Cage::ReadOnly { outside: Outside::hosts(Host::new("127.0.0.1", open.port)) };
    run(&cage, script(&requests))?;
    let (asked, reached) = (open.asked(), shut.asked());
    let all = asked.join("\n").to_ascii_lowercase();
    let is_clean = asked.len() == requests.len() && reached.is_empty();
    if !is_clean || ["upgrade", "second", "h2c", ";x=y"].iter().any(|word| all.contains(word)) {
        return Err(format!("{asked:?} {reached:?}"));
    }
    Ok(())
}

/// Where any public host is open, only the ports of the web are.
pub(crate) fn other_ports() -> Result<(), String> {
    let requests: Vec<String> = [22, 25, 53, 3306, 8443, 9418]
        .iter()
        .map(|port| format!("CONNECT 93.184.215.14:{port} HTTP/1.1\r\n\r\n"))
        .collect();
    let outcome = run(&Cage::ReadOnly { outside: Outside::any_public() }, script(&requests))?;
    let refused = outcome.stdout.text().lines().filter(|line| line.starts_with("HTTP/1.1 403")).count();
    if refused != requests.len() {
        return Err(outcome.stdout.text());
    }
    Ok(())
}

/// Where nobody may be reached there is no proxy either.
pub(crate) fn nobody_elses_proxy() -> Result<(), String> {
    let open = Server::start();
    let text = format!("GET http://127.0.0.1:{}/ HTTP/1.1\r\n\r\n", open.port);
    for cage in
        [Cage::ReadOnly { outside: Outside::Closed }, Cage::Rehearsal, Cage::Workspace { outside: Outside::Closed }]
    {
        let outcome = run(&cage, script(std::slice::from_ref(&text)))?;
        if outcome.stdout.text().contains("HTTP") || !open.asked().is_empty() {
            return Err(outcome.stdout.text());
        }
    }
    Ok(())
}
