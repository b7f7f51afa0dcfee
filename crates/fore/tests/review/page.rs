//! Speaks with the page of a run as a browser would, byte for byte.

use super::model::{Running, Scene};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{ChildStderr, Command, Stdio},
    time::{Duration, Instant},
};

/// However slow the machine is.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// A run with its page.
pub(crate) struct Page {
    running: Running,
    errors: BufReader<ChildStderr>,
    /// What was said on standard error up to the address.
    pub(crate) told: String,
    pub(crate) address: String,
}

/// An answer of the page.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.body))
    }
}

impl Page {
    pub(crate) fn of(scene: &Scene, arguments: &[&str]) -> Page {
        Page::by(scene.command(arguments))
    }

    pub(crate) fn by(mut command: Command) -> Page {
        command.stdin(Stdio::null());
        let mut running = Running::of(command);
        let errors = BufReader::new(running.child.stderr.take().unwrap());
        let mut page = Page { running, errors, told: String::new(), address: String::new() };
        page.next();
        page
    }

    /// Waits for the address of the plan that waits next.
    pub(crate) fn next(&mut self) {
        loop {
            let mut line = String::new();
            assert_ne!(self.errors.read_line(&mut line).unwrap(), 0, "the run ended without a page: {}", self.told);
            self.told.push_str(&line);
            if let Some(address) = line.trim().strip_prefix("http://127.0.0.1:") {
                self.address = address.to_owned();
                return;
            }
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.split_once("/#").unwrap().0.parse().unwrap()
    }

    pub(crate) fn token(&self) -> &str {
        self.address.split_once("/#").unwrap().1
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port())).unwrap();
        stream.set_read_timeout(Some(MAX_WAIT)).unwrap();
        stream
    }

    /// A request as it stands here; the length of the body is added.
    pub(crate) fn raw(&self, line: &str, headers: &str, body: &str) -> Answered {
        let mut stream = self.connect();
        let length = if body.is_empty() { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
        let request = format!("{line} HTTP/1.1\r\n{headers}{length}Connection: close\r\n\r\n{body}");
        // What is refused early is not read to its end.
        let _ = stream.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        Answered { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn own_headers(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\nx-fore-token: {}\r\n", self.port(), self.token())
    }

    pub(crate) fn get(&self, what: &str) -> Answered {
        self.raw(&format!("GET /api/{what}"), &self.own_headers(), "")
    }

    /// With the token of another address.
    pub(crate) fn get_with(&self, what: &str, address: &str) -> Answered {
        let headers = self.own_headers().replace(self.token(), address.split_once("/#").unwrap().1);
        self.raw(&format!("GET /api/{what}"), &headers, "")
    }

    pub(crate) fn post(&self, what: &str, body: &Value) -> Answered {
        let headers = format!(
            "{}Origin: http://127.0.0.1:{}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\n",
            self.own_headers(),
            self.port()
        );
        self.raw(&format!("POST /api/{what}"), &headers, &body.to_string())
    }

    pub(crate) fn view(&self) -> Value {
        self.get("page").json()
    }

    pub(crate) fn wait_until(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let view = self.view();
            if is_so(&view) {
                return view;
            }
            assert!(began.elapsed() < MAX_WAIT, "it never was so: {view}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Until the draft on disk holds these words.
    pub(crate) fn wait_for_draft(&self, words: &str, scene: &Scene) {
        let folder = scene.place.folder("home").join("drafts");
        let began = Instant::now();
        let text = || {
            let files = std::fs::read_dir(&folder).into_iter().flatten();
            files.filter_map(|file| std::fs::read_to_string(file.ok()?.path()).ok()).collect::<String>()
        };
        while !text().contains(words) {
            assert!(began.elapsed() < MAX_WAIT, "the draft was never kept: {}", text());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What the page sends for a choice, with these fields besides.
    #[allow(clippy::unused_self, reason = "reads better")]
    pub(crate) fn answer_body(&self, view: &Value, selected: &str, more: &Value) -> Value {
        let offer = view["options"].as_array().unwrap().iter().find(|offer| offer["value"] == selected).unwrap();
        let mut body = json!({
            "agentId": view["agentId"], "selected": selected, "leadsTo": offer["leadsTo"], "textHash": view["textHash"],
            "contractHash": view["contract"]["hash"], "steps": null, "words": null,
            "draft": view["draft"]["version"],
        });
        more.as_object().unwrap().iter().for_each(|(key, value)| body[key] = value.clone());
        body
    }

    pub(crate) fn answer(&self, selected: &str, more: &Value) -> Answered {
        let view = self.view();
        self.post("answer", &self.answer_body(&view, selected, more))
    }

    /// The run to its end: its exit code, and the rest of what it printed.
    pub(crate) fn end(mut self) -> (Option<i32>, String, String) {
        let (mut out, mut err) = (String::new(), String::new());
        self.running.output.read_to_string(&mut out).unwrap();
        self.errors.read_to_string(&mut err).unwrap();
        (self.running.child.wait().unwrap().code(), out, err)
    }

    /// Ends the run without an answer.
    pub(crate) fn stop(self) {
        self.running.signal(libc::SIGTERM);
        let (code, _, err) = self.end();
        assert_eq!(code, Some(143), "{err}");
    }
}
