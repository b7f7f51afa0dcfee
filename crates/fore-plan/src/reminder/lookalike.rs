//! Which characters a model or a person could take for the characters of a reminder tag. Tables only.

use fore_text::Hidden;

/// The neutral brackets a defused tag is written with. They are never taken for a tag themselves.
pub(super) const NEUTRAL_OPEN: char = '‹';
pub(super) const NEUTRAL_CLOSE: char = '›';

/// Whether a tag could seem to begin here.
pub(super) fn is_opener(c: char) -> bool {
    match c {
        '<' => true,
        '\0'..='\u{7f}' => false,
        '«' | '˂' | 'ᐸ' | 'ᚲ' | '≪' | '≺' | '⋖' | '⟨' | '⟪' | '❬' | '❮' | '❰' | '⦑' | '⧼' | '⪡' | '⪻' => {
            true
        }
        '〈' | '《' | '﹤' | '＜' | '\u{2329}' | '\u{fe3f}' | '\u{fe3d}' | '\u{1d236}' | '\u{e003c}' => true,
        _ => false,
    }
}

/// Whether a tag could seem to end here.
pub(super) fn is_closer(c: char) -> bool {
    match c {
        '>' => true,
        '\0'..='\u{7f}' => false,
        '»' | '˃' | 'ᐳ' | '≫' | '≻' | '⋗' | '⟩' | '⟫' | '❭' | '❯' | '❱' | '⦒' | '⧽' | '⪢' | '⪼' => {
            true
        }
        '〉' | '》' | '﹥' | '＞' | '\u{232a}' | '\u{fe40}' | '\u{fe3e}' | '\u{1d237}' | '\u{e003e}' => true,
        _ => false,
    }
}

/// Whether the character may stand between the bracket and the name.
pub(super) fn is_prefix(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '/' | '\\' | '!' | '?' | '／' | '＼' | '⁄' | '∕' | '⧸' | '╱' | '！' | '？')
        || is_invisible(c)
}

/// Whether the character may stand between the two words of the name.
pub(super) fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '-' | '_' | '\u{2010}'..='\u{2015}' | '⁃' | '−' | '˗' | '﹘' | '﹣' | '－' | '＿' | 'ー' | '⸺' | '‿'
        )
        || is_invisible(c)
}

/// Whether the character shows nothing of its own, so that it could hide inside the name.
pub(super) fn is_invisible(c: char) -> bool {
    let is_hidden = match fore_text::hidden(c) {
        Some(Hidden::Control) => !matches!(c, '\t' | '\n' | '\r'),
        Some(Hidden::Direction | Hidden::Invisible) => true,
        // White space, and characters with a shape of some kind.
        Some(Hidden::LineEnd | Hidden::Blank | Hidden::Private) | None => false,
    };
    is_hidden || is_combining(c) || c == char::REPLACEMENT_CHARACTER
}

fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// The two letters that stand in one character, for the pairs the name holds.
pub(super) fn letter_pair(c: char) -> Option<[u8; 2]> {
    match c {
        '\u{fb05}' | '\u{fb06}' => Some(*b"st"),
        '\u{33cc}' => Some(*b"in"),
        _ => None,
    }
}

/// The lower-case ASCII letter that the character could be read as, for the letters of the name only.
pub(super) fn letter(c: char) -> Option<u8> {
    if c.is_ascii() {
        return match c.to_ascii_lowercase() {
            lower @ ('s' | 'y' | 't' | 'e' | 'm' | 'r' | 'i' | 'n' | 'd') => Some(lower as u8),
            '$' | '5' => Some(b's'),
            '3' => Some(b'e'),
            'l' | '1' | '|' => Some(b'i'),
            _ => None,
        };
    }
    styled(c).or_else(|| drawn_alike(c))
}

/// Letters of the alphabet in another style: full-width, mathematical, circled, squared, invisible tags.
fn styled(c: char) -> Option<u8> {
    let code = u32::from(c);
    let place = match code {
        0xff21..=0xff3a => code - 0xff21,
        0xff41..=0xff5a => code - 0xff41,
        0x1d400..=0x1d6a3 => (code - 0x1d400) % 26,
        0x249c..=0x24b5 => code - 0x249c,
        0x24b6..=0x24e9 => (code - 0x24b6) % 26,
        0x1f110..=0x1f129 => code - 0x1f110,
        0x1f130..=0x1f149 => code - 0x1f130,
        0x1f150..=0x1f169 => code - 0x1f150,
        0x1f170..=0x1f189 => code - 0x1f170,
        0x1f1e6..=0x1f1ff => code - 0x1f1e6,
        0xe0041..=0xe005a => code - 0xe0041,
        0xe0061..=0xe007a => code - 0xe0061,
        _ => return None,
    };
    let lower = u8::try_from(place).ok().map(|place| b'a'.saturating_add(place))?;
    b"systemreminder".contains(&lower).then_some(lower)
}

