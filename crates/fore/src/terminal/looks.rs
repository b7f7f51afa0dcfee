//! How the terminal may look: what settings and environment say of colours, background and signs. It asks no terminal.

use crate::{screen, settings::ThemeName};
use fore_tui::theme::{Background, Colours, Signs, Theme};

/// Looks into the environment.
type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

pub(super) fn theme(name: ThemeName, variable: Variable<'_>) -> Theme {
    let signs = match screen::Signs::of_this_locale() {
        screen::Signs::Unicode => Signs::Unicode,
        screen::Signs::Ascii => Signs::Ascii,
    };
    Theme { colours: colours(variable), background: background(name, variable), signs }
}

fn colours(variable: Variable<'_>) -> Colours {
    let is = |name: &str| variable(name).unwrap_or_default();
    let term = is("TERM");
    if !is("NO_COLOR").is_empty() || ["", "dumb"].contains(&term.as_str()) {
        return Colours::Nothing;
    }
    let says_full = ["truecolor", "24bit"].contains(&is("COLORTERM").as_str()) || term.ends_with("-direct");
    if says_full { Colours::Full } else { Colours::Sixteen }
}

/// `COLORFGBG` is `text;background`, or `text;default;background`, in numbers of the sixteen colours.
fn background(name: ThemeName, variable: Variable<'_>) -> Background {
    match name {
        ThemeName::Dark => return Background::Dark,
        ThemeName::Light => return Background::Light,
        ThemeName::Auto => {}
    }
    let said = variable("COLORFGBG").unwrap_or_default();
    match said.rsplit(';').next().and_then(|number| number.trim().parse::<u8>().ok()) {
        Some(7 | 9..=15) => Background::Light,
        _ => Background::Dark,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_as_many_as_the_terminal_says_it_has() {
        let page: [(&[(&str, &str)], Colours); 7] = [
            (&[], Colours::Nothing),
            (&[("TERM", "dumb"), ("COLORTERM", "truecolor")], Colours::Nothing),
            (&[("TERM", "xterm-256color")], Colours::Sixteen),
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
    fn the_background_is_the_persons_choice_else_the_terminals_word_else_dark() {
        let page = [
            (ThemeName::Auto, None, Background::Dark),
            (ThemeName::Auto, Some("15;0"), Background::Dark),
            (ThemeName::Auto, Some("0;15"), Background::Light),
            (ThemeName::Auto, Some("0;default;7"), Background::Light),
            (ThemeName::Auto, Some("0;8"), Background::Dark),
            (ThemeName::Auto, Some("default;default"), Background::Dark),
            (ThemeName::Dark, Some("0;15"), Background::Dark),
            (ThemeName::Light, Some("15;0"), Background::Light),
        ];
        for (name, said, expected) in page {
            let variables: Vec<(&str, &str)> = said.map(|said| ("COLORFGBG", said)).into_iter().collect();
            assert_eq!(background(name, &of(&variables)), expected, "{name:?} {said:?}");
        }
    }

    fn of(variables: &[(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        move |wanted| variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned())
    }
}
