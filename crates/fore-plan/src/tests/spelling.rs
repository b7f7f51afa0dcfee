//! The same thing spelled otherwise: rules that must still hold, names that must not be taken for others.

use super::support::*;
use crate::{
    Change, Level, RefusalCode, State,
    gate::{
        Action, FileTarget, Ground, McpClaims, Paths, PatternRoots, Reply, RuleEffect, Rules, Verdict, judge,
        table::{CageSupport, GateRow, TableSettings},
    },
    plan::Hash,
};
use fore_shell::GitFacts;
use serde_json::{Value, json};
use std::path::Path;

const PROJECT: &str = "/projects/shop";

/// A disk on which `.env` leads to `config/prod`, and `twin` has two names.
struct Disk;

impl Paths for Disk {
    fn resolve(&self, asked: &str) -> FileTarget {
        let real = Path::new(PROJECT).join(asked).to_string_lossy().replace("/.env", "/config/prod");
        let names = if real.ends_with("twin") { 2 } else { 1 };
        FileTarget { asked: asked.into(), is_link: asked.ends_with(".env"), names, real }
    }

    fn cwd(&self) -> String {
        PROJECT.into()
    }

    fn is_harmless_to_tell(&self, name: &str) -> bool {
        name == "planner"
    }

    fn is_read_only_agent(&self, name: &str) -> bool {
        name == "Explore"
    }

    fn mcp_claims(&self, _server: &str, tool: &str) -> McpClaims {
        McpClaims { read_only: true, definition: Some(Hash::of(tool.as_bytes())), ..McpClaims::default() }
    }
}

