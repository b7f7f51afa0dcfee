//! The text of a command as pieces: words, files by `@`, commands by `` !`…` ``. The arguments are put in after it was cut into pieces, so
//! that nothing in an argument becomes a file or a command by itself.

/// Pieces that are more than words, in one command.
pub(crate) const MAX_CALLS: usize = 20;
const MAX_ARGUMENT_BYTES: usize = 256 * 1024;

/// One part of a command's text, with the places for arguments still in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TemplatePiece {
    Words(String),
    /// What stands after `@`.
    File(String),
    /// What stands after `!`, between backticks or in a fence.
    Shell(String),
}

/// The text of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandTemplate {
    pub(crate) pieces: Vec<TemplatePiece>,
}

/// What the person wrote behind the name, whole and word by word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandArguments {
    whole: String,
    words: Vec<String>,
}

impl CommandTemplate {
    /// Cuts a text. Code in fences and between backticks stays as it is, but for what `!` stands before.
    pub(crate) fn read(text: &str) -> CommandTemplate {
        let mut reader = TemplateReader::default();
        let mut rest = text;
        while !rest.is_empty() {
            rest = reader.take(rest);
        }
        reader.words();
        CommandTemplate { pieces: reader.pieces }
    }

    /// How many of its pieces are more than words.
    pub(crate) fn calls(&self) -> usize {
        self.pieces.iter().filter(|piece| !matches!(piece, TemplatePiece::Words(_))).count()
    }

    /// Whether it says where its arguments go.
    pub(crate) fn takes_arguments(&self) -> bool {
        self.pieces.iter().any(|piece| match piece {
            TemplatePiece::Words(text) | TemplatePiece::File(text) | TemplatePiece::Shell(text) => {
                next_place(text).is_some()
            }
        })
    }
}

#[derive(Default)]
struct TemplateReader {
    pieces: Vec<TemplatePiece>,
    words: String,
}

impl TemplateReader {
    /// Takes what the text begins with, and gives the rest.
    fn take<'t>(&mut self, rest: &'t str) -> &'t str {
        let begins_line = self.words.is_empty() || self.words.ends_with('\n');
        if begins_line && let Some((fence, after)) = fenced(rest) {
            match fence.command {
                Some(command) => self.piece(TemplatePiece::Shell(command.trim().to_owned())),
                None => self.words.push_str(fence.whole),
            }
            return after;
        }
        let begins_word = self.words.chars().next_back().is_none_or(|letter| letter.is_whitespace() || letter == '(');
        if begins_word && let Some((command, after)) = shell(rest) {
            self.piece(TemplatePiece::Shell(command.to_owned()));
            return after;
        }
        if begins_word && let Some((path, after)) = file(rest) {
            self.piece(TemplatePiece::File(path.to_owned()));
            return after;
        }
        let end = if rest.starts_with('`') { code_end(rest) } else { rest.chars().next().map_or(0, char::len_utf8) };
        let (taken, after) = rest.split_at_checked(end.max(1)).unwrap_or((rest, ""));
        self.words.push_str(taken);
        after
    }

    fn piece(&mut self, piece: TemplatePiece) {
        self.words();
        self.pieces.push(piece);
    }

    fn words(&mut self) {
        if !self.words.is_empty() {
            self.pieces.push(TemplatePiece::Words(std::mem::take(&mut self.words)));
        }
    }
}

/// A fence of three backticks and what is in it, if `!` says that it is to be run.
struct Fence<'t> {
    whole: &'t str,
    command: Option<&'t str>,
}

fn fenced(text: &str) -> Option<(Fence<'_>, &str)> {
    let (first, after) = text.split_once('\n')?;
    let language = first.strip_prefix("```")?;
    let mut at = 0;
    for line in after.split_inclusive('\n') {
        if line.trim_end() == "```" {
            let end = first.len() + 1 + at + line.len();
            let (whole, rest) = text.split_at_checked(end)?;
            let command = if language.trim() == "!" { after.get(..at) } else { None };
            return Some((Fence { whole, command }, rest));
        }
        at += line.len();
    }
    None
}

/// `` !`git status` ``.
fn shell(text: &str) -> Option<(&str, &str)> {
    let (command, after) = text.strip_prefix("!`")?.split_once('`')?;
    (!command.trim().is_empty() && !command.contains('\n')).then(|| (command.trim(), after))
}

