//! What a front end tells a session. The same values, as JSON lines, are the input of the headless protocol.
//!
//! Nothing here runs a tool or talks to a model: a session decides what comes of a command.

use crate::{
    event::{McpWish, TeamWish},
    event_channel::EventSender,
};
use fore_plan::{Mode, approval::ExitResponse};

pub use fore_plan::gate::Reply;

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use tokio::sync::mpsc;

/// Commands that wait until a session takes them.
const MAX_WAITING: usize = 256;
/// Commands that others may overtake while nobody reads the events.
const MAX_HELD: usize = 64;

/// The one queue to a session. It can be written to before the session has begun.
pub fn command_queue() -> (CommandSender, CommandReceiver) {
    let (sender, receiver) = mpsc::channel(MAX_WAITING);
    (CommandSender(sender), CommandReceiver { receiver, held: VecDeque::new() })
}

/// The side that a front end has; clones write to the same queue.
#[derive(Clone, Debug)]
pub struct CommandSender(mpsc::Sender<Command>);

/// The side that a session has.
#[derive(Debug)]
pub struct CommandReceiver {
    receiver: mpsc::Receiver<Command>,
    /// What was overtaken by a command that stops something.
    held: VecDeque<Command>,
}

/// Why a command was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsent {
    /// It takes nothing at the moment.
    #[error("the session is busy")]
    Busy,
    /// It has ended.
    #[error("the session is over")]
    Over,
}

impl CommandSender {
    /// Sends a command, and waits for room where there is none; false when the session is over.
    pub async fn send(&self, command: Command) -> bool {
        self.0.send(command).await.is_ok()
    }

    /// Sends a command at once, or not at all.
    pub fn send_now(&self, command: Command) -> Result<(), Unsent> {
        self.0.try_send(command).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => Unsent::Busy,
            mpsc::error::TrySendError::Closed(_) => Unsent::Over,
        })
    }

    /// Whether a command waits that the session has not taken.
    pub fn is_waiting(&self) -> bool {
        self.0.capacity() < self.0.max_capacity()
    }
}

impl CommandReceiver {
    /// The next command; none when nobody can send one any more. While nobody reads the events, only what stops something is
    /// taken; the rest waits in its order. Nothing is lost when this is dropped.
    pub(crate) async fn next(&mut self, events: &EventSender) -> Option<Command> {
        loop {
            let held = self.held.len();
            if held > 0 && events.has_room_for_commands() {
                return self.held.pop_front();
            }
            tokio::select! {
                biased;
                command = self.receiver.recv(), if held < MAX_HELD => match command {
                    None => return self.held.pop_front(),
                    Some(command) if held == 0 && events.has_room_for_commands() => return Some(command),
                    Some(command) if command.is_control() && events.has_room_for_controls() => return Some(command),
                    Some(command) => self.held.push_back(command),
                },
                () = events.room_for_commands(), if held > 0 => {}
            }
        }
    }

    /// The next command that is there already.
    pub fn take(&mut self) -> Option<Command> {
        self.receiver.try_recv().ok()
    }
}

