//! Says why a text was not found: what in the file is nearest to it, and how it differs. It changes nothing.

use std::{collections::HashSet, path::Path};

/// Lines of the file that are shown.
const MAX_LINES: usize = 12;
/// Letters of each.
const MAX_CHARS: usize = 300;
/// The share of words that two lines have in common before one counts as near the other, in percent.
const NEAR: usize = 50;

pub(super) fn explain(path: &Path, text: &str, old: &str) -> String {
    let missing = format!("old_string is not in {}.", path.display());
    if without_numbers(old).is_some_and(|plain| text.contains(&plain)) {
        return format!("{missing} It begins its lines with the numbers that Read adds; leave them and the tab out.");
    }
    let (lines, wanted): (Vec<&str>, Vec<&str>) = (text.lines().collect(), old.lines().collect());
    if let Some(first) = same_but_spaces(&lines, &wanted) {
        return format!(
            "{missing} These lines differ from it only in white space (tabs, indentation, line ends); take them as they are:\n{}",
            shown(&lines, first, wanted.len())
        );
    }
    match nearest(&lines, &wanted) {
        Some(first) => format!("{missing} The nearest lines are:\n{}", shown(&lines, first, wanted.len())),
        None => format!("{missing} Nothing in the file is like it; read the file again."),
    }
}

/// The text without the numbers of Read, if every line has one.
fn without_numbers(old: &str) -> Option<String> {
    let plain = |line: &str| -> Option<String> {
        let (number, rest) = line.split_once('\t')?;
        let number = number.trim();
        (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| rest.to_owned())
    };
    old.lines().map(plain).collect::<Option<Vec<_>>>().map(|lines| lines.join("\n"))
}

/// Where lines stand that are the same without white space.
fn same_but_spaces(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let bare = |line: &&str| line.split_whitespace().collect::<String>();
    let wanted: Vec<String> = wanted.iter().map(bare).collect();
    // Blank lines at both ends are white space as well.
    let begin = wanted.iter().position(|line| !line.is_empty())?;
    let end = wanted.iter().rposition(|line| !line.is_empty())?;
    let wanted = wanted.get(begin..=end)?;
    let lines: Vec<String> = lines.iter().map(bare).collect();
    lines.windows(wanted.len()).position(|part| part == wanted)
}

/// Where the line stands that shares the most words with the longest wanted line; counted back to where the text would begin.
fn nearest(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let (index, longest) =
        wanted.iter().enumerate().max_by_key(|(index, line)| (line.trim().len(), usize::MAX - index))?;
    let words: HashSet<&str> = words(longest).collect();
    if words.is_empty() {
        return None;
    }
    let score = |line: &&str| {
        let others: HashSet<&str> = self::words(line).collect();
        let common = words.intersection(&others).count();
        common.saturating_mul(200).checked_div(words.len().saturating_add(others.len())).unwrap_or(0)
    };
    let best = lines.iter().map(score).enumerate().max_by_key(|(place, score)| (*score, usize::MAX - place));
    let (place, _) = best.filter(|(_, score)| *score >= NEAR)?;
    Some(place.saturating_sub(index))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

fn shown(lines: &[&str], first: usize, count: usize) -> String {
    let line = |(index, line): (usize, &&str)| {
        let text: String = line.chars().take(MAX_CHARS).collect();
        format!("{:>6}\t{text}", index.saturating_add(1))
    };
    let shown = lines.iter().enumerate().skip(first).take(count.clamp(1, MAX_LINES)).map(line);
    shown.collect::<Vec<_>>().join("\n")
}
