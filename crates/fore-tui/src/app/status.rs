//! The status line (L1): the mode that is enforced, whether the kernel holds it, the model, how full the context is.

use super::facts::{Activity, Facts};
use crate::theme::{Role, Sign, Theme, mode_words};
use fore_agent::event::ContextUse;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Keys that the line names.
#[derive(Clone, Copy, Debug)]
pub struct Keys<'a> {
    pub cycle: &'a str,
    /// None where this key means something else just now.
    pub stop: Option<&'a str>,
}

/// One line of at most `width` columns. The mode is always in it; the rest as far as there is room. `hint`: what the next
/// key would do, instead of what can wait.
pub fn status_line(facts: &Facts, keys: Keys<'_>, hint: Option<&str>, width: u16, theme: &Theme) -> Line<'static> {
    let width = usize::from(width);
    let mode = mode(facts, theme);
    let mut spans = mode.clone();
    // L1 writes keys in lower case.
    let key = format!(" ({} to cycle)", keys.cycle.to_lowercase());
    let right = match hint {
        Some(hint) => vec![Span::styled(hint.to_owned(), theme.style(Role::Warning))],
        None => details(facts, keys, theme),
    };
    let used = |spans: &[Span<'_>]| spans.iter().map(|span| span.content.width()).sum::<usize>();
    if facts.mode.is_some() && used(&mode) + key.width() + 2 + hint.map_or(0, UnicodeWidthStr::width) <= width {
        spans.push(Span::styled(key, theme.style(Role::Faint)));
    }
    let mut room = width.saturating_sub(used(&spans));
    let mut kept: Vec<Span<'static>> = Vec::new();
    for span in right {
        let needed = span.content.width() + 2;
        if needed > room {
            // A hint is cut rather than left out: it says what the next key does.
            if hint.is_some() && room > 8 {
                let text = crate::paint::cut(&span.content, u16::try_from(room - 2).unwrap_or(0), theme);
                kept.push(Span::styled(text, span.style));
            }
            break;
        }
        room -= needed;
        kept.push(span);
    }
    let gap = width.saturating_sub(used(&spans) + used(&kept) + 2 * kept.len().saturating_sub(1));
    spans.push(Span::raw(" ".repeat(gap)));
    for (index, span) in kept.into_iter().enumerate() {
        if index > 0 {
            spans.push(Span::raw("  "));
        }
        spans.push(span);
    }
    Line::from(spans)
}

fn mode(facts: &Facts, theme: &Theme) -> Vec<Span<'static>> {
    match (facts.mode, facts.activity) {
        (_, Activity::Over) => vec![Span::styled("session over", theme.style(Role::Faint))],
        (None, _) => vec![Span::styled(format!("starting{}", theme.sign(Sign::Ellipsis)), theme.style(Role::Faint))],
        (Some(mode), _) => {
            let words = format!("{} {}", theme.sign(Sign::Mode(mode)), mode_words(mode));
            vec![Span::styled(words, theme.style(Role::Mode(mode)))]
        }
    }
}

/// What can wait, the most important first.
fn details(facts: &Facts, keys: Keys<'_>, theme: &Theme) -> Vec<Span<'static>> {
    let Some(started) = &facts.started else { return Vec::new() };
    let mut all = Vec::new();
    let (sign, role) = match started.caged {
        true => (Sign::Caged, Role::Good),
        false => (Sign::NotCaged, Role::Bad),
    };
    all.push(Span::styled(theme.sign(sign), theme.style(role)));
    if let Some(stop) = keys.stop.filter(|_| facts.activity == Activity::Working) {
        all.push(Span::styled(format!("{} to interrupt", stop.to_lowercase()), theme.style(Role::Faint)));
    }
    if let Some(share) = share(&facts.context) {
        let role = if share >= 80 { Role::Warning } else { Role::Faint };
        all.push(Span::styled(format!("context {share} %"), theme.style(role)));
    }
    if let Some(model) = facts.answering() {
        all.push(Span::styled(crate::paint::tame(&model).into_owned(), theme.style(Role::Faint)));
    }
    all
}

/// How full the context is, in percent.
pub fn share(context: &ContextUse) -> Option<u64> {
    let window = context.window.filter(|window| *window > 0)?;
    (context.tokens > 0).then(|| context.tokens.saturating_mul(100).div_ceil(window).min(999))
}
