//! The bounds of everything a script or a client can ask for, and the check of a script against them.

use std::path::{Path, PathBuf};

use crate::script::{Fault, ModelScript, ScriptedTurn, TurnPart};

/// The largest request body that is read.
pub(crate) const MAX_REQUEST_BYTES: usize = 32 << 20;
/// The most requests that one server answers.
pub(crate) const MAX_REQUESTS: usize = 10_000;
/// The most turns in one script, over all conversations.
pub(crate) const MAX_TURNS: usize = 10_000;
/// The most parts in one turn.
pub(crate) const MAX_PARTS: usize = 10_000;
/// The longest text of one part.
pub(crate) const MAX_PART_BYTES: usize = 8 << 20;
/// The longest single pause.
pub(crate) const MAX_DELAY_MS: u64 = 2_000;
/// The longest sum of pauses in one turn; what comes after is sent without a pause.
pub(crate) const MAX_TURN_DELAY_MS: u64 = 30_000;
/// The largest script file.
pub(crate) const MAX_SCRIPT_BYTES: u64 = 64 << 20;

/// Why a script cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("cannot read the script {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: std::io::Error,
    },
    /// The text is no script.
    #[error("{}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The reason, with line and column.
        reason: serde_json::Error,
    },
    /// A value is outside its bounds.
    #[error("{}: {place}: {problem}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The place in the script.
        place: String,
        /// What is wrong there.
        problem: String,
    },
    /// The loopback port cannot be opened.
    #[error("cannot listen on 127.0.0.1:{port}: {reason}")]
    Listen {
        /// The port.
        port: u16,
        /// The reason.
        reason: std::io::Error,
    },
}

impl ModelScript {
    /// Reads a script from a file.
    pub fn load(path: &Path) -> Result<ModelScript, ScriptError> {
        let unreadable = |reason| ScriptError::Unreadable { path: path.to_owned(), reason };
        let size = std::fs::metadata(path).map_err(unreadable)?.len();
        if size > MAX_SCRIPT_BYTES {
            return Err(refused(path, "file", format!("{size} bytes are more than {MAX_SCRIPT_BYTES}")));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        ModelScript::parse(&text, path)
    }

    /// Reads a script from text; `path` is for messages.
    pub fn parse(text: &str, path: &Path) -> Result<ModelScript, ScriptError> {
        let script: ModelScript =
            serde_json::from_str(text).map_err(|reason| ScriptError::Malformed { path: path.to_owned(), reason })?;
        script.check(path)?;
        Ok(script)
    }

    /// Holds the script against the bounds; `path` is for messages.
    pub(crate) fn check(&self, path: &Path) -> Result<(), ScriptError> {
        let total = self.turns.len() + self.conversations.iter().map(|other| other.turns.len()).sum::<usize>();
        if total > MAX_TURNS {
            return Err(refused(path, "turns", format!("{total} turns are more than {MAX_TURNS}")));
        }
        check_turns(path, "turns", &self.turns)?;
        for (index, other) in self.conversations.iter().enumerate() {
            let place = format!("conversations[{index}]");
            if other.key.is_empty() {
                return Err(refused(path, &format!("{place}.key"), "an empty key matches every request".to_owned()));
            }
            check_turns(path, &format!("{place}.turns"), &other.turns)?;
        }
        Ok(())
    }
}

fn check_turns(path: &Path, list: &str, turns: &[ScriptedTurn]) -> Result<(), ScriptError> {
    for (index, turn) in turns.iter().enumerate() {
        let place = format!("{list}[{index}]");
        check_turn(turn, &place).map_err(|(place, problem)| refused(path, &place, problem))?;
    }
    Ok(())
}

fn check_turn(turn: &ScriptedTurn, place: &str) -> Result<(), (String, String)> {
    if turn.pace.delay_ms > MAX_DELAY_MS {
        return Err((format!("{place}.pace.delay_ms"), format!("{} is more than {MAX_DELAY_MS}", turn.pace.delay_ms)));
    }
    if turn.pace.piece_chars == 0 {
        return Err((format!("{place}.pace.piece_chars"), "pieces need at least one character".to_owned()));
    }
    if turn.rate == Some(0) {
        return Err((format!("{place}.rate"), "at a rate of 0 nothing would ever come".to_owned()));
    }
    if turn.say.len() > MAX_PARTS {
        return Err((format!("{place}.say"), format!("{} parts are more than {MAX_PARTS}", turn.say.len())));
    }
    if turn.say.is_empty() && turn.fault.is_none() {
        return Err((format!("{place}.say"), "a turn says something or has a fault".to_owned()));
    }
    if let (Some(Fault::Status(_) | Fault::HangUp), false) = (&turn.fault, turn.say.is_empty()) {
        return Err((format!("{place}.say"), "a turn with this fault cannot say anything".to_owned()));
    }
    for (index, part) in turn.say.iter().enumerate() {
        let place = format!("{place}.say[{index}]");
        let bytes = match part {
            TurnPart::Text(text) if text.is_empty() => return Err((place, "no model sends an empty text".to_owned())),
            TurnPart::Text(text) | TurnPart::Reasoning(text) => text.len(),
            TurnPart::Call(call) if call.name.is_empty() => return Err((place, "a call needs a name".to_owned())),
            TurnPart::Call(call) if call.arguments.is_some() && call.raw_arguments.is_some() => {
                return Err((place, "give arguments or raw_arguments, not both".to_owned()));
            }
            TurnPart::Call(call) => call.arguments_text().len(),
        };
        if bytes > MAX_PART_BYTES {
            return Err((place, format!("{bytes} bytes are more than {MAX_PART_BYTES}")));
        }
    }
    if let Some(expect) = &turn.expect {
        expect.check(place)?;
    }
    Ok(())
}

fn refused(path: &Path, place: &str, problem: String) -> ScriptError {
    ScriptError::Refused { path: path.to_owned(), place: place.to_owned(), problem }
}
