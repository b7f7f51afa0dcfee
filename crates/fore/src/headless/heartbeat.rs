//! Says what goes on when nothing was printed for a while, to somebody who watches a run in words.

use fore_agent::Event;
use fore_plan::{CalledTool, Mode};
use std::time::{Duration, Instant};

/// So long nothing is printed before it is said what goes on.
const SILENT: Duration = Duration::from_secs(5);

/// What a run does, and since when.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    stage: RunStage,
    since: Instant,
    /// When a line was printed last, as far as that is known here.
    told: Instant,
    mode: Mode,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RunStage {
    Idle,
    Waiting,
    Retrying,
    Reading {
        percent: u64,
    },
    Thinking,
    Writing,
    Calling {
        tool: CalledTool,
        lines: usize,
    },
    Running {
        tool: CalledTool,
        line: String,
    },
    Summarising,
    /// Somebody has a question of the session before them.
    Asking,
}

impl Heartbeat {
    pub(crate) fn new(now: Instant) -> Heartbeat {
        Heartbeat { stage: RunStage::Idle, since: now, told: now, mode: Mode::Plan }
    }

    /// An event came, which may print a line itself.
    pub(crate) fn heard(&mut self, event: &Event, now: Instant) {
        match event {
            Event::Started(started) => self.mode = started.mode,
            Event::ModeChanged(change) => self.mode = change.to,
            // These are told by themselves.
            Event::ToolFinished { .. } | Event::Retrying { .. } | Event::Silent { .. } => self.told = now,
            _ => {}
        }
        let stage = match event {
            Event::TurnStarted | Event::SummaryEnded | Event::QuestionClosed { .. } | Event::Decided(_) => {
                RunStage::Waiting
            }
            Event::Asked(_) | Event::FormAsked { .. } | Event::EnterPlanAsked { .. } | Event::ApprovalAsked(_) => {
                RunStage::Asking
            }
            Event::ToolFinished { agent: None, .. } => RunStage::Waiting,
            Event::Retrying { agent: None, .. } => RunStage::Retrying,
            Event::PromptRead { agent: None, read, total, .. } => {
                RunStage::Reading { percent: read.min(total).saturating_mul(100) / total.max(&1) }
            }
            Event::Reasoning { agent: None, .. } => RunStage::Thinking,
            Event::Text { agent: None, .. } => RunStage::Writing,
            Event::CallGrowing { agent: None, tool, lines, .. } => {
                RunStage::Calling { tool: tool.clone(), lines: *lines }
            }
            Event::ToolStarted { agent: None, tool, line, .. } => {
                RunStage::Running { tool: tool.clone(), line: line.clone() }
            }
            Event::SummaryStarted | Event::SummaryGrowing { .. } => RunStage::Summarising,
            Event::TurnEnded { .. } | Event::Closed => RunStage::Idle,
            _ => return,
        };
        let is_same = std::mem::discriminant(&stage) == std::mem::discriminant(&self.stage);
        self.stage = stage;
        if !is_same {
            self.since = now;
        }
    }

    /// A line, if nothing was told for long.
    pub(crate) fn due(&mut self, now: Instant) -> Option<String> {
        if now.saturating_duration_since(self.told) < SILENT {
            return None;
        }
        let words = match &self.stage {
            RunStage::Idle => return None,
            RunStage::Waiting => "waiting for the model".to_owned(),
            RunStage::Retrying => "waiting for the next try".to_owned(),
            RunStage::Reading { percent } => format!("the model reads the prompt, {percent} %"),
            RunStage::Thinking => "thinking".to_owned(),
            RunStage::Writing => "writing".to_owned(),
            RunStage::Calling { tool, lines: 0 } => fore_tui::writing(tool, self.mode),
            RunStage::Calling { tool, lines } => {
                let lines = fore_text::count(lines.saturating_add(1), "line");
                format!("{}, {lines}", fore_tui::writing(tool, self.mode))
            }
            RunStage::Running { tool, line } => format!("running {tool} {line}"),
            RunStage::Summarising => "summarising the conversation".to_owned(),
            RunStage::Asking => "waiting for an answer to the question above".to_owned(),
        };
        self.told = now;
        Some(format!("{words} ({}s)", now.saturating_duration_since(self.since).as_secs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_agent::{CallId, QuestionId, TurnOutcome};

    #[test]
    fn after_a_while_of_silence_it_is_said_what_goes_on_and_not_more_often() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut beat = Heartbeat::new(start);
        assert_eq!(beat.due(at(60)), None, "nothing goes on");
        beat.heard(&Event::TurnStarted, at(60));
        assert_eq!(beat.due(at(66)).as_deref(), Some("waiting for the model (6s)"));
        assert_eq!(beat.due(at(67)), None);
        let growing = |lines| Event::CallGrowing {
            agent: None,
            model: serde_json::from_str("\"scripted/one\"").unwrap(),
            tool: CalledTool::by_model("Write"),
            bytes: 10,
            lines,
        };
        let model = || serde_json::from_str("\"scripted/one\"").unwrap();
        let (why, wait_ms, attempt, attempts) = ("rate limited".to_owned(), 6_000, 2, 6);
        let limited = Event::Retrying { agent: None, model: model(), why, wait_ms, attempt, attempts };
        beat.heard(&limited, at(67));
        assert_eq!(beat.due(at(68)), None, "it is told by itself");
        beat.heard(&growing(0), at(68));
        beat.heard(&growing(42), at(70));
        assert_eq!(beat.due(at(73)).as_deref(), Some("writing the plan, 43 lines (5s)"));
        let call = CallId("call-1".into());
        let (tool, line) = (CalledTool::by_model("Bash"), "cargo test".to_owned());
        beat.heard(&Event::ToolStarted { agent: None, call, tool, line, cage: None }, at(74));
        assert_eq!(beat.due(at(92)).as_deref(), Some("running Bash cargo test (18s)"));
        let asked = Event::EnterPlanAsked { question: QuestionId("q1".into()) };
        beat.heard(&asked, at(92));
        assert_eq!(beat.due(at(97)).as_deref(), Some("waiting for an answer to the question above (5s)"));
        beat.heard(&Event::QuestionClosed { question: QuestionId("q1".into()) }, at(98));
        beat.heard(&Event::SummaryStarted, at(98));
        beat.heard(&Event::SummaryGrowing { bytes: 10 }, at(99));
        assert_eq!(beat.due(at(103)).as_deref(), Some("summarising the conversation (5s)"));
        beat.heard(&Event::TurnEnded { outcome: TurnOutcome::Done }, at(104));
        assert_eq!(beat.due(at(120)), None);
    }
}
