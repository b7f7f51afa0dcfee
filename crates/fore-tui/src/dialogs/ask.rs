//! The gate asks about one call: what it is, the whole of it, which rule asks and what would hold it. Nothing but an
//! explicit selection and Enter says yes.

use super::{
    Dialog, DialogStep, Focus, PagerDocument,
    choices::{ChoiceRow, ChoiceStep, Choices, DrawnChoices, TypedLetters, is_plain},
    field::{FieldRows, FieldStep, TextField},
    layout::{DialogLayout, Scroll, barred},
    text::{FoldedLine, folded, labelled, paragraph},
};
use crate::{
    paint::{self, CodeLines},
    theme::{Sign, TextRole, Theme},
    view::{Space, View},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use fore_agent::{Command, PermissionRequest, Reply, ShownBody, ShownCall};
use fore_plan::{Cage, ToolName};
use fore_text::{TextKind, TextPiece};
use ratatui::{
    style::Modifier,
    text::{Line, Span},
};

/// Rows of the reason that are seen at once.
const REASON_ROWS: u16 = 5;
/// A larger difference is drawn without its colours: the painter would leave some of it out.
const MAX_DIFF_LINES: usize = 2_000;
const MAX_DIFF_BYTES: usize = 1_000;

/// A question of the gate.
#[derive(Debug)]
pub(crate) struct AskDialog {
    asked: PermissionRequest,
    choices: Choices,
    typed: TypedLetters,
    scroll: Scroll,
    /// The reason for a no, while it is being written.
    reason: Option<TextField>,
    /// The body as it was laid out last.
    body: Option<(u16, Theme, BodyRows)>,
    /// The end of what would be done has been on the screen. Before that nothing says yes to it.
    is_read: bool,
    /// Enter was pressed before anything was selected.
    has_pressed_enter: bool,
}

impl AskDialog {
    pub(crate) fn new(asked: PermissionRequest) -> AskDialog {
        let rows = answers(&asked).into_iter().map(|(row, _)| row).collect();
        AskDialog {
            asked,
            choices: Choices::new(rows),
            typed: TypedLetters::default(),
            scroll: Scroll::default(),
            reason: None,
            body: None,
            is_read: false,
            has_pressed_enter: false,
        }
    }

    fn reply(&self, reply: Reply) -> DialogStep {
        DialogStep::Send(Command::Reply { question: self.asked.question.clone(), reply })
    }

    /// The same on the whole screen.
    fn read(&self) -> DialogStep {
        let ShownCall { line, body } = &self.asked.shown;
        let body = match body {
            ShownBody::Nothing => ShownBody::Text { text: line.clone() },
            body => body.clone(),
        };
        DialogStep::Read(PagerDocument { title: self.asked.text.clone(), body, ..PagerDocument::default() })
    }

    fn choose(&mut self, row: usize) -> DialogStep {
        let choice = answers(&self.asked).into_iter().nth(row).map(|(_, choice)| choice);
        if !self.is_read && !matches!(choice, Some(AskChoice::SayWhy) | None) {
            let last = self.body.as_ref().map_or(0, |(_, _, rows)| rows.end.saturating_sub(1));
            self.scroll.turn_towards(last);
            return DialogStep::Stay;
        }
        match choice {
            Some(AskChoice::Reply(reply)) => self.reply(reply),
            Some(AskChoice::Always { commands }) => {
                let (question, reply) = (self.asked.question.clone(), Reply::YesForKind);
                DialogStep::SendAlways { answer: Command::Reply { question, reply }, commands }
            }
            Some(AskChoice::SayWhy) | None => {
                self.reason =
                    Some(TextField::new(FieldRows::Several, "").with_hint("what it should do instead, if you like"));
                DialogStep::Stay
            }
        }
    }
}

impl Dialog for AskDialog {
    fn key(&mut self, key: KeyEvent) -> DialogStep {
        if let Some(field) = &mut self.reason {
            match field.key(key) {
                FieldStep::Stay => {}
                FieldStep::Leave => self.reason = None,
                FieldStep::Done(reason) => return self.reply(Reply::No { reason: reason.trim().to_owned() }),
            }
            return DialogStep::Stay;
        }
        if key.kind == KeyEventKind::Press && key.code == KeyCode::Esc {
            return self.reply(Reply::No { reason: String::new() });
        }
        if key.code == KeyCode::Enter && key.kind == KeyEventKind::Press && self.choices.selected().is_none() {
            self.has_pressed_enter = true;
        }
        let chosen = self.choices.key(&key);
        if matches!(key.code, KeyCode::Char('f' | 'v')) && is_plain(&key) && self.typed.is_empty() {
            return self.read();
        }
        if let Some(text) = self.typed.written(&key, chosen) {
            return DialogStep::Written(text);
        }
        match chosen {
            ChoiceStep::Row(row) => return self.choose(row),
            ChoiceStep::Moved => {}
            ChoiceStep::Nothing => {
                self.scroll.key(&key);
            }
        }
        DialogStep::Stay
    }

    fn paste(&mut self, text: &str) {
        if let Some(field) = &mut self.reason {
            field.paste(text);
        }
    }

    fn left(&mut self) {
        self.typed.clear();
        self.choices.unselect();
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
            None if self.has_pressed_enter => &[("y", "selects Yes, then Enter"), ("Esc", "no"), ("f", "full screen")],
            None => &[(&select, "select"), ("Esc", "no"), ("f", "full screen")],
            Some(_) if !self.is_read => &[("Enter", "shows the rest first"), ("Esc", "no"), ("f", "full screen")],
            Some(_) => &[("Enter", "confirms"), ("Esc", "no"), ("f", "full screen")],
        };
        if let Some(field) = &self.reason {
            let mut view = View::of(paragraph("No, because:", theme.style(TextRole::Strong), space.width));
            view.push(field.view(space.width, REASON_ROWS, &theme));
            cursor = view.cursor;
            choices = DrawnChoices { keep: cursor.map_or(0, |cursor| usize::from(cursor.row)), lines: view.lines };
            keys = &[("Enter", "says no"), ("Ctrl+J", "new line"), ("Esc", "back")];
        }
        let layout = DialogLayout { title: &title, body: &laid_out.lines, choices, cursor, keys };
        let view = layout.draw(&mut self.scroll, space, focus);
        self.is_read |= self.scroll.shows(laid_out.end.saturating_sub(1));
        self.body = Some((space.width, theme, laid_out));
        view
    }
}

