//! The whole terminal without its I/O: events and keys in, acts and lines out.

mod any;
mod away;
mod bounds;
mod bursts;
mod dialogs;
mod hostile;
mod leaving;
mod messages;
mod plans;
mod sessions;
mod status;
mod waiting;

use super::*;
use crate::{
    dialogs::test_support::{THEME, key, text_of},
    keys::Keymap,
};
use fore_agent::{
    ApprovalAsked, ApprovalOutcome, CallId, CallOutcome, Command, CommandReceiver, ContextUse, Event, Form, FormOption,
    FormQuestion, PermissionRequest, Proof, QuestionId, SessionStarted, ShownCall, StartedModels, TurnOutcome,
    command_queue,
};
use fore_plan::{
    Actor, Applied, Cage, Change, Level, Mode, ModeChanger, ModeEvent, ModeReason, Openings, Outside,
    SessionRole as Part, State,
    approval::{ExitRequest, offers},
    plan::Hash,
};
use std::time::Duration;

/// Longer than anybody types without a pause.
const A_WHILE: Duration = Duration::from_secs(3);
/// Between two keys of somebody who types.
const A_MOMENT: Duration = Duration::from_millis(120);

/// The terminal, the person in front of it, and a clock that stands still unless it is told.
pub(crate) struct TestApp {
    pub(crate) app: App,
    /// What was sent to the session.
    commands: CommandReceiver,
    now: Instant,
}

impl TestApp {
    /// Nothing has begun.
    pub(crate) fn empty() -> TestApp {
        let mut app = App::new(AppSetup {
            theme: THEME,
            keymap: Keymap::default(),
            history: vec!["an earlier prompt".into()],
            files: FileSource::new("/projects/nowhere"),
            editor: Some("vi".into()),
        });
        let (sender, commands) = command_queue();
        app.commands = Some(sender);
        TestApp { app, commands, now: Instant::now() }
    }

    /// Another session begins.
    pub(crate) fn beginning(&mut self) -> &mut TestApp {
        let (sender, commands) = command_queue();
        self.commands = commands;
        self.app.beginning(sender);
        self
    }

    /// What was sent to the session since the last time.
    pub(crate) fn sent(&mut self) -> Vec<Command> {
        std::iter::from_fn(|| self.commands.take()).collect()
    }

    /// A session waits for a prompt.
    pub(crate) fn new() -> TestApp {
        let mut test = TestApp::empty();
        test.event(started(Mode::At(Level::Default)));
        test.acts();
        test
    }

    /// The agent is at work.
    pub(crate) fn working() -> TestApp {
        let mut test = TestApp::new();
        test.event(Event::TurnStarted);
        test
    }

    pub(crate) fn wait(&mut self, time: Duration) -> &mut TestApp {
        self.now += time;
        self.app.tick(self.now);
        self.app.view(80, 24);
        self
    }

    /// Something happened; the person has seen it when they press the next key.
    pub(crate) fn event(&mut self, event: Event) -> &mut TestApp {
        self.sudden(event);
        if self.app.dialogs.is_settling() {
            self.wait(dialog_queue::SETTLES);
        }
        self
    }

    /// Something happened this very moment.
    pub(crate) fn sudden(&mut self, event: Event) -> &mut TestApp {
        self.app.event(&event, self.now);
        self.app.view(80, 24);
        self
    }

    pub(crate) fn told(&mut self, told: HostReply) -> &mut TestApp {
        self.app.host_reply(told, self.now);
        self.app.view(80, 24);
        self
    }

    /// Keys by name, a moment apart; a word in single quotes is typed, `_` for a blank. The screen is drawn after each.
    pub(crate) fn keys(&mut self, keys: &str) -> &mut TestApp {
        for word in keys.split_whitespace() {
            let typed = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\''));
            let names = match typed {
                Some(typed) => typed.chars().map(|letter| if letter == '_' { ' ' } else { letter }.into()).collect(),
                None => vec![word.to_owned()],
            };
            for name in names {
                let key = if name == " " { self::key("space") } else { self::key(&name) };
                self.app.key(key, self.now);
                self.app.view(80, 24);
                self.now += A_MOMENT;
            }
        }
        self
    }

    /// What the program has to do now, in short words; nothing about what it keeps for later.
    pub(crate) fn acts(&mut self) -> Vec<String> {
        let sent: Vec<String> = self.sent().iter().map(short_command).collect();
        let acts = self.app.take_acts();
        let acts = acts.iter().filter(|act| !matches!(act, Act::Remember(_) | Act::Keep { .. })).map(short);
        sent.into_iter().chain(acts).collect()
    }

    pub(crate) fn focus(&self) -> Option<Focus> {
        self.app.dialogs.focus()
    }

    pub(crate) fn screen(&mut self, width: u16, height: u16) -> String {
        text_of(&self.app.view(width, height))
    }

    /// What was said since the last time.
    pub(crate) fn printed(&mut self) -> String {
        let lines = self.app.take_printed(80);
        lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect::<Vec<_>>().join("\n").trim().to_owned()
    }

    pub(crate) fn status(&mut self) -> String {
        self.screen(80, 24).lines().last().unwrap_or_default().to_owned()
    }
}

/// `send prompt …` and the like.
fn short_command(command: &Command) -> String {
    let value = serde_json::to_value(command).expect("a command is JSON");
    let mut words = vec!["send".to_owned()];
    collect(&value, &mut words);
    words.join(" ")
}

