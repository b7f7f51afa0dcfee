//! The page of a session: which plan waits on it, who may see it, and what is told to the tabs that are open. The first answer that the
//! session counts wins; the page only hears of it.

use crate::{
    draft::SharedDraft,
    library::ReviewLibrary,
    server::{self, ServerThread},
    token::ReviewToken,
};
use fore_agent::{ApprovalAsked, ApprovalOutcome, Command, Event, Spent};
use fore_plan::{
    contract::Contract,
    plan::{CheckNote, Hash},
};
use fore_store::{UnsentReview, session::KeptRevision};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    },
};
use tokio::sync::broadcast;

/// Messages that a slow tab may be behind; one that is further behind reads everything anew.
const MAX_BEHIND: usize = 256;
/// Drafts that wait for the disk; one more is refused in words.
const MAX_UNSAVED: usize = 64;

/// What the page asks of the program around it. Calls may take a moment.
pub trait ReviewHost: Send + Sync {
    /// Hands a command to the session; the error is for people.
    fn send(&self, command: Command) -> Result<(), String>;

    /// Keeps what was written about the plan in the place of what was kept before; nothing takes that away.
    fn keep(&self, draft: Option<&UnsentReview>) -> Result<(), String>;

    /// The notes of the plan check on a text.
    fn check(&self, plan: &str) -> Vec<CheckNote>;

    /// All revisions of the plan in this file, oldest first.
    fn revisions(&self, plan_file: &str) -> Vec<KeptRevision>;

    /// The text of a revision.
    fn revision_text(&self, hash: Hash) -> Option<String>;
}

/// A page on loopback. It listens until this is dropped.
#[derive(Debug)]
pub struct ReviewSite {
    shared: Arc<SiteState>,
    _server: ServerThread,
}

/// What the tabs and the program have in common.
pub(crate) struct SiteState {
    pub(crate) port: u16,
    pub(crate) host: Arc<dyn ReviewHost>,
    pub(crate) library: Option<LibraryAccess>,
    current: Mutex<CurrentReview>,
    tabs: broadcast::Sender<TabMessage>,
    unsaved: SyncSender<Option<UnsentReview>>,
}

/// What there is to read besides, and the token for it.
pub(crate) struct LibraryAccess {
    pub(crate) token: ReviewToken,
    pub(crate) library: Arc<dyn ReviewLibrary>,
}

#[derive(Default)]
pub(crate) struct CurrentReview {
    /// The request that waits.
    pub(crate) live: Option<LiveReview>,
    spent: Spent,
}

/// One request for approval, until it is decided.
pub(crate) struct LiveReview {
    pub(crate) token: ReviewToken,
    pub(crate) asked: ApprovalAsked,
    pub(crate) draft: SharedDraft,
    pub(crate) contract: ShownContract,
    /// On the text as it would be approved; none until they are known.
    pub(crate) notes: Option<Vec<CheckNote>>,
    /// An answer is on its way from here.
    pub(crate) is_sent: bool,
    pub(crate) cost: Option<f64>,
}

/// What the plan covers, as it was read last.
#[derive(Clone, Debug)]
pub(crate) struct ShownContract {
    pub(crate) contract: Contract,
    pub(crate) hash: Hash,
    /// Of this text.
    pub(crate) plan: Hash,
    pub(crate) steps: Option<Vec<u32>>,
    /// What each entry that the person typed would grant.
    pub(crate) added: BTreeMap<String, Contract>,
}

/// What open tabs are told.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum TabMessage {
    /// The draft is another one now.
    Draft { version: u64 },
    /// What the plan covers is known.
    Contract,
    /// The notes of the plan check are known.
    Notes,
    /// It was answered, here or elsewhere.
    Decided { text: String, here: bool },
    /// The answer did not count; the plan still waits.
    NotCounted { why: String },
    /// What the session does while no plan waits.
    Progress { text: String },
    /// Another plan waits, and this is its token.
    Next { token: String },
    /// Something went wrong.
    Problem { text: String },
}

impl ReviewSite {
    /// Begins to listen on a free port of 127.0.0.1. Nothing can be read or answered there before [`ReviewSite::ask`].
    pub fn open(host: Arc<dyn ReviewHost>) -> io::Result<ReviewSite> {
        ReviewSite::with(host, None)
    }

