//! The one list of characters that a person cannot see, or that change what is seen around them.

/// Why a character is not shown as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// Steers a terminal: C0 and C1 controls, escape, delete.
    Control,
    /// Ends a line or a paragraph for some programs and not for others.
    LineEnd,
    /// Turns the direction of writing.
    Direction,
    /// Has no shape: zero-width characters, fillers, tags, variation selectors, format controls.
    Invisible,
    /// Looks like a blank and is another character.
    Blank,
    /// Has a shape only by private agreement.
    Private,
}

/// What hides about a character that stands alone; none for one that shows. [`super::shown`] looks at its neighbours too.
pub fn hidden(letter: char) -> Option<Hidden> {
    match letter {
        ' '..='~' => None,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some(Hidden::Control),
        '\u{a0}' => Some(Hidden::Blank),
        '\u{ad}' => Some(Hidden::Invisible),
        '\u{a1}'..='\u{33f}' => None,
        '\u{2028}' | '\u{2029}' => Some(Hidden::LineEnd),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some(Hidden::Direction)
        }
        '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => Some(Hidden::Blank),
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => Some(Hidden::Private),
        // Default-ignorable characters, fillers, annotations, and shapes that are empty.
        '\u{34f}' | '\u{70f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' => {
            Some(Hidden::Invisible)
        }
        '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}' => {
            Some(Hidden::Invisible)
        }
        '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffc}' => Some(Hidden::Invisible),
        '\u{13430}'..='\u{1343f}' | '\u{16fe4}' | '\u{1bca0}'..='\u{1bca3}' => Some(Hidden::Invisible),
        '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => Some(Hidden::Invisible),
        // No characters at all, by definition.
        '\u{fdd0}'..='\u{fdef}' => Some(Hidden::Invisible),
        letter if u32::from(letter) & 0xfffe == 0xfffe => Some(Hidden::Invisible),
        _ => None,
    }
}

/// The blanks of ordinary typography.
pub(crate) fn is_typographic_blank(letter: char) -> bool {
    matches!(letter, '\u{a0}' | '\u{202f}' | '\u{3000}')
}

/// Characters that may be emoji, or parts of one.
pub(crate) fn is_pictograph(letter: char) -> bool {
    matches!(letter,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'..='\u{21aa}'
        | '\u{231a}'..='\u{23ff}' | '\u{24c2}' | '\u{25aa}'..='\u{25fe}' | '\u{2600}'..='\u{27bf}' | '\u{2934}' | '\u{2935}'
        | '\u{2b05}'..='\u{2b55}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Letters of the Arabic script.
pub(crate) fn is_arabic_letter(letter: char) -> bool {
    matches!(letter, '\u{620}'..='\u{64a}' | '\u{66e}' | '\u{66f}' | '\u{671}'..='\u{6d3}' | '\u{6d5}' | '\u{6ee}' | '\u{6ef}'
        | '\u{6fa}'..='\u{6fc}' | '\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{8a0}'..='\u{8c9}')
}

/// The sign that takes the vowel from an Indic letter.
pub(crate) fn is_virama(letter: char) -> bool {
    matches!(
        letter,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
    )
}
