//! The approval of a plan: read it, comment on it, edit it, decide. Nothing but Enter on a choice that the person went to
//! approves; everything else means that planning goes on.

mod answer;
mod confirm_question;
mod facts;
mod frame;
mod grants;
mod hints;
mod keys;
mod notes;
mod offers;
mod page;
mod plan_view;
mod remarks;
mod reveal;
mod step_choice;
mod titled_rule;
mod unsent;
mod window;
mod writing;

pub(crate) use self::facts::moved_words;
pub(crate) use self::grants::{command_words, commands_words, file_words, typed_words};
pub(crate) use self::unsent::{LostEdit, UnsavedReview};
use self::{
    confirm_question::ConfirmQuestion,
    grants::GrantReview,
    page::{ReviewPage, ReviewPages},
    remarks::Remarks,
    step_choice::LeftOutSteps,
    writing::{OverallNote, Writing},
};
use super::{Dialog, DialogStep, Focus};
use crate::{
    dialogs::text::{one_line, sanitize_line},
    paint,
    theme::TextRole,
    view::{Space, View},
};
use crossterm::event::{KeyEvent, KeyEventKind};
use fore_agent::ApprovalAsked;
use fore_plan::{
    approval::GrantChanges,
    plan::{CheckNote, Hash, MAX_PLAN_BYTES, diff},
};

/// A plan with more lines is not drawn to its end, and so it cannot be approved here.
const MAX_LINES: usize = paint::MAX_LINES;
/// Lines of a difference that are shown at most.
const MAX_DIFF_LINES: usize = 5_000;

/// The dialog that asks for the approval of one plan.
#[derive(Debug)]
pub(crate) struct ApprovalDialog {
    asked: ApprovalAsked,
    /// The plan as it would be approved: the model's, or as the person edited it.
    text: String,
    hash: Hash,
    line_count: usize,
    /// Characters of it that nobody could see, and that are shown as marks.
    hidden: usize,
    /// What the person changed in it.
    edit: CountedDiff,
    /// What changed since the person saw it last.
    changed: CountedDiff,
    /// Steps that the person does not approve; the text is without them.
    left_out: Option<LeftOutSteps>,
    /// Counts the texts, so that what was drawn of an older one is not used.
    version: u64,
    pages: ReviewPages,
    page: ReviewPage,
    grants: GrantReview,
    remarks: Remarks,
    note: OverallNote,
    stage: ReviewStage,
    reading_focus: ReadingFocus,
    selected: Option<usize>,
    /// What the plan check says of the text that is shown; none until it is known for an edited one.
    notes: Option<Vec<CheckNote>>,
    is_unchecked: bool,
    /// The note of the plan check that was gone to last.
    noted: Option<usize>,
    unsaved: UnsavedReview,
    message: Option<(TextRole, String)>,
    seen: SeenParts,
    /// The person has turned to it: letters are commands.
    is_turned_to: bool,
}

/// A difference, counted once.
#[derive(Debug, Default)]
struct CountedDiff {
    unified: String,
    added: usize,
    removed: usize,
}

/// What the person is doing.
#[derive(Debug)]
enum ReviewStage {
    Reading,
    Writing(Box<Writing>),
    Asking(ConfirmQuestion),
}

/// Where keys go while reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadingFocus {
    Text,
    Choices,
}

/// Whether the choices were on the screen, for this text. What nobody could see, nobody chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeenParts {
    Nothing,
    Choices,
}

impl ApprovalDialog {
    pub(crate) fn new(asked: ApprovalAsked) -> ApprovalDialog {
        let text = asked.request.plan_content.clone();
        ApprovalDialog {
            hash: asked.request.plan_hash,
            line_count: text.lines().count(),
            hidden: fore_text::marks(&text, fore_text::TextKind::Prose),
            edit: CountedDiff::default(),
            changed: CountedDiff::of(asked.changed.clone()),
            left_out: None,
            version: 0,
            pages: ReviewPages::default(),
            page: ReviewPage::Plan,
            grants: GrantReview::new(asked.request.contract.clone(), asked.request.contract_hash),
            remarks: Remarks::default(),
            note: OverallNote::default(),
            stage: ReviewStage::Reading,
            reading_focus: ReadingFocus::Text,
            selected: None,
            notes: Some(asked.notes.clone()),
            is_unchecked: false,
            noted: None,
            unsaved: UnsavedReview::Nothing,
            message: None,
            seen: SeenParts::Nothing,
            is_turned_to: true,
            text,
            asked,
        }
    }

    /// The same plan asked again, because the answer did not count or the file had changed: what the person wrote goes
    /// on, where its lines are now.
    pub(crate) fn again(self, asked: ApprovalAsked) -> ApprovalDialog {
        let own_edit = self.whole_edit();
        let is_same = self.asked.request.plan_hash == asked.request.plan_hash;
        let grants = self.grants.changes();
        let mut next = ApprovalDialog { remarks: self.remarks, note: self.note, ..ApprovalDialog::new(asked) };
        let has_grants = grants != GrantChanges::default();
        let (wrote, edit) = (next.unsent().is_some() || !self.edit.unified.is_empty() || has_grants, own_edit);
        if is_same {
            next.bring_grants_back(&grants);
        }
        match edit {
            None => next.remarks.anchor_again(&next.text),
            Some(text) => next.take_edit(text),
        }
        if wrote {
            next.unsaved = UnsavedReview::Finished;
            let words = match self.left_out {
                None => "The plan is asked again. What you wrote is still here.",
                Some(_) => "The plan is asked again, with all of its steps. What you wrote is still here.",
            };
            let words = if has_grants && !is_same {
                "The plan has changed and is asked again. What you struck off its list or added is gone: see p."
            } else {
                words
            };
            next.say(TextRole::Warning, words);
        }
        next
    }

