//! What the window of the dialog can show: the plan, what changed in it, and earlier comments. It knows no keys.

use super::{ApprovalDialog, plan_view::PlanView, plan_view::RenderKey, remarks, reveal::reveal_hidden};
use crate::{
    dialogs::text::{labelled, paragraph},
    paint,
    theme::{TextRole, Theme},
};
use fore_plan::approval::Comment;
use fore_store::entry::Rehearsal;
use ratatui::text::Line;

/// One of the things to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReviewPage {
    Plan,
    /// What the person changed in the model's plan.
    Edit,
    /// What changed since the person saw it last.
    Changed,
    /// Comments on the revision before.
    Earlier,
    /// What was tried while planning.
    Tried,
    /// What the plan covers.
    Grants,
}

/// A view for each page, so that each keeps its place.
#[derive(Debug, Default)]
pub(super) struct ReviewPages {
    plan: PlanView,
    edit: PlanView,
    changed: PlanView,
    earlier: PlanView,
    tried: PlanView,
    grants: PlanView,
}

impl ReviewPages {
    pub(super) fn at(&mut self, page: ReviewPage) -> &mut PlanView {
        match page {
            ReviewPage::Plan => &mut self.plan,
            ReviewPage::Edit => &mut self.edit,
            ReviewPage::Changed => &mut self.changed,
            ReviewPage::Earlier => &mut self.earlier,
            ReviewPage::Tried => &mut self.tried,
            ReviewPage::Grants => &mut self.grants,
        }
    }
}

impl ApprovalDialog {
    pub(super) fn plan_view(&mut self) -> &mut PlanView {
        self.pages.at(self.page)
    }

    /// The difference that follows when `d` is pressed, or the plan again.
    pub(super) fn next_page(&self) -> ReviewPage {
        let changed = if self.changed.unified.is_empty() { ReviewPage::Plan } else { ReviewPage::Changed };
        match self.page {
            ReviewPage::Plan | ReviewPage::Earlier | ReviewPage::Tried | ReviewPage::Grants if self.is_edited() => {
                ReviewPage::Edit
            }
            ReviewPage::Plan | ReviewPage::Earlier | ReviewPage::Tried | ReviewPage::Grants | ReviewPage::Edit => {
                changed
            }
            ReviewPage::Changed => ReviewPage::Plan,
        }
    }

    /// Draws the page if it was not drawn for this text, width and theme yet.
    pub(super) fn renew(&mut self, width: u16, theme: Theme) {
        let drawn = RenderKey { version: self.version, width, theme };
        let path = &self.asked.request.plan_file_path;
        let grants = if self.page == ReviewPage::Grants { self.grant_rows(width, &theme) } else { Default::default() };
        let plan_view = self.pages.at(self.page);
        match self.page {
            ReviewPage::Grants => plan_view.renew(drawn, || grants),
            ReviewPage::Plan => plan_view.renew(drawn, || {
                let rendered = paint::plan(&self.text, width, &theme);
                reveal_hidden((rendered.lines, rendered.sources), &self.text, width, &theme)
            }),
            ReviewPage::Edit => {
                plan_view.renew(drawn, || (paint::diff(&self.edit.unified, Some(path), width, &theme), Vec::new()))
            }
            ReviewPage::Changed => {
                plan_view.renew(drawn, || (paint::diff(&self.changed.unified, Some(path), width, &theme), Vec::new()));
            }
            ReviewPage::Earlier => {
                let lines = || earlier(&self.asked.earlier_comments, &self.text, width, &theme);
                plan_view.renew(drawn, || (lines(), Vec::new()));
            }
            ReviewPage::Tried => {
                let lines = || tried(&self.asked.rehearsals, width, &theme);
                plan_view.renew(drawn, || (lines(), Vec::new()));
            }
        }
    }
}

impl ApprovalDialog {
    /// The earlier comments as plain text.
    pub(super) fn earlier_words(&self) -> String {
        let comments = self.asked.earlier_comments.iter().take(remarks::MAX_REMARKS);
        let words = comments.map(|comment| {
            let (_, state) = state_of(comment, &self.text);
            format!("{}: {state}\n{}\n{}\n", lines_of(comment).words(), comment.quote, comment.remark)
        });
        words.collect::<Vec<_>>().join("\n")
    }
}

impl ApprovalDialog {
    /// What was tried, as plain text.
    pub(super) fn tried_words(&self) -> String {
        self.asked.rehearsals.iter().map(|tried| format!("{tried}\n")).collect::<Vec<_>>().join("\n")
    }
}

/// Each command that was tried, with how it ended and what it would have changed.
fn tried(rehearsals: &[Rehearsal], width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut all = Vec::new();
    for tried in rehearsals {
        let role = if tried.exit_code == Some(0) { TextRole::Good } else { TextRole::Warning };
        let words = tried.to_string();
        let (first, rest) = words.split_once('\n').unwrap_or((&words, ""));
        all.extend(paragraph(first, theme.style(role), width));
        if !rest.is_empty() {
            all.extend(paragraph(rest, theme.style(TextRole::Plain), width));
        }
        all.push(Line::default());
    }
    all.pop();
    all
}

/// Each earlier comment with the lines it was about, and whether they are still the same.
fn earlier(comments: &[Comment], text: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut all = Vec::new();
    for comment in comments.iter().take(remarks::MAX_REMARKS) {
        let (role, state) = state_of(comment, text);
        let label = format!("{}: ", lines_of(comment).words());
        all.extend(labelled(&label, state, (theme.style(TextRole::Strong), theme.style(role)), width));
        all.extend(paragraph(&comment.quote, theme.style(TextRole::Quote), width));
        all.extend(paragraph(&comment.remark, theme.style(TextRole::Person), width));
        all.push(Line::default());
    }
    all.pop();
    all
}

fn lines_of(comment: &Comment) -> remarks::PlanLines {
    remarks::PlanLines { first: comment.first_line, last: comment.last_line }
}

fn state_of(comment: &Comment, text: &str) -> (TextRole, &'static str) {
    match remarks::stands_in(text, &comment.quote) {
        true => (TextRole::Warning, "these lines are unchanged"),
        false => (TextRole::Good, "these lines have changed"),
    }
}
