//! What the terminal says of itself: plain words, once, and what to do next.

use super::*;
use crate::{keys::KeyAction, options::DisplayMode, session_link::SessionPast, slash, slash::help};

const DEFAULT: Mode = Mode::At(Level::Default);

/// A session in which one prompt was heard.
fn before() -> SessionPast {
    let events = vec![Event::PromptTaken { text: "fix it".into() }];
    SessionPast { events, notices: Vec::new(), draft: Ok(None) }
}

#[test]
fn the_sign_of_a_command_alone_sends_nothing_and_says_what_it_is_for() {
    let mut test = TestApp::new();
    assert_eq!(test.keys("/ enter enter ctrl+s").acts(), [""; 0]);
    assert_eq!(test.app.composer.text(), "/");
    assert!(test.screen(80, 24).contains("/plan open"), "the commands are listed: {}", test.screen(80, 24));
    assert!(test.status().ends_with("nothing sent: Up and Down choose a command"), "{}", test.status());
    // Closed by Esc, the list opens again.
    assert!(!test.keys("esc").screen(80, 24).contains("/plan open"));
    assert!(test.keys("enter").screen(80, 24).contains("/plan open"));
    let mut test = TestApp::new();
    assert_eq!(test.keys("! enter space enter").acts(), [""; 0]);
    assert!(test.status().ends_with("write a command after !; it runs even in plan mode"), "{}", test.status());
    assert_eq!(TestApp::new().keys("'/_is_the_root' enter").acts(), ["send prompt / is the root queue"]);
}

#[test]
fn the_modes_are_completed_behind_their_command() {
    let mut test = TestApp::new();
    let screen = test.keys("'/mode_'").screen(80, 24);
    for mode in Mode::ALL {
        assert!(screen.contains(&format!("/mode {mode}")), "{screen}");
    }
    assert_eq!(test.keys("'a' enter enter").acts(), ["send mode acceptEdits"]);
}

#[test]
fn help_names_every_action_as_the_settings_do_and_the_keys_of_the_dialogs() {
    let page = |look, topic| help::page(&Keymap::default(), look, topic, &[]).unwrap();
    let keys = page(DisplayMode::Full, "keys");
    for action in KeyAction::ALL {
        assert!(keys.contains(&format!("({}) |", action.name())), "{keys}");
    }
    assert!(keys.contains("stop the current action, else clear the line"), "{keys}");
    for words in ["When a plan waits", "When a call asks", "has questions"] {
        assert!(page(DisplayMode::Full, "plan").contains(words), "{words}");
    }
    for command in slash::COMMANDS {
        assert!(page(DisplayMode::Full, "commands").contains(&format!("`/{}", command.name)), "{}", command.name);
    }
    let first = page(DisplayMode::Full, "");
    assert!(first.lines().count() <= 32, "{first}");
    assert_eq!(help::page(&Keymap::default(), DisplayMode::Full, "cats", &[]), None);
    let lines = page(DisplayMode::Plain, "");
    for word in ["/answer", "/comment", "/edit", "/show", "/diff"] {
        assert!(lines.contains(&format!("| `{word}")), "{word}: {lines}");
    }
    assert!(!lines.contains("Shift+Tab") && !lines.contains("ToggleDetails"), "{lines}");
}

#[test]
fn a_copy_says_what_it_is_and_how_to_go_back_and_repeats_nothing() {
    let mut test = TestApp::new();
    test.event(Event::PromptTaken { text: "fix it".into() }).event(ended());
    test.printed();
    assert_eq!(test.keys("'/fork' enter").acts(), ["begin fork 1 None"]);
    test.beginning();
    test.app.begun(before());
    let Event::Started(mut copy) = started(Mode::Plan) else { panic!("it starts") };
    (copy.session, copy.resumed) = (session(2), true);
    test.event(Event::Started(copy));
    let id = session(1);
    let said = format!("From here on this is a copy of session {id}; `/resume {id}` goes back to it.");
    assert_eq!(test.printed().split_whitespace().collect::<Vec<_>>().join(" "), format!("• {said}"));
    assert!(test.status().contains("plan mode on"));
    // From the shell, nothing of it stands on the screen yet.
    let mut test = TestApp::empty();
    test.app.act(Act::Begin(Begin::Fork { session: id, mode: None }));
    test.beginning();
    test.app.begun(before());
    let printed = test.event(started(Mode::Plan)).printed();
    assert!(
        printed.contains("fix it") && printed.contains("Forethought") && printed.contains("a copy of"),
        "{printed}"
    );
}

