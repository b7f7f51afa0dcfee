//! Finds the end of `[…]` in a regular expression. Programs differ in how they look for it, so there are several ways.

/// How `[…]` is treated while looking for the end of the expression around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brackets {
    /// A bracket means nothing: a delimiter inside ends the expression.
    Ordinary,
    /// A delimiter inside is a member, and so is a backslash.
    Posix,
    /// A delimiter inside is a member; a backslash makes the next character one.
    WithEscapes,
}

impl Brackets {
    /// Every way to read a text.
    pub(super) fn readings(text: &str) -> &'static [Brackets] {
        if text.contains('[') {
            &[Brackets::Posix, Brackets::Ordinary, Brackets::WithEscapes]
        } else {
            &[Brackets::Posix]
        }
    }

    /// Where to go on after the `[` that stands before `at`. Never passes a newline.
    pub(super) fn after(self, text: &[char], mut at: usize) -> usize {
        if self == Brackets::Ordinary {
            return at;
        }
        if text.get(at) == Some(&'^') {
            at += 1;
        }
        if text.get(at) == Some(&']') {
            at += 1;
        }
        while let Some(c) = text.get(at) {
            match c {
                ']' => return at + 1,
                '\n' => return at,
                '\\' if self == Brackets::WithEscapes => at += 2,
                '[' => at = after_class(text, at + 1),
                _ => at += 1,
            }
        }
        at
    }
}

/// Behind `[:alpha:]`, `[.x.]` or `[=x=]`, whose first bracket stands before `at`; a lone `[` is an ordinary member.
fn after_class(text: &[char], at: usize) -> usize {
    let Some(kind @ (':' | '.' | '=')) = text.get(at).copied() else {
        return at;
    };
    let rest = text.get(at + 1..).unwrap_or_default();
    let end = rest.windows(2).take_while(|pair| !pair.contains(&'\n')).position(|pair| pair == [kind, ']']);
    end.map_or(at, |end| at + end + 3)
}
