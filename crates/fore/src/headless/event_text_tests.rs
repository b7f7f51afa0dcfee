//! Runs as people see them: events in, lines out.

use super::{AnswerTiming, EventText, Printable, Progress, ShowOptions, Tone};
use crate::headless::{
    ending::{RunEnding, RunPurpose, RunReport, RunStop},
    tally::Tally,
};
use fore_agent::{
    AgentId, ApprovalOutcome, CallId, CallOutcome, ContextUse, Cost, Event, NoticeLevel, ShownCall, TurnOutcome,
};
use fore_model::{ModelName, Price, Usage};
use fore_plan::{Cage, Mode, Outside, Refusal, RefusalCode, plan::Hash};
use std::time::Duration;

fn model() -> ModelName {
    ModelName::new("anthropic", "claude-opus-5")
}

fn text(delta: &str) -> Event {
    Event::Text { agent: None, model: model(), delta: delta.into() }
}

fn said(text: &str) -> Event {
    Event::Said { agent: None, model: model(), text: text.into(), continues: false }
}

fn started(call: &str, tool: &str, line: &str, cage: Option<Cage>) -> Event {
    Event::ToolStarted { agent: None, call: CallId(call.into()), tool: tool.into(), line: line.into(), cage }
}

fn finished(call: &str, tool: &str, outcome: CallOutcome, line: &str) -> Event {
    let shown = ShownCall::line(line);
    Event::ToolFinished { agent: None, call: CallId(call.into()), tool: tool.into(), outcome, shown }
}

fn refused() -> CallOutcome {
    let refusal = Refusal {
        code: RefusalCode::PlanShellWrites,
        mode: Mode::Plan,
        rule: "rm".into(),
        reason: "`rm` deletes files".into(),
        way_out: "Put this step in the plan.".into(),
    };
    CallOutcome::Refused { refusal: Box::new(refusal) }
}

fn ended(outcome: TurnOutcome) -> Event {
    Event::TurnEnded { outcome }
}

/// A small story with everything in it.
fn story() -> Vec<Event> {
    vec![
        Event::TurnStarted,
        text("I will "),
        text("look."),
        said("I will look."),
        started("1", "Bash", "cargo test", Some(Cage::ReadOnly { outside: Outside::Closed })),
        finished("1", "Bash", CallOutcome::Done, "passed"),
        started("2", "Read", "src/a.rs", None),
        finished("2", "Read", CallOutcome::Done, "3 lines\u{1b}[2J"),
        started("3", "Bash", "rm x", None),
        finished("3", "Bash", refused(), "refused"),
        Event::Notice { level: NoticeLevel::Info, text: "by the way".into() },
        Event::Notice { level: NoticeLevel::Warning, text: "careful\nnow".into() },
        Event::AgentFinished {
            agent: AgentId("a1".into()),
            outcome: CallOutcome::Done,
            calls: 3,
            tokens: 9,
            refused: 0,
        },
        text("It is\nslow."),
        said("It is\nslow."),
        ended(TurnOutcome::Done),
    ]
}

