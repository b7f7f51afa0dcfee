//! Keys while the person reads and chooses. Enter decides only among the choices, and only where the person went to one.

use super::{
    ApprovalDialog, ReadingFocus, ReviewPage, ReviewStage, SeenParts, UnsavedReview,
    answer::SendReview,
    confirm_question::ConfirmQuestion,
    offers::Meaning,
    plan_view::Move,
    writing::{FieldPurpose, NotePurpose},
};
use crate::{
    dialogs::{
        DialogStep, PagerDocument,
        text::{one_line, sanitize_line},
    },
    paint::Markup,
    theme::TextRole,
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use fore_agent::ShownBody;
use fore_plan::approval::OfferKind;

/// Neither Ctrl nor Alt nor anything else is held; Shift counts only for keys that are no letters.
pub(super) fn is_plain(key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Char(_) => (key.modifiers - KeyModifiers::SHIFT).is_empty(),
        _ => key.modifiers.is_empty(),
    }
}

impl ApprovalDialog {
    pub(super) fn press(&mut self, key: KeyEvent) -> DialogStep {
        if let Some(to) = reading(key) {
            self.plan_view().go(to);
            return DialogStep::Stay;
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
        DialogStep::Stay
    }

    fn press_plain(&mut self, code: KeyCode) -> DialogStep {
        match (code, self.reading_focus) {
            (KeyCode::Tab, _) => self.change_inner(),
            (KeyCode::Char(digit @ '1'..='9'), _) => self.select_number(digit),
            (KeyCode::Up | KeyCode::Char('k'), ReadingFocus::Choices) => self.select_before(),
            (KeyCode::Down | KeyCode::Char('j'), ReadingFocus::Choices) => self.select_behind(),
            (KeyCode::Up | KeyCode::Char('k'), ReadingFocus::Text) => self.plan_view().go(Move::Up),
            (KeyCode::Char('j'), ReadingFocus::Text) => self.plan_view().go(Move::Down),
            (KeyCode::Down, ReadingFocus::Text) if self.plan_view().is_at_end() => self.go_to_choices(),
            (KeyCode::Down, ReadingFocus::Text) => self.plan_view().go(Move::Down),
            (KeyCode::Char('e'), _) => return self.edit(),
            (KeyCode::Char('b'), _) => return DialogStep::Review,
            (KeyCode::Char('f'), _) => return self.open_pager(),
            (KeyCode::Char('?'), _) => return list_keys(),
            (KeyCode::Char('n'), ReadingFocus::Text) if self.plan_view().is_searching() => {
                let from = self.plan_view().cursor().saturating_add(1);
                self.plan_view().next_found(from);
            }
            (KeyCode::Char('n'), _) => {
                let text = self.note.text.clone();
                return self.begin(FieldPurpose::Note, &text);
            }
            (KeyCode::Char(letter), _) => return self.press_for_text(letter),
            _ => {}
        }
        DialogStep::Stay
    }

    /// Letters that are about the text; they take the inner focus there.
    fn press_for_text(&mut self, letter: char) -> DialogStep {
        match letter {
            'a' | 'c' | 'v' | 'x' | 'u' | 'd' | 'p' | 'r' | 's' | 'S' | 't' | '.' | ',' | '/' | 'N' => {
                self.reading_focus = ReadingFocus::Text
            }
            _ => return DialogStep::Stay,
        }
        match letter {
            'p' => self.turn_to_grants(),
            'a' if self.page == ReviewPage::Grants => return self.begin_grant(),
            'x' if self.page == ReviewPage::Grants => self.strike_here(),
            'c' => return self.begin_remark(),
            'v' if self.plan_view().is_marking() => self.plan_view().end_mark(),
            'v' => self.mark_here(),
            'x' => self.remove_remark(),
            'u' => self.bring_back(),
            'd' => self.turn_to_difference(),
            'r' => self.turn_to_earlier(),
            't' => self.turn_to_tried(),
            's' => self.leave_step_out(),
            'S' => self.bring_step_back(),
            '.' => self.go_to_note(Move::Down),
            ',' => self.go_to_note(Move::Up),
            '/' => return self.begin(FieldPurpose::Search, ""),
            'N' => self.plan_view().previous_found(),
            _ => {}
        }
        DialogStep::Stay
    }

    /// Enter: decides among the choices, does nothing elsewhere.
    fn enter(&mut self) -> DialogStep {
        let offer = match (self.reading_focus, self.seen) {
            (ReadingFocus::Choices, SeenParts::Choices) => {
                self.selected.and_then(|index| self.asked.request.options.get(index))
            }
            (ReadingFocus::Choices, SeenParts::Nothing) => None,
            (ReadingFocus::Text, _) => {
                self.say(TextRole::Warning, "Enter answers only among the choices: Tab goes there.");
                return DialogStep::Stay;
            }
        };
        let Some(offer) = offer.cloned() else { return DialogStep::Stay };
        let meaning = Meaning::of(offer.value);
        match (meaning, self.lost_or_unseen(meaning)) {
            (Meaning::KeepPlanning, _) => {
                let text = self.note.text.clone();
                self.begin(FieldPurpose::Reason, &text)
            }
            (Meaning::Approve, _) if !self.fits() => {
                self.say(TextRole::Bad, "The end of this plan was not shown to you: edit it, or keep planning.");
                DialogStep::Stay
            }
            (Meaning::Approve, _) if !self.is_read() => {
                self.page = ReviewPage::Plan;
                self.plan_view().go(Move::PageDown);
                self.say(TextRole::Warning, "The plan continues below: Enter shows more of it, End its end.");
                DialogStep::Stay
            }
            (Meaning::Approve, _) if offer.value == OfferKind::StartCovered && !self.knows_grants() => {
                self.say(TextRole::Warning, "What this text covers is still being read; Enter again in a moment.");
                DialogStep::Stay
            }
            (Meaning::Discard, None) => self.ask(ConfirmQuestion::on_discarding(offer.value)),
            (_, Some(unsent)) => self.ask(ConfirmQuestion::on_choosing(offer.value, meaning, &unsent)),
            (Meaning::Approve | Meaning::SaveAndStop | Meaning::LeavePlanMode, None) => {
                self.answer(offer.value, SendReview::All)
            }
        }
    }

    /// Whether the end of the plan has been on the screen; what the person wrote themselves they have read.
    fn is_read(&mut self) -> bool {
        (self.is_edited() && self.left_out.is_none()) || self.pages.at(ReviewPage::Plan).has_ended()
    }

    /// What the person wrote that this answer would lose, or take along although it was meant otherwise.
    fn lost_or_unseen(&self, meaning: Meaning) -> Option<String> {
        let edit = self.is_edited().then(|| "an edit of the plan".to_owned());
        match meaning {
            Meaning::KeepPlanning => None,
            // A note was written to go along with the answer; comments and reasons were not.
            Meaning::Approve if self.remarks.count() == 0 && self.note.meant == NotePurpose::Note => None,
            Meaning::Approve | Meaning::SaveAndStop => self.unsent(),
            Meaning::LeavePlanMode | Meaning::Discard => match (self.unsent(), edit) {
                (Some(unsent), Some(edit)) => Some(format!("{unsent} and {edit}")),
                (unsent, edit) => unsent.or(edit),
            },
        }
    }

    /// Esc: leaves what was opened last; from the plan itself it means "keep planning".
    fn escape(&mut self) -> DialogStep {
        if self.plan_view().is_marking() {
            self.plan_view().end_mark();
        } else if self.plan_view().is_searching() {
            self.plan_view().end_search();
        } else if self.page != ReviewPage::Plan {
            self.page = ReviewPage::Plan;
        } else if let Some(unsent) = self.unsent() {
            return self.ask(ConfirmQuestion::on_leaving(&unsent));
        } else {
            return self.answer(OfferKind::KeepPlanning, SendReview::All);
        }
        DialogStep::Stay
    }

    fn ask(&mut self, question: ConfirmQuestion) -> DialogStep {
        self.stage = ReviewStage::Asking(question);
        DialogStep::Stay
    }

    pub(super) fn edit(&self) -> DialogStep {
        let path = &self.asked.request.plan_file_path;
        let name = path.rsplit(['/', '\\']).next().filter(|name| !name.is_empty()).unwrap_or("plan.md");
        DialogStep::Edit { name: name.to_owned(), text: self.text.clone() }
    }

    /// What the window shows, on the whole screen.
    fn open_pager(&self) -> DialogStep {
        let path = &self.asked.request.plan_file_path;
        let diff = |unified: &String| ShownBody::Diff { path: path.clone(), diff: unified.clone() };
        let (what, body) = match self.page {
            ReviewPage::Plan => ("Plan", ShownBody::Markdown { text: self.text.clone() }),
            ReviewPage::Edit => ("What you changed in", diff(&self.edit.unified)),
            ReviewPage::Changed => ("What changed in", diff(&self.changed.unified)),
            ReviewPage::Earlier => ("Earlier comments on", ShownBody::Text { text: self.earlier_words() }),
            ReviewPage::Tried => ("What was tried for", ShownBody::Text { text: self.tried_words() }),
            ReviewPage::Grants => ("What is covered by", ShownBody::Text { text: self.grant_words() }),
        };
        let beneath = if self.page == ReviewPage::Plan { self.beneath() } else { Vec::new() };
        let title = format!("{what} {}", sanitize_line(&one_line(path)));
        DialogStep::Read(PagerDocument { title, body, markup: Markup::Kept, annotations: beneath })
    }

    fn change_inner(&mut self) {
        match self.reading_focus {
            ReadingFocus::Text => self.go_to_choices(),
            ReadingFocus::Choices => self.reading_focus = ReadingFocus::Text,
        }
    }

    /// Whoever comes without having chosen stands on the careful choice.
    fn go_to_choices(&mut self) {
        let options = &self.asked.request.options;
        let careful = options.iter().position(|offer| Meaning::of(offer.value) == Meaning::KeepPlanning);
        self.reading_focus = ReadingFocus::Choices;
        self.selected = self.selected.or(careful);
    }

    fn select_number(&mut self, digit: char) {
        let index = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).and_then(|n| n.checked_sub(1));
        let Some(index) = index.filter(|index| *index < self.asked.request.options.len()) else { return };
        self.selected = Some(index);
        if self.reading_focus == ReadingFocus::Text {
            self.say(TextRole::Accent, format!("{digit} is marked. Tab, then Enter, to answer with it."));
        }
    }

