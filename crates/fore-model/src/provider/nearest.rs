//! Finds names that look like a mistyped one.

/// Up to `count` names near to `wanted`, nearest first; names without any likeness are left out.
#[must_use]
pub fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>, count: usize) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let lower = name.to_lowercase();
            let distance = edits(&wanted, &lower);
            let longest = wanted.chars().count().max(lower.chars().count());
            let contains = !wanted.is_empty() && (lower.contains(&wanted) || wanted.contains(&lower));
            (contains || distance * 2 <= longest).then_some((distance, name))
        })
        .collect();
    scored.sort();
    scored.dedup();
    scored.into_iter().take(count).map(|(_, name)| name.to_owned()).collect()
}

/// Names longer than this are not compared letter by letter.
const MAX_COMPARED_CHARS: usize = 100;

fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().take(MAX_COMPARED_CHARS).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.chars().take(MAX_COMPARED_CHARS).enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (slot, other_letter) in row.iter_mut().skip(1).zip(&other) {
            let above = *slot;
            let cost = diagonal + usize::from(letter != *other_letter);
            left = cost.min(above + 1).min(left + 1);
            diagonal = above;
            *slot = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_in_edits() {
        assert_eq!((edits("kitten", "sitting"), edits("", "abc"), edits("abc", ""), edits("a", "a")), (3, 3, 3, 0));
    }

    #[test]
    fn near_names_come_first_and_strangers_not_at_all() {
        let names = ["claude-opus-5-5", "claude-opus-5", "gpt-5.4", "claude-sonnet-5-5"];
        assert_eq!(nearest("claude-opus-55", names, 2), ["claude-opus-5", "claude-opus-5-5"]);
        assert_eq!(nearest("zzz", names, 5), [""; 0]);
    }
}
