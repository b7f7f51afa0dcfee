//! The colours of a window: what a terminal makes of default, numbered and 24-bit colours.

use super::svg::WindowTheme;
use vt100::Color;

/// Red, green and blue.
pub(super) type Rgb = (u8, u8, u8);

/// The sixteen colours that a terminal defines: the eight and their bright ones.
const DARK: [Rgb; 16] = [
    (0x2a, 0x2f, 0x3a),
    (0xf2, 0x7b, 0x78),
    (0x7f, 0xd1, 0x8b),
    (0xe6, 0xc0, 0x68),
    (0x82, 0xaa, 0xff),
    (0xc5, 0x9b, 0xff),
    (0x56, 0xc8, 0xd8),
    (0xc8, 0xce, 0xd8),
    (0x7a, 0x80, 0x8c),
    (0xff, 0x9a, 0x96),
    (0x9d, 0xe3, 0xa7),
    (0xf5, 0xd5, 0x8a),
    (0xa9, 0xc4, 0xff),
    (0xd9, 0xbd, 0xff),
    (0x86, 0xde, 0xea),
    (0xf2, 0xf4, 0xf8),
];
const LIGHT: [Rgb; 16] = [
    (0x20, 0x24, 0x2a),
    (0xb3, 0x2b, 0x27),
    (0x1c, 0x7c, 0x33),
    (0x8a, 0x5a, 0x00),
    (0x2b, 0x4f, 0xbf),
    (0x7a, 0x3f, 0xc4),
    (0x00, 0x73, 0x8a),
    (0x6e, 0x74, 0x80),
    (0x6e, 0x74, 0x80),
    (0xcc, 0x3e, 0x38),
    (0x2a, 0x93, 0x45),
    (0xa0, 0x6c, 0x0a),
    (0x3c, 0x63, 0xd8),
    (0x8f, 0x55, 0xd8),
    (0x0c, 0x8a, 0xa3),
    (0xa9, 0xaf, 0xb8),
];

impl WindowTheme {
    pub(super) fn background(self) -> Rgb {
        match self {
            WindowTheme::Dark => (0x16, 0x19, 0x20),
            WindowTheme::Light => (0xfc, 0xfc, 0xfa),
        }
    }

    pub(super) fn foreground(self) -> Rgb {
        match self {
            WindowTheme::Dark => (0xd8, 0xde, 0xe9),
            WindowTheme::Light => (0x20, 0x24, 0x2a),
        }
    }

    /// The bar above the window and the line around it.
    pub(super) fn frame(self) -> (Rgb, Rgb) {
        match self {
            WindowTheme::Dark => ((0x20, 0x24, 0x2d), (0x33, 0x39, 0x45)),
            WindowTheme::Light => ((0xef, 0xf0, 0xee), (0xd3, 0xd6, 0xda)),
        }
    }

    /// A colour of a cell; nothing for the default.
    pub(super) fn colour(self, colour: Color) -> Option<Rgb> {
        match colour {
            Color::Default => None,
            Color::Rgb(red, green, blue) => Some((red, green, blue)),
            Color::Idx(index) => Some(self.numbered(index)),
        }
    }

    fn numbered(self, index: u8) -> Rgb {
        let sixteen = match self {
            WindowTheme::Dark => DARK,
            WindowTheme::Light => LIGHT,
        };
        if let Some(colour) = sixteen.get(usize::from(index)) {
            return *colour;
        }
        if index >= 232 {
            let grey = 8 + 10 * (index - 232);
            return (grey, grey, grey);
        }
        let step = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
        let cube = index - 16;
        (step(cube / 36), step(cube / 6 % 6), step(cube % 6))
    }
}

/// The way from one colour to another, in hundredths.
pub(super) fn mixed(from: Rgb, to: Rgb, hundredths: u16) -> Rgb {
    let part = |from: u8, to: u8| {
        let sum = u16::from(from) * (100 - hundredths.min(100)) + u16::from(to) * hundredths.min(100);
        u8::try_from(sum / 100).unwrap_or(u8::MAX)
    };
    (part(from.0, to.0), part(from.1, to.1), part(from.2, to.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_colours_are_the_sixteen_the_cube_and_the_greys() {
        let colour = |index| WindowTheme::Dark.colour(Color::Idx(index)).unwrap();
        assert_eq!(colour(1), (0xf2, 0x7b, 0x78));
        assert_eq!(colour(16), (0, 0, 0));
        assert_eq!(colour(208), (255, 135, 0));
        assert_eq!(colour(231), (255, 255, 255));
        assert_eq!(colour(232), (8, 8, 8));
        assert_eq!(colour(255), (238, 238, 238));
        assert_eq!(WindowTheme::Dark.colour(Color::Default), None);
    }
}
