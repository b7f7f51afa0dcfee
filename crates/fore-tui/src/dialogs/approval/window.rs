//! The part of the plan that is seen: always behind a bar in the colour of planning, so that no text of a plan can look
//! like the dialog around it.

use super::{
    ApprovalDialog, Focus, ReadingFocus, ReviewPage, ReviewStage,
    frame::{GUTTER, Room, indent},
    notes::{NOTE_ROWS, PlacedNote, placed},
    plan_view::PlanView,
    remarks::{PlanRemark, QUOTE_COLUMNS},
    writing::{FieldPurpose, Writing},
};
use crate::{
    dialogs::text::{LineBreak, cut, rows, sanitize_line},
    paint,
    theme::{Sign, TextRole, Theme},
    view::View,
};
use fore_plan::Mode;
use ratatui::text::{Line, Span};

/// Rows that a comment takes below its lines, unless it is open.
const REMARK_ROWS: usize = 4;
/// Rows of the field for a comment.
const FIELD_ROWS: u16 = 6;

/// What stands below lines of the plan, and above the first.
struct PlanAnnotations<'a> {
    notes: Vec<PlacedNote<'a>>,
    /// The drawn line that each comment ends with, ascending.
    remarks: Vec<(usize, &'a PlanRemark)>,
    field: Option<(usize, &'a Writing)>,
    width: u16,
    field_rows: u16,
    /// Rows of the window.
    most: usize,
    theme: &'a Theme,
}

#[derive(Clone, Copy, Debug)]
struct AnnotationSize {
    width: u16,
    field_rows: u16,
    most: usize,
}

impl ApprovalDialog {
    /// Rows that the text wants at most.
    pub(super) fn text_rows(&mut self, room: Room) -> usize {
        let under = match (self.page, &self.stage) {
            (ReviewPage::Plan, ReviewStage::Writing(writing)) if self.is_field_in_text(room) && writing.is_remark() => {
                usize::from(FIELD_ROWS) + 1
            }
            _ => 0,
        };
        let (remarks, notes) = match self.page {
            ReviewPage::Plan => (self.remarks.count() * (REMARK_ROWS + 1), self.notes().len() * NOTE_ROWS),
            ReviewPage::Edit | ReviewPage::Changed | ReviewPage::Earlier | ReviewPage::Tried | ReviewPage::Grants => {
                (0, 0)
            }
        };
        self.plan_view().count().max(1) + under + remarks + notes
    }

    /// The rows that fit.
    pub(super) fn window(&mut self, room: Room, focus: Focus, width: u16, most: usize, theme: &Theme) -> View {
        let field_in_text = self.is_field_in_text(room);
        let is_here = focus == Focus::Here && self.reading_focus == ReadingFocus::Text;
        // Told apart by more than colours: where keys go, and where they would.
        let (sign, role) = if is_here { (Sign::Pointer, TextRole::Accent) } else { (Sign::Dot, TextRole::Faint) };
        let pointer = Span::styled(theme.sign(sign), theme.style(role));
        // The line itself and the label of the field have a row each.
        let field_rows = u16::try_from(most.saturating_sub(2)).unwrap_or(FIELD_ROWS).clamp(1, FIELD_ROWS);
        let size = AnnotationSize { width: width - GUTTER, field_rows, most };
        let plan_view = self.pages.at(self.page);
        let notes = self.notes.as_deref().unwrap_or_default();
        let under = match self.page {
            ReviewPage::Plan => {
                let field = match &self.stage {
                    ReviewStage::Writing(writing) if field_in_text => Some(writing.as_ref()),
                    _ => None,
                };
                let notes = placed(notes, self.noted, plan_view);
                PlanAnnotations { notes, ..PlanAnnotations::new(plan_view, self.remarks.all(), field, size, theme) }
            }
            ReviewPage::Edit | ReviewPage::Changed | ReviewPage::Earlier | ReviewPage::Tried | ReviewPage::Grants => {
                PlanAnnotations::new(plan_view, &[], None, size, theme)
            }
        };
        let range = plan_view.window(most, |line| 1 + under.above(line).len() + under.at(line).lines.len());
        let is_scrolled = range.start > 0 || plan_view.count() > most;
        let mut view = View::default();
        let mut bottom = range.start;
        for index in range {
            if view.lines.len() >= most {
                break;
            }
            bottom = index;
            view.lines.extend(under.above(index));
            view.lines.push(under.row(plan_view, index, &pointer));
            view.push(under.at(index));
        }
        plan_view.ended_with(bottom);
        view.lines.truncate(most);
        view.cursor = view.cursor.filter(|cursor| usize::from(cursor.row) < most);
        // A window that moves over a longer text keeps its height.
        while is_scrolled && view.lines.len() < most {
            view.lines.push(Line::from(bar(theme)));
        }
        if view.lines.is_empty() {
            let words = Span::styled("The plan is empty.", theme.style(TextRole::Faint));
            view.lines.push(Line::from(vec![bar(theme), Span::raw("  "), words]));
        }
        view
    }
}

impl<'a> PlanAnnotations<'a> {
    fn new(
        plan_view: &PlanView,
        all: &'a [PlanRemark],
        writing: Option<&'a Writing>,
        size: AnnotationSize,
        theme: &'a Theme,
    ) -> PlanAnnotations<'a> {
        let open = writing.and_then(|writing| match &writing.purpose {
            FieldPurpose::Remark { lines, .. } => Some((*lines, writing)),
            FieldPurpose::Reason | FieldPurpose::Note | FieldPurpose::Search | FieldPurpose::Grant => None,
        });
        let closed = all.iter().filter(|remark| open.is_none_or(|(lines, _)| remark.lines != lines));
        let mut remarks: Vec<(usize, &PlanRemark)> =
            closed.map(|remark| (plan_view.last_of(remark.lines.last), remark)).collect();
        remarks.sort_by_key(|(line, _)| *line);
        let field = open.map(|(lines, writing)| (plan_view.last_of(lines.last), writing));
        PlanAnnotations {
            notes: Vec::new(),
            remarks,
            field,
            width: size.width,
            field_rows: size.field_rows,
            most: size.most,
            theme,
        }
    }

    /// What stands below one drawn line.
    fn at(&self, line: usize) -> View {
        let mut view = View::default();
        // The field first: it must be seen whatever stands there already.
        if let Some((at, writing)) = self.field
            && at == line
        {
            view.push(self.field(writing));
        }
        view.lines.extend(self.notes_at(Some(line), self.most));
        let first = self.remarks.partition_point(|(at, _)| *at < line);
        for (_, remark) in self.remarks.iter().skip(first).take_while(|(at, _)| *at == line) {
            view.lines.extend(self.remark(remark));
        }
        view
    }

    /// What stands above one drawn line: notes on the whole plan, above the first, as long as they leave room for it.
    fn above(&self, line: usize) -> Vec<Line<'static>> {
        if line == 0 { self.notes_at(None, self.most / 2) } else { Vec::new() }
    }

    fn notes_at(&self, place: Option<usize>, most: usize) -> Vec<Line<'static>> {
        let first = self.notes.partition_point(|placed| placed.below < place);
        let mut all: Vec<Line<'static>> = Vec::new();
        for placed in self.notes.iter().skip(first).take_while(|placed| placed.below == place) {
            let rows = placed.rows(NOTE_ROWS.min(most - all.len()), self.width, self.theme);
            all.extend(rows.into_iter().map(|(front, line)| self.behind_bar(front, line)));
        }
        all
    }

    fn remark(&self, remark: &PlanRemark) -> Vec<Line<'static>> {
        let label = remark.label(|quote| paint::cut(quote, QUOTE_COLUMNS, self.theme));
        let person = self.theme.style(TextRole::Person);
        let mut all = Vec::new();
        // More than this is not seen anyway.
        let most_letters = usize::from(self.width) * (REMARK_ROWS + 1);
        let start = fore_text::cut::chars(&remark.text, most_letters);
        for (number, text) in start.split('\n').take(REMARK_ROWS + 1).enumerate() {
            let mut spans = Vec::new();
            if number == 0 {
                spans.push(Span::styled(label.clone(), self.theme.style(TextRole::Faint)));
            }
            spans.push(Span::styled(sanitize_line(text), person));
            all.extend(rows(&Line::from(spans), self.width, 0, LineBreak::Words));
        }
        if all.len() > REMARK_ROWS {
            all.truncate(REMARK_ROWS);
            if let Some(last) = all.last_mut() {
                let longer = Line::from(vec![Span::styled(format!("{last} "), person), self.dots()]);
                *last = cut(&longer, self.width, self.theme);
            }
        }
        all.into_iter().map(|line| self.behind_bar(self.remark_sign(TextRole::Person), line)).collect()
    }

    fn dots(&self) -> Span<'static> {
        Span::styled(format!("{} (c opens it)", self.theme.sign(Sign::Ellipsis)), self.theme.style(TextRole::Faint))
    }

    fn field(&self, writing: &Writing) -> View {
        let label = Line::from(Span::styled(writing.label(), self.theme.style(TextRole::Accent)));
        let label = cut(&label, self.width, self.theme);
        let mut view = View::of(vec![self.behind_bar(self.remark_sign(TextRole::Accent), label)]);
        let mut field = writing.field.view(self.width, self.field_rows, self.theme);
        indent(&mut field, &[bar(self.theme), self.remark_sign(TextRole::Accent), Span::raw(" ")]);
        view.push(field);
        view
    }

    fn row(&self, plan_view: &PlanView, index: usize, pointer: &Span<'static>) -> Line<'static> {
        let is_commented = || {
            let lines = plan_view.lines_at(index);
            lines.is_some_and(|lines| self.remarks.iter().any(|(_, remark)| remark.lines.touches(lines)))
        };
        let mark = if index == plan_view.cursor() {
            pointer.clone()
        } else if plan_view.is_marking() && plan_view.marked().contains(&index) {
            self.remark_sign(TextRole::Accent)
        } else if is_commented() {
            self.remark_sign(TextRole::Person)
        } else {
            Span::raw(" ")
        };
        let line = plan_view.line(index).map(|line| cut(line, self.width, self.theme)).unwrap_or_default();
        self.behind_bar(mark, plan_view.marked_line(line, self.theme))
    }

    fn remark_sign(&self, role: TextRole) -> Span<'static> {
        Span::styled(self.theme.sign(Sign::Remark), self.theme.style(role))
    }

    fn behind_bar(&self, mark: Span<'static>, line: Line<'static>) -> Line<'static> {
        let mut spans = vec![bar(self.theme), mark, Span::raw(" ")];
        spans.extend(line.spans.into_iter().map(|span| Span { style: line.style.patch(span.style), ..span }));
        Line::from(spans)
    }
}

fn bar(theme: &Theme) -> Span<'static> {
    Span::styled(theme.sign(Sign::Bar), theme.style(TextRole::Mode(Mode::Plan)))
}