/// One wish of the person, or of a host that speaks for one.
///
/// As JSON the field `command` names the kind: `{"command":"prompt","text":"Why is login slow?"}`. The answer to a
/// request for approval is a `plan:exit:response`, which has the field `event` instead ([`CommandLine`] reads both).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum Command {
    /// Words for the model.
    Prompt {
        /// What the person wrote.
        text: String,
        /// When it is heard if the agent works.
        #[serde(default)]
        when: PromptTiming,
    },
    /// Runs a custom command or a skill of a name: `/git:commit fix`. It becomes a prompt, after the running turn.
    Custom {
        /// As the person typed it.
        line: String,
        /// What names no command is a prompt like any other.
        #[serde(default)]
        or_words: bool,
    },
    /// Pictures for the next prompt, which the model sees before its words.
    Attach { pictures: Vec<fore_model::Image> },
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
        /// The question it answers.
        question: QuestionId,
        /// Yes, no, or yes for the session.
        #[serde(flatten)]
        reply: Reply,
    },
    /// Answers an `AskUserQuestion` form ([`crate::Event::FormAsked`]), one answer for each of its questions.
    FillForm { question: QuestionId, answers: Vec<FormAnswer> },
    /// Confirms or declines that the model enters plan mode ([`crate::Event::EnterPlanAsked`]).
    ConfirmPlanning { question: QuestionId, yes: bool },
    /// Answers a request for approval ([`crate::Event::ApprovalAsked`]).
    Approval(ExitResponse),
    /// Asks what the plan that waits would cover with this text, or with these of its steps alone
    /// ([`crate::Event::ContractRead`]).
    ReadContract {
        text: String,
        #[serde(default)]
        steps: Option<Vec<u32>>,
        /// What the person would add, as they typed it: `src/cart.rs`, `$ cargo test`.
        #[serde(default)]
        added: Vec<String>,
    },
    /// Summarises the history now (`/compact`), with an optional wish what to keep.
    Compact {
        /// What the summary should not lose.
        #[serde(default)]
        keep: String,
    },
    /// Takes the last prompt of the person back, with all that came of it, so that it can be said otherwise
    /// ([`crate::Event::Rewound`]). Only what the model sees goes back: mode, plans, approvals and files stay as they are.
    /// A turn that runs is interrupted first.
    Rewind,
    /// Takes back what the agent changed in its newest turns that changed something: shown first ([`crate::Event::UndoShown`]), and
    /// done once the person has said so in a form ([`crate::Event::Undone`]). Refused while planning.
    Undo {
        /// How many turns.
        #[serde(default = "one")]
        turns: usize,
    },
    /// Brings back what was undone last, in the same way.
    Redo,
    /// Asks how far to go back, and whether with words, files or both (`/rewind`).
    GoBack,
    /// Empties what the model sees (`/clear`); the transcript stays on disk.
    Clear,
    /// Uses another model from now on, for one duty or for all.
    Model {
        /// The model, as people write it.
        name: String,
        /// The duty it gets; all where none is named.
        #[serde(default)]
        duty: Option<DutyName>,
    },
    /// A command of the person's own (`!cmd`): not the agent's, so no plan gate; its output is shown and told to the model.
    Typed { line: String },
    /// Reads the settings again, now ([`crate::Event::SettingsRead`]).
    ReloadSettings,
    /// Says whether the person trusts this folder.
    Trust { trusted: bool },
    /// Asks for the plan as it is ([`crate::Event::Plan`]).
    ShowPlan,
    /// Lists the hooks there are, and those that ran ([`crate::Event::Hooks`]).
    Hooks,
    /// Asks what became of the plan so far ([`crate::Event::Report`]).
    Report,
    /// Asks what was spent, by turn, session, day and plan ([`crate::Event::Spending`]).
    Spending,
    /// Asks what the gate would say to a command now, and why ([`crate::Event::PermissionTested`]); nothing is run.
    TestPermission {
        /// As the model would run it.
        line: String,
    },
    /// Takes a yes for the session back: what it covered is asked about again ([`crate::Event::Forgotten`]).
    Forget {
        /// In the words of [`crate::Event::Allowed`], or how commands begin.
        what: String,
    },
    /// Lists the commands that run in the background ([`crate::Event::Background`]), after the one with this id was stopped.
    Background {
        #[serde(default)]
        stop: Option<String>,
    },
    /// Asks about MCP servers, or does something with one ([`crate::Event::McpServers`]).
    Mcp {
        #[serde(flatten)]
        wish: McpWish,
    },
    /// Asks about the team, or does something with a member of it ([`crate::Event::Team`]).
    Team {
        #[serde(flatten)]
        wish: TeamWish,
    },
    /// The person changed the plan in an editor of theirs: this is its text now. It approves nothing.
    EditPlan { text: String },
    /// Nobody can answer any more: open questions are taken back, later ones are denied.
    Detach,
    /// Ends the session in good order.
    Close,
}

fn one() -> usize {
    1
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
    /// The labels of the options that were taken.
    pub chosen: Vec<String>,
    /// Words of the person's own.
    pub text: String,
}

/// The duties that can have a model of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DutyName {
    /// To think and write the plan.
    Plan,
    /// To carry it out.
    Act,
    /// To explore, summarise and classify.
    Small,
}

/// One line of the headless protocol: a command, or the host's `plan:exit:response`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum CommandLine {
    /// An answer to a request for approval.
    Response(ExitResponse),
    /// Anything else.
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
            | Command::Custom { .. }
            | Command::Attach { .. }
            | Command::TakeBack
            | Command::Reply { .. }
            | Command::FillForm { .. }
            | Command::ConfirmPlanning { .. }
            | Command::Approval(_)
            | Command::ReadContract { .. }
            | Command::Model { .. }
            | Command::Typed { .. }
            | Command::ReloadSettings
            | Command::Trust { .. }
            | Command::ShowPlan
            | Command::Hooks
            | Command::Report
            | Command::Spending
            | Command::TestPermission { .. }
            | Command::Forget { .. }
            | Command::Background { .. }
            | Command::Mcp { .. }
            | Command::Team { .. }
            | Command::EditPlan { .. }
            | Command::Compact { .. }
            | Command::Clear
            | Command::Rewind
            | Command::Undo { .. }
            | Command::Redo
            | Command::GoBack => false,
        }
    }
}

impl CommandLine {
    /// Reads one line. What cannot be read is an error with the reason, and never an answer.
    pub fn read(line: &str) -> Result<Command, String> {
        let value: serde_json::Value =
            serde_json::from_str(line).map_err(|error| format!("this line is not JSON: {error}"))?;
        if value.get("event").is_some() {
            let response =
                serde_json::from_value(value).map_err(|error| format!("not a plan:exit:response: {error}"))?;
            return Ok(Command::Approval(response));
        }
        serde_json::from_value(value).map_err(|error| format!("not a command: {error}"))
    }
}

impl DutyName {
    /// The word for it; nothing said means all of them.
    pub fn word(duty: Option<DutyName>) -> &'static str {
        match duty {
            None => "all",
            Some(DutyName::Plan) => "plan",
            Some(DutyName::Act) => "act",
            Some(DutyName::Small) => "small",
        }
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
