//! The approval of a plan: read it, comment on it, edit it, decide. Nothing but Enter on a choice that the person went to
//! approves; everything else means that planning goes on.

mod answer;
mod choices;
mod draft;
mod facts;
mod frame;
mod hints;
mod notes;
mod page;
mod press;
mod question;
mod remarks;
mod ribbon;
mod sheet;
mod whole;
mod window;
mod writing;

pub use self::draft::{LostEdit, Unkept};
use self::{
    page::{Page, Pages},
    question::Question,
    remarks::Remarks,
    writing::{Note, Writing},
};
use super::{Dialog, Focus, Step};
use crate::{
    dialogs::words::{one_line, tame},
    paint,
    theme::Role,
    view::{Space, View},
};
use crossterm::event::{KeyEvent, KeyEventKind};
use fore_agent::event::ApprovalAsked;
use fore_plan::plan::{Hash, MOST_PLAN_BYTES, check::Note as CheckNote, diff};

/// A plan with more lines is not drawn to its end, and so it cannot be approved here.
const MOST_LINES: usize = paint::MOST_LINES;
/// Lines of a difference that are shown at most.
const MOST_DIFF_LINES: usize = 5_000;

/// The dialog that asks for the approval of one plan.
#[derive(Debug)]
pub struct Approval {
    asked: ApprovalAsked,
    /// The plan as it would be approved: the model's, or as the person edited it.
    text: String,
    hash: Hash,
    line_count: usize,
    /// Characters of it that nobody could see, and that are shown as marks.
    hidden: usize,
    /// What the person changed in it.
    edit: Difference,
    /// What changed since the person saw it last.
    changed: Difference,
    /// Counts the texts, so that what was drawn of an older one is not used.
    version: u64,
    pages: Pages,
    page: Page,
    remarks: Remarks,
    note: Note,
    stage: Stage,
    inner: Inner,
    selected: Option<usize>,
    /// What the plan check says of the text that is shown; none until it is known for an edited one.
    notes: Option<Vec<CheckNote>>,
    is_unchecked: bool,
    /// The note of the plan check that was gone to last.
    noted: Option<usize>,
    unkept: Unkept,
    message: Option<(Role, String)>,
    shown: Shown,
}

/// A difference, counted once.
#[derive(Debug, Default)]
struct Difference {
    unified: String,
    added: usize,
    removed: usize,
}

/// What the person is doing.
#[derive(Debug)]
enum Stage {
    Reading,
    Writing(Box<Writing>),
    Asking(Question),
}

/// Where keys go while reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inner {
    Text,
    Choices,
}

/// Whether the choices were on the screen, for this text. What nobody could see, nobody chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Nothing,
    Choices,
}

impl Approval {
    pub fn new(asked: ApprovalAsked) -> Approval {
        let text = asked.request.plan_content.clone();
        Approval {
            hash: asked.request.plan_hash,
            line_count: text.lines().count(),
            hidden: fore_text::marks(&text, fore_text::Kind::Prose),
            edit: Difference::default(),
            changed: Difference::of(asked.changed.clone()),
            version: 0,
            pages: Pages::default(),
            page: Page::Plan,
            remarks: Remarks::default(),
            note: Note::default(),
            stage: Stage::Reading,
            inner: Inner::Text,
            selected: None,
            notes: Some(asked.notes.clone()),
            is_unchecked: false,
            noted: None,
            unkept: Unkept::Nothing,
            message: None,
            shown: Shown::Nothing,
            text,
            asked,
        }
    }

    /// The same plan asked again, because the answer did not count or the file had changed: what the person wrote goes
    /// on, where its lines are now.
    pub fn again(self, asked: ApprovalAsked) -> Approval {
        let mut next = Approval { remarks: self.remarks, note: self.note, ..Approval::new(asked) };
        let wrote = next.unsent().is_some() || !self.edit.unified.is_empty();
        if self.edit.unified.is_empty() {
            next.remarks.anchor_again(&next.text);
        } else {
            next.take_edit(self.text);
        }
        if wrote {
            next.unkept = Unkept::Finished;
            next.say(Role::Warning, "The plan is asked again. What you wrote is still here.");
        }
        next
    }

    fn is_edited(&self) -> bool {
        !self.edit.unified.is_empty()
    }

    /// Whether all of the plan can be looked at here.
    fn is_whole(&self) -> bool {
        self.line_count <= MOST_LINES && self.text.len() <= paint::MOST_BYTES
    }

    fn say(&mut self, role: Role, words: impl Into<String>) {
        self.message = Some((role, words.into()));
    }

