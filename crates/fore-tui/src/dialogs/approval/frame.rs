//! The dialog as a whole: the plan behind its bar, what is known of it, the choices. The choices are there in every
//! window, or the dialog says that it needs more room and nothing can be chosen.

use super::{
    ApprovalDialog, Focus, ReadingFocus, ReviewPage, ReviewStage, SeenParts,
    offers::{ChoiceFocus, OfferList},
    writing::FieldPurpose,
};
use crate::{
    dialogs::text::{cut, paragraph},
    theme::{Sign, TextRole, Theme},
    view::{Cursor, Space, View},
};
use ratatui::text::{Line, Span};

/// Narrower than this, choices could not be told apart.
const MIN_WIDTH: u16 = 24;
/// Bar, mark and a blank in front of each line of the plan.
pub(super) const GUTTER: u16 = 3;
/// Rows of a field for a reason or a note.
const FIELD_ROWS: u16 = 5;

/// How much there is room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// Everything, with blank lines between.
    Roomy,
    /// No blank lines, and no more than the sentence of the proof.
    Snug,
    /// Choices in short words, the rest in one line.
    Tight,
    /// The same, and a message is cut rather than broken.
    Least,
}

impl Room {
    /// Rows of the plan that must be seen for this.
    fn least_rows(self) -> usize {
        match self {
            Room::Roomy => 10,
            Room::Snug => 6,
            Room::Tight | Room::Least => 1,
        }
    }

    /// Rows that what just happened may take.
    pub(super) fn message_rows(self) -> usize {
        match self {
            Room::Roomy | Room::Snug | Room::Tight => 3,
            Room::Least => 1,
        }
    }

    fn is_tight(self) -> bool {
        matches!(self, Room::Tight | Room::Least)
    }
}

impl ApprovalDialog {
    pub(super) fn frame(&mut self, space: Space, focus: Focus) -> View {
        if space.width < MIN_WIDTH {
            self.seen = SeenParts::Nothing;
            return too_small(space, focus);
        }
        self.renew(space.width - GUTTER, space.theme);
        let height = usize::from(space.height);
        for room in [Room::Roomy, Room::Snug, Room::Tight, Room::Least] {
            let below = self.below(room, space, focus).lines.len();
            let text_rows = self.text_rows(room);
            if below + 1 + room.least_rows().min(text_rows) > height {
                continue;
            }
            return self.assemble(room, space, focus, text_rows.min(height - below - 1));
        }
        self.seen = SeenParts::Nothing;
        too_small(space, focus)
    }

    fn assemble(&mut self, room: Room, space: Space, focus: Focus, rows: usize) -> View {
        let (width, theme) = (space.width, space.theme);
        let mut view = View::of(vec![self.title(width, &theme)]);
        view.push(self.window(room, focus, width, rows, &theme));
        // Once more: only now is known which lines the window shows.
        view.push(self.below(room, space, focus));
        match self.stage {
            ReviewStage::Reading | ReviewStage::Asking(_) => self.seen = SeenParts::Choices,
            // A field may stand where the choices were.
            ReviewStage::Writing(_) => {}
        }
        if focus != Focus::Here {
            view.cursor = None;
        }
        view
    }

    /// Everything beneath the plan.
    fn below(&mut self, room: Room, space: Space, focus: Focus) -> View {
        let (width, theme) = (space.width, &space.theme);
        let mut view = View::of(vec![self.foot_of_window(room, width, theme)]);
        match room {
            Room::Roomy | Room::Snug => view.lines.extend(self.facts(room, width, theme)),
            Room::Tight | Room::Least => {}
        }
        if room == Room::Roomy {
            view.lines.push(Line::default());
        }
        view.push(self.slot(room, space, focus));
        if room == Room::Roomy {
            view.lines.push(Line::default());
        }
        view.push(self.foot(room, width, theme, focus));
        view
    }

    /// Where the choices are: with a question or a field, if one is open.
    fn slot(&mut self, room: Room, space: Space, focus: Focus) -> View {
        let (width, theme) = (space.width, &space.theme);
        let field = match &self.stage {
            ReviewStage::Asking(question) => return View::of(question.lines(width, theme)),
            ReviewStage::Reading => None,
            ReviewStage::Writing(writing) => match writing.purpose {
                FieldPurpose::Remark { .. } if self.is_field_in_text(room) => None,
                FieldPurpose::Search => None,
                FieldPurpose::Remark { .. } | FieldPurpose::Reason | FieldPurpose::Note | FieldPurpose::Grant => {
                    Some(writing)
                }
            },
        };
        let mut view = View::default();
        if field.is_none() || !room.is_tight() {
            view.lines.extend(self.choices(room, space, focus));
        }
        if let Some(writing) = field {
            if room == Room::Roomy {
                view.lines.push(Line::default());
            }
            let label = Span::styled(writing.label(), theme.style(TextRole::Accent));
            view.lines.push(cut(&Line::from(label), width, theme));
            let rows = if room.is_tight() { 2 } else { FIELD_ROWS };
            let mut field = writing.field.view(width - 2, rows, theme);
            indent(&mut field, &[Span::raw("  ")]);
            if let Some(front) = field.lines.first_mut().and_then(|row| row.spans.first_mut()) {
                *front = Span::styled(format!("{} ", theme.sign(Sign::Prompt)), theme.style(TextRole::Person));
            }
            view.push(field);
        }
        view
    }

    fn choices(&self, room: Room, space: Space, focus: Focus) -> Vec<Line<'static>> {
        let reach = match (focus, &self.stage, self.reading_focus) {
            (Focus::Elsewhere | Focus::Soon, _, _) => ChoiceFocus::Away,
            (Focus::Here, ReviewStage::Reading, ReadingFocus::Choices) => ChoiceFocus::Here,
            (Focus::Here, ReviewStage::Reading, ReadingFocus::Text) => ChoiceFocus::InText,
            (Focus::Here, ReviewStage::Writing(_) | ReviewStage::Asking(_), _) => ChoiceFocus::Away,
        };
        let choices = OfferList {
            offers: &self.asked.request.options,
            selected: self.selected,
            reach,
            context: self.asked.context,
            theme: &space.theme,
        };
        match room {
            Room::Roomy | Room::Snug => choices.full(space.width),
            Room::Tight | Room::Least => choices.compact(space.width),
        }
    }

    /// A comment is written below its lines where the window has room for it.
    pub(super) fn is_field_in_text(&self, room: Room) -> bool {
        !room.is_tight() && self.page == ReviewPage::Plan
    }
}

/// Puts something in front of each row of a field.
pub(super) fn indent(view: &mut View, front: &[Span<'static>]) {
    let columns: usize = front.iter().map(Span::width).sum();
    for line in &mut view.lines {
        let mut spans = front.to_vec();
        spans.append(&mut line.spans);
        line.spans = spans;
    }
    let columns = u16::try_from(columns).unwrap_or(0);
    view.cursor = view.cursor.map(|cursor| Cursor { column: cursor.column.saturating_add(columns), ..cursor });
}

fn too_small(space: Space, focus: Focus) -> View {
    let theme: &Theme = &space.theme;
    let words = match focus {
        Focus::Here => "A plan waits for your answer. Make the window larger to see the choices. Esc keeps planning.",
        // It gets the rows of an empty message then.
        Focus::Soon | Focus::Elsewhere => "A plan waits for your answer. Tab goes to it.",
    };
    let mut lines = paragraph(words, theme.style(TextRole::Warning), space.width);
    lines.truncate(usize::from(space.height));
    View::of(lines)
}
