//! Notices that a text repeats itself: small models fall into that and would go on until their limit.

/// What is kept of the end of a text.
const MAX_KEPT: usize = 8 * 1024;
/// Bytes between two looks.
const BETWEEN_LOOKS: usize = 512;
/// The longest passage that is looked for.
const MAX_PASSAGE: usize = 800;
/// How often a passage has to come in a row.
const TIMES: usize = 8;
/// And how much text that has to be: a rule across a page or a row of zeros is no fault.
const MIN_REPEATED: usize = 2_400;

/// The end of a text that is being written.
#[derive(Debug, Default)]
pub(crate) struct RepetitionWatch {
    end: Vec<u8>,
    unseen: usize,
}

impl RepetitionWatch {
    /// Takes more text; whether the text repeats itself now.
    pub(crate) fn repeats_with(&mut self, piece: &str) -> bool {
        self.end.extend_from_slice(piece.as_bytes());
        self.unseen += piece.len();
        if self.end.len() > 2 * MAX_KEPT {
            self.end.drain(..self.end.len() - MAX_KEPT);
        }
        self.unseen >= BETWEEN_LOOKS && {
            self.unseen = 0;
            self.passage().is_some()
        }
    }

    /// The length of the passage that the text ends with again and again.
    fn passage(&self) -> Option<usize> {
        (1..=MAX_PASSAGE).find(|length| {
            let needed = (length * TIMES).max(MIN_REPEATED);
            let Some(start) = self.end.len().checked_sub(needed) else { return false };
            let repeated = self.end.get(start..).unwrap_or_default();
            let Some(shifted) = repeated.get(*length..) else { return false };
            // From the end: most lengths fail at the first letters.
            shifted.iter().rev().eq(repeated.iter().rev().skip(*length))
        })
    }
}

/// A text whose end repeats itself, with that end only twice.
pub(crate) fn without_repetition(text: &str) -> &str {
    let from = text.len().saturating_sub(2 * MAX_KEPT);
    let watch = RepetitionWatch { end: text.as_bytes().get(from..).unwrap_or_default().to_vec(), unseen: 0 };
    let Some(length) = watch.passage() else { return text };
    let bytes = text.as_bytes();
    let run = bytes.iter().rev().zip(bytes.iter().rev().skip(length)).take_while(|(one, other)| one == other).count();
    fore_text::cut::bytes(text, text.len() - run + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_said_again_and_again_is_noticed_and_cut() {
        let text = format!("I look at it.\n{}", "The file is not there, so I try again. ".repeat(100));
        let mut watch = RepetitionWatch::default();
        let noticed =
            text.as_bytes().chunks(7).position(|piece| watch.repeats_with(std::str::from_utf8(piece).unwrap()));
        assert!(noticed.is_some_and(|at| at * 7 < 3_200), "{noticed:?}");
        assert_eq!(without_repetition(&text).matches("try again").count(), 2);
    }

    #[test]
    fn tables_rules_and_code_are_not_repetition() {
        let table: String = (0..400).map(|row| format!("| {row} | value {} |\n", row * 7)).collect();
        for text in [
            table,
            "-".repeat(1_000),
            "    }\n".repeat(60),
            "a different word each time ".chars().cycle().take(300).collect(),
        ] {
            assert!(!RepetitionWatch::default().repeats_with(&text), "{text}");
            assert_eq!(without_repetition(&text), text);
        }
    }
}
