//! What a terminal answers when a program asks: real ones differ, so a test says which it plays.

/// How a terminal answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Habits {
    pub(super) queries: Queries,
    pub(super) background: BackgroundReply,
    pub(super) keyboard: KeyEncoding,
}

/// Whether the questions of old are answered: where the cursor is, what the terminal is, whether it knows a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Queries {
    Answered,
    Ignored,
}

/// What is told about the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BackgroundReply {
    Dark,
    /// The question is not answered.
    Untold,
}

/// How keys are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyEncoding {
    /// As they always were; questions about other ways are not answered.
    Old,
    /// By the keyboard protocol that tells Shift+Enter from Enter, if the program asks for it.
    Kitty,
}

impl Habits {
    /// A terminal of today with a dark background.
    pub const MODERN: Habits =
        Habits { queries: Queries::Answered, background: BackgroundReply::Dark, keyboard: KeyEncoding::Kitty };
    /// A terminal that knows where its cursor is, and no more.
    pub const OLD: Habits =
        Habits { queries: Queries::Answered, background: BackgroundReply::Untold, keyboard: KeyEncoding::Old };
    /// A terminal that answers nothing.
    pub const SILENT: Habits =
        Habits { queries: Queries::Ignored, background: BackgroundReply::Untold, keyboard: KeyEncoding::Old };
}

impl BackgroundReply {
    /// Foreground and background as terminals spell them.
    pub(super) fn colours(self) -> Option<(&'static str, &'static str)> {
        match self {
            BackgroundReply::Dark => Some(("rgb:d8d8/dede/e9e9", "rgb:1616/1919/2020")),
            BackgroundReply::Untold => None,
        }
    }
}
