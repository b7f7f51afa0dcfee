//! The form of `AskUserQuestion`: keys in, pages and answers out.

use super::*;
use crate::dialogs::test_support::{any_keys, any_spaces, live, press, shown};
use fore_agent::FormOption;
use proptest::prelude::*;

fn question(header: &str, question: &str, multi_select: bool, options: &[(&str, &str)]) -> FormQuestion {
    let option = |(label, description): &(&str, &str)| FormOption {
        label: (*label).to_owned(),
        description: (*description).to_owned(),
    };
    FormQuestion {
        header: header.into(),
        question: question.into(),
        multi_select,
        options: options.iter().map(option).collect(),
    }
}

fn database() -> FormQuestion {
    let options = [("SQLite", "one file, no server"), ("PostgreSQL", "a server; several writers at once")];
    question("Database", "Which database should the orders live in?", false, &options)
}

fn logins() -> FormQuestion {
    let options = [("Password", ""), ("Passkey", "no password to steal"), ("Link by mail", "")];
    question("Login", "How may people log in?", true, &options)
}

fn one() -> FormDialog {
    dialog(vec![database()])
}

fn two() -> FormDialog {
    dialog(vec![database(), logins()])
}

fn dialog(questions: Vec<FormQuestion>) -> FormDialog {
    FormDialog::new(QuestionId("form-call-2".into()), Form { questions, is_offer: false })
}

fn filled(answers: &[(&[&str], &str)]) -> DialogStep {
    let answer = |(chosen, text): &(&[&str], &str)| FormAnswer {
        chosen: chosen.iter().map(|label| (*label).to_owned()).collect(),
        text: (*text).to_owned(),
    };
    let answers = answers.iter().map(answer).collect();
    DialogStep::Send(Command::FillForm { question: QuestionId("form-call-2".into()), answers })
}

/// It was a message.
fn written(text: &str) -> DialogStep {
    DialogStep::Written(text.to_owned())
}

