//! Permission prompts: what is shown of a call, and which keys allow it.

use super::*;
use crate::dialogs::test_support::{any_keys, any_spaces, key, live, press, shown};
use fore_agent::{AgentId, CallId, QuestionId};
use proptest::prelude::*;

fn asked(text: &str, shown: ShownCall) -> PermissionRequest {
    PermissionRequest {
        for_plan: None,
        question: QuestionId("question-call-7".into()),
        agent: None,
        call: CallId("call-7".into()),
        tool: "Bash".into(),
        text: text.into(),
        shown,
        rule: "ask Bash(git push:*)".into(),
        cage: Cage::Workspace { outside: fore_plan::Outside::any_public() },
        effects: Vec::new(),
        for_kind: None,
        always: Vec::new(),
        for_session: Some("this exact command".into()),
    }
}

fn push() -> PermissionRequest {
    asked(
        "Run this command? It talks to a server.",
        ShownCall::text("run in .", "git push --force-with-lease origin main"),
    )
}

/// On the screen, with room for everything.
fn drawn(asked: PermissionRequest) -> AskDialog {
    let mut dialog = AskDialog::new(asked);
    shown(&mut dialog, 120, 40);
    dialog
}

fn reply(reply: Reply) -> DialogStep {
    DialogStep::Send(Command::Reply { question: QuestionId("question-call-7".into()), reply })
}

fn no(reason: &str) -> DialogStep {
    reply(Reply::No { reason: reason.into() })
}

#[test]
fn what_the_plan_does_not_name_says_so_and_may_be_added_to_it() {
    let diff = ShownCall::diff("new, +1", "CHANGES.md", "@@ -0,0 +1,1 @@\n+- discounts\n");
    let edit = PermissionRequest {
        tool: "Write".into(),
        rule: "edit-project".into(),
        for_plan: Some("CHANGES.md".into()),
        ..asked("Not in the plan. Allow this edit to /projects/shop/CHANGES.md?", diff)
    };
    let screen = shown(&mut AskDialog::new(edit.clone()), 60, 30);
    assert!(screen.contains("Not in the plan.\n"), "{screen}");
    assert!(
        screen.contains("1. Yes\n  2. Yes, and add it to the plan\n"),
        "the answer that lasts as long as the plan: {screen}"
    );
    assert_eq!(press(&mut drawn(edit), "2 enter"), reply(Reply::YesForPlan));
    let effect = r#"{"kind":"writes","rule":"rm","word":"rm","span":null,"why":"deletes a file"}"#;
    let effect: fore_plan::gate::Evidence = serde_json::from_str(effect).unwrap();
    let command = PermissionRequest { effects: vec![effect], for_plan: Some("`rm x`".into()), ..push() };
    let screen = shown(&mut AskDialog::new(command), 60, 30);
    assert!(screen.contains("Not in the plan.\n"), "{screen}");
}

#[test]
fn more_for_the_plan_is_asked_as_what_it_is() {
    let diff = "@@ -1,1 +1,5 @@\n # Plan\n+\n+## Added while working\n+\n+- Run: `make x`\n";
    let amend = PermissionRequest {
        tool: "AmendPlan".into(),
        rule: "amend-plan".into(),
        cage: Cage::Free,
        for_session: None,
        ..asked("Add this to the plan?", ShownCall::diff("`make x`", "/home/ada/.forethought/plans/a.md", diff))
    };
    let screen = shown(&mut AskDialog::new(amend), 100, 30);
    assert!(screen.starts_with("── Let the plan cover more?"), "{screen}");
    assert!(screen.contains("adds  `make x`\n") && screen.contains("these commands run without"), "{screen}");
    assert!(
        !screen.contains("nothing else") && !screen.contains("No sandbox"),
        "it grants more than one edit: {screen}"
    );
}

