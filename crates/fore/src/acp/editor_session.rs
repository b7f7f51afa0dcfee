//! One session of a client: what it asks goes to the session as commands, what the session tells goes back as updates. A single
//! loop, so that nothing here is shared.

mod choosing;
mod plan_approval;
mod prompting;
mod questions;

use super::{
    client::EditorClient,
    config_options::{SessionChoices, ThinkingChoice},
    pipes::UpdateQueue,
    updates::{UpdateMaker, available},
};
use crate::{headless::reread::SharedSettings, settings::AcpApproval};
use agent_client_protocol::{
    Client, Error,
    v1::{
        ConnectionTo, Responder,
        schema::{
            CloseSessionResponse, ConfigOptionUpdate, ContentBlock, ElicitationContentValue, PermissionOptionId,
            PromptResponse, SessionId, SessionModeId, SessionNotification, SessionUpdate,
            SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeResponse, StopReason,
        },
    },
};
pub(super) use choosing::open_modes;
use choosing::{ChoiceWaiter, WantedChoice};
use fore_agent::{CallId, Command, CommandSender, Event, Handle, NoticeLevel, SessionStarted};
use fore_plan::{CalledTool, ModeEvent, Openings, ToolName};
use plan_approval::PlanAtClient;
use prompting::RunningPrompt;
use questions::ClientQuestion;
use std::{
    collections::{BTreeMap, HashMap},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::mpsc;

/// Requests and answers that wait for a session before the client has to.
pub(super) const MAX_MAIL: usize = 64;

/// What comes from the client.
#[derive(Debug)]
pub(super) enum SessionMail {
    Prompt {
        blocks: Vec<ContentBlock>,
        responder: Responder<PromptResponse>,
    },
    Cancel,
    Mode {
        mode: SessionModeId,
        responder: Responder<SetSessionModeResponse>,
    },
    Option {
        request: Box<SetSessionConfigOptionRequest>,
        responder: Responder<SetSessionConfigOptionResponse>,
    },
    Close {
        responder: Responder<CloseSessionResponse>,
    },
    /// An answer to a question of ours.
    Answer {
        number: u64,
        said: ClientAnswer,
    },
    /// The client has gone, or the program ends.
    End,
}

/// What a client said to a question.
#[derive(Debug)]
pub(super) enum ClientAnswer {
    Chose(PermissionOptionId),
    Filled(BTreeMap<String, ElicitationContentValue>),
    /// The form was declined, or put away.
    NotFilled,
    /// The question was put away.
    Cancelled,
    /// There was no answer, for this reason.
    Nothing(String),
}

/// What a session of a client begins with.
pub(super) struct EditorSessionStart {
    pub(super) id: SessionId,
    pub(super) handle: Handle,
    pub(super) connection: ConnectionTo<Client>,
    pub(super) queue: Arc<UpdateQueue>,
    pub(super) mail: (mpsc::Sender<SessionMail>, mpsc::Receiver<SessionMail>),
    pub(super) client: Arc<EditorClient>,
    pub(super) settings: SharedSettings,
    pub(super) openings: Openings,
    pub(super) choices: SessionChoices,
    pub(super) thinking: Arc<Mutex<ThinkingChoice>>,
    pub(super) updates: UpdateMaker,
    pub(super) folder: PathBuf,
}

/// A session that runs.
pub(super) struct EditorSession {
    id: SessionId,
    handle: Handle,
    commands: CommandSender,
    connection: ConnectionTo<Client>,
    queue: Arc<UpdateQueue>,
    mail: mpsc::Sender<SessionMail>,
    inbox: mpsc::Receiver<SessionMail>,
    client: Arc<EditorClient>,
    settings: SharedSettings,
    openings: Openings,
    choices: SessionChoices,
    thinking: Arc<Mutex<ThinkingChoice>>,
    updates: UpdateMaker,
    folder: PathBuf,
    project: PathBuf,
    prompt: Option<RunningPrompt>,
    questions: HashMap<u64, ClientQuestion>,
    asked: u64,
    plans: Vec<PlanAtClient>,
    waiters: Vec<ChoiceWaiter>,
    /// The call that hands the plan in.
    exit_call: Option<CallId>,
    works: bool,
    closing: Vec<Responder<CloseSessionResponse>>,
    is_over: bool,
}

impl EditorSession {
    pub(super) fn new(start: EditorSessionStart, project: PathBuf) -> EditorSession {
        let (mail, inbox) = start.mail;
        EditorSession {
            commands: start.handle.sender(),
            id: start.id,
            handle: start.handle,
            connection: start.connection,
            queue: start.queue,
            mail,
            inbox,
            client: start.client,
            settings: start.settings,
            openings: start.openings,
            choices: start.choices,
            thinking: start.thinking,
            updates: start.updates,
            folder: start.folder,
            project,
            prompt: None,
            questions: HashMap::new(),
            asked: 0,
            plans: Vec::new(),
            waiters: Vec::new(),
            exit_call: None,
            works: false,
            closing: Vec::new(),
            is_over: false,
        }
    }

    /// Plays it to its end. What the client should know at once is told first.
    pub(super) async fn run(mut self, started: SessionStarted, notices: Vec<String>) {
        self.tell(available(&started.commands));
        for notice in notices {
            self.notice(NoticeLevel::Warning, &notice);
        }
        loop {
            tokio::select! {
                event = next_event(&mut self.handle, &self.queue, self.is_over) => match event {
                    None | Some(Event::Closed) => break,
                    Some(event) => self.heard(event),
                },
                mail = self.inbox.recv() => match mail {
                    Some(mail) => self.received(mail),
                    None => break,
                }
            }
        }
        for (_, question) in self.questions.drain() {
            question.take_back();
        }
        if let Some(prompt) = self.prompt.take() {
            let _ = prompt.responder.respond(PromptResponse::new(StopReason::Cancelled));
        }
        // It has saved everything and let go of its files before anybody is told that it is closed.
        self.handle.ended().await;
        for responder in self.closing {
            let _ = responder.respond(CloseSessionResponse::new());
        }
    }

    fn received(&mut self, mail: SessionMail) {
        match mail {
            SessionMail::Prompt { blocks, responder } => self.prompted(blocks, responder),
            SessionMail::Cancel => self.cancelled(),
            SessionMail::Mode { mode, responder } => self.choose_mode(&mode.0, responder),
            SessionMail::Option { request, responder } => self.choose(&request, responder),
            SessionMail::Answer { number, said } => self.answered(number, said),
            SessionMail::Close { responder } => {
                self.closing.push(responder);
                self.end();
            }
            SessionMail::End => self.end(),
        }
    }

    fn end(&mut self) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.send(Command::Close);
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other events are shown or do not matter to an editor")]
    fn heard(&mut self, event: Event) {
        for update in self.updates.updates(&event) {
            self.tell(update);
        }
        match &event {
            Event::ModeChanged(ModeEvent { to, .. }) => {
                self.choices.mode = *to;
                self.choices_changed();
            }
            Event::ModelChanged { model, duty } => self.model_changed(&model.to_string(), *duty),
            Event::SettingsRead { trusted, problem: None, .. } => {
                self.openings.folder_trusted = *trusted;
                self.choices.modes = choosing::open_modes(self.openings);
                self.choices_changed();
            }
            Event::ModeRefused { to, why } => self.refuse_choice(&WantedChoice::Mode(*to), why),
            Event::ModelRefused { name, why } => self.refuse_choice(&WantedChoice::Model(name.clone()), why),
            Event::ToolStarted { call, tool: CalledTool::Known(ToolName::ExitPlanMode), agent: None, .. } => {
                self.exit_call = Some(call.clone());
            }
            Event::Asked(request) => self.ask_permission(request),
            Event::FormAsked { question, form } => self.ask_form(question.clone(), form.clone()),
            Event::EnterPlanAsked { question } => self.ask_to_plan(question.clone()),
            Event::QuestionClosed { question } => self.close_question(question),
            Event::ApprovalAsked(asked) => self.plan_waits(asked.clone()),
            Event::ContractRead { plan_hash, steps, contract, contract_hash, added } => {
                self.terms_read((*plan_hash, steps.as_deref()), (contract, *contract_hash), added);
            }
            Event::Decided(outcome) => self.plan_decided(outcome),
            Event::McpVouchShown(shown) => self.ask_to_vouch(shown.clone()),
            Event::TurnStarted => self.works = true,
            Event::TurnEnded { .. } => self.works = false,
            _ => {}
        }
        self.prompt_heard(&event);
    }

    /// An update for the client. Of a session that ends only what finds room is told.
    fn tell(&self, update: SessionUpdate) {
        if self.is_over && !self.queue.has_room() {
            return;
        }
        self.queue.sent();
        // A connection that has gone is noticed elsewhere.
        let _ = self.connection.send_notification(SessionNotification::new(self.id.clone(), update));
    }

    fn notice(&self, level: NoticeLevel, text: &str) {
        self.tell(self.updates.notice(level, text));
    }

    fn say(&self, text: &str) {
        self.tell(super::updates::message(text));
    }

    /// Sends a command. The queue is longer than what a client can cause; one that is full is said.
    fn send(&self, command: Command) {
        if let Err(why) = self.commands.send_now(command) {
            self.notice(NoticeLevel::Error, &format!("Nothing was sent: {why}."));
        }
    }

    /// All options, as they are now.
    fn choices_changed(&mut self) {
        self.tell(SessionUpdate::ConfigOptionUpdate(ConfigOptionUpdate::new(self.choices.options())));
        self.settle_choices();
    }

    /// What a yes to a plan is worth, by the settings as they were read last.
    fn approval(&self) -> AcpApproval {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).written.acp.approval
    }
}

/// The next event, once the client has read enough; the end waits for nobody.
async fn next_event(handle: &mut Handle, queue: &UpdateQueue, is_over: bool) -> Option<Event> {
    if !is_over {
        queue.room().await;
    }
    handle.next().await
}

/// A request that is not right, in words.
pub(super) fn wrong(words: impl Into<String>) -> Error {
    let code = Error::invalid_params().code;
    Error::new(code, fore_text::prose(&words.into()).into_owned())
}
