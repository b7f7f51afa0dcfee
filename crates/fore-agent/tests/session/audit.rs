//! The audit log: one line for each decision, with who decided.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need, and reads the log")]

use crate::support::{Show, Stage};
use fore_agent::{Begin, CallOutcome, Command, Event, FormAnswer, QuestionId, Reply};
use fore_plan::{
    Mode, Openings,
    approval::Reachable,
    gate::{PatternRoots, RuleEffect},
};
use fore_store::audit::{self, AuditDecider, AuditLine, Audited, Ruling};
use fore_testkit::{ModelScript, ScriptedTurn, call, call_raw, text};
use serde_json::json;

/// The log as a page: event, kind, verdict, who, why.
fn page(stage: &Stage) -> String {
    let text = std::fs::read_to_string(stage.home.join(".forethought/audit.jsonl")).unwrap();
    let line = |line: &str| match serde_json::from_str::<AuditLine>(line).unwrap().what {
        Audited::Gate(ruling) | Audited::Answer(ruling) => {
            let verdict = serde_json::to_string(&(ruling.verdict, ruling.by)).unwrap();
            let why = ruling.code.or(ruling.reason).unwrap_or_default();
            format!("{} {verdict} {why}", ruling.about.action).trim_end().to_owned() + "\n"
        }
        Audited::Mode(event) => format!("mode {} by {}\n", event.to, event.by),
        Audited::Connection(connected) => format!("connection {}\n", connected.host),
        Audited::ModeRefused { to, by, code, .. } => format!("mode {to} refused, wanted by {by}: {code}\n"),
        Audited::Hook(hook) => format!("hook {} on {}: {}\n", hook.hook, hook.on, hook.answer),
    };
    text.lines().map(line).collect::<String>().replace(&stage.project.display().to_string(), "PROJECT")
}

fn bash(command: &str) -> ScriptedTurn {
    call("Bash", json!({"command": command}))
}

async fn reply(show: &mut Show, call: u32, reply: Reply) {
    show.send(Command::Reply { question: QuestionId(format!("question-call-{call}")), reply }).await;
}

