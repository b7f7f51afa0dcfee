//! Listens to a command: whole letters of both streams in the order they came, the start and the end kept, all of it in a
//! file once it gets long.

use fore_sandbox::Stream;
use fore_store::{OutputFile, Outputs};
use std::sync::Arc;

/// What is heard of one command.
#[derive(Debug)]
pub(super) struct Hearing {
    stdout: Letters,
    stderr: Letters,
    kept: Kept,
}

impl Hearing {
    /// Keeps at most `most` bytes in memory.
    pub(super) fn new(most: usize, outputs: Arc<Outputs>) -> Hearing {
        let kept = Kept { most, head: String::new(), tail: String::new(), total: 0, full: Full::NotNeeded, outputs };
        Hearing { stdout: Letters::default(), stderr: Letters::default(), kept }
    }

    /// Takes some output, and gives it back as text.
    pub(super) fn hear(&mut self, stream: Stream, bytes: &[u8]) -> String {
        let letters = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let text = letters.whole(bytes);
        self.kept.push(&text);
        text
    }

    /// What was heard since the last time. Long text misses its middle and says so.
    pub(super) fn take(&mut self) -> String {
        self.kept.take()
    }
}

/// Puts letters together that came in pieces.
#[derive(Debug, Default)]
struct Letters {
    /// At most three bytes that begin a letter.
    begun: Vec<u8>,
}

impl Letters {
    fn whole(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let mut text = String::with_capacity(all.len());
        let mut chunks = all.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let wrong = chunk.invalid();
            let may_go_on = std::str::from_utf8(wrong).is_err_and(|error| error.error_len().is_none());
            if chunks.peek().is_none() && may_go_on {
                self.begun = wrong.to_vec();
            } else if !wrong.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        text
    }
}

/// The start and the end of a text.
#[derive(Debug)]
struct Kept {
    most: usize,
    head: String,
    tail: String,
    total: u64,
    full: Full,
    outputs: Arc<Outputs>,
}

/// Where the full text is.
#[derive(Debug)]
enum Full {
    NotNeeded,
    File(OutputFile),
    /// Could not be written; why.
    Lost(String),
}

impl Kept {
    fn push(&mut self, text: &str) {
        let half = self.most / 2;
        self.total += text.len() as u64;
        if let Full::File(file) = &mut self.full {
            if let Err(error) = file.write(text.as_bytes()) {
                self.full = Full::Lost(error.to_string());
            }
        } else if self.total > self.most as u64 && matches!(self.full, Full::NotNeeded) {
            self.full = self.begin_file(text);
        }
        let (first, rest) = text.split_at(text.floor_char_boundary(half.saturating_sub(self.head.len())));
        // Once something is in the tail, the head has its share.
        let (first, rest) = if self.tail.is_empty() { (first, rest) } else { ("", text) };
        self.head.push_str(first);
        self.tail.push_str(rest);
        if self.tail.len() > 2 * self.most {
            self.tail.drain(..self.tail.ceil_char_boundary(self.tail.len() - self.most));
        }
    }

    /// Nothing was dropped yet: the file gets all from the start.
    fn begin_file(&self, text: &str) -> Full {
        let begun = self.outputs.new_file().and_then(|mut file| {
            for part in [self.head.as_str(), &self.tail, text] {
                file.write(part.as_bytes())?;
            }
            Ok(file)
        });
        begun.map_or_else(|error| Full::Lost(error.to_string()), Full::File)
    }

    fn take(&mut self) -> String {
        let (head, tail) = (std::mem::take(&mut self.head), std::mem::take(&mut self.tail));
        let total = std::mem::take(&mut self.total);
        if total <= self.most as u64 {
            return head + &tail;
        }
        let end = tail.get(tail.ceil_char_boundary(tail.len().saturating_sub(self.most / 2))..).unwrap_or_default();
        let missing = total - (head.len() + end.len()) as u64;
        let place = match &self.full {
            Full::File(file) if file.lost_bytes() == 0 => format!("the full text is in {}", file.path().display()),
            Full::File(file) => {
                format!("{} has all but the last {} bytes", file.path().display(), file.lost_bytes())
            }
            Full::Lost(why) => format!("the full text could not be kept: {why}"),
            Full::NotNeeded => "the full text was not kept".to_owned(),
        };
        format!("{head}\n[{missing} bytes left out here; {place}]\n{end}")
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Full::File(file) = std::mem::replace(&mut self.full, Full::NotNeeded) {
            self.outputs.done(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_store::{Home, SessionId};

    fn hearing(most: usize) -> (tempfile::TempDir, Hearing) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path()).unwrap();
        let outputs = Outputs::open(&home, SessionId::fresh()).unwrap();
        (folder, Hearing::new(most, Arc::new(outputs)))
    }

    #[test]
    fn letters_that_come_in_pieces_are_put_together_for_each_stream() {
        let (_folder, mut hearing) = hearing(100);
        let page: [(Stream, &[u8], &str); 6] = [
            (Stream::Stdout, b"gr\xc3", "gr"),
            (Stream::Stderr, b"warn\xe2\x82", "warn"),
            (Stream::Stdout, b"\xbcn", "ün"),
            (Stream::Stderr, b"\xac!", "€!"),
            (Stream::Stdout, b"\xff\xc3x", "\u{fffd}\u{fffd}x"),
            (Stream::Stdout, b"\xf0\x9f", ""),
        ];
        for (stream, bytes, expected) in page {
            assert_eq!(hearing.hear(stream, bytes), expected);
        }
        assert_eq!(hearing.take(), "grwarnün€!\u{fffd}\u{fffd}x");
        assert_eq!(hearing.take(), "");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "looks at what was written")]
    fn long_text_keeps_start_and_end_and_names_the_file_with_all_of_it() {
        let (folder, mut hearing) = hearing(10);
        let mut all = String::new();
        for number in 0..40 {
            let piece = format!("{number}é");
            hearing.hear(Stream::Stdout, piece.as_bytes());
            all.push_str(&piece);
        }
        let text = hearing.take();
        let path = text.split(" is in ").nth(1).unwrap().split(']').next().unwrap().to_owned();
        assert!(path.starts_with(&folder.path().canonicalize().unwrap().display().to_string()));
        assert_eq!(
            text,
            format!("0é1\n[{} bytes left out here; the full text is in {path}]\n39é", all.len() - 8),
            "{text}"
        );
        assert_eq!(std::fs::read_to_string(path).unwrap(), all);
    }

    #[test]
    fn text_that_fits_makes_no_file() {
        let (folder, mut hearing) = hearing(10);
        hearing.hear(Stream::Stdout, b"0123456");
        hearing.hear(Stream::Stderr, b"789");
        assert_eq!(hearing.take(), "0123456789");
        assert!(!folder.path().join("outputs").exists());
    }
}
