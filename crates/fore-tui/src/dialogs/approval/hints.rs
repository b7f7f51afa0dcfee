//! The last line of the dialog: what just happened, or which keys do what here.

use super::{ApprovalDialog, Focus, ReadingFocus, ReviewPage, ReviewStage, frame::Room, writing::FieldPurpose};
use crate::{
    dialogs::text::{LineBreak, cut, rows, sanitize_line},
    theme::{TextRole, Theme},
    view::View,
};
use fore_plan::{
    Level, Mode,
    approval::{Offer, OfferKind},
};
use ratatui::text::{Line, Span};
use std::borrow::Cow;

/// Below this the hints use fewer words.
const WIDE: u16 = 60;
/// Parts one hint from the next.
const BETWEEN: &str = "   ";

/// A key, and what it does.
type KeyHint = (Cow<'static, str>, String);

/// Where all keys are listed. It ends every line of hints that has more to say.
const ALL_KEYS: (&str, &str) = ("?", "keys");

fn hint(key: &'static str, words: impl Into<String>) -> KeyHint {
    (key.into(), words.into())
}

impl ApprovalDialog {
    pub(super) fn foot(&mut self, room: Room, width: u16, theme: &Theme, focus: Focus) -> View {
        if focus == Focus::Soon {
            let (key, words) = crate::dialogs::SOON;
            return View::of(hints(&[hint(key, words)], None, 1, width, theme));
        }
        if focus == Focus::Elsewhere {
            let words = if width < WIDE {
                "to answer - you type a message now"
            } else {
                "to answer - what you type goes to your message"
            };
            return View::of(hints(&[hint("Tab", words)], None, 1, width, theme));
        }
        if let ReviewStage::Writing(writing) = &self.stage
            && writing.purpose == FieldPurpose::Search
        {
            let mut view = writing.field.view(width.saturating_sub(1), 1, theme);
            super::frame::indent(&mut view, &[Span::styled("/", theme.style(TextRole::Accent))]);
            return view;
        }
        if let Some((role, words)) = &self.message {
            let line = Line::from(Span::styled(sanitize_line(words), theme.style(*role)));
            let mut all = rows(&line, width, 0, LineBreak::Words);
            if all.len() > room.message_rows() {
                all = vec![cut(&line, width, theme)];
            }
            return View::of(all);
        }
        let most_rows = if room == Room::Roomy { 2 } else { 1 };
        let pinned = matches!(self.stage, ReviewStage::Reading).then(|| hint(ALL_KEYS.0, ALL_KEYS.1));
        View::of(hints(&self.hints(room, width), pinned, most_rows, width, theme))
    }

    fn hints(&mut self, room: Room, width: u16) -> Vec<KeyHint> {
        match &self.stage {
            ReviewStage::Asking(question) => {
                let numbers = format!("1-{}", question.count());
                vec![hint("Enter", "answers"), hint("Esc", "goes back"), (numbers.into(), "select".to_owned())]
            }
            ReviewStage::Writing(writing) => match writing.purpose {
                FieldPurpose::Reason => {
                    let sends = match self.remark_count() {
                        Some(comments) => format!("sends it with {comments}"),
                        None => "sends it".to_owned(),
                    };
                    vec![hint("Enter", sends), hint("Esc", "goes back"), hint("Ctrl+J", "new line")]
                }
                FieldPurpose::Remark { .. } | FieldPurpose::Note => {
                    vec![hint("Enter", "saves"), hint("Esc", "keeps a draft"), hint("Ctrl+J", "new line")]
                }
                FieldPurpose::Grant => vec![hint("Enter", "adds it"), hint("Esc", "goes back")],
                FieldPurpose::Search => Vec::new(),
            },
            ReviewStage::Reading => match self.reading_focus {
                ReadingFocus::Choices => self.hints_for_choices(width),
                ReadingFocus::Text => self.hints_for_text(room, width),
            },
        }
    }

    fn hints_for_choices(&self, width: u16) -> Vec<KeyHint> {
        let numbers = format!("1-{}", self.asked.request.options.len().min(9));
        let mut all: Vec<KeyHint> = self.advice(width).into_iter().collect();
        all.extend([hint("Enter", "answers"), hint("Tab", "to the plan")]);
        all.extend([hint("Esc", "keeps planning"), (numbers.into(), "select".to_owned()), hint("n", "add a note")]);
        all.extend(self.left_out().map(|words| hint("", words)));
        all
    }

    /// Why a choice that others have is not among these.
    fn left_out(&self) -> Option<&'static str> {
        let offers = &self.asked.request.options;
        let goes_on_asking =
            |offer: &Offer| offer.value == OfferKind::StartEditing && offer.leads_to == Mode::At(Level::Default);
        let has_choice = offers.iter().any(|offer| offer.value == OfferKind::AcceptEdits);
        (offers.iter().any(goes_on_asking) && !has_choice).then_some("to accept edits: /trust first")
    }

    fn hints_for_text(&mut self, room: Room, width: u16) -> Vec<KeyHint> {
        let page = self.page;
        let plan_view = self.plan_view();
        if plan_view.is_marking() {
            let lines = plan_view.chosen().map_or_else(String::new, |lines| format!(" on {}", lines.words()));
            return vec![hint("c", format!("comment{lines}")), hint("Esc", "unmark")];
        }
        if let Some(words) = plan_view.search_words() {
            return vec![hint("n N", sanitize_line(&words)), hint("Esc", "ends the search")];
        }
        if page != ReviewPage::Plan {
            let mut all = vec![hint("Esc", "back to the plan"), hint("Tab", "to the choices")];
            if page == ReviewPage::Grants {
                all.extend([hint("x", "strike, or take that back"), hint("a", "add")]);
                return all;
            }
            if self.next_page() != ReviewPage::Plan {
                all.push(hint("d", "difference"));
            }
            return all;
        }
        let advice = self.advice(width);
        let answer = if width < WIDE || advice.is_some() || room != Room::Roomy {
            hint("Tab", "to the choices")
        } else {
            hint("Tab", "choices")
        };
        let mut all: Vec<KeyHint> = advice.into_iter().collect();
        all.push(answer);
        all.push(hint("Esc", "keeps planning"));
        if !self.is_turned_to {
            all.extend([hint("Down", "reads and comments"), hint("letters", "write a message")]);
            return all;
        }
        all.push(hint("c", "comment"));
        if !self.notes().is_empty() {
            all.push(hint(". ,", "notes"));
        }
        all.extend([hint("e", "edit"), hint("f", "full screen")]);
        if self.asked.agent.is_none() {
            all.push(hint("p", "what it covers"));
        }
        if !self.changed.unified.is_empty() || self.is_edited() {
            all.push(hint("d", "difference"));
        }
        if self.asked.request.steps.len() > 1 {
            all.push(hint("s", "leave a step out"));
        }
        all.extend([hint("/", "search"), hint("n", "add a note"), hint("v", "range")]);
        all
    }

    /// With comments, the answer that they are for.
    fn advice(&self, width: u16) -> Option<KeyHint> {
        let comments = self.remark_count()?;
        if width < WIDE {
            return Some(hint("", comments));
        }
        let them = fore_text::plural(self.remarks.count(), "it", "them");
        Some(hint("", format!("{comments}: keep planning sends {them}")))
    }
}

