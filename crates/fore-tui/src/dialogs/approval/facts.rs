//! What is known of the plan beside its text: which one it is, what changed, the proof.

use super::{
    Approval, MOST_LINES, Page,
    frame::Room,
    ribbon::{Piece, border_bar, ribbon, shorten, signed},
};
use crate::{
    dialogs::words::{cut, one_line, tame},
    theme::{Role, Sign, Theme},
};
use fore_plan::Mode;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Below this, words are left out.
const NARROW: u16 = 60;
/// Columns that a path needs to say anything.
const LEAST_PATH: usize = 12;

/// Something to know, in as many words as there is room for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    role: Role,
    /// The longest first; never empty.
    words: Vec<String>,
}

impl Fact {
    pub(super) fn new<const N: usize>(role: Role, words: [impl Into<String>; N]) -> Fact {
        Fact { role, words: words.into_iter().map(Into::into).collect() }
    }

    fn piece(&self) -> Piece {
        (self.role, self.words.first().cloned().unwrap_or_default())
    }
}

impl Approval {
    /// The line above the plan.
    pub(super) fn title(&self, width: u16, theme: &Theme) -> Line<'static> {
        let request = &self.asked.request;
        let plan = Role::Mode(Mode::Plan);
        let mut pieces: Vec<Piece> = match self.page {
            Page::Plan => vec![(plan, "Plan".to_owned())],
            Page::Edit => vec![(plan, "What you changed in the plan".to_owned())],
            Page::Changed => vec![(plan, "What changed since you last saw it".to_owned())],
            Page::Earlier => vec![(plan, "Earlier comments".to_owned())],
        };
        if width < NARROW {
            pieces.push((Role::Plain, format!("rev {}", request.revision)));
            pieces.push((Role::Faint, self.hash.short().chars().take(7).collect()));
        } else {
            pieces.push((Role::Plain, format!("revision {}", request.revision)));
            pieces.push((Role::Faint, self.hash.short()));
        }
        pieces.push((Role::Faint, lines(self.line_count)));
        let used: usize = pieces.iter().map(|(_, text)| text.width() + 3).sum::<usize>() + 4;
        let room = usize::from(width).saturating_sub(used);
        if room >= LEAST_PATH {
            let path = shorten(&tame(&one_line(&request.plan_file_path)), room, theme);
            pieces.insert(1, (Role::Plain, path));
        }
        ribbon(Sign::CornerTopLeft, &pieces, width, theme)
    }

    /// The line below the plan: where one is in it, and what else there is to see.
    pub(super) fn foot_of_window(&mut self, room: Room, width: u16, theme: &Theme) -> Line<'static> {
        let mut facts = vec![Fact::new(Role::Plain, [self.position(theme)])];
        if let Some(words) = fore_text::notice(self.hidden) {
            facts.push(Fact::new(Role::Warning, [words, format!("{} hidden", self.hidden)]));
        }
        if !self.is_whole() {
            facts.push(Fact::new(Role::Bad, [format!("only {MOST_LINES} lines can be shown")]));
        }
        let proof = self.is_proof_in_ribbon(room).then(|| self.short_proof(theme));
        let (warning, fine): (Vec<Fact>, Vec<Fact>) = proof.into_iter().partition(|proof| proof.role == Role::Warning);
        facts.extend(warning);
        facts.extend(self.notes_count());
        facts.extend(self.difference_counts());
        match self.asked.earlier_comments.len() {
            0 => {}
            1 => facts.push(Fact::new(Role::Accent, ["1 earlier comment (r)", "1 earlier (r)"])),
            count => {
                let words = [format!("{count} earlier comments (r)"), format!("{count} earlier (r)")];
                facts.push(Fact::new(Role::Accent, words));
            }
        }
        facts.extend(fine);
        ribbon(Sign::CornerBottomLeft, &fitting(facts, width), width, theme)
    }

    /// What the person changed, and what changed since they saw it.
    fn difference_counts(&self) -> Vec<Fact> {
        let (changed, edit) = (self.changed.counts(), self.edit.counts());
        let since = Fact::new(Role::Accent, [format!("{changed} since you last saw it (d)"), format!("{changed} (d)")]);
        match (self.changed.unified.is_empty(), self.is_edited()) {
            (true, false) => Vec::new(),
            (false, false) => vec![since],
            (false, true) => vec![Fact::new(Role::Person, ["edited by you", "edited"]), since],
            (true, true) => {
                let words =
                    [format!("edited by you: {edit} (d)"), format!("edited: {edit} (d)"), "edited (d)".to_owned()];
                vec![Fact::new(Role::Person, words)]
            }
        }
    }

    /// `12-40 of 212`, with arrows towards what is not seen: a long line may go on below the window.
    fn position(&mut self, theme: &Theme) -> String {
        let total = self.line_count;
        let page = self.page;
        if page == Page::Plan && self.text.trim().is_empty() {
            return "empty".to_owned();
        }
        let sheet = self.sheet();
        let (first, last) = sheet.seen().into_inner();
        let is_end = last + 1 >= sheet.count();
        let words = match (page, sheet.lines_at(first), sheet.lines_at(last)) {
            (Page::Plan, Some(from), Some(to)) => {
                let from = if first == 0 { 1 } else { from.first };
                let to = if is_end { total } else { usize::try_from(to.last).unwrap_or(total) };
                format!("{from}-{to} of {total}")
            }
            _ => format!("{}-{} of {}", first + 1, last + 1, sheet.count()),
        };
        let above = if first > 0 { theme.sign(Sign::ArrowUp) } else { "" };
        let below = if is_end { "" } else { theme.sign(Sign::ArrowDown) };
        if above.is_empty() && below.is_empty() { words } else { format!("{words} {above}{below}") }
    }

    /// The proof and the person's own note; the files that changed too, where there is room.
    pub(super) fn facts(&self, room: Room, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut all = if self.is_proof_in_ribbon(room) { Vec::new() } else { self.proof(width, theme) };
        if room == Room::Roomy {
            all.extend(self.changed_files(width, theme));
        }
        all.extend(self.own_note(width, theme));
        all
    }

    fn proof_look(&self) -> (Role, Sign) {
        if self.asked.proof.changed > 0 || self.asked.proof.incomplete {
            (Role::Warning, Sign::Warning)
        } else {
            (Role::Good, Sign::Check)
        }
    }

    /// Where there is little room, a proof without a warning is a few words beside the others.
    fn is_proof_in_ribbon(&self, room: Room) -> bool {
        match room {
            Room::Roomy => false,
            Room::Snug => self.proof_look().0 == Role::Good,
            Room::Tight | Room::Least => true,
        }
    }

    /// The whole sentence, in as many rows as it needs.
    fn proof(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let (role, sign) = self.proof_look();
        let style = theme.style(role);
        let sentence = Line::from(Span::styled(tame(&one_line(&self.asked.proof.line)), style));
        signed(Span::styled(theme.sign(sign), style), &sentence, width, theme)
    }

    /// The sentence, or what it comes to in a window that has room for hardly anything.
    fn short_proof(&self, theme: &Theme) -> Fact {
        let proof = &self.asked.proof;
        let (role, sign) = self.proof_look();
        let short = match (proof.changed, proof.incomplete) {
            (0, false) => "no change found".to_owned(),
            (0, true) => "not all was compared".to_owned(),
            (changed, _) => format!("{changed} changed"),
        };
        let words = [tame(&one_line(&proof.line)), format!("{short} since planning began"), short];
        Fact::new(role, words.map(|words| format!("{} {words}", theme.sign(sign))))
    }

    fn changed_files(&self, width: u16, theme: &Theme) -> Option<Line<'static>> {
        let proof = &self.asked.proof;
        let paths: Vec<String> = proof.paths.iter().map(|path| tame(&one_line(path))).collect();
        let shown = u64::try_from(paths.len()).unwrap_or(u64::MAX);
        let more = match proof.changed.saturating_sub(shown) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let words = Span::styled(format!(" {}{more}", paths.join(", ")), theme.style(Role::Faint));
        (!paths.is_empty()).then(|| cut(&Line::from(vec![border_bar(theme), words]), width, theme))
    }

    fn own_note(&self, width: u16, theme: &Theme) -> Option<Line<'static>> {
        let text = self.note.text.trim();
        let start: String = text.chars().take(usize::from(width)).collect();
        let line = Line::from(vec![
            Span::styled(theme.sign(Sign::Remark), theme.style(Role::Person)),
            Span::styled(" your note: ", theme.style(Role::Faint)),
            Span::styled(tame(&one_line(&start)), theme.style(Role::Person)),
        ]);
        (!text.is_empty()).then(|| cut(&line, width, theme))
    }
}

/// The facts that have room, in fewer words where that is needed, the longest first.
fn fitting(mut facts: Vec<Fact>, width: u16) -> Vec<Piece> {
    // The corner, a blank, and what parts one from the next.
    let least = |facts: &[Fact]| {
        let columns = facts.iter().map(|fact| fact.words.last().map_or(0, |words| words.width()) + 3);
        columns.sum::<usize>() + 1
    };
    while facts.len() > 1 && least(&facts) > usize::from(width) {
        facts.pop();
    }
    let columns = |facts: &[Fact]| facts.iter().map(|fact| fact.piece().1.width() + 3).sum::<usize>() + 1;
    while columns(&facts) > usize::from(width) {
        let longest = facts.iter_mut().filter(|fact| fact.words.len() > 1).max_by_key(|fact| fact.piece().1.width());
        match longest {
            Some(fact) => drop(fact.words.remove(0)),
            None => break,
        }
    }
    facts.iter().map(Fact::piece).collect()
}

fn lines(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}
