//! The person's comments on lines of a plan: written, changed, taken back, and found again after an edit. None is lost
//! unless the person removes it.

use crate::dialogs::{
    Annotation,
    text::{one_line, sanitize_line},
};
use fore_plan::approval::{self, Comment};
pub(super) use fore_store::unsent_review::{Anchor, CommentState};

/// As many as a session keeps.
pub(super) const MAX_REMARKS: usize = 100;
/// Columns of a quote in front of a comment.
pub(super) const QUOTE_COLUMNS: u16 = 40;

/// Lines of the plan's source, from 1, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlanLines {
    pub(super) first: u32,
    pub(super) last: u32,
}

/// One comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlanRemark {
    pub(super) lines: PlanLines,
    pub(super) quote: String,
    pub(super) text: String,
    pub(super) state: CommentState,
    pub(super) anchor: Anchor,
}

/// All comments, by line.
#[derive(Debug, Default)]
pub(super) struct Remarks {
    all: Vec<PlanRemark>,
    /// The one that was removed last.
    removed: Option<PlanRemark>,
}

impl PlanLines {
    pub(super) fn touches(self, other: PlanLines) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    /// `line 4`, `lines 4-6`
    pub(super) fn words(self) -> String {
        if self.first == self.last {
            format!("line {}", self.first)
        } else {
            format!("lines {}-{}", self.first, self.last)
        }
    }
}

impl PlanRemark {
    /// `line 4 (draft): `; with its quote, where the text is not the one it was written on.
    pub(super) fn label(&self, shorten: impl FnOnce(&str) -> String) -> String {
        let draft = (self.state == CommentState::Draft).then(|| "draft".to_owned());
        let anchor = match self.anchor {
            Anchor::Same => None,
            Anchor::LineChanged => Some("line changed".to_owned()),
            Anchor::OlderText => {
                Some(format!("on an older text, \"{}\"", shorten(&sanitize_line(&one_line(&self.quote)))))
            }
        };
        let states: Vec<String> = draft.into_iter().chain(anchor).collect();
        match states.is_empty() {
            true => format!("{}: ", self.lines.words()),
            false => format!("{} ({}): ", self.lines.words(), states.join(", ")),
        }
    }
}

impl Remarks {
    /// Those that were kept; more than can be sent are left out.
    pub(super) fn of(mut all: Vec<PlanRemark>) -> Remarks {
        all.truncate(MAX_REMARKS);
        let mut remarks = Remarks { all, removed: None };
        remarks.sort();
        remarks.join_those_on_same_lines();
        remarks
    }

    pub(super) fn all(&self) -> &[PlanRemark] {
        &self.all
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    pub(super) fn drafts(&self) -> usize {
        self.all.iter().filter(|remark| remark.state == CommentState::Draft).count()
    }

    /// The comment on exactly these lines, else the one that ends there, else one that touches them.
    pub(super) fn on(&self, lines: PlanLines) -> Option<&PlanRemark> {
        let find = |wanted: &dyn Fn(&PlanRemark) -> bool| self.all.iter().find(|remark| wanted(remark));
        find(&|remark| remark.lines == lines)
            .or_else(|| find(&|remark| (lines.first..=lines.last).contains(&remark.lines.last)))
            .or_else(|| find(&|remark| remark.lines.touches(lines)))
    }

    /// Puts a comment in the place of the one on the same lines. A blank one takes it away.
    pub(super) fn put(&mut self, remark: PlanRemark) {
        if remark.text.trim().is_empty() {
            return self.remove(remark.lines);
        }
        self.all.retain(|other| other.lines != remark.lines);
        if self.all.len() >= MAX_REMARKS {
            return;
        }
        self.all.push(remark);
        self.sort();
    }

    pub(super) fn remove(&mut self, lines: PlanLines) {
        let (removed, kept) = std::mem::take(&mut self.all).into_iter().partition(|remark| remark.lines == lines);
        self.all = kept;
        let mut removed: Vec<PlanRemark> = removed;
        if let Some(removed) = removed.pop() {
            self.removed = Some(removed);
        }
    }

    /// The comment that was removed last is there again, unless its lines have another by now.
    pub(super) fn bring_back(&mut self) -> bool {
        match self.removed.take() {
            Some(removed) if self.all.iter().any(|remark| remark.lines == removed.lines) => {
                self.removed = Some(removed);
                false
            }
            Some(removed) => {
                self.put(removed);
                true
            }
            None => false,
        }
    }

    /// As they stand in a document, in the order of their last lines.
    pub(super) fn beneath(&self) -> Vec<Annotation> {
        let start = |quote: &str| fore_text::cut::chars(quote, QUOTE_COLUMNS.into()).to_owned();
        let beneath = |remark: &PlanRemark| Annotation {
            line: remark.lines.last,
            label: remark.label(start),
            text: remark.text.clone(),
        };
        self.all.iter().map(beneath).collect()
    }

    /// As they go to the session.
    pub(super) fn outgoing(&self) -> Vec<Comment> {
        let comment = |remark: &PlanRemark| Comment {
            first_line: remark.lines.first,
            last_line: remark.lines.last,
            quote: remark.quote.clone(),
            remark: remark.text.clone(),
        };
        self.all.iter().map(comment).collect()
    }

    /// The plan was edited: each comment goes where its quote stands now, the nearest place first.
    pub(super) fn anchor_again(&mut self, text: &str) {
        let line_count = text.lines().count();
        self.removed = None;
        for remark in &mut self.all {
            let was_older = remark.anchor == Anchor::OlderText;
            match approval::find_quote(text, &remark.quote, remark.lines.first) {
                Some((first, last)) => {
                    remark.lines = PlanLines { first, last };
                    remark.anchor = Anchor::Same;
                }
                None => {
                    let last_line = u32::try_from(line_count).unwrap_or(u32::MAX).max(1);
                    let (first, last) = (remark.lines.first.min(last_line), remark.lines.last.min(last_line));
                    remark.lines = PlanLines { first, last };
                    remark.anchor = Anchor::LineChanged;
                }
            }
            if was_older {
                remark.anchor = Anchor::OlderText;
            }
        }
        self.sort();
        self.join_those_on_same_lines();
    }

    /// They were written about another text: each stands near its lines and says so.
    pub(super) fn are_about_an_older_text(&mut self, text: &str) {
        self.all.iter_mut().for_each(|remark| remark.anchor = Anchor::OlderText);
        self.anchor_again(text);
    }

    fn sort(&mut self) {
        self.all.sort_by_key(|remark| (remark.lines.last, remark.lines.first));
    }

    /// Lines name a comment; two that end up on the same ones become one, with both texts.
    fn join_those_on_same_lines(&mut self) {
        self.all.dedup_by(|later, kept| {
            let same = later.lines == kept.lines;
            if same {
                kept.text = format!("{}\n{}", kept.text, later.text);
                if later.quote != kept.quote {
                    kept.quote = format!("{}\n{}", kept.quote, later.quote);
                }
                if later.anchor != Anchor::Same {
                    kept.anchor = later.anchor;
                }
                if later.state == CommentState::Draft {
                    kept.state = CommentState::Draft;
                }
            }
            same
        });
    }
}

/// The source lines themselves.
pub(super) fn quote(text: &str, lines: PlanLines) -> String {
    approval::quote(text, lines.first, lines.last)
}

/// Whether the quote of an earlier comment still stands in the plan as it was.
pub(super) fn stands_in(text: &str, quote: &str) -> bool {
    approval::find_quote(text, quote.trim_end_matches('\n'), 1).is_some()
}
