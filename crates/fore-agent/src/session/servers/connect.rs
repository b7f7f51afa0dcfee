//! Starts servers and connects to them: one start at a time for each sandbox, in the sandbox that the gate's permit names.
//!
//! A process is kept from the moment it runs, so that planning finds and ends it also before it has said its first word.

use super::{
    ServerOffers, ServerRecord, ServerStanding, chosen_tools, known_by,
    logins::{ServerLogins, with_way_in},
    place_of,
};
use crate::{
    cancel::Cancel,
    event::NoticeLevel,
    lock::lock,
    session::{call::judge, caller::CallerContext, session_context::SessionContext},
    settings::McpServerSetting,
};
use fore_mcp::{
    ConnectOptions, ElicitationHandler, HttpOptions, McpConnection, McpEvent, McpFault, McpToolList, ServerEntry,
    ServerTransport,
};
use fore_plan::{
    Cage, Epoch,
    gate::{Action, McpPlace, Permit, Presented, Verdict},
    plan::Hash,
};
use fore_sandbox::{Cages, Job, JobCommand, LivePipes, LiveRun};
use std::{
    ffi::OsString,
    fmt,
    path::Path,
    sync::{Arc, Mutex, Weak},
    time::Duration,
};
use tokio::net::unix::pipe;

/// How long a start may take where nobody says otherwise.
const START_TIME: Duration = Duration::from_secs(30);
/// How long a call may be silent where nobody says otherwise.
const CALL_TIME: Duration = Duration::from_secs(300);
/// How long the first lists may take.
const LIST_TIME: Duration = Duration::from_secs(30);
/// What is told of the end of what a server wrote on its error output.
const MAX_TAIL_LINES: usize = 12;
const MAX_TAIL_CHARS: usize = 1_500;
/// How often a server that changes its lists all the time is asked for them.
const LIST_PAUSE: Duration = Duration::from_millis(500);
/// How long a program that closed its output is given to say why.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// A place for one connection to a server.
#[derive(Debug, Default)]
pub(super) struct ConnectionSlot {
    /// One start at a time.
    starting: tokio::sync::Mutex<()>,
    held: Mutex<HeldConnection>,
}

#[derive(Debug, Default)]
struct HeldConnection {
    process: Option<Arc<ServerProcess>>,
    live: Option<Arc<LiveServer>>,
}

/// The process of a server.
pub(super) struct ServerProcess(LiveRun);

impl fmt::Debug for ServerProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerProcess")
    }
}

impl ServerProcess {
    fn stop(&self) {
        self.0.stop();
    }

    /// Ends it, and waits for that.
    pub(super) fn end(&self, most: Duration) {
        self.stop();
        self.wait(most);
    }

    /// Waits until all of it has ended, for a bounded time.
    pub(super) fn wait(&self, most: Duration) {
        let _ = self.0.wait(most);
    }

    /// The end of what it wrote on its error output, for people and the model.
    pub(super) fn last_words(&self) -> Option<String> {
        let text = self.0.stderr_tail();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let from = lines.len().saturating_sub(MAX_TAIL_LINES);
        let tail = lines.get(from..).unwrap_or_default().join("\n");
        let tail = fore_text::output(fore_text::cut::last_bytes(&tail, MAX_TAIL_CHARS));
        (!tail.trim().is_empty()).then_some(tail)
    }
}

/// A server that is connected.
#[derive(Debug)]
pub(crate) struct LiveServer {
    pub(crate) connection: McpConnection,
    /// As it was written when it was started.
    entry: ServerEntry,
    /// What holds its process; none for a server elsewhere.
    cage: Option<Cage>,
    process: Option<Arc<ServerProcess>>,
}

impl LiveServer {
    /// Whether it runs in the sandbox that a permit names.
    pub(crate) fn is_held_by(&self, cage: &Cage) -> bool {
        self.cage.as_ref().is_none_or(|own| own == cage)
    }

    /// Its tools as they are now, without those that its entry leaves out.
    pub(super) async fn tools(&self) -> Result<Arc<McpToolList>, McpFault> {
        Ok(chosen_tools(&self.entry, self.connection.tools().await?))
    }

    /// What it says of itself, with these tools.
    fn offers(&self, tools: Arc<McpToolList>) -> ServerOffers {
        let info = self.connection.server_info();
        ServerOffers {
            tools,
            instructions: self.connection.instructions().map(str::to_owned),
            identity: format!("{} {} ({})", info.name, info.version, info.protocol),
        }
    }

    /// Why a request failed, with what the program said last.
    pub(super) fn explained(&self, fault: &McpFault) -> String {
        explained(&with_way_in(fault, &self.entry.name), self.process.as_deref())
    }
}

