//! Keys while the person reads and chooses. Enter decides only among the choices, and only where the person went to one.

use super::{
    Approval, Inner, Page, Shown, Stage, Unkept,
    answer::{KEEP_PLANNING, Words},
    choices::Meaning,
    question::Question,
    sheet::Move,
    writing::{Meant, What},
};
use crate::{
    dialogs::{
        Document, Step,
        words::{one_line, tame},
    },
    paint::Markup,
    theme::Role,
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use fore_agent::event::Body;

/// Neither Ctrl nor Alt nor anything else is held; Shift counts only for keys that are no letters.
pub(super) fn is_plain(key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Char(_) => (key.modifiers - KeyModifiers::SHIFT).is_empty(),
        _ => key.modifiers.is_empty(),
    }
}

impl Approval {
    pub(super) fn press(&mut self, key: KeyEvent) -> Step {
        if let Some(to) = reading(key) {
            self.sheet().go(to);
            return Step::Stay;
        }
        match (key.code, key.modifiers) {
            (KeyCode::BackTab, _) => self.change_inner(),
            (KeyCode::Up, KeyModifiers::SHIFT) => self.mark(Move::Up),
            (KeyCode::Down, KeyModifiers::SHIFT) => self.mark(Move::Down),
            (KeyCode::Enter | KeyCode::Esc, _) if key.kind == KeyEventKind::Repeat => {}
            (KeyCode::Enter, KeyModifiers::NONE) => return self.enter(),
            (KeyCode::Esc, KeyModifiers::NONE) => return self.escape(),
            (code, _) if is_plain(key) => return self.press_plain(code),
            _ => {}
        }
        Step::Stay
    }

    fn press_plain(&mut self, code: KeyCode) -> Step {
        match (code, self.inner) {
            (KeyCode::Tab, _) => self.change_inner(),
            (KeyCode::Char(digit @ '1'..='9'), _) => self.select_number(digit),
            (KeyCode::Up | KeyCode::Char('k'), Inner::Choices) => self.select_before(),
            (KeyCode::Down | KeyCode::Char('j'), Inner::Choices) => self.select_behind(),
            (KeyCode::Up | KeyCode::Char('k'), Inner::Text) => self.sheet().go(Move::Up),
            (KeyCode::Char('j'), Inner::Text) => self.sheet().go(Move::Down),
            (KeyCode::Down, Inner::Text) if self.sheet().is_at_end() => self.go_to_choices(),
            (KeyCode::Down, Inner::Text) => self.sheet().go(Move::Down),
            (KeyCode::Char('e'), _) => return self.edit(),
            (KeyCode::Char('f'), _) => return self.open_pager(),
            (KeyCode::Char('?'), _) => return list_keys(),
            (KeyCode::Char('n'), Inner::Text) if self.sheet().is_searching() => {
                let from = self.sheet().cursor().saturating_add(1);
                self.sheet().next_found(from);
            }
            (KeyCode::Char('n'), _) => {
                let text = self.note.text.clone();
                return self.begin(What::Note, &text);
            }
            (KeyCode::Char(letter), _) => return self.press_for_text(letter),
            _ => {}
        }
        Step::Stay
    }

    /// Letters that are about the text; they take the inner focus there.
    fn press_for_text(&mut self, letter: char) -> Step {
        match letter {
            'c' | 'v' | 'x' | 'u' | 'd' | 'r' | '.' | ',' | '/' | 'N' => self.inner = Inner::Text,
            _ => return Step::Stay,
        }
        match letter {
            'c' => return self.begin_remark(),
            'v' if self.sheet().is_marking() => self.sheet().end_mark(),
            'v' => self.mark_here(),
            'x' => self.remove_remark(),
            'u' => self.bring_back(),
            'd' => self.turn_to_difference(),
            'r' => self.turn_to_earlier(),
            '.' => self.go_to_note(Move::Down),
            ',' => self.go_to_note(Move::Up),
            '/' => return self.begin(What::Search, ""),
            'N' => self.sheet().previous_found(),
            _ => {}
        }
        Step::Stay
    }

