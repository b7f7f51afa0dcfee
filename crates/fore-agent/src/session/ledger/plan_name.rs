//! Names for plans, taken from the task: `add-json-flag`. Random words only tell two of them apart, or stand in where a task has no words for it.

use fore_plan::plan::Slug;
use fore_store::session::random_slugs;

/// Words of a task that make a name.
const MAX_WORDS: usize = 3;
/// Letters of one word.
const MAX_LETTERS: usize = 15;
/// Names with a random word that are tried before wholly random ones.
const MAX_TOLD_APART: usize = 6;
/// What a name of one word is filled up with.
const SECOND: &str = "plan";

/// Words that say nothing about a task.
const EMPTY: &[&str] = &[
    "a", "about", "add", "agent", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "but", "by", "can",
    "could", "do", "does", "for", "from", "get", "has", "have", "hello", "help", "hey", "hi", "how", "i", "if", "in",
    "into", "is", "it", "its", "just", "let", "lets", "like", "make", "me", "my", "need", "not", "now", "of", "on",
    "or", "our", "plan", "please", "should", "so", "some", "that", "the", "them", "then", "there", "this", "to", "up",
    "us", "want", "was", "we", "what", "when", "where", "which", "why", "will", "with", "would", "you", "your",
];

/// Names for the plan of a task, the best first.
pub(super) fn names_for(task: &str) -> impl Iterator<Item = Slug> {
    let words = words(task);
    let best = match words.as_slice() {
        [] => None,
        [one] => format!("{one}-{SECOND}").parse().ok(),
        words => words.join("-").parse().ok(),
    };
    let begin = words.iter().take(2).cloned().collect::<Vec<_>>().join("-");
    let told_apart = random_slugs().take(MAX_TOLD_APART).filter_map(move |random: Slug| {
        let random = random.to_string();
        let word = random.rsplit('-').next()?;
        format!("{begin}-{word}").parse().ok()
    });
    best.into_iter().chain(told_apart).chain(random_slugs())
}

/// The words that say most: the first verb if the task begins with one, then what it is about.
fn words(task: &str) -> Vec<String> {
    let all = task.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase);
    let is_plain = |word: &String| {
        (2..=MAX_LETTERS).contains(&word.len()) && word.bytes().all(|letter| letter.is_ascii_lowercase())
    };
    let mut found: Vec<String> = Vec::new();
    for word in all.filter(is_plain) {
        let says_nothing = EMPTY.contains(&word.as_str()) && !(found.is_empty() && word == "add");
        if !says_nothing && !found.contains(&word) {
            found.push(word);
        }
        if found.len() == MAX_WORDS {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b2_a_plan_is_named_after_its_task() {
        let page = [
            ("Add a --json flag", "add-json-flag"),
            ("Please add discounts to the cart", "add-discounts-cart"),
            ("why is login slow?", "login-slow"),
            ("discounts", "discounts-plan"),
            ("fix the agent's memory", "fix-memory"),
            ("rename UserService to AccountService", "rename-userservice-accountservice"),
        ];
        for (task, expected) in page {
            assert_eq!(names_for(task).next().unwrap().to_string(), expected, "{task}");
        }
    }

    #[test]
    fn b2_two_plans_of_one_task_are_told_apart_and_a_task_without_words_gets_random_ones() {
        let second = names_for("Add a --json flag").nth(1).unwrap();
        assert!(second.to_string().starts_with("add-json-") && second.to_string() != "add-json-flag", "{second}");
        for task in ["", "…", "登录很慢", "1 2 3"] {
            assert_eq!(names_for(task).next().unwrap().to_string().split('-').count(), 3, "{task}");
        }
    }
}
