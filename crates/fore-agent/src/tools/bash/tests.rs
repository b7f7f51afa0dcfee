//! Commands as the loop runs them: judged by the real gate, in real cages.

#![expect(clippy::disallowed_methods, reason = "looks at what commands did, and starts a session that is killed")]

use super::{BackgroundRuns, Bash, BashOutput};
use crate::{
    event::{ShownBody, ShownCall},
    tools::test_support::{Workplace, text_of},
};
use serde_json::json;
use std::sync::Arc;

fn told(place: &Workplace, command: &str) -> String {
    place.plain(&text_of(&place.call(&Bash, json!({ "command": command })).unwrap()))
}

#[test]
fn a_command_says_what_it_printed_and_how_it_ended() {
    let place = Workplace::with(&[("cart.txt", "apples\npears\n")]);
    let page = [
        ("cat cart.txt", "apples\npears"),
        ("true", "(no output)"),
        ("grep -c plums cart.txt", "0\nexit code 1"),
        ("ls nothing", "ls: cannot access 'nothing': No such file or directory\nexit code 2"),
        ("echo one; sleep 0.1; echo two >&2; sleep 0.1; echo three", "one\ntwo\nthree"),
        ("kill -9 $$", "ended by signal 9"),
        ("printf 'gr\\303\\274n \\377'", "grün \u{fffd}"),
    ];
    for (command, expected) in page {
        assert_eq!(told(&place, command), expected, "{command}");
    }
}

#[test]
fn the_person_sees_one_line_and_can_open_the_rest() {
    let place = Workplace::with(&[("cart.txt", "apples\npears\n")]);
    let shown = |command: &str| place.call(&Bash, json!({ "command": command })).unwrap().shown;
    assert_eq!(shown("cat cart.txt"), ShownCall::text("ok, 2 lines", "apples\npears"));
    assert_eq!(shown("exit 3"), ShownCall::text("exit code 3, no output", "exit code 3"));
    let long = shown("seq 10000");
    let ShownBody::Text { text } = long.body else { panic!("no text") };
    assert!(text.len() < super::MAX_SHOWN_BYTES + 100 && text.starts_with("1\n2\n") && text.ends_with("\n10000"));
    assert!(place.heard.lock().unwrap().starts_with("apples\npears\n1\n2\n3\n"));
}

#[test]
fn a_long_output_misses_its_middle_and_names_the_file_with_all_of_it() {
    let place = Workplace::new();
    let text = told(&place, "seq 20000");
    let path = text.split("the full text is in ").nth(1).unwrap().split(']').next().unwrap();
    let path = path.replacen("/t/", &format!("{}/", place.project().parent().unwrap().display()), 1);
    let all: String = (1..=20000).map(|number| format!("{number}\n")).collect();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), all);
    assert!(text.len() < super::MAX_OUTPUT_BYTES + 300 && text.starts_with("1\n2\n") && text.ends_with("\n20000"));
    assert!(text.contains("bytes left out here; the full text is in /t/home/.forethought/outputs/"), "{text}");
}

#[test]
fn the_working_folder_is_kept_between_calls() {
    let place = Workplace::with(&[("src/deep/a.rs", "")]);
    assert_eq!(told(&place, "cd src && pwd"), "/t/shop/src\nthe working folder is now /t/shop/src");
    assert_eq!(told(&place, "cd deep; ls; false"), "a.rs\nexit code 1\nthe working folder is now /t/shop/src/deep");
    assert_eq!(told(&place, "pwd"), "/t/shop/src/deep");
    assert_eq!(told(&place, "(cd ..; pwd); exec pwd"), "/t/shop/src\n/t/shop/src/deep");
    assert_eq!(told(&place, "cd /usr"), "the working folder is now /usr");
    assert_eq!(told(&place, "cd"), format!("the working folder is now {}", std::env::home_dir().unwrap().display()));
}

