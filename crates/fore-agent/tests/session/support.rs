//! Starts sessions against a scripted model and writes down what happens, one line for each event.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need")]

use fore_agent::{
    ApprovalAsked, ApprovalOutcome, Begin, CallOutcome, Command, Event, Handle, Launch, ModelHandle, ModelHandles,
    QuestionId, RemoteModel, SessionSettings, SessionStarted, TurnOutcome,
};
use fore_model::{Client, ClientLimits, ProviderSettings, Secret, choose, parse_name};
use fore_plan::{
    Mode, Openings,
    approval::{Comment, ExitResponse, Reachable},
};
use fore_store::{Home, SessionId};
use fore_testkit::{ModelScript, Server, WireProtocol};
use std::{path::PathBuf, sync::Arc, time::Duration};

/// Ten times what the slowest test needs, and more.
const MAX_SILENCE: Duration = Duration::from_secs(60);

/// A place to work in, and a model that follows a script.
pub(crate) struct Stage {
    _folder: tempfile::TempDir,
    pub(crate) project: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) server: Server,
    protocol: WireProtocol,
}

/// A running session and what it said so far.
pub(crate) struct Show {
    handle: Handle,
    pub(crate) lines: Vec<String>,
    /// All of it, as a screen gets it.
    pub(crate) events: Vec<Event>,
    pub(crate) session: Option<SessionId>,
    pub(crate) started: Option<SessionStarted>,
    /// The mode as a screen would show it.
    pub(crate) mode: Option<Mode>,
    pub(crate) last_request: Option<String>,
    pub(crate) last_asked: Option<ApprovalAsked>,
    pub(crate) last_question: Option<QuestionId>,
    /// What a yes for the session would cover, as the last question said.
    pub(crate) for_session: Option<String>,
}

impl Stage {
    pub(crate) fn new(script: ModelScript) -> Stage {
        Stage::over(WireProtocol::Anthropic, script)
    }

    /// With a model that speaks this protocol.
    pub(crate) fn over(protocol: WireProtocol, script: ModelScript) -> Stage {
        let folder = tempfile::Builder::new().prefix("fore-session-").tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (project, home) = (top.join("shop"), top.join("home"));
        std::fs::create_dir_all(project.join(".git")).unwrap();
        std::fs::create_dir(&home).unwrap();
        Stage { _folder: folder, project, home, server: Server::start_blocking(script).unwrap(), protocol }
    }

    /// In the same place, after everything was asked for, with a model that follows another script.
    pub(crate) fn then(mut self, script: ModelScript) -> Stage {
        let server = std::mem::replace(&mut self.server, Server::start_blocking(script).unwrap());
        server.finish().unwrap();
        self
    }

    /// A file of the project.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.project.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn models(&self) -> ModelHandles {
        let (name, protocol) = match self.protocol {
            WireProtocol::Anthropic => ("anthropic/scripted", fore_model::Protocol::AnthropicMessages),
            WireProtocol::Responses => ("openai/scripted", fore_model::Protocol::OpenAiResponses),
            WireProtocol::Chat => ("openai/scripted", fore_model::Protocol::ChatCompletions),
            WireProtocol::Gemini => ("google/scripted", fore_model::Protocol::Gemini),
        };
        let settings = ProviderSettings {
            base_url: Some(self.server.url(self.protocol)),
            protocol: Some(protocol),
            key: Some((Secret::new("key"), fore_model::KeySource::Settings)),
            ..ProviderSettings::default()
        };
        let name = parse_name(name).unwrap();
        let chosen = choose(&name, &settings, &|_| None).unwrap();
        let client = Client::new(ClientLimits::default(), None).unwrap();
        ModelHandles::one(ModelHandle::Remote(Box::new(RemoteModel { client, chosen })))
    }

    pub(crate) fn launch(&self, begin: Begin, reachable: Reachable) -> Launch {
        Launch {
            folder: self.project.clone(),
            home: Arc::new(Home::open(&self.home.join(".forethought")).unwrap()),
            user_home: Some(self.home.clone()),
            begin,
            openings: Openings { bypass_permitted: true, ..Openings::TRUSTED },
            reachable,
            via: "test".into(),
            settings: SessionSettings::new(cages()),
            unsaved: None,
            settings_reader: None,
            catalogue: &fore_commands::CATALOGUE,
            models: self.models(),
        }
    }

    pub(crate) async fn start(&self, mode: &str) -> Show {
        let mode: Mode = mode.parse().unwrap();
        self.go(self.launch(Begin::Fresh { mode }, Reachable::Approver)).await
    }

    pub(crate) async fn go(&self, launch: Launch) -> Show {
        Show::of(fore_agent::start(launch).await.unwrap())
    }
}

impl Show {
    pub(crate) fn of(handle: Handle) -> Show {
        Show {
            handle,
            lines: Vec::new(),
            events: Vec::new(),
            session: None,
            started: None,
            mode: None,
            last_request: None,
            last_asked: None,
            last_question: None,
            for_session: None,
        }
    }
}

/// With the program that sets cages up, which is built beside the tests.
pub(crate) fn cages() -> fore_sandbox::CageSettings {
    let setup = Some(fore_testkit::cage_setup().to_owned());
    let usual = fore_sandbox::CageSettings::new(std::env::home_dir(), |name| std::env::var_os(name));
    fore_sandbox::CageSettings { setup, ..usual }
}

impl Show {
    pub(crate) async fn send(&mut self, command: Command) {
        assert!(self.handle.send(command).await, "the session is over");
    }

