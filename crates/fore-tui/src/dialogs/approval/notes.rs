//! The notes of the plan check: each stands beneath the line it is about, those on the whole plan above it. They are no text
//! of the plan: no comment can be on one, and no line number counts them.

use super::{
    ApprovalDialog, CheckNote, ReviewPage,
    facts::HeaderFact,
    plan_view::{Move, PlanView},
};
use crate::{
    dialogs::{
        Annotation,
        text::{LineBreak, cut, one_line, rows, sanitize_line},
    },
    theme::{Sign, TextRole, Theme},
};
use fore_plan::plan::Severity;
use ratatui::text::{Line, Span};

/// Rows that one note takes.
pub(super) const NOTE_ROWS: usize = 4;

/// A note with the drawn line that it stands beneath; those on the whole plan stand above the first.
pub(super) struct PlacedNote<'a> {
    pub(super) below: Option<usize>,
    pub(super) note: &'a CheckNote,
    /// The person has gone to it.
    is_noted: bool,
}

/// All notes, in the order of the drawn lines.
pub(super) fn placed<'a>(notes: &'a [CheckNote], noted: Option<usize>, plan_view: &PlanView) -> Vec<PlacedNote<'a>> {
    let place = |(index, note): (usize, &'a CheckNote)| PlacedNote {
        below: note.line.map(|line| plan_view.last_of(u32::try_from(line).unwrap_or(u32::MAX))),
        note,
        is_noted: noted == Some(index),
    };
    let mut all: Vec<PlacedNote<'a>> = notes.iter().enumerate().map(place).collect();
    all.sort_by_key(|placed| placed.below);
    all
}

impl PlacedNote<'_> {
    /// At most so many rows; what stands in front of them stands where no text of a plan can stand.
    pub(super) fn rows(&self, most: usize, width: u16, theme: &Theme) -> Vec<(Span<'static>, Line<'static>)> {
        let style = theme.style(role_of(self.note.severity));
        let label = if self.below.is_some() { "note:" } else { "note on the whole plan:" };
        let label_role = if self.is_noted { TextRole::Selected } else { TextRole::Faint };
        let line = Line::from(vec![
            Span::styled(label, theme.style(label_role)),
            Span::raw(" "),
            Span::styled(sanitize_line(&one_line(&self.note.sentence)), style),
        ]);
        let mut all = rows(&line, width, 0, LineBreak::Words);
        if all.len() > most {
            all.truncate(most);
            if let Some(last) = all.last_mut() {
                // Too long by intent: the cut says that it goes on.
                last.spans.push(Span::styled(" ".repeat(width.into()), style));
                *last = cut(last, width, theme);
            }
        }
        let sign = if self.note.severity == Severity::Info { Sign::Dot } else { Sign::Warning };
        let front = |row: usize| Span::styled(theme.sign(if row == 0 { sign } else { Sign::Bar }), style);
        all.into_iter().enumerate().map(|(row, line)| (front(row), line)).collect()
    }
}

impl ApprovalDialog {
    pub(super) fn notes(&self) -> &[CheckNote] {
        self.notes.as_deref().unwrap_or_default()
    }

    /// What stands beneath the lines on the whole screen: the notes of the plan check and the person's comments.
    pub(super) fn beneath(&self) -> Vec<Annotation> {
        let of_note = |note: &CheckNote| Annotation {
            line: note.line.map_or(1, |line| u32::try_from(line).unwrap_or(u32::MAX)),
            label: if note.line.is_some() { "note: ".to_owned() } else { "note on the whole plan: ".to_owned() },
            text: one_line(&note.sentence),
        };
        let mut all: Vec<Annotation> = self.notes().iter().map(of_note).chain(self.remarks.beneath()).collect();
        all.sort_by_key(|annotation| annotation.line);
        all
    }

    /// `3 notes, 1 serious (.)`, and shorter.
    pub(super) fn notes_count(&self) -> Option<HeaderFact> {
        let Some(notes) = &self.notes else {
            return Some(HeaderFact::new(TextRole::Faint, ["notes: being checked", "checking"]));
        };
        let gravest = notes.iter().map(|note| note.severity).max()?;
        let grave = notes.iter().filter(|note| note.severity == Severity::Serious).count();
        let count = fore_text::count(notes.len(), "note");
        let serious = if grave == 0 { String::new() } else { format!(", {grave} serious") };
        Some(HeaderFact::new(role_of(gravest), [format!("{count}{serious} (.)"), format!("{count} (.)"), count]))
    }

    /// The next note, and on from the other end.
    pub(super) fn go_to_note(&mut self, to: Move) {
        let count = self.notes().len();
        let index = match (to, self.noted.filter(|noted| *noted < count)) {
            (Move::Up, Some(0) | None) => count.saturating_sub(1),
            (Move::Up, Some(here)) => here - 1,
            (_, Some(here)) if here + 1 < count => here + 1,
            (_, _) => 0,
        };
        let Some(line) = self.notes().get(index).map(|note| note.line) else {
            return self.say(TextRole::Faint, "The plan check has no notes.");
        };
        self.page = ReviewPage::Plan;
        self.noted = Some(index);
        let place = line.map_or_else(|| "on the whole plan".to_owned(), |line| format!("on line {line}"));
        self.say(TextRole::Plain, format!("Note {} of {count}, {place}.", index + 1));
        match line {
            Some(line) => self.plan_view().go_to(u32::try_from(line).unwrap_or(u32::MAX)),
            None => self.plan_view().go(Move::Start),
        }
    }
}

fn role_of(severity: Severity) -> TextRole {
    match severity {
        Severity::Info => TextRole::Faint,
        Severity::Warning => TextRole::Warning,
        Severity::Serious => TextRole::Bad,
    }
}