    /// Whether letters are commands here, or begin a message.
    pub(crate) fn set_turned_to(&mut self, is_turned_to: bool) {
        self.is_turned_to = is_turned_to;
    }

    fn is_edited(&self) -> bool {
        !self.edit.unified.is_empty()
    }

    /// Whether all of the plan can be looked at here.
    fn fits(&self) -> bool {
        self.line_count <= MAX_LINES && self.text.len() <= paint::MAX_BYTES
    }

    fn say(&mut self, role: TextRole, words: impl Into<String>) {
        self.message = Some((role, words.into()));
    }

    fn take_edit(&mut self, text: String) {
        if text.trim().is_empty() {
            return self.say(TextRole::Warning, "An empty plan is not accepted: the plan is as it was before.");
        }
        if text.len() > MAX_PLAN_BYTES {
            let words = format!("Too long: {} bytes, the most is {MAX_PLAN_BYTES}. Nothing changed.", text.len());
            return self.say(TextRole::Warning, words);
        }
        if text == self.text || differs_in_last_newline(&text, &self.text) {
            return self.say(TextRole::Faint, "The plan was not changed.");
        }
        let proposed = &self.asked.request.plan_content;
        let text = if differs_in_last_newline(&text, proposed) { proposed.clone() } else { text };
        self.edit = CountedDiff::of(diff(proposed, &text).unified(MAX_DIFF_LINES));
        self.changed = match (&self.asked.seen, self.is_edited()) {
            (Some(seen), true) => CountedDiff::of(diff(seen, &text).unified(MAX_DIFF_LINES)),
            (Some(_), false) | (None, _) => CountedDiff::of(self.asked.changed.clone()),
        };
        self.notes = (!self.is_edited()).then(|| self.asked.notes.clone());
        (self.is_unchecked, self.noted) = (self.is_edited(), None);
        self.unsaved = UnsavedReview::Finished;
        self.hash = Hash::of(text.as_bytes());
        self.line_count = text.lines().count();
        self.hidden = fore_text::marks(&text, fore_text::TextKind::Prose);
        self.remarks.anchor_again(&text);
        self.pages.at(ReviewPage::Plan).go_to_when_drawn(first_change(&self.text, &text));
        self.text = text;
        self.contract_is_due();
        self.version = self.version.saturating_add(1);
        // Another text than the one a choice was made for: the person chooses again.
        (self.reading_focus, self.selected, self.seen) = (ReadingFocus::Text, None, SeenParts::Nothing);
        self.page = ReviewPage::Plan;
        let words = "Edited by you: your answer carries this text. d shows what you changed.";
        self.say(TextRole::Person, if self.is_edited() { words } else { "As proposed again." });
    }
}

impl CountedDiff {
    fn of(unified: String) -> CountedDiff {
        let count = |sign| unified.lines().filter(|line| line.starts_with(sign)).count();
        CountedDiff { added: count('+'), removed: count('-'), unified }
    }

    /// `+12 -3`
    fn counts(&self) -> String {
        format!("+{} -{}", self.added, self.removed)
    }
}

impl Dialog for ApprovalDialog {
    fn approval(&mut self) -> Option<&mut ApprovalDialog> {
        Some(self)
    }

    fn into_approval(self: Box<Self>) -> Option<ApprovalDialog> {
        Some(*self)
    }

    fn key(&mut self, key: KeyEvent) -> DialogStep {
        if key.kind == KeyEventKind::Release {
            return DialogStep::Stay;
        }
        self.message = None;
        match std::mem::replace(&mut self.stage, ReviewStage::Reading) {
            ReviewStage::Reading => self.press(key),
            ReviewStage::Writing(writing) => self.write(writing, key),
            ReviewStage::Asking(question) => self.consider(question, key),
        }
    }

    fn paste(&mut self, text: &str) {
        match &mut self.stage {
            ReviewStage::Writing(writing) => {
                writing.field.paste(text);
                let what = writing.purpose.clone();
                self.touched(&what, UnsavedReview::Typed);
            }
            ReviewStage::Reading | ReviewStage::Asking(_) => {}
        }
    }

    fn left(&mut self) {
        (self.reading_focus, self.selected) = (ReadingFocus::Text, None);
        // A question about an answer goes with the choice that led to it; what is being written stays.
        if matches!(self.stage, ReviewStage::Asking(_)) {
            self.stage = ReviewStage::Reading;
        }
    }

    fn view(&mut self, space: Space, focus: Focus) -> View {
        self.frame(space, focus)
    }

    fn open_editor(&mut self) -> Option<DialogStep> {
        matches!(self.stage, ReviewStage::Reading).then(|| self.edit())
    }

    fn edited(&mut self, text: Result<String, String>) {
        match text {
            Ok(text) => {
                // The editor had the text without the steps that were left out: it is the plan from here on.
                self.left_out = None;
                self.take_edit(text);
            }
            Err(why) => self.say(TextRole::Warning, format!("Not edited: {}", sanitize_line(&one_line(&why)))),
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
