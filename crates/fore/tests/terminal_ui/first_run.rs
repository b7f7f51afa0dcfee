//! The first start: what was found is offered, it ends in a prompt that works, and the second start asks nothing.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{NARROW, Person, Stage, USUAL, WIDE},
    steps::{leave, wait_ready, wait_reply, wait_status},
};
use fore_testkit::{
    ModelScript, WireProtocol,
    terminal::{Terminal, TerminalKey, TerminalSize},
    text,
};

/// Somebody who starts it for the first time, with a key in the environment.
fn with_a_key(script: ModelScript) -> Stage {
    Stage::new(script, Person::New).variable("OLLAMA_HOST", Some("127.0.0.1:1"))
}

fn without_a_key(script: ModelScript) -> Stage {
    with_a_key(script).variable("ANTHROPIC_API_KEY", None).variable("ANTHROPIC_BASE_URL", None)
}

/// The first question is there, and so is the session: what it says of itself scrolls no later page away.
#[track_caller]
fn welcomed(terminal: &Terminal) {
    terminal.wait_for("Welcome to Forethought");
    terminal.wait_gone("starting");
}

/// What is on the screen once the session is there too.
#[track_caller]
fn see(stage: &Stage, terminal: &Terminal, page: &str, size: TerminalSize) {
    terminal.wait_gone("starting");
    let address = stage.server.origin().replace("http://", "");
    let screen = stage.stable(&terminal.screen()).with_words(&[
        (address, "127.0.0.1:40000".to_owned()),
        (format!("Forethought {}", env!("CARGO_PKG_VERSION")), "Forethought 0.0.0".to_owned()),
    ]);
    insta::assert_snapshot!(format!("first_run_{page}_{}", size.columns), screen.framed());
}

#[test]
fn a_key_in_the_environment_is_found_and_used() {
    for size in [WIDE, USUAL, NARROW] {
        let stage = with_a_key(ModelScript::new().turn(text("Hello.")).turn(text("Again.")));
        let mut terminal = stage.start(&[], size);
        welcomed(&terminal);
        see(&stage, &terminal, "hello", size);
        terminal.key(TerminalKey::Enter);
        terminal.wait_for("Which model should answer?");
        terminal.wait_for("1. anthropic/");
        see(&stage, &terminal, "model", size);
        terminal.key(TerminalKey::Enter);
        terminal.wait_for("Do you trust");
        see(&stage, &terminal, "trust", size);
        terminal.keys("1\n");
        terminal.wait_gone("Do you trust");
        terminal.keys("Hi\n");
        wait_reply(&terminal, "Hello.");
        leave(&mut terminal);
        let mut again = stage.start(&[], size);
        wait_ready(&again);
        assert!(!again.scrollback_text().contains("Welcome to Forethought"));
        again.keys("Hi\n");
        wait_reply(&again, "Again.");
        stage.finish();
    }
}

#[test]
fn a_server_on_this_machine_is_offered_and_used_once_it_was_chosen() {
    let stage = without_a_key(ModelScript::new().model("qwen3-coder").turn(text("Hello.")));
    let host = stage.server.origin().replace("http://", "");
    let stage = stage.variable("OLLAMA_HOST", Some(&host));
    let mut terminal = stage.start(&[], WIDE);
    welcomed(&terminal);
    terminal.key(TerminalKey::Enter);
    // Nobody chose it yet: it never stands first.
    terminal.wait_for("1. scout (recommended)");
    terminal.wait_for("2. ollama/qwen3-coder");
    see(&stage, &terminal, "local", WIDE);
    assert_eq!(stage.server.requests().iter().filter(|request| request.method == "POST").count(), 0);
    terminal.keys("2");
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("Do you trust");
    terminal.key(TerminalKey::Enter);
    terminal.wait_gone("Do you trust");
    // The server is asked what the model can do before it answers: however long that takes, the prompt comes after it.
    terminal.wait_for("Now using ollama/qwen3-coder");
    terminal.wait_for("is the model in your settings now");
    terminal.keys("Hi\n");
    wait_reply(&terminal, "Hello.");
    assert!(stage.read(".forethought/settings.json").contains("ollama/qwen3-coder"));
    stage.finish();
}

