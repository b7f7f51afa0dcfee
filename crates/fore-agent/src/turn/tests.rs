//! Whole turns as pages: what happens, and what the machine wants next.

use super::*;
use fore_model::{Arguments, ResultPart};
use serde_json::json;

fn call(name: &str, id: &str) -> ToolUse {
    ToolUse { id: id.into(), name: name.into(), arguments: Arguments::Ok(json!({})), seal: None }
}

fn broken(id: &str) -> ToolUse {
    ToolUse { arguments: Arguments::Broken { raw: "{".into(), why: "it ends too soon".into() }, ..call("Read", id) }
}

fn reads(calls: &[(&str, &str)]) -> TurnInput {
    let calls = calls.iter().map(|(name, id)| (call(name, id), concurrency(name))).collect();
    TurnInput::Answered(AnswerSummary { calls, ..AnswerSummary::default() })
}

fn concurrency(name: &str) -> Concurrency {
    if matches!(name, "Read" | "Grep" | "Agent") { Concurrency::Together } else { Concurrency::Alone }
}

fn says(stop: StopReason) -> TurnInput {
    TurnInput::Answered(AnswerSummary { stop: Some(stop), ..AnswerSummary::default() })
}

fn done(slot: usize, id: &str) -> TurnInput {
    TurnInput::Finished { slot, result: ToolResult::text(&call("x", id), "ok"), then: AfterCall::GoOn }
}

