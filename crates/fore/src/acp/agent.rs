//! What the program is for a client: it begins sessions, finds those there are, and hands requests to the session they are about.

use super::{
    args::AcpArgs,
    client::EditorClient,
    client_servers::{SettingsBesideServers, servers},
    config_options::{SessionChoices, ThinkingChoice},
    editor_session::{EditorSession, EditorSessionStart, MAX_MAIL, SessionMail, open_modes, wrong},
    pipes::UpdateQueue,
    unsaved::EditorTexts,
    updates::{UpdateMaker, title},
};
use crate::{
    headless::{
        args::RunArgs,
        launch::{AnsweredBy, RunContext},
        reread::SharedSettings,
    },
    models, report,
    settings::Settings,
};
use agent_client_protocol::{
    Client, Error,
    v1::{
        ConnectionTo,
        schema::{
            self, ListSessionsRequest, ListSessionsResponse, McpServer, SessionInfo, SessionNotification, SessionUpdate,
        },
    },
};
use anyhow::{Context, bail};
use fore_agent::{Begin, Event, Launch, ModelHandle, NoticeLevel, SessionStarted, UnsavedText, replay};
use fore_plan::Mode;
use fore_store::{Home, SessionId, session};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    task::JoinHandle,
};

/// Sessions of one client at once.
const MAX_SESSIONS: usize = 32;
/// Sessions on one page of a list.
const PAGE: usize = 50;
/// Sessions that are looked at for a list.
const MAX_LOOKED_AT: usize = 2000;
/// Sessions that are begun side by side; the others wait.
const MAX_BEGINNING: usize = 4;
/// How long the end of the program waits for its sessions to save what they know.
const MAX_END: Duration = Duration::from_secs(5);

/// The agent of one connection.
#[derive(Debug)]
pub(super) struct EditorAgent {
    home: Arc<Home>,
    run: RunArgs,
    mode: Option<Mode>,
    /// What follows `--settings`.
    given: Option<String>,
    queue: Arc<UpdateQueue>,
    client: Mutex<Option<Arc<EditorClient>>>,
    sessions: Mutex<HashMap<String, RunningSession>>,
    beginning: Arc<Semaphore>,
}

#[derive(Debug)]
struct RunningSession {
    mail: mpsc::Sender<SessionMail>,
    task: JoinHandle<()>,
}

/// Which session is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) enum WantedSession {
    New,
    /// One that there is; with all that was said in it, or without.
    Again {
        session: SessionId,
        replayed: bool,
    },
}

/// Everything that a session begins with.
struct PreparedSession {
    launch: Launch,
    settings: SharedSettings,
    models: Vec<(String, String)>,
    thinking: Arc<Mutex<ThinkingChoice>>,
    past: PastConversation,
    notices: Vec<String>,
}

/// What was said in a session before.
#[derive(Default)]
struct PastConversation {
    /// What it is called by.
    first_prompt: Option<String>,
    /// None where it is not told again.
    events: Option<Vec<Event>>,
    /// More was said than is told again.
    is_cut: bool,
}

/// A session that began and is not played yet.
pub(super) struct ReadySession {
    session: EditorSession,
    started: SessionStarted,
    notices: Vec<String>,
    mail: mpsc::Sender<SessionMail>,
    /// Until it is played, it counts among those that are begun.
    begins: OwnedSemaphorePermit,
    pub(super) id: String,
    pub(super) choices: SessionChoices,
}

impl EditorAgent {
    pub(super) fn new(
        args: AcpArgs,
        run: RunArgs,
        given: Option<&str>,
        queue: &Arc<UpdateQueue>,
    ) -> anyhow::Result<EditorAgent> {
        Ok(EditorAgent {
            home: Arc::new(crate::environment::own_home()?),
            run,
            mode: args.mode,
            given: given.map(str::to_owned),
            queue: Arc::clone(queue),
            client: Mutex::new(None),
            sessions: Mutex::default(),
            beginning: Arc::new(Semaphore::new(MAX_BEGINNING)),
        })
    }