#[test]
fn switching_back_and_forth_leaves_one_line_or_none() {
    let accepts = Mode::At(Level::AcceptEdits);
    let mut test = TestApp::new();
    test.printed();
    test.event(mode_changed(DEFAULT, accepts));
    assert!(test.screen(80, 24).contains("accept edits on"), "{}", test.screen(80, 24));
    test.event(mode_changed(accepts, Mode::Plan));
    assert_eq!(test.printed(), "", "it is not printed while another may take its place");
    test.event(Event::PromptTaken { text: "go".into() });
    assert_eq!(test.printed(), "⏸ plan mode on\n\n❯ go");
    test.event(ended()).event(mode_changed(Mode::Plan, DEFAULT)).event(mode_changed(DEFAULT, Mode::Plan));
    assert_eq!(
        test.screen(80, 24).matches("plan mode on").count(),
        1,
        "only the status line: nothing changed in the end"
    );
    // What is on the screen when the person leaves stays there.
    test.event(mode_changed(Mode::Plan, DEFAULT)).keys("ctrl+c ctrl+c");
    assert_eq!(test.printed(), "▸ asks before each change");
}

#[test]
fn leaving_plan_mode_at_an_approval_is_said_once() {
    for why in [ModeReason::Cycled, ModeReason::LeftAtApproval] {
        let mut test = TestApp::working();
        test.event(approval("p1", PLAN)).printed();
        let (from, to, by) = (Mode::Plan, DEFAULT, ModeChanger::Actor(Actor::Person));
        test.event(Event::ModeChanged(ModeEvent { from, to, by, why }));
        test.event(Event::Decided(ApprovalOutcome::Left { level: Level::Default }));
        let printed = test.printed();
        assert!(printed.starts_with("● Left plan mode without approving · asks before each change"), "{printed}");
        assert_eq!(printed.matches("asks before each change").count(), 1, "{printed}");
    }
}

#[test]
fn a7_the_first_mode_that_is_left_out_says_why_once() {
    let hint = "modes that ask less often need /trust";
    let mut test = TestApp::new();
    assert!(test.event(mode_changed(DEFAULT, Mode::Plan)).status().ends_with(hint), "{}", test.status());
    test.wait(Duration::from_secs(10)).event(mode_changed(Mode::Plan, DEFAULT));
    assert!(!test.event(mode_changed(DEFAULT, Mode::Plan)).status().contains(hint), "once is enough");
    let mut test = TestApp::new();
    test.keys("'/mode' enter");
    let rows: Vec<bool> =
        test.screen(80, 24).lines().filter(|row| row.contains("  ")).map(|row| row.contains("needs /trust")).collect();
    assert_eq!(rows.iter().filter(|needs| **needs).count(), 3, "{}", test.screen(80, 24));
    let mut test = TestApp::new();
    test.app.trust();
    assert!(!test.event(mode_changed(DEFAULT, Mode::Plan)).status().contains(hint));
    assert!(!test.keys("'/mode' enter").screen(80, 24).contains("needs /trust"));
}

#[test]
fn status_shows_the_sign_of_the_cage_and_says_the_mode_once() {
    let mut test = TestApp::new();
    test.printed();
    let page = test.told(HostReply::Files(Vec::new())).printed();
    assert!(page.contains("sandbox: ▣ on: the kernel"), "{page}");
    assert!(page.contains("mode: default, asks before each change"), "{page}");
}

