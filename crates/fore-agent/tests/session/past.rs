//! What a resumed session's screen shows of before: the same story as it was told live.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need")]

use crate::support::{Stage, line};
use fore_agent::{
    Command, Event,
    event::{Body, Decided},
    past,
};
use fore_plan::approval::Comment;
use fore_store::{Home, SessionId};
use fore_testkit::{Script, call, text};
use serde_json::json;

const PLAN: &str = "# Plan\n\n1. Fix it.\n\n## Verification\nRun the tests.\n";

fn home(stage: &Stage) -> Home {
    Home::open(&stage.home.join(".forethought")).unwrap()
}

/// The past with the lines that people read.
fn shown(stage: &Stage, session: SessionId) -> Vec<String> {
    let events = past::events(&home(stage), session, 1000).unwrap();
    let with_details = |event: &Event| match event {
        Event::ToolStarted { tool, line, .. } => Some(format!("call {tool} {line}")),
        Event::ToolFinished { shown, .. } => Some(format!("{} → {}", line(event).unwrap_or_default(), shown.line)),
        Event::Todos { items } => Some(format!("{} todos", items.len())),
        Event::Plan { text, .. } => {
            Some(format!("plan {}", text.as_deref().unwrap_or_default().lines().nth(2).unwrap()))
        }
        other => line(other),
    };
    events.iter().filter_map(with_details).collect()
}

async fn story(stage: &Stage) -> SessionId {
    std::fs::write(stage.project.join("notes.txt"), "Fix it.\nSoon.\n").unwrap();
    let mut show = stage.start("default").await;
    show.prompt("hi").await;
    show.until("ended").await;
    show.send(Command::Typed { line: "echo by hand".into() }).await;
    show.until("done !").await;
    show.send(Command::Mode { to: "plan".parse().unwrap() }).await;
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    let comments = vec![Comment { first_line: 3, last_line: 3, quote: "1. Fix it.".into(), remark: "how?".into() }];
    show.answer_with("keepPlanning", "too short", comments, None).await;
    show.until("approval of revision 2").await;
    show.answer("acceptEdits").await;
    show.until("ended").await;
    show.prompt("never mind this").await;
    show.until("ended").await;
    show.send(Command::Rewind).await;
    show.until("taken back").await;
    show.send(Command::Clear).await;
    show.until("context cleared").await;
    let session = show.session.unwrap();
    show.close().await;
    session
}

fn script() -> Script {
    let todo = json!({"todos": [{"content": "Fix it", "status": "completed", "activeForm": "Fixing"}]});
    Script::new()
        .turn(text("Hello."))
        .turn(call("Read", json!({"file_path": "notes.txt"})).call("Bash", json!({"command": "touch made"})))
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(call("ExitPlanMode", json!({"plan": PLAN.replace("Fix it", "Mend it")})))
        .turn(call("TodoWrite", todo))
        .turn(text("Working."))
        .turn(text("Why?"))
}

#[tokio::test(flavor = "current_thread")]
async fn the_past_reads_like_the_story_that_was_told() {
    let stage = Stage::new(script());
    let session = story(&stage).await;
    insta::assert_snapshot!(shown(&stage, session).join("\n"), @r"
    person: hi
    model: Hello.
    mode default → plan by person
    call ! echo by hand
    done ! → by hand
    person: fix it
    call Read notes.txt
    call Bash touch made
    done Read → 2 lines
    refused Bash: plan.shell-writes → refused: `touch` makes files
    call ExitPlanMode asks for approval of the plan
    plan 1. Fix it.
    keep planning: too short
    done ExitPlanMode → keep planning
    call ExitPlanMode asks for approval of the plan
    mode plan → acceptEdits by person (test)
    plan 1. Mend it.
    approved at acceptEdits
    done ExitPlanMode → approved; acceptEdits from here on
    call TodoWrite the todo list
    1 todos
    done TodoWrite → 1 of 1 done
    model: Working.
    person: never mind this
    model: Why?
    notice: Taken back: never mind this
    context cleared
    ");
    let events = past::events(&home(&stage), session, 1000).unwrap();
    let all = serde_json::to_string(&events).unwrap();
    assert!(!all.contains("system-reminder") && !all.contains("These agents"), "words for the model alone: {all}");
    let approved = events.iter().position(|event| matches!(event, Event::Decided(Decided::Approved { .. }))).unwrap();
    let Event::Plan { text: Some(text), .. } = &events[approved - 1] else { panic!("{:?}", events[approved - 1]) };
    assert_eq!(*text, PLAN.replace("Fix it", "Mend it"), "the decision comes with the text it was about");
    let finished = events[approved..].iter().find_map(|event| match event {
        Event::ToolFinished { shown, .. } => Some(shown.clone()),
        _ => None,
    });
    assert_eq!(finished.unwrap().body, Body::Markdown { text: text.clone() });
}

#[tokio::test(flavor = "current_thread")]
async fn the_newest_events_come_first_and_an_end_never_without_its_beginning() {
    let stage = Stage::new(script());
    let session = story(&stage).await;
    let all = past::events(&home(&stage), session, 1000).unwrap();
    for most in 0..all.len() {
        let events = past::events(&home(&stage), session, most).unwrap();
        assert!(events.len() <= most, "{most}: {events:#?}");
        assert!(events.last() == all.last() || most == 0, "{most}: {events:#?}");
        for (place, event) in events.iter().enumerate() {
            if let Event::ToolFinished { call, .. } = event {
                let began = |event: &Event| matches!(event, Event::ToolStarted { call: begun, .. } if begun == call);
                assert!(events[..place].iter().any(began), "{most}");
            }
        }
    }
}

#[tokio::test(flavor = "current_thread")]
async fn damaged_lines_are_left_out_and_a_request_that_waits_is_not_shown_twice() {
    let stage = Stage::new(Script::new().turn(text("Hello.")).turn(call("ExitPlanMode", json!({"plan": PLAN}))));
    let mut show = stage.start("plan").await;
    show.prompt("hi").await;
    show.until("ended").await;
    show.prompt("plan it").await;
    show.until("approval of revision 1").await;
    let session = show.session.unwrap();
    show.close().await;
    let path = stage.home.join(format!(".forethought/sessions/{session}.jsonl"));
    let damaged = std::fs::read_to_string(&path).unwrap().replacen("\"Hello.\"", "\"Hel\0", 1);
    std::fs::write(&path, damaged).unwrap();
    assert_eq!(shown(&stage, session), ["person: hi", "person: plan it"]);
    assert!(past::events(&home(&stage), SessionId::fresh(), 10).is_err());
}
