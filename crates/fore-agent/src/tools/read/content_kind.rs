//! What kind of file some bytes are, and text out of bytes without losing any.

use std::{fmt::Write as _, path::Path};

/// How much of a file is looked at to tell text from other things.
const HEAD: usize = 8 << 10;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ContentKind {
    Empty,
    Text,
    Notebook,
    Picture { media_type: &'static str },
    Binary { what: &'static str, instead: &'static str },
}

const USE_A_COMMAND: &str = "Use a command that knows the format.";

/// What a file begins with, what it is then, and what to do instead of reading it.
const FORMATS: [(&[u8], &str, &str); 9] = [
    (b"%PDF-", "a PDF document", "Turn it into text with a command such as `pdftotext FILE -`."),
    (b"\x7fELF", "a program", "Use `file`, `nm` or `strings`."),
    (b"PK\x03\x04", "a ZIP archive or an office document", "List it with `unzip -l`."),
    (b"\x1f\x8b", "compressed with gzip", "Read it with `zcat`, or list it with `tar -tzf`."),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "Read it with `zstdcat`."),
    (b"\xfd7zXZ\0", "compressed with xz", "Read it with `xzcat`."),
    (b"BZh", "compressed with bzip2", "Read it with `bzcat`."),
    (b"SQLite format 3\0", "an SQLite database", "Ask it with `sqlite3 -readonly`."),
    (b"\0asm", "a WebAssembly module", USE_A_COMMAND),
];

impl ContentKind {
    pub(super) fn of(path: &Path, bytes: &[u8]) -> ContentKind {
        if bytes.is_empty() {
            return ContentKind::Empty;
        }
        if let Some(media_type) = picture(bytes) {
            return ContentKind::Picture { media_type };
        }
        if let Some((_, what, instead)) = FORMATS.iter().find(|(start, ..)| bytes.starts_with(start) && !is_text(bytes))
        {
            return ContentKind::Binary { what, instead };
        }
        if utf16(bytes).is_none() && !is_text(bytes) {
            return ContentKind::Binary {
                what: "binary",
                instead: "Use a command that knows its format, or `file` to learn what it is.",
            };
        }
        let is_notebook = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb"));
        if is_notebook { ContentKind::Notebook } else { ContentKind::Text }
    }
}

/// PDF is text at its start only; its magic counts whatever follows.
fn is_text(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD).unwrap_or(bytes);
    let wrong: usize = head.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    !head.contains(&0) && wrong.saturating_mul(10) <= head.len().saturating_mul(3) && !bytes.starts_with(b"%PDF-")
}

fn picture(bytes: &[u8]) -> Option<&'static str> {
    let webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    match bytes {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        _ if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") => Some("image/gif"),
        _ if webp => Some("image/webp"),
        _ => None,
    }
}

/// The text, and what the model has to know about its encoding.
pub(super) fn text(bytes: &[u8]) -> (String, Option<String>) {
    if let Some((name, text)) = utf16(bytes) {
        let note =
            format!("The file is {name}, shown here as text. Edit and Write keep to UTF-8: change it with a command.");
        return (text, Some(note));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (text.to_owned(), None);
    }
    let (mut text, mut count, mut first) = (String::with_capacity(bytes.len()), 0_usize, 0);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if count == 0 && !chunk.invalid().is_empty() {
            first = text.matches('\n').count().saturating_add(1);
        }
        for byte in chunk.invalid() {
            count = count.saturating_add(1);
            // Writing into a String can't fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    let note = format!(
        "The file is not UTF-8: {}, the first in line {first}, shown as \\xNN. An edit of other places leaves them as they are.",
        fore_text::count_as(count, "byte is not", "bytes are not")
    );
    (text, Some(note))
}

/// UTF-16 with a byte order mark.
fn utf16(bytes: &[u8]) -> Option<(&'static str, String)> {
    let (name, rest, unit): (_, _, fn([u8; 2]) -> u16) = match bytes {
        [0xff, 0xfe, rest @ ..] => ("UTF-16 (little endian)", rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => ("UTF-16 (big endian)", rest, u16::from_be_bytes),
        _ => return None,
    };
    let units = rest.chunks_exact(2).filter_map(|pair| <[u8; 2]>::try_from(pair).ok()).map(unit);
    let text = char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    Some((name, text))
}
