//! The command line itself: help for newcomers, and what is said to those who mistyped.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use support::Place;

#[test]
fn without_a_terminal_fore_alone_names_the_way_to_run_without_one() {
    let place = Place::new();
    for arguments in [&[][..], &["Why is login slow?"], &["--mode", "plan"], &["--continue"], &["--plain"]] {
        let ran = place.fore(arguments);
        let words =
            "error: standard input is no terminal; add -p \"your prompt\" to run without one, or see `fore --help`\n";
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
    let page: [(&[&str], &str); 15] = [
        (&["sesions"], "error: `sesions` is no command of fore; did you mean `fore sessions`?\n  if it is a prompt"),
        (&["--output-format", "json"], "error: --output-format is for runs without a screen; add -p"),
        (&["x", "--input-format", "stream-json"], "error: --input-format is for runs without a screen; add -p"),
        (&["--verbose"], "error: --verbose is for runs without a screen; add -p"),
        (&["-p", "x", "--plain"], "error: --plain is for the terminal, and has no meaning with -p"),
        (&["-p", "  "], "error: there is nothing to answer"),
        (&["-p", "one", "two"], "error: there are two prompts; put the words of one in quotes"),
        (&["-p", "x", "--mode", "turbo"], "`turbo` is no mode"),
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
