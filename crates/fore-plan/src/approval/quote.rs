//! The lines that a comment is about: taken from a text, and found again in another one.

/// The lines themselves, from 1, both included.
pub fn quote(text: &str, first: u32, last: u32) -> String {
    let skip = usize::try_from(first).unwrap_or(usize::MAX).saturating_sub(1);
    let take = usize::try_from(last.saturating_sub(first)).unwrap_or(usize::MAX).saturating_add(1);
    text.lines().skip(skip).take(take).collect::<Vec<_>>().join("\n")
}

/// Where a quote stands as whole lines, nearest to a line: its first and last line.
pub fn find_quote(text: &str, quote: &str, near: u32) -> Option<(u32, u32)> {
    let lines: Vec<&str> = text.lines().collect();
    let quoted: Vec<&str> = quote.split('\n').collect();
    let distance = |start: &usize| start.abs_diff(usize::try_from(near).unwrap_or(usize::MAX).saturating_sub(1));
    let places = lines.windows(quoted.len()).enumerate().filter(|(_, window)| *window == quoted.as_slice());
    let start = places.map(|(start, _)| start).min_by_key(distance)?;
    let first = u32::try_from(start.checked_add(1)?).ok()?;
    let last = u32::try_from(start.checked_add(quoted.len())?).ok()?;
    Some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_found_where_it_stands_nearest() {
        let text = "a\nb\nc\na\nb\n";
        assert_eq!(quote(text, 4, 5), "a\nb");
        assert_eq!((find_quote(text, "a\nb", 1), find_quote(text, "a\nb", 5)), (Some((1, 2)), Some((4, 5))));
        assert_eq!((find_quote(text, "b\na", 1), find_quote(text, "", 1)), (None, None));
        assert_eq!(quote(text, 9, 12), "");
    }
}