    /// Who the client is, for good: what its yes is worth hangs on it.
    pub(super) fn meet(&self, client: EditorClient) -> Result<(), Error> {
        let mut known = lock(&self.client);
        if known.is_some() {
            return Err(Error::new(Error::invalid_request().code, "The client has introduced itself already."));
        }
        *known = Some(Arc::new(client));
        Ok(())
    }

    fn client(&self) -> Result<Arc<EditorClient>, Error> {
        let client = lock(&self.client).clone();
        client.ok_or_else(|| Error::new(Error::invalid_request().code, "The first request is initialize."))
    }

    /// Begins a session. What was said before is told here, so that it comes before the answer to the request.
    pub(super) async fn begin(
        self: &Arc<Self>,
        wanted: WantedSession,
        cwd: PathBuf,
        handed: Vec<McpServer>,
        connection: ConnectionTo<Client>,
    ) -> Result<ReadySession, Error> {
        let client = self.client()?;
        let begins = Arc::clone(&self.beginning).acquire_owned().await.map_err(|_| Error::internal_error())?;
        {
            let mut sessions = lock(&self.sessions);
            sessions.retain(|_, running| !running.task.is_finished());
            if sessions.len() >= MAX_SESSIONS {
                return Err(wrong(format!("{MAX_SESSIONS} sessions are open already; close one first.")));
            }
        }
        let (there, via) = (Arc::clone(self), client.shown.clone());
        let prepared = tokio::task::spawn_blocking(move || there.prepare(wanted, &cwd, handed, via)).await;
        let prepared = prepared.map_err(|_| Error::internal_error())?.map_err(|error| wrong(report::words(&error)))?;
        let PreparedSession { mut launch, settings, models, thinking, past, notices } = prepared;
        let texts = client.reads_files.then(|| Arc::new(EditorTexts::new(connection.clone())));
        launch.unsaved = texts.clone().map(|texts| texts as Arc<dyn UnsavedText>);
        let (openings, folder) = (launch.openings, launch.folder.clone());
        let mut handle = fore_agent::start(launch).await.map_err(|error| wrong(error.to_string()))?;
        // The first event says what the session is.
        let started = match handle.next().await {
            Some(Event::Started(started)) => started,
            Some(_) | None => return Err(Error::internal_error()),
        };
        let id = started.session.to_string();
        texts.iter().for_each(|texts| texts.begin(&id));
        let project = PathBuf::from(&started.project);
        let mut updates = UpdateMaker::new(Arc::clone(&client), project.clone());
        for update in past.updates(&mut updates) {
            self.queue.room().await;
            self.queue.sent();
            connection.send_notification(SessionNotification::new(id.clone(), update))?;
        }
        let openings = fore_plan::Openings { folder_trusted: started.trusted, ..openings };
        let choices = SessionChoices {
            mode: started.mode,
            modes: open_modes(openings),
            plan_model: started.models.plan.to_string(),
            act_model: started.models.act.to_string(),
            models,
            thinking: ThinkingChoice::default(),
        };
        let (mail, inbox) = mpsc::channel(MAX_MAIL);
        let start = EditorSessionStart {
            id: id.clone().into(),
            handle,
            connection,
            queue: Arc::clone(&self.queue),
            mail: (mail.clone(), inbox),
            client,
            settings,
            openings,
            choices: choices.clone(),
            thinking,
            updates,
            folder,
        };
        Ok(ReadySession { session: EditorSession::new(start, project), started, notices, mail, begins, id, choices })
    }

    /// Plays it, once the request for it was answered.
    pub(super) fn play(&self, begun: ReadySession) {
        let ReadySession { session, started, notices, mail, begins, id, .. } = begun;
        let task = tokio::spawn(session.run(started, notices));
        lock(&self.sessions).insert(id, RunningSession { mail, task });
        drop(begins);
    }