/// `@src/cart.rs`, `@$1` or `@"with spaces.md"`.
fn file(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('@')?;
    if let Some(quoted) = rest.strip_prefix('"') {
        let (path, after) = quoted.split_once('"')?;
        return (!path.is_empty() && !path.contains('\n')).then_some((path, after));
    }
    let is_part = |letter: char| !letter.is_whitespace() && !"`\"'<>|,;()[]{}".contains(letter);
    let end = rest.find(|letter: char| !is_part(letter)).unwrap_or(rest.len());
    let (path, _) = rest.split_at_checked(end)?;
    // What ends a sentence is no part of a path.
    let path = path.trim_end_matches(['.', ':', '!', '?']);
    let after = rest.get(path.len()..)?;
    (!path.is_empty() && !path.starts_with('@')).then_some((path, after))
}

/// Where code that begins here ends; only its first sign where it has no end on its line.
fn code_end(text: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let (sign, rest) = text.split_at_checked(ticks).unwrap_or((text, ""));
    let line = rest.split('\n').next().unwrap_or_default();
    line.find(sign).map_or(ticks, |end| ticks + end + ticks)
}

impl CommandArguments {
    /// The error says why they are none.
    pub(crate) fn new(written: &str) -> Result<CommandArguments, &'static str> {
        match written.trim() {
            whole if whole.len() > MAX_ARGUMENT_BYTES => Err("what follows its name is longer than 256 KiB."),
            whole => Ok(CommandArguments { words: words(whole), whole: whole.to_owned() }),
        }
    }

    pub(crate) fn whole(&self) -> &str {
        &self.whole
    }

    /// Word by word, as a shell cuts them.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// A text with the arguments in their places: `$ARGUMENTS` all of them, `$1` to `$9` one word; `\$` is a dollar sign.
    pub(crate) fn put_into(&self, text: &str) -> String {
        let (mut whole, mut rest) = (String::with_capacity(text.len()), text);
        while let Some((at, place)) = next_sign(rest) {
            let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
            whole.push_str(before);
            match place {
                DollarSign::Escaped => whole.push('$'),
                DollarSign::All => whole.push_str(&self.whole),
                DollarSign::Word(number) => {
                    whole.push_str(self.words.get(number).map(String::as_str).unwrap_or_default());
                }
            }
            rest = after.get(place.len()..).unwrap_or_default();
        }
        whole.push_str(rest);
        whole
    }
}

/// What a dollar sign stands for.
#[derive(Clone, Copy)]
enum DollarSign {
    /// `\$`
    Escaped,
    /// `$ARGUMENTS`
    All,
    /// `$1` is the first, number 0.
    Word(usize),
}

const ALL: &str = "$ARGUMENTS";

impl DollarSign {
    fn len(self) -> usize {
        match self {
            DollarSign::Escaped | DollarSign::Word(_) => 2,
            DollarSign::All => ALL.len(),
        }
    }
}

/// The first sign of a text that means something, and where it stands.
fn next_sign(text: &str) -> Option<(usize, DollarSign)> {
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        let found = at + rest.find(['$', '\\'])?;
        let here = text.get(found..)?;
        let digit = here.strip_prefix('$').and_then(|after| after.chars().next()).and_then(|digit| digit.to_digit(10));
        let goes_on = |length: usize| here.get(length..).is_some_and(|after| after.starts_with(char::is_alphanumeric));
        if here.starts_with("\\$") {
            return Some((found, DollarSign::Escaped));
        }
        if here.starts_with(ALL) && !goes_on(ALL.len()) {
            return Some((found, DollarSign::All));
        }
        if let Some(digit @ 1..=9) = digit
            && !goes_on(2)
        {
            return Some((found, DollarSign::Word(usize::try_from(digit).ok()?.saturating_sub(1))));
        }
        at = found + 1;
    }
}

/// Whether an argument has a place in a text.
fn next_place(text: &str) -> Option<()> {
    let (mut rest, mut found) = (text, None);
    while let (Some((at, sign)), None) = (next_sign(rest), found) {
        found = match sign {
            DollarSign::Escaped => None,
            DollarSign::All | DollarSign::Word(_) => Some(()),
        };
        rest = rest.get(at + sign.len()..).unwrap_or_default();
    }
    found
}

/// Words as a shell cuts them: quotes hold several together.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None::<char>);
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') if word.is_none() => (quote, word) = (Some(letter), Some(String::new())),
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (Some(_) | None, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}
