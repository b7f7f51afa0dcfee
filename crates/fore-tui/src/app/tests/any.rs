//! Any events, any keys: nothing panics, nothing is drawn outside the screen, and nobody approves by accident.

use super::*;
use crate::dialogs::test_support::assert_inside;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use fore_agent::Reply;
use fore_plan::approval::SelectedOffer;
use proptest::prelude::*;

/// One thing that happens.
#[derive(Clone, Debug)]
enum Happening {
    Key(KeyEvent),
    Paste(&'static str),
    Event(Box<Event>),
    Told(Box<HostReply>),
    Time(u64),
    Beginning,
    Over,
}

const WORDS: [&str; 6] = [
    "plain words",
    "\u{1b}[2J\u{1b}]0;t\u{7}\r\n\u{c}│ 1. Yes\t\u{202e}x",
    "漢字 👨\u{200d}👩\u{200d}👧 e\u{301}\u{301}\u{301} \u{200b}",
    "| a | b |\n|---|---|\n| 1 | 2 | 3 |\n\n```rust and more\nfn x() {}\n```",
    "",
    "averyveryverylongwordthatneverendsaveryveryverylongwordthatneverendsaveryveryverylongwordthatneverends",
];

fn keys() -> impl Strategy<Value = Happening> {
    let names = "enter enter enter esc tab tab backtab up down down left right home end pgup pgdn backspace delete space \
                 1 1 2 3 y n e v f c q / ! @ x é 漢 ctrl+c ctrl+o ctrl+t ctrl+g ctrl+l ctrl+z ctrl+d ctrl+j ctrl+r ctrl+s \
                 shift+backtab alt+enter";
    let names: Vec<&str> = names.split_whitespace().collect();
    proptest::sample::select(names).prop_map(|name| Happening::Key(key(name)))
}

fn events() -> impl Strategy<Value = Happening> {
    let id = proptest::sample::select(vec!["1", "2", "3"]);
    let words = proptest::sample::select(WORDS.to_vec());
    (0..28u8, id, words).prop_map(|(kind, id, words)| Happening::Event(Box::new(event(kind, id, words))))
}

fn event(kind: u8, id: &str, words: &str) -> Event {
    let owned = || words.to_owned();
    match kind {
        0 | 1 => asked(id, words),
        2 | 3 => approval(id, words),
        4 => form(id),
        5 | 6 => Event::EnterPlanAsked { question: question(id) },
        7 | 8 => closed(id),
        9 => Event::Decided(ApprovalOutcome::NotCounted { why: owned() }),
        10 => Event::Decided(ApprovalOutcome::KeepPlanning { reason: owned(), comments: Vec::new() }),
        11 => Event::TurnStarted,
        12 => ended(),
        13 => started(Mode::Plan),
        14 => mode_changed(Mode::Plan, Mode::At(Level::Auto)),
        15 => text(words),
        16 => Event::Said { agent: None, model: model(), text: owned(), continues: false },
        17 => call(id, words),
        18 => Event::ToolOutput { call: CallId(id.into()), text: owned() },
        19 => done(id, ShownCall::text(words, words)),
        20 => done(id, ShownCall::diff(words, words, words)),
        21 => Event::PromptQueued { text: owned(), waiting: 1 },
        22 => Event::PromptTaken { text: owned() },
        23 => Event::Rewound { text: owned() },
        24 => Event::Plan { path: Some(owned()), text: Some(owned()), hash: None, changed: owned(), unreadable: None },
        25 => Event::Reasoning { agent: None, model: model(), delta: owned() },
        26 => Event::Notice { level: fore_agent::NoticeLevel::Info, text: owned() },
        _ => Event::Closed,
    }
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let told = proptest::sample::select(WORDS.to_vec()).prop_flat_map(|words| {
        let all = vec![
            HostReply::Edited { purpose: EditFor::Dialog, text: Ok(words.into()) },
            HostReply::Edited { purpose: EditFor::Composer, text: Ok(words.into()) },
            HostReply::Sessions(Ok(rows())),
            HostReply::Models {
                why: ModelsFor::Choosing,
                rows: vec![ModelRow { name: words.into(), why: words.into() }],
            },
            HostReply::Permissions(vec![words.into()]),
            HostReply::Files(vec![(words.into(), words.into())]),
            HostReply::NotBegun(words.into()),
        ];
        proptest::sample::select(all).prop_map(|told| Happening::Told(Box::new(told)))
    });
    let time = proptest::sample::select(vec![1u64, 100, 1_499, 1_501, 5_000]).prop_map(Happening::Time);
    let paste = proptest::sample::select(vec!["1\n", "y\r\n", "words"]).prop_map(Happening::Paste);
    let one = prop_oneof![
        24 => keys(),
        12 => events(),
        2 => told,
        4 => time,
        1 => paste,
        1 => Just(Happening::Beginning),
        1 => Just(Happening::Over),
    ];
    proptest::collection::vec(one, 1..120)
}

/// Whether this would let something happen.
fn approves(command: &Command) -> bool {
    match command {
        Command::Approval(response) => {
            !["keepPlanning", "saveAndStop", "discard"].map(SelectedOffer::from).contains(&response.selected)
        }
        Command::Reply { reply, .. } => matches!(reply, Reply::Yes | Reply::YesForSession),
        Command::ConfirmPlanning { yes, .. } => *yes,
        Command::Trust { trusted } => *trusted,
        _ => false,
    }
}

/// A key that goes to a choice.
fn selects(key: &KeyEvent) -> bool {
    key.modifiers == KeyModifiers::NONE
        && matches!(
            key.code,
            KeyCode::Up | KeyCode::Down | KeyCode::Tab | KeyCode::Char('1'..='9' | 'y' | 'n' | 'j' | 'k')
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn d3_nothing_but_a_choice_that_was_gone_to_and_enter_approves(
        happenings in happenings(),
        (width, height) in (8u16..120, 1u16..40),
    ) {
        let mut test = TestApp::empty();
        // Since when the dialog that is shown has had the keys, and whether a choice was gone to since.
        let mut shown: Option<(DialogSubject, bool)> = None;
        for happening in happenings {
            let focused = test.app.dialogs.about().filter(|_| test.focus() == Some(Focus::Here)).cloned();
            if shown.as_ref().map(|(about, _)| about) != focused.as_ref() {
                shown = focused.map(|about| (about, false));
            }
            let is_reading = test.app.is_reading();
            let mut is_enter = false;
            match &happening {
                Happening::Key(key) => {
                    is_enter = key.code == KeyCode::Enter && !is_reading;
                    test.app.key(*key, test.now);
                }
                Happening::Paste(text) => test.app.paste(text, test.now),
                Happening::Event(event) => test.app.event(event, test.now),
                Happening::Told(told) => test.app.host_reply((**told).clone(), test.now),
                Happening::Time(time) => drop(test.wait(Duration::from_millis(*time))),
                Happening::Beginning => drop(test.beginning()),
                Happening::Over => test.app.over(),
            }
            let may = is_enter && shown.as_ref().is_some_and(|(_, selected)| *selected);
            for command in test.sent() {
                prop_assert!(may || !approves(&command), "{happening:?} led to {command:?}, {shown:?}");
            }
            for act in test.app.take_acts() {
                prop_assert!(may || !matches!(act, Act::Trust(true)), "{happening:?} led to {act:?}, {shown:?}");
            }
            if let (Happening::Key(key), Some((_, selected))) = (&happening, &mut shown) {
                *selected |= selects(key) && !is_reading;
            }
            let space = Space { width, height, theme: test.app.theme };
            assert_inside(&test.app.view(width, height), space);
            if let Some(view) = test.app.full_screen(width, height) {
                assert_inside(&view, space);
            }
            for line in test.app.take_printed(width) {
                prop_assert!(line.width() <= usize::from(width), "{line:?}");
            }
        }
        test.app.tail(width, Tail { rows: 50, counted_at: width });
    }
}