pub(super) fn explained(what: &str, process: Option<&ServerProcess>) -> String {
    match process.and_then(ServerProcess::last_words) {
        None => what.to_owned(),
        Some(words) => format!("{what}\nThe end of its error output:\n{words}"),
    }
}

impl ConnectionSlot {
    fn usable(&self, cage: Option<&Cage>) -> Option<Arc<LiveServer>> {
        let held = lock(&self.held);
        held.live.clone().filter(|live| live.connection.is_open() && live.cage.as_ref() == cage)
    }

    pub(super) fn is_connected(&self) -> bool {
        lock(&self.held).live.as_ref().is_some_and(|live| live.connection.is_open())
    }

    pub(super) fn last_words(&self) -> Option<String> {
        lock(&self.held).process.as_ref().and_then(|process| process.last_words())
    }

    /// Ends the process, if there is one, and gives it back to be waited for.
    pub(super) fn stop_process(&self) -> Option<Arc<ServerProcess>> {
        let mut held = lock(&self.held);
        let process = held.process.take()?;
        held.live = None;
        process.stop();
        Some(process)
    }

    pub(super) fn close(&self) {
        if self.stop_process().is_none() {
            lock(&self.held).live = None;
        }
    }

    /// Keeps a connection, if its process was not ended meanwhile.
    fn keep(&self, live: &Arc<LiveServer>) -> bool {
        let mut held = lock(&self.held);
        let is_there = match (&held.process, &live.process) {
            (Some(held), Some(own)) => Arc::ptr_eq(held, own),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if is_there {
            held.live = Some(Arc::clone(live));
        }
        is_there
    }

    /// A connection is over: nobody gets it any more.
    fn let_go(&self, ended: &Weak<LiveServer>) -> bool {
        let mut held = lock(&self.held);
        let is_held = held.live.as_ref().is_some_and(|live| Weak::as_ptr(ended) == Arc::as_ptr(live));
        if is_held {
            held.live = None;
            if let Some(process) = held.process.take() {
                process.stop();
            }
        }
        is_held
    }
}

/// Everything that one start needs.
struct ServerStart {
    context: Arc<SessionContext>,
    caller: Arc<CallerContext>,
    record: Arc<ServerRecord>,
    setting: McpServerSetting,
    permit: Permit,
    epoch: Epoch,
}

impl SessionContext {
    /// A connection to a server, in the sandbox that the gate gives this caller for it now. The error is for model and person.
    pub(crate) async fn server(
        self: &Arc<Self>,
        caller: &Arc<CallerContext>,
        name: &str,
    ) -> Result<Arc<LiveServer>, String> {
        let setting = self.server_to_start(name)?;
        let epoch = self.ledger.state().epoch();
        let permit = self.judge_start(caller, &setting).await?;
        let record = self.setup.servers.record(name);
        let start =
            ServerStart { context: Arc::clone(self), caller: Arc::clone(caller), record, setting, permit, epoch };
        // Whoever waits may stop waiting; the server starts all the same, for the next one.
        let started = self.setup.runtime.spawn(start.run()).await;
        started.unwrap_or_else(|_| Err(format!("The MCP server `{name}` could not be started.")))
    }

    /// The setting of a server that may be started; the error says why it may not.
    fn server_to_start(&self, name: &str) -> Result<McpServerSetting, String> {
        let Some(setting) = self.setup.server_setting(name) else {
            let live = self.setup.live();
            let names: Vec<&str> = live.settings.mcp.iter().map(|server| server.entry.name.as_str()).collect();
            let name = fore_text::line(fore_text::cut::chars(name, 60)).into_owned();
            return Err(match fore_text::spelling::nearest(&name, names.iter().copied(), 1).first() {
                Some(near) => format!("There is no MCP server `{name}`. Did you mean `{near}`?"),
                None => format!("There is no MCP server `{name}`. There are: {}.", names.join(", ")),
            });
        };
        match self.setup.server_standing(&setting) {
            ServerStanding::Usable => Ok(setting),
            ServerStanding::Off => Err(format!("The MCP server `{name}` is switched off.")),
            ServerStanding::Untrusted { before } => {
                let why = match before {
                    None => "nobody has said yet that it may be started",
                    Some(_) => "its entry is not the one that was trusted",
                };
                Err(format!(
                    "The MCP server `{name}` comes from {} and was not started: {why}. They can look at it with \
                     /mcp trust {name}{}.",
                    setting.origin.whose(),
                    setting.origin.trusted_by_command(name),
                ))
            }
        }
    }

