//! Judges `find`: start points, then an expression whose words each take a known number of values.

mod predicates;

use fore_shell::{Finding, JudgeContext, Opaque, Value, Word, judge_argv};
use predicates::{Execution, Predicate, predicate};

/// Judges a whole `find` command, program name included.
pub(crate) fn judge(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let words = argv.get(1..).unwrap_or_default();
    let mut search = FindReader {
        rest: words.iter(),
        context,
        finding: Finding::reads(),
        starts: Vec::new(),
        starts_from_file: false,
    };
    match search.read() {
        Ok(()) => search.finding,
        Err(finding) => search.finding.and(*finding),
    }
}

struct FindReader<'a, 'c> {
    rest: std::slice::Iter<'a, Word>,
    context: &'c JudgeContext<'c>,
    finding: Finding,
    starts: Vec<&'a Word>,
    starts_from_file: bool,
}

type FindResult<T> = Result<T, Box<Finding>>;

impl<'a> FindReader<'a, '_> {
    fn read(&mut self) -> FindResult<()> {
        self.global_options()?;
        self.start_points()?;
        // Seen from the start, since it changes what every `{}` may be.
        self.starts_from_file = self.rest.as_slice().iter().any(|word| word.as_literal() == Some("-files0-from"));
        while let Some(word) = self.rest.next() {
            self.predicate(word)?;
        }
        Ok(())
    }

    fn global_options(&mut self) -> FindResult<()> {
        while let Some(word) = self.rest.as_slice().first() {
            let Some(text) = word.as_literal() else {
                return Ok(());
            };
            match text {
                "-H" | "-L" | "-P" | "-E" | "-X" | "-s" | "-x" | "--" => {
                    self.rest.next();
                }
                "-D" | "-f" => {
                    self.rest.next();
                    let value = self.value(word)?;
                    if text == "-f" {
                        self.starts.push(value);
                    }
                }
                _ if text.strip_prefix("-O").is_some_and(|level| level.bytes().all(|b| b.is_ascii_digit())) => {
                    self.rest.next();
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    fn start_points(&mut self) -> FindResult<()> {
        while let Some(word) = self.rest.as_slice().first() {
            match word.as_literal() {
                Some(text) if text.starts_with('-') || matches!(text, "(" | ")" | "!" | ",") => {
                    return Ok(());
                }
                None if word.may_be_option() => {
                    return Err(Box::new(Finding::unknown(
                        "find.option",
                        word,
                        "this may turn out to be an action of find, such as `-delete`",
                    )));
                }
                _ => {
                    self.finding = std::mem::replace(&mut self.finding, Finding::reads())
                        .and(fore_shell::paths::read_operand(word, self.context));
                    self.starts.push(word);
                    self.rest.next();
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, finding: Finding) {
        self.finding = std::mem::replace(&mut self.finding, Finding::reads()).and(finding);
    }

    /// The next word, if it is exactly one argument.
    fn value(&mut self, taker: &Word) -> FindResult<&'a Word> {
        match self.rest.next() {
            Some(word) if word.is_one_argument() || only_expands_to_names_with_a_dot(word) => Ok(word),
            Some(word) => Err(Box::new(Finding::unknown(
                "find.option",
                word,
                "this may turn out to be several arguments, so find's actions are not certain",
            ))),
            None => Err(Box::new(Finding::unknown("find.option", taker, "this word of find lacks its value"))),
        }
    }

    fn predicate(&mut self, word: &'a Word) -> FindResult<()> {
        let Some(text) = word.as_literal() else {
            return Err(Box::new(Finding::unknown(
                "find.option",
                word,
                "this may turn out to be an action of find, such as `-delete`",
            )));
        };
        match predicate(text) {
            Some(Predicate::Plain) => {}
            Some(Predicate::Value) => {
                self.value(word)?;
            }
            Some(Predicate::ReadsFile) => {
                let file = self.value(word)?;
                self.add(fore_shell::paths::read_operand(file, self.context));
            }
            Some(Predicate::StartsFromFile) => {
                let file = self.value(word)?;
                self.add(fore_shell::paths::read_operand(file, self.context));
            }
            Some(Predicate::MaybeNumber) => {
                let number = self.rest.as_slice().first().and_then(Word::as_literal).is_some_and(|text| {
                    let digits = text.trim_start_matches(['+', '-']);
                    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
                });
                if number {
                    self.rest.next();
                }
            }
            Some(Predicate::Deletes) => self.add(Finding::writes("find.-delete", word, "`find -delete` deletes files")),
            Some(Predicate::WritesFile(values)) => {
                let file = self.value(word)?;
                for _ in 0..values {
                    self.value(word)?;
                }
                if !file.as_literal().is_some_and(fore_shell::paths::is_sink) {
                    self.add(Finding::writes(format!("find.{text}"), word, format!("`find {text}` writes a file")));
                }
            }
            Some(Predicate::Executes(execution)) => self.execution(word, text, execution)?,
            None => {
                let why = format!("`{text}` is not a known word of a find expression");
                return Err(Box::new(Finding::unknown("find.option", word, why)));
            }
        }
        Ok(())
    }

    fn execution(&mut self, word: &'a Word, text: &str, execution: Execution) -> FindResult<()> {
        let words = self.rest.as_slice();
        let is = |index: Option<usize>, text: &str| {
            index.and_then(|i| words.get(i)).and_then(Word::as_literal) == Some(text)
        };
        let end = (0..words.len()).find(|&i| is(Some(i), ";") || (is(Some(i), "+") && is(i.checked_sub(1), "{}")));
        let Some(end) = end else {
            return Err(Box::new(Finding::unknown(format!("find.{text}"), word, format!("`find {text}` has no end"))));
        };
        let many = is(Some(end), "+");
        if many && execution.asks {
            return Err(Box::new(Finding::unknown(
                format!("find.{text}"),
                word,
                format!("finds differ about `+` after `{text}`"),
            )));
        }
        if let Some(word) = words
            .iter()
            .take(end)
            .enumerate()
            .find_map(|(i, word)| may_end_early(word, words.get(i + 1..end).unwrap_or_default()).then_some(word))
        {
            return Err(Box::new(Finding::unknown(
                format!("find.{text}"),
                word,
                "this may turn out to be the `;` that ends the command, so that the rest are actions of find",
            )));
        }
        let inner: Vec<Word> = words.iter().take(end).map(|word| self.substituted(word, execution, many)).collect();
        self.rest = words.get(end + 1..).unwrap_or_default().iter();
        let mut inside = self.context.clone();
        if execution.inside {
            inside.cwd = None;
        }
        if inner.is_empty() {
            return Err(Box::new(Finding::unknown(
                format!("find.{text}"),
                word,
                format!("`find {text}` names no command"),
            )));
        }
        let mut finding = judge_argv(&inner, &inside);
        let takes_names = words.iter().take(end).any(|word| word.source.contains("{}"));
        if takes_names && finding.reaches_network() {
            finding.send("the names of the files that `find` finds".to_owned());
        }
        self.add(finding);
        Ok(())
    }

    /// `{}` becomes the path of a file: it starts as one of the start points does.
    fn substituted(&self, word: &Word, execution: Execution, many: bool) -> Word {
        let Some((before, _)) = word.as_literal().and_then(|text| text.split_once("{}")) else {
            return word.clone();
        };
        let prefix = match (before, self.starts.as_slice()) {
            ("", []) if !execution.inside && !self.starts_from_file => ".".to_owned(),
            ("", [start]) if !execution.inside && !self.starts_from_file => {
                start.as_literal().unwrap_or_default().to_owned()
            }
            _ => before.to_owned(),
        };
        // BSD's -execdir gives the bare name, which may start with a dash; GNU's puts `./` before it.
        let may_be_option = if before.is_empty() {
            execution.inside || self.starts_from_file || self.starts.iter().any(|start| start.may_be_option())
        } else {
            before.starts_with('-')
        };
        let value = Value::Opaque(Opaque { prefix, may_be_empty: false, may_split: many, may_be_option });
        Word { value, source: word.source.clone(), span: word.span }
    }
}

/// Whether the word may become `;` (or `+`), and what follows it would then do harm.
fn may_end_early(word: &Word, rest: &[Word]) -> bool {
    let Value::Opaque(opaque) = &word.value else {
        return false;
    };
    if !word.is_one_argument() && opaque.may_be_option {
        return true;
    }
    let is_harmful = |word: &Word| match word.as_literal() {
        None => word.may_be_option(),
        Some(text) => match predicate(text) {
            Some(Predicate::Deletes | Predicate::WritesFile(_) | Predicate::Executes(_)) => true,
            Some(
                Predicate::Plain
                | Predicate::Value
                | Predicate::ReadsFile
                | Predicate::MaybeNumber
                | Predicate::StartsFromFile,
            )
            | None => false,
        },
    };
    matches!(opaque.prefix.as_str(), "" | ";" | "+") && rest.iter().any(is_harmful)
}

/// `find . -name *.rs`, the quotes forgotten: the shell may put several names here, but each ends in `.rs`, and no word
/// that means anything to find has a dot in it.
fn only_expands_to_names_with_a_dot(word: &Word) -> bool {
    let Some((_, ending)) = word.source.rsplit_once('.') else {
        return false;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !ending.is_empty() && ending.chars().all(plain) && word.source.chars().all(|c| plain(c) || "*?.-/".contains(c))
}