    pub(crate) fn with(host: Arc<dyn ReviewHost>, library: Option<LibraryAccess>) -> io::Result<ReviewSite> {
        let listener = server::bind()?;
        let (unsaved, drafts) = sync_channel(MAX_UNSAVED);
        let shared = Arc::new(SiteState {
            port: listener.local_addr()?.port(),
            host: Arc::clone(&host),
            library,
            current: Mutex::default(),
            tabs: broadcast::channel(MAX_BEHIND).0,
            unsaved,
        });
        let tabs = shared.tabs.clone();
        std::thread::Builder::new().name("review drafts".into()).spawn(move || keep_all(&*host, &drafts, &tabs))?;
        let server = ServerThread::start(listener, Arc::clone(&shared))?;
        Ok(ReviewSite { shared, _server: server })
    }

    /// Puts a plan that waits on the page, with what was written about it before: here, where none is given. Gives the address, which is
    /// for the person alone. The address from before is dead; tabs that are open go on with this one.
    pub fn ask(&self, asked: &ApprovalAsked, draft: Option<UnsentReview>) -> io::Result<String> {
        let token = ReviewToken::fresh()?;
        let url = self.url(&token);
        let request = &asked.request;
        let mut current = self.shared.current();
        let draft = draft.or_else(|| current.live.as_ref().map(|live| live.draft.review().clone()));
        let mut draft = SharedDraft::new(&request.plan_content, request.plan_hash, draft);
        // Now, so that nobody waits for it.
        draft.rendered();
        let is_edited = draft.hash() != request.plan_hash;
        let text = draft.text().to_owned();
        let cost = current.spent.cost.dollars();
        current.live = Some(LiveReview {
            contract: ShownContract {
                contract: request.contract.clone(),
                hash: request.contract_hash,
                plan: request.plan_hash,
                steps: None,
                added: BTreeMap::new(),
            },
            notes: (!is_edited).then(|| asked.notes.clone()),
            asked: asked.clone(),
            draft,
            token: token.clone(),
            is_sent: false,
            cost,
        });
        drop(current);
        if is_edited {
            self.shared.text_changed(&text);
        }
        self.shared.tell(TabMessage::Next { token: token.text().to_owned() });
        Ok(url)
    }

    /// Where the plan that waits is; none where none does.
    pub fn address(&self) -> Option<String> {
        let token = self.shared.current().live.as_ref().map(|live| live.token.clone())?;
        Some(self.url(&token))
    }

    /// Where everything of the project can be read; none where nobody opened that.
    pub(crate) fn library_address(&self) -> Option<String> {
        self.shared.library.as_ref().map(|access| self.url(&access.token))
    }

    fn url(&self, token: &ReviewToken) -> String {
        format!("http://127.0.0.1:{}/#{}", self.shared.port, token.text())
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.shared.port
    }

    /// Whether a tab is open.
    pub fn is_watched(&self) -> bool {
        self.shared.tabs.receiver_count() > 0
    }

    /// Another front end of this session has changed the draft.
    pub fn take_draft(&self, draft: UnsentReview) {
        let mut current = self.shared.current();
        let Some(live) = &mut current.live else { return };
        if *live.draft.review() == draft {
            return;
        }
        let before = live.draft.hash();
        live.draft.take(draft);
        let (version, text) = (live.draft.version(), live.draft.text().to_owned());
        let is_another = live.draft.hash() != before;
        drop(current);
        if is_another {
            self.shared.text_changed(&text);
        }
        self.shared.tell(TabMessage::Draft { version });
    }

    /// Something happened in the session.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the page shows few of the events")]
    pub fn hear(&self, event: &Event) {
        match event {
            Event::ContractRead { plan_hash, steps, contract, contract_hash, added } => {
                let mut current = self.shared.current();
                let Some(live) = &mut current.live else { return };
                live.contract = ShownContract {
                    contract: contract.clone(),
                    hash: *contract_hash,
                    plan: *plan_hash,
                    steps: steps.clone(),
                    added: added.clone(),
                };
                drop(current);
                self.shared.tell(TabMessage::Contract);
            }
            Event::Decided(decided) => self.decided(decided),
            Event::Closed => self.over("The session has ended; the plan waits for its next start.".to_owned(), false),
            Event::Usage { model, answer, price, .. } => {
                self.shared.current().spent.add(model, answer.as_ref(), *price);
            }
            Event::ToolStarted { agent: None, line, .. } if self.is_watched() => {
                let text = fore_text::cut::ellipsis(&fore_text::line(line), 200).into_owned();
                self.shared.tell(TabMessage::Progress { text });
            }
            Event::TurnEnded { .. } if self.is_watched() => {
                self.shared.tell(TabMessage::Progress { text: String::new() });
            }
            _ => {}
        }
    }