    async fn judge_start(
        self: &Arc<Self>,
        caller: &Arc<CallerContext>,
        setting: &McpServerSetting,
    ) -> Result<Permit, String> {
        let (context, caller, setting) = (Arc::clone(self), Arc::clone(caller), setting.clone());
        let judge = move || {
            let state = caller.state(context.ledger.state());
            let about = start_action(&setting.entry, &setting.entry);
            let judgement = judge::judge(&context.setup, &state, start_action(&setting.entry, &setting.filled));
            // With variables as they were written: their values are nobody's to keep.
            judge::audited(&context, &about, judgement).verdict
        };
        match tokio::task::spawn_blocking(judge).await {
            Ok(Verdict::Allow(permit)) => Ok(permit),
            Ok(Verdict::Block(refusal)) => Err(refusal.to_string()),
            Ok(Verdict::Ask(_)) | Err(_) => Err("Whether the MCP server may start could not be judged.".into()),
        }
    }
}

/// What starting a server means to the gate.
pub(super) fn start_action(entry: &ServerEntry, with: &ServerEntry) -> Action {
    let command = match &with.transport {
        ServerTransport::Stdio { .. } => command(with).text(),
        ServerTransport::Http { url, .. } | ServerTransport::Sse { url, .. } => url.clone(),
    };
    Action::McpServer { server: entry.name.clone(), command, place: place_of(entry) }
}

fn command(entry: &ServerEntry) -> JobCommand {
    let words: Vec<OsString> = match &entry.transport {
        ServerTransport::Stdio { command, args, .. } => {
            std::iter::once(command).chain(args).map(OsString::from).collect()
        }
        ServerTransport::Http { .. } | ServerTransport::Sse { .. } => Vec::new(),
    };
    JobCommand::Program(words)
}

impl ServerStart {
    async fn run(self) -> Result<Arc<LiveServer>, String> {
        let place = place_of(&self.setting.entry);
        let cage = match place {
            McpPlace::Process(_) => Some(self.permit.cage().clone()),
            McpPlace::Remote => None,
        };
        let record = Arc::clone(&self.record);
        let slot = match &cage {
            Some(Cage::ReadOnly { .. }) => &record.reading,
            Some(Cage::Rehearsal | Cage::Workspace { .. } | Cage::Free) | None => &record.working,
        };
        let _one = slot.starting.lock().await;
        if let Some(live) = slot.usable(cage.as_ref()) {
            return Ok(live);
        }
        // What is there is over, or in another sandbox than the one that holds now.
        slot.close();
        let name = self.record.name.clone();
        let content = known_by(&self.setting.entry);
        let context = Arc::clone(&self.context);
        let _room = context.setup.servers.starts.acquire().await;
        let connected = self.connect(slot, cage).await;
        let mut known = lock(&record.known);
        if known.content != content {
            *known = super::KnownServer { content, ..super::KnownServer::default() };
        }
        match connected {
            Ok((live, offers)) => {
                known.trouble = None;
                let before = known.offers.replace(Arc::clone(&offers));
                drop(known);
                if !slot.keep(&live) {
                    return Err(format!("The MCP server `{name}` was stopped while it started; call again."));
                }
                context.tell_changed_tools(&name, before.as_deref(), &offers);
                watch(&context, &record, &live);
                Ok(live)
            }
            Err(why) => {
                known.trouble = Some(why.clone());
                drop(known);
                slot.close();
                Err(format!("The MCP server `{name}` could not be started: {why}"))
            }
        }
    }

    async fn connect(
        self,
        slot: &ConnectionSlot,
        cage: Option<Cage>,
    ) -> Result<(Arc<LiveServer>, Arc<ServerOffers>), String> {
        let questions = self.context.questions_of(&self.record.name);
        let entry = self.setting.entry.clone();
        let options = connect_options(&self.context.setup.project, &entry, questions);
        let (connection, process) = match cage.is_some() {
            true => self.over_pipes(slot, options).await?,
            false => (self.over_http(options).await?, None),
        };
        let live = LiveServer { connection, entry, cage, process };
        let tools = match tokio::time::timeout(LIST_TIME, live.tools()).await {
            Ok(Ok(tools)) => tools,
            Ok(Err(fault)) => return Err(live.explained(&fault)),
            Err(_) => return Err(explained("it did not list its tools in time", live.process.as_deref())),
        };
        let offers = Arc::new(live.offers(tools));
        Ok((Arc::new(live), offers))
    }

