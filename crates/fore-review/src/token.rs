//! The secret that a page is opened with: 256 bits, compared in constant time, never in a query, a cookie or a page.

use std::{fmt, io};
use subtle::ConstantTimeEq;

const TOKEN_BYTES: usize = 32;

/// Names one request for approval to whoever was given its address.
#[derive(Clone)]
pub(crate) struct ReviewToken(String);

impl ReviewToken {
    /// A new one, from the kernel.
    pub(crate) fn fresh() -> io::Result<ReviewToken> {
        let mut bytes = [0_u8; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(ReviewToken(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Whether these bytes are this token. Takes equally long for all of the right length.
    pub(crate) fn is(&self, given: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(given).into()
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ReviewToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReviewToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_256_bits_is_never_the_same_and_does_not_show_itself() {
        let (one, other) = (ReviewToken::fresh().unwrap(), ReviewToken::fresh().unwrap());
        assert_eq!(one.text().len(), 64);
        assert!(one.is(one.text().as_bytes()) && !one.is(other.text().as_bytes()));
        for wrong in ["", "0", &one.text()[..63], &format!("{}0", one.text()), &one.text().to_uppercase()] {
            assert!(!one.is(wrong.as_bytes()) || wrong == one.text(), "{wrong}");
        }
        assert_eq!(format!("{one:?}"), "ReviewToken(…)");
    }
}
