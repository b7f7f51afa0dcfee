//! What is known of the plan beside its text: which one it is, what changed, the proof.

use super::{
    ApprovalDialog, MAX_LINES, ReviewPage,
    frame::Room,
    titled_rule::{RuleLabel, border_bar, shorten, signed, titled_rule},
};
use crate::{
    dialogs::text::{cut, one_line, sanitize_line},
    theme::{Sign, TextRole, Theme},
};
use fore_agent::MovedFile;
use fore_plan::Mode;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Below this, words are left out.
const NARROW: u16 = 60;
/// Columns that a path needs to say anything.
const MIN_PATH_WIDTH: usize = 12;
/// Files that have moved and are named.
const MAX_MOVED: usize = 4;

/// Something to know, in as many words as there is room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeaderFact {
    role: TextRole,
    /// The longest first; never empty.
    words: Vec<String>,
}

impl HeaderFact {
    pub(super) fn new<const N: usize>(role: TextRole, words: [impl Into<String>; N]) -> HeaderFact {
        HeaderFact { role, words: words.into_iter().map(Into::into).collect() }
    }

    fn label(&self) -> RuleLabel {
        (self.role, self.words.first().cloned().unwrap_or_default())
    }
}

impl ApprovalDialog {
    /// The line above the plan.
    pub(super) fn title(&self, width: u16, theme: &Theme) -> Line<'static> {
        let request = &self.asked.request;
        let plan = TextRole::Mode(Mode::Plan);
        let mut pieces: Vec<RuleLabel> = match self.page {
            ReviewPage::Plan => match &self.asked.agent {
                None => vec![(plan, "Plan".to_owned())],
                Some(_) => {
                    vec![(plan, format!("Plan of the agent {}", sanitize_line(&one_line(&self.asked.agent_task))))]
                }
            },
            ReviewPage::Edit => vec![(plan, "What you changed in the plan".to_owned())],
            ReviewPage::Changed => vec![(plan, "What changed since you last saw it".to_owned())],
            ReviewPage::Earlier => vec![(plan, "Earlier comments".to_owned())],
            ReviewPage::Tried => vec![(plan, "What was tried; nothing was kept".to_owned())],
            ReviewPage::Grants => vec![(plan, "What the plan covers".to_owned())],
        };
        if width < NARROW {
            pieces.push((TextRole::Plain, format!("rev {}", request.revision)));
            pieces.push((TextRole::Faint, self.hash.short().chars().take(7).collect()));
        } else {
            pieces.push((TextRole::Plain, format!("revision {}", request.revision)));
            pieces.push((TextRole::Faint, self.hash.short()));
        }
        pieces.push((TextRole::Faint, fore_text::count(self.line_count, "line")));
        let used: usize = pieces.iter().map(|(_, text)| text.width() + 3).sum::<usize>() + 4;
        let room = usize::from(width).saturating_sub(used);
        if room >= MIN_PATH_WIDTH {
            let path = shorten(&sanitize_line(&one_line(&request.plan_file_path)), room, theme);
            pieces.insert(1, (TextRole::Plain, path));
        }
        titled_rule(Sign::CornerTopLeft, &pieces, width, theme)
    }

    /// The line below the plan: where one is in it, and what else there is to see.
    pub(super) fn foot_of_window(&mut self, room: Room, width: u16, theme: &Theme) -> Line<'static> {
        let mut facts = vec![HeaderFact::new(TextRole::Plain, [self.position(theme)])];
        if let Some(words) = fore_text::notice(self.hidden) {
            facts.push(HeaderFact::new(TextRole::Warning, [words, format!("{} hidden", self.hidden)]));
        }
        if !self.fits() {
            facts.push(HeaderFact::new(TextRole::Bad, [format!("only {MAX_LINES} lines can be shown")]));
        }
        match (room, self.asked.moved.len()) {
            (Room::Roomy | Room::Snug, _) | (Room::Tight | Room::Least, 0) => {}
            (Room::Tight | Room::Least, count) => {
                let files = fore_text::count(count, "file");
                let words = [
                    format!("{files} changed since this plan was made"),
                    format!("{files} changed meanwhile"),
                    format!("{count} changed"),
                ];
                let sign = theme.sign(Sign::Warning);
                facts.push(HeaderFact::new(TextRole::Warning, words.map(|words| format!("{sign} {words}"))));
            }
        }
        let proof = self.is_proof_in_rule(room).then(|| self.short_proof(theme));
        let (warning, fine): (Vec<HeaderFact>, Vec<HeaderFact>) =
            proof.into_iter().partition(|proof| proof.role == TextRole::Warning);
        facts.extend(warning);
        facts.extend(self.notes_count());
        let steps = self.step_words();
        facts.extend(steps.map(|words| HeaderFact::new(TextRole::Person, [format!("only {words}"), words])));
        facts.extend(self.difference_counts());
        match self.asked.earlier_comments.len() {
            0 => {}
            count => {
                let comments = fore_text::count(count, "earlier comment");
                let words = [format!("{comments} (r)"), format!("{count} earlier (r)")];
                facts.push(HeaderFact::new(TextRole::Accent, words));
            }
        }
        match self.asked.rehearsals.len() {
            0 => {}
            count => {
                let tried = fore_text::count(count, "command");
                let words = [format!("{tried} tried (t)"), format!("{count} tried (t)")];
                facts.push(HeaderFact::new(TextRole::Accent, words));
            }
        }
        facts.extend(fine);
        if let Some(estimate) = self.asked.estimate {
            let words = [format!("{estimate:#}"), format!("{estimate} to implement"), estimate.to_string()];
            facts.push(HeaderFact::new(TextRole::Faint, words));
        }
        titled_rule(Sign::CornerBottomLeft, &fitting(facts, width), width, theme)
    }

    /// What the person changed, and what changed since they saw it.
    fn difference_counts(&self) -> Vec<HeaderFact> {
        let (changed, edit) = (self.changed.counts(), self.edit.counts());
        let since = HeaderFact::new(
            TextRole::Accent,
            [format!("{changed} since you last saw it (d)"), format!("{changed} (d)")],
        );
        match (self.changed.unified.is_empty(), self.is_edited()) {
            (true, false) => Vec::new(),
            (false, false) => vec![since],
            (false, true) => vec![HeaderFact::new(TextRole::Person, ["edited by you", "edited"]), since],
            (true, true) => {
                let words =
                    [format!("edited by you: {edit} (d)"), format!("edited: {edit} (d)"), "edited (d)".to_owned()];
                vec![HeaderFact::new(TextRole::Person, words)]
            }
        }
    }

    /// `12-40 of 212`, with arrows towards what is not seen: a long line may go on below the window.
    fn position(&mut self, theme: &Theme) -> String {
        let total = self.line_count;
        let page = self.page;
        if page == ReviewPage::Plan && self.text.trim().is_empty() {
            return "empty".to_owned();
        }
        let plan_view = self.plan_view();
        let (first, last) = plan_view.seen().into_inner();
        let is_end = last + 1 >= plan_view.count();
        let words = match (page, plan_view.lines_at(first), plan_view.lines_at(last)) {
            (ReviewPage::Plan, Some(from), Some(to)) => {
                let from = if first == 0 { 1 } else { from.first };
                let to = if is_end { total } else { usize::try_from(to.last).unwrap_or(total) };
                format!("{from}-{to} of {total}")
            }
            _ => format!("{}-{} of {}", first + 1, last + 1, plan_view.count()),
        };
        let above = if first > 0 { theme.sign(Sign::ArrowUp) } else { "" };
        let below = if is_end { "" } else { theme.sign(Sign::ArrowDown) };
        if above.is_empty() && below.is_empty() { words } else { format!("{words} {above}{below}") }
    }

    /// The proof and the person's own note; the files that changed too, where there is room.
    pub(super) fn facts(&self, room: Room, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut all = self.coverage_line(room, width, theme);
        if !self.is_proof_in_rule(room) {
            all.extend(self.proof(width, theme));
        }
        all.extend(self.moved_files(width, theme));
        if room == Room::Roomy {
            all.extend(self.changed_files(width, theme));
        }
        all.extend(self.own_note(width, theme));
        all
    }

    /// Files that the plan names and that have changed since it was made.
    fn moved_files(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let Some(words) = moved_words(&self.asked.moved) else { return Vec::new() };
        let style = theme.style(TextRole::Warning);
        let sentence = Line::from(Span::styled(sanitize_line(&one_line(&words)), style));
        signed(Span::styled(theme.sign(Sign::Warning), style), &sentence, width, theme)
    }

    fn proof_style(&self) -> (TextRole, Sign) {
        if self.asked.proof.changed > 0 || self.asked.proof.incomplete {
            (TextRole::Warning, Sign::Warning)
        } else {
            (TextRole::Good, Sign::Check)
        }
    }

    /// Where there is little room, a proof without a warning is a few words beside the others.
    fn is_proof_in_rule(&self, room: Room) -> bool {
        match room {
            Room::Roomy => false,
            Room::Snug => self.proof_style().0 == TextRole::Good,
            Room::Tight | Room::Least => true,
        }
    }

    /// The whole sentence, in as many rows as it needs.
    fn proof(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let (role, sign) = self.proof_style();
        let style = theme.style(role);
        let sentence = Line::from(Span::styled(sanitize_line(&one_line(&self.asked.proof.line)), style));
        signed(Span::styled(theme.sign(sign), style), &sentence, width, theme)
    }

    /// The sentence, or what it comes to in a window that has room for hardly anything.
    fn short_proof(&self, theme: &Theme) -> HeaderFact {
        let proof = &self.asked.proof;
        let (role, sign) = self.proof_style();
        let short = match (proof.changed, proof.incomplete) {
            (0, false) => "no change found".to_owned(),
            (0, true) => "not all was compared".to_owned(),
            (changed, _) => format!("{changed} changed"),
        };
        let words = [sanitize_line(&one_line(&proof.line)), format!("{short} since planning began"), short];
        HeaderFact::new(role, words.map(|words| format!("{} {words}", theme.sign(sign))))
    }

    fn changed_files(&self, width: u16, theme: &Theme) -> Option<Line<'static>> {
        let proof = &self.asked.proof;
        let paths: Vec<String> = proof.paths.iter().map(|path| sanitize_line(&one_line(path))).collect();
        let shown = u64::try_from(paths.len()).unwrap_or(u64::MAX);
        let more = match proof.changed.saturating_sub(shown) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let words = Span::styled(format!(" {}{more}", paths.join(", ")), theme.style(TextRole::Faint));
        (!paths.is_empty()).then(|| cut(&Line::from(vec![border_bar(theme), words]), width, theme))
    }

    fn own_note(&self, width: u16, theme: &Theme) -> Option<Line<'static>> {
        let text = self.note.text.trim();
        let start = fore_text::cut::chars(text, usize::from(width));
        let line = Line::from(vec![
            Span::styled(theme.sign(Sign::Remark), theme.style(TextRole::Person)),
            Span::styled(" your note: ", theme.style(TextRole::Faint)),
            Span::styled(sanitize_line(&one_line(start)), theme.style(TextRole::Person)),
        ]);
        (!text.is_empty()).then(|| cut(&line, width, theme))
    }
}

