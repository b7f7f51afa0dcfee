//! The worst moments: a key, a lost host, a restart or a late answer while something waits.

#![expect(clippy::disallowed_methods, reason = "changes the plan file as a person would")]

use crate::support::{Show, Stage};
use fore_agent::{Begin, Command, FormAnswer, QuestionId, Reply, SessionSettings, StalePlan, StartError};
use fore_plan::{
    Level, Openings,
    approval::{Comment, ExitResponse, Reachable},
    plan::Hash,
};
use fore_testkit::{FailureKind, ModelScript, ScriptedStop, WireProtocol, call, call_raw, failure, reasoning, text};
use serde_json::json;

const PLAN: &str = "# Plan\n\n1. Fix it.\n\n## Verification\nRun the tests.\n";

fn plan_of(stage: &Stage) -> std::path::PathBuf {
    let plans = std::fs::read_dir(stage.home.join(".forethought/plans")).unwrap();
    let mut files =
        plans.map(|file| file.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "md"));
    files.next().unwrap()
}

async fn asked(script: ModelScript) -> (Stage, Show) {
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    (stage, show)
}

fn response(show: &Show, selected: &str) -> ExitResponse {
    ExitResponse {
        contract_hash: None,
        grants: Default::default(),
        through: None,
        agent_id: show.last_request.clone().unwrap(),
        selected: selected.into(),
        reason: String::new(),
        comments: Vec::new(),
        plan: None,
        steps: None,
    }
}

#[tokio::test(flavor = "current_thread")]
async fn m11_leaving_by_a_key_while_a_request_waits_ends_the_request_and_is_told_once() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(text("Fine.").expect_user("go on").expect_result("ExitPlanMode", "left plan mode by hand"));
    let (stage, mut show) = asked(script).await;
    show.send(Command::CycleMode).await;
    show.until("ended").await;
    let late = response(&show, "startEditing");
    show.send(Command::Approval(late)).await;
    show.prompt("go on").await;
    show.until("ended").await;
    let expected = [
        "started in plan",
        "person: fix it",
        "call ExitPlanMode",
        "approval of revision 1",
        "mode plan → bypassPermissions by person",
        "left to bypassPermissions",
        "done ExitPlanMode",
        "ended",
        "notice: The answer did not count: no such question is open.",
        "person: go on",
        "model: Fine.",
        "ended",
        "closed",
    ];
    assert_eq!(show.close().await, expected);
    let requests = stage.server.finish().unwrap();
    assert_eq!(requests[1].json().to_string().matches("Plan mode is off").count(), 1, "once, with the next prompt");
}

#[tokio::test(flavor = "current_thread")]
async fn m11_an_answer_that_leaves_plan_mode_is_told_once() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(text("Fine.").expect_result("ExitPlanMode", "left plan mode by hand"));
    let (stage, mut show) = asked(script).await;
    show.answer("leavePlanMode").await;
    show.until("ended").await;
    show.prompt("go on").await;
    show.until("ended").await;
    show.close().await;
    let requests = stage.server.finish().unwrap();
    assert_eq!(requests[1].json().to_string().matches("Plan mode is off").count(), 1, "once, with the next prompt");
}