#[test]
fn a_folder_that_is_gone_is_not_entered_and_left_if_it_is_the_working_folder() {
    let place = Workplace::with(&[("src/a.rs", "")]);
    assert_eq!(
        told(&place, "mkdir new && cd new && rmdir ../new"),
        "/t/shop/new (deleted) is not there any more, or only inside the sandbox; the working folder stays /t/shop"
    );
    assert_eq!(told(&place, "cd src"), "the working folder is now /t/shop/src");
    std::fs::remove_dir_all(place.at("src")).unwrap();
    assert_eq!(
        told(&place, "ls"),
        "the command did not run: /t/shop/src does not exist or cannot be reached\n\
         the working folder /t/shop/src is gone; the next command runs in /t/shop"
    );
    assert_eq!(told(&place, "pwd"), "/t/shop");
}

#[test]
fn m3_a_rehearsal_keeps_nothing_and_says_what_would_have_changed() {
    let place = Workplace::with(&[("src/cart.txt", "apples\n")]).planning();
    let rehearsed = json!({ "command": "cd src; echo pears >> cart.txt; cat cart.txt; touch new", "rehearse": true });
    let output = place.call(&Bash, rehearsed).unwrap();
    assert_eq!(
        text_of(&output),
        "apples\npears\nrehearsed; nothing was kept. 2 paths would have changed:\n  ~ src/cart.txt\n  + src/new"
    );
    assert_eq!(output.shown.line, "ok, 2 paths would have changed, 2 lines");
    assert_eq!((place.get("src/cart.txt").as_str(), told(&place, "pwd").as_str()), ("apples\n", "/t/shop"));
}

#[test]
fn g3_g4_while_planning_a_write_is_refused_and_the_cage_says_what_it_held() {
    let place = Workplace::with(&[("cart.txt", "apples\n")]).planning();
    assert!(place.call(&Bash, json!({ "command": "rm cart.txt" })).is_err());
    let place = Workplace::with(&[("cart.txt", "apples\n")]);
    // A read by the judge's word that tries to write all the same: the shell itself opens the file.
    let text = told(&place, "cat cart.txt /proc/1/mem");
    assert_eq!(
        text,
        "apples\ncat: /proc/1/mem: Permission denied\nexit code 1\n\
         the read-only sandbox refused, as it seems: a path that is hidden or not writable in this sandbox"
    );
}

#[test]
fn g2_while_planning_commands_run_whether_the_plan_is_written_or_not() {
    let place = Workplace::with(&[("cart.txt", "apples\n")]).planning();
    assert_eq!(told(&place, "cat cart.txt"), "apples");
    std::fs::write(place.context.plan_file.as_ref().unwrap(), "# Plan\n").unwrap();
    assert_eq!(told(&place, "cat cart.txt ../home/plans/*.md"), "apples\n# Plan");
}

#[test]
fn g4_the_plan_is_open_to_the_command_that_was_judged_to_write_it_and_to_nothing_else() {
    let place = Workplace::with(&[("rustc", "#!/bin/sh\necho forged > ../home/plans/quiet-fox.md\n")]).planning();
    let plan = place.context.plan_file.clone().unwrap();
    let at = plan.display().to_string();
    std::fs::write(&plan, "# Plan\n").unwrap();
    let now = || std::fs::read_to_string(&plan).unwrap();
    told(&place, &format!("printf '# Mine\\n' > {at}"));
    assert_eq!(now(), "# Mine\n");
    for command in ["sh ./rustc", "sh rustc --version; cat rustc", "cat rustc | sh", "find . -name rustc -exec sh {} +"]
    {
        let _ = place.call(&Bash, json!({ "command": command }));
        let _ = place.call(&Bash, json!({ "command": command, "rehearse": true }));
        assert_eq!(now(), "# Mine\n", "{command}");
    }
    let late = json!({ "command": format!("sleep 0.1; printf late > {at}"), "run_in_background": true });
    assert_eq!(
        place.trouble(&Bash, late),
        "A command that writes the plan does not run in the background. Run it without, or use Write or Edit."
    );
    let rehearsed = json!({ "command": format!("printf rehearsed > {at}"), "rehearse": true });
    let _ = place.call(&Bash, rehearsed);
    assert_eq!((now().as_str(), place.context.background.running()), ("# Mine\n", 0));
}