    fn decided(&self, decided: &ApprovalOutcome) {
        let text = match decided {
            ApprovalOutcome::NotCounted { why } => {
                if let Some(live) = &mut self.shared.current().live {
                    live.is_sent = false;
                }
                return self.shared.tell(TabMessage::NotCounted { why: fore_text::prose(why).into_owned() });
            }
            ApprovalOutcome::Approved { receipt, .. } => {
                format!("Approved: revision {} of the plan, in the mode {}.", receipt.revision, receipt.level)
            }
            ApprovalOutcome::KeepPlanning { .. } => "Sent back: planning continues.".to_owned(),
            ApprovalOutcome::Saved { .. } => "Saved: the plan waits, and nothing was approved.".to_owned(),
            ApprovalOutcome::Left { .. } => "Plan mode is over, and nothing was approved.".to_owned(),
            ApprovalOutcome::Discarded => "The plan was thrown away.".to_owned(),
            ApprovalOutcome::Awaits { .. } => "The plan waits, and nothing was approved.".to_owned(),
        };
        let here = self.shared.current().live.as_ref().is_some_and(|live| live.is_sent);
        self.over(text, here);
        // Behind everything that still waits to be written.
        let _ = self.shared.unsaved.try_send(None);
    }

    fn over(&self, text: String, here: bool) {
        let was_live = self.shared.current().live.take().is_some();
        if was_live {
            self.shared.tell(TabMessage::Decided { text, here });
        }
    }
}

impl SiteState {
    pub(crate) fn current(&self) -> MutexGuard<'_, CurrentReview> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tell(&self, message: TabMessage) {
        // That nobody listens is no failure.
        let _ = self.tabs.send(message);
    }

    pub(crate) fn listen(&self) -> broadcast::Receiver<TabMessage> {
        self.tabs.subscribe()
    }

    /// Keeps a draft and tells the tabs of it.
    pub(crate) fn drafted(&self, draft: &UnsentReview, version: u64) {
        if let Err(TrySendError::Full(_)) = self.unsaved.try_send(Some(draft.clone())) {
            self.tell(TabMessage::Problem {
                text: "Your comments cannot be saved: the disk does not answer.".to_owned(),
            });
        }
        self.tell(TabMessage::Draft { version });
    }

    /// Another text is shown: what it covers is asked of the session, and the plan check looks at it.
    pub(crate) fn text_changed(&self, text: &str) {
        self.read_contract(text, None);
        let notes = self.host.check(text);
        let hash = Hash::of(text.as_bytes());
        let mut current = self.current();
        if let Some(live) = current.live.as_mut().filter(|live| live.draft.hash() == hash) {
            live.notes = Some(notes);
        }
        drop(current);
        self.tell(TabMessage::Notes);
    }

    /// Asks the session what a text, or these of its steps, would cover.
    pub(crate) fn read_contract(&self, text: &str, steps: Option<Vec<u32>>) {
        let added = {
            let current = self.current();
            let Some(live) = &current.live else { return };
            if live.asked.agent.is_some() {
                return;
            }
            live.draft.review().grants.added_as_typed()
        };
        if let Err(text) = self.host.send(Command::ReadContract { text: text.to_owned(), steps, added }) {
            self.tell(TabMessage::Problem { text });
        }
    }
}

impl std::fmt::Debug for SiteState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SiteState").field("port", &self.port).finish_non_exhaustive()
    }
}

/// Ends when the site is gone and everything is written.
fn keep_all(host: &dyn ReviewHost, drafts: &Receiver<Option<UnsentReview>>, tabs: &broadcast::Sender<TabMessage>) {
    while let Ok(draft) = drafts.recv() {
        if let Err(why) = host.keep(draft.as_ref()) {
            let _ = tabs.send(TabMessage::Problem { text: format!("Your comments cannot be saved: {why}") });
        }
    }
}
