//! Listens to a command: whole letters in the order they were written, the start and the end kept, all of it in a file once it
//! gets long.

use fore_store::{OutputFile, Outputs};
use fore_text::cut;
use std::sync::Arc;

/// What is heard of one command.
#[derive(Debug)]
pub(super) struct OutputRecorder {
    letters: Utf8Joiner,
    /// Line ends that came.
    line_ends: usize,
    /// The last line has not ended yet.
    has_open_line: bool,
    kept: HeadAndTail,
}

impl OutputRecorder {
    /// Keeps at most `most` bytes in memory.
    pub(super) fn new(most: usize, outputs: Arc<Outputs>) -> OutputRecorder {
        let kept = HeadAndTail {
            max_bytes: most,
            head: String::new(),
            tail: String::new(),
            total: 0,
            full: FullOutput::NotNeeded,
            outputs,
        };
        OutputRecorder { letters: Utf8Joiner::default(), line_ends: 0, has_open_line: false, kept }
    }

    /// Takes some output, and gives it back as text.
    pub(super) fn record(&mut self, bytes: &[u8]) -> String {
        let text = self.letters.decode(bytes);
        self.line_ends = self.line_ends.saturating_add(text.matches('\n').count());
        if !text.is_empty() {
            self.has_open_line = !text.ends_with('\n');
        }
        self.kept.push(&text);
        text
    }

    /// All lines that came so far, also those that were not kept.
    pub(super) fn lines(&self) -> usize {
        self.line_ends.saturating_add(usize::from(self.has_open_line))
    }

    /// What was heard since the last time. Long text misses its middle and says so.
    pub(super) fn take(&mut self) -> String {
        self.kept.take()
    }
}

/// Puts letters together that came in pieces.
#[derive(Debug, Default)]
struct Utf8Joiner {
    /// At most three bytes that begin a letter.
    begun: Vec<u8>,
}

impl Utf8Joiner {
    fn decode(&mut self, bytes: &[u8]) -> String {
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
struct HeadAndTail {
    max_bytes: usize,
    head: String,
    tail: String,
    total: u64,
    full: FullOutput,
    outputs: Arc<Outputs>,
}

/// Where the full text is.
#[derive(Debug)]
enum FullOutput {
    NotNeeded,
    File(OutputFile),
    /// Could not be written; why.
    Lost(String),
}

impl HeadAndTail {
    fn push(&mut self, text: &str) {
        let half = self.max_bytes / 2;
        self.total += text.len() as u64;
        if let FullOutput::File(file) = &mut self.full {
            if let Err(error) = file.write(text.as_bytes()) {
                self.full = FullOutput::Lost(error.to_string());
            }
        } else if self.total > self.max_bytes as u64 && matches!(self.full, FullOutput::NotNeeded) {
            self.full = self.begin_file(text);
        }
        let (first, rest) = cut::split_bytes(text, half.saturating_sub(self.head.len()));
        // Once something is in the tail, the head has its share.
        let (first, rest) = if self.tail.is_empty() { (first, rest) } else { ("", text) };
        self.head.push_str(first);
        self.tail.push_str(rest);
        if self.tail.len() > 2 * self.max_bytes {
            self.tail.drain(..self.tail.len() - cut::last_bytes(&self.tail, self.max_bytes).len());
        }
    }

    /// Nothing was dropped yet: the file gets all from the start.
    fn begin_file(&self, text: &str) -> FullOutput {
        let begun = self.outputs.new_file().and_then(|mut file| {
            for part in [self.head.as_str(), &self.tail, text] {
                file.write(part.as_bytes())?;
            }
            Ok(file)
        });
        begun.map_or_else(|error| FullOutput::Lost(error.to_string()), FullOutput::File)
    }

    fn take(&mut self) -> String {
        let (head, tail) = (std::mem::take(&mut self.head), std::mem::take(&mut self.tail));
        let total = std::mem::take(&mut self.total);
        if total <= self.max_bytes as u64 {
            return head + &tail;
        }
        let end = cut::last_bytes(&tail, self.max_bytes / 2);
        let missing = total - (head.len() + end.len()) as u64;
        let place = match &self.full {
            FullOutput::File(file) if file.lost_bytes() == 0 => {
                format!("the full text is in {}", file.path().display())
            }
            FullOutput::File(file) => {
                format!("{} has all but the last {} bytes", file.path().display(), file.lost_bytes())
            }
            FullOutput::Lost(why) => format!("the full text could not be kept: {why}"),
            FullOutput::NotNeeded => "the full text was not kept".to_owned(),
        };
        format!("{head}\n[{missing} bytes left out here; {place}]\n{end}")
    }
}

impl Drop for HeadAndTail {
    fn drop(&mut self) {
        if let FullOutput::File(file) = std::mem::replace(&mut self.full, FullOutput::NotNeeded) {
            self.outputs.done(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_store::{Home, SessionId};

    fn output(most: usize) -> (tempfile::TempDir, OutputRecorder) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path()).unwrap();
        let outputs = Outputs::open(&home, SessionId::fresh()).unwrap();
        (folder, OutputRecorder::new(most, Arc::new(outputs)))
    }

    #[test]
    fn letters_that_come_in_pieces_are_put_together() {
        let (_folder, mut output) = output(100);
        let page: [(&[u8], &str); 4] =
            [(b"gr\xc3", "gr"), (b"\xbcn", "ün"), (b"\xff\xc3x", "\u{fffd}\u{fffd}x"), (b"\xf0\x9f", "")];
        for (bytes, expected) in page {
            assert_eq!(output.record(bytes), expected);
        }
        assert_eq!(output.take(), "grün\u{fffd}\u{fffd}x");
        assert_eq!(output.take(), "");
    }

    #[test]
    fn lines_are_counted_also_those_that_are_left_out_and_one_that_has_not_ended() {
        let (_folder, mut output) = output(100);
        (0..5_000).for_each(|number| drop(output.record(format!("{number}\n").as_bytes())));
        assert_eq!(output.lines(), 5_000);
        output.record(b"Password: ");
        output.record(b"");
        assert_eq!(output.lines(), 5_001);
        assert!(output.take().lines().count() < 100);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "looks at what was written")]
    fn long_text_keeps_start_and_end_and_names_the_file_with_all_of_it() {
        let (folder, mut output) = output(10);
        let mut all = String::new();
        for number in 0..40 {
            let piece = format!("{number}é");
            output.record(piece.as_bytes());
            all.push_str(&piece);
        }
        let text = output.take();
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
        let (folder, mut output) = output(11);
        output.record(b"0123456");
        output.record(b"789");
        assert_eq!(output.take(), "0123456789");
        assert!(!folder.path().join("outputs").exists());
    }
}