#[test]
fn variables_of_the_settings_reach_commands_and_steering_ones_stay_out_of_strict_cages() {
    let mut place = Workplace::new();
    let variables = [("SHOP_REGION", "north"), ("GIT_DIR", "/elsewhere"), ("SHOP_TOKEN", "x")];
    place.context.variables = Arc::new(variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec());
    let command = "echo $SHOP_REGION ${GIT_DIR-none} ${SHOP_TOKEN-none}";
    assert_eq!(told(&place, command), "north none none");
    assert_eq!(told(&place, &format!("{command} && touch made")), "north /elsewhere x");
}

#[test]
fn time_is_bounded_and_the_way_out_is_said() {
    let place = Workplace::new();
    let output = place.call(&Bash, json!({ "command": "echo begun; sleep 1000", "timeout_ms": 500 })).unwrap();
    assert_eq!(
        text_of(&output),
        "begun\nstopped: its 0.5 s were over. Give more time with timeout_ms (at most 600000), make the command do \
         less, or set run_in_background."
    );
    assert!(output.is_error);
}

#[test]
fn an_interrupt_ends_a_command_with_everything_it_started() {
    let mut place = Workplace::new();
    let cancel = place.context.cancel.clone();
    place.context.on_output = Arc::new(move |_| cancel.cancel());
    assert_eq!(told(&place, "sleep 1000 & echo begun; wait"), "begun\nstopped before it had ended");
}

#[test]
fn input_that_is_not_right_runs_nothing() {
    let place = Workplace::new();
    let trouble = place.trouble(&Bash, json!({ "command": "touch made", "timeout_ms": "soon" }));
    assert_eq!(trouble, "`timeout_ms` has to be a whole number, 0 or more.");
    let endless = place.trouble(&Bash, json!({ "command": format!("touch made {}", "x".repeat(200_000)) }));
    assert!(endless.starts_with("the command did not run: it is longer than the system takes"), "{endless}");
    assert!(!place.at("made").exists());
}

#[test]
fn a_person_is_shown_the_exact_command_and_where_it_would_run() {
    let place = Workplace::with(&[("src/a", "")]);
    let command = "rm -r \\\n  build";
    let shown = |rehearse: bool| place.preview(&Bash, json!({ "command": command, "rehearse": rehearse })).unwrap();
    assert_eq!(shown(false), ShownCall::text(format!("run in {}", place.project().display()), command));
    place.context.folder.set(place.at("src"));
    assert_eq!(shown(true), ShownCall::text("rehearse in src", command));
    use crate::tools::Tool;
    assert_eq!(Bash.line(&json!({ "command": command, "description": "Clean" })), "rm -r \\ …  # Clean");
    assert_eq!(Bash.line(&json!({})), "");
}

/// Looks until the command has said or done what is waited for.
fn look_until(place: &Workplace, id: &str, done: impl Fn(&str) -> bool) -> String {
    let mut all = String::new();
    while !done(&all) {
        all.push_str(&text_of(&place.call(&BashOutput, json!({ "id": id })).unwrap()));
        all = all.replace("nothing new\n(still running)", "");
        std::thread::yield_now();
    }
    all
}

fn start(place: &Workplace, command: &str) -> String {
    let output = place.call(&Bash, json!({ "command": command, "run_in_background": true })).unwrap();
    text_of(&output).split('`').nth(1).unwrap_or_default().to_owned()
}

#[test]
fn a_background_command_is_looked_at_until_it_ends() {
    let place = Workplace::new();
    let output = place.call(&Bash, json!({ "command": "echo hello; exit 4", "run_in_background": true })).unwrap();
    assert_eq!(
        (text_of(&output).as_str(), output.shown.line.as_str()),
        (
            "runs in the background as `bash-1`; BashOutput shows what it prints and stops it",
            "in the background as bash-1"
        )
    );
    let all = look_until(&place, "bash-1", |text| text.contains("exit code"));
    assert_eq!(all.replace("\n(still running)", "\n"), "hello\nexit code 4");
    assert_eq!(
        place.trouble(&BashOutput, json!({ "id": "bash-9" })),
        "there is no background command `bash-9`; there are bash-1 (`echo hello; exit 4`)"
    );
}