    async fn over_pipes(
        self,
        slot: &ConnectionSlot,
        options: ConnectOptions,
    ) -> Result<(McpConnection, Option<Arc<ServerProcess>>), String> {
        let job = server_job(&self.context.setup.project, &self.setting.filled);
        let (context, record) = (Arc::clone(&self.context), Arc::clone(&self.record));
        let is_reading = std::ptr::eq(slot, &self.record.reading);
        let start = move || {
            let slot = if is_reading { &record.reading } else { &record.working };
            // Planning waits for this lock before it looks what could write: a start is before it, and found, or it is refused.
            let mut held = lock(&slot.held);
            let presented = self.present()?;
            let (process, pipes) = start_process(&context.setup.cages, presented, job)?;
            held.process = Some(Arc::clone(&process));
            Ok::<_, String>((process, pipes))
        };
        let (process, pipes) =
            tokio::task::spawn_blocking(start).await.unwrap_or_else(|_| Err("it could not be started".to_owned()))?;
        let connection = greet(pipes, &process, options).await?;
        Ok((connection, Some(process)))
    }

    async fn over_http(self, options: ConnectOptions) -> Result<McpConnection, String> {
        let context = Arc::clone(&self.context);
        let filled = self.setting.filled.clone();
        drop(self.present()?);
        let logins = ServerLogins { home: Arc::clone(&context.setup.home), handler: None };
        over_http(&filled, &context.setup.cages, logins, options).await
    }

    /// The permit, if what was judged still holds.
    fn present(self) -> Result<Presented, String> {
        let session = self.context.ledger.state();
        if session.epoch() != self.epoch {
            return Err("the mode changed meanwhile; call again".into());
        }
        self.permit.present(&self.caller.state(session)).map_err(|refusal| refusal.to_string())
    }
}

/// Starts the program that a permit is for.
pub(super) fn start_process(
    cages: &Arc<Cages>,
    permit: Presented,
    job: Job<'static>,
) -> Result<(Arc<ServerProcess>, LivePipes), String> {
    let mut run = cages.live(permit, job).map_err(|error| error.to_string())?;
    let pipes = run.take_pipes().ok_or("its pipes are gone")?;
    Ok((Arc::new(ServerProcess(run)), pipes))
}

/// Says the first words to a program that runs.
pub(super) async fn greet(
    pipes: LivePipes,
    process: &ServerProcess,
    options: ConnectOptions,
) -> Result<McpConnection, String> {
    let unusable = |error: std::io::Error| format!("its pipes cannot be used: {error}");
    let read = pipe::Receiver::from_owned_fd(pipes.stdout).map_err(unusable)?;
    let write = pipe::Sender::from_owned_fd(pipes.stdin).map_err(unusable)?;
    let fault = match McpConnection::over_pipes(read, write, options).await {
        Ok(connection) => return Ok(connection),
        Err(fault) => fault,
    };
    tokio::time::sleep(LAST_WORDS).await;
    Err(explained(&fault.to_string(), Some(process)))
}

/// Connects to a server elsewhere.
pub(super) async fn over_http(
    filled: &ServerEntry,
    cages: &Cages,
    logins: ServerLogins,
    options: ConnectOptions,
) -> Result<McpConnection, String> {
    let http = HttpOptions {
        user_agent: concat!("forethought/", env!("CARGO_PKG_VERSION")).into(),
        proxy: cages.settings().proxy.clone(),
        tokens: logins.of(filled),
        login: logins.handler,
    };
    McpConnection::over_http(filled, http, options).await.map_err(|fault| with_way_in(&fault, &filled.name))
}

/// The program with its own variables and no others of the person's.
pub(super) fn server_job(project: &Path, entry: &ServerEntry) -> Job<'static> {
    let (variables, folder) = match &entry.transport {
        ServerTransport::Stdio { env, cwd, .. } => (env.clone(), cwd.clone()),
        ServerTransport::Http { .. } | ServerTransport::Sse { .. } => (Vec::new(), None),
    };
    Job {
        cwd: folder.map_or_else(|| project.to_owned(), |folder| project.join(folder)),
        variables: variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
        ..Job::new(command(entry), project)
    }
}

/// How long a server is waited for, and who it talks to.
pub(super) fn connect_options(
    project: &Path,
    entry: &ServerEntry,
    elicitation: Option<Arc<dyn ElicitationHandler>>,
) -> ConnectOptions {
    ConnectOptions {
        client: ("forethought".into(), env!("CARGO_PKG_VERSION").into()),
        workspace: project.to_owned(),
        start_timeout: entry.start_timeout.unwrap_or(START_TIME),
        call_timeout: entry.call_timeout.unwrap_or(CALL_TIME),
        elicitation,
    }
}

