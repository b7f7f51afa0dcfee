//! Every state of waiting says what goes on: a slow, a silent, a limiting and a dying server, and a question to the person.

use super::see;
use crate::{
    stage::{Person, Stage, USUAL, WIDE},
    steps::wait_reply,
};
use fore_testkit::{
    Chunking, ModelScript, ScriptedTurn, call, hang_up, rate_limited, reasoning,
    terminal::{Terminal, TerminalKey, TerminalSize},
    text,
};
use serde_json::json;

const SMALL: TerminalSize = TerminalSize { columns: 44, rows: 20 };
/// Each text in one piece.
const WHOLE: Chunking = Chunking { piece_chars: 4_000, write_bytes: 0, delay_ms: 0 };
const SIZES: [TerminalSize; 3] = [WIDE, USUAL, SMALL];

/// Tells the story in each window up to the moment, looks at it, and stops it. The windows are told at once: some waits are long.
fn tell(script: fn() -> ModelScript, look: impl Fn(&Stage, &mut Terminal) + Sync) {
    until(script, |stage, terminal| {
        look(stage, terminal);
        terminal.key(TerminalKey::Esc);
        terminal.wait_for("Interrupted");
    });
}

/// Tells the story in each window to its end.
fn until(script: fn() -> ModelScript, end: impl Fn(&Stage, &mut Terminal) + Sync) {
    std::thread::scope(|threads| {
        for size in SIZES {
            let end = &end;
            threads.spawn(move || {
                let stage = Stage::new(script().allow_unused_turns(), Person::Known);
                stage.pipe("shop/answers");
                let mut terminal = stage.start(&["--mode", "plan", "Login is slow."], size);
                end(&stage, &mut terminal);
                stage.finish();
            });
        }
    });
}

/// The moment when these words are on the screen.
fn at(moment: &'static str, words: &'static str) -> impl Fn(&Stage, &mut Terminal) + Sync {
    move |stage, terminal| {
        terminal.wait_for(words);
        see(stage, terminal, moment);
    }
}

fn one(turn: ScriptedTurn) -> ModelScript {
    ModelScript::new().turn(turn)
}

#[test]
fn before_the_first_token_it_is_said_who_is_waited_for() {
    tell(|| one(text("Well.").stall(0)), at("state_first_token", "waiting for anthropic"));
}

#[test]
fn thoughts_show_their_end() {
    let script = || {
        let thoughts = "First I look for the place where users are found. ".repeat(8);
        one(reasoning(format!("{thoughts}\nIn login.rs")).text("So.").chunking(WHOLE).stall(3))
    };
    tell(script, at("state_thinking", "login.rs"));
}

#[test]
fn a_call_that_is_written_says_what_it_is_and_how_much_of_it_there_is() {
    let script = || {
        let plan = "# Plan\n\n".to_owned() + &"One step after the other.\n".repeat(41);
        let pace = Chunking { piece_chars: 1_200, ..WHOLE };
        one(call("ExitPlanMode", json!({"plan": plan})).chunking(pace).stall(4))
    };
    tell(script, at("state_writing_a_call", " lines"));
}

#[test]
fn a_running_command_shows_its_last_line() {
    let script = || one(call("Bash", json!({"command": "echo 12 of 40 tests; cat answers"})));
    tell(script, at("state_running", "12 of 40 tests"));
}

#[test]
fn a_server_that_limits_is_named_with_the_wait_and_the_try() {
    tell(|| one(rate_limited(60)).turn(text("Well.")), at("state_limited", "rate limited, next try in"));
}

#[test]
fn a_server_that_dies_is_asked_again_and_that_is_said() {
    let script = || (0..6).fold(ModelScript::new(), |script, _| script.turn(hang_up()));
    // In a narrow window the line breaks in between.
    tell(script, at("state_dying", "(4"));
}

#[test]
fn a_conversation_that_is_summarised_says_so() {
    let script =
        || ModelScript::new().turn(text("Well.")).turn(text("## Goal\nA fast login.").chunking(WHOLE).stall(3));
    until(script, |stage, terminal| {
        wait_reply(terminal, "Well.");
        terminal.keys("/compact\n");
        terminal.wait_for("summarising");
        terminal.wait_for("tokens");
        see(stage, terminal, "state_compacting");
        terminal.key(TerminalKey::Esc);
        terminal.wait_for("not summarised");
    });
}

#[test]
fn a_question_is_waited_for_without_a_word_of_the_model() {
    let script = || {
        let question = json!({"question": "Keep the list of users?", "header": "Users", "options": [
            {"label": "Keep it", "description": "others may call it"}, {"label": "Drop it", "description": "nobody does"},
        ]});
        one(call("AskUserQuestion", json!({"questions": [question]})))
    };
    until(script, at("state_question", "Drop it"));
}

#[test]
fn a_plan_waits_for_the_person() {
    let script = || one(call("ExitPlanMode", json!({"plan": "# Plan\n\n1. Look users up by name.\n"})));
    until(script, at("state_plan", "Approve"));
}

#[test]
fn a_server_that_never_answers_is_said_to_be_silent() {
    tell(|| one(text("Well.").stall(0)), at("state_silent", "answer yet"));
}

#[test]
fn a_server_that_falls_silent_in_the_middle_is_said_to_be_silent() {
    let script = || one(text("I look at it. ").call("Bash", json!({"command": "ls"})).stall(3));
    tell(script, at("state_silent_midway", "nothing new for"));
}
