//! Text of other origin as Markdown that can't break out of its place.

use fore_plan::reminder::defuse_str;
use fore_text::cut;

const MAX_SPAN_CHARS: usize = 120;
const MAX_QUOTE_BYTES: usize = 2_000;

/// A code span: one line, bounded, without marks that would end it.
pub(super) fn span(text: &str) -> String {
    let clean: String = text
        .chars()
        .map(|c| {
            if c == '`' {
                '\''
            } else if c.is_control() {
                ' '
            } else {
                c
            }
        })
        .collect();
    format!("`{}`", defuse_str(&cut::ellipsis(&cut::one_line(&clean), MAX_SPAN_CHARS)))
}

/// A block that keeps the words as they are, closed by a fence longer than any inside.
pub(super) fn quote(text: &str) -> String {
    let kept: String = text.chars().filter(|c| *c == '\n' || *c == '\t' || !c.is_control()).collect();
    let short = cut::bytes(&kept, MAX_QUOTE_BYTES);
    let is_all = short.trim_end().len() == kept.trim_end().len();
    let end = if is_all { "" } else { "\n…" };
    let longest = short.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}{end}\n{fence}", defuse_str(short.trim()))
}

/// A heading of one line from the first sentence of a task.
pub(super) fn title(task: &str) -> String {
    let line = task.lines().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or("Scoping");
    let sentence = line.split(". ").next().filter(|first| first.len() > 12 && first.contains(' '));
    // A path may name a file that is not there: its last part says enough in a heading.
    let words = sentence.unwrap_or(line).split_whitespace().map(last_part);
    let plain = |c: char| c.is_alphanumeric() || " -_.,:'/+()&".contains(c);
    let joined: String = words.collect::<Vec<_>>().join(" ").chars().filter(|c| plain(*c)).collect();
    let trimmed = joined.trim_matches(|c: char| !c.is_alphanumeric());
    let mut short = String::new();
    for word in trimmed.split_whitespace() {
        if short.chars().count() + word.chars().count() > 72 {
            short.push_str(" …");
            break;
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.extend(word.chars().take(72));
    }
    let mut receiver = short.chars();
    let first: String = receiver.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    if first.is_empty() { "Scoping".to_owned() } else { defuse_str(&format!("{first}{}", receiver.as_str())).into() }
}

fn last_part(word: &str) -> &str {
    let is_path = word.chars().all(|c| c.is_alphanumeric() || "/._-+@,:;".contains(c));
    let part = word.rsplit('/').find(|part| !part.is_empty());
    part.filter(|_| is_path).unwrap_or(word)
}