impl SessionContext {
    /// A tool that the person vouched for is not what they vouched for any more.
    fn tell_changed_tools(&self, server: &str, before: Option<&ServerOffers>, now: &ServerOffers) {
        let Some(before) = before else { return };
        for tool in &now.tools.tools {
            let Some(old) = before.tools.get(&tool.name) else { continue };
            if old.definition() == tool.definition() {
                continue;
            }
            if self.setup.is_vouched_tool(server, &tool.name, &Hash::of(old.definition().as_bytes())) {
                let text = format!(
                    "The MCP server {server} has changed the tool {}, so your word for it no longer counts; \
                     /mcp vouch {server} {} shows the difference.",
                    tool.name, tool.name
                );
                self.person.notice(NoticeLevel::Warning, text);
            }
        }
    }

    /// Starts in the background what may start, so that the first call does not wait for it.
    pub(crate) fn start_servers_ahead(self: &Arc<Self>, wanted: impl Fn(&ServerEntry) -> bool) {
        let live = self.setup.live();
        for server in live.settings.mcp.iter().filter(|server| wanted(&server.entry)) {
            match self.setup.server_standing(server) {
                ServerStanding::Usable => {}
                ServerStanding::Off | ServerStanding::Untrusted { .. } => continue,
            }
            let (context, name) = (Arc::clone(self), server.entry.name.clone());
            drop(self.setup.runtime.spawn(async move {
                let caller = Arc::new(CallerContext::main(Cancel::default()));
                if let Err(why) = context.server(&caller, &name).await {
                    context.person.notice(NoticeLevel::Warning, why);
                }
            }));
        }
    }
}

/// Hears what a server says by itself until it is gone.
fn watch(context: &Arc<SessionContext>, record: &Arc<ServerRecord>, live: &Arc<LiveServer>) {
    let (session, record, server) = (Arc::downgrade(context), Arc::clone(record), Arc::downgrade(live));
    let mut events = live.connection.events();
    drop(context.setup.runtime.spawn(async move {
        // What a person may name is asked for once the tools are there: no call waits for it.
        if let (Some(context), Some(live)) = (session.upgrade(), server.upgrade()) {
            context.learn_prompts(&record, &live).await;
            context.learn_resources(&record, &live).await;
        }
        while let Some(event) = events.next().await {
            let Some(context) = session.upgrade() else { return };
            match event {
                McpEvent::ToolsChanged => {
                    let Some(live) = server.upgrade() else { return };
                    if let Ok(tools) = live.tools().await {
                        context.note_tools(&record, &live, tools);
                    }
                    tokio::time::sleep(LIST_PAUSE).await;
                }
                McpEvent::PromptsChanged => {
                    let Some(live) = server.upgrade() else { return };
                    context.learn_prompts(&record, &live).await;
                    tokio::time::sleep(LIST_PAUSE).await;
                }
                McpEvent::ResourcesChanged => {
                    let Some(live) = server.upgrade() else { return };
                    context.learn_resources(&record, &live).await;
                    tokio::time::sleep(LIST_PAUSE).await;
                }
                McpEvent::Log { level, text } => record.note_log(format!("{level}: {text}")),
                McpEvent::LinesLost(lines) => record.note_log(format!("… {} more", fore_text::count(lines, "line"))),
                McpEvent::Refused(what) => record.note_log(format!("refused: {what}")),
                McpEvent::ResourceUpdated { .. } => {}
                McpEvent::Closed { reason } => context.server_ended(&record, &server, &reason),
            }
        }
    }));
}

impl SessionContext {
    /// A server has other tools now.
    pub(super) fn note_tools(&self, record: &ServerRecord, live: &LiveServer, tools: Arc<McpToolList>) {
        let offers = Arc::new(live.offers(tools));
        let before = lock(&record.known).offers.replace(Arc::clone(&offers));
        self.tell_changed_tools(&record.name, before.as_deref(), &offers);
    }

    fn server_ended(&self, record: &ServerRecord, ended: &Weak<LiveServer>, reason: &str) {
        let last = [&record.reading, &record.working].map(ConnectionSlot::last_words);
        let was_held = [&record.reading, &record.working].map(|slot| slot.let_go(ended));
        // What was stopped here is no news.
        let Some(words) = last.into_iter().zip(was_held).find_map(|(words, held)| held.then_some(words)) else {
            return;
        };
        let why = match words {
            None => reason.to_owned(),
            Some(words) => format!("{reason}\nThe end of its error output:\n{words}"),
        };
        let text = format!("The MCP server {} has ended by itself: {why}", record.name);
        lock(&record.known).trouble = Some(why);
        self.person.notice(NoticeLevel::Warning, text);
    }
}
