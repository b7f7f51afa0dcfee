//! The status line (L1): the mode that is enforced, whether the kernel holds it, the model, how full the context is.

use super::session_facts::{Activity, SessionFacts};
use crate::theme::{Sign, TextRole, Theme, mode_words};
use fore_agent::ContextUse;
use fore_plan::{Level, Mode};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Keys that the line names.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatusKeys {
    /// The next mode, where the key leads there: in a dialog it moves the focus.
    pub cycle: Option<String>,
    /// Stops what runs, while something does.
    pub stop: Option<String>,
}

/// One line of at most `width` columns. The mode is always in it; the rest as far as there is room. `hint`: what the next
/// key would do, instead of what can wait.
pub(crate) fn status_line(
    facts: &SessionFacts,
    keys: &StatusKeys,
    hint: Option<&str>,
    width: u16,
    theme: &Theme,
) -> Line<'static> {
    let width = usize::from(width);
    let mode = mode(facts, width, theme);
    let mut spans = mode.clone();
    // L1 writes keys in lower case.
    let key = keys.cycle.as_ref().map(|key| format!(" ({} to cycle)", key.to_lowercase())).unwrap_or_default();
    let right = match hint {
        Some(hint) => vec![Span::styled(one_line(hint), theme.style(TextRole::Warning))],
        None => details(facts, keys.stop.as_deref(), theme),
    };
    let used = |spans: &[Span<'_>]| spans.iter().map(|span| span.content.width()).sum::<usize>();
    if facts.mode.is_some() && used(&mode) + key.width() + 2 + hint.map_or(0, UnicodeWidthStr::width) <= width {
        spans.push(Span::styled(key, theme.style(TextRole::Faint)));
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

/// The mode in words; where they do not fit, by its name.
fn mode(facts: &SessionFacts, width: usize, theme: &Theme) -> Vec<Span<'static>> {
    let cut = |words: String| crate::paint::cut(&words, u16::try_from(width).unwrap_or(u16::MAX), theme);
    match (facts.mode, facts.activity) {
        (_, Activity::Over) => vec![Span::styled(cut("session over".into()), theme.style(TextRole::Faint))],
        (None, _) => {
            vec![Span::styled(cut(format!("starting{}", theme.sign(Sign::Ellipsis))), theme.style(TextRole::Faint))]
        }
        (Some(mode), _) => {
            let sign = theme.sign(Sign::Mode(mode));
            let words = format!("{sign} {}", mode_words(mode));
            let words = if words.width() <= width { words } else { cut(format!("{sign} {}", mode.name())) };
            vec![Span::styled(words, theme.style(TextRole::Mode(mode)))]
        }
    }
}

/// What can wait, the most important first.
fn details(facts: &SessionFacts, stop_key: Option<&str>, theme: &Theme) -> Vec<Span<'static>> {
    let Some(started) = &facts.started else { return Vec::new() };
    let mut all = Vec::new();
    // Outside of planning and auto mode, only reads are held: what is asked about runs free after a yes, and in bypass
    // without one.
    let holds_all = matches!(facts.mode, Some(Mode::Plan | Mode::At(Level::Auto)));
    all.push(match (started.caged, started.sandbox.uncaged_reads) {
        (true, _) if holds_all => Span::styled(theme.sign(Sign::Caged), theme.style(TextRole::Good)),
        (true, _) if facts.mode == Some(Mode::At(Level::BypassPermissions)) => {
            Span::styled(format!("{} not sandboxed", theme.sign(Sign::NotCaged)), theme.style(TextRole::Bad))
        }
        (true, _) => Span::styled(theme.sign(Sign::NotCaged), theme.style(TextRole::Faint)),
        (false, false) => Span::styled(theme.sign(Sign::NotCaged), theme.style(TextRole::Bad)),
        // Commands run, and nothing but the judge holds them.
        (false, true) => Span::styled(format!("{} no sandbox", theme.sign(Sign::Warning)), theme.style(TextRole::Bad)),
    });
    if let Some(key) = stop_key {
        all.push(Span::styled(format!("{} stops", key.to_lowercase()), theme.style(TextRole::Faint)));
    }
    if !facts.background.is_empty() {
        let words = format!("{} in background", facts.background.len());
        all.push(Span::styled(words, theme.style(TextRole::Faint)));
    }
    if let Some(share) = share(&facts.context) {
        let role = if share.percent >= 80 { TextRole::Warning } else { TextRole::Faint };
        all.push(Span::styled(format!("context {share}"), theme.style(role)));
    }
    if facts.shows_cost {
        all.push(Span::styled(crate::slash::cost::short(facts.spent.cost), theme.style(TextRole::Faint)));
    }
    if let Some(model) = facts.answering() {
        all.push(Span::styled(one_line(&model), theme.style(TextRole::Faint)));
    }
    all
}

fn one_line(text: &str) -> String {
    crate::paint::sanitize(&fore_text::cut::one_line(text)).into_owned()
}

/// How full the context is; none where nothing is in it or its size is not known.
pub(crate) fn share(context: &ContextUse) -> Option<ContextShare> {
    let window = context.window.filter(|window| *window > 0)?;
    let hundredfold = context.tokens.saturating_mul(100);
    let percent = if hundredfold < window { 0 } else { hundredfold.div_ceil(window) };
    (context.tokens > 0).then_some(ContextShare { percent: percent.min(999) })
}

/// A share of the context, in words `12 %`; what is less than one percent is not nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContextShare {
    pub percent: u64,
}

impl std::fmt::Display for ContextShare {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.percent {
            0 => f.write_str("<1 %"),
            percent => write!(f, "{percent} %"),
        }
    }
}