    fn select_before(&mut self) {
        match self.selected {
            Some(index) if index > 0 => self.selected = Some(index - 1),
            Some(_) | None => self.reading_focus = ReadingFocus::Text,
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
        self.reading_focus = ReadingFocus::Text;
        self.mark_here();
        self.plan_view().go(to);
    }

    fn mark_here(&mut self) {
        if self.page == ReviewPage::Plan {
            self.plan_view().begin_mark();
        }
    }

    fn remove_remark(&mut self) {
        if self.page != ReviewPage::Plan {
            return;
        }
        let Some(lines) = self.plan_view().chosen() else { return };
        match self.remarks.on(lines).map(|remark| remark.lines) {
            Some(lines) => {
                self.remarks.remove(lines);
                self.unsaved = UnsavedReview::Finished;
                self.say(TextRole::Faint, "The comment is removed; u brings it back.");
            }
            None => self.say(TextRole::Faint, "There is no comment on this line."),
        }
    }

    fn bring_back(&mut self) {
        match self.remarks.bring_back() {
            true => self.unsaved = UnsavedReview::Finished,
            false => self.say(TextRole::Faint, "No comment was removed."),
        }
    }

    fn turn_to_difference(&mut self) {
        let next = self.next_page();
        if next == self.page {
            self.say(TextRole::Faint, "Nothing to compare with: you see this plan for the first time.");
        }
        self.page = next;
    }

    fn turn_to_earlier(&mut self) {
        match (self.page, self.asked.earlier_comments.is_empty()) {
            (ReviewPage::Earlier, _) => self.page = ReviewPage::Plan,
            (_, false) => self.page = ReviewPage::Earlier,
            (_, true) => self.say(TextRole::Faint, "There are no earlier comments."),
        }
    }
}

impl ApprovalDialog {
    fn turn_to_tried(&mut self) {
        match (self.page, self.asked.rehearsals.is_empty()) {
            (ReviewPage::Tried, _) => self.page = ReviewPage::Plan,
            (_, false) => self.page = ReviewPage::Tried,
            (_, true) => self.say(TextRole::Faint, "Nothing was tried while planning."),
        }
    }
}

/// All keys of the dialog, on the whole screen.
fn list_keys() -> DialogStep {
    let text = include_str!("keys.md").to_owned();
    DialogStep::Read(PagerDocument {
        title: "Keys for a plan that waits".into(),
        body: ShownBody::Markdown { text },
        ..PagerDocument::default()
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
