//! Makes a page the same on every run: paths, ids, names that are made up and times get words that stay.

use super::folders::{MODEL, ScenarioFolders};
use std::path::Path;

/// The field of a report that says how long a run took.
const DURATION: &str = "\"durationMs\":";
/// Letters of one line.
const MAX_LETTERS: usize = 400;
/// What comes before the words of a provider whose context is too small.
const TOO_LONG: &str = "is too long for MODEL: ";

/// The page with everything that differs from run to run replaced.
pub(crate) fn stable(page: &str, folders: &ScenarioFolders) -> String {
    let mut text = page.to_owned();
    for (path, name) in [
        (folders.project(), "/projects/shop"),
        (folders.home(), "/home/ada"),
        (folders.temp(), "/tmp"),
        (folders.root().to_owned(), ""),
    ] {
        text = with_path(&text, &path, name);
    }
    text = plans(&text);
    text = temp_folders(&text);
    text = ids(&text);
    for provider in ["anthropic", "openai", "google"] {
        text = text.replace(&format!("{provider}/{MODEL}"), "MODEL");
    }
    for variable in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"] {
        text = text.replace(variable, "KEY");
    }
    let lines: Vec<String> = seconds(&text).lines().map(line).collect();
    lines.join("\n") + "\n"
}

/// The random ending of a temp folder of ours as `NAME`.
fn temp_folders(text: &str) -> String {
    const BEGINNING: &str = "fore-cage-";
    let mut parts = text.split(BEGINNING);
    let mut stable = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
        stable.push_str(if part.len() - rest.len() == 6 { "fore-cage-NAME" } else { BEGINNING });
        stable.push_str(if part.len() - rest.len() == 6 { rest } else { part });
    }
    stable
}

/// A line without a provider's own words, and not too long.
fn line(line: &str) -> String {
    let line = duration(line);
    let line = match line.split_once(TOO_LONG) {
        Some((before, _)) => format!("{before}{TOO_LONG}…"),
        None => line,
    };
    fore_text::cut::ellipsis(&line, MAX_LETTERS).into_owned()
}

fn with_path(text: &str, path: &Path, name: &str) -> String {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    text.replace(&real.display().to_string(), name).replace(&path.display().to_string(), name)
}

/// Plans have names made up at random; here they are `plan-1`, `plan-2` in the order they turn up.
fn plans(text: &str) -> String {
    let mut names: Vec<String> = Vec::new();
    for (at, _) in text.match_indices("/plans/") {
        let rest = text.get(at + "/plans/".len()..).unwrap_or_default();
        let name: String = rest.chars().take_while(|letter| letter.is_ascii_lowercase() || *letter == '-').collect();
        let name = name.split("-agent-").next().unwrap_or_default().to_owned();
        let is_name = name.contains('-') && name.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
        if is_name && !names.contains(&name) {
            names.push(name);
        }
    }
    let numbered = names.iter().enumerate();
    numbered.fold(text.to_owned(), |text, (index, name)| text.replace(name.as_str(), &format!("plan-{}", index + 1)))
}

/// Ids and hashes by the order they turn up in.
fn ids(text: &str) -> String {
    let mut known: Vec<String> = Vec::new();
    let mut made = String::with_capacity(text.len());
    let is_part = |letter: char| letter.is_ascii_hexdigit() || letter == '-';
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        made.push_str(before);
        let end = from.find(|letter| !is_part(letter)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        let is_id = word.len() == 36 && word.matches('-').count() == 4;
        let is_hash = word.len() == 64 && !word.contains('-');
        if is_id || is_hash {
            let index = known.iter().position(|other| other == word).unwrap_or_else(|| {
                known.push(word.to_owned());
                known.len() - 1
            });
            made.push_str(&format!("{}-{}", if is_id { "ID" } else { "HASH" }, index + 1));
        } else {
            made.push_str(word);
        }
        rest = after;
    }
    made.push_str(rest);
    made
}

/// How long a run took, in its report.
fn duration(line: &str) -> String {
    let Some((before, after)) = line.split_once(DURATION) else { return line.to_owned() };
    let rest = after.trim_start_matches(|letter: char| letter.is_ascii_digit());
    format!("{before}{DURATION}0{rest}")
}

/// How long something took.
fn seconds(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let split: Vec<&str> = text.split(' ').collect();
    for (index, word) in split.iter().enumerate() {
        let is_unit = split.get(index + 1).is_some_and(|next| {
            let next = next.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
            ["ms", "s"].contains(&next.split('\n').next().unwrap_or_default())
        });
        let is_time = is_unit && word.contains('.') && word.parse::<f64>().is_ok();
        words.push(if is_time { "SOME".to_owned() } else { (*word).to_owned() });
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_run_to_run_gets_words_that_stay() {
        let text = "/home/ada/plans/brave-fox.md by 0190a0a0-0000-7000-8000-000000000001, took 0.31 s, in 10 s\n\
                    calm-owl /plans/calm-owl.md 0190a0a0-0000-7000-8000-000000000001";
        let expected = "/home/ada/plans/plan-1.md by ID-1, took SOME s, in 10 s\nplan-2 /plans/plan-2.md ID-1";
        assert_eq!(seconds(&ids(&plans(text))), expected);
    }
}