#[test]
fn leaving_with_nothing_but_a_plan_that_waits_says_that_it_will_be_there_again() {
    let mut test = TestApp::working();
    test.event(approval("p1", PLAN)).wait(A_WHILE).keys("ctrl+t '/quit' enter");
    let screen = test.screen(80, 24);
    assert!(screen.contains("Leave while a plan waits?") && screen.contains("It will be there again"), "{screen}");
}

#[test]
fn the_editor_on_the_plan_says_whether_something_was_changed() {
    let plan = |text: &str| Event::Plan {
        path: Some("/home/ada/plans/fox.md".into()),
        text: Some(text.into()),
        hash: None,
        changed: String::new(),
        unreadable: None,
    };
    let sent: [&[&str]; 2] = [&[], &["send edit-plan # Foxes\n"]];
    let page = [("# Fox\n", "nothing was changed"), ("# Foxes\n", "your changes are in it")];
    for ((after, said), sent) in page.into_iter().zip(sent) {
        let mut test = TestApp::empty();
        test.event(started(Mode::Plan)).keys("'/plan_open' enter").acts();
        assert_eq!(test.event(plan("# Fox\n")).acts(), ["edit fox \"# Fox\\n\" for Plan"], "a copy, never the file");
        test.printed();
        test.told(HostReply::Edited { purpose: EditFor::Plan, text: Ok(after.into()) });
        assert_eq!(test.acts(), sent);
        assert_eq!(test.printed(), format!("• Opened plan in editor: /home/ada/plans/fox.md; {said}."));
    }
    let mut test = TestApp::empty();
    test.event(started(Mode::Plan)).keys("'/plan_diff' enter").printed();
    test.event(Event::Plan { path: None, text: None, hash: None, changed: String::new(), unreadable: None });
    assert_eq!(test.printed(), "• No plan written yet.");
}

#[test]
fn b4_a_plan_that_cannot_be_read_is_said_and_not_taken_for_none() {
    let mut test = TestApp::empty();
    test.event(started(Mode::Plan)).keys("'/plan' enter").printed();
    let unreadable = Some("it is a link".to_owned());
    test.event(Event::Plan { path: Some("/p.md".into()), text: None, hash: None, changed: String::new(), unreadable });
    assert_eq!(test.printed(), "✘ The plan cannot be read: it is a link");
}

#[test]
fn one_more_is_one_and_a_model_says_what_it_does() {
    let mut test = TestApp::working();
    for number in 1..=4 {
        test.event(Event::PromptQueued { text: format!("prompt {number}"), waiting: number });
    }
    assert!(test.screen(80, 24).contains("and 1 more prompt\n"), "{}", test.screen(80, 24));
    test.printed();
    for (duty, purpose) in [
        (None, ""),
        (Some(fore_agent::DutyName::Plan), " for planning"),
        (Some(fore_agent::DutyName::Act), " for the work"),
    ] {
        test.event(Event::ModelChanged { model: model(), duty });
        assert_eq!(test.printed(), format!("• Now using anthropic/claude-opus-5{purpose}"));
    }
}

#[test]
fn how_a_command_ended_is_said_once() {
    let page = [
        (ShownCall::text("ok, no output", "(no output)"), "your own command · ok, no output"),
        (ShownCall::text("exit code 1, no output", "exit code 1"), "your own command · exit code 1, no output"),
        (ShownCall::text("exit code 1, 1 line", "0\nexit code 1"), "your own command · exit code 1, 1 line\n    0"),
        (ShownCall::text("ok, 1 line", "exit code 1"), "your own command · ok, 1 line\n    exit code 1"),
    ];
    for (shown, expected) in page {
        let mut test = TestApp::new();
        test.printed();
        let (call, tool) = (CallId("c1".into()), fore_plan::CalledTool::Typed);
        test.event(Event::ToolStarted {
            agent: None,
            call: call.clone(),
            tool: tool.clone(),
            line: "x".into(),
            cage: None,
        });
        test.event(Event::ToolFinished { agent: None, call, tool, outcome: CallOutcome::Done, shown });
        assert_eq!(test.printed(), format!("❯ ! x\n  └ {expected}"));
    }
}