#[test]
fn f6_one_question_is_one_page() {
    insta::assert_snapshot!(shown(&mut one(), 80, 20), @r"
    ── A question ──────────────────────────────────────────────────────────────────
    Which database should the orders live in?

      1. SQLite
         one file, no server
      2. PostgreSQL
         a server; several writers at once
      3. Other: your own answer
    1-3 or arrows select • Esc leave
    ");
    let page = [
        ("enter space enter", DialogStep::Stay),
        ("2", DialogStep::Stay),
        ("2 enter", filled(&[(&["PostgreSQL"], "")])),
        ("down space", filled(&[(&["SQLite"], "")])),
        ("3 enter 'MySQL' enter", filled(&[(&[], "MySQL")])),
        ("3 enter enter", DialogStep::Stay),
        ("2 n 'replicated' enter", filled(&[(&["PostgreSQL"], "replicated")])),
        ("2 n enter", filled(&[(&["PostgreSQL"], "")])),
        ("2 n 'with' esc 1 enter", filled(&[(&["SQLite"], "")])),
        ("n 'nothing'", written("n")),
        ("3 n 'other' enter", filled(&[(&[], "nother")])),
        ("2 space 'of' enter", written("2 ")),
        ("'use' enter", written("u")),
        ("esc enter", DialogStep::Stay),
        ("esc esc", DialogStep::Stay),
        ("esc 1 enter", filled(&[(&[], "")])),
        ("esc 2 enter", DialogStep::Send(Command::Interrupt)),
    ];
    for (keys, step) in page {
        assert_eq!(press(&mut one(), keys), step, "{keys}");
    }
}

#[test]
fn f6_several_questions_are_pages_and_the_last_one_shows_all_answers() {
    let mut dialog = two();
    insta::assert_snapshot!(shown(&mut dialog, 80, 20), @r"
    ── Questions ───────────────────────────────────────────────────────────────────
    ○ Database  ○ Login  ○ Review and send
    Which database should the orders live in?

      1. SQLite
         one file, no server
      2. PostgreSQL
         a server; several writers at once
      3. Other: your own answer
    1-3 or arrows select • Esc leave • Left Right other questions
    ");
    assert_eq!(press(&mut dialog, "1 enter"), DialogStep::Stay);
    assert_eq!(press(&mut dialog, "1 2 2 3"), DialogStep::Stay);
    insta::assert_snapshot!(shown(&mut dialog, 80, 20), @r"
    ── Questions ───────────────────────────────────────────────────────────────────
    ✔ Database  ✔ Login  ○ Review and send
    How may people log in?

      1. ☑ Password
      2. ☐ Passkey
           no password to steal
    ❯ 3. ☑ Link by mail
      4. ☐ Other: your own answer
    1-3 tick • Enter continues • Esc leave • Left Right other questions
    ");
    insta::assert_snapshot!(shown(&mut dialog, 40, 8), @r"
    ── Questions ───────────────────────────
    ✔ Database  ✔ Login  ○ Review and send
    How may people log in?
      1. ☑ Password
      2. ☐ Passkey
    ❯ 3. ☑ Link by mail
      4. ☐ Other: your own answer
    1-3 tick • Enter continues • Esc leave
    ");
    assert_eq!(press(&mut dialog, "4 enter 'SSO' enter enter"), DialogStep::Stay);
    insta::assert_snapshot!(shown(&mut dialog, 80, 20), @r"
    ── Questions ───────────────────────────────────────────────────────────────────
    ✔ Database  ✔ Login  ○ Review and send
    Which database should the orders live in?
    ✔ SQLite
    How may people log in?
    ✔ Password, Link by mail, SSO

    ❯ 1. Send the answers
      2. Go back
    Enter confirms • Left back • Esc leave
    ");
    insta::assert_snapshot!(shown(&mut dialog, 40, 12), @r"
    ── Questions ───────────────────────────
    ✔ Database  ✔ Login  ○ Review and send
    Which database should the orders live
    in?
    ✔ SQLite
    How may people log in?
    ✔ Password, Link by mail, SSO

    ❯ 1. Send the answers
      2. Go back
    Enter confirms • Left back • Esc leave
    ");
    let answers: &[(&[&str], &str)] = &[(&["SQLite"], ""), (&["Password", "Link by mail"], "SSO")];
    assert_eq!(press(&mut dialog, "enter"), filled(answers));
}

#[test]
fn what_is_not_answered_is_said_before_it_can_be_sent() {
    let mut dialog = two();
    press(&mut dialog, "2 enter tab");
    insta::assert_snapshot!(shown(&mut dialog, 80, 20), @r"
    ── Questions ───────────────────────────────────────────────────────────────────
    ✔ Database  ○ Login  ○ Review and send
    Which database should the orders live in?
    ✔ PostgreSQL
    How may people log in?
    ○ not answered

      1. Send, with some unanswered
    ❯ 2. Go back
    Enter confirms • Left back • Esc leave
    ");
    assert_eq!(press(&mut dialog, "enter"), DialogStep::Stay);
    assert!(shown(&mut dialog, 80, 20).contains("How may people log in?"));
    assert_eq!(press(&mut dialog, "right 1 enter"), filled(&[(&["PostgreSQL"], ""), (&[], "")]));
}

#[test]
fn an_answer_can_be_changed_and_a_free_one_takes_the_place_of_a_choice() {
    let mut dialog = two();
    press(&mut dialog, "1 enter left 3 enter 'flat' space 'files' enter left");
    insta::assert_snapshot!(shown(&mut dialog, 40, 14), @r"
    ── Questions ───────────────────────────
    ✔ Database  ○ Login  ○ Review and send
    Which database should the orders live
    in?

      1. SQLite
         one file, no server
      2. PostgreSQL
         a server; several writers at once
    ❯ 3. Other: flat files ✔
    Enter chooses • n adds words • Esc leave
    ");
    let answers: &[(&[&str], &str)] = &[(&[], "flat files"), (&["Passkey"], "")];
    assert_eq!(press(&mut dialog, "right 2 1 space enter enter"), filled(answers));
}

#[test]
fn a_digit_ticks_and_a_message_that_begins_with_one_ticks_nothing() {
    let mut dialog = dialog(vec![logins()]);
    assert_eq!(press(&mut dialog, "2 2 1"), DialogStep::Stay);
    assert_eq!(press(&mut dialog, "down down 3 'x'"), DialogStep::Written("3x".into()));
    assert_eq!(press(&mut dialog, "enter"), filled(&[(&["Password"], "")]));
}

#[test]
fn whoever_presses_the_number_of_the_own_answer_and_types_writes_it() {
    for keys in ["3 'use' space 'memcached' enter", "down down down 'use' space 'memcached' enter"] {
        assert_eq!(press(&mut one(), keys), filled(&[(&[], "use memcached")]), "{keys}");
    }
    // A number and a space begin a sentence.
    assert_eq!(press(&mut one(), "3 space 'x'"), DialogStep::Written("3 ".into()));
}

#[test]
fn words_that_were_added_stand_beside_what_the_answer_means() {
    let mut dialog = two();
    press(&mut dialog, "1 n 'on' space 'disk' enter left");
    let screen = shown(&mut dialog, 80, 20);
    assert!(screen.contains("1. SQLite ✔\n     one file, no server (you add: on disk)\n"), "{screen}");
}

#[test]
fn an_offer_of_the_program_has_no_words_of_ones_own_and_is_left_with_a_no() {
    let option = |label: &str| FormOption { label: label.into(), description: String::new() };
    let asked = FormQuestion {
        header: "Checks".into(),
        question: "Run the check that was not run?".into(),
        multi_select: false,
        options: vec![option("Run now"), option("Not now")],
    };
    let offer =
        || FormDialog::new(QuestionId("form-call-2".into()), Form { questions: vec![asked.clone()], is_offer: true });
    let screen = shown(&mut offer(), 80, 20);
    assert!(screen.contains("2. Not now") && !screen.contains("3."), "{screen}");
    assert_eq!(press(&mut offer(), "esc"), filled(&[(&[], "")]));
    assert_eq!(press(&mut offer(), "1 enter"), filled(&[(&["Run now"], "")]));
}

#[test]
fn leaving_asks_first() {
    let mut dialog = two();
    press(&mut dialog, "esc");
    insta::assert_snapshot!(shown(&mut dialog, 80, 20), @r"
    ── Questions ───────────────────────────────────────────────────────────────────
    ○ Database  ○ Login  ○ Review and send
    Which database should the orders live in?

    Leave the questions unanswered?
      1. Leave them unanswered
         the model continues by its own judgement
      2. Stop the turn
         to say something else first
    ❯ 3. Go back to the questions
    Enter confirms • Esc back
    ");
    assert_eq!(press(&mut dialog, "1 enter"), filled(&[(&[], ""), (&[], "")]));
}

#[test]
fn a_free_answer_is_written_on_the_page_of_its_question() {
    let mut dialog = one();
    press(&mut dialog, "3 enter");
    dialog.paste("a file\nper order");
    insta::assert_snapshot!(shown(&mut dialog, 40, 14), @r"
    ── A question ──────────────────────────
    Which database should the orders live
    in?

    Your own answer:
    a file
    per order▁
    Enter done • Ctrl+J new line • Esc back
    ");
    assert_eq!(press(&mut dialog, "enter"), filled(&[(&[], "a file\nper order")]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_keys_draw_inside_the_space_and_answer_what_was_asked(keys in any_keys(), spaces in any_spaces(), pages in 0usize..5) {
        let questions: Vec<FormQuestion> = [database(), logins(), logins(), database()].into_iter().take(pages).collect();
        for step in live(&mut dialog(questions.clone()), &keys, &spaces) {
            if let DialogStep::Send(Command::FillForm { answers, .. }) = step {
                prop_assert_eq!(answers.len(), questions.len());
                for (answer, question) in answers.iter().zip(&questions) {
                    prop_assert!(question.multi_select || answer.chosen.len() <= 1);
                }
            }
        }
    }

    #[test]
    fn any_words_of_a_model_are_drawn_inside_the_space(text in any::<String>(), keys in any_keys(), spaces in any_spaces()) {
        let odd = question(&text, &text, text.len() % 2 == 0, &[(&text, &text), ("b", &text)]);
        live(&mut dialog(vec![odd.clone(), odd]), &keys, &spaces);
    }
}
