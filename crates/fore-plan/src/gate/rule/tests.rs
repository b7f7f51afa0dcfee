//! Which action each rule speaks about.

use super::*;
use crate::gate::McpClaims;

fn roots() -> PatternRoots<'static> {
    PatternRoots { project: Path::new("/projects/shop"), home: Some(Path::new("/home/ada")) }
}

fn rule(effect: RuleEffect, text: &str) -> Rule {
    Rule { effect, text: text.into(), matcher: parse(effect, text, roots()).unwrap() }
}

fn words(line: &str) -> CommandWords {
    line.split_whitespace().map(|word| (word != "?").then(|| word.to_owned())).collect()
}

/// `commands`: simple commands of the text, `;` between them, `?` for a word decided at run time.
fn matches_run(effect: RuleEffect, text: &str, commands: &str) -> bool {
    let commands: Vec<CommandWords> = commands.split(';').map(words).collect();
    let action = Action::Run { command: "text".into(), cwd: "/projects/shop".into(), rehearse: false };
    rule(effect, text).matches(&action, &ShellContents { commands: &commands, ..ShellContents::NOTHING })
}

fn target(real: &str) -> FileTarget {
    FileTarget { asked: real.into(), real: real.into(), is_link: false, names: 1 }
}

fn matches_edit(effect: RuleEffect, text: &str, target: FileTarget) -> bool {
    rule(effect, text).matches(&Action::Edit { tool: ToolName::Edit, target }, &ShellContents::NOTHING)
}

fn matches_read(text: &str, path: &str) -> bool {
    rule(RuleEffect::Deny, text)
        .matches(&Action::Read { path: path.into(), asked: path.into() }, &ShellContents::NOTHING)
}

#[test]
fn an_allow_must_cover_every_command_and_a_deny_needs_only_one() {
    let page = [
        (RuleEffect::Allow, "Bash(npm run test:*)", "npm run test unit", true),
        (RuleEffect::Allow, "Bash(npm run test:*)", "npm run test; rm -rf x", false),
        (RuleEffect::Allow, "Bash(npm run test:*)", "npm run testing", false),
        (RuleEffect::Allow, "Bash(npm run test:*)", "npm run ?", false),
        (RuleEffect::Allow, "Bash(git log)", "git log", true),
        (RuleEffect::Allow, "Bash(git log)", "git log -p", false),
        (RuleEffect::Allow, "Bash(git log *)", "git log -p", true),
        (RuleEffect::Allow, "Bash(/bin/rm:*)", "rm x", false),
        (RuleEffect::Deny, "Bash(git push:*)", "cd /repo; git push", true),
        (RuleEffect::Deny, "Bash(git push:*)", "git -C /repo push origin", true),
        (RuleEffect::Deny, "Bash(git push:*)", "git -c a=b --no-pager push", true),
        (RuleEffect::Deny, "Bash(rm:*)", "/usr/bin/rm x", true),
        (RuleEffect::Deny, "Bash(rm:*)", "ls; rm ?", true),
        (RuleEffect::Deny, "Bash(rm:*)", "grep rm notes.txt", false),
        (RuleEffect::Ask, "Bash(git push:*)", "git status; git push", true),
        (RuleEffect::Deny, "Bash", "ls", true),
    ];
    for (effect, text, commands, expected) in page {
        assert_eq!(matches_run(effect, text, commands), expected, "{effect:?} {text} on {commands}");
    }
}

#[test]
fn a_text_that_was_not_understood_is_never_allowed_and_denied_when_it_names_the_program() {
    let action = Action::Run { command: "x=$(rm -rf y".into(), cwd: "/".into(), rehearse: false };
    let unknown = ShellContents { is_complete: false, ..ShellContents::NOTHING };
    assert!(!rule(RuleEffect::Allow, "Bash(rm:*)").matches(&action, &unknown));
    assert!(rule(RuleEffect::Deny, "Bash(rm:*)").matches(&action, &unknown));
    assert!(!rule(RuleEffect::Deny, "Bash(git push:*)").matches(&action, &unknown));
    let run = |command: &str| Action::Run { command: command.into(), cwd: "/".into(), rehearse: false };
    assert!(rule(RuleEffect::Deny, "Bash(git push:*)").matches(&run("eval \"git push"), &unknown));
    assert!(!rule(RuleEffect::Deny, "Bash(git push:*)").matches(&run("git log \"$X\""), &unknown));
    assert!(rule(RuleEffect::Allow, "Bash").matches(&action, &unknown), "the bare tool is every call");
}

