//! Logging in to an MCP server, with the real program, a small authorization server and a browser whose person agrees to everything.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "starts the server of the test and looks at what was kept")]

#[path = "support/model.rs"]
#[allow(dead_code, reason = "other tests use its other parts")]
mod model;
mod support;

use fore_testkit::{ModelScript, call, text};
use model::Scene;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::fs::PermissionsExt,
    process::{Child, Command, Stdio},
    time::Duration,
};

const SERVER: &str = include_str!("support/login_server.py");
const KEYRING: &str = include_str!("support/keyring_server.py");

/// The server that wants a login; it ends with the test.
struct LoginServer {
    child: Child,
    address: String,
}

impl LoginServer {
    fn start(scene: &Scene, how: &str) -> LoginServer {
        let file = scene.place.folder("servers").join("login_server.py");
        std::fs::write(&file, SERVER).unwrap();
        let mut child = Command::new("python3").arg(file).arg(how).stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        LoginServer { child, address: address.trim().to_owned() }
    }

    /// The kinds of tokens that were asked for, in their order.
    fn asked(&self) -> Value {
        serde_json::from_str(&get(&format!("{}/asked", self.address)).1).unwrap()
    }
}

impl Drop for LoginServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a browser gets at an address: the head and the body.
fn get(address: &str) -> (String, String) {
    let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

fn location(head: &str) -> String {
    let line = head.lines().find(|line| line.to_lowercase().starts_with("location:")).unwrap();
    line.split_once(':').unwrap().1.trim().to_owned()
}

/// Runs `fore mcp login web`, and goes where it says; `before` sees the page's address and where the browser is to come back to.
fn log_in(scene: &Scene, before: impl FnOnce(&str)) -> (Option<i32>, String) {
    log_in_by(scene.place.command(&["mcp", "login", "web"]), before)
}

fn log_in_by(mut command: Command, before: impl FnOnce(&str)) -> (Option<i32>, String) {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = String::new();
    let page = loop {
        let line = lines.next().unwrap_or_else(|| panic!("it ended: {said}")).unwrap();
        if line.contains("/authorize?") {
            break line.trim().to_owned();
        }
        said.push_str(&line);
    };
    let back = location(&get(&page).0);
    before(&back);
    let (head, body) = get(&back);
    assert!(head.starts_with("HTTP/1.1 200") && body.contains("You can close this page"), "{head}\n{body}");
    said.extend(lines.map(|line| line.unwrap() + "\n"));
    (child.wait().unwrap().code(), said)
}

fn scene(server: &str, script: ModelScript) -> (Scene, LoginServer) {
    let scene = Scene::new(script);
    let server = LoginServer::start(&scene, server);
    let servers = json!({"web": {"url": format!("{}/mcp", server.address)}});
    let settings = json!({"mcp": {"servers": servers}, "permissions": {"allow": ["mcp__web"]}});
    scene.place.settings(&settings.to_string());
    (scene, server)
}

fn read_note() -> ModelScript {
    ModelScript::new().turn(call("McpCall", json!({"server": "web", "tool": "note"}))).turn(text("read"))
}

#[test]
fn a_login_is_made_in_the_browser_kept_for_the_person_alone_used_by_sessions_and_forgotten() {
    let (scene, server) = scene("well", read_note());
    let before = scene.place.fore(&["mcp", "test", "web"]);
    assert!(before.code != Some(0) && before.err.contains("`fore mcp login web`"), "{before:?}");
    let (code, said) = log_in(&scene, |back| {
        // Whoever guesses gets nothing, and the login goes on.
        let (origin, _) = back.split_once("/callback").unwrap();
        for guess in ["/callback?code=x&state=y", "/callback", "/", "/callback?code=x&state="] {
            assert!(get(&format!("{origin}{guess}")).0.starts_with("HTTP/1.1 404"), "{guess}");
        }
    });
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("You are logged in. web: notes 1"), "{said}");
    let kept = scene.place.folder("home").join("logins.json");
    assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    let ran = scene.fore(&["-p", "read the note"]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "read"), "{ran:?}");
    assert_eq!(server.asked(), json!(["authorization_code"]), "one login for all");
    let out = scene.place.fore(&["mcp", "logout", "web"]);
    assert!(out.code == Some(0) && out.out.contains("is forgotten here"), "{out:?}");
    assert!(!std::fs::read_to_string(&kept).unwrap().contains("access_token"));
    let after = scene.place.fore(&["mcp", "test", "web"]);
    assert!(after.err.contains("`fore mcp login web`"), "{after:?}");
    assert!(scene.finish().iter().any(|body| body.contains("behind the login")));
}

/// A keyring behind a socket of its own; it ends with the test.
struct KeyringServer {
    child: Child,
    address: String,
}

impl KeyringServer {
    fn start(scene: &Scene, how: &str) -> KeyringServer {
        let folder = scene.place.folder("keyring");
        std::fs::write(folder.join("keyring_server.py"), KEYRING).unwrap();
        let socket = folder.join("bus");
        let mut command = Command::new("python3");
        let log = std::fs::File::create(folder.join("asked.txt")).unwrap();
        command.arg(folder.join("keyring_server.py")).arg(&socket).arg(how).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().unwrap();
        let mut ready = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut ready).unwrap();
        assert_eq!(ready, "ready\n");
        // What it goes on to say is nobody's.
        std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
        KeyringServer { child, address: format!("unix:path={}", socket.display()) }
    }

    fn command(&self, scene: &Scene, arguments: &[&str]) -> Command {
        let mut command = scene.place.command(arguments);
        command.env("DBUS_SESSION_BUS_ADDRESS", &self.address);
        command
    }

    /// Whether it went well, and what was said.
    fn fore(&self, scene: &Scene, arguments: &[&str]) -> (bool, String) {
        let ran = self.command(scene, arguments).stdin(Stdio::null()).output().unwrap();
        let said = [ran.stdout, ran.stderr].map(|part| String::from_utf8(part).unwrap()).concat();
        (ran.status.success(), said)
    }
}

