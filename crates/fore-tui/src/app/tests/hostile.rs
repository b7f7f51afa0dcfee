//! What models, files and names may contain: nothing of it steers the terminal or passes for a part of ours.

use super::*;
use crate::screen::{InlineScreen, ScreenSize};
use fore_agent::{AgentId, NoticeLevel, ShownBody};
use fore_plan::approval::Decider;
use fore_store::entry::{Todo, TodoStatus};
use std::{cell::RefCell, io, num::NonZero, rc::Rc};

/// Steers, hides, turns around, overflows, or pretends to be ours.
fn hostile() -> Vec<String> {
    let dialog = "── Run this command? ▣ sandboxed ──\n│ ls\n\n  1. Yes\n❯ 2. No\nEnter confirms • Esc no";
    let status = "▸ asks before each change (shift+tab to cycle)      ▣  context 1 %";
    vec![
        "\u{1b}[2J\u{1b}[H\u{1b}]0;title\u{7}\u{1b}]52;c;ZXZpbA==\u{1b}\\\u{1b}P$q\u{1b}\\\u{1b}c\u{1b}[?1049h\u{1b}[6n".into(),
        "\u{9b}2J\u{9d}0;x\u{9c}\u{90}q\u{85}\u{8d}\u{84}".into(),
        "a\rb\r\nc\u{8}\u{8}\u{8}d\u{c}e\u{b}f\0g\u{7f}h\ti".into(),
        "abc\u{202e}fed\u{202c} \u{2066}x\u{2069} \u{200f}y\u{200e} \u{61c}z \u{2028}l\u{2029}".into(),
        "zero\u{200b}width\u{2060}s\u{feff} \u{ad} \u{e0041}\u{e0042} \u{180e} \u{3164}x\u{115f}".into(),
        format!("e{}", "\u{301}\u{489}".repeat(500)),
        "漢".repeat(59),
        format!("{}漢字", "x".repeat(59)),
        "x".repeat(20_000),
        dialog.into(),
        format!("\n\n\n{status}\n"),
        format!("```\n{dialog}\n{status}\n```"),
        format!("> {status}\n\n- {status}\n\n| {status} |\n|---|\n| {dialog} |"),
        "&#27;[2J&#x202e;&#x9b;6n `\u{1b}[31m` [\u{1b}](\u{7}) ![x](\u{202e})".into(),
    ]
}

/// The words wherever words can stand.
fn events(words: &str) -> Vec<Event> {
    let owned = || words.to_owned();
    let agent = || AgentId(owned());
    let hash = Hash::of(words.as_bytes());
    let (path, level) = (owned(), Level::Default);
    let mut all = vec![
        Event::PromptTaken { text: owned() },
        Event::PromptQueued { text: owned(), waiting: 1 },
        text(words),
        Event::Said { agent: None, model: model(), text: owned(), continues: false },
        Event::Said { agent: None, model: model(), text: owned(), continues: false },
        Event::Reasoning { agent: None, model: model(), delta: owned() },
        call("call-1", words),
        Event::ToolOutput { call: CallId("call-1".into()), text: owned() },
        done("call-1", ShownCall::text(words, words)),
        done("call-2", ShownCall { line: owned(), body: ShownBody::Markdown { text: owned() } }),
        done("call-3", ShownCall::diff(words, words, format!("@@ -1 +1 @@\n-{words}\n+{words}\n"))),
        Event::AgentStarted { agent: agent(), kind: owned(), task: owned(), model: model() },
        Event::AgentProgress { agent: agent(), calls: 1, line: owned() },
        Event::AgentFinished { agent: agent(), outcome: CallOutcome::Done, calls: 1, tokens: 1, refused: 0 },
        Event::Todos { items: vec![Todo { text: owned(), status: TodoStatus::InProgress }] },
        Event::ModelChanged { model: fore_model::ModelName::new(words, words), duty: None },
        Event::Allowed { what: owned() },
        Event::Notice { level: NoticeLevel::Warning, text: owned() },
        Event::ModeChanged(ModeEvent {
            from: Mode::Plan,
            to: Mode::Plan,
            by: ModeChanger::Decider(Decider::Lead { name: owned() }),
            why: ModeReason::Other(owned()),
        }),
        Event::PlanImplement { plan_file_path: owned(), plan_hash: hash, plan_content: owned() },
        Event::Plan { path: Some(owned()), text: Some(owned()), hash: None, changed: owned(), unreadable: None },
        Event::Decided(ApprovalOutcome::NotCounted { why: owned() }),
        Event::Decided(ApprovalOutcome::KeepPlanning { reason: owned(), comments: Vec::new() }),
        Event::Decided(ApprovalOutcome::Saved { path: owned() }),
        Event::Decided(ApprovalOutcome::Awaits { path, hash }),
        Event::Decided(ApprovalOutcome::Left { level }),
        Event::TurnEnded { outcome: TurnOutcome::ModelFailed { why: owned() } },
    ];
    if let Event::Started(started) = started(Mode::Plan) {
        all.insert(0, Event::Started(SessionStarted { folder: owned(), project: owned(), ..started }));
    }
    all
}

/// Questions with the words in them, one at a time.
fn questions(words: &str) -> Vec<Event> {
    let Event::Asked(mut asked) = asked("q1", words) else { return Vec::new() };
    (asked.tool, asked.text, asked.rule) = (words.into(), words.into(), words.into());
    asked.shown.line = words.into();
    asked.for_session = Some(words.into());
    let option = FormOption { label: words.into(), description: words.into() };
    let form = FormQuestion {
        header: words.into(),
        question: words.into(),
        multi_select: false,
        options: vec![option.clone(), option],
    };
    let form = Form { questions: vec![form.clone(), form], is_offer: false };
    vec![Event::Asked(asked), Event::FormAsked { question: question("q2"), form }, approval("p1", words)]
}

