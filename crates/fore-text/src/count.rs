//! Says how many there are of something: `1 file`, `3 files`.

use std::fmt::Display;

/// A number with a noun that takes an `s` beyond one.
pub fn count(number: impl TryInto<u64> + Display + Copy, noun: &str) -> String {
    format!("{number} {noun}{}", plural(number, "", "s"))
}

/// A number with words that are others beyond one: `1 call was`, `3 calls were`.
pub fn count_as(number: impl TryInto<u64> + Display + Copy, one: &str, many: &str) -> String {
    format!("{number} {}", plural(number, one, many))
}

/// The words for so many, without the number.
pub fn plural<'a>(number: impl TryInto<u64>, one: &'a str, many: &'a str) -> &'a str {
    if number.try_into().is_ok_and(|number| number == 1) { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_one_and_the_rest_are_many() {
        assert_eq!([0, 1, 2].map(|number: usize| count(number, "file")), ["0 files", "1 file", "2 files"]);
        assert_eq!(
            [1, 2].map(|number: u32| count_as(number, "entry is", "entries are")),
            ["1 entry is", "2 entries are"]
        );
        assert_eq!([plural(1_u64, "it", "them"), plural(u128::MAX, "it", "them")], ["it", "them"]);
    }
}