impl Drop for KeyringServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_login_is_kept_in_the_keyring_where_there_is_one_and_unlocked_by_its_person() {
    for how in ["open", "locked"] {
        let (scene, _server) = scene("well", ModelScript::new());
        let keyring = KeyringServer::start(&scene, how);
        let (code, said) = log_in_by(keyring.command(&scene, &["mcp", "login", "web"]), |_| {});
        assert_eq!(code, Some(0), "{how}: {said}");
        assert!(said.contains("The login is kept in your keyring, for this address alone."), "{how}: {said}");
        let kept = std::fs::read_to_string(scene.place.folder("home").join("logins.json")).unwrap();
        assert!(kept.contains("inKeyring") && !kept.contains("access_token"), "{how}: {kept}");
        let (well, said) = keyring.fore(&scene, &["mcp", "test", "web"]);
        assert!(well && said.contains("1 tool"), "{how}: {said}");
        let without = scene.place.fore(&["mcp", "test", "web"]);
        assert!(without.err.contains("the login is in your keyring, which is not there"), "{how}: {without:?}");
        let (well, said) = keyring.fore(&scene, &["mcp", "logout", "web"]);
        assert!(well && said.contains("is forgotten here"), "{how}: {said}");
        let (well, said) = keyring.fore(&scene, &["mcp", "test", "web"]);
        assert!(!well && said.contains("`fore mcp login web`"), "{how}: {said}");
        scene.finish();
    }
}

#[test]
fn a_keyring_that_stays_locked_leaves_the_login_in_the_private_file() {
    let (scene, _server) = scene("well", ModelScript::new());
    let keyring = KeyringServer::start(&scene, "refuses");
    let (code, said) = log_in_by(keyring.command(&scene, &["mcp", "login", "web"]), |_| {});
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("logins.json, because your keyring did not take it"), "{said}");
    let kept = scene.place.folder("home").join("logins.json");
    assert_eq!(std::fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(scene.place.fore(&["mcp", "test", "web"]).code == Some(0), "it needs no keyring");
    scene.finish();
}

#[test]
fn a_token_that_is_over_is_renewed_and_one_that_cannot_be_is_said() {
    let (scene, server) = scene("expired", read_note());
    let (code, said) = log_in(&scene, |_| {});
    assert_eq!(code, Some(0), "{said}");
    let ran = scene.fore(&["-p", "read the note"]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "read"), "{ran:?}");
    let asked = server.asked();
    assert_eq!(asked, json!(["authorization_code", "refresh_token"]));
    // Somebody else used the refresh token up.
    let kept = scene.place.folder("home").join("logins.json");
    let old = std::fs::read_to_string(&kept).unwrap();
    let broken: Value = serde_json::from_str(&old).unwrap();
    let login = broken["logins"].as_object().unwrap().values().next().unwrap().as_str().unwrap().to_owned();
    let mut tokens: Value = serde_json::from_str(&login).unwrap();
    tokens["token_response"]["refresh_token"] = json!("used up");
    tokens["token_received_at"] = json!(1);
    let key = broken["logins"].as_object().unwrap().keys().next().unwrap().clone();
    std::fs::write(&kept, json!({"logins": {key: tokens.to_string()}}).to_string()).unwrap();
    let tested = scene.place.fore(&["mcp", "test", "web"]);
    assert!(tested.code != Some(0) && tested.err.contains("`fore mcp login web`"), "{tested:?}");
    assert!(scene.finish().iter().any(|body| body.contains("behind the login")));
}

#[test]
fn sessions_that_renew_at_the_same_time_do_not_log_each_other_out() {
    let (scene, server) = scene("expired", ModelScript::new());
    let (code, said) = log_in(&scene, |_| {});
    assert_eq!(code, Some(0), "{said}");
    let start = || {
        let mut command = scene.place.command(&["mcp", "test", "web"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let all: Vec<Child> = (0..5).map(|_| start()).collect();
    for child in all {
        let ran = child.wait_with_output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    }
    assert!(server.asked().as_array().unwrap().len() > 1, "somebody renewed");
    scene.finish();
}

#[test]
fn there_is_nothing_to_log_in_to_where_a_server_is_a_program_or_has_a_header_of_its_own() {
    let scene = Scene::new(ModelScript::new());
    let header = json!({"Authorization": "Bearer ${TOKEN}"});
    let servers = json!({
        "git": {"command": "mcp-server-git"},
        "docs": {"url": "https://docs.example/mcp", "headers": header},
    });
    scene.place.settings(&json!({"mcp": {"servers": servers}}).to_string());
    for (name, why) in [
        ("git", "is a program of this machine"),
        ("docs", "has a header Authorization"),
        ("no", "there is no MCP server"),
    ] {
        let ran = scene.place.fore(&["mcp", "login", name]);
        assert!(ran.code != Some(0) && ran.err.contains(why), "{ran:?}");
    }
    scene.finish();
}