    pub(crate) async fn prompt(&mut self, text: &str) {
        self.send(Command::Prompt { text: text.into(), when: Default::default() }).await;
    }

    /// The next event, noted. A session that says nothing for a minute fails the test.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let event = tokio::time::timeout(MAX_SILENCE, self.handle.next()).await;
        let event = event.unwrap_or_else(|_| panic!("silent for a minute after {:#?}", self.lines))?;
        match &event {
            Event::ApprovalAsked(asked) => {
                self.last_request = Some(asked.request.agent_id.clone());
                self.last_asked = Some(asked.clone());
            }
            Event::Asked(asked) => {
                self.for_session = asked.for_session.clone();
                self.last_question = Some(asked.question.clone());
            }
            Event::EnterPlanAsked { question } => self.last_question = Some(question.clone()),
            Event::Started(started) => {
                self.session = Some(started.session);
                self.started = Some(started.clone());
                self.mode = Some(started.mode);
            }
            Event::ModeChanged(change) => self.mode = Some(change.to),
            _ => {}
        }
        self.lines.extend(line(&event));
        self.events.push(event.clone());
        Some(event)
    }

    /// Notes events until one line starts with this.
    pub(crate) async fn until(&mut self, start: &str) -> String {
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("no {start:?} in {:#?}", self.lines));
            match line(&event) {
                Some(line) if line.starts_with(start) => return line,
                _ => {}
            }
        }
    }

    pub(crate) async fn answer(&mut self, selected: &str) {
        self.answer_with(selected, "", Vec::new(), None).await;
    }

    pub(crate) async fn answer_with(
        &mut self,
        selected: &str,
        reason: &str,
        comments: Vec<Comment>,
        plan: Option<&str>,
    ) {
        let agent_id = self.last_request.clone().unwrap();
        let (selected, reason, plan) = (selected.into(), reason.into(), plan.map(str::to_owned));
        self.send(Command::Approval(ExitResponse {
            contract_hash: None,
            grants: Default::default(),
            through: None,
            agent_id,
            selected,
            reason,
            comments,
            plan,
            steps: None,
        }))
        .await;
    }

    /// The file of the plan that was shown last.
    pub(crate) fn plan_file(&self) -> PathBuf {
        PathBuf::from(&self.last_asked.as_ref().unwrap().request.plan_file_path)
    }

    pub(crate) async fn close(mut self) -> Vec<String> {
        self.send(Command::Close).await;
        self.until("closed").await;
        let lines = std::mem::take(&mut self.lines);
        self.handle.ended().await;
        lines
    }
}

pub(crate) fn line(event: &Event) -> Option<String> {
    Some(match event {
        Event::Started(started) => format!("started in {}", started.mode),
        Event::ModeChanged(change) => format!("mode {} → {} by {}", change.from, change.to, change.by),
        Event::PromptTaken { text } => format!("person: {text}"),
        Event::PromptQueued { text, .. } => format!("queued: {text}"),
        Event::PromptsReturned { texts } => format!("returned: {}", texts.join(", ")),
        Event::Said { agent: None, text, .. } => format!("model: {text}"),
        Event::Said { agent: Some(agent), text, .. } => format!("{}: {text}", agent.0),
        Event::ToolStarted { tool, .. } => format!("call {tool}"),
        Event::ToolFinished { tool, outcome, .. } => match outcome {
            CallOutcome::Done => format!("done {tool}"),
            CallOutcome::Failed => format!("failed {tool}"),
            CallOutcome::Refused { refusal } => format!("refused {tool}: {}", refusal.code.name()),
            CallOutcome::Interrupted => format!("interrupted {tool}"),
        },
        Event::Asked(asked) => format!("asks: {}", asked.tool),
        Event::Allowed { what } => format!("not asked again: {what}"),
        Event::AutoVerdict { tool, allowed, reason, .. } => {
            format!("auto mode {} {tool}: {reason}", if *allowed { "allowed" } else { "blocked" })
        }
        Event::FormAsked { .. } => "form".into(),
        Event::EnterPlanAsked { .. } => "asks to plan".into(),
        Event::ApprovalAsked(asked) => format!("approval of revision {}", asked.request.revision),
        Event::Decided(decided) => match decided {
            ApprovalOutcome::Approved { receipt, .. } => format!("approved at {}", receipt.level),
            ApprovalOutcome::KeepPlanning { reason, .. } => format!("keep planning: {reason}"),
            ApprovalOutcome::Saved { .. } => "saved".into(),
            ApprovalOutcome::Left { level } => format!("left to {level}"),
            ApprovalOutcome::Discarded => "discarded".into(),
            ApprovalOutcome::NotCounted { why } => format!("not counted: {why}"),
            ApprovalOutcome::Awaits { .. } => "awaits".into(),
        },
        Event::Plan { changed, .. } => format!("plan, changed: {changed}"),
        Event::PlanImplement { .. } => "plan:implement".into(),
        Event::Rewound { text } => format!("taken back: {text}"),
        Event::SummaryStarted => "summarising".into(),
        Event::SummaryGrowing { .. } => return None,
        Event::SummaryEnded => "summarising is over".into(),
        Event::ContextCut { why } => format!("context {}", why.word()),
        Event::Notice { text, .. } if text.starts_with("The kernel") => return None,
        Event::Notice { text, .. } => format!("notice: {text}"),
        Event::TurnEnded { outcome } => match outcome {
            TurnOutcome::Done => "ended".into(),
            other => format!("ended {other:?}").split([' ', '{']).take(2).collect::<Vec<_>>().join(" "),
        },
        Event::Closed => "closed".into(),
        _ => return None,
    })
}
