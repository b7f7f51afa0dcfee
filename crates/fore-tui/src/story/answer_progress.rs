//! What the model does right now, in one line: something moves in every state, and says how long it takes.

use fore_plan::{CalledTool, Mode, ToolName};
use fore_text::cut;
use std::time::{Duration, Instant};

/// Bytes at the end of the thoughts that are looked at.
const MAX_THOUGHT_END_BYTES: usize = 512;
/// About so many bytes are a token.
const TOKEN_BYTES: usize = 4;

/// How far the answer has come that the session waits for.
#[derive(Debug, Default)]
pub(super) struct AnswerProgress {
    stage: AnswerStage,
    since: Option<Instant>,
    bytes: usize,
    /// Bytes of the call that is written, as they were told last.
    call_bytes: usize,
    thought_end: String,
    /// Nothing has come since then, where that was said.
    silent_since: Option<Instant>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum AnswerStage {
    /// Nothing has come yet.
    #[default]
    Asked,
    /// The server reads the prompt and says how far it is.
    Reading {
        read: u64,
        total: u64,
    },
    /// The server did not take the request, which is sent again then.
    Retrying(NextTry),
    Thinking,
    Speaking,
    Calling {
        tool: CalledTool,
        lines: usize,
    },
    /// It summarises the conversation.
    Summarising,
}

/// A request that is sent again: why, when, and how often it was.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NextTry {
    pub(super) why: String,
    pub(super) at: Option<Instant>,
    pub(super) attempt: u32,
    pub(super) attempts: u32,
}

impl NextTry {
    /// `rate limited, next try in 6 s (2 of 6)`
    fn words(&self, now: Option<Instant>) -> String {
        let left = self.at.zip(now).map(|(at, now)| at.saturating_duration_since(now));
        let (why, tries) = (&self.why, format!("({} of {})", self.attempt, self.attempts));
        match left {
            Some(Duration::ZERO) | None => format!("{why}, trying again {tries}"),
            Some(left) => format!("{why}, next try in {} s {tries}", left.as_millis().div_ceil(1000)),
        }
    }
}

impl AnswerProgress {
    /// The model is asked anew.
    pub(super) fn restart(&mut self, now: Option<Instant>) {
        *self = AnswerProgress { since: now, ..AnswerProgress::default() };
    }

    /// It is asked again after a wait; what had come before does not count.
    pub(super) fn retry(&mut self, next: NextTry) {
        let since = self.since;
        *self = AnswerProgress { stage: AnswerStage::Retrying(next), since, ..AnswerProgress::default() };
    }

    /// Nothing has come for so long.
    pub(super) fn fall_silent(&mut self, since: Option<Instant>) {
        // A wait before another try is told as such.
        if !matches!(self.stage, AnswerStage::Retrying(_)) {
            self.silent_since = since;
        }
    }

    pub(super) fn read(&mut self, read: u64, total: u64) {
        self.come(AnswerStage::Reading { read, total });
    }

    /// Something has come.
    fn come(&mut self, stage: AnswerStage) {
        self.stage = stage;
        self.silent_since = None;
    }

    pub(super) fn think(&mut self, delta: &str) {
        self.come(AnswerStage::Thinking);
        self.bytes = self.bytes.saturating_add(delta.len());
        self.thought_end.push_str(cut::last_bytes(delta, MAX_THOUGHT_END_BYTES));
        let over = self.thought_end.len() - cut::last_bytes(&self.thought_end, MAX_THOUGHT_END_BYTES).len();
        self.thought_end.drain(..over);
    }

    pub(super) fn speak(&mut self, delta: &str) {
        self.come(AnswerStage::Speaking);
        self.bytes = self.bytes.saturating_add(delta.len());
    }

    pub(super) fn call(&mut self, tool: &CalledTool, bytes: usize, lines: usize) {
        // Another call begins with few bytes again.
        let grown = bytes.checked_sub(self.call_bytes).unwrap_or(bytes);
        self.bytes = self.bytes.saturating_add(grown);
        self.call_bytes = bytes;
        self.come(AnswerStage::Calling { tool: tool.clone(), lines });
    }

