//! What the terminal says of itself: plain words, once, and what to do next.

use super::*;
use crate::{keys::KeyAction, options::DisplayMode, session_link::SessionPast, slash::help};

const DEFAULT: Mode = Mode::At(Level::Default);

/// A session in which one prompt was heard.
fn before() -> SessionPast {
    let events = vec![Event::PromptTaken { text: "fix it".into() }];
    SessionPast { events, notices: Vec::new(), draft: Ok(None) }
}

#[test]
fn the_sign_of_a_command_alone_sends_nothing_and_says_what_it_is_for() {
    let mut desk = TestApp::new();
    assert_eq!(desk.keys("/ enter enter ctrl+s").acts(), [""; 0]);
    assert_eq!(desk.app.composer.text(), "/");
    assert!(desk.screen(80, 24).contains("/plan open"), "the commands are listed: {}", desk.screen(80, 24));
    assert!(desk.status().ends_with("nothing sent: Up and Down choose a command"), "{}", desk.status());
    // Closed by Esc, the list opens again.
    assert!(!desk.keys("esc").screen(80, 24).contains("/plan open"));
    assert!(desk.keys("enter").screen(80, 24).contains("/plan open"));
    let mut desk = TestApp::new();
    assert_eq!(desk.keys("! enter space enter").acts(), [""; 0]);
    assert!(desk.status().ends_with("write a command after !: it is yours, not the agent's"), "{}", desk.status());
    assert_eq!(TestApp::new().keys("'/_is_the_root' enter").acts(), ["send prompt / is the root queue"]);
}

#[test]
fn the_modes_are_completed_behind_their_command() {
    let mut desk = TestApp::new();
    let screen = desk.keys("'/mode_'").screen(80, 24);
    for mode in Mode::ALL {
        assert!(screen.contains(&format!("/mode {mode}")), "{screen}");
    }
    assert_eq!(desk.keys("'a' enter enter").acts(), ["send mode acceptEdits"]);
}

