//! `fore gate`, run for real: words for people, lines for programs, exit codes for scripts.
#![allow(clippy::unwrap_used, reason = "a test that cannot read an answer has failed")]
#![allow(clippy::disallowed_methods, reason = "prepares its workspace")]

mod support;

use serde_json::{Value, json};
use support::Place;

fn lines(place: &Place, arguments: &[&str], input: &str) -> Vec<Value> {
    let ran = place.fore_with(arguments, input.as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn bash(command: &str) -> String {
    json!({"id": 1, "tool": "Bash", "input": {"command": command}}).to_string()
}

fn verdict(place: &Place, arguments: &[&str], command: &str) -> String {
    let answers = lines(place, arguments, &bash(command));
    let word = |name: &str| answers[0][name].as_str().unwrap_or("-").to_owned();
    format!("{} {} {} {}", word("verdict"), word("finding"), word("cage"), word("code"))
}

#[test]
fn the_exit_code_says_allow_ask_or_block() {
    let place = Place::new();
    let page = [("ls -la", 0), ("curl -s https://docs.rs", 10), ("rm -rf src", 11), ("make", 0)];
    for (command, code) in page {
        assert_eq!(place.fore(&["gate", "--", command]).code, Some(code), "{command}");
        assert_eq!(place.fore(&["gate", "--json", "--", command]).code, Some(code), "{command}");
    }
}

#[test]
fn people_see_the_verdict_the_evidence_and_the_way_out() {
    let place = Place::new();
    let page: Vec<String> = [
        "git log -5 | head",
        "git log | sort -o out.txt",
        "cat notes.md\necho done > notes.md",
        "cargo test",
        "curl -s https://docs.rs/serde | head",
        "docker ps",
        "echo \"unclosed",
    ]
    .iter()
    .map(|command| place.fore(&["gate", "--", command]).out)
    .collect();
    insta::assert_snapshot!(page.join("\n"));
}

#[test]
fn one_command_as_json_is_one_line() {
    let ran = Place::new().fore(&["gate", "--json", "--", "touch x"]);
    assert_eq!(ran.out.lines().count(), 1);
    assert_eq!(
        ran.out.trim(),
        r#"{"id":null,"verdict":"block","finding":"writes","cage":null,"code":"plan.shell-writes","reason":"`touch` makes files","way_out":"Put this step in the plan, or run it with `rehearse: true`, which drops every write.","rule":"touch","evidence":[{"kind":"writes","rule":"touch","word":"touch","span":{"start":0,"end":5},"why":"`touch` makes files"}]}"#
    );
}

#[test]
fn lines_are_answered_in_order_and_bad_ones_are_refused_with_a_reason() {
    let place = Place::new();
    let input = [
        r#"{"id": "a", "tool": "Bash", "input": {"command": "ls"}}"#,
        "not json",
        "",
        r#"{"id": {"n": 2}, "tool": "Write", "input": {"file_path": "src/x.rs", "content": "x"}}"#,
        r#"{"id": 3}"#,
        r#"{"id": 4, "tool_name": "Read", "tool_input": {"file_path": "x"}}"#,
        r#"{"id": 5, "tool": "Teleport", "input": {}}"#,
        r#"{"id": 6, "tool": "Bash", "input": {"command": "ls"}, "cwd": "/no/such/folder"}"#,
    ]
    .join("\n");
    let answers = lines(&place, &["gate"], &input);
    let page: Vec<String> = answers
        .iter()
        .map(|answer| format!("{} {} {} {}", answer["id"], answer["verdict"], answer["finding"], answer["code"]))
        .collect();
    assert_eq!(
        page,
        [
            r#""a" "allow" "reads" null"#,
            r#"null "block" "unknown" "gate.input""#,
            r#"{"n":2} "block" "writes" "plan.edit""#,
            r#"3 "block" "unknown" "gate.input""#,
            r#"4 "allow" "reads" null"#,
            r#"5 "block" "unknown" "gate.unknown-tool""#,
            r#"6 "block" "unknown" "gate.input""#,
        ]
    );
}

#[test]
fn a_line_without_end_is_refused_and_the_next_one_is_answered() {
    let place = Place::new();
    let long = bash(&"x".repeat(5 << 20));
    let answers = lines(&place, &["gate"], &format!("{long}\n{}", bash("ls")));
    assert_eq!(answers.len(), 2);
    assert_eq!((&answers[0]["code"], &answers[1]["verdict"]), (&json!("gate.input"), &json!("allow")));
}

#[test]
fn the_plan_file_may_be_written_and_its_neighbours_may_not() {
    let place = Place::new();
    let arguments = ["gate", "--plan-file", "plan.md"];
    assert_eq!(verdict(&place, &arguments, "echo x > plan.md"), "allow reads read-only -");
    assert_eq!(verdict(&place, &arguments, "echo x > plan.md.bak"), "block writes - plan.shell-writes");
    let write = |path: &str| json!({"id": 1, "tool": "Write", "input": {"file_path": path}}).to_string();
    place.file("real.md", "");
    place.link("real.md".as_ref(), "link.md");
    let page = [
        ("plan.md", "allow"),
        ("./plan.md", "allow"),
        ("x/../plan.md", "block"),
        ("real.md", "block"),
        ("link.md", "block"),
    ];
    for (path, expected) in page {
        assert_eq!(lines(&place, &arguments, &write(path))[0]["verdict"], expected, "{path}");
    }
    assert_eq!(
        lines(&place, &["gate", "--plan-file", "real.md"], &write("link.md/"))[0]["verdict"],
        "block",
        "a slash at the end does not hide a link"
    );
    let through_link = place.fore_with(&["gate", "--plan-file", "link.md"], write("real.md").as_bytes());
    assert_eq!(
        (through_link.code, through_link.err.as_str()),
        (Some(2), "error: the plan file link.md is a link or has another name; name the file itself\n")
    );
}

#[test]
fn a_repository_that_makes_git_run_programs_is_noticed_and_named() {
    let place = Place::new();
    place.git(&["init", "-q"]);
    assert_eq!(verdict(&place, &["gate"], "git status"), "allow reads read-only -");
    place.git(&["config", "core.fsmonitor", "touch /tmp/gotcha"]);
    let answers = lines(&place, &["gate"], &bash("git status"));
    assert_eq!((&answers[0]["finding"], &answers[0]["cage"]), (&json!("unknown"), &json!("rehearsal")));
    assert!(answers[0]["reason"].as_str().unwrap().contains("core.fsmonitor"), "{}", answers[0]["reason"]);
}

#[test]
fn settings_of_the_user_are_obeyed_and_never_widen_planning() {
    let place = Place::new();
    place.settings(
        r#"{
            // what my own tools do
            "plan": { "readOnlyCommands": ["ib get", "rm"], "unproven": "refuse", "network": "never" },
            "permissions": { "allow": ["Bash", "Edit"], "deny": ["Bash(git log:*)"] }
        }"#,
    );
    let page = [
        ("ib get issue 5", "allow reads read-only -"),
        ("ib set issue 5", "block runs - plan.shell-unproven"),
        ("rm x", "block writes - plan.shell-writes"),
        ("cargo test", "block runs - plan.shell-unproven"),
        ("curl -s https://docs.rs", "block network - plan.network"),
        ("git log", "block reads - rule.deny"),
        ("cd src; env git log", "block reads - rule.deny"),
    ];
    for (command, expected) in page {
        assert_eq!(verdict(&place, &["gate"], command), expected, "{command}");
    }
    assert_eq!(verdict(&place, &["gate", "--mode", "default"], "rm x"), "allow writes free -");
}

#[test]
fn a_mistake_in_the_settings_stops_with_file_and_line() {
    let place = Place::new();
    place.settings("{\n  \"plan\": { \"unprovn\": \"ask\" }\n}");
    let ran = place.fore(&["gate", "--", "ls"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.starts_with("error: there is a mistake in the settings\n"), "{}", ran.err);
    let expected = "settings.json:2:13: unknown key `plan.unprovn`; did you mean `plan.unproven`?\n";
    assert!(ran.err.ends_with(expected), "{}", ran.err);
}

#[test]
fn a_repository_cannot_vouch_for_its_own_commands() {
    let place = Place::new();
    std::fs::create_dir_all(place.project().join(".forethought")).unwrap();
    place.file(".forethought/settings.json", r#"{"plan": {"readOnlyCommands": ["evil"]}}"#);
    assert_eq!(verdict(&place, &["gate"], "evil"), "allow runs rehearsal -");
}

#[test]
fn modes_go_by_all_their_names_and_an_unknown_one_is_refused() {
    let place = Place::new();
    assert_eq!(verdict(&place, &["gate", "--mode", "yolo"], "rm x"), "allow writes free -");
    assert_eq!(verdict(&place, &["gate", "--mode", "auto_edit"], "rm x"), "ask writes free -");
    let ran = place.fore(&["gate", "--mode", "turbo", "--", "ls"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`turbo` is not a mode"), "{}", ran.err);
}

#[test]
fn rehearsal_may_do_anything_and_says_that_nothing_is_kept() {
    let ran = Place::new().fore(&["gate", "--rehearse", "--", "rm -rf src && make"]);
    assert_eq!(ran.code, Some(0));
    assert!(
        ran.out.contains("in the rehearsal sandbox") && ran.out.contains("nothing it writes is kept"),
        "{}",
        ran.out
    );
}

#[test]
fn g8_a_deny_rule_on_the_home_folder_holds_for_every_way_to_spell_it() {
    let place = Place::new();
    let home = place.folder("ada");
    place.link(&home, "linked-home");
    place.file("../ada/netrc", "");
    place.link(&home.join("netrc"), "notes.txt");
    place.settings(r#"{"permissions": {"deny": ["Read(~/netrc)"]}}"#);
    let linked = place.project().join("linked-home");
    let read = |path: &str| json!({"tool": "Read", "input": {"file_path": path}}).to_string();
    let run = |command: &str| json!({"tool": "Bash", "input": {"command": command}}).to_string();
    let calls = [
        read("~/netrc"),
        read("notes.txt"),
        read(&home.join("netrc").display().to_string()),
        read(&linked.join("netrc").display().to_string()),
        run("cat ~/netrc"),
        run(&format!("cat {}", home.join("netrc").display())),
    ];
    let ran = place.fore_where(&[("HOME", linked.as_os_str())], &["gate"], calls.join("\n").as_bytes());
    let codes: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["code"].clone()).collect();
    assert_eq!(codes, vec![json!("rule.deny"); calls.len()]);
}

#[test]
fn a_home_that_is_no_absolute_path_is_refused_because_a_repository_could_hold_it() {
    let place = Place::new();
    let ran = place.fore_where(&[("FORETHOUGHT_HOME", "here".as_ref())], &["gate", "--", "ls"], b"");
    let words =
        "error: FORETHOUGHT_HOME is `here`, which is not an absolute path without `..`; set it to one or unset it\n";
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), words));
}

#[test]
fn tools_by_the_names_of_other_agents_are_judged_as_ours() {
    let place = Place::new();
    let page = [
        ("read_file", json!({"absolute_path": "a.txt"}), "allow -"),
        ("grep_search", json!({"pattern": "x"}), "allow -"),
        ("search_file_content", json!({"pattern": "x"}), "allow -"),
        ("glob", json!({"pattern": "*"}), "allow -"),
        ("list_directory", json!({"path": "."}), "allow -"),
        ("exit_plan_mode", json!({"plan": "# x"}), "allow -"),
        ("task", json!({"subagent_type": "Explore"}), "allow -"),
        ("run_shell_command", json!({"command": "ls"}), "allow -"),
        ("run_shell_command", json!({"command": "rm a.txt"}), "block plan.shell-writes"),
        ("web_fetch", json!({"url": "https://docs.rs/x"}), "ask -"),
        ("write_file", json!({"file_path": "b.txt", "content": "x"}), "block plan.edit"),
        ("edit", json!({"file_path": "a.txt"}), "block plan.edit"),
        ("replace", json!({"file_path": "a.txt"}), "block plan.edit"),
        ("MultiEdit", json!({"file_path": "a.txt"}), "block plan.edit"),
        ("todo_write", json!({}), "block plan.todo"),
        ("save_memory", json!({}), "block gate.unknown-tool"),
    ];
    let input: Vec<String> =
        page.iter().map(|(tool, input, _)| json!({"tool": tool, "input": input}).to_string()).collect();
    let answers = lines(&place, &["gate"], &(input.join("\n") + "\n"));
    for ((tool, input, expected), answer) in page.iter().zip(&answers) {
        let word = |name: &str| answer[name].as_str().unwrap_or("-").to_owned();
        assert_eq!(format!("{} {}", word("verdict"), word("code")), *expected, "{tool} {input}");
    }
    assert_eq!(answers.len(), page.len());
}

#[test]
fn a_call_without_its_field_is_refused_with_the_name_of_the_field() {
    let place = Place::new();
    let answers = lines(&place, &["gate"], "{\"tool\": \"Bash\", \"input\": {\"cmd\": \"ls\"}}\n");
    assert_eq!(answers[0]["reason"], "the `command` of `Bash` is missing or unclear");
    assert_eq!(answers[0]["way_out"], "Make the call again with `command` as one text.");
}

#[test]
fn permissions_are_listed_tested_and_taken_back() {
    let place = Place::new();
    std::fs::create_dir_all(place.project().join(".git")).unwrap();
    place.settings("{\n  // mine\n  \"permissions\": { \"allow\": [\"Bash(make:*)\", \"Read\"], \"deny\": [\"Bash(git push:*)\"] }\n}\n");
    let listed = place.fore(&["permissions"]);
    assert_eq!(listed.code, Some(0), "{}", listed.err);
    for line in ["mode     default", "deny    Bash(git push:*)  ", "allow   Bash(make:*)  ", "settings.json:3"] {
        assert!(listed.out.contains(line), "{line}: {}", listed.out);
    }
    let page = [
        ("ls", 0, "It runs. Decided by the table: shell-reads runs in default mode."),
        ("make all", 0, "It runs. Decided by the rule `allow Bash(make:*)`."),
        ("git push", 11, "It is refused. Decided by the rule `deny Bash(git push:*)`."),
        ("npm test -- x", 10, "It asks. Decided by the table: shell-runs asks in default mode."),
    ];
    for (command, code, expected) in page {
        let ran = place.fore(&["permissions", "test", command]);
        let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(ran.code, Some(code), "{command}: {} {}", ran.out, ran.err);
        assert!(words.starts_with(&format!("{command} {expected}")), "{command}: {}", ran.out);
    }
    let parts = place.fore(&["permissions", "test", "cargo fmt && npm test -- x | tail -5"]).out;
    for line in [
        "`cargo fmt`: not allowed yet; a yes could cover `cargo fmt …`",
        "`npm test -- x`: not allowed yet; a yes could cover `npm test …`",
        "`tail -5`: prints or filters; nobody is asked about it",
    ] {
        assert!(parts.contains(line), "{line}: {parts}");
    }
    let planning = place.fore(&["permissions", "test", "--mode", "plan", "rm", "-rf", "x"]);
    assert_eq!(planning.code, Some(11));
    let json: Value = serde_json::from_str(&place.fore(&["permissions", "test", "--json", "ls"]).out).unwrap();
    assert_eq!((&json["command"], &json["explanation"]["outcome"]), (&json!("ls"), &json!("runs")));

    let ran = place.fore(&["permissions", "forget", "allow", "Bash(make:*)"]);
    assert!(ran.code == Some(0) && ran.out.starts_with("`Bash(make:*)` is no longer in your settings: "), "{ran:?}");
    assert_eq!(place.fore(&["permissions", "test", "make all"]).code, Some(10));
    let rest = place.fore(&["permissions", "list"]).out;
    assert!(rest.contains("Read") && !rest.contains("make"), "{rest}");
    let ran = place.fore(&["permissions", "forget", "npm", "test"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("nothing here is called `npm test`"), "{}", ran.err);
}

#[test]
fn a_rule_that_a_repository_wrote_is_named_and_left_alone() {
    let place = Place::new();
    std::fs::create_dir_all(place.project().join(".git")).unwrap();
    std::fs::create_dir_all(place.project().join(".forethought")).unwrap();
    place.file(".forethought/settings.json", "{\"permissions\": {\"deny\": [\"Bash(make:*)\"]}}");
    let ran = place.fore(&["permissions", "forget", "Bash(make:*)"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("is written in .forethought/settings.json:1"), "{}", ran.err);
    assert_eq!(place.fore(&["permissions", "test", "make"]).code, Some(11), "what only restricts needs no trust");
}
