//! Which formats make git check signatures, and so run the configured gpg program.

/// The format asks for a signature check, which runs the configured gpg program.
pub fn checks_signatures(format: &str) -> bool {
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            continue;
        }
        let mut next = rest.next();
        while matches!(next, Some('+' | '-' | ' ')) {
            next = rest.next();
        }
        match next {
            Some('G') => return true,
            Some('(') if is_signature_field(rest.as_str()) => return true,
            _ => {}
        }
    }
    false
}

/// `signature`, `*signature`, `signature:key` name the field of for-each-ref; `-signature` sorts by it.
pub fn is_signature_field(field: &str) -> bool {
    field.trim_start_matches(['*', '-', ' ']).starts_with("signature")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_placeholders_that_check_signatures_are_found() {
        let checked: Vec<bool> =
            ["%h %s", "%%G", "100%%GO", "%C(auto)%h", "%(refname:short)", "%(contents:signature)", "%x47", "%gd %gs"]
                .iter()
                .map(|f| checks_signatures(f))
                .collect();
        assert_eq!(checked, [false; 8]);
        let checked: Vec<bool> = ["%G?", "%h %GK", "%+GS", "%- GG", "%%%G?", "%(signature)", "%(*signature:key)"]
            .iter()
            .map(|f| checks_signatures(f))
            .collect();
        assert_eq!(checked, [true; 7]);
    }
}