    /// Enter: decides among the choices, does nothing elsewhere.
    fn enter(&mut self) -> Step {
        let offer = match (self.inner, self.shown) {
            (Inner::Choices, Shown::Choices) => self.selected.and_then(|index| self.asked.request.options.get(index)),
            (Inner::Choices, Shown::Nothing) => None,
            (Inner::Text, _) => {
                self.say(Role::Warning, "Enter answers only among the choices: Tab goes there.");
                return Step::Stay;
            }
        };
        let Some(offer) = offer.cloned() else { return Step::Stay };
        let meaning = Meaning::of(&offer.value);
        match (meaning, self.lost_or_unseen(meaning)) {
            (Meaning::KeepPlanning, _) => {
                let text = self.note.text.clone();
                self.begin(What::Reason, &text)
            }
            (Meaning::Approve, _) if !self.is_whole() => {
                self.say(Role::Bad, "The end of this plan was not shown to you: edit it, or keep planning.");
                Step::Stay
            }
            (Meaning::Approve, _) if !self.is_read() => {
                self.page = Page::Plan;
                self.sheet().go(Move::PageDown);
                self.say(Role::Warning, "The plan goes on below: Enter shows more of it, End its end.");
                Step::Stay
            }
            (Meaning::Discard, None) => self.ask(Question::on_discarding(&offer.value)),
            (_, Some(unsent)) => self.ask(Question::on_choosing(&offer.value, meaning, &unsent)),
            (Meaning::Approve | Meaning::SaveAndStop | Meaning::LeavePlanMode, None) => {
                self.answer(&offer.value, Words::All)
            }
        }
    }

    /// Whether the end of the plan has been on the screen; what the person wrote themselves they have read.
    fn is_read(&mut self) -> bool {
        self.is_edited() || self.pages.at(Page::Plan).has_ended()
    }

    /// What the person wrote that this answer would lose, or take along although it was meant otherwise.
    fn lost_or_unseen(&self, meaning: Meaning) -> Option<String> {
        let edit = self.is_edited().then(|| "an edit of the plan".to_owned());
        match meaning {
            Meaning::KeepPlanning => None,
            // A note was written to go along with the answer; comments and reasons were not.
            Meaning::Approve if self.remarks.count() == 0 && self.note.meant == Meant::Note => None,
            Meaning::Approve | Meaning::SaveAndStop => self.unsent(),
            Meaning::LeavePlanMode | Meaning::Discard => match (self.unsent(), edit) {
                (Some(unsent), Some(edit)) => Some(format!("{unsent} and {edit}")),
                (unsent, edit) => unsent.or(edit),
            },
        }
    }

    /// Esc: leaves what was opened last; from the plan itself it means "keep planning".
    fn escape(&mut self) -> Step {
        if self.sheet().is_marking() {
            self.sheet().end_mark();
        } else if self.sheet().is_searching() {
            self.sheet().end_search();
        } else if self.page != Page::Plan {
            self.page = Page::Plan;
        } else if let Some(unsent) = self.unsent() {
            return self.ask(Question::on_leaving(&unsent));
        } else {
            return self.answer(KEEP_PLANNING, Words::All);
        }
        Step::Stay
    }

    fn ask(&mut self, question: Question) -> Step {
        self.stage = Stage::Asking(question);
        Step::Stay
    }

    pub(super) fn edit(&self) -> Step {
        let path = &self.asked.request.plan_file_path;
        let name = path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or("plan.md");
        Step::Edit { name: name.to_owned(), text: self.text.clone() }
    }

    /// What the window shows, on the whole screen.
    fn open_pager(&self) -> Step {
        let path = &self.asked.request.plan_file_path;
        let diff = |unified: &String| Body::Diff { path: path.clone(), diff: unified.clone() };
        let (what, body) = match self.page {
            Page::Plan => ("Plan", Body::Markdown { text: self.text.clone() }),
            Page::Edit => ("What you changed in", diff(&self.edit.unified)),
            Page::Changed => ("What changed in", diff(&self.changed.unified)),
            Page::Earlier => ("Earlier comments on", Body::Text { text: self.earlier_words() }),
        };
        let beneath = if self.page == Page::Plan { self.remarks.beneath() } else { Vec::new() };
        let title = format!("{what} {}", tame(&one_line(path)));
        Step::Read(Document { title, body, markup: Markup::Kept, beneath })
    }

