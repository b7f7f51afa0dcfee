//! What is known of the plan beside its text: which one it is, what changed, the proof, the notes of the plan check.

use super::{
    Approval, MOST_LINES, Page,
    frame::Room,
    ribbon::{Piece, border_bar, ribbon, shorten, signed},
};
use crate::{
    dialogs::words::{cut, one_line, tame},
    theme::{Role, Sign, Theme},
};
use fore_plan::{
    Mode,
    plan::check::{Note, Severity},
};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Notes that are seen at once where there is room.
const NOTES_SEEN: usize = 4;
/// Rows of one note.
const NOTE_ROWS: usize = 2;
/// Below this, words are left out.
const NARROW: u16 = 60;
/// Columns that a path needs to say anything.
const LEAST_PATH: usize = 12;

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
        let mut pieces = vec![(Role::Plain, self.position(theme))];
        if !self.is_whole() {
            pieces.push((Role::Bad, format!("only {MOST_LINES} lines can be shown")));
        }
        if self.is_edited() {
            pieces.push((Role::Person, "edited by you".to_owned()));
        }
        if room == Room::Tight {
            pieces.extend(if width < NARROW { self.shortest_pieces(theme) } else { self.folded_pieces(theme) });
        }
        let is_narrow = width < NARROW;
        if !self.changed.unified.is_empty() {
            let when = if is_narrow { "" } else { " since you last saw it" };
            pieces.push((Role::Accent, format!("{}{when} (d)", self.changed.counts())));
        } else if self.is_edited() {
            pieces.push((Role::Accent, format!("{} by you (d)", self.edit.counts())));
        }
        let comments = if is_narrow { "" } else { " comments" };
        match self.asked.earlier_comments.len() {
            0 => {}
            1 => pieces.push((Role::Accent, "1 earlier comment (r)".to_owned())),
            count => pieces.push((Role::Accent, format!("{count} earlier{comments} (r)"))),
        }
        ribbon(Sign::CornerBottomLeft, &pieces, width, theme)
    }

    /// `12-40 of 212`, with arrows towards what is not seen: a long line may go on below the window.
    fn position(&mut self, theme: &Theme) -> String {
        let total = self.line_count;
        let page = self.page;
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

    /// Proof, notes and the person's own note, where there is room.
    pub(super) fn facts(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut all = self.proof(width, theme);
        all.extend(self.notes(width, theme));
        all.extend(self.own_note(width, theme));
        all
    }

    /// The same in one line, and the person's own note.
    pub(super) fn folded_facts(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut all = Vec::new();
        match self.noted.and_then(|index| self.asked.notes.get(index)) {
            Some(note) => {
                let (sign, words) = self.note(note, theme);
                all.extend(signed(sign, &words, width, theme).into_iter().take(1));
            }
            None => {
                let mut spans = Vec::new();
                for (index, (role, text)) in self.folded_pieces(theme).into_iter().enumerate() {
                    if index > 0 {
                        spans.push(Span::styled(format!(" {} ", theme.sign(Sign::Dot)), theme.style(Role::Border)));
                    }
                    spans.push(Span::styled(text, theme.style(role)));
                }
                all.push(cut(&Line::from(spans), width, theme));
            }
        }
        all.extend(self.own_note(width, theme));
        all
    }

    /// What must be known first comes first.
    fn folded_pieces(&self, theme: &Theme) -> Vec<Piece> {
        let (role, sign) = self.proof_look();
        let line = tame(&one_line(&self.asked.proof.line));
        let proof = (role, format!("{} {line}", theme.sign(sign)));
        // The sentence is what may be cut, unless it is the warning.
        match (role, self.notes_count()) {
            (Role::Warning, notes) => std::iter::once(proof).chain(notes).collect(),
            (_, notes) => notes.into_iter().chain([proof]).collect(),
        }
    }

    /// What must not be missed, in a window that has room for hardly anything.
    fn shortest_pieces(&self, theme: &Theme) -> Vec<Piece> {
        let proof = match self.asked.proof.changed {
            0 if self.asked.proof.incomplete => Some("unproven".to_owned()),
            0 => None,
            changed => Some(format!("{changed} changed")),
        };
        let proof = proof.map(|words| (Role::Warning, format!("{} {words}", theme.sign(Sign::Warning))));
        let notes = self.notes_count().map(|(role, _)| match self.asked.notes.len() {
            1 => (role, "1 note".to_owned()),
            count => (role, format!("{count} notes")),
        });
        proof.into_iter().chain(notes).collect()
    }

    fn notes_count(&self) -> Option<Piece> {
        let notes = &self.asked.notes;
        let gravest = notes.iter().map(|note| note.severity).max()?;
        let grave = notes.iter().filter(|note| note.severity == Severity::Serious).count();
        let count = if notes.len() == 1 { "1 note".to_owned() } else { format!("{} notes", notes.len()) };
        let words = if grave == 0 { format!("{count} (.)") } else { format!("{count}, {grave} serious (.)") };
        Some((role_of(gravest), words))
    }

    fn proof_look(&self) -> (Role, Sign) {
        if self.asked.proof.changed > 0 || self.asked.proof.incomplete {
            (Role::Warning, Sign::Warning)
        } else {
            (Role::Good, Sign::Check)
        }
    }

    fn proof(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let proof = &self.asked.proof;
        let (role, sign) = self.proof_look();
        let style = theme.style(role);
        let sentence = Line::from(Span::styled(tame(&one_line(&proof.line)), style));
        let mut all = signed(Span::styled(theme.sign(sign), style), &sentence, width, theme);
        if !proof.paths.is_empty() {
            let paths: Vec<String> = proof.paths.iter().map(|path| tame(&one_line(path))).collect();
            let shown = u64::try_from(paths.len()).unwrap_or(u64::MAX);
            let more = match proof.changed.saturating_sub(shown) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let paths = Span::styled(format!(" {}{more}", paths.join(", ")), theme.style(Role::Faint));
            all.push(cut(&Line::from(vec![border_bar(theme), paths]), width, theme));
        }
        all
    }

    /// Some of the notes, the one that was gone to last among them.
    fn notes(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let notes = &self.asked.notes;
        let first = self.noted.map_or(0, |noted| (noted + 1).saturating_sub(NOTES_SEEN));
        let mut all = Vec::new();
        if self.is_edited() && !notes.is_empty() {
            all.push(Line::from(Span::styled("Notes on the plan before your edit:", theme.style(Role::Faint))));
        }
        for note in notes.iter().skip(first).take(NOTES_SEEN) {
            let (sign, words) = self.note(note, theme);
            all.extend(signed(sign, &words, width, theme).into_iter().take(NOTE_ROWS));
        }
        let hidden = notes.len().saturating_sub(NOTES_SEEN);
        if hidden > 0 {
            let words = format!("  {hidden} more notes: . and , go through them");
            all.push(cut(&Line::from(Span::styled(words, theme.style(Role::Faint))), width, theme));
        }
        all
    }

    fn note(&self, note: &Note, theme: &Theme) -> (Span<'static>, Line<'static>) {
        let role = role_of(note.severity);
        let sign = if note.severity == Severity::Info { Sign::Dot } else { Sign::Warning };
        let is_noted = self.noted.and_then(|index| self.asked.notes.get(index)) == Some(note);
        let place = note.line.map_or_else(String::new, |line| format!("line {line}: "));
        let place_role = if is_noted { Role::Selected } else { Role::Strong };
        let words = Line::from(vec![
            Span::styled(place, theme.style(place_role)),
            Span::styled(tame(&one_line(&note.sentence)), theme.style(role)),
        ]);
        (Span::styled(theme.sign(sign), theme.style(role)), words)
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

fn role_of(severity: Severity) -> Role {
    match severity {
        Severity::Info => Role::Faint,
        Severity::Warning => Role::Warning,
        Severity::Serious => Role::Bad,
    }
}

fn lines(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}
