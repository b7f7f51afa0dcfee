//! What the window of the dialog can show: the plan, what changed in it, and earlier comments. It knows no keys.

use super::{Approval, remarks, sheet::Drawn, sheet::Sheet, whole::whole};
use crate::{
    dialogs::words::{labelled, paragraph},
    paint,
    theme::{Role, Theme},
};
use fore_plan::approval::Comment;
use ratatui::text::Line;

/// One of the things to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Page {
    Plan,
    /// What the person changed in the model's plan.
    Edit,
    /// What changed since the person saw it last.
    Changed,
    /// Comments on the revision before.
    Earlier,
}

/// A sheet for each page, so that each keeps its place.
#[derive(Debug, Default)]
pub(super) struct Pages {
    plan: Sheet,
    edit: Sheet,
    changed: Sheet,
    earlier: Sheet,
}

impl Pages {
    pub(super) fn at(&mut self, page: Page) -> &mut Sheet {
        match page {
            Page::Plan => &mut self.plan,
            Page::Edit => &mut self.edit,
            Page::Changed => &mut self.changed,
            Page::Earlier => &mut self.earlier,
        }
    }
}

impl Approval {
    pub(super) fn sheet(&mut self) -> &mut Sheet {
        self.pages.at(self.page)
    }

    /// The difference that follows when `d` is pressed, or the plan again.
    pub(super) fn next_page(&self) -> Page {
        let changed = if self.changed.unified.is_empty() { Page::Plan } else { Page::Changed };
        match self.page {
            Page::Plan | Page::Earlier if self.is_edited() => Page::Edit,
            Page::Plan | Page::Earlier | Page::Edit => changed,
            Page::Changed => Page::Plan,
        }
    }

    /// Draws the page if it was not drawn for this text, width and theme yet.
    pub(super) fn renew(&mut self, width: u16, theme: Theme) {
        let drawn = Drawn { version: self.version, width, theme };
        let path = &self.asked.request.plan_file_path;
        let sheet = self.pages.at(self.page);
        match self.page {
            Page::Plan => sheet.renew(drawn, || {
                let rendered = paint::plan(&self.text, width, &theme);
                whole((rendered.lines, rendered.sources), &self.text, width, &theme)
            }),
            Page::Edit => {
                sheet.renew(drawn, || (paint::diff(&self.edit.unified, Some(path), width, &theme), Vec::new()))
            }
            Page::Changed => {
                sheet.renew(drawn, || (paint::diff(&self.changed.unified, Some(path), width, &theme), Vec::new()));
            }
            Page::Earlier => {
                let lines = || earlier(&self.asked.earlier_comments, &self.text, width, &theme);
                sheet.renew(drawn, || (lines(), Vec::new()));
            }
        }
    }
}

impl Approval {
    /// The earlier comments as plain text.
    pub(super) fn earlier_words(&self) -> String {
        let comments = self.asked.earlier_comments.iter().take(remarks::MOST_REMARKS);
        let words = comments.map(|comment| {
            let (_, state) = state_of(comment, &self.text);
            format!("{}: {state}\n{}\n{}\n", lines_of(comment).words(), comment.quote, comment.remark)
        });
        words.collect::<Vec<_>>().join("\n")
    }
}

/// Each earlier comment with the lines it was about, and whether they are still the same.
fn earlier(comments: &[Comment], text: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut all = Vec::new();
    for comment in comments.iter().take(remarks::MOST_REMARKS) {
        let (role, state) = state_of(comment, text);
        let label = format!("{}: ", lines_of(comment).words());
        all.extend(labelled(&label, state, (theme.style(Role::Strong), theme.style(role)), width));
        all.extend(paragraph(&comment.quote, theme.style(Role::Quote), width));
        all.extend(paragraph(&comment.remark, theme.style(Role::Person), width));
        all.push(Line::default());
    }
    all.pop();
    all
}

fn lines_of(comment: &Comment) -> remarks::Lines {
    remarks::Lines { first: comment.first_line, last: comment.last_line }
}

fn state_of(comment: &Comment, text: &str) -> (Role, &'static str) {
    match remarks::stands_in(text, &comment.quote) {
        true => (Role::Warning, "these lines are unchanged"),
        false => (Role::Good, "these lines have changed"),
    }
}
