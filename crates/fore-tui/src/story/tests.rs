//! Pages of events and what a person sees of them.

mod ends;
mod events;
mod exported;
mod pages;
mod stopped;

use super::{BlockFold, Story, StoryBlock};
use crate::{
    paint::line_columns,
    theme::{Background, Colours, Sign, Signs, TextRole, Theme},
    view::{Space, Tail},
};
use events::*;
use fore_agent::{ApprovalOutcome, CallOutcome, Command, Event, NoticeLevel, ShownCall, TurnOutcome};
use fore_plan::{
    Actor, Cage, Level, Mode, ModeChanger, ModeEvent, ModeReason, Outside,
    approval::{Comment, ExitResponse, Receipt},
};
use fore_store::entry::TodoStatus;
use ratatui::text::Line;

const UNICODE: Theme = Theme { colours: Colours::Full, background: Background::Dark, signs: Signs::Unicode };
const PLAIN: Theme = Theme { colours: Colours::Nothing, background: Background::Dark, signs: Signs::Ascii };

fn text(lines: &[Line<'_>], width: u16) -> String {
    for line in lines {
        assert!(line_columns(line) <= usize::from(width), "{line:?} is wider than {width}");
    }
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn told(events: &[Event]) -> Story {
    let mut story = Story::new();
    events.iter().for_each(|event| story.event(event));
    story
}

/// What is printed of these events.
fn page(events: &[Event], width: u16, theme: &Theme) -> String {
    let mut story = told(events);
    let lines = story.take_printed(width, theme);
    assert_eq!(story.take_printed(width, theme), [], "everything is printed once");
    text(&lines, width)
}

fn live(story: &Story, width: u16, height: u16, theme: &Theme) -> String {
    let lines = story.live(Space { width, height, theme: *theme }, 0);
    assert!(lines.len() <= usize::from(height));
    text(&lines, width)
}

#[test]
fn streaming_text_is_printed_block_by_block_and_ends_like_the_whole() {
    let mut story = told(&[Event::TurnStarted, words("I will look.\n\nThen I ")]);
    assert_eq!(text(&story.take_printed(40, &UNICODE), 40), "● I will look.");
    assert_eq!(live(&story, 40, 10, &UNICODE), "\n  Then I\n\n⠋ writing · 5 tokens");
    story.event(&words("write.\n- one\n- two"));
    assert_eq!(text(&story.take_printed(40, &UNICODE), 40), "\n  Then I write.");
    assert_eq!(live(&story, 40, 10, &UNICODE), "  • one\n  • two\n\n⠋ writing · 9 tokens");
    story.event(&said("I will look.\n\nThen I write.\n- one\n- two"));
    assert_eq!(text(&story.take_printed(40, &UNICODE), 40), "  • one\n  • two");
    assert_eq!(live(&story, 40, 10, &UNICODE), "\n⠋ waiting for the model");
    let whole = told(&[said("I will look.\n\nThen I write.\n- one\n- two")]).take_printed(40, &UNICODE);
    assert_eq!(text(&whole, 40), "● I will look.\n\n  Then I write.\n  • one\n  • two");
    assert_eq!(story.tail(Tail { rows: 10, counted_at: 40 }, 40, &UNICODE), whole);
}

#[test]
fn the_tail_is_the_end_of_what_was_printed() {
    let mut story = told(&[said("one\n\ntwo"), taken("three"), words("four\n\nfi")]);
    let printed = story.take_printed(40, &PLAIN);
    assert_eq!(text(&printed, 40), "* one\n\n  two\n\n> three\n\n* four");
    assert_eq!(story.tail(Tail { rows: 100, counted_at: 40 }, 40, &PLAIN), printed);
    assert_eq!(text(&story.tail(Tail { rows: 3, counted_at: 40 }, 40, &PLAIN), 40), "> three\n\n* four");
    // The same three rows in a window that is narrower now.
    assert_eq!(text(&story.tail(Tail { rows: 3, counted_at: 40 }, 5, &PLAIN), 5), "> thr\n  ee\n\n* fou\n  r");
    assert_eq!(live(&story, 40, 10, &PLAIN), "\n  fi");
}

#[test]
fn what_happens_beside_a_speech_is_printed_at_once_and_does_not_break_it() {
    let change = ModeEvent {
        from: Mode::At(Level::Default),
        to: Mode::Plan,
        by: ModeChanger::Actor(Actor::Person),
        why: ModeReason::Chosen,
    };
    let mut story = told(&[words("Look:\n```\nfirst\n"), Event::ModeChanged(change), words("# second\n```\n")]);
    story.event(&started("1", "!", "ls", None));
    story.event(&words("Done."));
    story.event(&finished("1", "!", CallOutcome::Done, ShownCall::line("exit 0")));
    story.event(&said("whatever"));
    let printed =
        "|| plan mode on\n\n> ! ls\n  ` your own command - exit 0\n\n* Look:\n\n    first\n    # second\n\n  Done.";
    assert_eq!(text(&story.take_printed(60, &PLAIN), 60), printed);
    let mut story = told(&[words("Look:\n```\nfirst\n")]);
    assert_eq!(text(&story.take_printed(60, &PLAIN), 60), "* Look:\n\n    first");
    story.note(StoryBlock::Page { title: "Help".into(), text: "keys".into() });
    story.event(&words("# second\n```\nThe end"));
    assert_eq!(text(&story.take_printed(60, &PLAIN), 60), "\n  Help\n\n  keys\n\n*   # second");
    assert_eq!(live(&story, 60, 9, &PLAIN), "\n  The end");
}

#[test]
fn what_interrupts_a_speech_is_printed_after_it() {
    let story = [words("Half a "), notice(NoticeLevel::Warning, "asking again"), words("whole."), said("whole.")];
    assert_eq!(page(&story, 40, &PLAIN), "* Half a\n\n! asking again\n\n* whole.");
}

#[test]
fn d9_comments_come_with_the_decision_and_an_edit_from_what_the_person_sent() {
    let mut story = told(&[asked("# Plan\n\n1. Add an index\n")]);
    let comments =
        vec![Comment { first_line: 3, last_line: 3, quote: "1. Add an index".into(), remark: "Which column?".into() }];
    story.sent(&Command::Approval(response("keepPlanning", comments.clone(), None)));
    story.event(&Event::Decided(ApprovalOutcome::KeepPlanning { reason: "Too vague".into(), comments }));
    insta::assert_snapshot!(text(&story.take_printed(60, &UNICODE), 60), @"
    ● Plan rejected, planning continues
      Too vague
      ▌ line 3: 1. Add an index
        Which column?
      │ Plan
      │
      │ 1. Add an index
    ");
    story.event(&asked("# Plan\n\nold"));
    story.sent(&Command::Approval(response("acceptEdits", Vec::new(), Some("# Plan\n\nmine".into()))));
    story.event(&Event::Decided(ApprovalOutcome::Approved {
        receipt: receipt(Level::AcceptEdits),
        notice: None,
        moved: None,
        comments: Vec::new(),
    }));
    let approved =
        "\n● Plan approved · accept edits on · for this plan · revision\n  2 · c3964bb3b70a · edited by you\n";
    let plan = "  │ Plan\n  │\n  │ mine";
    assert_eq!(text(&story.take_printed(60, &UNICODE), 60), format!("{approved}{plan}"));
    story.event(&asked("# Plan\n\n1. Index\n2. Deploy\n"));
    story.sent(&Command::Approval(ExitResponse { steps: Some(vec![1]), ..response("acceptEdits", Vec::new(), None) }));
    let receipt = Receipt { steps: vec!["1: Index".into()], ..receipt(Level::AcceptEdits) };
    let approved = ApprovalOutcome::Approved { receipt, notice: None, moved: None, comments: Vec::new() };
    story.event(&Event::Decided(approved));
    let page = text(&story.take_printed(60, &UNICODE), 60);
    assert!(page.contains("only 1 step") && !page.contains("2. Deploy") && page.contains("• Deploy"), "{page}");
}

#[test]
fn d9_a_saved_plan_says_how_to_go_on() {
    let saved = ApprovalOutcome::Saved { path: "/home/ada/plans/faster-login.md".into() };
    insta::assert_snapshot!(page(&[asked("# Plan\n"), Event::Decided(saved.clone())], 80, &UNICODE), @r"
    ● Plan saved, nothing started · /home/ada/plans/faster-login.md
      │ Plan
      Your next prompt continues planning. To carry out exactly this text: fore
      apply faster-login --hash
      c3964bb3b70a957ec9b233c7dd3653f6ba17701ab00facf88ae1393dc6155577
    ");
    assert_eq!(
        page(&[Event::Decided(saved)], 80, &PLAIN),
        "* Plan saved, nothing started - /home/ada/plans/faster-login.md\n  Your next prompt continues planning."
    );
}

#[test]
fn who_carries_out_a_plan_of_the_scout_is_told_to_name_a_model() {
    let model = fore_model::ModelName::new("scout", "scout");
    let said = Event::Said { agent: None, model, text: "Ready.".into(), continues: false };
    let saved = ApprovalOutcome::Saved { path: "/home/ada/plans/faster-login.md".into() };
    let page = page(&[said, asked("# Plan\n"), Event::Decided(saved)], 120, &UNICODE);
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let hash = "c3964bb3b70a957ec9b233c7dd3653f6ba17701ab00facf88ae1393dc6155577";
    let next = format!("this text, with a language model: fore apply faster-login --hash {hash} --model NAME");
    assert!(page.contains(&next), "{page}");
}

#[test]
fn d9_a_plan_stands_behind_a_bar_in_the_colour_of_plan_mode() {
    let mut story = told(&[asked("# Plan\n\ntext"), Event::Decided(ApprovalOutcome::Discarded)]);
    let lines = story.take_printed(60, &UNICODE);
    let plan = UNICODE.style(TextRole::Mode(Mode::Plan));
    assert_eq!(lines[0].spans[0].content, UNICODE.sign(Sign::Bullet));
    assert_eq!(lines[0].spans[0].style, plan);
    for line in &lines[1..] {
        assert!(line.spans[1].content.starts_with(UNICODE.sign(Sign::Bar)), "{line:?}");
        assert_eq!(line.spans[1].style, plan);
    }
}

#[test]
fn a_plan_is_forgotten_with_its_decision_and_not_by_an_answer_that_does_not_count() {
    let mut story = told(&[asked("# Plan\n"), Event::Decided(ApprovalOutcome::NotCounted { why: "stale".into() })]);
    story.event(&Event::Decided(ApprovalOutcome::KeepPlanning { reason: String::new(), comments: Vec::new() }));
    story.event(&Event::Decided(ApprovalOutcome::KeepPlanning { reason: String::new(), comments: Vec::new() }));
    let printed = text(&story.take_printed(60, &PLAIN), 60);
    let expected = "* The answer did not count - stale\n\n* Plan not approved, planning continues\n  | Plan\n\n* Plan not approved, planning continues";
    assert_eq!(printed, expected);
}

#[test]
fn g7_a_refusal_says_mode_reason_way_out_and_rule_in_full() {
    let events =
        [started("1", "Bash", "rm -r build", None), finished("1", "Bash", refused(), ShownCall::line("refused"))];
    insta::assert_snapshot!(page(&events, 40, &UNICODE), @"
    ● Bash rm -r build
      └ Refused in plan mode: `rm` deletes
        files.
        Put this step in the plan.
    ");
    let line = &told(&events).take_printed(80, &UNICODE)[1];
    assert_eq!(line.spans[3].style, UNICODE.style(TextRole::Warning), "{line:?}");
}

#[test]
fn queued_and_steering_prompts_wait_in_the_live_area_and_are_marked_when_heard() {
    let mut story = told(&[Event::TurnStarted, queued("then the tests")]);
    story.sent(&Command::Prompt { text: "use the index".into(), when: fore_agent::PromptTiming::Steer });
    story.event(&queued("use the index"));
    assert_eq!(
        live(&story, 40, 10, &PLAIN),
        "| waiting for the model\n\n> queued: then the tests\n> sending after this step: use the index"
    );
    story.event(&taken("use the index"));
    story.event(&Event::TurnEnded { outcome: TurnOutcome::Done });
    story.event(&taken("then the tests"));
    assert_eq!(
        text(&story.take_printed(40, &PLAIN), 40),
        "> use the index\n  joined the running turn\n\n> then the tests\n  (queued)"
    );
    assert_eq!(live(&story, 40, 10, &PLAIN), "");
}

#[test]
fn the_todo_list_is_live_and_printed_once_at_the_end_of_the_turn() {
    let list = [todo("look", TodoStatus::Done), todo("act", TodoStatus::InProgress), todo("test", TodoStatus::Pending)];
    let mut story = told(&[
        Event::TurnStarted,
        started("1", "TodoWrite", "3 items", None),
        Event::Todos { items: list.to_vec() },
        finished("1", "TodoWrite", CallOutcome::Done, ShownCall::line("1 of 3 done; now: act")),
    ]);
    assert_eq!(story.take_printed(40, &UNICODE), []);
    assert_eq!(live(&story, 40, 10, &UNICODE), "⠋ waiting for the model\n\n  ✔ look\n  ❯ act\n  ○ test");
    story.event(&Event::TurnEnded { outcome: TurnOutcome::Done });
    let printed = "● Todo list · 1 of 3 done\n  ✔ look\n  ❯ act\n  ○ test";
    assert_eq!(text(&story.take_printed(40, &UNICODE), 40), printed);
    story.event(&Event::TurnStarted);
    story.event(&Event::TurnEnded { outcome: TurnOutcome::Done });
    assert_eq!(story.take_printed(40, &UNICODE), []);
}

#[test]
fn what_a_subagent_does_is_one_line_and_one_block() {
    let mut story = told(&[
        Event::TurnStarted,
        started("call-7", "Agent", "find the login", None),
        agent_started("a7", "Explore", "find the login"),
        Event::Text { agent: Some(agent_id("a7")), model: model(), delta: "secret".into() },
        agent_call("a7", "call-8", "Grep", "login"),
        agent_refused("a7", "call-8", "Grep"),
        Event::AgentProgress { agent: agent_id("a7"), calls: 2, line: "Read src/login.rs".into() },
    ]);
    assert_eq!(story.take_printed(60, &UNICODE), []);
    assert_eq!(live(&story, 60, 10, &UNICODE), "⠋ Explore find the login · 2 calls\n  └ Read src/login.rs");
    story.event(&Event::AgentFinished {
        agent: agent_id("a7"),
        outcome: CallOutcome::Done,
        calls: 3,
        tokens: 9,
        refused: 0,
    });
    story.event(&finished(
        "call-7",
        "Agent",
        CallOutcome::Done,
        ShownCall::text("3 calls", "It is in `src/login.rs`."),
    ));
    assert_eq!(
        text(&story.take_printed(60, &UNICODE), 60),
        "● Explore find the login\n  └ done · 3 calls, 1 refused\n    It is in `src/login.rs`."
    );
    assert_eq!(live(&story, 60, 10, &UNICODE), "\n⠋ waiting for the model");
}

#[test]
fn the_live_area_keeps_to_its_height_and_shows_the_newest_words() {
    let long = (1..60).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n");
    let mut story = told(&[Event::TurnStarted, words(&long)]);
    story.take_printed(40, &PLAIN);
    assert_eq!(live(&story, 40, 3, &PLAIN), "  line 59\n\n| writing - 115 tokens");
    assert_eq!(live(&story, 40, 5, &PLAIN), "  line 57\n  line 58\n  line 59\n\n| writing - 115 tokens");
    let calls: Vec<Event> = (0..9).map(|number| started(&number.to_string(), "Bash", "sleep", None)).collect();
    calls.iter().for_each(|event| story.event(event));
    story.event(&Event::ToolOutput { call: call_id("0"), text: "\u{1b}[31m10%\r20%\nthe \u{1b}[0mlast".into() });
    let expected =
        "| Bash sleep\n  ` the last\n| Bash sleep\n| Bash sleep\n| Bash sleep\n| Bash sleep\n  ... and 4 more calls";
    assert_eq!(live(&story, 40, 20, &PLAIN), expected);
    assert_eq!(live(&story, 40, 2, &PLAIN), "| Bash sleep\n  ` the last");
    assert_eq!(live(&story, 40, 0, &PLAIN), "");
}

#[test]
fn old_blocks_are_dropped_and_new_ones_stay() {
    let mut story = Story::new();
    let large = "x".repeat(1 << 20);
    (0..40).for_each(|_| story.note(StoryBlock::Notice { level: NoticeLevel::Info, text: large.clone() }));
    story.note(StoryBlock::Notice { level: NoticeLevel::Info, text: "newest".into() });
    assert!(story.blocks().count() < 20);
    assert_eq!(
        story.blocks().next_back(),
        Some(&StoryBlock::Notice { level: NoticeLevel::Info, text: "newest".into() })
    );
}

#[test]
fn everything_that_runs_when_a_turn_ends_is_told_but_for_the_persons_own_commands() {
    let mut story = told(&[
        Event::TurnStarted,
        started("1", "Bash", "make", Some(Cage::Workspace { outside: Outside::Closed })),
        started("2", "!", "top", Some(Cage::Free)),
        Event::TurnEnded { outcome: TurnOutcome::Interrupted },
    ]);
    let printed = "* Bash make\n  ` interrupted\n\n! Interrupted. What should I do instead?";
    assert_eq!(text(&story.take_printed(60, &PLAIN), 60), printed);
    assert_eq!(live(&story, 60, 10, &PLAIN), "\n| ! top");
}

#[test]
fn folded_is_one_line_or_says_how_much_is_left_and_open_shows_everything() {
    let output = (1..=30).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n");
    let well = finished("1", "Bash", CallOutcome::Done, ShownCall::text("exit 0", output.clone()));
    let badly = finished("2", "Bash", CallOutcome::Failed, ShownCall::text("exit 1", output));
    let story = told(&[
        started("1", "Bash", "seq 30", None),
        well,
        started("2", "Bash", "seq 30", None),
        badly,
        reasoning("a\nb\nc"),
        said("x"),
    ]);
    let lines = |fold| -> Vec<usize> { story.blocks().map(|block| block.lines(fold, 40, &UNICODE).len()).collect() };
    assert_eq!(lines(BlockFold::Folded), [1, 9, 1, 1]);
    assert_eq!(lines(BlockFold::Open), [32, 32, 3, 1]);
}

#[test]
fn while_planning_the_plan_is_one_line_and_an_edit_in_the_project_is_still_shown() {
    let diff = "@@ -1 +1 @@\n-old\n+new\n";
    let edit = |call: &str, path: &str| {
        let shown = ShownCall::diff(format!("{path}: +1 -1"), path, diff);
        [started(call, "Edit", path, None), finished(call, "Edit", CallOutcome::Done, shown)]
    };
    let lines = |mode: Mode, path: &str| {
        let change = ModeEvent { from: mode, to: mode, by: ModeChanger::Actor(Actor::Person), why: ModeReason::Chosen };
        let [begun, ended] = edit("1", path);
        let story = told(&[Event::ModeChanged(change), begun, ended]);
        story.blocks().last().map(|block| block.lines(BlockFold::Folded, 60, &PLAIN).len())
    };
    let plan = "/home/ada/.forethought/plans/brave-quiet-fox.md";
    assert_eq!(lines(Mode::Plan, plan), Some(1));
    assert_eq!(lines(Mode::Plan, "src/login.rs"), Some(4));
    assert_eq!(lines(Mode::At(Level::Default), plan), Some(4));
}

#[test]
fn calls_side_by_side_are_printed_in_the_order_the_model_made_them() {
    let mut story = told(&[Event::TurnStarted, abreast(&["1", "2", "3"])]);
    // The second begins and ends before the first.
    story.event(&started("2", "Grep", "\"users\" in src", None));
    story.event(&finished("2", "Grep", CallOutcome::Done, ShownCall::line("2 files")));
    story.event(&started("1", "Read", "src/login.rs", None));
    story.event(&started("3", "Bash", "git log", None));
    assert_eq!(story.take_printed(60, &PLAIN), []);
    assert_eq!(live(&story, 60, 9, &PLAIN), "| Read src/login.rs\n* Grep \"users\" in src - 2 files\n| Bash git log");
    story.event(&finished("1", "Read", CallOutcome::Done, ShownCall::line("3 lines")));
    let printed = text(&story.take_printed(60, &PLAIN), 60);
    assert_eq!(printed, "* Read src/login.rs - 3 lines\n* Grep \"users\" in src - 2 files");
    assert_eq!(live(&story, 60, 9, &PLAIN), "| Bash git log");
    story.event(&finished("3", "Bash", CallOutcome::Done, ShownCall::line("ok")));
    assert_eq!(text(&story.take_printed(60, &PLAIN), 60), "* Bash git log - ok");
}

#[test]
fn nothing_of_calls_side_by_side_is_lost_when_the_turn_ends() {
    let begun = [
        abreast(&["1", "2", "3"]),
        started("1", "Bash", "git log", None),
        started("3", "Read", "src/login.rs", None),
        finished("3", "Read", CallOutcome::Done, ShownCall::line("3 lines")),
    ];
    let printed = "* Bash git log\n  ` interrupted\n* Read src/login.rs - 3 lines";
    for last in [Event::TurnEnded { outcome: TurnOutcome::Done }, Event::Closed] {
        let events: Vec<_> = begun.iter().cloned().chain([last]).collect();
        assert_eq!(page(&events, 60, &PLAIN), printed);
    }
    // The model speaks again, or makes other calls: whatever did not end is not waited for.
    for next in [said("So."), abreast(&["4", "5"])] {
        let events: Vec<_> = begun.iter().cloned().chain([next]).collect();
        assert!(page(&events, 60, &PLAIN).starts_with("* Read src/login.rs - 3 lines"));
    }
    // The person's own commands wait for nobody.
    let own = [
        abreast(&["1", "2"]),
        started("3", "!", "ls", None),
        finished("3", "!", CallOutcome::Done, ShownCall::line("ok")),
    ];
    assert_eq!(page(&own, 60, &PLAIN), "> ! ls\n  ` your own command - ok");
}

#[test]
fn of_many_calls_side_by_side_the_live_area_lists_those_that_run() {
    let ids: Vec<_> = (1..=9).map(|number| number.to_string()).collect();
    let mut story = told(&[abreast(&ids.iter().map(String::as_str).collect::<Vec<_>>())]);
    for id in &ids {
        story.event(&started(id, "Read", &format!("{id}.rs"), None));
    }
    for id in ["2", "3", "4", "5", "6"] {
        story.event(&finished(id, "Read", CallOutcome::Done, ShownCall::line("3 lines")));
    }
    assert_eq!(live(&story, 60, 9, &PLAIN), "| Read 1.rs\n| Read 7.rs\n| Read 8.rs\n| Read 9.rs");
}
