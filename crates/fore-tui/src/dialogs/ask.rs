//! The gate asks about one call: what it is, the whole of it, which rule asks and what would hold it. Nothing but an
//! explicit selection and Enter says yes.

use super::{
    Dialog, Document, Focus, Step,
    choices::{Choice, Choices, Chosen, Drawn, is_plain},
    field::{Field, FieldStep, Rows},
    sheet::{Scroll, Sheet, barred},
    words::{is_odd, labelled, paragraph},
};
use crate::{
    theme::{Role, Sign, Theme},
    view::{Space, View},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use fore_agent::{
    Command,
    command::Reply,
    event::{Asked, Body, Shown},
};
use fore_plan::{Cage, cage::Outside};
use ratatui::text::{Line, Span};

/// Rows of the reason that are seen at once.
const REASON_ROWS: u16 = 5;

/// A question of the gate.
#[derive(Debug)]
pub struct AskDialog {
    asked: Asked,
    choices: Choices,
    scroll: Scroll,
    /// The reason for a no, while it is being written.
    reason: Option<Field>,
    /// The body as it was laid out last.
    body: Option<(u16, Theme, Vec<Line<'static>>)>,
}

impl AskDialog {
    pub fn new(asked: Asked) -> AskDialog {
        let mut rows = vec![Choice::new("Yes").letter('y')];
        if asked.may_last {
            rows.push(Choice::new("Yes, and don't ask again in this session"));
        }
        rows.push(Choice::new("No, and say why").letter('n'));
        AskDialog { asked, choices: Choices::new(rows), scroll: Scroll::default(), reason: None, body: None }
    }

    fn reply(&self, reply: Reply) -> Step {
        Step::Send(Command::Reply { question: self.asked.question.clone(), reply })
    }

    /// The same on the whole screen.
    fn read(&self) -> Step {
        let Shown { line, body } = &self.asked.shown;
        let body = match body {
            Body::Nothing => Body::Text { text: line.clone() },
            body => body.clone(),
        };
        Step::Read(Document { title: self.asked.text.clone(), body })
    }

    fn choose(&mut self, row: usize) -> Step {
        match (row, self.asked.may_last) {
            (0, _) => self.reply(Reply::Yes),
            (1, true) => self.reply(Reply::YesForSession),
            _ => {
                self.reason = Some(Field::new(Rows::Several, "").with_hint("what it should do instead, if you like"));
                Step::Stay
            }
        }
    }
}

impl Dialog for AskDialog {
    fn key(&mut self, key: KeyEvent) -> Step {
        if let Some(field) = &mut self.reason {
            match field.key(key) {
                FieldStep::Stay => {}
                FieldStep::Leave => self.reason = None,
                FieldStep::Done(reason) => return self.reply(Reply::No { reason: reason.trim().to_owned() }),
            }
            return Step::Stay;
        }
        if key.kind == KeyEventKind::Press && key.code == KeyCode::Esc {
            return self.reply(Reply::No { reason: String::new() });
        }
        match self.choices.key(&key) {
            Chosen::Row(row) => return self.choose(row),
            Chosen::Moved => {}
            Chosen::Nothing if key.code == KeyCode::Char('v') && is_plain(&key) => return self.read(),
            Chosen::Nothing => {
                self.scroll.key(&key);
            }
        }
        Step::Stay
    }

    fn paste(&mut self, text: &str) {
        if let Some(field) = &mut self.reason {
            field.paste(text);
        }
    }

    fn view(&mut self, space: Space, focus: Focus) -> View {
        let theme = space.theme;
        let laid_out = match self.body.take() {
            Some((width, look, lines)) if width == space.width && look == theme => lines,
            _ => body(&self.asked, space.width, &theme),
        };
        let title = title(&self.asked, &theme);
        let most = usize::from(space.height).saturating_sub(4);
        let mut choices = self.choices.draw(space.width, most, &theme);
        let mut cursor = None;
        let select = self.choices.select_keys();
        let mut keys: &[(&str, &str)] = match self.choices.selected() {
            None => &[(&select, "select"), ("Esc", "no"), ("v", "whole screen")],
            Some(_) => &[("Enter", "confirms"), ("Esc", "no"), ("v", "whole screen")],
        };
        if let Some(field) = &self.reason {
            let mut view = View::of(paragraph("No, because:", theme.style(Role::Strong), space.width));
            view.push(field.view(space.width, REASON_ROWS, &theme));
            cursor = view.cursor;
            choices = Drawn { keep: cursor.map_or(0, |cursor| usize::from(cursor.row)), lines: view.lines };
            keys = &[("Enter", "says no"), ("Ctrl+J", "new line"), ("Esc", "back")];
        }
        let sheet = Sheet { title: &title, body: &laid_out, choices, cursor, keys };
        let view = sheet.draw(&mut self.scroll, space, focus);
        self.body = Some((space.width, theme, laid_out));
        view
    }
}

/// The question, the whole of what would be done, and what is known about it.
fn body(asked: &Asked, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = paragraph(&asked.text, theme.style(Role::Strong), width);
    let (text, shown) = match &asked.shown.body {
        Body::Nothing => (&asked.shown.line, command(&asked.shown.line, theme)),
        Body::Text { text } | Body::Markdown { text } => (text, command(text, theme)),
        Body::Diff { diff, .. } => (diff, difference(diff.trim_end_matches('\n'), theme)),
    };
    let odd = text.chars().filter(|letter| !matches!(letter, '\n' | '\t') && is_odd(*letter)).count();
    if odd > 0 {
        let words = match odd {
            1 => "1 hidden or odd character is written out as \\u{…}".to_owned(),
            odd => format!("{odd} hidden or odd characters are written out as \\u{{…}}"),
        };
        let words = words.replace('…', theme.sign(Sign::Ellipsis));
        let warning = theme.style(Role::Warning);
        lines.extend(labelled(&format!("{} ", theme.sign(Sign::Warning)), &words, (warning, warning), width));
    }
    lines.push(Line::default());
    lines.extend(barred(&shown, width, theme));
    lines.push(Line::default());
    lines.extend(facts(asked, width, theme));
    lines
}

fn facts(asked: &Asked, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let label = theme.style(Role::Faint);
    let mut lines = Vec::new();
    let mut fact = |name: &str, text: &str, role: Role| {
        if !text.is_empty() {
            lines.extend(labelled(name, text, (label, theme.style(role)), width));
        }
    };
    if asked.shown.body != Body::Nothing {
        fact("what  ", &asked.shown.line, Role::Plain);
    }
    let role = if asked.cage == Cage::Free { Role::Warning } else { Role::Plain };
    fact("cage  ", &cage_words(asked.cage), role);
    fact("rule  ", &asked.rule, Role::Plain);
    lines
}

/// Who wants to do what, and whether the kernel would hold it: this is in sight however long the command is.
fn title(asked: &Asked, theme: &Theme) -> String {
    let (sign, caged) = match asked.cage {
        Cage::Free => (Sign::NotCaged, "not caged"),
        Cage::ReadOnly { .. } | Cage::Rehearsal | Cage::Workspace { .. } => (Sign::Caged, "caged"),
    };
    let agent = asked.agent.as_ref().map_or_else(String::new, |agent| format!(" for the agent {}", agent.0));
    format!("May {} do this{agent}? {} {caged}", asked.tool, theme.sign(sign))
}

/// Every line, every character: what nobody would see is written out.
fn command(text: &str, theme: &Theme) -> Vec<Line<'static>> {
    let (plain, odd) = (theme.style(Role::Code), theme.style(Role::Warning));
    let line = |line: &str| {
        let mut spans: Vec<Span<'static>> = Vec::new();
        for letter in line.chars() {
            let (style, shown) = match letter {
                '\t' => (plain, "    ".to_owned()),
                letter if is_odd(letter) => (odd, letter.escape_unicode().to_string()),
                letter => (plain, letter.to_string()),
            };
            match spans.last_mut() {
                Some(last) if last.style == style => last.content.to_mut().push_str(&shown),
                _ => spans.push(Span::styled(shown, style)),
            }
        }
        Line::from(spans)
    };
    text.strip_suffix('\n').unwrap_or(text).split('\n').map(line).collect()
}

fn difference(diff: &str, theme: &Theme) -> Vec<Line<'static>> {
    let paint = |line: &str| {
        let role = match line.as_bytes().first() {
            Some(b'+') => Role::Added,
            Some(b'-') => Role::Removed,
            Some(b'@') => Role::Faint,
            _ => Role::Plain,
        };
        Line::from(Span::styled(super::words::tame(line), theme.style(role)))
    };
    diff.split('\n').map(paint).collect()
}

/// What the kernel would hold, in plain words.
pub fn cage_words(cage: Cage) -> String {
    let outside = |outside| match outside {
        Outside::Closed => "no network",
        Outside::Network => "may use the network",
        Outside::Services => "may use the network and services of this machine",
    };
    match cage {
        Cage::ReadOnly { outside: reach } => format!("may read, can change nothing; {}", outside(reach)),
        Cage::Rehearsal => "works on a throw-away copy: nothing it writes is kept".to_owned(),
        Cage::Workspace { outside: reach } => format!("may change files of this project only; {}", outside(reach)),
        Cage::Free => "none: it may do whatever you may".to_owned(),
    }
}

#[cfg(test)]
#[path = "ask_tests.rs"]
mod tests;
