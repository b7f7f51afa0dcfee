//! What the person writes in the dialog: comments, a reason, a note, a search. Leaving a field keeps what stands in it.

use super::{
    Approval, Page, Stage, Unkept,
    answer::{KEEP_PLANNING, Words},
    remarks::{self, Anchor, Lines, MOST_REMARKS, Remark, State},
};
use crate::{
    dialogs::{
        Step,
        field::{Field, FieldStep, Rows},
    },
    theme::Role,
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
pub(super) use fore_store::draft::Meant;

/// Words for the whole plan. They go out as the reason of whatever answer is given.
#[derive(Debug, Default)]
pub(super) struct Note {
    pub(super) text: String,
    pub(super) meant: Meant,
}

/// A field that is open.
#[derive(Debug)]
pub(super) struct Writing {
    pub(super) what: What,
    pub(super) field: Field,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    Remark { lines: Lines, quote: String, anchor: Anchor },
    Reason,
    Note,
    Search,
}

impl Note {
    pub(super) fn name(&self) -> &'static str {
        match self.meant {
            Meant::Note => "a note",
            Meant::Reason => "a reason",
            Meant::Draft => "the draft of a note",
        }
    }
}

impl Writing {
    fn new(what: What, text: &str) -> Writing {
        let rows = if what == What::Search { Rows::One } else { Rows::Several };
        Writing { field: Field::new(rows, text), what }
    }

    pub(super) fn is_remark(&self) -> bool {
        matches!(self.what, What::Remark { .. })
    }

    /// What stands above the field.
    pub(super) fn label(&self) -> String {
        match &self.what {
            What::Remark { lines, .. } => format!("Comment on {}", lines.words()),
            What::Reason => "What should be different? (optional)".into(),
            What::Note => "A note that goes along with your answer".into(),
            What::Search => "Search".into(),
        }
    }
}

impl Approval {
    pub(super) fn begin(&mut self, what: What, text: &str) -> Step {
        self.stage = Stage::Writing(Box::new(Writing::new(what, text)));
        Step::Stay
    }

    /// Opens the comment on the chosen lines, or a new one.
    pub(super) fn begin_remark(&mut self) -> Step {
        if self.page != Page::Plan {
            self.say(Role::Faint, "Comments are for the plan itself: Esc goes back to it.");
            return Step::Stay;
        }
        let Some(lines) = self.sheet().chosen() else { return Step::Stay };
        let marking = self.sheet().is_marking();
        let there = self.remarks.on(lines).filter(|remark| !marking || remark.lines == lines).cloned();
        if let Some(Remark { lines, quote, text, anchor, .. }) = there {
            self.sheet().mark_lines(lines);
            return self.begin(What::Remark { lines, quote, anchor }, &text);
        }
        if self.remarks.count() >= MOST_REMARKS {
            self.say(Role::Warning, format!("There are {MOST_REMARKS} comments already; more are not sent."));
            return Step::Stay;
        }
        self.sheet().mark_lines(lines);
        let quote = remarks::quote(&self.text, lines);
        self.begin(What::Remark { lines, quote, anchor: Anchor::Same }, "")
    }

    /// A key while a field is open.
    pub(super) fn write(&mut self, mut writing: Box<Writing>, key: KeyEvent) -> Step {
        // A key that is held down neither sends nor saves.
        if key.kind == KeyEventKind::Repeat && key.code == KeyCode::Enter {
            self.stage = Stage::Writing(writing);
            return Step::Stay;
        }
        match writing.field.key(key) {
            FieldStep::Stay => {
                self.touched(&writing.what, Unkept::Typed);
                self.stage = Stage::Writing(writing);
                Step::Stay
            }
            FieldStep::Done(text) => {
                self.touched(&writing.what, Unkept::Finished);
                self.finish(writing.what, text)
            }
            FieldStep::Leave => {
                self.touched(&writing.what, Unkept::Finished);
                self.leave(writing.what, writing.field.text());
                Step::Stay
            }
        }
    }

    /// Something was done to what stands in a field.
    pub(super) fn touched(&mut self, what: &What, unkept: Unkept) {
        if *what != What::Search {
            self.unkept = self.unkept.max(unkept);
        }
    }

    fn finish(&mut self, what: What, text: String) -> Step {
        match what {
            What::Remark { lines, quote, anchor } => {
                if text.trim().is_empty() && self.remarks.on(lines).is_some_and(|remark| remark.lines == lines) {
                    self.say(Role::Faint, "The comment is removed; u brings it back.");
                }
                self.sheet().end_mark();
                self.remarks.put(Remark { lines, quote, text, state: State::Saved, anchor });
            }
            What::Reason => {
                self.note = Note { text, meant: Meant::Reason };
                return self.answer(KEEP_PLANNING, Words::All);
            }
            What::Note => self.note = Note { text, meant: Meant::Note },
            What::Search => self.search(&text),
        }
        Step::Stay
    }

    fn leave(&mut self, what: What, text: String) {
        match what {
            What::Remark { lines, quote, anchor } => {
                self.sheet().end_mark();
                let before = self.remarks.on(lines).filter(|remark| remark.lines == lines);
                if text.trim().is_empty() || before.is_some_and(|remark| remark.text == text) {
                    return;
                }
                self.remarks.put(Remark { lines, quote, text, state: State::Draft, anchor });
                self.say(Role::Faint, "Kept as a draft: c opens it again, x removes it.");
            }
            What::Reason if text.trim().is_empty() => self.note = Note::default(),
            What::Reason if text != self.note.text => {
                self.note = Note { text, meant: Meant::Reason };
                self.say(Role::Faint, "Kept, not sent.");
            }
            What::Note if text != self.note.text => {
                self.note = Note { text, meant: Meant::Draft };
                self.say(Role::Faint, "Kept, not sent.");
            }
            What::Reason | What::Note | What::Search => {}
        }
    }

    fn search(&mut self, text: &str) {
        let sheet = self.sheet();
        if text.trim().is_empty() {
            return sheet.end_search();
        }
        sheet.search_for(text);
        let from = sheet.cursor();
        sheet.next_found(from);
    }
}
