//! A word about what the next key would do, shown for a moment, and keys that mean something only when pressed twice.

use std::time::{Duration, Instant};

/// A second press counts this long.
const TWICE: Duration = Duration::from_millis(1_500);
/// Words stay this long.
const SHOWN: Duration = Duration::from_secs(4);

/// A key that has to be pressed twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DoublePress {
    Leave,
    Rewind,
    ClearDraft,
}

#[derive(Debug, Default)]
pub(crate) struct Hints {
    words: Option<(String, Instant)>,
    pressed: Option<(DoublePress, Instant)>,
}

impl Hints {
    pub(crate) fn say(&mut self, words: impl Into<String>, now: Instant) {
        self.words = Some((words.into(), now + SHOWN));
    }

    /// True at the second press; the first one says what a second would do.
    pub(crate) fn twice(&mut self, key: DoublePress, words: &str, now: Instant) -> bool {
        let is_second =
            self.pressed.is_some_and(|(pressed, at)| pressed == key && now.saturating_duration_since(at) <= TWICE);
        if is_second {
            self.clear();
        } else {
            self.pressed = Some((key, now));
            self.words = Some((words.to_owned(), now + TWICE));
        }
        is_second
    }

    /// Another key came between.
    pub(crate) fn clear(&mut self) {
        (self.words, self.pressed) = (None, None);
    }

    pub(crate) fn shown(&self) -> Option<&str> {
        self.words.as_ref().map(|(words, _)| words.as_str())
    }

    pub(crate) fn is_shown(&self) -> bool {
        self.words.is_some()
    }

    /// True when words went.
    pub(crate) fn expire(&mut self, now: Instant) -> bool {
        let is_over = self.words.as_ref().is_some_and(|(_, until)| now >= *until);
        if is_over {
            self.clear();
        }
        is_over
    }
}