/// What the machine wants, one word each.
fn words(effects: Vec<TurnEffect>) -> String {
    let word = |effect: TurnEffect| match effect {
        TurnEffect::Ask => "ask".to_owned(),
        TurnEffect::Run(slots) => {
            format!("run[{}]", slots.iter().map(|slot| slot.call.id.as_str()).collect::<Vec<_>>().join(" "))
        }
        TurnEffect::Record(result) => {
            let text = match result.content.first() {
                Some(ResultPart::Text(text)) => text.split([':', '.']).next().unwrap_or_default().to_owned(),
                Some(ResultPart::Image(_)) | None => String::new(),
            };
            format!("record[{}={text}]", result.id)
        }
        TurnEffect::Compact { shorten: false, .. } => "compact".into(),
        TurnEffect::Compact { shorten: true, .. } => "shorten".into(),
        TurnEffect::Nudge(push) => format!("{push:?}"),
        TurnEffect::End(outcome) => format!("end[{outcome:?}]"),
    };
    effects.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Plays a page: each input with the effects it must have.
fn play(page: Vec<(TurnInput, &str)>) -> Turn {
    let mut turn = Turn::new(50);
    for (number, (input, expected)) in page.into_iter().enumerate() {
        assert_eq!(words(turn.step(input)), expected, "step {number}");
    }
    turn
}

#[test]
fn a_prompt_without_calls_is_one_question_and_one_end() {
    let turn = play(vec![(TurnInput::Begin, "ask"), (says(StopReason::EndTurn), "end[Done]")]);
    assert!(turn.is_over());
}

#[test]
fn reads_run_together_and_their_results_come_in_the_order_of_the_calls() {
    play(vec![
        (TurnInput::Begin, "ask"),
        (reads(&[("Read", "a"), ("Grep", "b"), ("Read", "c")]), "run[a b c]"),
        (done(2, "c"), ""),
        (done(0, "a"), "record[a=ok]"),
        (done(1, "b"), "record[b=ok] record[c=ok] ask"),
    ]);
}

#[test]
fn a_change_runs_alone_between_the_reads_around_it() {
    play(vec![
        (TurnInput::Begin, "ask"),
        (reads(&[("Read", "a"), ("Edit", "b"), ("Read", "c"), ("Read", "d")]), "run[a]"),
        (done(0, "a"), "record[a=ok] run[b]"),
        (done(1, "b"), "record[b=ok] run[c d]"),
        (done(2, "c"), "record[c=ok]"),
        (done(3, "d"), "record[d=ok] ask"),
    ]);
}

#[test]
fn d1_the_request_for_approval_comes_after_everything_else_in_its_batch() {
    play(vec![
        (TurnInput::Begin, "ask"),
        (reads(&[("ExitPlanMode", "x"), ("Write", "w")]), "run[w]"),
        (done(0, "w"), "record[w=ok] run[x]"),
        (done(1, "x"), "record[x=ok] ask"),
    ]);
}

#[test]
fn c3_calls_beside_entering_plan_mode_are_not_run() {
    play(vec![
        (TurnInput::Begin, "ask"),
        (reads(&[("Write", "w"), ("EnterPlanMode", "e"), ("Bash", "b")]), "record[w=Not run] run[e]"),
        (done(1, "e"), "record[e=ok] record[b=Not run] ask"),
    ]);
}

#[test]
fn broken_arguments_become_a_result_that_the_model_can_correct() {
    let answered = AnswerSummary { calls: vec![(broken("a"), Concurrency::Together)], ..AnswerSummary::default() };
    play(vec![(TurnInput::Begin, "ask"), (TurnInput::Answered(answered), "record[a=The call was not run] ask")]);
}

#[test]
fn an_interrupt_leaves_every_call_with_a_result() {
    play(vec![
        (TurnInput::Begin, "ask"),
        (reads(&[("Read", "a"), ("Read", "b"), ("Edit", "c")]), "run[a b]"),
        (done(1, "b"), ""),
        (done(0, "a"), "record[a=ok] record[b=ok] run[c]"),
        (TurnInput::Interrupted, "record[c=Not run] end[Interrupted]"),
        (done(2, "c"), ""),
    ]);
}

#[test]
fn an_interrupt_while_the_model_thinks_ends_the_turn() {
    play(vec![
        (TurnInput::Begin, "ask"),
        (TurnInput::Interrupted, "end[Interrupted]"),
        (says(StopReason::EndTurn), ""),
    ]);
}

#[test]
fn d8_a_plan_that_awaits_approval_ends_the_turn() {
    let outcome = TurnOutcome::PlanSaved { path: "/p.md".into(), hash: fore_plan::plan::Hash::of(b"x") };
    let mut turn = play(vec![(TurnInput::Begin, "ask"), (reads(&[("ExitPlanMode", "x")]), "run[x]")]);
    let result = ToolResult::text(&call("ExitPlanMode", "x"), "saved");
    let effects =
        turn.step(TurnInput::Finished { slot: 0, result: result.clone(), then: AfterCall::End(outcome.clone()) });
    assert_eq!(effects, vec![TurnEffect::Record(result), TurnEffect::End(outcome)]);
}

#[test]
fn d8_a_request_that_waits_on_disk_has_no_result_and_the_rest_has() {
    let outcome = TurnOutcome::PlanAwaits { path: "/p.md".into(), hash: fore_plan::plan::Hash::of(b"x") };
    let page = vec![
        (TurnInput::Begin, "ask"),
        (reads(&[("Read", "a"), ("ExitPlanMode", "x")]), "run[a]"),
        (done(0, "a"), "record[a=ok] run[x]"),
    ];
    let mut turn = play(page);
    let result = ToolResult::text(&call("ExitPlanMode", "x"), "");
    let effects = turn.step(TurnInput::Finished { slot: 1, result, then: AfterCall::Park(outcome.clone()) });
    assert_eq!(effects, vec![TurnEffect::End(outcome)]);
    assert!(turn.is_over());
}

#[test]
fn d5_a_cleared_context_begins_with_a_new_question_and_old_results_are_not_told() {
    let mut turn = play(vec![(TurnInput::Begin, "ask"), (reads(&[("ExitPlanMode", "x")]), "run[x]")]);
    let result = ToolResult::text(&call("ExitPlanMode", "x"), "approved");
    let effects = turn.step(TurnInput::Finished { slot: 0, result, then: AfterCall::StartAfresh });
    assert_eq!(words(effects), "ask");
    assert_eq!(words(turn.step(says(StopReason::EndTurn))), "end[Done]");
}

#[test]
fn f2_a_written_plan_that_is_not_handed_in_is_reminded_of_once() {
    let owes = || TurnInput::Answered(AnswerSummary { plan_debt: PlanDebt::NotHandedIn, ..AnswerSummary::default() });
    play(vec![(TurnInput::Begin, "ask"), (owes(), "HandInPlan ask"), (owes(), "end[Done]")]);
}

#[test]
fn f2_after_a_question_or_a_request_nobody_is_reminded() {
    for tool in ["AskUserQuestion", "ask_user_question", "ExitPlanMode", "exit_plan_mode"] {
        let owes = TurnInput::Answered(AnswerSummary { plan_debt: PlanDebt::NotHandedIn, ..AnswerSummary::default() });
        play(vec![
            (TurnInput::Begin, "ask"),
            (reads(&[(tool, "q")]), "run[q]"),
            (done(0, "q"), "record[q=ok] ask"),
            (owes, "end[Done]"),
        ]);
    }
}

#[test]
fn f2_a_plan_that_was_written_again_after_a_question_is_still_to_be_handed_in() {
    let owes = || TurnInput::Answered(AnswerSummary { plan_debt: PlanDebt::NotHandedIn, ..AnswerSummary::default() });
    play(vec![
        (TurnInput::Begin, "ask"),
        (reads(&[("ExitPlanMode", "x")]), "run[x]"),
        (done(0, "x"), "record[x=ok] ask"),
        (reads(&[("Write", "w")]), "run[w]"),
        (done(0, "w"), "record[w=ok] ask"),
        (owes(), "HandInPlan ask"),
        (owes(), "end[Done]"),
    ]);
}

#[test]
fn f2_approval_asked_for_in_the_text_is_reminded_of_once_also_after_a_question() {
    let asks =
        || TurnInput::Answered(AnswerSummary { plan_debt: PlanDebt::ApprovalInText, ..AnswerSummary::default() });
    let owes = || TurnInput::Answered(AnswerSummary { plan_debt: PlanDebt::NotHandedIn, ..AnswerSummary::default() });
    play(vec![
        (TurnInput::Begin, "ask"),
        (reads(&[("AskUserQuestion", "q")]), "run[q]"),
        (done(0, "q"), "record[q=ok] ask"),
        (asks(), "AskProperly ask"),
        (reads(&[("Edit", "e")]), "run[e]"),
        (done(0, "e"), "record[e=ok] ask"),
        (owes(), "end[Done]"),
    ]);
    play(vec![(TurnInput::Begin, "ask"), (asks(), "AskProperly ask"), (asks(), "end[Done]")]);
}

#[test]
fn a_long_history_is_summarised_then_shortened_and_then_given_up() {
    let overflow = || TurnInput::Failed(TurnFailure::Overflow { why: "too long".into() });
    play(vec![
        (TurnInput::Begin, "ask"),
        (overflow(), "compact"),
        (TurnInput::Compacted, "ask"),
        (overflow(), "shorten"),
        (TurnInput::Compacted, "ask"),
        (
            overflow(),
            r#"end[ModelFailed { why: "too long. Even the shortest conversation does not fit; give the model a larger context (llama.cpp: -c, Ollama: num_ctx) or choose another one" }]"#,
        ),
    ]);
    play(vec![
        (TurnInput::Begin, "ask"),
        (says(StopReason::ContextFull), "compact"),
        (TurnInput::Compacted, "ask"),
        (reads(&[("Read", "a")]), "run[a]"),
        (done(0, "a"), "record[a=ok] ask"),
        (overflow(), "compact"),
    ]);
}

#[test]
fn a_server_whose_context_is_always_full_is_given_up() {
    play(vec![
        (TurnInput::Begin, "ask"),
        (says(StopReason::ContextFull), "compact"),
        (TurnInput::Compacted, "ask"),
        (says(StopReason::ContextFull), "shorten"),
        (TurnInput::Compacted, "ask"),
        (
            says(StopReason::ContextFull),
            r#"end[ModelFailed { why: "the context window filled up. Even the shortest conversation does not fit; give the model a larger context (llama.cpp: -c, Ollama: num_ctx) or choose another one" }]"#,
        ),
    ]);
}

#[test]
fn an_answer_without_a_word_is_asked_for_once_more() {
    let empty = || TurnInput::Answered(AnswerSummary { is_empty: true, ..AnswerSummary::default() });
    play(vec![
        (TurnInput::Begin, "ask"),
        (empty(), "SaySomething ask"),
        (empty(), r#"end[NoAnswer { why: "the model answered nothing, twice" }]"#),
    ]);
    play(vec![
        (TurnInput::Begin, "ask"),
        (empty(), "SaySomething ask"),
        (reads(&[("Read", "a")]), "run[a]"),
        (done(0, "a"), "record[a=ok] ask"),
        (empty(), "SaySomething ask"),
        (says(StopReason::EndTurn), "end[Done]"),
    ]);
}

#[test]
fn an_answer_that_repeats_itself_is_stopped_and_the_second_one_ends_the_turn() {
    let repeats = || TurnInput::Answered(AnswerSummary { repeats: true, ..AnswerSummary::default() });
    play(vec![
        (TurnInput::Begin, "ask"),
        (repeats(), "StopRepeating ask"),
        (repeats(), r#"end[NoAnswer { why: "the model repeated itself and was stopped" }]"#),
    ]);
}

#[test]
fn a_call_that_was_only_written_is_asked_for() {
    let written = AnswerSummary { text_call: Some(ToolName::Read), ..AnswerSummary::default() };
    play(vec![
        (TurnInput::Begin, "ask"),
        (TurnInput::Answered(written), "CallForReal(Read) ask"),
        (reads(&[("Read", "a")]), "run[a]"),
    ]);
}

#[test]
fn a_server_that_only_ever_pauses_is_given_up() {
    let mut turn = Turn::new(2);
    assert_eq!(words(turn.step(TurnInput::Begin)), "ask");
    assert_eq!(words(turn.step(says(StopReason::Paused))), "ask");
    assert_eq!(words(turn.step(says(StopReason::Paused))), "ask");
    assert_eq!(words(turn.step(says(StopReason::Paused))), "end[TooManyRounds { rounds: 2 }]");
}

#[test]
fn an_answer_that_was_cut_is_asked_for_again_a_few_times() {
    let cut = || TurnInput::Failed(TurnFailure::Cut { why: "cut".into() });
    play(vec![
        (TurnInput::Begin, "ask"),
        (cut(), "ask"),
        (cut(), "ask"),
        (cut(), "ask"),
        (cut(), r#"end[ModelFailed { why: "cut" }]"#),
    ]);
}

#[test]
fn an_output_limit_is_pushed_past_a_few_times() {
    play(vec![
        (TurnInput::Begin, "ask"),
        (says(StopReason::MaxTokens), "GoOn ask"),
        (says(StopReason::MaxTokens), "GoOn ask"),
        (says(StopReason::MaxTokens), "GoOn ask"),
        (says(StopReason::MaxTokens), "end[Done]"),
    ]);
}

#[test]
fn rounds_are_bounded_and_the_last_calls_get_results() {
    let mut turn = Turn::new(1);
    assert_eq!(words(turn.step(TurnInput::Begin)), "ask");
    assert_eq!(words(turn.step(reads(&[("Read", "a")]))), "run[a]");
    assert_eq!(words(turn.step(done(0, "a"))), "record[a=ok] ask");
    assert_eq!(words(turn.step(reads(&[("Read", "b")]))), "record[b=Not run] end[TooManyRounds { rounds: 1 }]");
}

#[test]
fn many_reads_run_in_bounded_groups() {
    let names: Vec<String> = (0..12).map(|number| format!("r{number}")).collect();
    let calls: Vec<(&str, &str)> = names.iter().map(|id| ("Read", id.as_str())).collect();
    let mut turn = Turn::new(5);
    turn.step(TurnInput::Begin);
    let Some(TurnEffect::Run(slots)) = turn.step(reads(&calls)).pop() else { panic!("nothing runs") };
    assert_eq!(slots.len(), 10);
}

#[test]
fn a_turn_that_was_left_goes_on_with_the_calls_that_have_no_result() {
    let (mut turn, effects) = Turn::left_with(5, vec![(call("ExitPlanMode", "x"), Concurrency::Alone)]);
    assert_eq!(words(effects), "run[x]");
    assert_eq!(words(turn.step(done(0, "x"))), "record[x=ok] ask");
}
