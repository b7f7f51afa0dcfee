//! How files and settings configure servers, what of an entry is vouched for, and how variables are filled in.

use fore_mcp::{McpFileFormat, ServerEntry, ServerFile, ServerTransport, server_entries, server_entry};
use serde_json::json;
use std::time::Duration;

fn read(text: &str) -> ServerFile {
    server_entries(text, McpFileFormat::McpJson).unwrap()
}

fn one(value: serde_json::Value) -> ServerEntry {
    server_entry("s", &value).unwrap().0
}

#[test]
fn a_file_is_read_with_comments_and_every_kind_of_server() {
    let file = read(
        r#"{
        // ours
        "mcpServers": {
            "git": {"command": "mcp-server-git", "args": ["--repository", "."], "env": {"A": "${TOKEN:-none}", "N": 3}, "cwd": "sub"},
            "web": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}, "timeout": 9000, "alwaysLoad": true},
            "old": {"type": "sse", "url": "${URL}", "disabled": true, "includeTools": ["a"], "excludeTools": ["b"]},
            "gemini": {"httpUrl": "https://example.com/mcp", "enabled": false},
        },
    }"#,
    );
    assert_eq!((file.faults, file.warnings), (vec![], vec![]));
    let names: Vec<&str> = file.servers.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["git", "web", "old", "gemini"]);
    let [git, web, old, gemini] = file.servers.as_slice() else { panic!("{names:?}") };
    let pairs =
        |list: &[(&str, &str)]| list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>();
    assert_eq!(
        git.transport,
        ServerTransport::Stdio {
            command: "mcp-server-git".into(),
            args: vec!["--repository".into(), ".".into()],
            env: pairs(&[("A", "${TOKEN:-none}"), ("N", "3")]),
            cwd: Some("sub".into()),
        }
    );
    assert_eq!(git.shown(), "mcp-server-git --repository .");
    assert_eq!((web.call_timeout, web.always_load), (Some(Duration::from_secs(9)), true));
    assert!(matches!(&old.transport, ServerTransport::Sse { url, .. } if url == "${URL}"));
    assert!(old.disabled && gemini.disabled && !web.disabled);
    assert_eq!([old.offers("a"), old.offers("b"), old.offers("c"), git.offers("c")], [true, false, false, true]);
    let bare = one(json!({"command": "x", "excludeTools": ["b"]}));
    assert_eq!([bare.offers("a"), bare.offers("b")], [true, false]);
}

#[test]
fn a_file_of_vs_code_is_read_in_its_own_words() {
    let text = r#"{
        "inputs": [{"type": "promptString", "id": "key", "password": true}],
        "servers": {"a": {"type": "stdio", "command": "${workspaceFolder}/run", "env": {"K": "${input:key}", "P": "${env:HOME}"}}}
    }"#;
    let file = server_entries(text, McpFileFormat::VsCode).unwrap();
    assert_eq!(file.inputs, ["key"]);
    let lookup = |name: &str| match name {
        "workspaceFolder" => Some("/w".to_owned()),
        "input:key" => Some("k1".to_owned()),
        "HOME" => Some("/home/me".to_owned()),
        _ => None,
    };
    let expanded = file.servers[0].expanded(&lookup);
    assert!(expanded.warnings.is_empty(), "{:?}", expanded.warnings);
    let ServerTransport::Stdio { command, env, .. } = expanded.entry.transport else { panic!("no program") };
    let values: Vec<&str> = env.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!((command.as_str(), values), ("/w/run", vec!["k1", "/home/me"]));
    assert!(read(text).servers.is_empty());
}

#[test]
fn one_broken_server_is_named_with_its_place_and_hides_no_other() {
    let file = read(
        "{\"mcpServers\": {
  \"twice\": {\"command\": \"a\"},
  \"none\": {},
  \"both\": {\"command\": \"a\", \"url\": \"https://x\"},
  \"ws\": {\"type\": \"ws\", \"url\": \"https://x\"},
  \"file\": {\"url\": \"file:///etc\"},
  \"args\": {\"command\": \"a\", \"args\": \"b\"},
  \"env\": {\"command\": \"a\", \"env\": {\"A=B\": \"c\"}},
  \"time\": {\"command\": \"a\", \"timeout\": 0},
  \"head\": {\"url\": \"https://x\", \"headers\": {\"a b\": \"c\"}},
  \"hid\u{200b}\": {\"command\": \"a\"},
  \"twice\": {\"command\": \"b\"},
  \"good\": {\"command\": \"a\"}
}}",
    );
    let shown: Vec<String> = file.faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "line 3, column 3: none: it has neither `command` nor `url`",
            "line 4, column 3: both: it has both `command` and `url`",
            "line 5, column 3: ws: `type` is none of stdio, http and sse",
            "line 6, column 3: file: `url` is not a web address",
            "line 7, column 3: args: `args` is not a list of at most 512 texts",
            "line 8, column 3: env: `env` has a name that no variable can have: A=B",
            "line 9, column 3: time: `timeout` is not a number of milliseconds from 1 to 86400000",
            "line 10, column 3: head: `headers` has a name that no header can have: a b",
            "line 11, column 3: hid\\u{200b}: a name has 1 to 64 characters, all of them visible",
            "line 12, column 3: twice: the name is there twice, so neither is used",
        ]
    );
    let names: Vec<&str> = file.servers.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["good"]);
}

