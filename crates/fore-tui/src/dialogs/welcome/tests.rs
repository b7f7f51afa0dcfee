//! The first-run screen: keys in, pages and what was decided out.

use super::*;
use crate::dialogs::test_support::{any_keys, any_spaces, live, press, shown};
use proptest::prelude::*;

fn welcome() -> WelcomeDialog {
    let model = |name: &str, why: &str| ModelRow { name: name.into(), why: why.into() };
    let models = vec![
        model("anthropic/claude-sonnet-5-5", "ANTHROPIC_API_KEY is set"),
        model("ollama/qwen3-coder", "found on 127.0.0.1:11434"),
        model("scout", "built in, needs no key"),
    ];
    let missing = vec![
        SetupHint { providers: vec!["ollama".into(), "llamacpp".into()], words: "Ollama: start it".into() },
        SetupHint { providers: vec!["openai".into()], words: "OpenAI: set OPENAI_API_KEY".into() },
    ];
    WelcomeDialog::new(models, missing, Some("/projects/shop".into()))
}

fn decided(keys: &str) -> (DialogStep, FirstRun) {
    let mut dialog = welcome();
    let step = press(&mut dialog, keys);
    (step, dialog.decided())
}

fn first_run(model: Option<&str>, trust: Option<bool>) -> FirstRun {
    FirstRun { model: model.map(str::to_owned), server: None, trust }
}

#[test]
fn the_first_run_says_what_this_is_then_asks_for_a_model_and_for_trust() {
    let mut dialog = welcome();
    insta::assert_snapshot!(shown(&mut dialog, 120, 24), @r"
    ── Welcome to Forethought ──────────────────────────────────────────────────────────────────────────────────────────────
    Forethought plans before it acts. While it plans it can read and try things, but nothing on this machine changes. You
    read the plan, comment on it, and approve it; then it does what you approved, and asks before anything else.

    Shift+Tab  cycles through the modes, including plan mode
    Esc        stops the current action. It never approves anything.
    /help      shows every key and command

    ❯ 1. Continue
    Enter continue • Esc skip setup
    ");
    insta::assert_snapshot!(shown(&mut dialog, 40, 24), @r"
    ── Welcome to Forethought ──────────────
    Forethought plans before it acts. While
    it plans it can read and try things, but
    nothing on this machine changes. You
    read the plan, comment on it, and
    approve it; then it does what you
    approved, and asks before anything else.

    Shift+Tab  cycles through the modes,
               including plan mode
    Esc        stops the current action. It
               never approves anything.
    /help      shows every key and command

    ❯ 1. Continue
    Enter continue • Esc skip setup
    ");
    press(&mut dialog, "enter");
    insta::assert_snapshot!(shown(&mut dialog, 80, 24), @r"
    ── Which model should answer? ──────────────────────────────────────────────────
    Available now. A key stays in its variable and goes only to its own provider;
    the scout is built in, plans from what it finds in the files, and needs no key.
    `/model` changes this at any time.

    You can also set up:
    • OpenAI: set OPENAI_API_KEY

    ❯ 1. anthropic/claude-sonnet-5-5 (recommended)
         ANTHROPIC_API_KEY is set
      2. ollama/qwen3-coder
         found on 127.0.0.1:11434
      3. scout
         built in, needs no key
      4. A server of mine
         you type its address
    Enter choose • Left back • Esc decide later
    ");
    insta::assert_snapshot!(shown(&mut dialog, 40, 10), @r"
    ── Which model should answer? ──────────
    Available now. A key stays in its
    variable and goes only to its own
    ↓ 7 more lines • PgUp PgDn
    ❯ 1. anthropic/claude-sonnet-5-5
         (recommended)
      2. ollama/qwen3-coder
      3. scout
      4. A server of mine
    Enter choose • Left back
    ");
    press(&mut dialog, "2 enter");
    insta::assert_snapshot!(shown(&mut dialog, 80, 24), @r"
    ── Do you trust the files in this folder? ──────────────────────────────────────
    /projects/shop

    Trusting this folder enables modes that ask less often. Its settings and agents
    can then grant permissions and run commands as you. Only trust code whose author
    you know.

      1. Trust this folder
    ❯ 2. Not now
         you'll be asked before each change; `/trust` changes that
    Enter confirm • Left back • Esc not now
    ");
    assert_eq!(press(&mut dialog, "enter"), DialogStep::Close);
    assert_eq!(dialog.decided(), first_run(Some("ollama/qwen3-coder"), Some(false)));
}

#[test]
fn every_way_through_ends_in_a_working_prompt() {
    let usual = "anthropic/claude-sonnet-5-5";
    let page = [
        ("esc", FirstRun::default()),
        ("enter esc", FirstRun::default()),
        ("enter 3 esc", FirstRun::default()),
        ("enter 3 enter esc", first_run(Some("scout"), None)),
        ("enter 3 enter left esc", FirstRun::default()),
        ("enter 3 enter left 1 enter enter", first_run(Some(usual), Some(false))),
        ("enter enter 1 enter", first_run(Some(usual), Some(true))),
        ("enter enter enter", first_run(Some(usual), Some(false))),
    ];
    for (keys, expected) in page {
        assert_eq!(decided(keys), (DialogStep::Close, expected), "{keys}");
    }
}

#[test]
fn a_trusted_folder_is_not_asked_about_and_no_model_is_no_dead_end() {
    let mut dialog = WelcomeDialog::new(Vec::new(), Vec::new(), None);
    assert_eq!(press(&mut dialog, "enter"), DialogStep::Stay);
    insta::assert_snapshot!(shown(&mut dialog, 80, 24), @r"
    ── Which model should answer? ──────────────────────────────────────────────────
    Available now. A key stays in its variable and goes only to its own provider;
    the scout is built in, plans from what it finds in the files, and needs no key.
    `/model` changes this at any time.

    ❯ 1. Continue without a model
      2. A server of mine
         you type its address
    Enter choose • Left back • Esc decide later
    ");
    assert_eq!(press(&mut dialog, "enter"), DialogStep::Close);
    assert_eq!(dialog.decided(), FirstRun::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn trust_is_given_only_by_choosing_it(keys in any_keys(), spaces in any_spaces()) {
        let mut dialog = welcome();
        live(&mut dialog, &keys, &spaces);
        if dialog.decided().trust == Some(true) {
            let selects = |key: &KeyEvent| matches!(key.code, KeyCode::Up | KeyCode::Char('1'));
            prop_assert!(keys.iter().any(selects), "{:?}", keys);
        }
    }
}
