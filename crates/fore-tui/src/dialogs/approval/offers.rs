//! The choices of an approval: what each one means, and how they are drawn. It never decides which one is taken.

use crate::{
    app::share,
    dialogs::text::{LineBreak, cut, rows},
    theme::{Sign, TextRole, Theme},
};
use fore_agent::ContextUse;
use fore_plan::{
    Mode,
    approval::{Offer, OfferKind},
};
use ratatui::{
    style::Style,
    text::{Line, Span},
};
use unicode_width::UnicodeWidthStr;

/// Pointer, number and the blanks around them.
const INDENT: u16 = 4;
/// In narrower windows each mode stands right behind its choice.
const WIDE: u16 = 60;
/// Behind this many choices there is no number key.
const MAX_NUMBER_KEYS: usize = 9;

/// What a choice comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Approve,
    KeepPlanning,
    SaveAndStop,
    LeavePlanMode,
    Discard,
}

impl Meaning {
    pub(super) fn of(kind: OfferKind) -> Meaning {
        match kind {
            OfferKind::StartCovered
            | OfferKind::StartEditing
            | OfferKind::AcceptEdits
            | OfferKind::AskEachEdit
            | OfferKind::ClearContextAndStart => Meaning::Approve,
            OfferKind::KeepPlanning => Meaning::KeepPlanning,
            OfferKind::SaveAndStop => Meaning::SaveAndStop,
            OfferKind::LeavePlanMode => Meaning::LeavePlanMode,
            OfferKind::Discard => Meaning::Discard,
        }
    }
}

/// What is needed to draw the choices.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfferList<'a> {
    pub(super) offers: &'a [Offer],
    pub(super) selected: Option<usize>,
    pub(super) reach: ChoiceFocus,
    pub(super) context: ContextUse,
    pub(super) theme: &'a Theme,
}

/// How far away Enter is from the choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChoiceFocus {
    /// Enter takes the selected choice.
    Here,
    /// Keys go to the plan text.
    InText,
    /// Keys do not come to the dialog at all.
    Away,
}

