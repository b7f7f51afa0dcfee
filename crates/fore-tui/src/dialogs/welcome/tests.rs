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
    FirstRun { model: model.map(str::to_owned), trust }
}

#[test]
fn the_first_run_says_what_this_is_then_asks_for_a_model_and_for_trust() {
    let mut dialog = welcome();
    insta::assert_snapshot!(shown(&mut dialog, 120, 24), @r"
    ── Welcome to Forethought ──────────────────────────────────────────────────────────────────────────────────────────────
    Forethought plans before it acts. While it plans it can read and try things, but nothing on this machine changes. You
    read the plan, comment on it, and approve it; then it does what you approved, and asks before anything else.

    Shift+Tab  switches the mode; plan mode is one of its stops
    Esc        stops what runs, and never approves anything
    /help      shows every key and command

    ❯ 1. Go on
    Enter goes on • Esc skips all of this
    ");
    insta::assert_snapshot!(shown(&mut dialog, 40, 24), @r"
    ── Welcome to Forethought ──────────────
    Forethought plans before it acts. While
    it plans it can read and try things, but
    nothing on this machine changes. You
    read the plan, comment on it, and
    approve it; then it does what you
    approved, and asks before anything else.

    Shift+Tab  switches the mode; plan mode
               is one of its stops
    Esc        stops what runs, and never
               approves anything
    /help      shows every key and command

    ❯ 1. Go on
    Enter goes on • Esc skips all of this
    ");
    press(&mut dialog, "enter");
    insta::assert_snapshot!(shown(&mut dialog, 80, 24), @r"
    ── Which model should answer? ──────────────────────────────────────────────────
    These were found. A key stays in its variable and goes only to its own provider;
    the scout is built in, plans from what it finds in the files, and needs no key.
    `/model` changes this at any time.

    More can be set up:
    • OpenAI: set OPENAI_API_KEY

    ❯ 1. anthropic/claude-sonnet-5-5 (recommended)
         ANTHROPIC_API_KEY is set
      2. ollama/qwen3-coder
         found on 127.0.0.1:11434
      3. scout
         built in, needs no key
    Enter picks • Left back • Esc takes the first
    ");
    insta::assert_snapshot!(shown(&mut dialog, 40, 10), @r"
    ── Which model should answer? ──────────
    These were found. A key stays in its
    variable and goes only to its own
    provider; the scout is built in, plans
    ↓ 6 more lines • PgUp PgDn
    ❯ 1. anthropic/claude-sonnet-5-5
         (recommended)
      2. ollama/qwen3-coder
      3. scout
    Enter picks • Left back
    ");
    press(&mut dialog, "2 enter");
    insta::assert_snapshot!(shown(&mut dialog, 80, 24), @r"
    ── Do you trust the files in this folder? ──────────────────────────────────────
    /projects/shop

    Trusting it opens the modes that ask less than before each change. The settings,
    rules, agents, hooks and servers that the folder brings may then grant
    themselves what they ask for, and run commands as you. Trust it only if you know
    who wrote it.

      1. Trust this folder
    ❯ 2. Not now
         it asks before each change; `/trust` changes that
    Enter confirms • Left back • Esc not now
    ");
    assert_eq!(press(&mut dialog, "enter"), DialogStep::Close);
    assert_eq!(dialog.decided(), first_run(Some("ollama/qwen3-coder"), Some(false)));
}

#[test]
fn every_way_through_ends_in_a_working_prompt() {
    let usual = "anthropic/claude-sonnet-5-5";
    let page = [
        ("esc", first_run(Some(usual), Some(false))),
        ("enter esc", first_run(Some(usual), Some(false))),
        ("enter 3 esc", first_run(Some(usual), Some(false))),
        ("enter 3 enter esc", first_run(Some("scout"), Some(false))),
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
    These were found. A key stays in its variable and goes only to its own provider;
    the scout is built in, plans from what it finds in the files, and needs no key.
    `/model` changes this at any time.

    ❯ 1. Go on without a model
    Enter picks • Left back • Esc takes the first
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
