//! A cap on what is spent: so much money, or so many tokens, as people write it and read it.

use crate::document::grouped;
use serde::{Serialize, Serializer};
use std::{fmt, str::FromStr};

/// From here on cents are enough.
const CENTS_ENOUGH: f64 = 0.995;

/// So much money, or so many tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BudgetAmount {
    /// US dollars.
    Dollars(f64),
    /// Read and written together.
    Tokens(u64),
}

impl BudgetAmount {
    /// So many times as much.
    pub(crate) fn times(self, factor: u32) -> BudgetAmount {
        match self {
            BudgetAmount::Dollars(dollars) => BudgetAmount::Dollars(dollars * f64::from(factor)),
            BudgetAmount::Tokens(tokens) => BudgetAmount::Tokens(tokens.saturating_mul(u64::from(factor))),
        }
    }

    /// Whether this much reaches so many percent of a cap in the same unit.
    pub(crate) fn reaches(self, percent: u32, cap: BudgetAmount) -> bool {
        match (self, cap) {
            (BudgetAmount::Dollars(used), BudgetAmount::Dollars(cap)) => used * 100.0 >= cap * f64::from(percent),
            (BudgetAmount::Tokens(used), BudgetAmount::Tokens(cap)) => {
                u128::from(used) * 100 >= u128::from(cap) * u128::from(percent)
            }
            // What is in another unit was never compared: it counts as too much.
            (BudgetAmount::Dollars(_), BudgetAmount::Tokens(_))
            | (BudgetAmount::Tokens(_), BudgetAmount::Dollars(_)) => true,
        }
    }
}

/// Cents, or where there are fewer the first digits that say something.
impl fmt::Display for BudgetAmount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BudgetAmount::Dollars(dollars) if *dollars >= CENTS_ENOUGH || *dollars <= 0.0 => write!(f, "${dollars:.2}"),
            BudgetAmount::Dollars(dollars) => {
                let text = format!("{dollars:.4}");
                let shown = text.strip_suffix("00").unwrap_or(&text);
                write!(f, "${shown}")
            }
            BudgetAmount::Tokens(tokens) => write!(f, "{} tokens", grouped(*tokens)),
        }
    }
}

impl Serialize for BudgetAmount {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl FromStr for BudgetAmount {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<BudgetAmount, &'static str> {
        const WRITTEN: &str =
            "it is written like \"$5\", \"$0.50\", \"400k tokens\" or \"2M tokens\", and more than nothing";
        let text = text.trim();
        if let Some(dollars) = text.strip_prefix('$') {
            let dollars: f64 = dollars.trim().parse().map_err(|_| WRITTEN)?;
            return if dollars.is_finite() && dollars > 0.0 {
                Ok(BudgetAmount::Dollars(dollars))
            } else {
                Err(WRITTEN)
            };
        }
        let named = text.strip_suffix("tokens").or_else(|| text.strip_suffix("token"));
        let number = named.unwrap_or(text).trim_end();
        let (digits, factor) = match number.char_indices().next_back() {
            Some((at, 'k' | 'K')) => (number.get(..at).unwrap_or_default(), 1_000.0),
            Some((at, 'm' | 'M')) => (number.get(..at).unwrap_or_default(), 1_000_000.0),
            Some(_) if named.is_some() => (number, 1.0),
            Some(_) | None => return Err(WRITTEN),
        };
        let tokens: f64 = digits.trim().replace(['_', ','], "").parse().map_err(|_| WRITTEN)?;
        let tokens = (tokens * factor).round();
        // Far above what any day comes to, and exact in this kind of number.
        if (1.0..=1e15).contains(&tokens) { Ok(BudgetAmount::Tokens(tokens as u64)) } else { Err(WRITTEN) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caps_are_read_as_people_write_them() {
        let page = [
            ("$5", Some("$5.00")),
            ("$ 0.50", Some("$0.50")),
            ("$0.0012", Some("$0.0012")),
            ("400k tokens", Some("400,000 tokens")),
            ("400k", Some("400,000 tokens")),
            ("1.5M tokens", Some("1,500,000 tokens")),
            ("200_000 tokens", Some("200,000 tokens")),
            ("5", None),
            ("", None),
            ("$", None),
            ("$-1", None),
            ("$0", None),
            ("$nan", None),
            ("$inf", None),
            ("0 tokens", None),
            ("-5k", None),
            ("1e300M", None),
            ("five dollars", None),
            ("€5", None),
            ("k", None),
        ];
        for (text, expected) in page {
            let read = text.parse::<BudgetAmount>().ok().map(|amount| amount.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_cap_is_reached_at_its_share_and_never_by_another_unit() {
        let (dollars, tokens) = (BudgetAmount::Dollars, BudgetAmount::Tokens);
        assert!(dollars(0.40).reaches(80, dollars(0.50)) && !dollars(0.39).reaches(80, dollars(0.50)));
        assert!(tokens(80).reaches(80, tokens(100)) && !tokens(79).reaches(80, tokens(100)));
        assert!(tokens(u64::MAX).reaches(100, tokens(u64::MAX)) && dollars(0.0).reaches(80, tokens(5)));
        assert_eq!((tokens(7).times(3), dollars(0.5).times(2)), (tokens(21), dollars(1.0)));
    }
}