#[test]
fn paths_are_read_as_in_ignore_files() {
    let page = [
        ("Edit(src/**)", "/projects/shop/src/a/b.rs", true),
        ("Edit(src/**)", "/projects/shop/tests/src/a.rs", false),
        ("Edit(src/**)", "/projects/other/src/a.rs", false),
        ("Edit(src)", "/projects/shop/lib/src/a.rs", true),
        ("Edit(/docs/*.md)", "/projects/shop/docs/a.md", true),
        ("Edit(/docs/*.md)", "/projects/shop/docs/de/a.md", false),
        ("Edit(//etc/**)", "/etc/passwd", true),
        ("Edit(*.lock)", "/projects/shop/a/b/Cargo.lock", true),
        ("Edit", "/anything", true),
    ];
    for (text, path, expected) in page {
        assert_eq!(matches_edit(RuleEffect::Allow, text, target(path)), expected, "{text} on {path}");
    }
    assert!(matches_read("Read(~/.ssh/**)", "/home/ada/.ssh/id_rsa"));
    assert!(matches_read("Read(~/.ssh)", "/home/ada/.ssh/id_rsa"));
    assert!(matches_read("Read(~/.ssh/**)", "/home/ada/x/../.ssh/id_rsa"));
    assert!(!matches_read("Read(~/.ssh/**)", "/home/eve/.ssh/id_rsa"));
    assert!(matches_read("Read(.env)", "/projects/shop/api/.env"));
}

#[test]
fn a_deny_looks_at_the_asked_and_the_real_path_an_allow_only_at_the_real_one() {
    let through_link =
        FileTarget { asked: "/projects/shop/src/link.rs".into(), real: "/etc/passwd".into(), is_link: true, names: 1 };
    assert!(!matches_edit(RuleEffect::Allow, "Edit(src/**)", through_link.clone()));
    assert!(matches_edit(RuleEffect::Deny, "Edit(src/**)", through_link.clone()));
    assert!(matches_edit(RuleEffect::Deny, "Edit(//etc/**)", through_link));
}

#[test]
fn a_deny_on_reading_reaches_into_shell_commands() {
    let action = Action::Run { command: "cat ~/.ssh/id_rsa".into(), cwd: "/".into(), rehearse: false };
    let paths = ["/home/ada/.ssh/id_rsa".to_owned()];
    let inside = ShellContents { paths: &paths, ..ShellContents::NOTHING };
    assert!(rule(RuleEffect::Deny, "Read(~/.ssh/**)").matches(&action, &inside));
    assert!(!rule(RuleEffect::Allow, "Read(~/.ssh/**)").matches(&action, &inside));
}

#[test]
fn a_deny_on_a_domain_holds_at_every_port() {
    let action = Action::Run { command: "curl …".into(), cwd: "/".into(), rehearse: false };
    let page = [("docs.rs", true), ("docs.rs:8443", true), ("evildocs.rs:443", false), ("a.b:8080", false)];
    for (host, expected) in page {
        let reach = [fore_shell::Reach::Host(host.into())];
        let inside = ShellContents { reach: &reach, ..ShellContents::NOTHING };
        assert_eq!(rule(RuleEffect::Deny, "WebFetch(domain:docs.rs)").matches(&action, &inside), expected, "{host}");
    }
}

