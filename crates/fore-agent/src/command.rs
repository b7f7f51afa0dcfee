//! What a front end tells a session. The same values, as JSON lines, are the input of the headless protocol.
//!
//! Nothing here runs a tool or talks to a model: a session decides what comes of a command.

use fore_plan::{Mode, approval::ExitResponse};

pub use fore_plan::gate::Reply;

use serde::{Deserialize, Serialize};

/// The reason of a change of mode that [`Command::CycleMode`] made.
pub const CYCLED: &str = "shift+tab";

/// One wish of the person, or of a host that speaks for one.
///
/// As JSON the field `command` names the kind: `{"command":"prompt","text":"Why is login slow?"}`. The answer to a
/// request for approval is a `plan:exit:response`, which has the field `event` instead ([`CommandLine`] reads both).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Command {
    /// Words for the model.
    Prompt {
        text: String,
        #[serde(default)]
        when: PromptTiming,
    },
    /// Stops what runs now, its processes included. An open question is answered no, a request for approval is taken
    /// back: planning goes on.
    Interrupt,
    /// Takes all prompts back that wait, so that they can be said otherwise ([`crate::Event::PromptsReturned`]). What runs
    /// goes on.
    TakeBack,
    /// Switches the mode by the person's own hand.
    Mode { to: Mode },
    /// The next stop of the mode cycle (Shift+Tab).
    CycleMode,
    /// Leaves plan mode for the level beneath it, without approving anything.
    LeavePlanMode,
    /// Answers a question about one call ([`crate::Event::Asked`]).
    Reply {
        question: QuestionId,
        #[serde(flatten)]
        reply: Reply,
    },
    /// Answers an `AskUserQuestion` form ([`crate::Event::FormAsked`]), one answer for each of its questions.
    FillForm { question: QuestionId, answers: Vec<FormAnswer> },
    /// Confirms or declines that the model enters plan mode ([`crate::Event::EnterPlanAsked`]).
    ConfirmPlanning { question: QuestionId, yes: bool },
    /// Answers a request for approval ([`crate::Event::ApprovalAsked`]).
    Approval(ExitResponse),
    /// Summarises the history now (`/compact`), with an optional wish what to keep.
    Compact {
        #[serde(default)]
        keep: String,
    },
    /// Takes the last prompt of the person back, with all that came of it, so that it can be said otherwise
    /// ([`crate::Event::Rewound`]). Only what the model sees goes back: mode, plans, approvals and files stay as they are.
    /// A turn that runs is interrupted first.
    Rewind,
    /// Empties what the model sees (`/clear`); the transcript stays on disk.
    Clear,
    /// Uses another model from now on, for one duty or for all.
    Model {
        name: String,
        #[serde(default)]
        duty: Option<DutyName>,
    },
    /// A command of the person's own (`!cmd`): not the agent's, so no plan gate; its output is shown and told to the model.
    Typed { line: String },
    /// Says whether the person trusts this folder.
    Trust { trusted: bool },
    /// Asks for the plan as it is ([`crate::Event::Plan`]).
    ShowPlan,
    /// The person changed the plan in an editor of theirs: this is its text now. It approves nothing.
    EditPlan { text: String },
    /// Nobody can answer any more: open questions are taken back, later ones are denied.
    Detach,
    /// Ends the session in good order.
    Close,
}

/// When a prompt that comes while the agent works is heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromptTiming {
    /// After the running turn has ended.
    #[default]
    Queue,
    /// As soon as the calls that run have ended, in the same turn.
    Steer,
}

/// Names one question; an answer to another one does not count.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QuestionId(pub String);

/// What was chosen for one question of a form: options by their label, and free text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FormAnswer {
    pub chosen: Vec<String>,
    pub text: String,
}

/// The duties that can have a model of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DutyName {
    Plan,
    Act,
    Small,
}

/// One line of the headless protocol: a command, or the host's `plan:exit:response`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum CommandLine {
    Response(ExitResponse),
    Command(Command),
}

impl Command {
    /// Whether it takes something back or stops something: these pass commands that wait because nobody reads the events.
    pub(crate) fn is_control(&self) -> bool {
        match self {
            Command::Interrupt
            | Command::Mode { .. }
            | Command::CycleMode
            | Command::LeavePlanMode
            | Command::Detach
            | Command::Close => true,
            Command::Prompt { .. }
            | Command::TakeBack
            | Command::Reply { .. }
            | Command::FillForm { .. }
            | Command::ConfirmPlanning { .. }
            | Command::Approval(_)
            | Command::Model { .. }
            | Command::Typed { .. }
            | Command::Trust { .. }
            | Command::ShowPlan
            | Command::EditPlan { .. }
            | Command::Compact { .. }
            | Command::Clear
            | Command::Rewind => false,
        }
    }
}

impl CommandLine {
    /// Reads one line. What cannot be read is an error with the reason, and never an answer.
    pub fn read(line: &str) -> Result<Command, String> {
        let value: serde_json::Value =
            serde_json::from_str(line).map_err(|error| format!("this line is no JSON: {error}"))?;
        if value.get("event").is_some() {
            let response = serde_json::from_value(value).map_err(|error| format!("no plan:exit:response: {error}"))?;
            return Ok(Command::Approval(response));
        }
        serde_json::from_value(value).map_err(|error| format!("no command: {error}"))
    }
}

impl From<DutyName> for fore_model::Duty {
    fn from(name: DutyName) -> fore_model::Duty {
        match name {
            DutyName::Plan => fore_model::Duty::Plan,
            DutyName::Act => fore_model::Duty::Act,
            DutyName::Small => fore_model::Duty::Small,
        }
    }
}
