//! What the person writes about a plan until they answer: one draft for all tabs and for the terminal. It never answers.

use crate::markdown::{self, RenderedPlan};
use fore_plan::{
    approval::{Comment, GrantChanges, find_quote, quote},
    plan::{Hash, MAX_PLAN_BYTES},
};
use fore_store::{
    UnsentReview,
    unsent_review::{Anchor, CommentState, NotePurpose, UnsentComment},
};
use std::sync::Arc;

/// As many comments as a session keeps.
const MAX_COMMENTS: usize = 100;
/// Bytes of one comment, or of the words for the whole plan.
pub(crate) const MAX_WORDS_BYTES: usize = 16 * 1024;
/// Entries that can be struck or added by hand.
const MAX_GRANTS: usize = 1_000;
/// How a replacement begins in a comment, as on a pull request.
const SUGGESTION: &str = "```suggestion";

/// The draft, and the text that it is about.
#[derive(Clone, Debug)]
pub(crate) struct SharedDraft {
    proposed: String,
    proposed_hash: Hash,
    /// What would be approved: as proposed, or as the person changed it.
    text: String,
    hash: Hash,
    review: UnsentReview,
    version: u64,
    /// The text as the page shows it; none until somebody asks for it.
    rendered: Option<(Hash, Arc<RenderedPlan>)>,
}

/// Why something was not done, for the person.
pub(crate) type NotDone = String;

impl SharedDraft {
    /// What was written about this text before; what was written about another one says so, and an edit of that is left out.
    pub(crate) fn new(proposed: &str, proposed_hash: Hash, kept: Option<UnsentReview>) -> SharedDraft {
        let mut draft = SharedDraft {
            proposed: proposed.to_owned(),
            proposed_hash,
            text: proposed.to_owned(),
            hash: proposed_hash,
            review: empty(proposed_hash),
            version: 0,
            rendered: None,
        };
        if let Some(kept) = kept {
            draft.take(kept);
        }
        draft
    }

    /// The draft as somebody else has it now: the terminal, or the disk.
    pub(crate) fn take(&mut self, mut kept: UnsentReview) {
        if kept.plan != self.proposed_hash {
            kept.remarks.iter_mut().for_each(|remark| remark.anchor = Anchor::OlderText);
            (kept.edited, kept.grants) = (None, GrantChanges::default());
        }
        kept.plan = self.proposed_hash;
        kept.remarks.truncate(MAX_COMMENTS);
        self.review = kept;
        self.text = self.review.edited.clone().unwrap_or_else(|| self.proposed.clone());
        self.hash = Hash::of(self.text.as_bytes());
        self.anchor_again();
        self.version += 1;
    }