#[test]
fn help_names_every_action_as_the_settings_do_and_the_keys_of_the_dialogs() {
    let page = help::page(&Keymap::default(), DisplayMode::Full);
    for action in KeyAction::ALL {
        assert!(page.contains(&format!("({}) |", action.name())), "{page}");
    }
    for words in ["stop what runs, else empty the line", "When a plan waits", "When a call asks", "has questions"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let lines = help::page(&Keymap::default(), DisplayMode::Plain);
    for word in ["/answer", "/comment", "/edit", "/show", "/diff"] {
        assert!(lines.contains(&format!("| `{word}")), "{word}: {lines}");
    }
    assert!(!lines.contains("Shift+Tab") && !lines.contains("ToggleDetails"), "{lines}");
}

#[test]
fn a_copy_says_what_it_is_and_how_to_go_back_and_repeats_nothing() {
    let mut desk = TestApp::new();
    desk.event(Event::PromptTaken { text: "fix it".into() }).event(ended());
    desk.printed();
    assert_eq!(desk.keys("'/fork' enter").acts(), ["begin fork 1 None"]);
    desk.app.beginning();
    desk.app.begun(before());
    let Event::Started(mut copy) = started(Mode::Plan) else { panic!("it starts") };
    (copy.session, copy.resumed) = (session(2), true);
    desk.event(Event::Started(copy));
    let id = session(1);
    let said = format!("From here on this is a copy of session {id}; `/resume {id}` goes back to it.");
    assert_eq!(desk.printed().split_whitespace().collect::<Vec<_>>().join(" "), format!("• {said}"));
    assert!(desk.status().contains("plan mode on"));
    // From the shell, nothing of it stands on the screen yet.
    let mut desk = TestApp::empty();
    desk.app.act(Act::Begin(Begin::Fork { session: id, mode: None }));
    desk.app.beginning();
    desk.app.begun(before());
    let printed = desk.event(started(Mode::Plan)).printed();
    assert!(
        printed.contains("fix it") && printed.contains("Forethought") && printed.contains("a copy of"),
        "{printed}"
    );
}

#[test]
fn switching_back_and_forth_leaves_one_line_or_none() {
    let accepts = Mode::At(Level::AcceptEdits);
    let mut desk = TestApp::new();
    desk.printed();
    desk.event(mode_changed(DEFAULT, accepts));
    assert!(
        desk.screen(80, 24).contains("accept edits on · default → acceptEdits · by you"),
        "{}",
        desk.screen(80, 24)
    );
    desk.event(mode_changed(accepts, Mode::Plan));
    assert_eq!(desk.printed(), "", "it is not printed while another may take its place");
    desk.event(Event::PromptTaken { text: "go".into() });
    assert_eq!(desk.printed(), "⏸ plan mode on · default → plan · by you\n\n❯ go");
    desk.event(ended()).event(mode_changed(Mode::Plan, DEFAULT)).event(mode_changed(DEFAULT, Mode::Plan));
    assert!(!desk.screen(80, 24).contains("by you"), "nothing changed in the end");
    // What is on the screen when the person leaves stays there.
    desk.event(mode_changed(Mode::Plan, DEFAULT)).keys("ctrl+c ctrl+c");
    assert_eq!(desk.printed(), "▸ asks before each change · plan → default · by you");
}

#[test]
fn leaving_plan_mode_at_an_approval_is_said_once() {
    let left = "left plan mode without approving the plan";
    for why in ["shift+tab", left] {
        let mut desk = TestApp::working();
        desk.event(approval("p1", PLAN)).printed();
        let (from, to, by) = (Mode::Plan, DEFAULT, "person".into());
        desk.event(Event::ModeChanged(ModeEvent { from, to, by, why: why.into() }));
        desk.event(Event::Decided(ApprovalOutcome::Left { level: Level::Default }));
        let printed = desk.printed();
        assert!(printed.starts_with("● Left plan mode without approving · asks before each change"), "{printed}");
        assert!(!printed.contains("by you"), "{printed}");
    }
}

#[test]
fn a7_the_first_mode_that_is_left_out_says_why_once() {
    let hint = "modes that ask less need /trust";
    let mut desk = TestApp::new();
    assert!(desk.event(mode_changed(DEFAULT, Mode::Plan)).status().ends_with(hint), "{}", desk.status());
    desk.wait(Duration::from_secs(10)).event(mode_changed(Mode::Plan, DEFAULT));
    assert!(!desk.event(mode_changed(DEFAULT, Mode::Plan)).status().contains(hint), "once is enough");
    let mut desk = TestApp::new();
    desk.keys("'/mode' enter");
    let rows: Vec<bool> =
        desk.screen(80, 24).lines().filter(|row| row.contains("  ")).map(|row| row.contains("needs /trust")).collect();
    assert_eq!(rows.iter().filter(|needs| **needs).count(), 3, "{}", desk.screen(80, 24));
    let mut desk = TestApp::new();
    desk.app.trust();
    assert!(!desk.event(mode_changed(DEFAULT, Mode::Plan)).status().contains(hint));
    assert!(!desk.keys("'/mode' enter").screen(80, 24).contains("needs /trust"));
}

#[test]
fn status_shows_the_sign_of_the_cage_and_says_the_mode_once() {
    let mut desk = TestApp::new();
    desk.printed();
    let page = desk.told(HostReply::Files(Vec::new())).printed();
    assert!(page.contains("sandbox: ▣ on: the kernel"), "{page}");
    assert!(page.contains("mode: default, asks before each change"), "{page}");
}

#[test]
fn leaving_with_nothing_but_a_plan_that_waits_says_that_it_will_be_there_again() {
    let mut desk = TestApp::working();
    desk.event(approval("p1", PLAN)).wait(A_WHILE).keys("ctrl+t '/quit' enter");
    let screen = desk.screen(80, 24);
    assert!(screen.contains("Leave while a plan waits?") && screen.contains("It will be there again"), "{screen}");
}

#[test]
fn the_editor_on_the_plan_says_whether_something_was_changed() {
    let plan = |text: &str| Event::Plan {
        path: Some("/home/ada/plans/fox.md".into()),
        text: Some(text.into()),
        hash: None,
        changed: String::new(),
    };
    let sent: [&[&str]; 2] = [&[], &["send edit-plan # Foxes\n"]];
    let page = [("# Fox\n", "nothing was changed"), ("# Foxes\n", "your changes are in it")];
    for ((after, said), sent) in page.into_iter().zip(sent) {
        let mut desk = TestApp::empty();
        desk.event(started(Mode::Plan)).keys("'/plan_open' enter").acts();
        assert_eq!(desk.event(plan("# Fox\n")).acts(), ["edit fox \"# Fox\\n\" for Plan"], "a copy, never the file");
        desk.printed();
        desk.told(HostReply::Edited { purpose: EditFor::Plan, text: Ok(after.into()) });
        assert_eq!(desk.acts(), sent);
        assert_eq!(desk.printed(), format!("• Opened plan in editor: /home/ada/plans/fox.md; {said}."));
    }
    let mut desk = TestApp::empty();
    desk.event(started(Mode::Plan)).keys("'/plan_diff' enter").printed();
    desk.event(Event::Plan { path: None, text: None, hash: None, changed: String::new() });
    assert_eq!(desk.printed(), "• No plan written yet.");
}

#[test]
fn one_more_is_one_and_a_model_says_what_it_does() {
    let mut desk = TestApp::working();
    for number in 1..=4 {
        desk.event(Event::PromptQueued { text: format!("prompt {number}"), waiting: number });
    }
    assert!(desk.screen(80, 24).contains("and 1 more prompt\n"), "{}", desk.screen(80, 24));
    desk.printed();
    for (duty, does) in [("all", "answers"), ("plan", "plans"), ("act", "works")] {
        desk.event(Event::ModelChanged { model: model(), duty: duty.into() });
        assert_eq!(desk.printed(), format!("• anthropic/claude-opus-5 {does} from here on"));
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
        let mut desk = TestApp::new();
        desk.printed();
        let (call, tool): (CallId, String) = (CallId("c1".into()), "!".into());
        desk.event(Event::ToolStarted {
            agent: None,
            call: call.clone(),
            tool: tool.clone(),
            line: "x".into(),
            cage: None,
        });
        desk.event(Event::ToolFinished { agent: None, call, tool, outcome: CallOutcome::Done, shown });
        assert_eq!(desk.printed(), format!("❯ ! x\n  └ {expected}"));
    }
}