    /// So much of a summary has come.
    pub(super) fn summarise(&mut self, bytes: usize) {
        self.bytes = bytes;
        self.come(AnswerStage::Summarising);
    }

    /// What is done, and the end of the thoughts where it is thinking.
    pub(super) fn words(&self, mode: Mode, model: &str, now: Option<Instant>) -> (String, &str) {
        let end = match self.stage {
            AnswerStage::Thinking => self.thought_end.trim_end(),
            AnswerStage::Asked
            | AnswerStage::Reading { .. }
            | AnswerStage::Retrying(_)
            | AnswerStage::Speaking
            | AnswerStage::Calling { .. }
            | AnswerStage::Summarising => "",
        };
        let words = match &self.stage {
            AnswerStage::Asked if model.is_empty() => "waiting for the model".to_owned(),
            AnswerStage::Asked => format!("waiting for {model}"),
            AnswerStage::Reading { .. } => "the model reads the prompt".to_owned(),
            AnswerStage::Retrying(next) => next.words(now),
            AnswerStage::Thinking => "thinking".to_owned(),
            AnswerStage::Speaking => "writing".to_owned(),
            AnswerStage::Calling { tool, .. } => writing(tool, mode),
            AnswerStage::Summarising => "summarising the conversation".to_owned(),
        };
        (words, end)
    }

    /// How much there is of it: lines of a call, seconds, tokens.
    pub(super) fn counts(&self, now: Option<Instant>) -> Vec<String> {
        let mut counts = Vec::new();
        match self.stage {
            AnswerStage::Calling { lines, .. } if lines > 0 => {
                counts.push(fore_text::count(lines.saturating_add(1), "line"));
            }
            AnswerStage::Reading { read, total } if total > 0 => {
                counts.push(format!("{} %", read.min(total).saturating_mul(100) / total));
            }
            AnswerStage::Asked
            | AnswerStage::Reading { .. }
            | AnswerStage::Retrying(_)
            | AnswerStage::Thinking
            | AnswerStage::Speaking
            | AnswerStage::Calling { .. }
            | AnswerStage::Summarising => {}
        }
        counts.extend(elapsed(self.silent_since, now).map(|silent| match self.stage {
            AnswerStage::Asked => "no answer yet".to_owned(),
            AnswerStage::Summarising if self.bytes == 0 => "no answer yet".to_owned(),
            AnswerStage::Summarising
            | AnswerStage::Reading { .. }
            | AnswerStage::Retrying(_)
            | AnswerStage::Thinking
            | AnswerStage::Speaking
            | AnswerStage::Calling { .. } => format!("nothing new for {silent}"),
        }));
        // A wait counts down by itself.
        let is_waiting = matches!(self.stage, AnswerStage::Retrying(_));
        counts.extend(elapsed(self.since, now).filter(|_| !is_waiting));
        if self.bytes >= TOKEN_BYTES {
            counts.push(tokens(self.bytes / TOKEN_BYTES));
        }
        counts
    }
}

/// The call that is being written, in words: `writing the plan`.
pub fn writing(tool: &CalledTool, mode: Mode) -> String {
    let is_planning = mode == Mode::Plan;
    match tool.known() {
        Some(ToolName::Write | ToolName::Edit) if is_planning => "writing the plan".to_owned(),
        Some(ToolName::ExitPlanMode) => "writing the plan".to_owned(),
        Some(ToolName::Write) => "writing a file".to_owned(),
        Some(ToolName::Edit | ToolName::NotebookEdit) => "writing an edit".to_owned(),
        Some(ToolName::Bash) => "writing a command".to_owned(),
        Some(ToolName::AskUserQuestion) => "writing a question".to_owned(),
        Some(ToolName::TodoWrite) => "writing the todo list".to_owned(),
        Some(ToolName::Agent) => "writing a task for an agent".to_owned(),
        Some(_) | None => format!("preparing {tool}"),
    }
}

/// Seconds since then, once there are any: `12s`, `3m 05s`.
pub(super) fn elapsed(since: Option<Instant>, now: Option<Instant>) -> Option<String> {
    let passed: Duration = now?.saturating_duration_since(since?);
    match passed.as_secs() {
        0 => None,
        seconds @ 1..60 => Some(format!("{seconds}s")),
        seconds => Some(format!("{}m {:02}s", seconds / 60, seconds % 60)),
    }
}