    /// Hands something to a session; the error says that there is none, or that it is over.
    pub(super) async fn post(
        &self,
        session: &schema::SessionId,
        mail: SessionMail,
    ) -> Result<(), Box<(SessionMail, Error)>> {
        let found = lock(&self.sessions).get(&*session.0).map(|running| running.mail.clone());
        let Some(sender) = found else {
            return Err(Box::new((mail, schema::Error::session_not_found(session.clone()).into())));
        };
        sender
            .send(mail)
            .await
            .map_err(|unsent| Box::new((unsent.0, Error::from(schema::Error::session_not_found(session.clone())))))
    }

    /// Ends all sessions in good order, and waits a while for them.
    pub(super) async fn end(&self) {
        let all: Vec<RunningSession> = lock(&self.sessions).drain().map(|(_, running)| running).collect();
        for running in &all {
            let _ = running.mail.send(SessionMail::End).await;
        }
        let ended = async {
            for running in all {
                let _ = running.task.await;
            }
        };
        let _ = tokio::time::timeout(MAX_END, ended).await;
    }

    fn prepare(
        &self,
        wanted: WantedSession,
        cwd: &Path,
        handed: Vec<McpServer>,
        via: String,
    ) -> anyhow::Result<PreparedSession> {
        let folder = folder(cwd)?;
        let settings = Settings::load(&folder, self.given.as_deref())?;
        let mut notices: Vec<String> =
            settings.all_warnings().map(str::to_owned).chain(settings.differences()).collect();
        let models = models::offers(&settings).into_iter().map(|row| (row.name, row.why)).collect();
        let (handed, warnings) = servers(handed, &settings.mcp);
        notices.extend(warnings);
        let shared: SharedSettings = Arc::new(Mutex::new(Arc::new(settings)));
        let home = || Ok(Arc::clone(&self.home));
        let (context, found) =
            RunContext::with(folder.clone(), Arc::clone(&shared), self.given.as_deref(), &self.run, home)?;
        notices.extend(found);
        let (begin, past) = match wanted {
            WantedSession::New => {
                let (mode, notice) = context.starting_mode(self.mode)?;
                notices.extend(notice);
                (Begin::Fresh { mode }, PastConversation::default())
            }
            WantedSession::Again { session, replayed } => {
                require_about(&self.home, session, &folder)?;
                let first_prompt = session::overview(&self.home, session)?.first_prompt;
                let (events, is_cut) = if replayed {
                    let (events, is_cut) = replay::whole(&self.home, session)?;
                    (Some(without_taken_back(events)), is_cut)
                } else {
                    (None, false)
                };
                (Begin::Resume { session, mode: None }, PastConversation { first_prompt, events, is_cut })
            }
        };
        let mut launch = context.launch(begin, AnsweredBy::Host)?;
        launch.via = via;
        launch.settings.mcp.extend(handed.iter().cloned());
        if let Some(settings) = launch.settings_reader.take() {
            launch.settings_reader = Some(Arc::new(SettingsBesideServers { settings, servers: handed }));
        }
        let thinking = Arc::new(Mutex::new(ThinkingChoice::default()));
        let (choose, wish) = (Arc::clone(&launch.models.choose), Arc::clone(&thinking));
        launch.models.choose = Arc::new(move |name| {
            let asked = lock(&wish).asked();
            choose(name).map(|handle| match (handle, asked) {
                (ModelHandle::Remote(mut remote), Some(asked)) => {
                    remote.chosen = remote.chosen.with_thinking(asked);
                    ModelHandle::Remote(remote)
                }
                (handle, _) => handle,
            })
        });
        Ok(PreparedSession { launch, settings: shared, models, thinking, past, notices })
    }

