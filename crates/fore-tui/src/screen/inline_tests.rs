//! What a terminal shows after the live area was drawn: a real emulator reads every byte.

use super::*;
use std::num::NonZero;

const SMALL: ScreenSize = ScreenSize { columns: 20, rows: 6 };

struct Stand {
    inline: InlineScreen<Vec<u8>>,
    terminal: vt100::Parser,
}

impl Stand {
    fn new() -> Stand {
        Stand::with(Narrowing::Folds)
    }

    fn with(narrowing: Narrowing) -> Stand {
        let terminal = vt100::Parser::new(some(SMALL.rows), some(SMALL.columns), 100);
        let inline = InlineScreen::new(Vec::new(), SMALL, crate::theme::Signs::Unicode, narrowing);
        Stand { inline, terminal }
    }

    fn draw(&mut self, printed: &[&str], live: &[&str]) -> &mut Stand {
        self.inline.draw(&lines(printed), View::of(lines(live))).unwrap();
        self.read()
    }

    fn read(&mut self) -> &mut Stand {
        self.terminal.process(&std::mem::take(&mut self.inline.out));
        self
    }

    fn shown(&self) -> String {
        let rows: Vec<String> = self.terminal.screen().rows(0, SMALL.columns).collect();
        rows.join("\n").trim_end().to_owned()
    }

    fn scrolled_off(&mut self) -> String {
        self.terminal.screen_mut().set_scrollback(100);
        let count = self.terminal.screen().scrollback();
        let rows: Vec<String> = self.terminal.screen().rows(0, SMALL.columns).take(count).collect();
        self.terminal.screen_mut().set_scrollback(0);
        rows.join("\n")
    }
}

fn some(number: u16) -> NonZero<u16> {
    NonZero::new(number).unwrap()
}

fn lines(texts: &[&str]) -> Vec<Line<'static>> {
    texts.iter().map(|text| Line::from((*text).to_owned())).collect()
}

#[test]
fn printed_lines_stay_above_the_live_area() {
    let mut stand = Stand::new();
    stand.draw(&[], &["> _", "status"]);
    assert_eq!(stand.shown(), "> _\nstatus");
    stand.draw(&["one", "two"], &["> _", "status"]);
    assert_eq!(stand.shown(), "one\ntwo\n> _\nstatus");
}

#[test]
fn what_scrolls_off_is_whole_and_in_order() {
    let mut stand = Stand::new();
    stand.draw(&[], &["> _", "status"]);
    for round in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        stand.draw(&[round], &["> _", "status"]);
    }
    assert_eq!(stand.shown(), "e\nf\ng\nh\n> _\nstatus");
    assert_eq!(stand.scrolled_off(), "a\nb\nc\nd");
}

#[test]
fn a_live_area_that_shrinks_leaves_nothing_behind() {
    let mut stand = Stand::new();
    stand.draw(&["one"], &["dialog", "dialog", "dialog", "status"]);
    assert_eq!(stand.shown(), "one\ndialog\ndialog\ndialog\nstatus");
    stand.draw(&[], &["> _", "status"]);
    assert_eq!(stand.shown(), "one\n> _\nstatus");
    stand.draw(&[], &["dialog", "dialog", "dialog", "status"]).draw(&["two"], &["> _", "status"]);
    assert_eq!(stand.shown(), "one\ntwo\n> _\nstatus");
}

#[test]
fn a_live_area_of_the_whole_screen_keeps_what_is_printed_meanwhile() {
    let mut stand = Stand::new();
    let whole = ["1", "2", "3", "4", "5", "6"];
    stand.draw(&["one"], &whole).draw(&["two"], &whole).draw(&["three"], &["> _", "status"]);
    let all = format!("{}\n{}", stand.scrolled_off(), stand.shown());
    assert_eq!(all, "one\ntwo\nthree\n> _\nstatus");
}

#[test]
fn rows_of_full_width_keep_their_last_letter() {
    let mut stand = Stand::new();
    let full = "abcdefghijklmnopqrst";
    stand.draw(&[full], &[full, "status"]).draw(&[], &[full, "more"]);
    assert_eq!(stand.shown(), format!("{full}\n{full}\nmore"));
}

#[test]
fn a_line_that_is_too_wide_is_cut_and_does_not_fold() {
    let mut stand = Stand::new();
    stand.draw(&[], &["abcdefghijklmnopqrstuvwxyz", "status"]);
    assert_eq!(stand.shown(), "abcdefghijklmnopqrst\nstatus");
}

#[test]
fn the_cursor_stands_where_the_person_types() {
    let mut stand = Stand::new();
    let view = View { lines: lines(&["> ab", "status"]), cursor: Some(Cursor { column: 4, row: 0 }) };
    stand.inline.draw(&lines(&["one"]), view).unwrap();
    stand.read();
    assert_eq!(stand.terminal.screen().cursor_position(), (1, 4));
    assert!(!stand.terminal.screen().hide_cursor());
    stand.draw(&[], &["> abc", "status"]);
    assert!(stand.terminal.screen().hide_cursor());
}