#[test]
fn what_goes_wrong_stands_where_it_was_said() {
    let place = Workplace::new();
    let command = "echo one; echo two >&2; echo three; printf 'ls: ' >&2; printf 'gone\\n' >&2; echo four";
    let output = text_of(&place.call(&Bash, json!({ "command": command })).unwrap());
    assert!(output.starts_with("one\ntwo\nthree\nls: gone\nfour"), "{output}");
}

#[test]
fn a_background_command_is_stopped_when_asked() {
    let place = Workplace::new();
    let id = start(&place, "echo begun; sleep 1000");
    look_until(&place, &id, |text| text.contains("begun"));
    let stopped = place.trouble(&BashOutput, json!({ "id": id, "stop": true }));
    assert_eq!((stopped.as_str(), place.context.background.running()), ("stopped before it had ended", 0));
}

#[test]
fn background_commands_are_counted_and_end_with_the_session() {
    let place = Workplace::new();
    let ids: Vec<String> = (0..8).map(|_| start(&place, "sleep 1000")).collect();
    let trouble = place.trouble(&Bash, json!({ "command": "sleep 1000", "run_in_background": true }));
    assert!(trouble.starts_with("8 background commands run already, which is the most; stop one with "), "{trouble}");
    let stopped: Vec<String> = place.context.background.stop_all().into_iter().map(|stopped| stopped.id).collect();
    assert_eq!((stopped, place.context.background.running()), (ids, 0));
}

#[test]
fn m13_what_may_write_ends_when_planning_begins_and_readers_go_on() {
    let place = Workplace::new();
    let reader = start(&place, "sleep 1000");
    let writer = start(&place, "touch begun; sleep 1000; touch late");
    while !place.at("begun").exists() {
        std::thread::yield_now();
    }
    let stopped: Vec<String> = place.context.background.stop_writers().into_iter().map(|stopped| stopped.id).collect();
    assert_eq!((stopped, place.context.background.running()), (vec![writer], 1));
    assert_eq!(text_of(&place.call(&BashOutput, json!({ "id": reader })).unwrap()), "nothing new\n(still running)");
    assert!(!place.at("late").exists());
}

#[test]
fn dropping_the_background_ends_its_commands() {
    let mut place = Workplace::new();
    let id = start(&place, "echo $$ > pid; sleep 1000");
    look_until(&place, &id, |_| place.at("pid").metadata().is_ok_and(|found| found.len() > 1));
    let pid = place.get("pid");
    place.context.background = Arc::new(BackgroundRuns::default());
    assert!(!std::path::Path::new(&format!("/proc/{}", pid.trim())).exists());
}

const KILLED: &str = "FORE_TEST_KILLED_SESSION";

/// Without the variable this does nothing; with it, it is the session that the next test kills.
#[test]
fn session_to_be_killed() {
    if let Some(note) = std::env::var_os(KILLED) {
        let place = Workplace::new();
        start(&place, &format!("sleep 1000 & echo $! $$ > {}; wait", note.display()));
        loop {
            std::thread::park();
        }
    }
}

#[test]
fn m13_background_commands_end_when_the_session_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("pids");
    let mut session = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tools::bash::tests::session_to_be_killed"])
        .env(KILLED, &note)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let pids = loop {
        let text = std::fs::read_to_string(&note).unwrap_or_default();
        if text.ends_with('\n') {
            break text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        }
        assert!(session.try_wait().unwrap().is_none(), "the session ended by itself");
        std::thread::yield_now();
    };
    session.kill().unwrap();
    session.wait().unwrap();
    for pid in pids {
        while std::path::Path::new(&format!("/proc/{pid}")).exists() {
            std::thread::yield_now();
        }
    }
}

#[test]
fn what_the_model_reads_about_the_tools_is_short() {
    use crate::tools::{Tool, WebFetch};
    let fetch = WebFetch::default();
    let tools: [(&dyn Tool, usize); 3] = [(&Bash, 1000), (&BashOutput, 300), (&fetch, 700)];
    for (tool, most) in tools {
        let (description, schema) = (tool.description(), tool.parameters());
        assert!(description.len() <= most && !description.ends_with('\n'), "{}: {}", tool.name(), description.len());
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name());
    }
}
