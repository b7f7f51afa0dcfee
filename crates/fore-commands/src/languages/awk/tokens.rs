//! Cuts an awk program into tokens. Where implementations disagree about the cut, it says so instead of guessing.

use crate::languages::brackets::Brackets;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AwkToken {
    /// A name, and whether a parenthesis follows without a blank, as in a call.
    Name(String, bool),
    /// The text between the quotes, escapes left as they are.
    Text(String),
    Number,
    Regex,
    Newline,
    /// An operator or bracket.
    Mark(&'static str),
}

impl AwkToken {
    pub(super) fn is(&self, mark: &str) -> bool {
        matches!(self, AwkToken::Mark(own) if *own == mark)
    }

    pub(super) fn is_name(&self, name: &str) -> bool {
        matches!(self, AwkToken::Name(own, _) if own == name)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AwkTrouble {
    /// Every awk refuses this.
    Mistake(&'static str),
    /// Awks differ, or it is a construct that is not analysed.
    Unclear(&'static str),
}

/// Longest first, so that the first match is the right one.
const MARKS: [&str; 43] = [
    "**=", "|&", "||", "&&", "==", "!=", "<=", ">=", ">>", "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "**", "!~",
    "|", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "%", "^", "!", ">", "<", "?", ":", "~", "$", "=", "@",
    "/",
];

const BEFORE_REGEX: [&str; 21] = [
    "print",
    "printf",
    "return",
    "in",
    "else",
    "do",
    "case",
    "exit",
    "delete",
    "next",
    "nextfile",
    "break",
    "continue",
    "BEGIN",
    "END",
    "BEGINFILE",
    "ENDFILE",
    "if",
    "while",
    "for",
    "switch",
];

const UNBALANCED: &str = "a bracket without its partner";

pub(super) fn tokens(program: &str, brackets: Brackets) -> Result<Vec<AwkToken>, AwkTrouble> {
    let mut cutter = AwkTokenizer {
        text: program.chars().collect(),
        at: 0,
        brackets,
        tokens: Vec::new(),
        open: Vec::new(),
        closed_header: false,
    };
    cutter.cut()?;
    if cutter.open.is_empty() { Ok(cutter.tokens) } else { Err(AwkTrouble::Mistake(UNBALANCED)) }
}

struct AwkTokenizer {
    text: Vec<char>,
    at: usize,
    brackets: Brackets,
    tokens: Vec<AwkToken>,
    /// Open brackets, and for each whether it belongs to `if`, `while`, `for` or `switch`.
    open: Vec<(&'static str, bool)>,
    closed_header: bool,
}

impl AwkTokenizer {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn cut(&mut self) -> Result<(), AwkTrouble> {
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' => self.at += 1,
                '\n' => {
                    self.at += 1;
                    self.tokens.push(AwkToken::Newline);
                }
                '#' => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                '\\' if self.text.get(self.at + 1) == Some(&'\n') => self.at += 2,
                '"' => self.string()?,
                'a'..='z' | 'A'..='Z' | '_' => self.name(),
                '0'..='9' => self.number(),
                '.' if self.text.get(self.at + 1).is_some_and(char::is_ascii_digit) => self.number(),
                '/' => self.slash()?,
                _ => self.mark()?,
            }
        }
        Ok(())
    }

    fn string(&mut self) -> Result<(), AwkTrouble> {
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '"' => {
                    self.tokens.push(AwkToken::Text(text));
                    return Ok(());
                }
                '\n' => return Err(AwkTrouble::Mistake("a line ends inside a string")),
                '\\' => {
                    text.push(c);
                    text.extend(self.peek());
                    self.at += 1;
                }
                _ => text.push(c),
            }
        }
        Err(AwkTrouble::Mistake("a string does not end"))
    }

    fn name(&mut self) {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
            self.at += 1;
        }
        let call = self.peek() == Some('(');
        self.tokens.push(AwkToken::Name(name, call));
    }

    /// Awks differ in which letters belong to a number (`0x1f`, `1e5`); cut short, the rest is a name, which hides nothing.
    fn number(&mut self) {
        while self.peek().is_some_and(|c| c.is_ascii_digit() || c == '.') {
            self.at += 1;
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            let sign = usize::from(matches!(self.text.get(self.at + 1), Some('+' | '-')));
            if self.text.get(self.at + 1 + sign).is_some_and(char::is_ascii_digit) {
                self.at += 1 + sign;
                while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    self.at += 1;
                }
            }
        }
        self.tokens.push(AwkToken::Number);
    }

    fn mark(&mut self) -> Result<(), AwkTrouble> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let found = MARKS.into_iter().find(|mark| mark.chars().enumerate().all(|(i, c)| rest.get(i) == Some(&c)));
        let Some(mark) = found else {
            return Err(AwkTrouble::Unclear("a character that means nothing in awk"));
        };
        match mark {
            "(" | "[" | "{" => {
                let header = ["if", "while", "for", "switch"];
                let opens_header = mark == "("
                    && (self.tokens.last()).is_some_and(|last| header.iter().any(|name| last.is_name(name)));
                self.open.push((mark, opens_header));
            }
            ")" | "]" | "}" => self.close(mark)?,
            _ => {}
        }
        self.at += mark.chars().count();
        self.tokens.push(AwkToken::Mark(mark));
        Ok(())
    }

    fn close(&mut self, mark: &str) -> Result<(), AwkTrouble> {
        let opened = match mark {
            ")" => "(",
            "]" => "[",
            _ => "{",
        };
        match self.open.pop() {
            Some((open, header)) if open == opened => {
                self.closed_header = header;
                Ok(())
            }
            _ => Err(AwkTrouble::Mistake(UNBALANCED)),
        }
    }

    /// A slash divides after an operand and starts a regular expression otherwise.
    fn slash(&mut self) -> Result<(), AwkTrouble> {
        let unclear = match self.tokens.last() {
            Some(AwkToken::Number | AwkToken::Text(_) | AwkToken::Regex) => false,
            Some(AwkToken::Name(name, _)) if BEFORE_REGEX.contains(&name.as_str()) => {
                return self.regex();
            }
            Some(AwkToken::Name(name, _)) => matches!(name.as_str(), "length" | "getline"),
            Some(AwkToken::Mark(")")) => self.closed_header,
            Some(AwkToken::Mark("]")) => false,
            Some(AwkToken::Mark("++" | "--")) => true,
            Some(AwkToken::Mark(_) | AwkToken::Newline) | None => return self.regex(),
        };
        // Without a second slash in the line it cannot be a regular expression for anybody.
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        if unclear && rest.iter().take_while(|c| **c != '\n').any(|c| *c == '/') {
            return Err(AwkTrouble::Unclear(
                "a `/` that some awks take for a division and others for a regular expression",
            ));
        }
        self.mark()
    }

    fn regex(&mut self) -> Result<(), AwkTrouble> {
        self.at += 1;
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '/' => {
                    self.tokens.push(AwkToken::Regex);
                    return Ok(());
                }
                '\n' => return Err(AwkTrouble::Mistake("a line ends inside a regular expression")),
                '\\' if self.peek() == Some('\n') => {
                    return Err(AwkTrouble::Unclear("a regular expression over two lines"));
                }
                '\\' => self.at += 1,
                '[' => self.at = self.brackets.after(&self.text, self.at),
                _ => {}
            }
        }
        Err(AwkTrouble::Mistake("a regular expression does not end"))
    }
}