#[test]
fn an_address_that_is_typed_is_tried_and_its_models_are_shown() {
    for size in [WIDE, USUAL, NARROW] {
        let stage = without_a_key(ModelScript::new().model("qwen3-coder").turn(text("Hello.").expect_user("Hi")));
        let address = stage.server.url(WireProtocol::Chat);
        let mut terminal = stage.start(&["Hi"], size);
        welcomed(&terminal);
        terminal.key(TerminalKey::Enter);
        terminal.wait_for("2. A server of mine");
        terminal.keys("2");
        terminal.key(TerminalKey::Enter);
        terminal.wait_for("Where is your server?");
        terminal.keys("127.0.0.1:1/v1\n");
        terminal.wait_for("Nobody answers at");
        see(&stage, &terminal, "server_refused", size);
        terminal.key(TerminalKey::Ctrl('u'));
        terminal.paste(address.trim_start_matches("http://"));
        terminal.key(TerminalKey::Enter);
        terminal.wait_for("1. mine/qwen3-coder");
        see(&stage, &terminal, "server", size);
        assert!(!stage.has(".forethought/settings.json"));
        terminal.key(TerminalKey::Enter);
        terminal.wait_for("Do you trust");
        terminal.key(TerminalKey::Esc);
        wait_reply(&terminal, "Hello.");
        let settings = stage.read(".forethought/settings.json");
        assert!(settings.contains("\"act\": \"mine/qwen3-coder\""), "{settings}");
        assert!(settings.contains(&format!("\"baseUrl\": \"{address}\"")), "{settings}");
        leave(&mut terminal);
        stage.finish();
    }
}

#[test]
fn who_names_a_model_is_not_asked_for_one() {
    let stage = with_a_key(ModelScript::new().turn(text("Hello.")));
    let mut terminal = stage.start(&["--model", crate::stage::MODEL, "Hi"], USUAL);
    wait_reply(&terminal, "Hello.");
    assert!(!terminal.scrollback_text().contains("Welcome to Forethought"));
    leave(&mut terminal);
    assert!(!stage.has(".forethought/settings.json"));
    stage.finish();
}

#[test]
fn with_nothing_there_is_still_the_scout() {
    let stage = without_a_key(ModelScript::new());
    let mut terminal = stage.start(&["--mode", "plan"], WIDE);
    welcomed(&terminal);
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("1. scout (recommended)");
    see(&stage, &terminal, "nothing", WIDE);
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("Do you trust");
    terminal.key(TerminalKey::Esc);
    terminal.wait_gone("Do you trust");
    wait_status(&terminal, "⏸ plan mode on");
    terminal.keys("Make login faster\n");
    terminal.wait_for("Keep planning");
    stage.finish();
}

#[test]
fn skipping_writes_no_settings_and_whoever_was_interrupted_is_asked_again() {
    let stage = with_a_key(ModelScript::new().turn(text("Hello.")));
    // A session is left behind, and no answer.
    let mut terminal = stage.start(&[], USUAL);
    welcomed(&terminal);
    terminal.wait_gone("starting");
    leave(&mut terminal);
    let mut again = stage.start(&[], USUAL);
    again.wait_for("Welcome to Forethought");
    again.key(TerminalKey::Esc);
    again.wait_gone("Welcome to Forethought");
    again.keys("Hi\n");
    wait_reply(&again, "Hello.");
    leave(&mut again);
    assert!(!stage.has(".forethought/settings.json"));
    let third = stage.start(&[], USUAL);
    wait_ready(&third);
    assert!(!third.scrollback_text().contains("Welcome to Forethought"));
    stage.finish();
}

#[test]
fn a_prompt_of_the_command_line_waits_until_the_first_questions_are_answered() {
    let stage = with_a_key(ModelScript::new().turn(text("Hello.").expect_user("Hi there")));
    let mut terminal = stage.start(&["Hi there"], USUAL);
    welcomed(&terminal);
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("Which model should answer?");
    assert_eq!(stage.server.requests().len(), 0);
    terminal.key(TerminalKey::Esc);
    wait_reply(&terminal, "Hello.");
    stage.finish();
}