#[test]
fn rows_that_did_not_change_are_not_written_again() {
    let mut stand = Stand::new();
    stand.draw(&[], &["first", "second", "third"]);
    stand.inline.draw(&[], View::of(lines(&["first", "2nd", "third"]))).unwrap();
    let written = String::from_utf8(stand.inline.out.clone()).unwrap();
    assert!(written.contains("2nd") && !written.contains("first") && !written.contains("third"), "{written:?}");
    stand.read();
    assert_eq!(stand.shown(), "first\n2nd\nthird");
}

#[test]
fn clearing_leaves_only_what_was_printed() {
    let mut stand = Stand::new();
    stand.draw(&["one", "two"], &["> _", "status"]);
    stand.inline.clear().unwrap();
    stand.read();
    assert_eq!(stand.shown(), "one\ntwo");
    assert_eq!(stand.terminal.screen().cursor_position(), (2, 0));
}

#[test]
fn a_short_session_keeps_what_the_shell_had_written_when_the_size_changes() {
    let mut stand = Stand::new();
    stand.terminal.process(b"$ ls\r\nsrc\r\n$ fore\r\n");
    stand.draw(&[], &["> _", "status"]);
    stand.terminal.screen_mut().set_size(some(6), some(12));
    stand
        .inline
        .resize(ScreenSize { columns: 12, rows: 6 }, View::of(lines(&["> _", "status"])), |_| lines(&["x"]))
        .unwrap();
    stand.read();
    let rows: Vec<String> = stand.terminal.screen().rows(0, 12).collect();
    assert_eq!(rows.join("\n").trim_end(), "$ ls\nsrc\n$ fore\n> _\nstatus");
}

#[test]
fn a_long_session_is_laid_out_anew_when_the_size_changes() {
    let mut stand = Stand::new();
    stand.draw(&["1", "2", "3", "4", "5", "6", "7"], &["> _", "status"]);
    stand.terminal.screen_mut().set_size(some(4), some(10));
    let tail = |tail: Tail| {
        assert_eq!(tail, Tail { rows: 2, counted_at: 10 });
        lines(&["six", "seven"])
    };
    stand.inline.resize(ScreenSize { columns: 10, rows: 4 }, View::of(lines(&["> _", "status"])), tail).unwrap();
    stand.read();
    let rows: Vec<String> = stand.terminal.screen().rows(0, 10).collect();
    assert_eq!(rows.join("\n"), "six\nseven\n> _\nstatus");
}

#[test]
fn a_live_area_that_fills_a_lower_window_keeps_its_first_row() {
    let mut stand = Stand::new();
    stand.draw(&["1", "2", "3"], &["a", "b", "c", "d", "e", "f"]);
    stand.terminal.screen_mut().set_size(some(4), some(20));
    let view = View::of(lines(&["a", "b", "c", "d"]));
    stand.inline.resize(ScreenSize { columns: 20, rows: 4 }, view, |_| Vec::new()).unwrap();
    stand.read();
    assert_eq!(stand.shown(), "a\nb\nc\nd");
}

#[test]
fn a_terminal_that_cuts_long_rows_loses_nothing_of_a_short_session() {
    let mut stand = Stand::with(Narrowing::Cuts);
    let rule = "--------------------";
    let view = |rule: &str| View { lines: lines(&[rule, "> _", "status"]), cursor: Some(Cursor { column: 2, row: 1 }) };
    stand.terminal.process(b"$ fore\r\n");
    stand.inline.draw(&lines(&["one", "two"]), view(rule)).unwrap();
    stand.read().terminal.screen_mut().set_size(some(6), some(8));
    stand.inline.resize(ScreenSize { columns: 8, rows: 6 }, view("--------"), |_| Vec::new()).unwrap();
    stand.read();
    let rows: Vec<String> = stand.terminal.screen().rows(0, 8).collect();
    assert_eq!(rows.join("\n"), "$ fore\none\ntwo\n--------\n> _\nstatus");
}

#[test]
fn a_terminal_that_cuts_long_rows_gets_all_that_was_seen_once_more() {
    let mut stand = Stand::with(Narrowing::Cuts);
    stand.draw(&["1", "2", "3", "4", "5", "6", "seven eight"], &["> _", "status"]);
    stand.terminal.screen_mut().set_size(some(6), some(6));
    let tail = |tail: Tail| {
        assert_eq!(tail, Tail { rows: 4, counted_at: 20 });
        lines(&["4", "5", "6", "seven", "eight"])
    };
    stand.inline.resize(ScreenSize { columns: 6, rows: 6 }, View::of(lines(&["> _", "status"])), tail).unwrap();
    stand.read();
    let rows: Vec<String> = stand.terminal.screen().rows(0, 6).collect();
    assert_eq!(rows.join("\n"), "5\n6\nseven\neight\n> _\nstatus");
    assert!(stand.scrolled_off().ends_with('4'), "{}", stand.scrolled_off());
}