/// The facts that have room, in fewer words where that is needed, the longest first.
fn fitting(mut facts: Vec<HeaderFact>, width: u16) -> Vec<RuleLabel> {
    // The corner, a blank, and what parts one from the next.
    let least = |facts: &[HeaderFact]| {
        let columns = facts.iter().map(|fact| fact.words.last().map_or(0, |words| words.width()) + 3);
        columns.sum::<usize>() + 1
    };
    while facts.len() > 1 && least(&facts) > usize::from(width) {
        facts.pop();
    }
    let columns = |facts: &[HeaderFact]| facts.iter().map(|fact| fact.label().1.width() + 3).sum::<usize>() + 1;
    while columns(&facts) > usize::from(width) {
        let longest = facts.iter_mut().filter(|fact| fact.words.len() > 1).max_by_key(|fact| fact.label().1.width());
        match longest {
            Some(fact) => drop(fact.words.remove(0)),
            None => break,
        }
    }
    facts.iter().map(HeaderFact::label).collect()
}

/// `Changed since this plan was made: src/cart.rs (changed, +3 −1)`
pub(crate) fn moved_words(moved: &[MovedFile]) -> Option<String> {
    let shown = moved.iter().take(MAX_MOVED).map(MovedFile::to_string).collect::<Vec<_>>().join(", ");
    let more = match moved.len().saturating_sub(MAX_MOVED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!moved.is_empty()).then(|| format!("Changed since this plan was made: {shown}{more}."))
}
