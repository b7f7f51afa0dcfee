//! Reads `name=value` words. Subscripts are never read: they evaluate text.

use super::{
    doubt::Doubt,
    scan,
    script::{AssignedValue, Assignment, RawWord},
    token::{self, TokenClass},
};

/// Whether bash would take this word for an assignment where one may stand (subscripts included).
pub(crate) fn looks_assigned(word: &str) -> bool {
    if !scan::is_name_start(scan::byte(word, 0)) {
        return false;
    }
    let end = scan::name_end(word, 0);
    match scan::byte(word, end) {
        b'=' => true,
        b'+' => scan::byte(word, end + 1) == b'=',
        b'[' => word.get(end..).is_some_and(|rest| rest.contains('=')),
        _ => false,
    }
}

/// The assignment in a word; a doubt for subscripts and odd arrays.
pub(crate) fn read(whole: RawWord<'_>) -> Result<Assignment<'_>, Doubt> {
    let doubt = |why: &str| Doubt::new("assignment.form", why).at(whole.start, whole.end());
    let name_end = scan::name_end(whole.text, 0);
    let name = whole.text.get(..name_end).unwrap_or_default();
    let append = scan::byte(whole.text, name_end) == b'+';
    let equals = name_end + usize::from(append);
    if !scan::is_name(name) || scan::byte(whole.text, equals) != b'=' {
        return Err(doubt("an assignment to an array element"));
    }
    let value = RawWord { text: whole.text.get(equals + 1..).unwrap_or_default(), start: whole.start + equals + 1 };
    if !value.text.starts_with('(') {
        return Ok(Assignment { name, append, value: AssignedValue::Scalar(value), raw: whole });
    }
    let inside = value
        .text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .ok_or_else(|| doubt("an unusual array"))?;
    let mut elements = Vec::new();
    for token in token::tokens(inside).map_err(|_| doubt("an unusual array"))? {
        let element = RawWord { text: token.text(inside), start: value.start + 1 + token.start };
        match token.class {
            TokenClass::Word if element.text.starts_with('[') => {
                return Err(doubt("an array with subscripts"));
            }
            TokenClass::Word => elements.push(element),
            TokenClass::Operator if element.text == "\n" => {}
            TokenClass::Operator | TokenClass::Arithmetic | TokenClass::HereBody => {
                return Err(doubt("an unusual array"));
            }
        }
    }
    Ok(Assignment { name, append, value: AssignedValue::Array(elements), raw: whole })
}