/// Letters of other scripts, with marks, small or raised, that look like a letter of the name.
fn drawn_alike(c: char) -> Option<u8> {
    match c {
        'ѕ' | 'Ѕ' | 'ſ' | 'ꜱ' | 'ˢ' | 'ₛ' | 'Տ' | 'Ꮪ' | 'Ꭶ' | 'ś' | 'Ś' | 'ŝ' | 'Ŝ' | 'ş' | 'Ş' | 'š' | 'Š' | 'ș'
        | 'Ș' | 'ṡ' | 'Ṡ' | 'ṣ' | 'Ṣ' | 'ʂ' | 'ȿ' | 'ƽ' | 'ꓢ' => Some(b's'),
        'у' | 'У' | 'ү' | 'Ү' | 'ұ' | 'Ұ' | 'ў' | 'Ў' | 'γ' | 'υ' | 'Υ' | 'Ύ' | 'ʏ' | 'ʸ' | 'ᵧ' | 'ÿ' | 'Ÿ' | 'ý'
        | 'Ý' | 'ŷ' | 'Ŷ' | 'ẏ' | 'Ẏ' | 'ẙ' | 'ỳ' | 'Ỳ' | 'ỵ' | 'Ỵ' | 'ỹ' | 'Ỹ' | 'ỷ' | 'Ỷ' | 'ƴ' | 'Ƴ' | 'ɏ' | 'Ɏ'
        | 'ɣ' | 'Ꭹ' | 'Ꮍ' | 'ყ' | 'ꓬ' => Some(b'y'),
        'т' | 'Т' | 'τ' | 'Τ' | 'ᴛ' | 'ᵗ' | 'ₜ' | 'ţ' | 'Ţ' | 'ť' | 'Ť' | 'ț' | 'Ț' | 'ŧ' | 'Ŧ' | 'ƭ' | 'Ƭ' | 'ƫ'
        | 'ṫ' | 'Ṫ' | 'ṭ' | 'Ṭ' | 'ẗ' | 'ʈ' | 'Ʈ' | 'Ꭲ' | 'ꓔ' | '†' => Some(b't'),
        'е' | 'Е' | 'ё' | 'Ё' | 'є' | 'Є' | 'ҽ' | 'ε' | 'Ε' | 'Έ' | 'ᴇ' | 'ᵉ' | 'ₑ' | 'ℯ' | 'ℰ' | 'ⅇ' | '℮' | 'é'
        | 'É' | 'è' | 'È' | 'ê' | 'Ê' | 'ë' | 'Ë' | 'ē' | 'Ē' | 'ĕ' | 'Ĕ' | 'ė' | 'Ė' | 'ę' | 'Ę' | 'ě' | 'Ě' | 'ẹ'
        | 'Ẹ' | 'ẻ' | 'Ẻ' | 'ẽ' | 'Ẽ' | 'ɇ' | 'Ɇ' | 'ɛ' | 'Ɛ' | 'Ꭼ' | 'ꓰ' | 'ⴹ' => Some(b'e'),
        'м' | 'М' | 'Μ' | 'ᴍ' | 'ᵐ' | 'ₘ' | 'ℳ' | 'ⅿ' | 'Ⅿ' | 'ɱ' | 'ṁ' | 'Ṁ' | 'ṃ' | 'Ṃ' | 'ḿ' | 'Ḿ' | 'ӎ' | 'Ӎ'
        | 'Ꮇ' | 'ꓟ' | 'Ϻ' => Some(b'm'),
        'г' | 'Г' | 'ᴦ' | 'ʀ' | 'ʳ' | 'ᵣ' | 'ℛ' | 'ℜ' | 'ℝ' | 'ŕ' | 'Ŕ' | 'ŗ' | 'Ŗ' | 'ř' | 'Ř' | 'ȑ' | 'Ȑ' | 'ȓ'
        | 'Ȓ' | 'ṙ' | 'Ṙ' | 'ṛ' | 'Ṛ' | 'ɍ' | 'Ɍ' | 'ɼ' | 'ɽ' | 'ɾ' | 'Ꮢ' | 'Ꭱ' | 'Ʀ' | 'ꓣ' | 'ꭇ' => {
            Some(b'r')
        }
        'і' | 'І' | 'ї' | 'Ї' | 'ӏ' | 'Ӏ' | 'ι' | 'Ι' | 'ί' | 'Ί' | 'ϊ' | 'ɪ' | 'ⁱ' | 'ᵢ' | 'ı' | 'İ' | 'ℹ' | 'ⅰ'
        | 'Ⅰ' | 'ⅼ' | 'Ⅼ' | 'ⅈ' | 'ℐ' | 'ℑ' | 'í' | 'Í' | 'ì' | 'Ì' | 'î' | 'Î' | 'ï' | 'Ï' | 'ĩ' | 'Ĩ' | 'ī' | 'Ī'
        | 'ĭ' | 'Ĭ' | 'į' | 'Į' | 'ǐ' | 'Ǐ' | 'ỉ' | 'Ỉ' | 'ị' | 'Ị' | 'ɨ' | 'Ɨ' | 'ɩ' | 'Ꭵ' | 'Ꮖ' | 'ꓲ' => {
            Some(b'i')
        }
        'п' | 'П' | 'η' | 'Ν' | 'ή' | 'ɴ' | 'ⁿ' | 'ₙ' | 'ℕ' | 'ñ' | 'Ñ' | 'ń' | 'Ń' | 'ņ' | 'Ņ' | 'ň' | 'Ň' | 'ŋ'
        | 'Ŋ' | 'ƞ' | 'Ɲ' | 'ɲ' | 'ɳ' | 'ṅ' | 'Ṅ' | 'ṇ' | 'Ṇ' | 'ո' | 'ռ' | 'ꓠ' => Some(b'n'),
        'ԁ' | 'Ԁ' | 'ᴅ' | 'ᵈ' | 'ⅆ' | 'ⅅ' | 'ⅾ' | 'Ⅾ' | 'ď' | 'Ď' | 'đ' | 'Đ' | 'ð' | 'Ð' | 'ɖ' | 'Ɖ' | 'ɗ' | 'Ɗ'
        | 'ḋ' | 'Ḋ' | 'ḍ' | 'Ḍ' | 'ḏ' | 'Ḏ' | 'ժ' | 'Ꭰ' | 'Ꮷ' | 'ꓒ' => Some(b'd'),
        _ => None,
    }
}
