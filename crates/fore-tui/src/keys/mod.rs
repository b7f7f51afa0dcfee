//! Which key means what, by name and rebindable. It does nothing with the meaning.

pub(crate) mod burst;
mod chord;
mod keymap;
#[cfg(test)]
mod tests;

pub use keymap::Keymap;
pub(crate) use keymap::SYSTEM;

/// What a key can mean, apart from typing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum KeyAction {
    Submit,
    SteerNow,
    NewLine,
    Interrupt,
    Leave,
    EndOfInput,
    CycleMode,
    FocusDialog,
    OpenEditor,
    ToggleDetails,
    HistoryBack,
    HistoryForward,
    HistorySearch,
    Undo,
    Redo,
    Redraw,
    Suspend,
}

impl KeyAction {
    /// Every action, in the order help lists them.
    pub(crate) const ALL: &[KeyAction] = &[
        KeyAction::Submit,
        KeyAction::SteerNow,
        KeyAction::NewLine,
        KeyAction::Interrupt,
        KeyAction::Leave,
        KeyAction::EndOfInput,
        KeyAction::CycleMode,
        KeyAction::FocusDialog,
        KeyAction::OpenEditor,
        KeyAction::ToggleDetails,
        KeyAction::HistoryBack,
        KeyAction::HistoryForward,
        KeyAction::HistorySearch,
        KeyAction::Undo,
        KeyAction::Redo,
        KeyAction::Redraw,
        KeyAction::Suspend,
    ];

    /// Its name in the settings.
    pub(crate) fn name(self) -> &'static str {
        self.row().0
    }

    /// What it is for, for help.
    pub(crate) fn about(self) -> &'static str {
        self.row().1
    }

    /// The keys it has until the person says otherwise.
    fn usual_keys(self) -> &'static [&'static str] {
        self.row().2
    }

    fn row(self) -> (&'static str, &'static str, &'static [&'static str]) {
        match self {
            KeyAction::Submit => ("submit", "send; it waits while the agent works", &["enter"]),
            // Raw mode turns flow control off, so Ctrl+S reaches us and means what it means elsewhere: send this now.
            // The second one is for those who keep flow control in a multiplexer.
            KeyAction::SteerNow => ("steerNow", "send now, into the running turn", &["ctrl+s", "alt+s"]),
            KeyAction::NewLine => {
                ("newLine", "a new line (also \\ before Enter)", &["ctrl+j", "alt+enter", "shift+enter"])
            }
            KeyAction::Interrupt => ("interrupt", "stop the current action; twice: edit the last prompt", &["esc"]),
            KeyAction::Leave => ("leave", "stop the current action, else clear the line; twice: leave", &["ctrl+c"]),
            KeyAction::EndOfInput => ("endOfInput", "leave, when nothing is written", &["ctrl+d"]),
            KeyAction::CycleMode => ("cycleMode", "the next mode", &["shift+tab", "alt+m"]),
            KeyAction::FocusDialog => ("focusDialog", "go to the question that waits, and back", &["tab", "ctrl+t"]),
            KeyAction::OpenEditor => ("openEditor", "write in your editor", &["ctrl+g"]),
            KeyAction::ToggleDetails => ("toggleDetails", "everything in full, on the whole screen", &["ctrl+o"]),
            KeyAction::HistoryBack => {
                ("historyBack", "the prompt before; takes back queued messages", &["up", "ctrl+p"])
            }
            KeyAction::HistoryForward => ("historyForward", "the prompt after", &["down", "ctrl+n"]),
            KeyAction::HistorySearch => ("historySearch", "search earlier prompts", &["ctrl+r"]),
            KeyAction::Undo => ("undo", "take back the last change of the text", &["ctrl+_"]),
            KeyAction::Redo => ("redo", "redo it", &["alt+_"]),
            KeyAction::Redraw => ("redraw", "draw the screen again", &["ctrl+l"]),
            KeyAction::Suspend => ("suspend", "back to the shell; fg returns", &["ctrl+z"]),
        }
    }
}