    pub(crate) fn review(&self) -> &UnsentReview {
        &self.review
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn hash(&self) -> Hash {
        self.hash
    }

    /// Rendered once for each text.
    pub(crate) fn rendered(&mut self) -> Arc<RenderedPlan> {
        match &self.rendered {
            Some((hash, rendered)) if *hash == self.hash => Arc::clone(rendered),
            Some(_) | None => {
                let rendered = Arc::new(markdown::render(&self.text));
                self.rendered = Some((self.hash, Arc::clone(&rendered)));
                rendered
            }
        }
    }

    pub(crate) fn proposed(&self) -> &str {
        &self.proposed
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Puts a comment in the place of the one on the same lines; a blank one takes it away.
    pub(crate) fn comment(&mut self, lines: (u32, u32), words: &str, state: CommentState) -> Result<(), NotDone> {
        let (first, last) = self.require_lines(lines)?;
        let on_it = |remark: &UnsentComment| (remark.comment.first_line, remark.comment.last_line) == (first, last);
        if words.trim().is_empty() {
            self.review.remarks.retain(|remark| !on_it(remark));
            return self.changed();
        }
        require_short(words)?;
        let others = self.review.remarks.iter().filter(|remark| !on_it(remark)).count();
        if others >= MAX_COMMENTS {
            return Err(format!("There are {MAX_COMMENTS} comments already; send them first."));
        }
        self.review.remarks.retain(|remark| !on_it(remark));
        let quote = quote(&self.text, first, last);
        let comment = Comment { first_line: first, last_line: last, quote, remark: words.trim_end().to_owned() };
        self.review.remarks.push(UnsentComment { comment, state, anchor: Anchor::Same });
        self.sort();
        self.changed()
    }

    /// Words for the whole plan.
    pub(crate) fn note(&mut self, words: &str, meant: NotePurpose) -> Result<(), NotDone> {
        require_short(words)?;
        (self.review.note, self.review.meant) = (words.to_owned(), meant);
        self.changed()
    }

    /// The plan as the person changed it; none takes the change back.
    pub(crate) fn edit(&mut self, text: Option<&str>) -> Result<(), NotDone> {
        if let Some(text) = text {
            if text.trim().is_empty() {
                return Err("An empty plan is not accepted.".to_owned());
            }
            if text.len() > MAX_PLAN_BYTES {
                return Err(format!("Too long: {} bytes, the most is {MAX_PLAN_BYTES}.", text.len()));
            }
        }
        // Browsers hand over every line end as two characters in some places; a plan has one.
        let text = text.map(|text| text.replace("\r\n", "\n"));
        let edited = text.filter(|text| text.trim_end_matches('\n') != self.proposed.trim_end_matches('\n'));
        self.text = edited.clone().unwrap_or_else(|| self.proposed.clone());
        self.hash = Hash::of(self.text.as_bytes());
        self.review.edited = edited;
        self.anchor_again();
        self.changed()
    }

    /// Puts what a comment suggests in the place of its lines. What else the comment says stays.
    pub(crate) fn apply_suggestion(&mut self, lines: (u32, u32)) -> Result<(), NotDone> {
        let (first, last) = self.require_lines(lines)?;
        let found = self
            .review
            .remarks
            .iter()
            .position(|remark| (remark.comment.first_line, remark.comment.last_line) == (first, last));
        let Some(remark) = found.and_then(|at| self.review.remarks.get(at)).cloned() else {
            return Err("There is no comment on these lines any more.".to_owned());
        };
        let Some(suggestion) = SuggestedText::of(&remark.comment.remark) else {
            return Err("This comment suggests no text.".to_owned());
        };
        if quote(&self.text, first, last) != remark.comment.quote {
            return Err("The lines have changed since this was suggested; edit the plan instead.".to_owned());
        }
        let text = replaced(&self.text, (first, last), &suggestion.text);
        if text.len() > MAX_PLAN_BYTES {
            return Err(format!("Too long: {} bytes, the most is {MAX_PLAN_BYTES}.", text.len()));
        }
        if let Some(at) = found {
            match suggestion.rest.trim().is_empty() {
                true => drop(self.review.remarks.remove(at)),
                false => {
                    if let Some(kept) = self.review.remarks.get_mut(at) {
                        kept.comment.remark.clone_from(&suggestion.rest);
                        kept.comment.quote.clone_from(&suggestion.text);
                    }
                }
            }
        }
        self.edit(Some(&text))
    }

    pub(crate) fn grants(&mut self, grants: GrantChanges) -> Result<(), NotDone> {
        let all = [&grants.struck_files, &grants.struck_commands, &grants.added_files, &grants.added_commands];
        let is_long = |entry: &String| entry.len() > MAX_WORDS_BYTES;
        if all.iter().any(|list| list.len() > MAX_GRANTS || list.iter().any(is_long)) {
            return Err("That is too much to strike or to add by hand; edit the plan instead.".to_owned());
        }
        self.review.grants = grants;
        self.changed()
    }

    /// Comments that somebody else wrote, on the text that they wrote them on. Gives how many were new.
    pub(crate) fn import(&mut self, comments: Vec<Comment>) -> usize {
        // Lines move with the text; what was said about which words stays.
        let has = |there: &Comment, new: &Comment| {
            there.quote == new.quote
                && format!("\n{}\n", there.remark).contains(&format!("\n{}\n", new.remark.trim_end()))
        };
        let mut new = 0;
        for comment in comments {
            if self.review.remarks.len() >= MAX_COMMENTS {
                break;
            }
            let is_known = self.review.remarks.iter().any(|remark| has(&remark.comment, &comment));
            if is_known || comment.remark.trim().is_empty() || comment.remark.len() > MAX_WORDS_BYTES {
                continue;
            }
            new += 1;
            self.review.remarks.push(UnsentComment { comment, state: CommentState::Saved, anchor: Anchor::Same });
        }
        self.anchor_again();
        self.version += 1;
        new
    }

    /// As they go to the session.
    pub(crate) fn outgoing(&self) -> Vec<Comment> {
        self.review.remarks.iter().map(|remark| remark.comment.clone()).collect()
    }

    /// Whether something was written that an answer could lose.
    pub(crate) fn has_words(&self) -> bool {
        !self.review.remarks.is_empty() || !self.review.note.trim().is_empty()
    }

    #[expect(clippy::unnecessary_wraps, reason = "the last step of what can fail")]
    fn changed(&mut self) -> Result<(), NotDone> {
        self.version += 1;
        Ok(())
    }

    fn require_lines(&self, (first, last): (u32, u32)) -> Result<(u32, u32), NotDone> {
        let count = u32::try_from(self.text.lines().count()).unwrap_or(u32::MAX).max(1);
        match (1..=last).contains(&first) && last <= count {
            true => Ok((first, last)),
            false => Err("The plan has no such lines any more.".to_owned()),
        }
    }

    /// Each comment goes where its quote stands now, the nearest place first.
    fn anchor_again(&mut self) {
        let count = u32::try_from(self.text.lines().count()).unwrap_or(u32::MAX).max(1);
        for UnsentComment { comment, anchor, .. } in &mut self.review.remarks {
            let found = find_quote(&self.text, &comment.quote, comment.first_line);
            let (first, last) =
                found.unwrap_or((comment.first_line.clamp(1, count), comment.last_line.clamp(1, count)));
            (comment.first_line, comment.last_line) = (first, last.max(first));
            if *anchor != Anchor::OlderText {
                *anchor = if found.is_some() { Anchor::Same } else { Anchor::LineChanged };
            }
        }
        self.sort();
        self.review.remarks.dedup_by(|later, kept| {
            let lines = |remark: &UnsentComment| (remark.comment.first_line, remark.comment.last_line);
            let is_same = lines(later) == lines(kept);
            if is_same && later.comment.remark != kept.comment.remark {
                kept.comment.remark = format!("{}\n{}", kept.comment.remark, later.comment.remark);
            }
            is_same
        });
    }

    fn sort(&mut self) {
        self.review.remarks.sort_by_key(|remark| (remark.comment.last_line, remark.comment.first_line));
    }
}

fn empty(plan: Hash) -> UnsentReview {
    UnsentReview {
        plan,
        remarks: Vec::new(),
        note: String::new(),
        meant: NotePurpose::Note,
        edited: None,
        grants: GrantChanges::default(),
    }
}

fn require_short(words: &str) -> Result<(), NotDone> {
    match words.len() > MAX_WORDS_BYTES {
        true => Err(format!("Too long: {} bytes, the most is {MAX_WORDS_BYTES}.", words.len())),
        false => Ok(()),
    }
}

/// A replacement that stands in a comment.
pub(crate) struct SuggestedText {
    /// What is to stand there.
    pub(crate) text: String,
    /// What else the comment says.
    pub(crate) rest: String,
}

impl SuggestedText {
    pub(crate) fn of(remark: &str) -> Option<SuggestedText> {
        let lines: Vec<&str> = remark.lines().collect();
        let start = lines.iter().position(|line| line.trim() == SUGGESTION)?;
        let length = lines.iter().skip(start + 1).position(|line| line.trim() == "```")?;
        let text = lines.get(start + 1..start + 1 + length)?.join("\n");
        let rest = lines.iter().take(start).chain(lines.iter().skip(start + length + 2));
        Some(SuggestedText { text, rest: rest.copied().collect::<Vec<_>>().join("\n").trim().to_owned() })
    }
}

/// The text with these lines replaced; an empty replacement takes them out.
fn replaced(text: &str, (first, last): (u32, u32), by: &str) -> String {
    let (first, last) = (usize::try_from(first).unwrap_or(usize::MAX), usize::try_from(last).unwrap_or(usize::MAX));
    let mut out: Vec<&str> = text.lines().take(first.saturating_sub(1)).collect();
    if !by.is_empty() {
        out.extend(by.split('\n'));
    }
    out.extend(text.lines().skip(last));
    let mut out = out.join("\n");
    if text.ends_with('\n') {
        out.push('\n');
    }
    out
}

#[cfg(test)]
#[path = "draft_tests.rs"]
mod tests;
