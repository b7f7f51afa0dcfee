//! Which substitutions only give object names or counts: words that never start with a dash. Never looks into a repository.

/// Whether a word is one substitution and nothing else, in quotes or not, that only gives such words.
pub(super) fn is_identifiers_word(word: &str) -> bool {
    let bare = word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(word);
    bare.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')).is_some_and(is_identifiers)
}

/// Whether the command inside a substitution only prints words that do not start with a dash. Git cannot be a function or
/// an alias here: the judge accepts neither.
pub(super) fn is_identifiers(command: &str) -> bool {
    if !command.trim_start().starts_with("git ") {
        return false;
    }
    let mut words = Vec::new();
    for written in command.split([' ', '\t']).filter(|word| !word.is_empty()) {
        match plain(written) {
            Some(word) => words.push(word),
            None => return false,
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["git", "--no-pager", rest @ ..] | ["git", rest @ ..] => printed_by_git(rest),
        _ => false,
    }
}

/// The word as the program sees it; `None` when bash might make more or something else of it.
fn plain(written: &str) -> Option<String> {
    let quotes = |quote: char| written.matches(quote).count();
    let whole = matches!((quotes('\''), quotes('"')), (0, 0) | (2, 0) | (0, 2));
    let word: String = written.chars().filter(|c| !matches!(c, '\'' | '"')).collect();
    let known = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./@{}^~:=%".contains(&byte));
    (whole && known && !word.starts_with(['~', '{']) && !word.contains("=~")).then_some(word)
}

fn printed_by_git(words: &[&str]) -> bool {
    match words {
        // Every form prints object names or nothing.
        ["merge-base", ..] => true,
        // What it cannot resolve it prints as it was given.
        ["rev-parse", rest @ ..] => rest.iter().all(|word| {
            !word.starts_with('-')
                || matches!(*word, "--verify" | "-q" | "--quiet" | "--short")
                || is_counted(word, &["--short="])
        }),
        ["rev-list", rest @ ..] => {
            rest.iter().all(|word| !word.starts_with('-') || is_selection(word) || *word == "--count")
        }
        ["log", rest @ ..] => {
            let options = || rest.iter().take_while(|word| **word != "--");
            options().any(|word| is_hash_format(word))
                && options().all(|word| !word.starts_with('-') || is_selection(word) || is_hash_format(word))
        }
        _ => false,
    }
}

/// Options of `git log` and `git rev-list` that choose commits and print nothing.
fn is_selection(word: &str) -> bool {
    matches!(word, "--" | "-n" | "--all" | "--reverse" | "--merges" | "--no-merges" | "--first-parent")
        || is_counted(word, &["-", "-n", "--max-count=", "--skip=", "--max-parents=", "--min-parents="])
        || ["--since=", "--after=", "--until=", "--before=", "--author=", "--grep="]
            .iter()
            .any(|option| word.starts_with(option))
}

fn is_counted(word: &str, options: &[&str]) -> bool {
    options.iter().any(|option| {
        word.strip_prefix(option)
            .is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

fn is_hash_format(word: &str) -> bool {
    word.strip_prefix("--format=")
        .or_else(|| word.strip_prefix("--pretty="))
        .map(|format| format.strip_prefix("format:").or_else(|| format.strip_prefix("tformat:")).unwrap_or(format))
        .is_some_and(|format| matches!(format, "%H" | "%h" | "%T" | "%t"))
}

#[cfg(test)]
mod tests {
    use super::is_identifiers;

    #[test]
    fn object_names_never_start_with_a_dash() {
        for command in [
            "git merge-base main HEAD",
            "git --no-pager merge-base --fork-point origin/main",
            "git rev-parse HEAD~3",
            "git rev-parse --short=8 'HEAD^{tree}'",
            "git rev-list -n 1 v1.0",
            "git rev-list --max-parents=0 HEAD",
            "git log -1 --format=%H -- src/a.c",
            "git log --format=\"%h\" -5",
        ] {
            assert!(is_identifiers(command), "{command}");
        }
    }

    #[test]
    fn what_prints_names_messages_or_its_arguments_may_start_with_a_dash() {
        for command in [
            "git rev-parse --abbrev-ref HEAD",
            "git rev-parse -- --output=x",
            "git rev-parse --output=x",
            "git rev-parse 'x --output=y'",
            "git rev-parse {x,--output=y}",
            "git rev-parse $x",
            "git rev-parse *",
            "git rev-parse x; echo -o",
            "git rev-parse x\necho -o",
            "git rev-list --pretty=%s HEAD",
            "git rev-list --objects HEAD",
            "git log -1 --format=%s",
            "git log -1 --format=%H --format=%s",
            "git log -1 --format=%H -p",
            "git log -1",
            "git log -- --format=%H",
            "git describe --tags",
            "git -c a.b=c rev-parse x",
            "echo git merge-base",
        ] {
            assert!(!is_identifiers(command), "{command}");
        }
    }
}