/// As many hints as fit into the rows, the first ones first; the pinned one always, at the end.
fn hints(all: &[KeyHint], pinned: Option<KeyHint>, most_rows: usize, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let width_of = |spans: &[Span<'static>]| spans.iter().map(Span::width).sum::<usize>();
    let pinned = pinned.map(|pinned| item(&pinned, theme));
    let kept = pinned.as_ref().map_or(0, |pinned| BETWEEN.len() + width_of(pinned));
    let mut rows = vec![Line::default()];
    for hint in all {
        let item = item(hint, theme);
        let room = |row: usize| usize::from(width).saturating_sub(if row == most_rows { kept } else { 0 });
        let used = rows.last().map_or(0, Line::width);
        if used > 0 && used + BETWEEN.len() + width_of(&item) > room(rows.len()) {
            if rows.len() == most_rows || width_of(&item) > room(rows.len() + 1) {
                continue;
            }
            rows.push(Line::default());
        }
        put(&mut rows, item);
    }
    if let Some(pinned) = pinned {
        let used = rows.last().map_or(0, Line::width);
        if used + kept > usize::from(width) && rows.len() < most_rows {
            rows.push(Line::default());
        }
        put(&mut rows, pinned);
    }
    rows.iter().map(|row| cut(row, width, theme)).collect()
}

fn put(rows: &mut [Line<'static>], item: Vec<Span<'static>>) {
    if let Some(row) = rows.last_mut() {
        if !row.spans.is_empty() {
            row.spans.push(Span::raw(BETWEEN));
        }
        row.spans.extend(item);
    }
}

fn item((key, words): &KeyHint, theme: &Theme) -> Vec<Span<'static>> {
    let (words, role) = match key.is_empty() {
        true => (words.clone(), TextRole::Person),
        false => (format!(" {words}"), TextRole::Faint),
    };
    vec![Span::styled(key.clone(), theme.style(TextRole::Accent)), Span::styled(words, theme.style(role))]
}
