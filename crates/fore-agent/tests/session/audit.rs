//! The audit log: one line for each decision, with who decided.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need, and reads the log")]

use crate::support::{Show, Stage};
use fore_agent::{
    Begin, Command,
    command::{QuestionId, Reply},
};
use fore_plan::{
    Mode, Openings,
    approval::Reachable,
    gate::{Effect, Roots},
};
use fore_store::audit::{AuditLine, Audited};
use fore_testkit::{Script, Turn, call, text};
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
    };
    text.lines().map(line).collect::<String>().replace(&stage.project.display().to_string(), "PROJECT")
}

fn bash(command: &str) -> Turn {
    call("Bash", json!({"command": command}))
}

async fn reply(show: &mut Show, call: u32, reply: Reply) {
    show.send(Command::Reply { question: QuestionId(format!("question-call-{call}")), reply }).await;
}

#[tokio::test(flavor = "current_thread")]
async fn every_decision_is_one_line_with_who_decided() {
    let child = [call("EnterPlanMode", json!({})), text("I cannot.")];
    let agent = json!({"subagent_type": "general", "description": "child", "prompt": "CHILD: write"});
    let script = Script::new()
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
    let roots = Roots { project: &stage.project, home: None };
    let rules = &mut launch.settings.rules;
    rules.add(Effect::Deny, "Read(secret.txt)", roots).unwrap();
    rules.add(Effect::Allow, "Bash(touch allowed)", roots).unwrap();
    rules.add(Effect::Ask, "Bash(touch asked)", roots).unwrap();
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
    let script = Script::new()
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
