//! Scripts as files: what they may say, what is wrong with them, and the program that serves them.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use fore_testkit::{Chunking, ModelScript, ScriptError, Server, WireProtocol, Workspace, text};

use crate::client::{headers, path, post, send_to};
use crate::requests::ask;

fn example() -> String {
    let readme = include_str!("../../README.md");
    readme.split("```json\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
}

#[test]
fn the_documented_script_is_a_script_and_survives_a_round_trip() {
    let script = ModelScript::parse(&example(), Path::new("README.md")).unwrap();
    assert_eq!((script.turns.len(), script.conversations.len()), (5, 1));
    let again = ModelScript::parse(&serde_json::to_string(&script).unwrap(), Path::new("again")).unwrap();
    assert_eq!(again, script);
}

#[tokio::test]
async fn the_documented_script_answers() {
    let script = ModelScript::parse(&example(), Path::new("README.md")).unwrap();
    let server = Server::start(script).await.unwrap();
    let mut body = ask(WireProtocol::Anthropic, "please fix this");
    body["model"] = "scripted".into();
    let got = post(&server, WireProtocol::Anthropic, &body).await;
    assert_eq!(got.status, 200, "{}", got.body);
    assert_eq!(got.find("name").as_deref(), Some("Read"));
}

#[test]
fn a_wrong_script_is_refused_with_file_and_place() {
    let cases = [
        r#"{"turns": [{"say": [{"text": "x"}], "typo": 1}]}"#,
        r#"{"turns": [{"say": [{"words": "x"}]}]}"#,
        r#"{"turns": ["#,
        r#"{"turns": [{"say": []}]}"#,
        r#"{"turns": [{"say": [{"text": ""}]}]}"#,
        r#"{"turns": [{"say": [{"text": "x"}]}, {"say": [{"text": "x"}], "pace": {"delay_ms": 20000}}]}"#,
        r#"{"turns": [{"say": [{"text": "x"}], "pace": {"piece_chars": 0}}]}"#,
        r#"{"turns": [{"say": [{"text": "x"}], "fault": "hang_up"}]}"#,
        r#"{"turns": [{"say": [{"call": {"name": "A", "arguments": {}, "raw_arguments": "{"}}]}]}"#,
        r#"{"turns": [{"say": [{"text": "x"}], "expect": {"values": [{"path": "messages", "exists": true}]}}]}"#,
        r#"{"conversations": [{"name": "a", "key": "", "turns": []}]}"#,
    ];
    let error = |text: &&str| ModelScript::parse(text, Path::new("story.json")).unwrap_err().to_string();
    insta::assert_snapshot!(cases.iter().map(error).collect::<Vec<_>>().join("\n"), @r#"
    story.json: unknown field `typo`, expected one of `expect`, `say`, `usage`, `stop`, `fault`, `noise`, `pace`, `rate` at line 1 column 42
    story.json: unknown variant `words`, expected one of `text`, `reasoning`, `call` at line 1 column 28
    story.json: EOF while parsing a list at line 1 column 11
    story.json: turns[0].say: a turn says something or has a fault
    story.json: turns[0].say[0]: no model sends an empty text
    story.json: turns[1].pace.delay_ms: 20000 is more than 2000
    story.json: turns[0].pace.piece_chars: pieces need at least one character
    story.json: turns[0].say: a turn with this fault cannot say anything
    story.json: turns[0].say[0]: give arguments or raw_arguments, not both
    story.json: turns[0].expect.values[0].path: no $ at the start in the path `messages` (write for example $.messages[-1].content[*].text)
    story.json: conversations[0].key: an empty key matches every request
    "#);
    let missing = ModelScript::load(Path::new("no/such/story.json")).unwrap_err();
    assert!(matches!(missing, ScriptError::Unreadable { .. }), "{missing}");
}

#[test]
fn scripts_from_code_are_held_to_the_same_bounds() {
    let slow = Chunking { delay_ms: 60_000, ..Chunking::default() };
    let error = Server::start_blocking(ModelScript::new().turn(text("x").chunking(slow))).unwrap_err();
    assert_eq!(error.to_string(), "script: turns[0].pace.delay_ms: 60000 is more than 2000");
    let error = Server::start_blocking(ModelScript::new().turn(text("x").rate(0, 1))).unwrap_err();
    assert_eq!(error.to_string(), "script: turns[0].rate: at a rate of 0 nothing would ever come");
    let many = ModelScript { turns: vec![text("x"); 10_001], ..ModelScript::new() };
    let error = Server::start_blocking(many).unwrap_err();
    assert_eq!(error.to_string(), "script: turns: 10001 turns are more than 10000");
}

/// Ends the program however the test ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "the program under test has to be started")]
fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fore-testkit"));
    command.args(arguments);
    command
}

#[tokio::test]
async fn the_program_serves_a_file_and_prints_violations() {
    let workspace = Workspace::new().unwrap().file("story.json", r#"{"turns": [{"say": [{"text": "hi"}]}]}"#).unwrap();
    let file = workspace.path().join("story.json");
    let mut command = program(&["serve", file.to_str().unwrap(), "--protocol", "anthropic"]);
    let mut running = Running(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let head: Vec<String> = lines.by_ref().take_while(|line| !line.starts_with("# serving")).collect();
    let origin = head[1].strip_prefix("export ANTHROPIC_BASE_URL=").unwrap().to_owned();
    assert_eq!((head[0].as_str(), head[2].as_str()), ("# anthropic", "export ANTHROPIC_API_KEY=any-key"));
    let protocol = WireProtocol::Anthropic;
    let send = async |body: &str| send_to(&origin, "POST", &path(protocol), &headers(protocol), body).await;
    assert_eq!(send("{").await.status, 400);
    let printed: Vec<String> = lines.by_ref().take(4).collect();
    assert_eq!(printed[0], "request 0 (anthropic) breaks: the body is JSON");
    let got = send(&ask(protocol, "hello").to_string()).await;
    assert_eq!((got.status, got.find("text").as_deref()), (200, Some("hi")));
    let other = send_to(&origin, "POST", &path(WireProtocol::Chat), &headers(WireProtocol::Chat), "{}").await;
    assert_eq!(other.status, 404, "only the protocol that was asked for is served");
}

#[test]
fn the_program_checks_scripts() {
    let workspace = Workspace::new().unwrap().file("story.json", example()).unwrap().file("bad.json", "{").unwrap();
    let run = |name: &str| {
        let output = program(&["check", name]).current_dir(workspace.path()).output().unwrap();
        let words =
            String::from_utf8_lossy(if output.status.success() { &output.stdout } else { &output.stderr }).into_owned();
        (output.status.success(), words)
    };
    assert_eq!(run("story.json"), (true, "5 turns, 1 named conversations\n".to_owned()));
    assert_eq!(
        run("bad.json"),
        (false, "Error: bad.json: EOF while parsing an object at line 1 column 1\n".to_owned())
    );
}
