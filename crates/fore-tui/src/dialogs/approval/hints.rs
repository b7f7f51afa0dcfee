//! The last line of the dialog: what just happened, or which keys do what here.

use super::{Approval, Focus, Inner, Page, Stage, frame::Room, writing::What};
use crate::{
    dialogs::words::{cut, tame},
    theme::{Role, Theme},
    view::View,
};
use fore_plan::{Level, Mode, approval::Offer};
use ratatui::text::{Line, Span};

/// Below this the hints use fewer words.
const WIDE: u16 = 60;

/// A key, and what it does.
type Hint = (&'static str, String);

impl Approval {
    pub(super) fn foot(&mut self, room: Room, width: u16, theme: &Theme, focus: Focus) -> View {
        if focus == Focus::Soon {
            let (key, words) = crate::dialogs::SOON;
            return View::of(hints(&[(key, words.to_owned())], 1, width, theme));
        }
        if focus == Focus::Elsewhere {
            let words = if width < WIDE {
                "to answer - you type a message now"
            } else {
                "to answer - what you type goes to your message"
            };
            return View::of(hints(&[("Tab", words.to_owned())], 1, width, theme));
        }
        if let Stage::Writing(writing) = &self.stage
            && writing.what == What::Search
        {
            let mut view = writing.field.view(width.saturating_sub(1), 1, theme);
            super::frame::indent(&mut view, &[Span::styled("/", theme.style(Role::Accent))]);
            return view;
        }
        if let Some((role, words)) = &self.message {
            let line = Line::from(Span::styled(tame(words), theme.style(*role)));
            return View::of(vec![cut(&line, width, theme)]);
        }
        let most_rows = if room == Room::Roomy { 2 } else { 1 };
        View::of(hints(&self.hints(width), most_rows, width, theme))
    }

    fn hints(&mut self, width: u16) -> Vec<Hint> {
        let hint = |key: &'static str, words: &str| (key, words.to_owned());
        match &self.stage {
            Stage::Asking(_) => vec![hint("Enter", "answers"), hint("Esc", "goes back"), hint("1-3", "select")],
            Stage::Writing(writing) => match writing.what {
                What::Reason => {
                    let sends = match self.remark_count() {
                        Some(comments) => format!("sends it with {comments}"),
                        None => "sends it".to_owned(),
                    };
                    vec![("Enter", sends), hint("Esc", "goes back"), hint("Alt+Enter", "new line")]
                }
                What::Remark { .. } | What::Note => {
                    vec![hint("Enter", "saves"), hint("Esc", "keeps a draft"), hint("Alt+Enter", "new line")]
                }
                What::Search => Vec::new(),
            },
            Stage::Reading => match self.inner {
                Inner::Choices => self.hints_for_choices(),
                Inner::Text => self.hints_for_text(width),
            },
        }
    }

    fn hints_for_choices(&self) -> Vec<Hint> {
        let hint = |key: &'static str, words: &str| (key, words.to_owned());
        let mut all: Vec<Hint> = self.advice().into_iter().collect();
        all.extend([hint("Enter", "answers"), hint("Tab", "to the plan")]);
        all.extend([hint("Esc", "keeps planning"), hint("1-9", "select"), hint("n", "add a note")]);
        all.extend(self.left_out().map(|words| hint("", words)));
        all
    }

    /// Why a choice that others have is not among these.
    fn left_out(&self) -> Option<&'static str> {
        let offers = &self.asked.request.options;
        let goes_on_asking =
            |offer: &Offer| offer.value == "startEditing" && offer.leads_to == Mode::At(Level::Default);
        let has_choice = offers.iter().any(|offer| offer.value == "acceptEdits");
        (offers.iter().any(goes_on_asking) && !has_choice).then_some("to accept edits: /trust first")
    }

    fn hints_for_text(&mut self, width: u16) -> Vec<Hint> {
        let hint = |key: &'static str, words: &str| (key, words.to_owned());
        let page = self.page;
        let sheet = self.sheet();
        if sheet.is_marking() {
            let lines = sheet.chosen().map_or_else(String::new, |lines| format!(" on {}", lines.words()));
            return vec![("c", format!("comment{lines}")), hint("Esc", "unmark")];
        }
        if let Some(words) = sheet.search_words() {
            return vec![("n N", tame(&words)), hint("Esc", "ends the search")];
        }
        if page != Page::Plan {
            let mut all = vec![hint("Esc", "back to the plan"), hint("Tab", "to the choices")];
            if self.next_page() != Page::Plan {
                all.push(hint("d", "difference"));
            }
            return all;
        }
        let advice = self.advice();
        let answer = if width < WIDE || advice.is_some() {
            hint("Tab", "to the choices")
        } else {
            hint("Tab", "to the choices: Enter answers only there")
        };
        let mut all: Vec<Hint> = advice.into_iter().collect();
        all.push(answer);
        all.push(hint("Esc", "keeps planning"));
        all.push(hint("c", "comment"));
        if !self.notes().is_empty() {
            all.push(hint(". ,", "notes"));
        }
        all.extend([hint("e", "edit"), hint("f", "full screen")]);
        if !self.changed.unified.is_empty() || self.is_edited() {
            all.push(hint("d", "difference"));
        }
        all.extend([hint("/", "search"), hint("n", "note"), hint("v", "range")]);
        all
    }

    /// With comments, the answer that they are for.
    fn advice(&self) -> Option<Hint> {
        let comments = self.remark_count()?;
        let them = if self.remarks.count() == 1 { "it" } else { "them" };
        Some(("", format!("{comments}: keep planning sends {them}")))
    }
}

/// As many hints as fit into the rows, the first ones first.
fn hints(all: &[Hint], most_rows: usize, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut rows = vec![Line::default()];
    for (key, words) in all {
        let words = if key.is_empty() { words.clone() } else { format!(" {words}") };
        let item = [
            Span::styled(*key, theme.style(Role::Accent)),
            Span::styled(words, theme.style(if key.is_empty() { Role::Person } else { Role::Faint })),
        ];
        let columns: usize = item.iter().map(Span::width).sum();
        let used = rows.last().map_or(0, Line::width);
        if used > 0 && used + 3 + columns > usize::from(width) {
            if rows.len() == most_rows {
                continue;
            }
            rows.push(Line::default());
        }
        if let Some(row) = rows.last_mut() {
            if !row.spans.is_empty() {
                row.spans.push(Span::raw("   "));
            }
            row.spans.extend(item);
        }
    }
    rows.iter().map(|row| cut(row, width, theme)).collect()
}
