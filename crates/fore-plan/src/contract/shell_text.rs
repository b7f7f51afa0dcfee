//! The commands in a block of shell text, one by one, and which code between backticks is a command.

use super::word_set::WordSet;
use std::path::Path;

/// A command with the line where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommandText {
    pub(super) line: usize,
    pub(super) text: String,
    /// Nobody can say in which folder it would run.
    pub(super) is_lost: bool,
}

/// What a fence calls shell text.
const SHELLS: [&str; 10] =
    ["sh", "bash", "shell", "zsh", "console", "terminal", "shell-session", "shellsession", "sh-session", "command"];
/// Programs that a plan runs; anything else between backticks may be a word.
static PROGRAMS: WordSet = WordSet::new(
    "act alembic ansible artisan ava bazel biome black brew buf buildifier bun bunx bundle cargo cat cd cmake \
     composer coverage cp ctest curl cypress dart deno diff django-admin docker dotnet elixir eslint find flake8 \
     flutter fore gh git go gofmt golangci-lint gradle grep hatch helm hugo isort jest jq just ktlint kubectl ls make \
     mix mkdir mocha mv mvn mypy ng ninja node nox npm npx nx phpstan phpunit pip pipenv playwright pnpm poetry pre- \
     commit prettier prisma protoc psql pylint pyright pytest python python3 rails rake redis-cli rg rm rspec rubocop \
     ruby ruff rustc rustfmt sbt sed sh bash shellcheck sqlite3 sqlx stylelint swift swiftlint task terraform tox tsc \
     tsx turbo uv uvx vite vitest wc xcodebuild yarn",
);
/// Those that mean something without a word behind them.
static ALONE: WordSet = WordSet::new(
    "black ctest eslint flake8 golangci-lint jest just make mypy ninja nox phpstan phpunit pylint pyright pytest rake \
     rspec rubocop tox tsc vitest",
);

/// Whether a fence names a shell.
pub(super) fn is_shell(language: &str) -> bool {
    SHELLS.contains(&language)
}

/// The first command of a line without `$ ` before it.
pub(super) fn without_prompt(line: &str) -> Option<&str> {
    ["$ ", "% ", "❯ "].iter().find_map(|prompt| line.trim_start().strip_prefix(prompt))
}

/// Whether some line has a prompt: then the others are what came back.
pub(super) fn has_prompts(text: &str) -> bool {
    text.lines().any(|line| without_prompt(line).is_some())
}

/// Whether code between backticks is a command and not a name.
pub(super) fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace().skip_while(|word| is_assignment(word));
    let Some(program) = words.next() else { return false };
    let has_more = words.next().is_some();
    let is_script = program.starts_with("./") && program.len() > 2
        || program.contains('/') && (has_more && program.starts_with(|c: char| c.is_ascii_lowercase()))
        || program.ends_with(".sh");
    is_script || PROGRAMS.contains(program) && (has_more || ALONE.contains(program))
}

/// Whether code that stands alone where commands are listed may be one of a program that is not known.
pub(super) fn may_be_command(text: &str) -> bool {
    let program = text.split_whitespace().next().unwrap_or_default();
    program.starts_with(|c: char| c.is_ascii_lowercase())
        && program.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name).unwrap_or_default();
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The commands of a block, which begins at this line. A backslash, an open quote and a here-document go on in the next line.
pub(super) fn commands(text: &str, first: usize, project: &Path) -> Vec<CommandText> {
    let is_session = has_prompts(text);
    let mut reader = BlockReader { project: Some(project), ..BlockReader::default() };
    for (line, number) in text.lines().zip(first..) {
        match (reader.is_open(), is_session, without_prompt(line)) {
            (true, ..) => reader.take(line, number),
            (false, _, Some(command)) => reader.take(command, number),
            (false, true, None) => {}
            (false, false, None) => reader.take(line, number),
        }
    }
    reader.finish()
}

#[derive(Default)]
struct BlockReader<'p> {
    project: Option<&'p Path>,
    done: Vec<CommandText>,
    open: Option<CommandText>,
    quote: Option<char>,
    /// Loops, conditions and groups that are open.
    depth: usize,
    /// The ends of here-documents that are open.
    ends: Vec<String>,
    /// Where the block has gone by `cd`.
    folder: Option<String>,
    /// It has gone where nobody knows.
    is_lost: bool,
}