impl OfferList<'_> {
    /// One choice below the other, each with the mode it leads to.
    pub(super) fn full(&self, width: u16) -> Vec<Line<'static>> {
        let column = self.mode_column(width);
        let mut all = Vec::new();
        for (index, offer) in self.offers.iter().enumerate() {
            let label = offer.value.label(offer.leads_to);
            let blanks = column.saturating_sub(label.width());
            let mut spans = self.front(index);
            spans.push(Span::styled(label, self.style(index, TextRole::Plain)));
            let mut rows = rows(&Line::from(spans), width, INDENT, LineBreak::Words);
            let mode = Span::styled(self.leads_to(offer), self.style(index, TextRole::Mode(offer.leads_to)));
            self.append(&mut rows, blanks + 2, mode, width);
            if offer.value == OfferKind::ClearContextAndStart {
                let words = Span::styled(context_words(self.context), self.style(index, TextRole::Faint));
                self.append(&mut rows, 2, words, width);
            }
            all.append(&mut rows);
        }
        all
    }

    /// Where the modes stand below each other: behind the longest label that leaves room for them.
    fn mode_column(&self, width: u16) -> usize {
        if width < WIDE {
            return 0;
        }
        let modes = self.offers.iter().map(|offer| self.leads_to(offer).width()).max().unwrap_or(0);
        let room = usize::from(width - INDENT).saturating_sub(modes + 2);
        self.offers
            .iter()
            .map(|offer| offer.value.label(offer.leads_to).width())
            .filter(|width| *width <= room)
            .max()
            .unwrap_or(0)
    }

    /// Puts words at the end of the last row, or into one of their own.
    fn append(&self, rows: &mut Vec<Line<'static>>, blanks: usize, words: Span<'static>, width: u16) {
        match rows.last_mut() {
            Some(row) if row.width() + blanks + words.width() <= usize::from(width) => {
                row.spans.extend([Span::raw(" ".repeat(blanks)), words]);
            }
            _ => {
                let row = Line::from(vec![Span::raw(" ".repeat(usize::from(INDENT))), words]);
                rows.push(cut(&row, width, self.theme));
            }
        }
    }

    /// As many choices in a row as fit, in short words.
    pub(super) fn compact(&self, width: u16) -> Vec<Line<'static>> {
        let mut all: Vec<Line<'static>> = Vec::new();
        for (index, offer) in self.offers.iter().enumerate() {
            let mut item = Line::from(self.front(index));
            item.spans.extend(self.short(index, offer));
            if let Some(share) = self.share(index, offer)
                && item.width() + share.width() <= usize::from(width)
            {
                item.spans.push(share);
            }
            match all.last_mut() {
                Some(row) if row.width() + 1 + item.width() <= usize::from(width) => {
                    row.spans.push(Span::raw(" "));
                    row.spans.extend(item.spans);
                }
                _ => all.push(cut(&item, width, self.theme)),
            }
        }
        all
    }

    fn short(&self, index: usize, offer: &Offer) -> Vec<Span<'static>> {
        let (words, names_mode) = match offer.value {
            OfferKind::StartCovered => ("Approve what it covers", false),
            OfferKind::StartEditing | OfferKind::AcceptEdits | OfferKind::AskEachEdit => ("Approve: ", true),
            OfferKind::ClearContextAndStart => ("Clear, approve: ", true),
            OfferKind::KeepPlanning => ("Keep planning", false),
            OfferKind::SaveAndStop => ("Save and stop", false),
            OfferKind::LeavePlanMode => ("Leave: ", true),
            OfferKind::Discard => ("Discard", false),
        };
        let mut spans = vec![Span::styled(words, self.style(index, TextRole::Plain))];
        if names_mode {
            let style = self.style(index, TextRole::Mode(offer.leads_to));
            spans.push(Span::styled(offer.leads_to.name(), style));
        }
        spans
    }

    fn share(&self, index: usize, offer: &Offer) -> Option<Span<'static>> {
        let share = share(&self.context).filter(|_| offer.value == OfferKind::ClearContextAndStart)?;
        Some(Span::styled(format!(" ({share} full)"), self.style(index, TextRole::Faint)))
    }

    fn front(&self, index: usize) -> Vec<Span<'static>> {
        let pointer = match (self.selected == Some(index), self.reach) {
            (true, ChoiceFocus::Here) => self.theme.sign(Sign::Pointer),
            // Marked, but no key would act on it now.
            (true, ChoiceFocus::InText | ChoiceFocus::Away) => self.theme.sign(Sign::Dot),
            (false, _) => " ",
        };
        let number = if index < MAX_NUMBER_KEYS { (index + 1).to_string() } else { " ".to_owned() };
        let pointer_role = if self.reach == ChoiceFocus::Here { TextRole::Accent } else { TextRole::Faint };
        vec![
            Span::styled(pointer, self.theme.style(pointer_role)),
            Span::raw(" "),
            Span::styled(number, self.style(index, TextRole::Accent)),
            Span::raw(" "),
        ]
    }

    fn style(&self, index: usize, role: TextRole) -> Style {
        match self.reach {
            ChoiceFocus::Away => self.theme.style(TextRole::Faint),
            ChoiceFocus::Here if self.selected == Some(index) && role == TextRole::Plain => {
                self.theme.style(TextRole::Selected)
            }
            ChoiceFocus::Here | ChoiceFocus::InText => self.theme.style(role),
        }
    }

    fn leads_to(&self, offer: &Offer) -> String {
        format!("{} {}", self.theme.sign(Sign::Mode(offer.leads_to)), Mode::name(offer.leads_to))
    }
}

/// `context 62 % full, 124k tokens`
pub(super) fn context_words(context: ContextUse) -> String {
    let about = if context.estimated { "about " } else { "" };
    let tokens = count(context.tokens);
    match share(&context) {
        Some(share) => format!("context {about}{share} full, {tokens} tokens"),
        None => format!("context {about}{tokens} tokens"),
    }
}

fn count(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}k", tokens / 1_000),
        _ => format!("{}.{}M", tokens / 1_000_000, tokens % 1_000_000 / 100_000),
    }
}