/// What stands above the choices.
#[derive(Debug)]
struct BodyRows {
    lines: Vec<Line<'static>>,
    /// The row behind the last one of what would be done.
    end: usize,
}

/// The question, the whole of what would be done, and what is known about it.
fn body(asked: &PermissionRequest, width: u16, theme: &Theme) -> BodyRows {
    let mut lines = asks(asked, width, theme);
    let text = match &asked.shown.body {
        ShownBody::Nothing => &asked.shown.line,
        ShownBody::Text { text } | ShownBody::Markdown { text } | ShownBody::Diff { diff: text, .. } => text,
    };
    let odd = fore_text::marks(text, TextKind::Exact);
    if let Some(words) = fore_text::notice(odd) {
        let warning = theme.style(TextRole::Warning);
        lines.extend(labelled(
            &format!("{} ", theme.sign(Sign::Warning)),
            &format!("This {words}"),
            (warning, warning),
            width,
        ));
    }
    if !lines.is_empty() {
        lines.push(Line::default());
    }
    lines.extend(barred(&exact(asked, text, odd, width, theme), width, theme));
    let end = lines.len();
    lines.push(Line::default());
    lines.extend(facts(asked, width, theme));
    BodyRows { lines, end }
}

/// What a choice does.
enum AskChoice {
    Reply(Reply),
    /// Yes, and commands that begin so are allowed for good in this project.
    Always {
        commands: Vec<String>,
    },
    /// Opens a field for the reason of a no.
    SayWhy,
}

/// The choices, each with what it does.
fn answers(asked: &PermissionRequest) -> Vec<(ChoiceRow, AskChoice)> {
    let lasting = |what: &String, reply| {
        let row = ChoiceRow::new(&format!("Yes, and don't ask about {what} again in this session"));
        (row, AskChoice::Reply(reply))
    };
    let always = |commands: &[String]| {
        let row = ChoiceRow::new(&capital(&always_words(commands)));
        (row, AskChoice::Always { commands: commands.to_vec() })
    };
    let mut rows = vec![(ChoiceRow::new("Yes").letter('y'), AskChoice::Reply(Reply::Yes))];
    let for_plan = || (ChoiceRow::new("Yes, and add it to the plan"), AskChoice::Reply(Reply::YesForPlan));
    rows.extend(asked.for_plan.as_ref().map(|_| for_plan()));
    rows.extend(asked.for_session.as_ref().map(|what| lasting(what, Reply::YesForSession)));
    rows.extend(asked.for_kind.as_ref().map(|what| lasting(what, Reply::YesForKind)));
    rows.extend(Some(asked.always.as_slice()).filter(|commands| !commands.is_empty()).map(always));
    rows.push((ChoiceRow::new("No, and say why").letter('n'), AskChoice::SayWhy));
    rows
}