    fn change_inner(&mut self) {
        match self.inner {
            Inner::Text => self.go_to_choices(),
            Inner::Choices => self.inner = Inner::Text,
        }
    }

    /// Whoever comes without having chosen stands on the careful choice.
    fn go_to_choices(&mut self) {
        let options = &self.asked.request.options;
        let careful = options.iter().position(|offer| Meaning::of(&offer.value) == Meaning::KeepPlanning);
        self.inner = Inner::Choices;
        self.selected = self.selected.or(careful);
    }

    fn select_number(&mut self, digit: char) {
        let index = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).and_then(|n| n.checked_sub(1));
        let Some(index) = index.filter(|index| *index < self.asked.request.options.len()) else { return };
        self.selected = Some(index);
        if self.inner == Inner::Text {
            self.say(Role::Accent, format!("{digit} is marked. Tab, then Enter, to answer with it."));
        }
    }

    fn select_before(&mut self) {
        match self.selected {
            Some(index) if index > 0 => self.selected = Some(index - 1),
            Some(_) | None => self.inner = Inner::Text,
        }
    }

    fn select_behind(&mut self) {
        let last = self.asked.request.options.len().checked_sub(1);
        self.selected = match (self.selected, last) {
            (Some(index), Some(last)) => Some(index.saturating_add(1).min(last)),
            (None, Some(_)) => Some(0),
            (_, None) => None,
        };
    }

    fn mark(&mut self, to: Move) {
        self.inner = Inner::Text;
        self.mark_here();
        self.sheet().go(to);
    }

    fn mark_here(&mut self) {
        if self.page == Page::Plan {
            self.sheet().begin_mark();
        }
    }

    fn remove_remark(&mut self) {
        if self.page != Page::Plan {
            return;
        }
        let Some(lines) = self.sheet().chosen() else { return };
        match self.remarks.on(lines).map(|remark| remark.lines) {
            Some(lines) => {
                self.remarks.remove(lines);
                self.unkept = Unkept::Finished;
                self.say(Role::Faint, "The comment is removed; u brings it back.");
            }
            None => self.say(Role::Faint, "There is no comment on this line."),
        }
    }

    fn bring_back(&mut self) {
        match self.remarks.bring_back() {
            true => self.unkept = Unkept::Finished,
            false => self.say(Role::Faint, "No comment was removed."),
        }
    }

    fn turn_to_difference(&mut self) {
        let next = self.next_page();
        if next == self.page {
            self.say(Role::Faint, "Nothing to compare with: you see this plan for the first time.");
        }
        self.page = next;
    }

    fn turn_to_earlier(&mut self) {
        match (self.page, self.asked.earlier_comments.is_empty()) {
            (Page::Earlier, _) => self.page = Page::Plan,
            (_, false) => self.page = Page::Earlier,
            (_, true) => self.say(Role::Faint, "There are no earlier comments."),
        }
    }
}

/// All keys of the dialog, on the whole screen.
fn list_keys() -> Step {
    let text = include_str!("keys.md").to_owned();
    Step::Read(Document {
        title: "Keys for a plan that waits".into(),
        body: Body::Markdown { text },
        ..Document::default()
    })
}

/// Keys that only move the text, wherever the inner focus is.
fn reading(key: KeyEvent) -> Option<Move> {
    match (key.code, key.modifiers) {
        (KeyCode::PageUp, KeyModifiers::NONE) => Some(Move::PageUp),
        (KeyCode::PageDown, KeyModifiers::NONE) => Some(Move::PageDown),
        (KeyCode::Home, KeyModifiers::NONE) => Some(Move::Start),
        (KeyCode::End, KeyModifiers::NONE) => Some(Move::End),
        (KeyCode::Char('u'), KeyModifiers::CONTROL) => Some(Move::HalfUp),
        (KeyCode::Char('d'), KeyModifiers::CONTROL) => Some(Move::HalfDown),
        (KeyCode::Char('g'), KeyModifiers::NONE) => Some(Move::Start),
        (KeyCode::Char('G'), KeyModifiers::NONE | KeyModifiers::SHIFT) => Some(Move::End),
        _ => None,
    }
}
