//! Much of everything: what is kept stays bounded, and what is drawn does not depend on what has been.

use super::*;
use fore_store::entry::{Todo, TodoStatus};

/// A stream that is drawn all the time, as on a real screen.
#[test]
fn a_hundred_thousand_events_leave_a_small_screen() {
    let mut desk = TestApp::working();
    let mut printed = 0;
    for number in 0..100_000u32 {
        let event = match number % 50 {
            0 => call(&format!("call-{number}"), "make"),
            49 => done(&format!("call-{}", number - 49), ShownCall::text("run in .", "ok\n")),
            25 => Event::Notice { level: fore_agent::NoticeLevel::Info, text: "note".into() },
            step if step % 2 == 0 => {
                Event::ToolOutput { call: CallId(format!("call-{}", number - step)), text: "line\n".into() }
            }
            _ => text("word "),
        };
        desk.app.event(&event, desk.now);
        if number % 100 == 0 {
            printed += desk.app.take_printed(80).len();
            assert!(desk.app.view(80, 24).lines.len() <= 24);
        }
    }
    assert!(printed > 2_000, "{printed}");
    assert!(desk.app.tail(80, Tail { rows: 24, counted_at: 80 }).len() <= 24);
}

#[test]
fn two_hundred_thousand_lines_of_output_are_one_line_on_the_screen() {
    let mut desk = TestApp::working();
    desk.event(call("call-1", "yes"));
    for _ in 0..200 {
        let text = "y\n".repeat(1_000);
        desk.app.event(&Event::ToolOutput { call: CallId("call-1".into()), text }, desk.now);
    }
    let screen = desk.screen(80, 24);
    assert!(screen.contains("200000 lines") && screen.lines().count() < 10, "{screen}");
    desk.event(done("call-1", ShownCall::text("run in .", "y\n".repeat(200_000))));
    assert!(desk.app.take_printed(80).len() < 30);
    assert!(desk.app.tail(80, Tail { rows: 24, counted_at: 80 }).len() <= 24);
    desk.keys("ctrl+o o");
    assert_eq!(desk.app.full_screen(80, 24).map(|view| view.lines.len()), Some(24));
}

#[test]
fn a_reply_of_a_megabyte_is_printed_as_it_comes() {
    let mut desk = TestApp::working();
    let line = "Some words of a long reply, with `code` and **more**.\n\n";
    let mut sent = 0;
    while sent < 1 << 20 {
        desk.app.event(&text(line), desk.now);
        sent += line.len();
        if sent % 4_096 < line.len() {
            desk.app.take_printed(80);
            desk.app.view(80, 24);
        }
    }
    assert_eq!(desk.app.tail(60, Tail { rows: 24, counted_at: 60 }).len(), 24);
    // One word without an end.
    for _ in 0..256 {
        desk.app.event(&text(&"x".repeat(4_096)), desk.now);
        desk.app.take_printed(80);
        assert!(desk.app.view(80, 24).lines.len() <= 24);
    }
}

#[test]
fn of_ten_thousand_blocks_only_the_end_is_laid_out_anew() {
    let mut desk = TestApp::working();
    for number in 0..10_000 {
        desk.app.event(&Event::PromptTaken { text: format!("prompt {number}") }, desk.now);
    }
    assert_eq!(desk.app.take_printed(80).iter().filter(|line| line.width() > 0).count(), 10_000 + 6);
    assert_eq!(desk.app.tail(40, Tail { rows: 24, counted_at: 40 }).len(), 24);
}

#[test]
fn a_hundred_prompts_wait_in_a_few_lines() {
    let mut desk = TestApp::working();
    for number in 0..300 {
        desk.event(Event::PromptQueued { text: format!("prompt {number}\nwith a second line"), waiting: number });
    }
    let screen = desk.screen(80, 24);
    assert!(screen.contains("97 more prompts"), "{screen}");
    for number in 0..300 {
        desk.event(Event::PromptTaken { text: format!("prompt {number}\nwith a second line") });
    }
    assert!(!desk.screen(80, 24).contains("waits"), "{}", desk.screen(80, 24));
}

#[test]
fn large_questions_and_lists_keep_to_their_space() {
    let long = "many words in an option ".repeat(400);
    let option = |_| FormOption { label: long.clone(), description: long.clone() };
    let asked = FormQuestion {
        header: long.clone(),
        question: long.clone(),
        multi_select: true,
        options: (0..4).map(option).collect(),
    };
    let form = Form { questions: vec![asked; 4], is_offer: false };
    let mut desk = TestApp::working();
    desk.event(Event::FormAsked { question: question("q1"), form });
    for (width, height) in [(120, 40), (40, 12), (20, 5)] {
        let view = desk.app.view(width, height);
        crate::dialogs::test_support::assert_inside(&view, Space { width, height, theme: THEME });
    }
    let screen = desk.screen(80, 24);
    assert!(screen.contains("1. "), "{screen}");
    let mut desk = TestApp::working();
    let items = (0..1_000).map(|_| Todo { text: long.clone(), status: TodoStatus::Pending }).collect();
    desk.event(Event::Todos { items });
    assert!(desk.screen(80, 24).lines().count() <= 24);
    for number in 0..200 {
        desk.event(super::asked(&format!("q{number}"), &"x".repeat(1_000)));
    }
    assert!(desk.status().ends_with("199 more questions wait"), "{}", desk.status());
}

#[test]
fn a_line_of_a_megabyte_costs_a_frame_no_more_than_a_short_one() {
    let words = "x".repeat(1 << 20);
    let all = [
        Event::PromptQueued { text: words.clone(), waiting: 1 },
        call("call-1", &words),
        Event::ToolOutput { call: CallId("call-1".into()), text: words.clone() },
        Event::Reasoning { agent: None, model: model(), delta: words.clone() },
        super::asked("q1", &words),
    ];
    for event in all {
        let mut desk = TestApp::working();
        desk.event(event);
        for _ in 0..100 {
            assert!(desk.app.view(80, 24).lines.len() <= 24);
        }
    }
}
