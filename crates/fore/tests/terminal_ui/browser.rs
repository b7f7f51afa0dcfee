//! The plan in the terminal and on its page: one draft, and the first answer counts.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]
#![allow(clippy::panic, reason = "a test may stop where it is wrong")]
#![allow(clippy::disallowed_methods, reason = "puts a browser of its own into the place of the person")]

use crate::{
    stage::{Person, Stage, WIDE},
    steps::{leave, turn_to_plan, wait_question, wait_reply},
};
use fore_testkit::{
    ModelScript, ScriptedTurn, call,
    terminal::{PATIENCE, Terminal, TerminalKey},
    text,
};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    time::{Duration, Instant},
};

const PLAN: &str =
    "# Faster login\n\n## Change\n\n- `src/login.rs`: look the user up by name.\n\n## Verify\n\n- Run the tests.\n";

fn hands_in() -> ScriptedTurn {
    call("Write", json!({"file_path": "{{plan}}", "content": PLAN})).call("ExitPlanMode", json!({}))
}

/// The address that the terminal tells: port and token.
struct PageAddress {
    port: u16,
    token: String,
}

impl PageAddress {
    #[track_caller]
    fn told(terminal: &Terminal) -> PageAddress {
        let is_whole = |row: &String| row.trim().strip_prefix("http://127.0.0.1:").is_some_and(|rest| rest.len() > 66);
        let screen = terminal.wait_rows("an address", |rows| rows.iter().any(is_whole));
        let rows = screen.rows();
        let row = rows.iter().rev().find(|row| is_whole(row)).unwrap().trim().to_owned();
        let (port, token) = row.strip_prefix("http://127.0.0.1:").unwrap().split_once("/#").unwrap();
        PageAddress { port: port.parse().unwrap(), token: token.to_owned() }
    }

    /// The status of an answer, and its body.
    fn ask(&self, line: &str, body: &str) -> (u16, String) {
        let PageAddress { port, token } = self;
        let mut stream = TcpStream::connect(("127.0.0.1", *port)).unwrap();
        let head = format!(
            "{line} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
             x-fore-token: {token}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn view(&self) -> Value {
        let (status, body) = self.ask("GET /api/page", "");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    #[track_caller]
    fn answer(&self, selected: &str) {
        let view = self.view();
        let offer = view["options"].as_array().unwrap().iter().find(|offer| offer["value"] == selected).unwrap();
        let body = json!({
            "agentId": view["agentId"], "selected": selected, "leadsTo": offer["leadsTo"], "textHash": view["textHash"],
            "contractHash": null, "steps": null, "words": "send",
            "draft": view["draft"]["version"],
        });
        let (status, said) = self.ask("POST /api/answer", &body.to_string());
        assert_eq!(status, 200, "{said}");
    }
}

/// Whether the program has the thread of a page.
fn serves(terminal: &Terminal) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{}/task", terminal.id())).unwrap();
    let names = threads.filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("comm")).ok());
    names.into_iter().any(|name| name.starts_with("review"))
}

#[track_caller]
fn start(stage: &Stage) -> Terminal {
    let mut terminal = stage.start(&["--mode", "plan", "Plan a fix."], WIDE);
    wait_question(&terminal, "Keep planning");
    turn_to_plan(&mut terminal);
    terminal
}

#[test]
fn b_opens_the_page_both_share_the_draft_and_an_answer_there_closes_the_dialog() {
    let heard = text("I look again.")
        .expect_result("ExitPlanMode", "Why not an index?")
        .expect_result("ExitPlanMode", "by name is slow");
    let stage = Stage::new(ModelScript::new().turn(hands_in()).turn(heard), Person::Known);
    // A browser that keeps what it was given.
    let (browser, given) = (stage.root().join("browser"), stage.root().join("given.html"));
    std::fs::write(&browser, format!("#!/bin/sh\ncp -p \"$1\" '{0}.new' && mv '{0}.new' '{0}'\n", given.display()))
        .unwrap();
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let stage = stage.variable("BROWSER", Some(&browser.display().to_string()));
    let mut terminal = start(&stage);
    assert!(!serves(&terminal), "nothing is served before somebody asks for it");
    terminal.keys("b");
    let page = PageAddress::told(&terminal);
    assert!(serves(&terminal));
    let end = Instant::now() + PATIENCE;
    while !given.exists() {
        assert!(Instant::now() < end, "the browser was not opened");
        std::thread::park_timeout(Duration::from_millis(10));
    }
    assert_eq!(
        std::fs::metadata(&given).unwrap().permissions().mode() & 0o777,
        0o600,
        "the file is for its owner alone"
    );
    assert!(std::fs::read_to_string(&given).unwrap().contains(&page.token));

    let (status, said) = page.ask("POST /api/comment", r#"{"first": 5, "last": 5, "text": "Why not an index?"}"#);
    assert_eq!(status, 200, "{said}");
    terminal.wait_for("Why not an index?");
    terminal.keys("/Run\n");
    terminal.key(TerminalKey::Esc);
    terminal.keys("cby name is slow\n");
    let end = Instant::now() + PATIENCE;
    while !page.view()["draft"]["comments"].to_string().contains("by name is slow") {
        assert!(Instant::now() < end, "{}", page.view()["draft"]);
        std::thread::park_timeout(Duration::from_millis(10));
    }
    page.answer("keepPlanning");
    terminal.wait_for("Answered in the browser.");
    wait_reply(&terminal, "I look again.");
    assert_eq!(page.ask("GET /api/page", "").0, 410, "the address is dead");
    leave(&mut terminal);
    stage.finish();
}

#[test]
fn an_answer_in_the_terminal_ends_the_page_and_a_plan_that_waits_is_reviewed_later() {
    let stage = Stage::new(ModelScript::new().turn(hands_in()).turn(text("I look again.")), Person::Known);
    let mut terminal = start(&stage);
    leave(&mut terminal);
    let mut terminal = stage.start(&["review"], WIDE);
    wait_question(&terminal, "Keep planning");
    let page = PageAddress::told(&terminal);
    assert_eq!(page.view()["revision"], 1);
    turn_to_plan(&mut terminal);
    terminal.key(TerminalKey::Esc);
    wait_reply(&terminal, "I look again.");
    let (status, said) = page.ask("GET /api/page", "");
    assert_eq!(status, 410, "{said}");
    leave(&mut terminal);
    stage.finish();
}

#[test]
fn in_lines_the_page_is_there_as_well() {
    let heard = text("I look again.").expect_result("ExitPlanMode", "Why not an index?");
    let stage = Stage::new(ModelScript::new().turn(hands_in()).turn(heard), Person::Known);
    let mut terminal = stage.start(&["--plain", "--mode", "plan", "Plan a fix."], WIDE);
    terminal.wait_for("/browser shows it there");
    terminal.keys("/browser\n");
    let page = PageAddress::told(&terminal);
    let (status, said) = page.ask("POST /api/comment", r#"{"first": 5, "last": 5, "text": "Why not an index?"}"#);
    assert_eq!(status, 200, "{said}");
    terminal.wait_for("In the browser: 1 comment.");
    page.answer("keepPlanning");
    terminal.wait_for("Answered in the browser.");
    terminal.wait_for("I look again.");
    terminal.keys("/quit\n");
    terminal.wait_exit();
    stage.finish();
}