fn verdict(
    state: &State,
    list: &[(RuleEffect, &str)],
    kernel: &CageSupport,
    tool: &str,
    input: &Value,
) -> (GateRow, Verdict) {
    let mut rules = Rules::default();
    let roots = PatternRoots { project: Path::new(PROJECT), home: Some(Path::new("/home/ada")) };
    list.iter().for_each(|(effect, text)| rules.add(*effect, text, roots).unwrap());
    let settings = TableSettings::default();
    let ground = Ground::new(&rules, &settings, Path::new(PROJECT), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    let ground = Ground { home: roots.home, vouched_tool: &|server, _, _| server == "a", kernel, ..ground };
    let judged = judge(state, &ground, Action::from_call(tool, input, &Disk));
    (judged.row, judged.verdict)
}

/// In the most careless mode, so that nothing but the rule can refuse.
fn is_denied(rule: &str, tool: &str, input: &Value) -> bool {
    let state = Story::at(Level::BypassPermissions).state;
    let (_, verdict) = verdict(&state, &[(RuleEffect::Deny, rule)], &CageSupport::FULL, tool, input);
    matches!(verdict, Verdict::Block(refusal) if refusal.code == RefusalCode::RuleDeny)
}

fn row(state: &State, tool: &str, input: &Value) -> GateRow {
    verdict(state, &[], &CageSupport::FULL, tool, input).0
}

#[test]
fn g8_a_denied_program_is_denied_however_it_is_called() {
    let page = [
        ("Bash(rm *)", "rm -rf x"),
        ("Bash(rm *)", "rm"),
        ("Bash(rm *)", "/bin/rm x"),
        ("Bash(rm *)", "cd a && rm $X"),
        ("Bash(rm:*)", "\\rm x"),
        ("Bash(rm:*)", "command rm x"),
        ("Bash(rm:*)", "busybox rm x"),
        ("Bash(rm:*)", "env -i A=b rm x"),
        ("Bash(rm:*)", "strace rm x"),
        ("Bash(/bin/rm:*)", "rm x"),
        ("Bash(git push *)", "git push"),
        ("Bash(git push *)", "git -C . push origin"),
        ("Bash(git push:*)", "git --git-dir=x -c a=b push"),
        ("Bash(kubectl delete:*)", "kubectl -n shop delete pod x"),
        ("Bash(npm run deploy:*)", "npm run --silent deploy"),
        ("Bash(npm run deploy:*)", "npm run \"$TASK\""),
        ("Bash(git * --force)", "/usr/bin/git push --force"),
    ];
    for (rule, command) in page {
        assert!(is_denied(rule, "Bash", &json!({"command": command})), "{rule}: {command}");
    }
    for (rule, command) in
        [("Bash(rm:*)", "grep rm notes.txt"), ("Bash(rm:*)", "rmdir x"), ("Bash(git push:*)", "git log push")]
    {
        assert!(!is_denied(rule, "Bash", &json!({"command": command})), "{rule}: {command}");
    }
}

#[test]
fn g8_a_denied_path_is_denied_under_every_name() {
    let many = format!("cat {} /home/ada/.ssh/id_rsa", (0..80).map(|n| format!("f{n} ")).collect::<String>());
    let page = [
        ("Read(~/.ssh/**)", "Grep", json!({"pattern": "x", "path": "/home/ada/.ssh"})),
        ("Read(~/.ssh/**)", "Glob", json!({"pattern": "/home/ada/.ssh/*"})),
        ("Read(~/.ssh/**)", "Bash", json!({"command": "ls ~/.ssh"})),
        ("Read(~/.ssh/**)", "Bash", json!({"command": many})),
        ("Read(./.env)", "Read", json!({"file_path": ".env"})),
        ("Read(.env)", "Read", json!({"file_path": ".env"})),
        ("Read(config/prod)", "Read", json!({"file_path": ".env"})),
        ("Read(**/secret.txt)", "Read", json!({"file_path": "a/secret.txt"})),
        ("Read(a/./b/../secret.txt)", "Read", json!({"file_path": "a/secret.txt"})),
        ("Read(../other/**)", "Read", json!({"file_path": "/projects/other/x"})),
        ("Read(Secret.txt)", "Read", json!({"file_path": "SECRET.TXT"})),
        ("read_file(secret.txt)", "Read", json!({"file_path": "secret.txt"})),
        ("Edit(/vendor/)", "Write", json!({"file_path": "vendor/x/y"})),
    ];
    for (rule, tool, input) in page {
        assert!(is_denied(rule, tool, &input), "{rule}: {tool} {input}");
    }
}

#[test]
fn g8_a_denied_tool_is_denied_by_all_its_names() {
    let page = [
        ("WebSearch", "web_search", json!({"query": "x"})),
        ("run_shell_command", "Bash", json!({"command": "ls"})),
        ("bash(rm:*)", "Bash", json!({"command": "rm x"})),
        ("todo_write", "TodoWrite", json!({})),
        ("exit_plan_mode", "ExitPlanMode", json!({})),
        ("Task(Explore)", "Agent", json!({"subagent_type": "Explore"})),
        ("NotebookRead", "Read", json!({"file_path": "x"})),
        ("mcp__a", "mcp__a__b", json!({})),
        ("mcp__*", "mcp__a__b", json!({})),
        ("mcp__a__get_*", "mcp__a__get_x", json!({})),
        ("mcp__a__b", "mcp__a__b__c", json!({})),
        ("WebFetch(domain:evil.example)", "WebFetch", json!({"url": "https://EVIL.example.:443/x"})),
        ("WebFetch(domain:*)", "WebFetch", json!({"url": "https://evil.example/"})),
        ("WebFetch(domain:Evil.Example.)", "WebFetch", json!({"url": "https://evil.example/"})),
        ("WebFetch(domain:evil.example)", "Bash", json!({"command": "curl -s https://evil.example/x"})),
    ];
    for (rule, tool, input) in page {
        assert!(is_denied(rule, tool, &input), "{rule}: {tool} {input}");
    }
    assert!(!is_denied("mcp__a", "mcp__ab__c", &json!({})));
    assert!(!is_denied("mcp__a__get_*", "mcp__a__set_x", &json!({})));
}

#[test]
fn a_rule_that_could_match_nothing_is_an_error() {
    let roots = PatternRoots { project: Path::new(PROJECT), home: None };
    let said = |text: &str| Rules::default().add(RuleEffect::Deny, text, roots).unwrap_err().to_string();
    assert_eq!(said("*"), "`*`: `*` stands for tools of MCP servers only; name each other tool");
    assert_eq!(said("Web*"), "`Web*`: `*` stands for tools of MCP servers only; name each other tool");
    for text in ["WebFetch(domain:https://x.example)", "WebFetch(domain:)", "WebFetch(domain:a b)"] {
        assert_eq!(said(text), format!("`{text}`: WebFetch takes `domain:example.com`"));
    }
    assert_eq!(
        said("Read(../../../x)"),
        "`Read(../../../x)`: the pattern is not understood: `..` leads above the root"
    );
}

#[test]
fn a_call_whose_fields_differ_is_not_understood() {
    let state = Story::planning(Level::Default, "").state;
    let page = [
        ("Write", json!({"file_path": PLAN_PATH, "path": "/etc/passwd"})),
        ("Write", json!({"file_path": PLAN_PATH, "absolute_path": ["x"]})),
        ("Agent", json!({"subagent_type": "Explore", "agent": "general"})),
        ("Bash", json!({"command": "ls", "directory": "/a", "cwd": "/b"})),
        ("Bash", json!({"command": ["ls"]})),
    ];
    for (tool, input) in page {
        assert_eq!(row(&state, tool, &input), GateRow::UnknownTool, "{tool} {input}");
    }
    let same = json!({"file_path": PLAN_PATH, "path": PLAN_PATH});
    assert_eq!(row(&state, "Write", &same), GateRow::EditPlanFile);
}

#[test]
fn a_command_is_judged_in_the_folder_it_names() {
    let state = Story::planning(Level::Default, "").state;
    let plans = "/home/ada/.forethought/plans";
    let in_folder = |folder: &str| json!({"command": "echo x > brave-quiet-fox.md", "directory": folder});
    assert_eq!(row(&state, "Bash", &in_folder(plans)), GateRow::ShellReads);
    assert_eq!(row(&state, "Bash", &in_folder("/projects/shop")), GateRow::ShellWrites);
}

#[test]
fn accept_edits_asks_where_others_take_orders_from() {
    let state = Story::at(Level::AcceptEdits).state;
    let page = [
        ("src/cart.rs", GateRow::EditProject),
        (".gitignore", GateRow::EditProject),
        (".git/hooks/pre-commit", GateRow::EditElsewhere),
        ("vendor/x/.GIT/config", GateRow::EditElsewhere),
        (".forethought/settings.json", GateRow::EditElsewhere),
        (".mcp.json", GateRow::EditElsewhere),
        (".github/workflows/ci.yml", GateRow::EditElsewhere),
        ("web/.cargo/config.toml", GateRow::EditElsewhere),
        ("docs/agents.md", GateRow::EditElsewhere),
        ("package.json", GateRow::EditProject),
        ("../shop/../other", GateRow::EditElsewhere),
    ];
    for (path, expected) in page {
        assert_eq!(row(&state, "Edit", &json!({"file_path": path})), expected, "{path}");
    }
}

#[test]
fn a_yes_for_a_file_does_not_hold_once_the_file_is_a_link_or_has_two_names() {
    let mut story = Story::at(Level::Default);
    story.apply(Change::Allowed { what: "edit:/projects/shop/config/prod".into() });
    story.apply(Change::Allowed { what: "edit:/projects/shop/twin".into() });
    for path in [".env", "twin"] {
        let (_, verdict) = verdict(&story.state, &[], &CageSupport::FULL, "Edit", &json!({"file_path": path}));
        let Verdict::Ask(question) = verdict else { panic!("{path}: not asked: {verdict:?}") };
        assert!(!may_last(&question));
        assert!(question.answer(Reply::YesForSession, &story.state).unwrap().changes.is_empty());
    }
}

#[test]
fn g5_a_tool_whose_server_is_unclear_is_not_trusted() {
    let state = Story::planning(Level::Default, "").state;
    assert_eq!(row(&state, "mcp__a__b", &json!({})), GateRow::McpReadOnly);
    assert_eq!(row(&state, "mcp__a__b__c", &json!({})), GateRow::McpOther);
    assert_eq!(row(&state, "mcp__a___c", &json!({})), GateRow::McpOther);
}

#[test]
fn g7_rehearsal_is_offered_only_where_there_is_one() {
    let state = Story::planning(Level::Default, "").state;
    let way_out = |kernel: &CageSupport| match verdict(&state, &[], kernel, "Bash", &json!({"command": "rm x"})).1 {
        Verdict::Block(refusal) => refusal.way_out,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        way_out(&CageSupport::FULL),
        "Put this step in the plan, or run it with `rehearse: true`, which drops every write."
    );
    assert_eq!(way_out(&CageSupport::NONE), "Put this step in the plan.");
}

#[test]
fn i3_interpreters_with_options_and_wrappers_are_broad_too() {
    let auto = Story::at(Level::Auto).state;
    let page = [
        ("Bash(python3 -c:*)", "python3 -c 'print(1)'"),
        ("Bash(bash -c *)", "bash -c 'npm install'"),
        ("Bash(python3.12:*)", "python3.12 x.py"),
        ("Bash(sudo apt:*)", "sudo apt install x"),
    ];
    for (rule, command) in page {
        let (_, verdict) =
            verdict(&auto, &[(RuleEffect::Allow, rule)], &CageSupport::FULL, "Bash", &json!({"command": command}));
        assert!(matches!(verdict, Verdict::Ask(_)), "{rule}: {command}: {verdict:?}");
    }
}