#[tokio::test(flavor = "current_thread")]
async fn d8_a_history_is_summarised_while_a_request_awaits_and_stays_sound() {
    let both = call("Read", json!({"file_path": "a.txt"})).call("ExitPlanMode", json!({"plan": PLAN}));
    let script = ModelScript::new()
        .turn(both)
        .turn(text("## Goal\nFix it."))
        .turn(text("Fine.").expect_user("go on").expect_user("Fix it."));
    let stage = Stage::new(script);
    let begin = Begin::Fresh { mode: "plan".parse().unwrap() };
    let mut show = stage.go(stage.launch(begin, Reachable::Nobody)).await;
    show.prompt("fix it").await;
    show.until("ended PlanAwaits").await;
    show.send(Command::Compact { keep: String::new() }).await;
    show.until("context summarised").await;
    show.prompt("go on").await;
    show.until("ended").await;
    show.close().await;
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn d8_a_request_that_is_offered_again_does_not_write_the_old_text_back() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(text("Working.").expect_result("ExitPlanMode", "2. Test it."));
    let (stage, mut show) = asked(script).await;
    let better = "# Plan\n\n1. Fix it.\n2. Test it.\n";
    std::fs::write(plan_of(&stage), better).unwrap();
    show.answer("startEditing").await;
    show.until("approval of revision 2").await;
    let session = show.session.unwrap();
    show.close().await;
    let mut show = stage.go(stage.launch(Begin::Resume { session, mode: None }, Reachable::Approver)).await;
    show.until("approval of revision 2").await;
    assert_eq!(std::fs::read_to_string(plan_of(&stage)).unwrap(), better);
    show.answer("startEditing").await;
    show.until("ended").await;
    show.close().await;
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn an_answer_that_cannot_be_recorded_does_not_count() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(text("Fine.").expect_result("ExitPlanMode", "not approve"));
    let (stage, mut show) = asked(script).await;
    let remark = "x".repeat(17 << 20);
    let comments = vec![Comment { first_line: 1, last_line: 1, quote: String::new(), remark }];
    let huge = ExitResponse { comments, ..response(&show, "keepPlanning") };
    show.send(Command::Approval(huge)).await;
    let notice = show.until("notice").await;
    assert!(notice.starts_with("notice: The answer could not be recorded, so it does not count"), "{notice}");
    show.until("ended").await;
    show.close().await;
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn e1_a_host_that_answers_nonsense_and_goes_away_leaves_nobody_waiting() {
    let stage = Stage::new(ModelScript::new().turn(call("ExitPlanMode", json!({"plan": PLAN}))));
    let begin = Begin::Fresh { mode: "plan".parse().unwrap() };
    let launch = fore_agent::Launch { openings: Openings::CLOSED, ..stage.launch(begin, Reachable::Approver) };
    let mut show = stage.go(launch).await;
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    let closed = response(&show, "acceptEdits");
    show.send(Command::Approval(closed)).await;
    show.send(Command::Detach).await;
    show.until("ended PlanAwaits").await;
    let lines = show.close().await;
    assert!(lines.iter().any(|line| line.starts_with("not counted: the chosen level")), "{lines:#?}");
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_form_is_not_asked_again_when_nobody_is_left() {
    let question = json!({"question": "Which?", "options": [{"label": "a"}, {"label": "b"}]});
    let script = ModelScript::new()
        .turn(call("AskUserQuestion", json!({"questions": [question]})))
        .turn(text("Then a.").expect_result("AskUserQuestion", "Nobody can answer"));
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    show.prompt("choose").await;
    show.until("form").await;
    let answers = vec![FormAnswer::default(), FormAnswer::default()];
    show.send(Command::FillForm { question: QuestionId("form-call-1".into()), answers }).await;
    show.send(Command::Detach).await;
    show.until("ended").await;
    show.close().await;
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_command_of_the_persons_own_ends_with_an_interrupt_and_with_the_session() {
    let stage = Stage::new(ModelScript::new());
    let mut show = stage.start("plan").await;
    for end in [Command::Interrupt, Command::Close] {
        show.send(Command::Typed { line: "echo begun; sleep 600".into() }).await;
        show.until("call !").await;
        show.send(end).await;
        show.until("interrupted !").await;
    }
    show.until("closed").await;
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn m8_a_cleared_context_ends_the_plan_and_its_level() {
    let todos = json!({"todos": [{"content": "step", "status": "pending"}]});
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(call("TodoWrite", todos))
        .turn(text("Half done."))
        .turn(text("Hello.").expect_user("something else"));
    let (stage, mut show) = asked(script).await;
    show.answer("acceptEdits").await;
    show.until("ended").await;
    show.send(Command::Clear).await;
    show.until("mode acceptEdits → default by program").await;
    show.prompt("something else").await;
    show.until("ended").await;
    show.close().await;
    let requests = stage.server.finish().unwrap();
    let told = requests[3].json().to_string();
    // E3: what was approved is told once more, by its hash, and that it is over.
    assert_eq!(told.matches("1. Fix it.").count(), 1, "{told}");
    assert!(told.contains("cleared the conversation"), "{told}");
}

#[tokio::test(flavor = "current_thread")]
async fn c3_a_model_that_may_not_plan_by_itself_asks_nobody() {
    let script = ModelScript::new()
        .turn(call("EnterPlanMode", json!({})))
        .turn(text("Fine.").expect_result("EnterPlanMode", "there is no tool"));
    let stage = Stage::new(script);
    let begin = Begin::Fresh { mode: "default".parse().unwrap() };
    let settings = SessionSettings { model_may_plan: false, ..SessionSettings::new(crate::support::cages()) };
    let launch = fore_agent::Launch { settings, ..stage.launch(begin, Reachable::Approver) };
    let mut show = stage.go(launch).await;
    show.prompt("hi").await;
    show.until("ended").await;
    assert!(!show.close().await.contains(&"asks to plan".to_owned()));
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn m9_a_text_whose_hash_is_another_is_not_applied() {
    let stage = Stage::new(ModelScript::new());
    let begin = Begin::Apply {
        plan: PLAN.into(),
        hash: Hash::of(b"# Another"),
        level: Level::Default,
        stale: StalePlan::Refused,
        drift: fore_plan::gate::Drift::Asked,
        runs_checks: false,
    };
    let started = fore_agent::start(stage.launch(begin, Reachable::Nobody)).await;
    assert!(matches!(started, Err(StartError::NotApplied(_))), "{started:?}");
}

#[tokio::test(flavor = "current_thread")]
async fn k1_going_on_never_ends_planning() {
    let stage = Stage::new(ModelScript::new());
    let mut show = stage.start("plan").await;
    show.until("started").await;
    let session = show.session.unwrap();
    show.close().await;
    let mode = Some("bypassPermissions".parse().unwrap());
    let mut show = stage.go(stage.launch(Begin::Resume { session, mode }, Reachable::Approver)).await;
    let notice = show.until("notice: This session was in plan mode").await;
    assert!(notice.contains("and still is"), "{notice}");
    assert_eq!(show.close().await[0], "started in plan");
}

#[tokio::test(flavor = "current_thread")]
async fn an_answer_from_before_a_restart_meets_no_question_after_it() {
    let asks = || call("Bash", json!({"command": "touch made"}));
    let stage = Stage::new(ModelScript::new().turn(asks()).turn(asks()).foreign_history());
    let mut show = stage.start("default").await;
    show.prompt("make it").await;
    show.until("asks: Bash").await;
    let session = show.session.unwrap();
    show.close().await;
    let mut show = stage.go(stage.launch(Begin::Resume { session, mode: None }, Reachable::Approver)).await;
    show.prompt("again").await;
    show.until("asks: Bash").await;
    show.send(Command::Reply { question: QuestionId("question-call-1".into()), reply: Reply::Yes }).await;
    show.until("notice: The answer did not count").await;
    show.close().await;
    assert!(!stage.project.join("made").exists());
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn an_interrupt_while_the_history_is_summarised_is_an_interrupt() {
    let script = ModelScript::new().turn(failure(FailureKind::Overflow)).turn(text("## Goal").stall(1));
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    show.prompt("hi").await;
    show.until("notice: Summarising").await;
    while stage.server.requests().len() < 2 {
        tokio::task::yield_now().await;
    }
    show.send(Command::Interrupt).await;
    show.until("ended Interrupted").await;
    show.close().await;
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn i2_interrupts_do_not_count_against_auto_mode() {
    let mut script = ModelScript::new();
    for _ in 0..4 {
        script = script.turn(call("Bash", json!({"command": "touch made"}))).turn(text("allow").stall(0));
    }
    let stage = Stage::new(script);
    let openings = Openings { auto_opted_in: true, auto_gate_open: true, ..Openings::TRUSTED };
    let begin = Begin::Fresh { mode: "auto".parse().unwrap() };
    let mut show = stage.go(fore_agent::Launch { openings, ..stage.launch(begin, Reachable::Approver) }).await;
    for round in 1..=4 {
        show.prompt("make it").await;
        show.until("person: make it").await;
        while stage.server.requests().len() < round * 2 {
            tokio::task::yield_now().await;
        }
        show.send(Command::Interrupt).await;
        show.until("ended Interrupted").await;
    }
    let lines = show.close().await;
    assert!(!lines.iter().any(|line| line.starts_with("mode ")), "{lines:#?}");
    assert!(!stage.project.join("made").exists());
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn calls_and_results_stay_paired_in_every_protocol_whatever_happens() {
    let read = |name: &str| json!({"file_path": name});
    for protocol in WireProtocol::ALL {
        let batch = call("Read", read("a.txt")).call("Bash", json!({"command": "touch made"}));
        let script = ModelScript::new()
            .turn(batch.call("Read", read("b.txt")))
            .turn(reasoning("Hm.").expect_user("second"))
            .turn(text("Hm indeed.").expect_user("empty"))
            .turn(text("Once upon a time").stall(3).expect_user("third"))
            .turn(call_raw("Read", "{\"file_pa").stop_because(ScriptedStop::MaxTokens).expect_user("fourth"))
            .turn(text("Half").stop_because(ScriptedStop::MaxTokens))
            .turn(text("and half.").expect_user("cut off"))
            .turn(call("Bash", json!({"command": "touch made"})).expect_user("fifth"))
            .turn(text("Resumed.").expect_user("sixth").expect_result("Bash", "withdrawn"));
        let stage = Stage::over(protocol, script);
        let mut show = stage.start("default").await;
        show.prompt("first").await;
        show.until("asks: Bash").await;
        show.send(Command::Interrupt).await;
        show.until("ended Interrupted").await;
        show.prompt("second").await;
        show.until("ended").await;
        show.prompt("third").await;
        while stage.server.requests().len() < 4 {
            tokio::task::yield_now().await;
        }
        show.send(Command::Interrupt).await;
        show.until("ended Interrupted").await;
        show.prompt("fourth").await;
        show.until("model: and half.").await;
        show.until("ended").await;
        show.prompt("fifth").await;
        show.until("asks: Bash").await;
        let session = show.session.unwrap();
        show.close().await;
        let begin = Begin::Resume { session, mode: None };
        let mut show = stage.go(stage.launch(begin, Reachable::Approver)).await;
        show.prompt("sixth").await;
        show.until("model: Resumed.").await;
        show.close().await;
        if let Err(report) = stage.server.finish() {
            panic!("{protocol:?}: {report}");
        }
    }
}
