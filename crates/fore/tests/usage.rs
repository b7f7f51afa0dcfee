//! The command line itself: help for newcomers, and what is said to those who mistyped.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use support::Place;

#[test]
fn without_a_terminal_fore_alone_names_the_way_to_run_without_one() {
    let place = Place::new();
    for arguments in [&[][..], &["Why is login slow?"], &["--mode", "plan"], &["--continue"], &["--plain"]] {
        let ran = place.fore(arguments);
        let words = "error: standard input is not a terminal; add -p \"your prompt\" to run without one, or see `fore --help`\n";
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(2), "", words), "{arguments:?}");
    }
    assert_eq!(place.fore(&["sessions", "--all"]).out, "No session yet.\n");
}

#[test]
fn help_shows_what_to_type_first() {
    let ran = Place::new().fore(&["--help"]);
    for part in
        ["fore [PROMPT] [OPTIONS]", "fore plan \"add discounts to the cart\"", "--output-format", "sessions", "apply"]
    {
        assert!(ran.out.contains(part), "{part} is missing in\n{}", ran.out);
    }
}

#[test]
fn help_fits_on_eighty_columns_and_names_the_exit_codes() {
    let place = Place::new();
    for arguments in [&["--help"][..], &["plan", "--help"], &["apply", "--help"]] {
        let ran = place.fore_where(&[("COLUMNS", "80".as_ref())], arguments, b"");
        assert!(ran.out.contains("Exit codes"), "{}", ran.out);
        let longest = ran.out.lines().max_by_key(|line| line.chars().count()).unwrap();
        assert!(longest.chars().count() <= 80, "{longest}");
    }
}

#[test]
fn what_is_not_understood_is_exit_2_with_the_way_out() {
    let place = Place::new();
    let page: [(&[&str], &str); 20] = [
        (&["sesions"], "error: `sesions` is not a fore command; did you mean `fore sessions`?\n  if it is a prompt"),
        (&["plann", "x"], "error: `plann` is not a fore command; did you mean `fore plan`?\n"),
        (
            &["add", "discounts", "to", "the", "cart", "--mode", "plan"],
            "error: put the prompt in quotes: fore \"add discounts to the cart\"\n",
        ),
        (&["plan", "add", "discounts"], "error: put the task in quotes: fore plan \"add discounts\"\n"),
        (&["-p", "one", "two", "three"], "error: put the words of the prompt in quotes\n"),
        (&["doctor", "twice"], "unexpected argument 'twice'"),
        (&["--output-format", "json"], "error: --output-format is for runs without a screen; add -p"),
        (&["x", "--input-format", "stream-json"], "error: --input-format is for runs without a screen; add -p"),
        (&["--verbose"], "error: --verbose is for runs without a screen; add -p"),
        (&["-p", "x", "--plain"], "error: --plain is for the terminal, and has no meaning with -p"),
        (&["-p", "  "], "error: there is nothing to answer"),
        (&["-p", "one", "two"], "error: there are two prompts; put the words of one in quotes"),
        (&["-p", "x", "--mode", "turbo"], "`turbo` is not a mode"),
        (&["-p", "x", "--output-format", "xml"], "text, json, stream-json"),
        (&["-p", "x", "--max-rounds", "0"], "0 is not in 1..=10000"),
        (&["-p", "x", "-c", "-r"], "cannot be used with"),
        (&["--mode", "plan", "plan", "x"], "error: --mode has no meaning for this command; see its --help"),
        (&["--model", "scout", "gate", "--", "ls"], "error: --model has no meaning for this command; see its --help"),
        (&["plan", " "], "error: there is nothing to plan: the task is empty"),
        (&["apply", "no-such-plan", "--hash", "1"], "error: there is no plan `no-such-plan`; `fore plans` lists them"),
    ];
    for (arguments, words) in page {
        let ran = place.fore(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ran.err.contains(words), "{arguments:?} says\n{}", ran.err);
    }
}

#[test]
fn a_closed_mode_is_refused_before_anything_runs() {
    let place = Place::new();
    let ran = place.fore(&["-p", "x", "--mode", "yolo", "--model", "scout"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`fore trust`"), "{}", ran.err);
    assert_eq!(place.fore(&["sessions", "--all"]).out, "No session yet.\n");
}

/// What a shell is offered behind these words.
fn offered(place: &Place, words: &[&str]) -> Vec<String> {
    let index = (words.len() - 1).to_string();
    let variables: [(&str, &std::ffi::OsStr); 3] =
        [("FORE_COMPLETE", "bash".as_ref()), ("_CLAP_COMPLETE_INDEX", index.as_ref()), ("_CLAP_IFS", "\n".as_ref())];
    let arguments: Vec<&str> = ["--"].iter().chain(words).copied().collect();
    let ran = place.fore_where(&variables, &arguments, b"");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{words:?}");
    ran.out.lines().map(str::to_owned).collect()
}

#[test]
fn a_shell_is_offered_commands_plans_and_sessions() {
    let place = Place::new();
    assert_eq!(offered(&place, &["fore", "pl"]), ["plan", "plans"]);
    assert_eq!(offered(&place, &["fore", "plans", "show", "a"]), [""; 0], "nothing is there, and nothing is made");
    let planned = place.fore(&["--model", "scout", "plan", "add discounts to the cart"]);
    assert_eq!(planned.code, Some(0), "{}", planned.err);
    let plans = offered(&place, &["fore", "apply", "add"]);
    let listed = place.fore(&["plans"]).out;
    assert!(plans.len() == 1 && listed.contains(&plans[0]), "{plans:?} {listed}");
    let sessions = offered(&place, &["fore", "sessions", "show", "0"]);
    let shown = place.fore(&["sessions", "show", &sessions[0]]);
    assert!(sessions.len() == 1 && shown.out.contains("add discounts to the cart"), "{sessions:?} {}", shown.out);
}

#[test]
fn completion_scripts_and_manual_pages_are_printed() {
    let place = Place::new();
    for (shell, part) in [("bash", "complete "), ("zsh", "#compdef fore"), ("fish", "complete --")] {
        let ran = place.fore(&["completions", shell]);
        assert!(ran.code == Some(0) && ran.out.contains(part) && ran.out.contains("FORE_COMPLETE"), "{}", ran.out);
    }
    for (arguments, part) in [(&["man"][..], ".TH fore"), (&["man", "plan"], ".TH fore-plan")] {
        let ran = place.fore(arguments);
        assert!(ran.code == Some(0) && ran.out.contains(part), "{}", ran.out);
    }
    let ran = place.fore(&["man", "paln"]);
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (Some(2), "error: `paln` is not a fore command; `fore --help` lists them\n")
    );
}
