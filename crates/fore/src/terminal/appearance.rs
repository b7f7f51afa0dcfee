//! How the terminal may look: what settings and environment say of colours, background, signs and long rows. It asks no
//! terminal.

use crate::{
    console,
    settings::{EnvironmentLookup, ThemeName},
};
use fore_tui::{Background, Colours, Narrowing, Theme};

pub(super) fn theme(name: ThemeName, variable: EnvironmentLookup<'_>) -> Theme {
    let signs = console::signs_of_this_locale();
    let (background, colours) = match (background(name, variable), colours(variable)) {
        // The sixteen colours are the terminal's own and fit its background, whichever that is.
        (None, Colours::Full | Colours::Palette) => (Background::Dark, Colours::Sixteen),
        (background, colours) => (background.unwrap_or(Background::Dark), colours),
    };
    Theme { colours, background, signs }
}

fn colours(variable: EnvironmentLookup<'_>) -> Colours {
    let is = |name: &str| variable(name).unwrap_or_default();
    let term = is("TERM");
    if !is("NO_COLOR").is_empty() || ["", "dumb"].contains(&term.as_str()) {
        return Colours::Nothing;
    }
    let says_full = ["truecolor", "24bit"].contains(&is("COLORTERM").as_str()) || term.ends_with("-direct");
    match says_full {
        true => Colours::Full,
        false if term.ends_with("-256color") => Colours::Palette,
        false => Colours::Sixteen,
    }
}

/// What is known of it. `COLORFGBG` is `text;background`, or `text;default;background`, in numbers of the sixteen colours.
fn background(name: ThemeName, variable: EnvironmentLookup<'_>) -> Option<Background> {
    match name {
        ThemeName::Dark => return Some(Background::Dark),
        ThemeName::Light => return Some(Background::Light),
        ThemeName::Auto => {}
    }
    let said = variable("COLORFGBG").unwrap_or_default();
    match said.rsplit(';').next().and_then(|number| number.trim().parse::<u8>().ok()) {
        Some(7 | 9..=15) => Some(Background::Light),
        Some(_) => Some(Background::Dark),
        None => None,
    }
}

/// Set by terminals that fold long rows. They come first: a terminal may be started from another one, and has its variables.
const FOLDING: [&str; 8] = [
    "TMUX",
    "VTE_VERSION",
    "KITTY_WINDOW_ID",
    "ALACRITTY_WINDOW_ID",
    "WEZTERM_PANE",
    "KONSOLE_VERSION",
    "TERM_PROGRAM",
    "WT_SESSION",
];
/// Set by xterm and by screen, which cut them.
const CUTTING: [&str; 2] = ["XTERM_VERSION", "STY"];

/// What happens to long rows in a window that gets narrower; most terminals of today fold them.
pub(super) fn narrowing(variable: EnvironmentLookup<'_>) -> Narrowing {
    let is_set = |name: &&str| variable(name).is_some_and(|value| !value.is_empty());
    let is_st = variable("TERM").is_some_and(|term| term == "st" || term.starts_with("st-"));
    let cuts = is_st || CUTTING.iter().any(&is_set);
    if cuts && !FOLDING.iter().any(is_set) { Narrowing::Cuts } else { Narrowing::Folds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_as_many_as_the_terminal_says_it_has() {
        let page: [(&[(&str, &str)], Colours); 8] = [
            (&[], Colours::Nothing),
            (&[("TERM", "dumb"), ("COLORTERM", "truecolor")], Colours::Nothing),
            (&[("TERM", "xterm")], Colours::Sixteen),
            (&[("TERM", "xterm-256color")], Colours::Palette),
            (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], Colours::Full),
            (&[("TERM", "xterm-direct")], Colours::Full),
            (&[("TERM", "xterm"), ("COLORTERM", "24bit"), ("NO_COLOR", "1")], Colours::Nothing),
            (&[("TERM", "xterm"), ("NO_COLOR", "")], Colours::Sixteen),
        ];
        for (variables, expected) in page {
            assert_eq!(colours(&of(variables)), expected, "{variables:?}");
        }
    }

    #[test]
    fn the_background_is_the_persons_choice_else_the_terminals_word_else_not_known() {
        let page = [
            (ThemeName::Auto, None, None),
            (ThemeName::Auto, Some("15;0"), Some(Background::Dark)),
            (ThemeName::Auto, Some("0;15"), Some(Background::Light)),
            (ThemeName::Auto, Some("0;default;7"), Some(Background::Light)),
            (ThemeName::Auto, Some("0;8"), Some(Background::Dark)),
            (ThemeName::Auto, Some("default;default"), None),
            (ThemeName::Dark, Some("0;15"), Some(Background::Dark)),
            (ThemeName::Light, Some("15;0"), Some(Background::Light)),
        ];
        for (name, said, expected) in page {
            let variables: Vec<(&str, &str)> = said.map(|said| ("COLORFGBG", said)).into_iter().collect();
            assert_eq!(background(name, &of(&variables)), expected, "{name:?} {said:?}");
        }
    }

    #[test]
    fn colours_of_our_own_are_used_only_on_a_background_that_is_known() {
        let full = |more: &[(&str, &str)], name| {
            let variables = [&[("TERM", "xterm"), ("COLORTERM", "truecolor")], more].concat();
            let theme = theme(name, &of(&variables));
            (theme.colours, theme.background)
        };
        assert_eq!(full(&[], ThemeName::Auto), (Colours::Sixteen, Background::Dark));
        assert_eq!(full(&[("COLORFGBG", "0;15")], ThemeName::Auto), (Colours::Full, Background::Light));
        assert_eq!(full(&[], ThemeName::Light), (Colours::Full, Background::Light));
        let palette = |name| theme(name, &of(&[("TERM", "screen-256color")]));
        assert_eq!(palette(ThemeName::Auto).colours, Colours::Sixteen);
        assert_eq!(palette(ThemeName::Light).colours, Colours::Palette);
    }

    #[test]
    fn long_rows_are_cut_by_terminals_that_are_known_to_do_so() {
        let page: [(&[(&str, &str)], Narrowing); 6] = [
            (&[("TERM", "xterm-256color")], Narrowing::Folds),
            (&[("TERM", "xterm-256color"), ("XTERM_VERSION", "XTerm(390)")], Narrowing::Cuts),
            (&[("TERM", "xterm-kitty"), ("XTERM_VERSION", "XTerm(390)"), ("KITTY_WINDOW_ID", "1")], Narrowing::Folds),
            (&[("TERM", "screen"), ("STY", "1234.pts-0.shop")], Narrowing::Cuts),
            (
                &[("TERM", "screen"), ("STY", "1234.pts-0.shop"), ("TMUX", "/tmp/tmux-1000/default,1,0")],
                Narrowing::Folds,
            ),
            (&[("TERM", "st-256color")], Narrowing::Cuts),
        ];
        for (variables, expected) in page {
            assert_eq!(narrowing(&of(variables)), expected, "{variables:?}");
        }
    }

    fn of(variables: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        move |wanted| variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned())
    }
}