#[test]
fn a_command_is_shown_whole_with_its_cage_and_the_rule_that_asks() {
    insta::assert_snapshot!(shown(&mut AskDialog::new(push()), 120, 30), @r"
    ── Run this command? ▣ sandboxed ───────────────────────────────────────────────────────────────────────────────────────
    Run this command? It talks to a server.

    │ git push --force-with-lease origin main

    what  run in .
    how   may change files of this project only; may talk to any public web server
    why   your settings: ask Bash(git push:*)

      1. Yes
      2. Yes, and don't ask about this exact command again in this session
      3. No, and say why
    1-3 or arrows select • Esc no • f full screen
    ");
    insta::assert_snapshot!(shown(&mut AskDialog::new(push()), 80, 30), @r"
    ── Run this command? ▣ sandboxed ───────────────────────────────────────────────
    Run this command? It talks to a server.

    │ git push --force-with-lease origin main

    what  run in .
    how   may change files of this project only; may talk to any public web server
    why   your settings: ask Bash(git push:*)

      1. Yes
      2. Yes, and don't ask about this exact command again in this session
      3. No, and say why
    1-3 or arrows select • Esc no • f full screen
    ");
    insta::assert_snapshot!(shown(&mut AskDialog::new(push()), 40, 30), @r"
    ── Run this command? ▣ sandboxed ───────
    Run this command? It talks to a server.

    │ git push --force-with-lease origin
    │   main

    what  run in .
    how   may change files of this project
          only; may talk to any public web
          server
    why   your settings: ask Bash(git
          push:*)

      1. Yes
      2. Yes, and don't ask about this exact
         command again in this session
      3. No, and say why
    1-3 or arrows select • Esc no
    ");
}

#[test]
fn a_yes_for_good_says_what_it_covers_and_where_it_is_kept() {
    let request = || PermissionRequest {
        for_kind: Some("`npm test …`".into()),
        always: vec!["npm test".into()],
        rule: String::new(),
        cage: Cage::Free,
        ..asked("Run this command? It runs code of the project.", ShownCall::text("run in .", "npm test -- unit"))
    };
    insta::assert_snapshot!(shown(&mut AskDialog::new(request()), 80, 30), @r"
    ── Run this command? ▢ not sandboxed ───────────────────────────────────────────
    Run this command? It runs code of the project.

    │ npm test -- unit

    what  run in .
    how   No sandbox: runs with all your permissions

      1. Yes
      2. Yes, and don't ask about this exact command again in this session
      3. Yes, and don't ask about `npm test …` again in this session
      4. Yes, and always allow `npm test …` in this project (kept in your
         allowed.json)
      5. No, and say why
    1-5 or arrows select • Esc no • f full screen
    ");
    insta::assert_snapshot!(shown(&mut AskDialog::new(request()), 44, 30), @r"
    ── Run this command? ▢ not sandboxed ───────
    Run this command? It runs code of the
    project.

    │ npm test -- unit

    what  run in .
    how   No sandbox: runs with all your
          permissions

      1. Yes
      2. Yes, and don't ask about this exact
         command again in this session
      3. Yes, and don't ask about `npm test …`
         again in this session
      4. Yes, and always allow `npm test …` in
         this project (kept in your
         allowed.json)
      5. No, and say why
    1-5 or arrows select • Esc no
    ");
    let answer = Command::Reply { question: QuestionId("question-call-7".into()), reply: Reply::YesForKind };
    let expected = DialogStep::SendAlways { answer, commands: vec!["npm test".into()] };
    assert_eq!(press(&mut drawn(request()), "4 enter"), expected);
}

#[test]
fn an_edit_is_shown_as_a_difference_and_an_agent_by_name() {
    let diff = "--- src/login.rs\n+++ src/login.rs\n@@ -1,2 +1,2 @@\n fn login() {\n-    check();\n+    check_twice();";
    let asked = PermissionRequest {
        tool: "Edit".into(),
        agent: Some(AgentId("a3".into())),
        cage: Cage::Free,
        for_session: None,
        rule: String::new(),
        ..asked("Allow this edit to /projects/shop/src/login.rs?", ShownCall::diff("+1 -1", "src/login.rs", diff))
    };
    insta::assert_snapshot!(shown(&mut AskDialog::new(asked), 80, 30), @r"
    ── Allow this edit to src/login.rs, for the agent a3? ──────────────────────────
    │ 1   fn login() {
    │ 2 -     check();
    │ 2 +     check_twice();

    what  +1 -1
    does  writes this file, nothing else

      1. Yes
      2. No, and say why
    1-2 or arrows select • Esc no • f full screen
    ");
}

#[test]
fn nothing_at_the_end_of_a_long_command_can_hide() {
    let mut command: String = (1..=40).map(|number| format!("echo {number}\n")).collect();
    command.push_str("echo x                                                      ; rm -rf ~\u{200b}/\u{202e}\n");
    let mut dialog = AskDialog::new(asked("Run this command?", ShownCall::text("run in .", command)));
    insta::assert_snapshot!(shown(&mut dialog, 40, 12), @r"
    ── Run this command? ▣ sandboxed ───────
    Run this command?
    ⚠ This contains 2 hidden characters,
      shown as marks like \u{200b}

    │ echo 1
    ↓ 49 more lines • PgUp PgDn
      1. Yes
      2. Yes, and don't ask about this exact
         command again in this session
      3. No, and say why
    1-3 or arrows select • Esc no
    ");
    dialog.key(key("end"));
    insta::assert_snapshot!(shown(&mut dialog, 40, 12), @r"
    ── Run this command? ▣ sandboxed ───────
    how   may change files of this project
          only; may talk to any public web
          server
    why   your settings: ask Bash(git
          push:*)
    ↑ 49 more lines • PgUp PgDn
      1. Yes
      2. Yes, and don't ask about this exact
         command again in this session
      3. No, and say why
    1-3 or arrows select • Esc no
    ");
    insta::assert_snapshot!(shown(&mut dialog, 40, 8), @r"
    ── Run this command? ▣ sandboxed ───────
    how   may change files of this project
    ↑ 49 ↓ 4 more lines • PgUp PgDn
      1. Yes
      2. Yes, and don't ask about this exact
         command again in this session
      3. No, and say why
    1-3 or arrows select • Esc no
    ");
}

#[test]
fn nothing_says_yes_before_the_end_of_the_command_was_on_the_screen() {
    let long: String = (1..=40).map(|number| format!("echo {number}\n")).collect();
    let padded = format!("ls{}; rm -rf ~", " ".repeat(2_000));
    let continued = format!("ls {}; rm -rf ~", "\\\n".repeat(60));
    let commented = format!("ls\n{}rm -rf ~", "#\n".repeat(60));
    let tabs = format!("ls{}; rm -rf ~", "\t".repeat(800));
    let wide = format!("echo {}\nrm -rf ~", "漢字".repeat(400));
    let odd = format!("ls {}\nrm -rf ~", "\u{a0}".repeat(300));
    for command in [format!("{long}rm -rf ~"), padded, continued, commented, tabs, wide, odd] {
        for yes in ["y", "2"] {
            let mut dialog = AskDialog::new(asked("Run this command?", ShownCall::text("run in .", &command)));
            shown(&mut dialog, 60, 14);
            press(&mut dialog, yes);
            let mut pages = 0;
            let step = loop {
                let is_seen = shown(&mut dialog, 60, 14).contains("rm -rf ~");
                match press(&mut dialog, "enter") {
                    DialogStep::Stay => assert!(!is_seen && pages < 40, "{command}"),
                    step => {
                        assert!(is_seen, "{command}");
                        break step;
                    }
                }
                pages += 1;
            };
            assert!(pages > 0);
            assert_eq!(step, reply(if yes == "y" { Reply::Yes } else { Reply::YesForSession }));
            // A no needs no reading, and the end can be gone to at once.
            let mut dialog = AskDialog::new(asked("Run this command?", ShownCall::text("run in .", &command)));
            shown(&mut dialog, 60, 14);
            assert_eq!(press(&mut dialog, "n enter enter"), no(""));
            let mut dialog = AskDialog::new(asked("Run this command?", ShownCall::text("run in .", &command)));
            shown(&mut dialog, 60, 14);
            press(&mut dialog, "end y");
            if !shown(&mut dialog, 60, 14).contains("rm -rf ~") {
                assert_eq!(press(&mut dialog, "enter"), DialogStep::Stay);
                assert!(shown(&mut dialog, 60, 14).contains("rm -rf ~"));
            }
            assert_eq!(press(&mut dialog, "enter"), reply(Reply::Yes));
        }
    }
}

#[test]
fn however_long_a_command_is_its_end_is_seen_before_a_yes_counts() {
    let page = [
        "echo x\n".repeat(10_000),
        "x".repeat(100_000),
        "a b ".repeat(25_000),
        "\t\n".repeat(10_000) + "#\n".repeat(100).as_str(),
        "漢".repeat(30_000),
    ];
    for long in page {
        let command = format!("{long}\nrm -rf ~");
        let mut dialog = AskDialog::new(asked("Run this command?", ShownCall::text("run in .", &command)));
        for _ in 0..3 {
            assert!(!shown(&mut dialog, 60, 14).contains("rm -rf ~"));
            assert_eq!(press(&mut dialog, "y enter"), DialogStep::Stay);
        }
        press(&mut dialog, "end");
        if !shown(&mut dialog, 60, 14).contains("rm -rf ~") {
            // The facts beneath have the window for themselves: Enter goes back to the end of the command.
            assert_eq!(press(&mut dialog, "y enter"), DialogStep::Stay);
        }
        assert!(shown(&mut dialog, 60, 14).contains("rm -rf ~"));
        assert_eq!(press(&mut dialog, "y enter"), reply(Reply::Yes));
    }
}

#[test]
fn facts_that_fill_the_window_do_not_stand_for_the_end_of_the_command() {
    let words = "it only looks around and changes nothing at all ".repeat(30);
    let command = format!("{}rm -rf ~", "echo x\n".repeat(30));
    let mut dialog = AskDialog::new(asked("Run this command?", ShownCall::text(words, &command)));
    shown(&mut dialog, 60, 14);
    press(&mut dialog, "end y");
    assert!(!shown(&mut dialog, 60, 14).contains("rm -rf ~"));
    assert_eq!(press(&mut dialog, "enter"), DialogStep::Stay);
    assert!(shown(&mut dialog, 60, 14).contains("rm -rf ~"));
    assert_eq!(press(&mut dialog, "enter"), reply(Reply::Yes));
}

#[test]
fn blank_lines_do_not_push_the_end_of_a_command_out_of_sight() {
    let command = format!("ls{}rm -rf ~\n", "\n".repeat(59));
    let mut dialog = AskDialog::new(asked("Run this command?", ShownCall::text("run in .", command)));
    insta::assert_snapshot!(shown(&mut dialog, 60, 16), @r"
    ── Run this command? ▣ sandboxed ───────────────────────────
    Run this command?

    │ ls
    │ … 58 blank lines …
    │ rm -rf ~

    what  run in .
    how   may change files of this project only; may talk to any
          public web server
    why   your settings: ask Bash(git push:*)
      1. Yes
      2. Yes, and don't ask about this exact command again in
         this session
      3. No, and say why
    1-3 or arrows select • Esc no • f full screen
    ");
}

#[test]
fn without_the_focus_it_says_how_to_reach_it() {
    let space = crate::dialogs::test_support::space(80, 30);
    let view = AskDialog::new(push()).view(space, Focus::Elsewhere);
    insta::assert_snapshot!(crate::dialogs::test_support::text_of(&view), @r"
    ── Run this command? ▣ sandboxed ───────────────────────────────────────────────
    Run this command? It talks to a server.

    │ git push --force-with-lease origin main

    what  run in .
    how   may change files of this project only; may talk to any public web server
    why   your settings: ask Bash(git push:*)

      1. Yes
      2. Yes, and don't ask about this exact command again in this session
      3. No, and say why
    Tab to answer
    ");
    let faint = space.theme.style(TextRole::Faint);
    let (_, rest) = view.lines.split_last().unwrap();
    assert!(rest.iter().flat_map(|line| &line.spans).all(|span| span.style == faint));
}

/// It was a message.
fn written(text: &str) -> DialogStep {
    DialogStep::Written(text.to_owned())
}

#[test]
fn keys_lead_to_replies() {
    let page = [
        ("enter enter enter", DialogStep::Stay),
        ("y y y", DialogStep::Stay),
        ("1", DialogStep::Stay),
        ("7 enter", written("7")),
        ("'yes' enter", written("ye")),
        ("'maybe' enter", written("m")),
        ("'1.' enter", written("1.")),
        ("'yynnyynny' enter", written("yynnyynny")),
        ("y enter", reply(Reply::Yes)),
        ("1 enter", reply(Reply::Yes)),
        ("down enter", reply(Reply::Yes)),
        ("down shift+enter ctrl+enter alt+enter", DialogStep::Stay),
        ("2 enter", reply(Reply::YesForSession)),
        ("down down enter", reply(Reply::YesForSession)),
        ("esc", no("")),
        ("1 esc", no("")),
        ("3 enter enter", no("")),
        ("n enter 'use' space 'git' enter", no("use git")),
        ("up enter 'a' ctrl+j 'b' enter", no("a\nb")),
        ("3 enter 'because' esc esc", no("")),
        ("3 enter 'y' esc enter 'no' enter", no("no")),
    ];
    for (keys, step) in page {
        assert_eq!(press(&mut drawn(push()), keys), step, "{keys}");
    }
}

#[test]
fn where_a_yes_may_not_last_there_is_no_such_choice() {
    let dialog = || drawn(PermissionRequest { for_session: None, ..push() });
    assert_eq!(press(&mut dialog(), "2 enter 'no' enter"), no("no"));
    assert_eq!(press(&mut dialog(), "3 enter"), written("3"));
}

#[test]
fn the_reason_is_written_beneath_the_command_and_pasted_text_never_chooses() {
    let mut dialog = AskDialog::new(push());
    dialog.paste("1\n");
    assert_eq!(press(&mut dialog, "enter n enter"), DialogStep::Stay);
    dialog.paste("push to a branch\nof your own");
    insta::assert_snapshot!(shown(&mut dialog, 80, 30), @r"
    ── Run this command? ▣ sandboxed ───────────────────────────────────────────────
    Run this command? It talks to a server.

    │ git push --force-with-lease origin main

    what  run in .
    how   may change files of this project only; may talk to any public web server
    why   your settings: ask Bash(git push:*)

    No, because:
    push to a branch
    of your own▁
    Enter says no • Ctrl+J new line • Esc back
    ");
    assert_eq!(press(&mut dialog, "enter"), no("push to a branch\nof your own"));
}

#[test]
fn without_utf8_every_sign_is_a_plain_letter() {
    use crate::theme::Signs;
    let mut space = crate::dialogs::test_support::space(40, 14);
    space.theme.signs = Signs::Ascii;
    let command = "rm -rf build\u{200b}\n".repeat(9);
    let mut dialog = AskDialog::new(asked("Run this command?", ShownCall::text("run in .", command)));
    press(&mut dialog, "2");
    let view = dialog.view(space, Focus::Here);
    insta::assert_snapshot!(crate::dialogs::test_support::text_of(&view), @r"
    -- Run this command? # sandboxed -------
    Run this command?
    ! This contains 9 hidden characters,
      shown as marks like \u{200b}

    | rm -rf build\u{200b}
    | rm -rf build\u{200b}
    | rm -rf build\u{200b}
    v 13 more lines - PgUp PgDn
      1. Yes
    > 2. Yes, and don't ask about this exact
         command again in this session
      3. No, and say why
    Enter shows the rest first - Esc no
    ");
}

#[test]
fn it_can_be_read_on_the_whole_screen() {
    let body = ShownBody::Text { text: "git push --force-with-lease origin main".into() };
    let document =
        PagerDocument { title: "Run this command? It talks to a server.".into(), body, ..PagerDocument::default() };
    assert_eq!(press(&mut AskDialog::new(push()), "v"), DialogStep::Read(document));
}

#[test]
fn a_held_enter_confirms_nothing() {
    let mut dialog = AskDialog::new(push());
    press(&mut dialog, "1");
    let held = KeyEvent { kind: KeyEventKind::Repeat, ..key("enter") };
    assert_eq!(dialog.key(held), DialogStep::Stay);
}

/// The rules once more, as small as they can be said: which of the keys says yes.
#[derive(Default)]
struct Rules {
    selected: Option<usize>,
    is_writing: bool,
}

impl Rules {
    fn yes(&mut self, key: &KeyEvent) -> Option<Reply> {
        let is_plain = key.modifiers.is_empty();
        match key.code {
            KeyCode::Esc if self.is_writing => self.is_writing = false,
            _ if self.is_writing || !is_plain => {}
            KeyCode::Char('1' | 'y') => self.selected = Some(0),
            KeyCode::Char('2') => self.selected = Some(1),
            KeyCode::Char('3' | 'n') => self.selected = Some(2),
            KeyCode::Down => self.selected = Some(self.selected.map_or(0, |row| (row + 1).min(2))),
            KeyCode::Up => self.selected = Some(self.selected.map_or(2, |row| row.saturating_sub(1))),
            KeyCode::Enter => match self.selected {
                Some(0) => return Some(Reply::Yes),
                Some(1) => return Some(Reply::YesForSession),
                Some(_) => self.is_writing = true,
                None => {}
            },
            _ => {}
        }
        None
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_but_a_selection_and_enter_says_yes(keys in any_keys(), spaces in any_spaces()) {
        let steps = live(&mut AskDialog::new(push()), &keys, &spaces);
        let mut rules = Rules::default();
        for (key, step) in keys.iter().zip(steps) {
            let yes = match step {
                DialogStep::Send(Command::Reply { reply: Reply::No { .. }, .. }) => None,
                DialogStep::Send(Command::Reply { reply, .. }) => Some(reply),
                _ => None,
            };
            let meant = rules.yes(key);
            prop_assert!(yes.is_none() || yes == meant, "{:?}", keys);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_command_is_drawn_inside_the_space(text in any::<String>(), keys in any_keys(), spaces in any_spaces()) {
        let shown = if text.len() % 2 == 0 { ShownCall::text(&text, &text) } else { ShownCall::diff(&text, &text, &text) };
        live(&mut AskDialog::new(PermissionRequest { rule: text.clone(), ..asked(&text, shown) }), &keys, &spaces);
    }
}
