//! Notifies somebody who looks at another window, and says in the title of this one what goes on. It writes no letter of a model.

use std::io::{self, Write};

/// How a terminal notifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotifySign {
    /// It is left alone.
    Silent,
    /// The bell, which most turn into a mark on the window or a sound.
    Bell,
    /// A notification of the desktop: OSC 9.
    Osc9,
    /// The same as other terminals understand it: OSC 777.
    Osc777,
}

/// The most letters of a project's name in a title.
const MAX_NAME_CHARS: usize = 60;

/// Notifies once.
pub(crate) fn notify(out: &mut impl Write, sign: NotifySign, title: &str, text: &str) -> io::Result<()> {
    let (title, text) = (plain(title), plain(text));
    match sign {
        NotifySign::Silent => return Ok(()),
        NotifySign::Bell => write!(out, "\x07")?,
        NotifySign::Osc9 => write!(out, "\x1b]9;{title}: {text}\x1b\\")?,
        NotifySign::Osc777 => write!(out, "\x1b]777;notify;{title};{text}\x1b\\")?,
    }
    out.flush()
}

/// Keeps the title that the window has, for [`give_title_back`].
pub(crate) fn keep_title(out: &mut impl Write) -> io::Result<()> {
    write!(out, "\x1b[22;2t")
}

pub(crate) fn write_title(out: &mut impl Write, title: &str) -> io::Result<()> {
    write!(out, "\x1b]2;{}\x1b\\", plain(title))?;
    out.flush()
}

/// The title is the one that was kept; terminals that keep none get an empty one, which the next program fills.
pub(crate) fn give_title_back(out: &mut impl Write) -> io::Result<()> {
    write!(out, "\x1b]2;\x1b\\\x1b[23;2t")?;
    out.flush()
}

/// What steers nothing and ends no sequence.
fn plain(text: &str) -> String {
    let shown = fore_text::line(text);
    shown.chars().filter(|letter| !letter.is_control() && *letter != ';').take(MAX_NAME_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sign_has_its_bytes_and_no_name_steers_the_terminal() {
        let page: [(NotifySign, &[u8]); 4] = [
            (NotifySign::Silent, b""),
            (NotifySign::Bell, b"\x07"),
            (NotifySign::Osc9, b"\x1b]9;shop: The turn is over.\x1b\\"),
            (NotifySign::Osc777, b"\x1b]777;notify;shop;The turn is over.\x1b\\"),
        ];
        for (sign, expected) in page {
            let mut out = Vec::new();
            notify(&mut out, sign, "shop", "The turn is over.").unwrap();
            assert_eq!(out, expected, "{sign:?}");
        }
        for name in ["a\x1b]52;c;eA==\x07b", "a\u{9c}b\nc", "a;b;c"] {
            let mut out = Vec::new();
            write_title(&mut out, name).unwrap();
            let inside = &out[4..out.len() - 2];
            assert!(!inside.iter().any(|byte| *byte < b' ' || *byte == b';'), "{:?}", String::from_utf8_lossy(&out));
        }
    }
}