    fn take_edit(&mut self, text: String) {
        if text.trim().is_empty() {
            return self.say(Role::Warning, "An empty plan is not taken: the plan is as it was before.");
        }
        if text.len() > MOST_PLAN_BYTES {
            let words = format!("Too long: {} bytes, the most is {MOST_PLAN_BYTES}. Nothing changed.", text.len());
            return self.say(Role::Warning, words);
        }
        if text == self.text || differs_in_last_newline(&text, &self.text) {
            return self.say(Role::Faint, "The plan was not changed.");
        }
        let proposed = &self.asked.request.plan_content;
        let text = if differs_in_last_newline(&text, proposed) { proposed.clone() } else { text };
        self.edit = Difference::of(diff::diff(proposed, &text).unified(MOST_DIFF_LINES));
        self.changed = match (&self.asked.seen, self.is_edited()) {
            (Some(seen), true) => Difference::of(diff::diff(seen, &text).unified(MOST_DIFF_LINES)),
            (Some(_), false) | (None, _) => Difference::of(self.asked.changed.clone()),
        };
        self.notes = (!self.is_edited()).then(|| self.asked.notes.clone());
        (self.is_unchecked, self.noted) = (self.is_edited(), None);
        self.unkept = Unkept::Finished;
        self.hash = Hash::of(text.as_bytes());
        self.line_count = text.lines().count();
        self.hidden = fore_text::marks(&text, fore_text::Kind::Prose);
        self.remarks.anchor_again(&text);
        self.pages.at(Page::Plan).go_to_when_drawn(first_change(&self.text, &text));
        self.text = text;
        self.version = self.version.saturating_add(1);
        // Another text than the one a choice was made for: the person chooses again.
        (self.inner, self.selected, self.shown) = (Inner::Text, None, Shown::Nothing);
        self.page = Page::Plan;
        let words = "Edited by you: your answer carries this text. d shows what you changed.";
        self.say(Role::Person, if self.is_edited() { words } else { "As proposed again." });
    }
}

impl Difference {
    fn of(unified: String) -> Difference {
        let count = |sign| unified.lines().filter(|line| line.starts_with(sign)).count();
        Difference { added: count('+'), removed: count('-'), unified }
    }

    /// `+12 -3`
    fn counts(&self) -> String {
        format!("+{} -{}", self.added, self.removed)
    }
}

impl Dialog for Approval {
    fn approval(&mut self) -> Option<&mut Approval> {
        Some(self)
    }

    fn into_approval(self: Box<Self>) -> Option<Approval> {
        Some(*self)
    }

    fn key(&mut self, key: KeyEvent) -> Step {
        if key.kind == KeyEventKind::Release {
            return Step::Stay;
        }
        self.message = None;
        match std::mem::replace(&mut self.stage, Stage::Reading) {
            Stage::Reading => self.press(key),
            Stage::Writing(writing) => self.write(writing, key),
            Stage::Asking(question) => self.consider(question, key),
        }
    }

    fn paste(&mut self, text: &str) {
        match &mut self.stage {
            Stage::Writing(writing) => {
                writing.field.paste(text);
                let what = writing.what.clone();
                self.touched(&what, Unkept::Typed);
            }
            Stage::Reading | Stage::Asking(_) => {}
        }
    }

    fn left(&mut self) {
        (self.inner, self.selected) = (Inner::Text, None);
        // A question about an answer goes with the choice that led to it; what is being written stays.
        if matches!(self.stage, Stage::Asking(_)) {
            self.stage = Stage::Reading;
        }
    }

    fn view(&mut self, space: Space, focus: Focus) -> View {
        self.frame(space, focus)
    }

    fn open_editor(&mut self) -> Option<Step> {
        matches!(self.stage, Stage::Reading).then(|| self.edit())
    }

    fn edited(&mut self, text: Result<String, String>) {
        match text {
            Ok(text) => self.take_edit(text),
            Err(why) => self.say(Role::Warning, format!("Not edited: {}", tame(&one_line(&why)))),
        }
    }
}

/// The first line that is not as it was, from 1.
fn first_change(before: &str, after: &str) -> u32 {
    let same = before.lines().zip(after.lines()).take_while(|(before, after)| before == after).count();
    u32::try_from(same).unwrap_or(u32::MAX).saturating_add(1)
}

/// Editors end a file with a newline; that alone is no edit.
fn differs_in_last_newline(one: &str, other: &str) -> bool {
    one.trim_end_matches(['\n', '\r']) == other.trim_end_matches(['\n', '\r'])
}

#[cfg(test)]
mod tests;