/// `begin resume …` and the like.
fn short(act: &Act) -> String {
    match act {
        Act::Begin(Begin::Fresh { mode }) => format!("begin fresh {mode}"),
        Act::Begin(Begin::Resume { session, mode }) => format!("begin resume {} {mode:?}", last(session)),
        Act::Begin(Begin::Fork { session, mode }) => format!("begin fork {} {mode:?}", last(session)),
        Act::Begin(Begin::Apply { .. }) => "begin apply".into(),
        Act::Edit { name, text, purpose } => format!("edit {name} {text:?} for {purpose:?}"),
        Act::Export { path, text } => format!("export {} ({} bytes)", path.display(), text.len()),
        act => format!("{act:?}").to_lowercase(),
    }
}

fn last(session: &fore_store::SessionId) -> String {
    session.to_string().chars().next_back().into_iter().collect()
}

/// All words of a command, in the order of their names; what is empty is left out.
fn collect(value: &serde_json::Value, words: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            if let Some(name) = fields.get("command").or_else(|| fields.get("event")).and_then(|name| name.as_str()) {
                words.push(name.to_owned());
            }
            for (name, value) in fields {
                if !["command", "event"].contains(&name.as_str()) {
                    collect(value, words);
                }
            }
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| collect(value, words)),
        serde_json::Value::String(text) if text.is_empty() => {}
        serde_json::Value::String(text) => words.push(text.clone()),
        serde_json::Value::Null => {}
        other => words.push(other.to_string()),
    }
}

pub(crate) fn session(number: u8) -> fore_store::SessionId {
    format!("0198c0de-0000-7000-8000-00000000000{number}").parse().expect("an id")
}

fn model() -> fore_model::ModelName {
    fore_model::ModelName::new("anthropic", "claude-opus-5")
}

pub(crate) fn started(mode: Mode) -> Event {
    Event::Started(SessionStarted {
        session: session(1),
        folder: "/projects/shop".into(),
        project: "/projects/shop".into(),
        mode,
        trusted: false,
        allowed_hosts: Vec::new(),
        models: StartedModels { plan: model(), act: model(), small: model() },
        caged: true,
        rehearsal: true,
        sandbox: Default::default(),
        resumed: false,
        tools: Vec::new(),
        memory: Vec::new(),
        agents: Vec::new(),
        skills: Vec::new(),
        commands: Vec::new(),
        plan: None,
        context: Default::default(),
        allowed: Vec::new(),
    })
}

fn question(name: &str) -> QuestionId {
    QuestionId(name.into())
}

/// A question about a command.
pub(crate) fn asked(name: &str, command: &str) -> Event {
    Event::Asked(PermissionRequest {
        for_plan: None,
        question: question(name),
        agent: None,
        call: CallId("call-1".into()),
        tool: "Bash".into(),
        text: "Run this command?".into(),
        shown: ShownCall::text("run in .", command),
        rule: "ask Bash".into(),
        cage: Cage::Workspace { outside: Outside::any_public() },
        effects: Vec::new(),
        for_kind: None,
        always: Vec::new(),
        for_session: Some("this exact command".into()),
    })
}

fn closed(name: &str) -> Event {
    Event::QuestionClosed { question: question(name) }
}

const PLAN: &str = "# Faster login\n\n1. Read users once.\n2. Keep the session.\n";

pub(crate) fn approval(id: &str, plan: &str) -> Event {
    let mut state = State::default();
    let begun =
        Change::Started { level: Level::Default, planning: true, openings: Openings::TRUSTED, role: Part::Main };
    assert_eq!(state.apply(&begun), Applied::Yes);
    Event::ApprovalAsked(ApprovalAsked {
        agent: None,
        agent_task: String::new(),
        request: ExitRequest {
            contract: fore_plan::contract::Contract::default(),
            contract_hash: fore_plan::contract::Contract::default().hash(),
            agent_id: id.into(),
            plan_file_path: "/home/ada/.local/share/fore/plans/faster-login.md".into(),
            plan_content: plan.into(),
            plan_hash: Hash::of(plan.as_bytes()),
            revision: 1,
            options: offers(&state, &fore_plan::contract::Contract::default()),
            steps: fore_plan::plan::steps(plan),
        },
        notes: Vec::new(),
        changed: String::new(),
        seen: None,
        proof: Proof::default(),
        moved: Vec::new(),
        context: ContextUse::default(),
        rehearsals: Vec::new(),
        estimate: None,
        earlier_comments: Vec::new(),
    })
}

fn form(name: &str) -> Event {
    let option = |label: &str| FormOption { label: label.into(), description: String::new() };
    let asked = FormQuestion {
        header: "Database".into(),
        question: "Which database?".into(),
        multi_select: false,
        options: vec![option("SQLite"), option("PostgreSQL")],
    };
    Event::FormAsked { question: question(name), form: Form { questions: vec![asked], is_offer: false } }
}

fn text(delta: &str) -> Event {
    Event::Text { agent: None, model: model(), delta: delta.into() }
}

fn call(name: &str, line: &str) -> Event {
    let (call, tool) = (CallId(name.into()), "Bash".into());
    Event::ToolStarted { agent: None, call, tool, line: line.into(), cage: None }
}

fn done(name: &str, shown: ShownCall) -> Event {
    let (call, tool, outcome) = (CallId(name.into()), "Bash".into(), CallOutcome::Done);
    Event::ToolFinished { agent: None, call, tool, outcome, shown }
}

fn mode_changed(from: Mode, to: Mode) -> Event {
    Event::ModeChanged(ModeEvent { from, to, by: ModeChanger::Actor(Actor::Person), why: ModeReason::Cycled })
}

fn ended() -> Event {
    Event::TurnEnded { outcome: TurnOutcome::Done }
}

fn rows() -> Vec<SessionRow> {
    let row = |number, about: &str| SessionRow {
        id: session(number),
        about: about.into(),
        age: "an hour ago".into(),
        mode: "plan".into(),
        awaits_approval: false,
    };
    vec![row(1, "this one"), row(2, "Why is login slow?"), row(3, "Add a cart")]
}
