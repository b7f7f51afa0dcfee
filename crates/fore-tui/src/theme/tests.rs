//! Colours that can be read on the background they are for, however many the terminal has.

use super::*;

const ROLES: [TextRole; 17] = [
    TextRole::Faint,
    TextRole::Accent,
    TextRole::Good,
    TextRole::Warning,
    TextRole::Bad,
    TextRole::Person,
    TextRole::Heading,
    TextRole::Code,
    TextRole::Link,
    TextRole::Quote,
    TextRole::Selected,
    TextRole::Mode(Mode::Plan),
    TextRole::Mode(Mode::At(Level::Default)),
    TextRole::Mode(Mode::At(Level::AcceptEdits)),
    TextRole::Mode(Mode::At(Level::Auto)),
    TextRole::Added,
    TextRole::Removed,
];

fn theme(colours: Colours, background: Background) -> Theme {
    Theme { colours, background, signs: Signs::Unicode }
}

/// How much two colours differ in light: 1 is not at all, 21 is black on white.
fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let light = |colour: [u8; 3]| {
        let [red, green, blue] = colour.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    };
    let (one, other) = (light(one) + 0.05, light(other) + 0.05);
    one.max(other) / one.min(other)
}

#[test]
fn every_role_can_be_read_on_its_background() {
    for colours in [Colours::Palette, Colours::Full] {
        for (background, behind) in [(Background::Dark, [0; 3]), (Background::Light, [255; 3])] {
            for role in ROLES {
                let colour = match theme(colours, background).style(role).fg {
                    Some(Color::Rgb(red, green, blue)) => [red, green, blue],
                    Some(Color::Indexed(number)) => palette::rgb(number),
                    other => panic!("{role:?} has {other:?}"),
                };
                let contrast = contrast(colour, behind);
                assert!(contrast >= 4.0, "{role:?} in {colours:?} on {background:?}: {contrast:.1}");
            }
        }
    }
}

#[test]
fn with_256_colours_light_and_dark_differ_and_none_is_one_of_the_sixteen() {
    for role in ROLES {
        let of = |background| theme(Colours::Palette, background).style(role).fg;
        assert_ne!(of(Background::Dark), of(Background::Light), "{role:?}");
        for background in [Background::Dark, Background::Light] {
            assert!(matches!(of(background), Some(Color::Indexed(16..))), "{role:?}");
        }
    }
}

#[test]
fn with_sixteen_colours_nothing_on_white_is_yellow_cyan_or_white() {
    for role in ROLES {
        let colour = theme(Colours::Sixteen, Background::Light).style(role).fg;
        let readable = [Color::Black, Color::DarkGray, Color::Blue, Color::Red, Color::Green, Color::Magenta];
        assert!(colour.is_some_and(|colour| readable.contains(&colour)), "{role:?} has {colour:?}");
    }
}

#[test]
fn the_nearest_colour_of_the_palette_is_the_colour_itself_where_it_has_it() {
    for number in 16..=255 {
        assert_eq!(palette::rgb(palette::nearest(palette::rgb(number))), palette::rgb(number), "{number}");
    }
    assert_eq!(palette::nearest([0x8a, 0x8f, 0x98]), 246);
}

#[test]
fn signs_of_plain_letters_that_stand_in_one_list_differ() {
    let ascii = Theme { signs: Signs::Ascii, ..theme(Colours::Nothing, Background::Dark) };
    let signs = [Sign::Check, Sign::Cross, Sign::Circle, Sign::Pointer, Sign::Dot, Sign::ArrowUp, Sign::ArrowDown];
    for (index, one) in signs.iter().enumerate() {
        for other in signs.iter().skip(index + 1) {
            assert_ne!(ascii.sign(*one), ascii.sign(*other), "{one:?} {other:?}");
        }
    }
}