#[tokio::test(flavor = "current_thread")]
async fn every_decision_is_one_line_with_who_decided() {
    let child = [call("EnterPlanMode", json!({})), text("I cannot.")];
    let agent = json!({"subagent_type": "general", "description": "child", "prompt": "CHILD: write"});
    let script = ModelScript::new()
        .turn(call("Read", json!({"file_path": "Cargo.toml"})))
        .turn(call("Read", json!({"file_path": "secret.txt"})))
        .turn(bash("touch allowed"))
        .turn(bash("touch asked"))
        .turn(bash("touch other"))
        .turn(bash("touch other"))
        .turn(call("Nonsense", json!({})))
        .turn(call("ExitPlanMode", json!({})))
        .turn(call("EnterPlanMode", json!({})))
        .turn(call("Agent", agent))
        .turn(text("Done."))
        .conversation("child", "CHILD: write", child);
    let stage = Stage::new(script);
    std::fs::write(stage.project.join("Cargo.toml"), "one\n").unwrap();
    let mut launch = stage.launch(Begin::Fresh { mode: "default".parse().unwrap() }, Reachable::Approver);
    let roots = PatternRoots { project: &stage.project, home: None };
    let rules = &mut launch.settings.rules;
    rules.add(RuleEffect::Deny, "Read(secret.txt)", roots).unwrap();
    rules.add(RuleEffect::Allow, "Bash(touch allowed)", roots).unwrap();
    rules.add(RuleEffect::Ask, "Bash(touch asked)", roots).unwrap();
    let mut show = stage.go(launch).await;
    show.prompt("work").await;
    show.until("asks: Bash").await;
    reply(&mut show, 4, Reply::No { reason: "not now".into() }).await;
    show.until("asks: Bash").await;
    reply(&mut show, 5, Reply::YesForSession).await;
    show.until("asks to plan").await;
    let question = show.last_question.clone().unwrap();
    show.send(Command::ConfirmPlanning { question, yes: false }).await;
    show.until("ended").await;
    show.send(Command::Mode { to: "auto".parse().unwrap() }).await;
    show.until("notice").await;
    show.send(Command::Mode { to: Mode::Plan }).await;
    show.until("mode").await;
    show.close().await;
    insta::assert_snapshot!(page(&stage), @r#"
    read ["allowed","gate"]
    read ["blocked","rule"] rule.deny
    execute ["allowed","rule"]
    execute ["asked","rule"] Run this command? `touch` makes files.
    execute ["blocked","person"] person.declined
    execute ["asked","gate"] Run this command? `touch` makes files.
    execute ["allowed","person"]
    execute ["allowed","person"]
    other ["blocked","gate"] gate.unknown-tool
    think ["blocked","gate"] exit.outside-plan
    think ["blocked","person"] not now
    other ["allowed","gate"]
    think ["blocked","gate"] gate.unknown-tool
    mode auto refused, wanted by person: mode.not-available
    mode plan by person
    "#);
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn what_a_plan_was_answered_and_what_the_classifier_said_is_in_the_log() {
    let script = ModelScript::new()
        .turn(bash("touch one"))
        .turn(text(r#"{"allow": true, "reason": "it only makes a file"}"#))
        .turn(bash("touch two"))
        .turn(text(r#"{"allow": false, "reason": "nobody asked for it"}"#))
        .turn(text("Done."))
        .turn(call("EnterPlanMode", json!({})))
        .turn(call("ExitPlanMode", json!({"plan": "# Plan\n\n1. Look at Cargo.toml\n"})))
        .turn(call("ExitPlanMode", json!({"plan": "# Plan\n\n1. Look at it twice\n"})))
        .turn(text("Done."));
    let stage = Stage::new(script);
    let mut launch = stage.launch(Begin::Fresh { mode: "auto".parse().unwrap() }, Reachable::Approver);
    launch.openings = Openings { auto_opted_in: true, auto_gate_open: true, ..Openings::TRUSTED };
    let mut show = stage.go(launch).await;
    show.prompt("work").await;
    show.until("ended").await;
    show.prompt("plan").await;
    show.until("asks to plan").await;
    let question = show.last_question.clone().unwrap();
    show.send(Command::ConfirmPlanning { question, yes: true }).await;
    show.until("approval").await;
    show.answer_with("keepPlanning", "look twice", Vec::new(), None).await;
    show.until("approval").await;
    show.answer("startEditing").await;
    show.until("ended").await;
    show.close().await;
    insta::assert_snapshot!(page(&stage), @r#"
    execute ["asked","gate"] Run this command? `touch` makes files.
    execute ["allowed","classifier"] it only makes a file
    execute ["asked","gate"] Run this command? `touch` makes files.
    execute ["blocked","classifier"] auto.denied
    mode plan by model
    think ["allowed","person"] planning
    think ["blocked","person"] keep planning
    mode auto by person (test)
    think ["allowed","person"] approved; auto from here on
    "#);
    stage.server.finish().unwrap();
}

/// One call of every tool, and of some that are not there.
fn every_tool() -> Vec<ScriptedTurn> {
    let file = |path: &str| json!({"file_path": path});
    let form = json!({"questions": [{"question": "Which?", "header": "x", "multiSelect": false,
        "options": [{"label": "a", "description": "a"}, {"label": "b", "description": "b"}]}]});
    let agent = |kind: &str| json!({"subagent_type": kind, "description": "child", "prompt": "CHILD: look"});
    vec![
        call("Read", file("Cargo.toml")),
        call("Read", file(".env")),
        call("Glob", json!({"pattern": "*.toml"})),
        call("Grep", json!({"pattern": "one"})),
        call("WebFetch", json!({"url": "http://localhost:1/", "prompt": "x"})),
        call("WebSearch", json!({"query": "x"})),
        call("AskUserQuestion", form),
        call("BashOutput", json!({"bash_id": "none"})),
        call("Write", json!({"file_path": "new.txt", "content": "x"})),
        call("Write", json!({"file_path": "../outside.txt", "content": "x"})),
        call("Edit", json!({"file_path": "Cargo.toml", "old_string": "one", "new_string": "two"})),
        call("NotebookEdit", json!({"notebook_path": "n.ipynb", "new_source": "x"})),
        bash("ls"),
        bash("touch made"),
        bash("./unknown --flag"),
        bash("docker ps"),
        bash("curl https://host.invalid/"),
        call("Agent", agent("Explore")),
        call("Agent", agent("nobody")),
        call("TodoWrite", json!({"todos": [{"content": "a", "status": "completed", "activeForm": "a"}]})),
        call("Skill", json!({"skill": "none"})),
        call("mcp__files__write", json!({})),
        call("Nonsense", json!({})),
        call_raw("Write", "{\"file_path\": "),
        call("EnterPlanMode", json!({})),
        call("ExitPlanMode", json!({"plan": "# Plan\n\n1. Look\n"})),
    ]
}

/// Who is there, and what they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Person {
    SaysYes,
    SaysNo,
    IsAway,
}

/// Plays one call of every tool; gives the outcome of each, and what the log says of each in the end.
async fn decided(mode: &str, person: Person, rule: Option<(RuleEffect, &str)>) -> Vec<(String, CallOutcome, Ruling)> {
    let script = every_tool().into_iter().fold(ModelScript::new(), ModelScript::turn).turn(text("Done."));
    let children = || std::iter::repeat_with(|| text("Nothing.")).take(1);
    let stage = Stage::new(script.conversation("child", "CHILD: look", children()).allow_unused_turns());
    std::fs::write(stage.project.join("Cargo.toml"), "one\n").unwrap();
    std::fs::write(stage.project.join(".env"), "KEY=1\n").unwrap();
    let reachable = if person == Person::IsAway { Reachable::Nobody } else { Reachable::Approver };
    let mut launch = stage.launch(Begin::Fresh { mode: mode.parse().unwrap() }, reachable);
    let roots = PatternRoots { project: &stage.project, home: None };
    for tool in ["Read", "Grep", "Write", "Edit", "Bash", "Agent", "WebFetch", "TodoWrite", "NotebookEdit"] {
        if let Some((effect, _)) = rule {
            launch.settings.rules.add(effect, tool, roots).unwrap();
        }
    }
    let mut show = stage.go(launch).await;
    show.prompt("work").await;
    let mut outcomes = Vec::new();
    let yes = person == Person::SaysYes;
    loop {
        match show.next().await.unwrap() {
            Event::Asked(asked) => {
                let reply = if yes { Reply::Yes } else { Reply::No { reason: "not now".into() } };
                show.send(Command::Reply { question: asked.question, reply }).await;
            }
            Event::FormAsked { question, .. } => {
                let answers = vec![FormAnswer { chosen: Vec::new(), text: "a".into() }];
                show.send(Command::FillForm { question, answers }).await;
            }
            Event::EnterPlanAsked { question } => show.send(Command::ConfirmPlanning { question, yes }).await,
            Event::ApprovalAsked(_) => show.answer(if yes { "startEditing" } else { "keepPlanning" }).await,
            Event::ToolFinished { agent: None, tool, outcome, .. } => outcomes.push((tool, outcome)),
            Event::TurnEnded { .. } => break,
            _ => {}
        }
    }
    show.close().await;
    let log = std::fs::read_to_string(stage.home.join(".forethought/audit.jsonl")).unwrap();
    let mut last: Vec<Ruling> = Vec::new();
    for line in log.lines().map(|line| serde_json::from_str::<AuditLine>(line).unwrap().what) {
        match line {
            Audited::Gate(ruling) => last.push(ruling),
            // The answer to what was asked last.
            Audited::Answer(ruling) => {
                let asked = last.pop().unwrap();
                assert_eq!((asked.verdict, &asked.about), (audit::AuditOutcome::Asked, &ruling.about), "{log}");
                last.push(ruling);
            }
            Audited::Mode(_) | Audited::Connection(_) | Audited::ModeRefused { .. } | Audited::Hook(_) => {}
        }
    }
    assert_eq!(outcomes.len(), last.len(), "one decision for each call: {outcomes:#?}\n{last:#?}");
    outcomes.into_iter().zip(last).map(|((tool, outcome), ruling)| (tool.into(), outcome, ruling)).collect()
}

#[tokio::test(flavor = "current_thread")]
async fn every_tool_under_every_decision_is_in_the_log_with_who_decided_and_why() {
    let deny = Some((RuleEffect::Deny, "denied"));
    let allow = Some((RuleEffect::Allow, "allowed"));
    let columns = [
        ("plan", Person::SaysYes, None),
        ("plan", Person::SaysNo, allow),
        ("plan", Person::IsAway, None),
        ("default", Person::SaysYes, None),
        ("default", Person::SaysNo, None),
        ("default", Person::SaysYes, allow),
        ("default", Person::SaysYes, deny),
        ("default", Person::IsAway, None),
        ("acceptEdits", Person::SaysNo, None),
        ("bypassPermissions", Person::SaysNo, deny),
    ];
    let mut page = String::new();
    for (mode, person, rule) in columns {
        let rules = rule.map_or("", |(_, word)| word);
        page.push_str(&format!("== {mode}, {person:?} {rules}\n"));
        for (tool, outcome, ruling) in decided(mode, person, rule).await {
            let is_fair = match (&outcome, ruling.verdict) {
                (CallOutcome::Refused { .. }, verdict) => verdict == audit::AuditOutcome::Blocked,
                (CallOutcome::Done, audit::AuditOutcome::Allowed) => true,
                // A plan that was not approved, or that waits: the tool itself has done its work.
                (CallOutcome::Done | CallOutcome::Interrupted, _) => tool.ends_with("PlanMode"),
                (CallOutcome::Failed, verdict) => verdict != audit::AuditOutcome::Asked,
            };
            assert!(is_fair, "{mode}, {person:?}, {rules}: {tool} {outcome:?}\n{ruling:#?}");
            let says_why =
                ruling.verdict == audit::AuditOutcome::Allowed || ruling.code.is_some() || ruling.reason.is_some();
            assert!(says_why, "{mode}, {person:?}: {tool}\n{ruling:#?}");
            if let (CallOutcome::Refused { refusal }, Some(code)) = (&outcome, &ruling.code) {
                assert_eq!(
                    (refusal.code.name(), Some(&refusal.reason)),
                    (code.as_str(), ruling.reason.as_ref()),
                    "{tool}"
                );
            }
            let is_rule = ruling.by == AuditDecider::Rule;
            assert!(!is_rule || rule.is_some(), "{mode}, {person:?}: {tool} by a rule that nobody wrote");
            assert!(ruling.by != AuditDecider::Person || person != Person::IsAway, "{mode}: {tool} by nobody");
            let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
            let verdict = word(serde_json::to_value(ruling.verdict).unwrap());
            let by = word(serde_json::to_value(ruling.by).unwrap());
            let code = ruling.code.unwrap_or_default();
            // Which hosts are asked about is on a page of its own.
            if tool != "WebFetch" {
                page.push_str(format!("{tool}: {verdict} by {by} {code}").trim_end());
                page.push('\n');
            }
        }
    }
    insta::assert_snapshot!("every_tool_under_every_decision", page);
}
