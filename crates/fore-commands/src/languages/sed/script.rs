//! Reads a sed script the way GNU, BSD and busybox sed do and lists what it touches besides its output.
//!
//! Implementations disagree whether a delimiter inside `[…]` ends a pattern, so a script is read in every way and
//! the effects of all readings count. A reading that fails is one whose sed refuses the script.

use crate::languages::brackets::Brackets;

/// Something a script does besides printing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SedEffect {
    ReadsFile(String),
    WritesFile { command: char, path: String },
    RunsCommand { flag: bool },
}

/// Why no reading of the script makes sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SedTrouble(pub(super) String);

pub(super) fn effects(script: &str) -> Result<Vec<SedEffect>, SedTrouble> {
    let mut effects = Vec::new();
    let mut trouble = None;
    let mut understood = false;
    for &brackets in Brackets::readings(script) {
        let mut reader = SedReader { text: script.chars().collect(), at: 0, depth: 0, brackets, effects: Vec::new() };
        match reader.script() {
            Ok(()) => understood = true,
            Err(reason) => trouble = trouble.or(Some(reason)),
        }
        for effect in reader.effects {
            if !effects.contains(&effect) {
                effects.push(effect);
            }
        }
    }
    match trouble {
        Some(reason) if !understood => {
            // What was opened before the mistake was found stays opened.
            if effects.iter().any(|effect| !matches!(effect, SedEffect::ReadsFile(_))) {
                Ok(effects)
            } else {
                Err(reason)
            }
        }
        _ => Ok(effects),
    }
}

struct SedReader {
    text: Vec<char>,
    at: usize,
    depth: usize,
    brackets: Brackets,
    effects: Vec<SedEffect>,
}