/// What a yes for good covers, and where it is kept.
pub(crate) fn always_words(commands: &[String]) -> String {
    let words: Vec<String> =
        commands.iter().map(|command| format!("`{} …`", fore_text::cut::one_line(command))).collect();
    format!("yes, and always allow {} in this project (kept in your allowed.json)", words.join(" and "))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Everything that a command would do, the worst first; of other calls, the question itself unless the title has said it. That the
/// plan does not name it stands above.
fn asks(asked: &PermissionRequest, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let strong = theme.style(TextRole::Strong);
    let beyond = || paragraph("Not in the plan.", theme.style(TextRole::Warning), width);
    if asked.effects.is_empty() {
        return match (writes_one_file(asked) || is_amendment(asked), &asked.for_plan) {
            (false, _) => paragraph(&asked.text, strong, width),
            (true, Some(_)) => beyond(),
            (true, None) => Vec::new(),
        };
    }
    let bullet = format!("{} ", theme.sign(Sign::Bullet));
    let mut told: Vec<&str> = Vec::new();
    let mut lines = asked.for_plan.as_ref().map(|_| beyond()).unwrap_or_default();
    for effect in &asked.effects {
        if !told.contains(&effect.why.as_str()) {
            told.push(&effect.why);
            lines.extend(labelled(&bullet, &effect.why, (strong, strong), width));
        }
    }
    lines
}

fn facts(asked: &PermissionRequest, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let label = theme.style(TextRole::Faint);
    let mut lines = Vec::new();
    let mut fact = |name: &str, text: &str, role: TextRole| {
        if !text.is_empty() {
            lines.extend(labelled(name, text, (label, theme.style(role)), width));
        }
    };
    if is_amendment(asked) {
        fact("adds  ", &asked.shown.line, TextRole::Strong);
    } else if asked.shown.body != ShownBody::Nothing {
        fact("what  ", &asked.shown.line, TextRole::Plain);
    }
    let role = if asked.cage == Cage::Free && !writes_one_file(asked) { TextRole::Warning } else { TextRole::Plain };
    match (is_amendment(asked), writes_one_file(asked)) {
        (true, _) => fact("does  ", AMENDMENT_DOES, TextRole::Warning),
        (false, true) => fact("does  ", "writes this file, nothing else", role),
        (false, false) => fact("how   ", &cage_words(&asked.cage), role),
    }
    // A row of the gate's table says nothing to a person; a rule of theirs does.
    if asked.rule.contains(' ') {
        fact("why   ", &format!("your settings: {}", asked.rule), TextRole::Plain);
    }
    lines
}

/// An edit runs no program: it changes the file that is shown, so there is nothing to cage.
fn writes_one_file(asked: &PermissionRequest) -> bool {
    matches!(asked.shown.body, ShownBody::Diff { .. }) && !is_amendment(asked)
}

/// More for the plan is shown as a change of it; what it means is that more runs without asking.
fn is_amendment(asked: &PermissionRequest) -> bool {
    asked.tool.known() == Some(ToolName::AmendPlan)
}

/// What a yes to more for the plan grants.
pub(crate) const AMENDMENT_DOES: &str = "adds this to the plan; from then on edits of these files and these commands run without asking, as long as the plan lasts";

/// Who wants to do what, and whether the kernel would hold it: this is in sight however long the command is.
fn title(asked: &PermissionRequest, theme: &Theme) -> String {
    let agent = asked.agent.as_ref().map_or_else(String::new, |agent| format!(", for the agent {}", agent.0));
    if is_amendment(asked) {
        return format!("Let the plan cover more{agent}?");
    }
    if let ShownBody::Diff { path, .. } = &asked.shown.body {
        return format!("Allow this edit to {path}{agent}?");
    }
    let (sign, caged) = match asked.cage {
        Cage::Free => (Sign::NotCaged, "not sandboxed"),
        Cage::ReadOnly { .. } | Cage::Rehearsal | Cage::Workspace { .. } => (Sign::Caged, "sandboxed"),
    };
    match asked.tool.known() {
        Some(ToolName::Bash) => format!("Run this command{agent}? {} {caged}", theme.sign(sign)),
        Some(_) | None => format!("Allow this {} call{agent}? {} {caged}", asked.tool, theme.sign(sign)),
    }
}

/// Every line, every character. What has odd ones in it is drawn plain, so that these stand out.
fn exact(asked: &PermissionRequest, text: &str, odd: usize, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let is_drawn_whole =
        text.lines().count() <= MAX_DIFF_LINES && text.lines().all(|line| line.len() <= MAX_DIFF_BYTES);
    match &asked.shown.body {
        ShownBody::Diff { path, diff } if odd == 0 && is_drawn_whole => {
            paint::diff(diff, Some(path), width.saturating_sub(2).max(1), theme)
        }
        ShownBody::Text { .. } if odd == 0 && asked.tool.known() == Some(ToolName::Bash) => {
            let mut shell = CodeLines::new("sh", theme);
            let draw = |line: &str| underlined(shell.line(line), line, text, asked, |part| paint::sanitize(part).len());
            let mut draw = draw;
            folded(text).into_iter().map(|row| written(row, theme, &mut draw)).collect()
        }
        ShownBody::Nothing | ShownBody::Text { .. } | ShownBody::Markdown { .. } | ShownBody::Diff { .. } => {
            let wide = |part: &str| bytes_of(&written_out(part, theme));
            let mut draw = |line: &str| underlined(written_out(line, theme), line, text, asked, wide);
            folded(text).into_iter().map(|row| written(row, theme, &mut draw)).collect()
        }
    }
}

fn bytes_of(line: &Line<'_>) -> usize {
    line.spans.iter().map(|span| span.content.len()).sum()
}

/// The words that show an effect stand out. `drawn` says how many bytes the beginning of a line has on the screen.
fn underlined(
    drawn_line: Line<'static>,
    line: &str,
    text: &str,
    asked: &PermissionRequest,
    drawn: impl Fn(&str) -> usize,
) -> Line<'static> {
    let Some(start) = line.as_ptr().addr().checked_sub(text.as_ptr().addr()) else { return drawn_line };
    let places = asked.effects.iter().filter_map(|effect| effect.span);
    let places = places.filter_map(|span| {
        // Where the word goes on to the next line, to the end of this one.
        let (from, to) = (span.start.max(start), span.end.min(start + line.len()));
        let before = line.get(..from.checked_sub(start)?)?;
        let until = line.get(..to.checked_sub(start)?)?;
        (from < to).then(|| drawn(before)..drawn(until))
    });
    places.fold(drawn_line, |line, place| underline(line, &place))
}

