//! Whether the exit code of a command line is that of what it checks: not behind `| tail`, `|| true` or `; echo done`.
//!
//! Reads words and operators and no more. What it cannot read says nothing.

/// How deep `sh -c '…'` is looked into.
const MAX_DEPTH: usize = 3;

/// Programs that prepare or show something: nobody asks how they ended.
const PREPARING: [&str; 22] = [
    ".", ":", "cat", "cd", "chmod", "cp", "date", "echo", "export", "head", "ln", "ls", "mkdir", "mv", "printf", "pwd",
    "rm", "set", "sleep", "source", "touch", "true",
];
/// Programs that hand on text: before a bar they are asked for what they write.
const WRITING: [&str; 16] = [
    "awk", "column", "curl", "cut", "diff", "find", "git", "grep", "jq", "rg", "sed", "sort", "tail", "tr", "uniq",
    "wc",
];

/// What stands between two commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandJoint {
    And,
    Or,
    Pipe,
    /// `;` or the end of a line.
    Then,
    Background,
    End,
}

/// Whether the exit code of the whole is 0 only if everything in it that may check something ended with 0.
pub(super) fn says_how_it_ended(command: &str) -> bool {
    is_told(command, 0)
}

fn is_told(command: &str, depth: usize) -> bool {
    let Some(parts) = parts(command).filter(|_| depth < MAX_DEPTH) else { return false };
    let sets = |option: &str| parts.first().is_some_and(|(first, _)| is_set(first, option));
    let (stops, has_pipefail) = (sets("e"), sets("pipefail"));
    let next = |at: usize| parts.get(at.saturating_add(1)).map(|(text, _)| text.as_str()).unwrap_or_default();
    parts.iter().enumerate().all(|(at, (text, joint))| {
        let passes = match joint {
            CommandJoint::And | CommandJoint::End => true,
            CommandJoint::Or => is_no(next(at)),
            CommandJoint::Pipe => has_pipefail,
            CommandJoint::Then => stops,
            CommandJoint::Background => false,
        };
        (passes || is_one_of(text, &PREPARING) || *joint == CommandJoint::Pipe && is_one_of(text, &WRITING))
            && inner(text).is_none_or(|inner| is_told(&inner, depth.saturating_add(1)))
    })
}

/// `set -euo pipefail`
fn is_set(text: &str, option: &str) -> bool {
    let mut words = text.split_whitespace();
    let is_letter = |word: &str| word.starts_with('-') && option.len() == 1 && word.contains(option);
    words.next() == Some("set") && words.any(|word| word == option || is_letter(word))
}

/// `exit 1`, `false`
fn is_no(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        ["false"] | ["exit"] => true,
        ["exit", code] => *code != "0",
        _ => false,
    }
}

/// Whether the program of a command is one of these.
fn is_one_of(text: &str, programs: &[&str]) -> bool {
    let program = text.split_whitespace().find(|word| !matches!(*word, "(" | "{" | ")" | "}")).unwrap_or_default();
    program.is_empty() || programs.contains(&program.trim_start_matches('('))
}

/// The text of `sh -c '…'`.
fn inner(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let is_shell =
        words.next().is_some_and(|word| matches!(word.rsplit('/').next(), Some("sh" | "bash" | "zsh" | "dash")));
    let option = words.next().filter(|word| word.starts_with('-') && word.ends_with('c'))?;
    let at = text.find(option)?.saturating_add(option.len());
    let rest = text.get(at..)?.trim();
    is_shell.then(|| rest.trim_matches(['\'', '"']).to_owned())
}

/// The commands and what follows each of them; none where that cannot be told.
fn parts(command: &str) -> Option<Vec<(String, CommandJoint)>> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut quote = None;
    let mut letters = command.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        let joint = match (quote, letter) {
            (Some(open), _) if letter == open => {
                quote = None;
                None
            }
            (Some('\''), _) => None,
            (_, '\\') => {
                part.push(letter);
                part.extend(letters.next());
                continue;
            }
            (Some(_), _) => None,
            (None, '\'' | '"' | '`') => {
                quote = Some(letter);
                None
            }
            (None, '&') if part.ends_with('>') || letters.peek() == Some(&'>') => None,
            (None, '&') if letters.next_if_eq(&'&').is_some() => Some(CommandJoint::And),
            (None, '&') => Some(CommandJoint::Background),
            (None, '|') if letters.next_if_eq(&'|').is_some() => Some(CommandJoint::Or),
            (None, '|') => {
                letters.next_if_eq(&'&');
                Some(CommandJoint::Pipe)
            }
            (None, '<') if letters.peek() == Some(&'<') => return None,
            (None, ';' | '\n') => Some(CommandJoint::Then),
            (None, _) => None,
        };
        match joint {
            None => part.push(letter),
            Some(joint) => {
                // An empty line, or an operator that ends its line.
                if !part.trim().is_empty() {
                    parts.push((std::mem::take(&mut part).trim().to_owned(), joint));
                }
                part.clear();
            }
        }
    }
    if quote.is_some() {
        return None;
    }
    match part.trim() {
        "" => {}
        last => parts.push((last.to_owned(), CommandJoint::End)),
    }
    if let Some((_, joint)) = parts.last_mut()
        && *joint != CommandJoint::Background
    {
        *joint = CommandJoint::End;
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_code_speaks_for_every_check_or_for_none() {
        let told = "cargo test\nnpm test && npm run lint\ncd web && npm test\ncat a.md | grep -q done\ncargo test 2>&1\n\
            cargo test &> log.txt\ncargo test >&2\ngrep 'a|b;c' x\ncargo test || exit 1\necho start; cargo test\nmkdir -p x; cp a x; make test\n\
            set -o pipefail; cargo test | tail -5\nset -euo pipefail; cargo test | tee log; npm test\nbash -c 'cargo test && npm test'\n\
            ! grep -r TODO src\n(cd web && npm test)\nmake test \\; x\ncargo test;\ntest -z \"$(gofmt -l .)\"\ngit diff | wc -l\nX=1 cargo test\n\
            npm test \"a || true\"\ntimeout 60 cargo test";
        let untold = "cargo test | tail -5\ncargo test 2>&1 | tail -20\ncargo test |& tee log\ncargo test || true\ncargo test || exit 0\n\
            cargo test || echo failed\ncargo test; echo done\ncargo test & \ncargo test & wait\nnpm test; npm run lint\nbash -c 'cargo test; true'\n\
            bash -lc \"cargo test | tail\"\nsh -c 'cargo test || :'\ncargo test 'open\npython3 - <<X\nset -e; cargo test | tail\nset -e; cargo test || true\n\
            cargo test && npm test | tail\ngrep -q done a.md; echo ok\ngit diff --exit-code || true\n(cargo test; true)\nif cargo test; then echo ok; fi";
        for command in told.lines().map(str::trim) {
            assert!(says_how_it_ended(command), "{command}");
        }
        for command in untold.lines().map(str::trim) {
            assert!(!says_how_it_ended(command), "{command}");
        }
        assert!(!says_how_it_ended("cargo test\necho done"));
        assert!(says_how_it_ended("cargo test &&\n  npm test"));
        assert!(says_how_it_ended("cargo test \\\n  --all"));
    }
}