    /// Sessions in which something was said, newest first, a page at a time.
    pub(super) fn list(&self, request: &ListSessionsRequest) -> Result<ListSessionsResponse, Error> {
        self.client()?;
        let wanted = request.cwd.as_deref().map(folder).transpose().map_err(|error| wrong(report::words(&error)))?;
        let first = match request.cursor.as_deref().map(str::parse::<usize>) {
            None => 0,
            Some(Ok(first)) => first,
            Some(Err(_)) => return Err(wrong("This cursor was not given out here.")),
        };
        let found = session::list(&self.home, wanted.as_deref().and_then(Path::to_str), MAX_LOOKED_AT)
            .map_err(|error| wrong(error.to_string()))?;
        let all = found.len();
        let rows = found.iter().enumerate().skip(first).filter_map(|(at, summary)| {
            let glance = session::overview(&self.home, summary.session).ok().filter(|glance| glance.prompts > 0)?;
            let info = SessionInfo::new(summary.session.to_string(), summary.folder.clone()?)
                .title(glance.first_prompt.as_deref().map(title))
                .updated_at(time_words(summary.modified.0));
            Some((at, info))
        });
        let page: Vec<(usize, SessionInfo)> = rows.take(PAGE).collect();
        let next = page.last().map(|(at, _)| at + 1).filter(|next| page.len() == PAGE && *next < all);
        let sessions = page.into_iter().map(|(_, info)| info).collect();
        Ok(ListSessionsResponse::new(sessions).next_cursor(next.map(|next| next.to_string())))
    }
}

impl PastConversation {
    /// As a client is told of it: the title first, then all that was said. Without words nothing is told.
    fn updates(self, maker: &mut UpdateMaker) -> Vec<SessionUpdate> {
        let title = self.first_prompt.and_then(|prompt| maker.title(&prompt));
        let Some(events) = self.events else { return Vec::new() };
        let cut = self.is_cut.then(|| {
            maker.notice(NoticeLevel::Info, "The beginning of this conversation is too long to be shown again.")
        });
        let mut all: Vec<SessionUpdate> = title.into_iter().chain(cut).collect();
        all.extend(events.iter().flat_map(|event| maker.past(event)));
        all
    }
}

/// What was taken back was never said.
fn without_taken_back(events: Vec<Event>) -> Vec<Event> {
    let mut kept: Vec<Event> = Vec::with_capacity(events.len());
    for event in events {
        if matches!(event, Event::Rewound { .. }) {
            let prompt = kept.iter().rposition(|one| matches!(one, Event::PromptTaken { .. }));
            kept.truncate(prompt.unwrap_or(kept.len()));
        } else {
            kept.push(event);
        }
    }
    kept
}

/// The session of this id.
pub(super) fn session_of(id: &schema::SessionId) -> Result<SessionId, Error> {
    id.0.parse().map_err(|_| schema::Error::session_not_found(id.clone()).into())
}

/// A folder that a client names, by its real path.
fn folder(cwd: &Path) -> anyhow::Result<PathBuf> {
    if !cwd.is_absolute() {
        bail!("the folder `{}` is not a whole path", cwd.display());
    }
    let folder = cwd.canonicalize().with_context(|| format!("the folder {} cannot be used", cwd.display()))?;
    if !folder.is_dir() || folder.to_str().is_none() {
        bail!("{} cannot be used as a folder to work in", cwd.display());
    }
    Ok(folder)
}

/// A session knows the files of its own folder, and its plan is for those.
fn require_about(home: &Home, session: SessionId, folder: &Path) -> anyhow::Result<()> {
    let Some(summary) = session::summary_of(home, session)? else { bail!("there is no session {session}") };
    match summary.folder.filter(|about| Path::new(about) != folder) {
        Some(about) => bail!("session {session} is about {about}"),
        None => Ok(()),
    }
}

/// ISO 8601, as the protocol has it.
fn time_words(milliseconds: u64) -> Option<String> {
    let time = jiff::Timestamp::from_millisecond(i64::try_from(milliseconds).ok()?).ok()?;
    Some(time.to_string())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