impl BlockReader<'_> {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn take(&mut self, line: &str, number: usize) {
        let bare = line.trim();
        if self.open.is_none() && (bare.is_empty() || bare.starts_with('#')) {
            return;
        }
        let is_first = self.open.is_none();
        let command =
            self.open.get_or_insert_with(|| CommandText { line: number, text: String::new(), is_lost: false });
        if !is_first {
            command.text.push('\n');
        }
        if let Some(end) = self.ends.first() {
            command.text.push_str(line);
            if bare == end {
                self.ends.remove(0);
                self.close_if_whole(false);
            }
            return;
        }
        let (kept, goes_on) = scanned(line, &mut self.quote, &mut self.ends);
        command.text.push_str(kept);
        self.depth = nested(kept, self.depth);
        self.close_if_whole(goes_on);
    }

    fn close_if_whole(&mut self, goes_on: bool) {
        if !goes_on && self.quote.is_none() && self.ends.is_empty() && self.depth == 0 {
            self.close();
        }
    }

    fn close(&mut self) {
        self.depth = 0;
        let Some(CommandText { line, text, .. }) = self.open.take() else { return };
        let text = text.trim().to_owned();
        if text == "cd .." && !self.is_lost && self.folder.is_some() {
            self.folder =
                self.folder.take().and_then(|folder| folder.rsplit_once('/').map(|(above, _)| above.to_owned()));
            return;
        }
        if let Some(folder) = text.strip_prefix("cd ").filter(|folder| is_plain_folder(folder.trim())) {
            self.folder = Some(match self.folder.take() {
                Some(before) => format!("{before}/{}", folder.trim()),
                None => folder.trim().to_owned(),
            });
            return;
        }
        if let Some(inside) = text.strip_prefix("cd ").and_then(|folder| self.inside(folder)) {
            self.folder = (!inside.is_empty()).then_some(inside);
            self.is_lost = false;
            return;
        }
        // One that says its folder from the top does not depend on where the block has gone.
        let is_lost = self.is_lost && !text.starts_with("cd /");
        let goes_elsewhere = self.goes_elsewhere(&text);
        self.is_lost |= goes_elsewhere;
        let folder = if goes_elsewhere { self.folder.take() } else { self.folder.clone() };
        if goes_elsewhere && !text.contains([';', '&', '|', '\n']) {
            return;
        }
        let text = match folder {
            Some(folder) => format!("cd {folder} && {text}"),
            None => text,
        };
        self.done.push(CommandText { line, text, is_lost });
    }

    /// A folder of the project that is written from the top.
    fn inside(&self, folder: &str) -> Option<String> {
        let inside = Path::new(folder.trim()).strip_prefix(self.project?).ok()?.to_str()?;
        (inside.is_empty() || is_plain_folder(inside)).then(|| inside.to_owned())
    }

    /// Whether it changes the folder to one that is not plainly inside: `cd /tmp`, `cd "$dir" && ls`, `popd`.
    fn goes_elsewhere(&self, text: &str) -> bool {
        let (program, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let folder = rest.split([';', '&', '|', '\n']).next().unwrap_or_default().trim();
        let is_inside = || is_plain_folder(folder) || self.inside(folder).is_some();
        matches!(program, "pushd" | "popd") || program == "cd" && !is_inside()
    }

    fn finish(mut self) -> Vec<CommandText> {
        self.close();
        self.done
    }
}

/// How many loops, conditions and groups are open behind a line. A guess by words: the judge reads what comes of it.
fn nested(line: &str, depth: usize) -> usize {
    let mut depth = depth;
    let mut begins = true;
    for word in line.split_inclusive(|c: char| c.is_whitespace() || c == ';') {
        let ends = word.ends_with(';');
        let word = word.trim_matches(|c: char| c.is_whitespace() || c == ';');
        match word {
            "" => {}
            "if" | "case" | "do" | "{" if begins => depth = depth.saturating_add(1),
            "fi" | "esac" | "done" | "}" if begins => depth = depth.saturating_sub(1),
            _ => {}
        }
        begins = ends || matches!(word, "&&" | "||" | "|" | "do" | "then" | "else" | "{") || word.is_empty() && begins;
    }
    depth
}

/// A folder inside, written without anything that a shell reads differently.
pub(super) fn is_plain_folder(text: &str) -> bool {
    !text.is_empty()
        && text.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.starts_with('-'))
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-' | b'@'))
}

/// The line without a remark behind it, and whether a backslash continues it.
fn scanned<'l>(line: &'l str, quote: &mut Option<char>, ends: &mut Vec<String>) -> (&'l str, bool) {
    let mut letters = line.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, letter)) = letters.next() {
        match (*quote, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => *quote = None,
            (Some('\''), _) => {}
            (_, '\\') => {
                if letters.next().is_none() {
                    return (line, true);
                }
            }
            (Some(_), _) => {}
            (None, '\'' | '"') => *quote = Some(letter),
            (None, '#') if before.is_whitespace() => return (line.get(..at).unwrap_or_default().trim_end(), false),
            (None, '<')
                if line.get(at..).is_some_and(|rest| rest.starts_with("<<") && !rest.starts_with("<<<"))
                    && before != '<' =>
            {
                let rest = line.get(at.saturating_add(2)..).unwrap_or_default().trim_start_matches('-').trim_start();
                let end: String = rest
                    .trim_start_matches(['\'', '"', '\\'])
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                if !end.is_empty() {
                    ends.push(end);
                }
            }
            (None, _) => {}
        }
        before = letter;
    }
    (line, false)
}