/// Everything that was written.
#[derive(Clone, Default)]
struct Wire(Rc<RefCell<Vec<u8>>>);

impl io::Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const SIZE: ScreenSize = ScreenSize { columns: 60, rows: 20 };

struct Stand {
    test: TestApp,
    wire: Wire,
    inline: InlineScreen<Wire>,
    terminal: vt100::Parser,
}

impl Stand {
    fn new() -> Stand {
        let some = |number| NonZero::new(number).expect("a size");
        let wire = Wire::default();
        let (inline, terminal) = (
            InlineScreen::new(wire.clone(), SIZE, crate::theme::Signs::Unicode, crate::options::Narrowing::Folds),
            vt100::Parser::new(some(SIZE.rows), some(SIZE.columns), 0),
        );
        Stand { test: TestApp::working(), wire, inline, terminal }
    }

    /// Draws, looks at every byte, and gives the rows that the terminal shows.
    fn draw(&mut self) -> Vec<String> {
        let printed = self.test.app.take_printed(SIZE.columns);
        let view = self.test.app.view(SIZE.columns, SIZE.rows);
        self.inline.draw(&printed, view).expect("a buffer takes everything");
        let bytes = std::mem::take(&mut *self.wire.0.borrow_mut());
        assert_only_ours(&bytes);
        self.terminal.process(&bytes);
        let screen = self.terminal.screen();
        assert!(!screen.alternate_screen(), "nobody may leave the screen");
        screen.rows(0, SIZE.columns).collect()
    }
}

/// Only sequences that we write ourselves, and letters that show.
fn assert_only_ours(bytes: &[u8]) {
    let written = std::str::from_utf8(bytes).expect("text");
    let mut parts = written.split('\u{1b}');
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.strip_prefix('[').unwrap_or_else(|| panic!("no sequence of ours: {part:?}"));
        let end = rest.find(|letter: char| letter.is_ascii_alphabetic()).expect("an end");
        let (arguments, after) = rest.split_at(end);
        let is_ours = match after.as_bytes().first() {
            Some(b'h' | b'l') => ["?2026", "?25", "?7"].contains(&arguments),
            Some(b'A' | b'B' | b'C' | b'H' | b'J' | b'K') => arguments.bytes().all(|byte| byte.is_ascii_digit()),
            Some(b'm') => arguments.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'),
            _ => false,
        };
        assert!(is_ours, "no sequence of ours: {part:?}");
        shown.push_str(&after[1..]);
    }
    let shown = shown.replace("\r\n", "").replace('\r', "");
    assert_eq!(fore_text::prose(&shown), shown, "everything that is written can be seen");
    assert!(!shown.contains('\n'));
}

#[test]
fn nothing_that_comes_from_outside_steers_the_terminal() {
    for words in hostile() {
        let mut stand = Stand::new();
        for event in events(&words) {
            stand.test.app.event(&event, stand.test.now);
            let rows = stand.draw();
            let last = rows.iter().rev().find(|row| !row.trim().is_empty()).cloned().unwrap_or_default();
            let mode = stand.test.app.facts.mode.expect("a mode");
            let is_status = last.starts_with(crate::theme::Theme::sign(&THEME, crate::theme::Sign::Mode(mode)));
            assert!(is_status, "the last row is the status line: {last:?} after {event:?}");
        }
        for event in questions(&words) {
            let mut stand = Stand::new();
            stand.test.event(event);
            stand.draw();
            for key in ["1", "v", "q", "down", "f", "q", "d", "n", "esc", "esc"] {
                stand.test.keys(key);
                stand.draw();
                stand.test.app.full_screen(SIZE.columns, SIZE.rows);
            }
        }
        let mut stand = Stand::new();
        stand.test.app.paste(&words, stand.test.now);
        stand.draw();
        let row = SessionRow {
            id: session(2),
            about: words.clone(),
            age: words.clone(),
            mode: words.clone(),
            awaits_approval: true,
        };
        for told in [
            HostReply::Sessions(Ok(vec![row])),
            HostReply::Models {
                why: ModelsFor::Choosing,
                rows: vec![ModelRow { name: words.clone(), why: words.clone() }],
            },
            HostReply::Permissions(vec![words.clone()]),
            HostReply::Files(vec![(words.clone(), words.clone().into())]),
            HostReply::Failed(words.clone()),
            HostReply::Edited { purpose: EditFor::Plan, text: Err(words.clone()) },
        ] {
            stand.test.told(told);
            stand.draw();
        }
    }
}

#[test]
fn nothing_that_is_printed_begins_where_our_own_rows_do() {
    for words in hostile() {
        for event in events(&words) {
            let mut test = TestApp::working();
            test.printed();
            test.app.event(&event, test.now);
            test.app
                .event(&Event::Said { agent: None, model: model(), text: String::new(), continues: false }, test.now);
            let lines = test.app.take_printed(60);
            // The first row has our sign, and so has every other that does not stand beneath it.
            let is_of_ours = matches!(event, Event::Started(_));
            for line in lines.iter().map(ToString::to_string).skip(2).filter(|_| !is_of_ours) {
                assert!(line.is_empty() || line.starts_with("  "), "{line:?} of {event:?}");
            }
        }
    }
}
