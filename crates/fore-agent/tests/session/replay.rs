//! What a resumed session's screen shows of before: the same story as it was told live.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need")]

use crate::support::{Stage, line};
use fore_agent::{ApprovalOutcome, Begin, CallId, Command, Event, ShownBody, ShownCall, TurnOutcome, replay};
use fore_plan::approval::{Comment, ExitResponse, Reachable};
use fore_store::{Home, SessionId};
use fore_testkit::{ModelScript, Server, call, text};
use serde_json::json;
use std::collections::HashMap;

const PLAN: &str = "# Plan\n\n1. Fix it.\n\n## Verification\nRun the tests.\n";

fn home(stage: &Stage) -> Home {
    Home::open(&stage.home.join(".forethought")).unwrap()
}

/// The past with the lines that people read.
fn shown(stage: &Stage, session: SessionId) -> Vec<String> {
    let events = replay::events(&home(stage), session, 1000).unwrap();
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

fn script() -> ModelScript {
    let todo = json!({"todos": [{"content": "Fix it", "status": "completed", "activeForm": "Fixing"}]});
    ModelScript::new()
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
    call ! echo by hand
    done ! → ok, 1 line
    mode default → plan by person
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
    1 todos
    done ExitPlanMode → approved; acceptEdits from here on
    call TodoWrite the todo list
    1 todos
    done TodoWrite → 1 of 1 done
    model: Working.
    mode acceptEdits → default by program
    person: never mind this
    model: Why?
    taken back: never mind this
    context cleared
    ");
    let events = replay::events(&home(&stage), session, 1000).unwrap();
    let all = serde_json::to_string(&events).unwrap();
    assert!(!all.contains("system-reminder") && !all.contains("These agents"), "words for the model alone: {all}");
    let approved =
        events.iter().position(|event| matches!(event, Event::Decided(ApprovalOutcome::Approved { .. }))).unwrap();
    let Event::Plan { text: Some(text), .. } = &events[approved - 1] else { panic!("{:?}", events[approved - 1]) };
    assert_eq!(*text, PLAN.replace("Fix it", "Mend it"), "the decision comes with the text it was about");
    let finished = events[approved..].iter().find_map(|event| match event {
        Event::ToolFinished { shown, .. } => Some(shown.clone()),
        _ => None,
    });
    assert_eq!(finished.unwrap().body, ShownBody::Markdown { text: text.clone() });
}

#[tokio::test(flavor = "current_thread")]
async fn an_answer_that_did_not_count_is_told_again() {
    let stage = Stage::new(ModelScript::new().turn(call("ExitPlanMode", json!({"plan": PLAN}))).turn(text("Good.")));
    let mut show = stage.start("plan").await;
    show.prompt("plan it").await;
    show.until("approval of revision 1").await;
    let agent_id = show.last_request.clone().unwrap();
    let response = ExitResponse {
        contract_hash: None,
        grants: Default::default(),
        through: None,
        agent_id,
        selected: "startEditing".into(),
        reason: String::new(),
        comments: Vec::new(),
        plan: None,
        steps: Some(vec![9]),
    };
    show.send(Command::Approval(response)).await;
    show.until("not counted").await;
    show.answer("startEditing").await;
    show.until("ended").await;
    let session = show.session.unwrap();
    show.close().await;
    insta::assert_snapshot!(shown(&stage, session).join("\n"), @r"
    person: plan it
    call ExitPlanMode asks for approval of the plan
    not counted: the plan has no such steps
    mode plan → default by person (test)
    plan 1. Fix it.
    approved at default
    1 todos
    done ExitPlanMode → approved; default from here on
    model: Good.
    ");
}

#[tokio::test(flavor = "current_thread")]
async fn the_newest_events_come_first_and_an_end_never_without_its_beginning() {
    let stage = Stage::new(script());
    let session = story(&stage).await;
    let all = replay::events(&home(&stage), session, 1000).unwrap();
    for most in 0..all.len() {
        let events = replay::events(&home(&stage), session, most).unwrap();
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
async fn of_an_answer_that_is_too_long_the_end_is_shown_and_the_prompt_before_it() {
    let lines: String = (0..100_000).map(|number| format!("line {number} of it\n")).collect();
    let stage = Stage::new(ModelScript::new().turn(text(lines).rate(1_000_000, 100_000)));
    let mut show = stage.start("default").await;
    show.prompt("say everything").await;
    show.until("ended").await;
    let session = show.session.unwrap();
    show.close().await;
    let events = replay::events(&home(&stage), session, 1000).unwrap();
    let [Event::PromptTaken { .. }, Event::Said { text, .. }] = events.as_slice() else { panic!("{events:?}") };
    assert!(text.starts_with("[1426 kB of this answer are left out here]\n\nline "), "{}", &text[..80]);
    assert!(text.ends_with("line 99998 of it\nline 99999 of it\n") && text.len() < 300_000, "{}", text.len());
}

#[tokio::test(flavor = "current_thread")]
async fn damaged_lines_are_left_out_and_a_request_that_waits_is_not_shown_twice() {
    let stage = Stage::new(ModelScript::new().turn(text("Hello.")).turn(call("ExitPlanMode", json!({"plan": PLAN}))));
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
    assert!(replay::events(&home(&stage), SessionId::fresh(), 10).is_err());
}

/// The ends of calls as a person reads them, and answers with their model.
fn edits(stage: &Stage, session: SessionId) -> String {
    let page: Vec<String> = replay::events(&home(stage), session, 1000)
        .unwrap()
        .iter()
        .filter_map(|event| match event {
            Event::ToolFinished { tool, shown, .. } if tool.as_str() != "Read" => Some(match &shown.body {
                ShownBody::Diff { path, diff } => format!("{}\n[{path}]\n{diff}", shown.line),
                body => format!("{}\n{body:?}\n", shown.line),
            }),
            Event::Said { model, text, .. } => Some(format!("{model} says: {text}")),
            _ => None,
        })
        .collect();
    page.join("\n").replace(&stage.project.display().to_string(), "/shop")
}

/// Makes a transcript what a program wrote that did not keep what was shown.
fn forget_shown(stage: &Stage, session: SessionId) {
    let path = stage.home.join(format!(".forethought/sessions/{session}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap();
    let old = text.lines().map(|line| {
        let mut entry: serde_json::Value = serde_json::from_str(line).unwrap();
        if let Some(body) = entry["body"].as_object_mut() {
            body.remove("shown");
        }
        format!("{entry}\n")
    });
    std::fs::write(&path, old.collect::<String>()).unwrap();
}

#[tokio::test(flavor = "current_thread")]
#[expect(clippy::too_many_lines, reason = "one session from start to end")]
async fn an_edit_is_shown_with_its_difference_and_an_answer_with_its_model() {
    let cart = "fn total() {\n    let sum = add();\n    sum\n}\n\nfn tax() {\n    sum\n}\n";
    let edit = |old: &str, new: &str| json!({"file_path": "cart.rs", "old_string": old, "new_string": new});
    let mut everywhere = edit("    sum\n", "    total\n");
    everywhere["replace_all"] = json!(true);
    let script = ModelScript::new()
        .turn(call("Read", json!({"file_path": "cart.rs"})))
        .turn(call("Edit", edit("add();\n    sum", "add();\n    check(sum);\n    sum")))
        .turn(call("Edit", everywhere))
        .turn(call("Write", json!({"file_path": "new.txt", "content": "one\ntwo\n"})))
        .turn(call("Write", json!({"file_path": "new.txt", "content": "three\n"})))
        .turn(call("Write", json!({"file_path": "new.txt", "content": "three\n"})))
        .turn(call("Edit", edit("not there", "at all")))
        .turn(text("Done."));
    let stage = Stage::new(script);
    std::fs::write(stage.project.join("cart.rs"), cart).unwrap();
    let mut show = stage.start("acceptEdits").await;
    show.prompt("fix it").await;
    show.until("ended").await;
    let session = show.session.unwrap();
    show.close().await;
    insta::assert_snapshot!(edits(&stage, session), @r"
    cart.rs: +1 −0
    [cart.rs]
    @@ -1,5 +1,6 @@
     fn total() {
         let sum = add();
    +    check(sum);
         sum
     }
     

    cart.rs: +2 −2
    [cart.rs]
    @@ -1,9 +1,9 @@
     fn total() {
         let sum = add();
         check(sum);
    -    sum
    +    total
     }
     
     fn tax() {
    -    sum
    +    total
     }

    new.txt: new, +2
    [new.txt]
    @@ -0,0 +1,2 @@
    +one
    +two

    new.txt: +1 −2
    [new.txt]
    @@ -1,2 +1 @@
    -one
    -two
    +three

    new.txt: no change
    Nothing

    old_string is not in /shop/cart.rs. Nothing in the file is like it; read the file again.
    Nothing

    anthropic/scripted says: Done.
    ");
    // An older program kept less, and its sessions are shown as it showed them.
    forget_shown(&stage, session);
    insta::assert_snapshot!(edits(&stage, session), @r"
    cart.rs: +1 −0
    [cart.rs]
    @@ -2,2 +2,3 @@
     add();
    +    check(sum);
         sum

    cart.rs: +2 −2, at 2 places
    [cart.rs]
    @@ -0,1 +0,1 @@
    -    sum
    +    total

    new.txt: new, +2
    [new.txt]
    @@ -0,0 +1,2 @@
    +one
    +two

    new.txt: replaced by 1 line
    [new.txt]
    @@ -0,0 +1,1 @@
    +three

    new.txt: no change
    Nothing

    old_string is not in /shop/cart.rs. Nothing in the file is like it; read the file again.
    Nothing

    anthropic/scripted says: Done.
    ");
}

#[tokio::test(flavor = "current_thread")]
async fn what_was_written_into_the_plan_is_there_to_be_opened() {
    let mut stage = Stage::new(ModelScript::new().turn(text("Which one?")));
    let mut show = stage.start("plan").await;
    show.prompt("plan it").await;
    show.until("ended").await;
    let session = show.session.unwrap();
    show.close().await;
    let resume = || Begin::Resume { session, mode: None };
    let mut show = stage.go(stage.launch(resume(), Reachable::Approver)).await;
    show.until("started").await;
    let plan = show.started.as_ref().and_then(|started| started.plan.clone()).unwrap();
    show.close().await;
    let write = json!({"file_path": plan, "content": PLAN});
    stage.server =
        Server::start_blocking(ModelScript::new().turn(call("Write", write)).turn(text("Is it good?"))).unwrap();
    let mut show = stage.go(stage.launch(resume(), Reachable::Approver)).await;
    show.prompt("this one").await;
    show.until("ended").await;
    show.close().await;
    let events = replay::events(&home(&stage), session, 1000).unwrap();
    let written = events.iter().find_map(|event| match event {
        Event::ToolFinished { tool, shown, .. } if tool.as_str() == "Write" => Some(shown.clone()),
        _ => None,
    });
    let diff = PLAN.lines().fold("@@ -0,0 +1,6 @@\n".to_owned(), |diff, line| diff + "+" + line + "\n");
    let expected = ShownCall { line: format!("{plan}: new, +6"), body: ShownBody::Diff { path: plan, diff } };
    assert_eq!(written.unwrap(), expected);
}

/// What a screen prints of events, each call with its beginning.
fn printed(events: &[Event]) -> Vec<String> {
    let mut begun: HashMap<&CallId, String> = HashMap::new();
    let mut agents = HashMap::new();
    let mut page = Vec::new();
    for event in events {
        match event {
            Event::ToolStarted { agent: None, call, tool, line, cage } => {
                begun.insert(call, format!("{tool} {line} {cage:?}"));
            }
            Event::ToolFinished { agent: None, call, outcome, shown, .. } => {
                page.push(format!("{} → {outcome:?} {shown:?}", begun.remove(call).unwrap_or_default()));
            }
            Event::AgentStarted { agent, kind, task, model } => {
                agents.insert(agent, format!("{kind} {task} {model}"));
            }
            Event::AgentFinished { agent, outcome, calls, refused, .. } => {
                let agent = agents.remove(agent).unwrap_or_default();
                page.push(format!("agent {agent} → {outcome:?} {calls} calls, {refused} refused"));
            }
            Event::PromptTaken { text } => page.push(format!("person: {text}")),
            Event::Said { agent: None, model, text, .. } => page.push(format!("{model}: {text}")),
            Event::ModeChanged(_) | Event::Decided(_) | Event::Todos { .. } | Event::ContextCut { .. } => {
                page.push(format!("{event:?}"));
            }
            // A turn that simply ended is told by its last words.
            Event::TurnEnded { outcome } if *outcome != TurnOutcome::Done => page.push(format!("{event:?}")),
            Event::Rewound { .. } => page.push("rewound".into()),
            _ => {}
        }
    }
    page
}

#[tokio::test(flavor = "current_thread")]
async fn a_resumed_screen_shows_what_was_shown_live() {
    let agent = json!({"subagent_type": "Explore", "description": "look", "prompt": "EXPLORE: look"});
    let edit = json!({"file_path": "notes.txt", "old_string": "Soon.", "new_string": "Now. It. Is. Done."});
    let todo = json!({"todos": [{"content": "Fix it", "status": "in_progress", "activeForm": "Fixing"}]});
    let script = ModelScript::new()
        .turn(call("Read", json!({"file_path": "notes.txt"})).call("Bash", json!({"command": "cat notes.txt"})))
        .turn(call("Bash", json!({"command": "touch made"})).call("Bash", json!({"command": "sh ./build.sh"})))
        .turn(call("Agent", agent))
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(call("ExitPlanMode", json!({"plan": PLAN.replace("Fix it", "Mend it")})))
        .turn(call("TodoWrite", todo))
        .turn(call("Edit", edit))
        .turn(call("Edit", json!({"file_path": "notes.txt", "old_string": "not. there", "new_string": "x"})))
        .turn(call("Bash", json!({"command": "cat not-there"})))
        .turn(text("Worked."))
        .conversation("explore", "EXPLORE", [call("Bash", json!({"command": "touch it"})), text("Found.")]);
    let stage = Stage::new(script);
    std::fs::write(stage.project.join("notes.txt"), "Fix it.\nSoon.\n").unwrap();
    std::fs::write(stage.project.join("build.sh"), "echo built > made\necho done\n").unwrap();
    let mut show = stage.start("default").await;
    show.send(Command::Typed { line: "ls; exit 4".into() }).await;
    show.until("failed !").await;
    show.send(Command::Mode { to: "plan".parse().unwrap() }).await;
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    let comments = vec![Comment { first_line: 3, last_line: 3, quote: "1. Fix it.".into(), remark: "how?".into() }];
    show.answer_with("keepPlanning", "too short", comments, None).await;
    show.until("approval of revision 2").await;
    show.answer("acceptEdits").await;
    show.until("ended").await;
    let live = printed(&show.events);
    let session = show.session.unwrap();
    show.close().await;
    let resumed = printed(&replay::events(&home(&stage), session, 1000).unwrap());
    assert_eq!(live.join("\n"), resumed.join("\n"));
    let page = live.join("\n");
    for part in ["ReadOnly", "Rehearsal", "how?", "1 refused", "Failed", "Refused", "! ls; exit 4 Some(Free)"] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
}