/// What is printed: `>` before text for standard output, `|` before a line for standard error.
fn page(look: ShowOptions) -> String {
    let mut show = EventText::new(look);
    let mut pieces: Vec<Printable> = story().iter().flat_map(|event| show.event(event)).collect();
    pieces.extend(show.finish());
    let line = |piece: &Printable| match piece {
        Printable::Said(text) => format!(">{text:?}"),
        Printable::Line(Tone::Quiet, words) => format!("| {words}"),
        Printable::Line(Tone::Warning, words) => format!("! {words}"),
        Printable::Line(Tone::Wrong, words) => format!("X {words}"),
    };
    pieces.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn l2_a_person_reads_along_and_sees_one_tame_line_for_each_call() {
    let look = ShowOptions { purpose: RunPurpose::Print, progress: Progress::Shown, answer: AnswerTiming::AsItComes };
    assert_eq!(
        page(look),
        r#">"I will "
>"look."
>"\n"
| · Bash cargo test
| · Read src/a.rs (3 lines\u{1b}[2J)
! ✗ refused Bash rm x: `rm` deletes files. Put this step in the plan. [plan.shell-writes]
| · by the way
! ! careful now
| · [a1] done after 3 calls
>"\nIt is\nslow."
>"\n""#
    );
}

#[test]
fn l2_a_program_gets_nothing_before_the_end_and_refusals_on_the_other_stream() {
    let look = ShowOptions { purpose: RunPurpose::Print, progress: Progress::Silent, answer: AnswerTiming::AtTheEnd };
    assert_eq!(
        page(look),
        "! ✗ refused Bash rm x: `rm` deletes files. Put this step in the plan. [plan.shell-writes]\n! ! careful now"
    );
}

#[test]
fn while_a_plan_is_made_the_models_remarks_are_progress() {
    let look = ShowOptions { purpose: RunPurpose::Plan, progress: Progress::Shown, answer: AnswerTiming::AtTheEnd };
    let page = page(look);
    assert!(page.starts_with("| · I will look.\n| · Bash cargo test\n"), "{page}");
    assert!(!page.contains('>'), "{page}");
}

fn price() -> Option<Price> {
    Some(Price { input: 5.0, output: 25.0, cached_read: 0.5, cached_write: 6.25 })
}

fn tally(events: &[Event]) -> Tally {
    let mut tally = Tally::default();
    events.iter().for_each(|event| tally.add(event));
    tally
}

#[test]
fn l2_the_result_holds_the_last_answer_the_denied_calls_and_the_cost() {
    let usage = Usage { input: 1000, output: 100, ..Usage::default() };
    let paid = Event::Usage {
        agent: None,
        model: model(),
        answer: Some(usage),
        session: usage,
        context: ContextUse::default(),
        price: price(),
    };
    let mut events = vec![paid.clone(), paid];
    events.extend(story());
    let tally = tally(&events);
    let report = RunReport::new(&tally, (RunPurpose::Print, RunEnding::Done), None, Duration::from_millis(1500));
    assert_eq!(
        serde_json::to_value(&report).unwrap(),
        serde_json::json!({
            "result": "It is\nslow.",
            "session": null,
            "mode": null,
            "outcome": "done",
            "denied": [
                {"tool": "Bash", "line": "rm x", "code": "plan.shell-writes", "reason": "`rm` deletes files"}
            ],
            "usage": {"input": 2000, "output": 200, "cached_read": 0, "cached_write": 0, "reasoning": 0},
            "cost": 0.015,
            "turns": 1,
            "durationMs": 1500,
            "exitCode": 0,
        })
    );
}

#[test]
fn a_cost_is_named_only_where_every_price_is_known() {
    let usage = Usage { input: 1000, ..Usage::default() };
    let paid = |price: Option<Price>| Event::Usage {
        agent: None,
        model: model(),
        answer: Some(usage),
        session: usage,
        context: ContextUse::default(),
        price,
    };
    let free = Some(Price { input: 0.0, output: 0.0, cached_read: 0.0, cached_write: 0.0 });
    assert_eq!(tally(&[]).spent.cost.dollars(), None);
    assert_eq!(tally(&[paid(price())]).spent.cost.dollars(), Some(0.005));
    assert_eq!(tally(&[paid(free)]).spent.cost, Cost::Nothing);
    assert_eq!(tally(&[paid(free), paid(price()), paid(free)]).spent.cost.dollars(), Some(0.005));
    assert_eq!(tally(&[paid(price()), paid(None)]).spent.cost, Cost::AtLeast(0.005));
}

#[test]
fn an_answer_that_the_server_did_not_count_makes_the_cost_unknown_unless_it_is_free() {
    let answered = |answer: Option<Usage>, price: Option<Price>| Event::Usage {
        agent: None,
        model: model(),
        answer,
        session: Usage::default(),
        context: ContextUse::default(),
        price,
    };
    let usage = Some(Usage { input: 1000, ..Usage::default() });
    let free = Some(Price { input: 0.0, output: 0.0, cached_read: 0.0, cached_write: 0.0 });
    let spent = |events: &[Event]| tally(events).spent;
    assert_eq!(spent(&[answered(usage, price()), answered(None, price())]).cost, Cost::AtLeast(0.005));
    assert_eq!(spent(&[answered(None, free)]).cost, Cost::Nothing);
    let two = tally(&[answered(None, free), answered(usage, free)]);
    assert_eq!((two.spent.uncounted, two.spent.usage.input), (1, 1000));
    let report = RunReport::new(&two, (RunPurpose::Print, RunEnding::Done), None, Duration::ZERO);
    assert_eq!(serde_json::to_value(&report).unwrap()["uncountedAnswers"], 1);
}

#[test]
fn m9_every_end_of_a_run_has_its_code() {
    let plan = || (String::from("/home/ada/.forethought/plans/a-b-c.md"), Hash::of(b"# Plan\n"));
    let (path, hash) = plan();
    let awaits = TurnOutcome::PlanAwaits { path, hash };
    let (path, hash) = plan();
    let saved = TurnOutcome::PlanSaved { path, hash };
    let failed = TurnOutcome::ModelFailed { why: "no answer".into() };
    let rounds = TurnOutcome::TooManyRounds { rounds: 3 };
    let rows = [
        (RunPurpose::Print, TurnOutcome::Done, 0),
        (RunPurpose::Print, awaits.clone(), 3),
        (RunPurpose::Print, saved, 0),
        (RunPurpose::Print, failed.clone(), 5),
        (RunPurpose::Print, rounds.clone(), 1),
        (RunPurpose::Print, TurnOutcome::Interrupted, 130),
        (RunPurpose::Plan, awaits, 0),
        (RunPurpose::Plan, TurnOutcome::Done, 4),
        (RunPurpose::Plan, rounds, 4),
        (RunPurpose::Plan, failed, 5),
        (RunPurpose::Apply, TurnOutcome::Done, 0),
    ];
    for (purpose, outcome, code) in rows {
        let tally = tally(&[ended(outcome.clone())]);
        assert_eq!(RunEnding::of(purpose, &tally, None).code(), code, "{purpose:?} {outcome:?}");
    }
    let denied = tally(&story());
    assert_eq!(RunEnding::of(RunPurpose::Apply, &denied, None).code(), 6, "work that was not allowed is not done");
    assert_eq!(RunEnding::of(RunPurpose::Print, &denied, None).code(), 0);
    assert_eq!(RunEnding::of(RunPurpose::Print, &denied, Some(RunStop::Interrupt)).code(), 130);
    assert_eq!(RunEnding::of(RunPurpose::Plan, &denied, Some(RunStop::Terminate)).code(), 143);
}

#[test]
fn m1_a_plan_that_was_sent_back_does_not_count_as_waiting() {
    let (path, hash) = ("/p.md".to_owned(), Hash::of(b"x"));
    let mut events = vec![Event::Decided(ApprovalOutcome::Awaits { path, hash })];
    assert!(tally(&events).plan.is_some());
    events.push(Event::Decided(ApprovalOutcome::KeepPlanning { reason: String::new(), comments: Vec::new() }));
    assert_eq!(tally(&events).plan, None);
}