impl SedReader {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek();
        if next.is_some() {
            self.at += 1;
        }
        next
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|c| c != '\n' && c.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        self.at > start
    }

    fn trouble<T>(&self, what: &str) -> Result<T, SedTrouble> {
        Err(SedTrouble(format!("{what} at character {}", self.at)))
    }

    fn script(&mut self) -> Result<(), SedTrouble> {
        loop {
            while self.peek().is_some_and(|c| c == ';' || c.is_ascii_whitespace()) {
                self.at += 1;
            }
            if self.peek().is_none() {
                return if self.depth == 0 { Ok(()) } else { self.trouble("a `{` without its `}`") };
            }
            self.addresses()?;
            self.command()?;
        }
    }

    fn addresses(&mut self) -> Result<(), SedTrouble> {
        if self.address()? {
            self.skip_blanks();
            if self.peek() == Some(',') {
                self.at += 1;
                self.skip_blanks();
                if !self.address()? {
                    return self.trouble("a second address is missing");
                }
            }
        }
        self.skip_blanks();
        while self.peek() == Some('!') {
            self.at += 1;
            self.skip_blanks();
        }
        Ok(())
    }

    fn address(&mut self) -> Result<bool, SedTrouble> {
        match self.peek() {
            Some('$') => self.at += 1,
            Some('0'..='9') => {
                self.digits();
                self.skip_blanks();
                if self.peek() == Some('~') {
                    self.at += 1;
                    self.skip_blanks();
                    self.digits();
                }
            }
            Some('+' | '~') => {
                self.at += 1;
                if !self.digits() {
                    return self.trouble("a number is missing");
                }
            }
            Some('/') => {
                self.at += 1;
                self.pattern('/')?;
                self.address_flags();
            }
            Some('\\') => {
                self.at += 1;
                let delimiter = self.delimiter()?;
                self.pattern(delimiter)?;
                self.address_flags();
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn address_flags(&mut self) {
        while matches!(self.peek(), Some('I' | 'M')) {
            self.at += 1;
        }
    }

    fn delimiter(&mut self) -> Result<char, SedTrouble> {
        match self.next() {
            Some(c) if c.is_ascii() && c != '\n' && c != '\\' => Ok(c),
            _ => self.trouble("an unusable delimiter"),
        }
    }

    /// The regular expression up to its delimiter.
    fn pattern(&mut self, delimiter: char) -> Result<(), SedTrouble> {
        while let Some(c) = self.next() {
            match c {
                _ if c == delimiter => return Ok(()),
                '\n' => return self.trouble("a line ends inside a pattern"),
                '\\' => self.at += 1,
                '[' => self.at = self.brackets.after(&self.text, self.at),
                _ => {}
            }
        }
        self.trouble("a pattern does not end")
    }

    /// A replacement or the halves of `y`: only the delimiter and the backslash mean anything.
    fn plain(&mut self, delimiter: char) -> Result<(), SedTrouble> {
        while let Some(c) = self.next() {
            match c {
                _ if c == delimiter => return Ok(()),
                '\n' => return self.trouble("a line ends inside a replacement"),
                '\\' => self.at += 1,
                _ => {}
            }
        }
        self.trouble("a replacement does not end")
    }

    fn command(&mut self) -> Result<(), SedTrouble> {
        match self.next() {
            Some('{') => {
                self.depth += 1;
                Ok(())
            }
            Some('}') if self.depth > 0 => {
                self.depth -= 1;
                self.end_of_command()
            }
            Some('#') => {
                self.rest_of_line();
                Ok(())
            }
            Some('=' | 'd' | 'D' | 'F' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z') => {
                self.end_of_command()
            }
            Some('l' | 'q' | 'Q') => {
                self.skip_blanks();
                self.digits();
                self.end_of_command()
            }
            Some('a' | 'i' | 'c') => self.text_argument(),
            Some(':' | 'b' | 't' | 'T' | 'v') => {
                self.label();
                Ok(())
            }
            Some('r' | 'R') => {
                let path = self.file_name()?;
                self.effects.push(SedEffect::ReadsFile(path));
                Ok(())
            }
            Some(command @ ('w' | 'W')) => self.written_file(command),
            Some('e') => {
                self.rest_of_line();
                self.effects.push(SedEffect::RunsCommand { flag: false });
                Ok(())
            }
            Some('s') => {
                let delimiter = self.delimiter()?;
                self.pattern(delimiter)?;
                self.plain(delimiter)?;
                self.substitute_flags()
            }
            Some('y') => {
                let delimiter = self.delimiter()?;
                self.plain(delimiter)?;
                self.plain(delimiter)?;
                self.end_of_command()
            }
            Some(other) => self.trouble(&format!("no sed command is called `{other}`:")),
            None => self.trouble("an address without a command"),
        }
    }

    fn end_of_command(&mut self) -> Result<(), SedTrouble> {
        self.skip_blanks();
        match self.peek() {
            None | Some('\n' | ';' | '}' | '#') => Ok(()),
            Some(_) => self.trouble("something follows a command"),
        }
    }

    fn substitute_flags(&mut self) -> Result<(), SedTrouble> {
        loop {
            match self.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => self.at += 1,
                Some('e') => {
                    self.at += 1;
                    self.effects.push(SedEffect::RunsCommand { flag: true });
                }
                Some('w') => {
                    self.at += 1;
                    return self.written_file('s');
                }
                Some(c) if c != '\n' && c.is_ascii_whitespace() => self.at += 1,
                _ => return self.end_of_command(),
            }
        }
    }

    fn written_file(&mut self, command: char) -> Result<(), SedTrouble> {
        let path = self.file_name()?;
        if !fore_shell::paths::is_sink(&path) {
            self.effects.push(SedEffect::WritesFile { command, path });
        }
        Ok(())
    }

    fn file_name(&mut self) -> Result<String, SedTrouble> {
        self.skip_blanks();
        let name = self.rest_of_line();
        if name.is_empty() { self.trouble("a file name is missing") } else { Ok(name) }
    }

    fn rest_of_line(&mut self) -> String {
        let mut line = String::new();
        while let Some(c) = self.peek().filter(|&c| c != '\n') {
            line.push(c);
            self.at += 1;
        }
        line
    }

    /// Some seds let a label run to the end of the line. Ending it early can only show more commands, never fewer.
    fn label(&mut self) {
        self.skip_blanks();
        while self.peek().is_some_and(|c| !c.is_ascii_whitespace() && c != ';' && c != '}') {
            self.at += 1;
        }
    }

    /// The text of `a`, `i`, `c`: on the same line, or after a backslash on the next; a backslash keeps a newline in it.
    fn text_argument(&mut self) -> Result<(), SedTrouble> {
        self.skip_blanks();
        match self.peek() {
            None | Some('\n') => return self.trouble("a text is missing"),
            // GNU takes blanks after the backslash for the text itself and a second backslash for a plain one, so the
            // next line is a command again. Others may take it for text; seeing a command too many does no harm.
            Some('\\') => {
                self.at += 1;
                if self.peek() == Some('\n') {
                    self.at += 1;
                } else {
                    self.skip_blanks();
                    if self.peek() == Some('\\') {
                        self.at += 1;
                    }
                }
            }
            Some(_) => {}
        }
        while let Some(c) = self.next() {
            match c {
                '\n' => return Ok(()),
                '\\' => self.at += 1,
                _ => {}
            }
        }
        Ok(())
    }
}