/// Underlines these bytes of a drawn line.
fn underline(line: Line<'static>, place: &std::ops::Range<usize>) -> Line<'static> {
    let (style, mut at) = (line.style, 0);
    let mut spans = Vec::new();
    for span in line.spans {
        let (start, end) = (at, at + span.content.len());
        at = end;
        let cuts = [start, place.start.clamp(start, end), place.end.clamp(start, end), end];
        for (part, is_inside) in cuts.windows(2).zip([false, true, false]) {
            let &[from, to] = part else { continue };
            let Some(words) = span.content.get(from - start..to - start).filter(|words| !words.is_empty()) else {
                continue;
            };
            let look = if is_inside { span.style.add_modifier(Modifier::UNDERLINED) } else { span.style };
            spans.push(Span::styled(words.to_owned(), look));
        }
    }
    Line::from(spans).style(style)
}

/// A line as it is drawn, or how many blank ones stand there.
fn written(row: FoldedLine<'_>, theme: &Theme, draw: &mut impl FnMut(&str) -> Line<'static>) -> Line<'static> {
    match row {
        FoldedLine::Line(line) => draw(line),
        FoldedLine::Blank(_) => {
            let words = row.words().replace('…', theme.sign(Sign::Ellipsis));
            Line::from(Span::styled(words, theme.style(TextRole::Faint)))
        }
    }
}

fn written_out(line: &str, theme: &Theme) -> Line<'static> {
    let (plain, odd) = (theme.style(TextRole::Code), theme.style(TextRole::Warning));
    let mut spans: Vec<Span<'static>> = Vec::new();
    for piece in fore_text::pieces(line, TextKind::Exact) {
        let (style, shown) = match piece {
            TextPiece::Plain(text) => (plain, text.replace('\t', "    ")),
            TextPiece::Mark(mark) => (odd, mark),
        };
        match spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push_str(&shown),
            _ => spans.push(Span::styled(shown, style)),
        }
    }
    Line::from(spans)
}

/// What the kernel would hold, in plain words.
pub(crate) fn cage_words(cage: &Cage) -> String {
    match cage {
        Cage::ReadOnly { outside } => format!("may read, can change nothing; {}", outside.describe()),
        Cage::Rehearsal => "works on a throw-away copy: nothing it writes is kept".to_owned(),
        Cage::Workspace { outside } => format!("may change files of this project only; {}", outside.describe()),
        Cage::Free => "No sandbox: runs with all your permissions".to_owned(),
    }
}

#[cfg(test)]
#[path = "ask_tests.rs"]
mod tests;