#[test]
fn domains_servers_agents_and_tools_are_matched_whole() {
    let fetch = |host: &str| Action::Fetch { host: Some(host.into()) };
    let mcp = |tool: &str| Action::Mcp { server: "jira".into(), tool: tool.into(), claims: McpClaims::default() };
    let agent = Action::Agent { name: "Explore".into(), is_read_only: true };
    let page = [
        ("WebFetch(domain:docs.rs)", fetch("docs.rs"), true),
        ("WebFetch(domain:docs.rs)", fetch("evildocs.rs"), false),
        ("WebFetch(domain:*.docs.rs)", fetch("a.docs.rs"), true),
        ("WebFetch(domain:*.docs.rs)", fetch("evildocs.rs"), false),
        ("mcp__jira__get_issue", mcp("get_issue"), true),
        ("mcp__jira__get_issue", mcp("delete_issue"), false),
        ("mcp__jira", mcp("anything"), true),
        ("mcp__jira__*", mcp("anything"), true),
        ("mcp__jir", mcp("anything"), false),
        ("Agent(Explore)", agent.clone(), true),
        ("Agent(Plan)", agent, false),
        ("TodoWrite", Action::Todo, true),
        ("ExitPlanMode", Action::ExitPlanMode, true),
    ];
    for (text, action, expected) in page {
        assert_eq!(
            rule(RuleEffect::Allow, text).matches(&action, &ShellContents::NOTHING),
            expected,
            "{text} on {action:?}"
        );
    }
}

#[test]
fn a_rule_that_is_not_understood_is_an_error_with_a_reason() {
    let page = [
        ("", "`` is not a rule; a rule is a tool name, or `Tool(specifier)`"),
        ("Bash(ls", "`Bash(ls` is not a rule; a rule is a tool name, or `Tool(specifier)`"),
        ("rm -rf", "`rm -rf` is not a rule; a rule is a tool name, or `Tool(specifier)`"),
        ("Edit()", "`Edit()`: an empty pair of brackets matches nothing; leave it out to match every call"),
        ("WebFetch(docs.rs)", "`WebFetch(docs.rs)`: WebFetch takes `domain:example.com`"),
        ("TodoWrite(x)", "`TodoWrite(x)`: this tool takes no specifier"),
        ("Read(~eve/x)", "`Read(~eve/x)`: the pattern is not understood: `~name` is not supported; write the path"),
    ];
    for (text, expected) in page {
        assert_eq!(parse(RuleEffect::Deny, text, roots()).unwrap_err().to_string(), expected);
    }
}

#[test]
fn i3_broad_allows_are_out_while_auto_is_active_and_nothing_is_lost() {
    let mut rules = Rules::default();
    let texts =
        ["Bash", "Bash(python:*)", "Bash(python3 *)", "Bash(* --help)", "Agent", "Bash(npm test:*)", "Edit(src/**)"];
    for text in texts {
        rules.add(RuleEffect::Allow, text, roots()).unwrap();
    }
    rules.add(RuleEffect::Deny, "Bash(rm:*)", roots()).unwrap();
    let kept: Vec<String> = rules.without_broad_allows().iter().map(Rule::name).collect();
    assert_eq!(kept, ["allow Bash(npm test:*)", "allow Edit(src/**)", "deny Bash(rm:*)"]);
    assert_eq!(rules.iter().count(), 8);
}

#[test]
fn an_allow_for_a_server_is_none_for_another_whose_name_begins_like_it() {
    let called = |tool: &str| Action::Mcp { server: "a".into(), tool: tool.into(), claims: McpClaims::default() };
    let allows = |text: &str, tool: &str| rule(RuleEffect::Allow, text).matches(&called(tool), &ShellContents::NOTHING);
    assert!(allows("mcp__a", "get") && allows("mcp__a__*", "get") && allows("mcp__a__b__c", "b__c"));
    assert!(!allows("mcp__a", "b__c") && !allows("mcp__a__*", "_b"), "`c` of `a__b` is called the same");
}

#[test]
fn a_star_matches_anything_and_the_rest_stands_for_itself() {
    let page = [
        ("git log", "git log", true),
        ("git * main", "git push origin main", true),
        ("git * main", "git push origin mainline", false),
        ("*a*a*", "aa", true),
        ("*a*a*", "a", false),
        ("a*a", "a", false),
        ("", "", true),
        ("*", "", true),
    ];
    for (pattern, text, expected) in page {
        assert_eq!(wildcard(pattern, text), expected, "{pattern} on {text}");
    }
}
