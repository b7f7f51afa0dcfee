//! Thoughts that a server leaves inside of the text: `<think>…</think>` at its beginning, also where the marks come in pieces.

use super::super::DeltaKind;

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Tells thoughts and text apart.
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    place: Place,
    /// What may still become a mark.
    held: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Nothing but white space so far.
    #[default]
    Start,
    Inside,
    /// Behind a thought; the white space there is left out.
    Behind,
    /// From here on every mark is text.
    Text,
}

impl ThinkTags {
    /// The pieces that are clear now.
    pub(super) fn split(&mut self, text: String) -> Vec<(DeltaKind, String)> {
        if self.place == Place::Text {
            return vec![(DeltaKind::Text, text)];
        }
        if self.place == Place::Behind {
            return self.behind(&text);
        }
        self.held.push_str(&text);
        let mut pieces = Vec::new();
        if self.place == Place::Start {
            let spoken = self.held.trim_start();
            if let Some(rest) = spoken.strip_prefix(OPEN) {
                self.held = rest.to_owned();
                self.place = Place::Inside;
            } else if OPEN.starts_with(spoken) {
                return pieces;
            } else {
                self.place = Place::Text;
                return vec![(DeltaKind::Text, std::mem::take(&mut self.held))];
            }
        }
        if let Some(at) = self.held.find(CLOSE) {
            let after = self.held.split_off(at);
            pieces.push((DeltaKind::Reasoning, std::mem::take(&mut self.held)));
            self.place = Place::Behind;
            pieces.extend(self.behind(after.get(CLOSE.len()..).unwrap_or_default()));
            return pieces;
        }
        // The end may be the first letters of the mark.
        let open =
            (1..CLOSE.len()).rev().find(|count| CLOSE.get(..*count).is_some_and(|half| self.held.ends_with(half)));
        let kept = self.held.split_off(self.held.len() - open.unwrap_or(0));
        pieces.push((DeltaKind::Reasoning, std::mem::replace(&mut self.held, kept)));
        pieces
    }

    fn behind(&mut self, text: &str) -> Vec<(DeltaKind, String)> {
        let text = text.trim_start();
        if text.is_empty() {
            return Vec::new();
        }
        self.place = Place::Text;
        vec![(DeltaKind::Text, text.to_owned())]
    }

    /// What is left when the text is over.
    pub(super) fn rest(&mut self) -> Option<(DeltaKind, String)> {
        let kind = if self.place == Place::Inside { DeltaKind::Reasoning } else { DeltaKind::Text };
        let held = std::mem::take(&mut self.held);
        (!held.is_empty()).then_some((kind, held))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str]) -> (String, String) {
        let (mut tags, mut thoughts, mut text) = (ThinkTags::default(), String::new(), String::new());
        let all: Vec<_> = pieces.iter().flat_map(|piece| tags.split(String::from(*piece))).collect();
        for (kind, piece) in all.into_iter().chain(tags.rest()) {
            match kind {
                DeltaKind::Reasoning => thoughts.push_str(&piece),
                DeltaKind::Text => text.push_str(&piece),
            }
        }
        (thoughts, text)
    }

    #[test]
    fn thoughts_between_marks_are_thoughts_wherever_the_pieces_end() {
        let whole = "<think>\nI look. a < b</think>\n\nDone: `<think>` is a mark.";
        let expected = ("\nI look. a < b".to_owned(), "Done: `<think>` is a mark.".to_owned());
        assert_eq!(read(&[whole]), expected);
        let letters: Vec<String> = whole.chars().map(String::from).collect();
        assert_eq!(read(&letters.iter().map(String::as_str).collect::<Vec<_>>()), expected);
    }

    #[test]
    fn a_text_without_marks_is_text() {
        for whole in ["<thin air", "Hello", "  <b>", "<", ""] {
            assert_eq!(read(&[whole]), (String::new(), whole.to_owned()));
        }
        assert_eq!(read(&["<think>cut"]), ("cut".to_owned(), String::new()));
    }
}