#[test]
fn a_file_that_is_none_says_where() {
    let fault = server_entries("{\n  \"mcpServers\": {]\n}", McpFileFormat::McpJson).unwrap_err();
    assert_eq!(fault.place.map(|(line, _)| line), Some(2));
    assert!(server_entries("[]", McpFileFormat::McpJson).is_err());
    assert!(server_entries(&format!("{{}}{}", " ".repeat(2 << 20)), McpFileFormat::McpJson).is_err());
    assert!(server_entries(&"[".repeat(100_000), McpFileFormat::McpJson).is_err());
    assert_eq!(read("{}"), ServerFile::default());
    let many: String = (0..120).map(|number| format!("\"s{number}\": {{\"command\": \"a\"}},")).collect();
    let file = read(&format!("{{\"mcpServers\": {{{many}}}}}"));
    assert_eq!((file.servers.len(), file.faults.len()), (100, 20));
}

#[test]
fn what_was_pasted_with_white_space_is_named_by_its_field_and_never_shown() {
    let file = read(
        "{\"mcpServers\": {\"a\": {\"url\": \"https://x\", \"headers\": {\"Authorization\": \"Bearer secret1 \"}},
        \"b\": {\"command\": \"run\u{200b}\", \"headersHelper\": \"x\", \"wish\": 1},
        \"c\": {\"url\": \"http://example.com\", \"headers\": {\"X\": \"secret2\"}},
        \"d\": {\"url\": \"http://localhost:3000\", \"headers\": {\"X\": \"y\"}},
        \"e\": {\"command\": \"sh\", \"args\": [\"-c\", \"one\\n\\ttwo\"]}}}",
    );
    assert_eq!(
        file.warnings,
        [
            "a: headers.Authorization begins or ends with white space",
            "b: `headersHelper` is not run; use `headers` with a variable",
            "b: `wish` is not known here",
            "b: command has a hidden character in it",
            "c: the headers go over the network unencrypted (http)",
        ]
    );
}

#[test]
fn variables_are_filled_in_once_and_what_is_missing_stays_with_a_warning() {
    let entry = one(json!({
        "command": "${HOME}/run",
        "args": ["${A:-b}", "${EMPTY:-c}", "${NESTED}", "$HOME", "${", "${UNSET}", "${not a name}", "${A:-${B}}"],
        "env": {"T": "${PASTED}"},
    }));
    let lookup = |name: &str| match name {
        "HOME" => Some("/h".to_owned()),
        "EMPTY" => Some(String::new()),
        "NESTED" => Some("${HOME}".to_owned()),
        "PASTED" => Some("token\n".to_owned()),
        _ => None,
    };
    let expanded = entry.expanded(&lookup);
    let ServerTransport::Stdio { command, args, .. } = expanded.entry.transport else { panic!("no program") };
    assert_eq!(command, "/h/run");
    assert_eq!(args, ["b", "c", "${HOME}", "$HOME", "${", "${UNSET}", "${not a name}", "${B}"]);
    assert_eq!(
        expanded.warnings,
        [
            "args[5]: ${UNSET} is not set, so it stays as it is",
            "args[6]: ${not a name} does not name a variable, so it stays as it is",
            "env.T begins or ends with white space",
        ]
    );
}

#[test]
fn what_is_vouched_for_is_what_runs_and_not_how_it_is_written() {
    let entry = |value| one(value).content();
    let base = json!({"command": "run", "args": ["a"], "env": {"A": "${X}", "B": "2"}, "hosts": ["b.com", "a.com"]});
    let same = json!({"timeout": 5, "hosts": ["a.com", "b.com", "a.com"], "env": {"B": "2", "A": "${X}"}, "args": ["a"], "command": "run", "alwaysLoad": true});
    assert_eq!(entry(base), entry(same));
    let contents = [
        json!({"command": "run", "args": ["a"]}),
        json!({"command": "run", "args": ["b"]}),
        json!({"command": "run a", "args": []}),
        json!({"command": "run", "args": ["a"], "env": {"A": "1"}}),
        json!({"command": "run", "args": ["a"], "env": {"A": "${A}"}}),
        json!({"command": "run", "args": ["a"], "cwd": "sub"}),
        json!({"command": "run", "args": ["a"], "hosts": ["x.com"]}),
        json!({"url": "https://run/a"}),
        json!({"url": "https://run/a", "type": "sse"}),
        json!({"url": "https://run/a", "headers": {"A": "1"}}),
    ]
    .map(entry);
    let different: std::collections::BTreeSet<&String> = contents.iter().collect();
    assert_eq!(different.len(), contents.len(), "{contents:#?}");
    let odd = one(json!({"command": "run me", "args": ["it's", "", "\u{1b}[2J"]}));
    assert_eq!(odd.shown(), r"'run me' 'it'\''s' '' '\u{1b}[2J'");
}

#[test]
fn an_entry_is_written_as_it_is_read() {
    for value in [
        json!({"command": "run", "args": ["a"], "env": {"A": "1"}, "cwd": "x", "startTimeout": 5, "callTimeout": 6, "hosts": ["a.com"]}),
        json!({"type": "http", "url": "https://x", "headers": {"A": "1"}, "alwaysLoad": true, "enabledTools": ["a"], "disabledTools": ["b"]}),
        json!({"type": "sse", "url": "https://x", "disabled": true}),
    ] {
        let entry = one(value.clone());
        assert_eq!(entry.to_json(), value);
        assert_eq!(one(entry.to_json()), entry);
    }
}