/// About so many tokens: `340 tokens`, `1.2k tokens`.
fn tokens(count: usize) -> String {
    match count {
        1 => "1 token".to_owned(),
        0..1_000 => format!("{count} tokens"),
        1_000..10_000 => format!("{}.{}k tokens", count / 1_000, count % 1_000 / 100),
        _ => format!("{}k tokens", count / 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stage_says_what_is_done_and_how_much() {
        let start = Instant::now();
        let at = |seconds: u64| Some(start + Duration::from_secs(seconds));
        let mut progress = AnswerProgress::default();
        let told = |progress: &AnswerProgress, seconds: u64| {
            let (words, end) = progress.words(Mode::Plan, "anthropic/one", at(seconds));
            format!("{words} | {end} | {}", progress.counts(at(seconds)).join(" "))
        };
        progress.restart(at(0));
        assert_eq!(told(&progress, 0), "waiting for anthropic/one |  | ");
        assert_eq!(told(&progress, 7), "waiting for anthropic/one |  | 7s");
        progress.think(&format!("First this. {}And then the end", "x".repeat(4_000)));
        let (_, end) = progress.words(Mode::Plan, "", at(7));
        assert!(end.ends_with("And then the end") && end.len() <= MAX_THOUGHT_END_BYTES, "{end}");
        progress.speak("abcdefgh");
        assert_eq!(told(&progress, 65), "writing |  | 1m 05s 1.0k tokens");
        progress.call(&CalledTool::by_model("Write"), 40, 42);
        assert_eq!(told(&progress, 65), "writing the plan |  | 43 lines 1m 05s 1.0k tokens");
        progress.call(&CalledTool::by_model("Frobnicate"), 2, 0);
        assert_eq!(told(&progress, 600), "preparing Frobnicate |  | 10m 00s 1.0k tokens");
        progress.restart(at(600));
        assert_eq!(told(&progress, 601), "waiting for anthropic/one |  | 1s");
    }

    #[test]
    fn a_wait_counts_down_and_silence_is_named() {
        let start = Instant::now();
        let at = |seconds: u64| Some(start + Duration::from_secs(seconds));
        let told = |progress: &AnswerProgress, seconds: u64| {
            let (words, _) = progress.words(Mode::Plan, "anthropic/one", at(seconds));
            format!("{words} | {}", progress.counts(at(seconds)).join(" "))
        };
        let mut progress = AnswerProgress::default();
        progress.restart(at(0));
        progress.fall_silent(at(0));
        assert_eq!(told(&progress, 10), "waiting for anthropic/one | no answer yet 10s");
        let next = NextTry { why: "rate limited".into(), at: at(18), attempt: 2, attempts: 6 };
        progress.retry(next);
        assert_eq!(told(&progress, 12), "rate limited, next try in 6 s (2 of 6) | ");
        assert_eq!(told(&progress, 19), "rate limited, trying again (2 of 6) | ");
        progress.read(300, 1_200);
        assert_eq!(told(&progress, 20), "the model reads the prompt | 25 % 20s");
        progress.think("Let me see");
        assert_eq!(told(&progress, 21), "thinking | 21s 2 tokens");
        progress.fall_silent(at(21));
        assert_eq!(told(&progress, 31), "thinking | nothing new for 10s 31s 2 tokens");
        progress.speak("It is");
        assert_eq!(told(&progress, 32), "writing | 32s 3 tokens");
        progress.restart(at(40));
        progress.summarise(0);
        progress.fall_silent(at(40));
        assert_eq!(told(&progress, 50), "summarising the conversation | no answer yet 10s");
        progress.retry(NextTry { why: "rate limited".into(), at: at(56), attempt: 2, attempts: 6 });
        assert_eq!(told(&progress, 50), "rate limited, next try in 6 s (2 of 6) | ");
        progress.summarise(4_000);
        assert_eq!(told(&progress, 60), "summarising the conversation | 20s 1.0k tokens");
    }
}
