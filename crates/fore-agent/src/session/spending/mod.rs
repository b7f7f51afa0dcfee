//! What a session spends: every answer is written down and added up, and no request is sent past a cap of the person's without their word.
//!
//! Whoever asks a model needs an [`Admission`]. Requests that run side by side reserve the most they may cost, so that all of them
//! together never go over a cap; one that runs alone may, by its own answer.

mod accounts;
mod cache_watch;
mod driver;
mod reserve;

pub(crate) use cache_watch::CacheWatch;
pub(crate) use reserve::{Admission, Asking, NotAdmitted};

use super::{caller::CallerIdentity, session_context::SessionContext};
use crate::{
    budget::BudgetAmount,
    event::{ContextUse, Event, NoticeLevel},
    lock::lock,
    model_handle::ModelHandle,
    settings::SessionSettings,
    spent::{SpendingReport, Spent, WorkEstimate},
};
use accounts::{Account, Accounts, Charge};
use fore_model::{ModelRequest, Usage};
use fore_plan::plan::{Hash, steps};
use fore_store::{Home, SessionId, UsageLine};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{Arc, Mutex, MutexGuard},
    time::{Instant, SystemTime, UNIX_EPOCH},
};
use tokio::sync::Notify;

const MS_PER_DAY: u64 = 86_400_000;
/// Days of the journal that are read: for the sums of a session, of plans, and for estimates.
const READ_DAYS: u64 = 30;
/// The share of a cap, in percent, that is worth a word.
const TOLD_AT_PERCENT: u32 = 80;
/// Bytes of an answer that make about a token.
const BYTES_PER_TOKEN: u64 = 4;

/// What a cap is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CapScope {
    Turn,
    Session,
    Day,
}

/// What a session has spent, and what it may still.
#[derive(Debug)]
pub(crate) struct Spending {
    home: Arc<Home>,
    session: SessionId,
    project: String,
    books: Mutex<Books>,
    /// A request has ended, or a cap was raised.
    changed: Notify,
    /// One question about a cap at a time.
    asking: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Books {
    accounts: Accounts,
    /// How far the journal is read; none before the first time.
    read_to: Option<(u64, u64)>,
    today: u64,
    reserved: BTreeMap<u64, Charge>,
    next_reservation: u64,
    /// By how many times its amount a cap was raised by the person.
    raised: BTreeMap<CapScope, u32>,
    told: BTreeSet<CapScope>,
    /// Models without a price that the person lets answer all the same.
    unpriced: BTreeSet<String>,
    /// The person wants nothing more to be spent in this turn.
    is_refused: bool,
    steps: Option<(Hash, u32)>,
    cache_misses: u32,
    read_anew: u64,
    was_told_of_trouble: bool,
}

/// An answer that came, whole or in part.
#[derive(Debug)]
pub(crate) struct CameBack<'a> {
    pub(crate) model: &'a ModelHandle,
    pub(crate) request: &'a ModelRequest,
    /// As the server counted it, if it did.
    pub(crate) usage: Option<Usage>,
    /// Bytes of text and calls that came.
    pub(crate) bytes: usize,
}

impl CapScope {
    const ALL: [CapScope; 3] = [CapScope::Turn, CapScope::Session, CapScope::Day];

    pub(super) fn setting(self) -> &'static str {
        match self {
            CapScope::Turn => "budget.perTurn",
            CapScope::Session => "budget.perSession",
            CapScope::Day => "budget.perDay",
        }
    }

    fn subject(self) -> &'static str {
        match self {
            CapScope::Turn => "This turn has",
            CapScope::Session => "This session has",
            CapScope::Day => "All sessions of today have",
        }
    }

    fn cap(self, settings: &SessionSettings) -> Option<BudgetAmount> {
        match self {
            CapScope::Turn => settings.cap_per_turn,
            CapScope::Session => settings.cap_per_session,
            CapScope::Day => settings.cap_per_day,
        }
    }
}

impl Spending {
    pub(crate) fn new(home: &Arc<Home>, session: SessionId, project: &Path) -> Spending {
        Spending {
            home: Arc::clone(home),
            session,
            project: project.display().to_string(),
            books: Mutex::default(),
            changed: Notify::new(),
            asking: tokio::sync::Mutex::new(()),
        }
    }

    fn books(&self) -> MutexGuard<'_, Books> {
        lock(&self.books)
    }

    /// What is spent from now on belongs to a new turn.
    pub(crate) fn begin_turn(&self) {
        let mut books = self.books();
        books.accounts.turn = Account::default();
        books.raised.remove(&CapScope::Turn);
        books.told.remove(&CapScope::Turn);
        books.is_refused = false;
    }

    /// Whether the person said no to more in this turn.
    pub(crate) fn is_refused(&self) -> bool {
        self.books().is_refused
    }

    /// Reads what was written since the last time, by every session. The first time it takes a while.
    fn read_journal(&self) -> Result<(), String> {
        let today = now_ms() / MS_PER_DAY;
        let mut books = self.books();
        if books.today != today {
            books.today = today;
            books.accounts.day = Account::default();
            books.raised.remove(&CapScope::Day);
            books.told.remove(&CapScope::Day);
        }
        let from = books.read_to.unwrap_or((today.saturating_sub(READ_DAYS), 0));
        let (lines, end) = UsageLine::since(&self.home, from).map_err(|error| error.to_string())?;
        books.read_to = Some(end);
        for line in &lines {
            books.accounts.add(line, self.session, line.at / MS_PER_DAY == today);
        }
        Ok(())
    }

    /// Writes an answer down. What cannot be written counts all the same; the words say why.
    fn note(&self, line: &UsageLine) -> Option<String> {
        let written = line.add_to(&self.home).map_err(|error| error.to_string());
        let is_known = {
            let mut books = self.books();
            books.accounts.turn.add(line);
            if written.is_err() {
                let is_of_today = line.at / MS_PER_DAY == books.today;
                books.accounts.add(line, self.session, is_of_today);
            }
            books.read_to.is_some()
        };
        // Where nobody has asked yet, nothing is read: the journal has it all.
        let read = if is_known { self.read_journal() } else { Ok(()) };
        let trouble = written.and(read).err()?;
        let is_new = !std::mem::replace(&mut self.books().was_told_of_trouble, true);
        is_new.then(|| format!("What answers cost could not be written down, so `fore usage` is not whole: {trouble}"))
    }

    fn report(&self, settings: &SessionSettings, plan: Option<String>) -> SpendingReport {
        let books = self.books();
        let accounts = &books.accounts;
        let spent = |named: &BTreeMap<String, Account>| -> BTreeMap<String, Spent> {
            named.iter().map(|(name, account)| (name.clone(), account.spent)).collect()
        };
        let of_plan = |name: &String| accounts.plans.get(&(self.project.clone(), name.clone()));
        let caps = CapScope::ALL.into_iter().filter_map(|scope| {
            let cap = books.cap(scope, settings)?;
            Some((scope.setting(), [books.used(scope).in_unit_of(cap), cap]))
        });
        SpendingReport {
            turn: accounts.turn.spent,
            session: accounts.session.spent,
            day: accounts.day.spent,
            plan: plan.as_ref().and_then(of_plan).map(|account| account.spent),
            plan_name: plan,
            models: spent(&accounts.models),
            askers: spent(&accounts.askers),
            caps: caps.collect(),
            cache_misses: books.cache_misses,
            read_anew: books.read_anew,
        }
    }

    /// What came near a cap since it was last said.
    fn near(&self, settings: &SessionSettings) -> Vec<String> {
        let mut books = self.books();
        let mut said = Vec::new();
        for scope in CapScope::ALL {
            let Some(cap) = books.cap(scope, settings) else { continue };
            let used = books.used(scope).in_unit_of(cap);
            if used.reaches(TOLD_AT_PERCENT, cap) && books.told.insert(scope) {
                said.push(format!("{} used {used} of {cap} ({}).", scope.subject(), scope.setting()));
            }
        }
        said
    }
}

impl Books {
    fn used(&self, scope: CapScope) -> Charge {
        match scope {
            CapScope::Turn => self.accounts.turn.charge,
            CapScope::Session => self.accounts.session.charge,
            CapScope::Day => self.accounts.day.charge,
        }
    }

    /// The cap that holds, with what the person added to it.
    fn cap(&self, scope: CapScope, settings: &SessionSettings) -> Option<BudgetAmount> {
        let times = self.raised.get(&scope).copied().unwrap_or(0).saturating_add(1);
        scope.cap(settings).map(|cap| cap.times(times))
    }
}

impl SessionContext {
    /// Counts an answer of a conversation. `context` is how full that of the session is now, if this says something about it.
    pub(crate) fn count(&self, who: &CallerIdentity, came: &CameBack<'_>, context: Option<ContextUse>) {
        let asker = match who {
            CallerIdentity::Main => None,
            CallerIdentity::Agent { kind, .. } => Some(kind.name.clone()),
        };
        let agent = match who {
            CallerIdentity::Main => None,
            CallerIdentity::Agent { id, .. } => Some(id.clone()),
        };
        self.count_as(asker, came);
        self.tell_usage(agent, came, context);
    }

    /// Counts an answer to the program itself.
    pub(crate) fn count_beside(&self, asker: &str, came: &CameBack<'_>) {
        self.count_as(Some(asker.to_owned()), came);
        self.tell_usage(None, came, None);
    }

    fn tell_usage(&self, agent: Option<crate::AgentId>, came: &CameBack<'_>, context: Option<ContextUse>) {
        let (session, context) = self.work.add_usage(came.usage.unwrap_or_default(), context);
        let (model, price) = (came.model.name(), came.model.price());
        self.person.events.send(Event::Usage { agent, model, answer: came.usage, session, context, price });
        for text in self.work.spending.near(&self.setup.live().settings) {
            self.person.notice(NoticeLevel::Warning, text);
        }
    }

    fn count_as(&self, asker: Option<String>, came: &CameBack<'_>) {
        if matches!(came.model, ModelHandle::Scout) {
            return;
        }
        let estimate = || Usage {
            input: came.request.estimated_tokens().likely(),
            output: (came.bytes as u64).div_ceil(BYTES_PER_TOKEN),
            ..Usage::default()
        };
        let Usage { input, output, cached_read, cached_write, reasoning } = came.usage.unwrap_or_else(estimate);
        let (plan, steps) = self.plan_at_work();
        let line = UsageLine {
            at: now_ms(),
            session: self.setup.id,
            project: self.work.spending.project.clone(),
            plan,
            steps,
            agent: asker,
            model: came.model.name().to_string(),
            tokens: [input, output, cached_read, cached_write, reasoning],
            is_estimate: came.usage.is_none(),
            price: came.model.price().map(|price| [price.input, price.output, price.cached_read, price.cached_write]),
        };
        if let Some(why) = self.work.spending.note(&line) {
            self.person.notice(NoticeLevel::Warning, why);
        }
    }

    /// Looks whether the server still had in its cache what it has read before.
    pub(crate) fn watch_cache(&self, watch: &mut CacheWatch, came: &CameBack<'_>) {
        let Some(usage) = came.usage else { return };
        let missed = watch.answered(&came.model.name(), came.request, &usage, Instant::now());
        let Some(missed) = missed else { return };
        {
            let mut books = self.work.spending.books();
            books.cache_misses = books.cache_misses.saturating_add(1);
            books.read_anew = books.read_anew.saturating_add(missed.tokens);
        }
        missed.told.into_iter().for_each(|text| self.person.notice(NoticeLevel::Info, text));
    }

    /// The plan that an answer is about, and how many steps it has if it is carried out.
    fn plan_at_work(&self) -> (Option<String>, Option<u32>) {
        let state = self.ledger.state();
        let Some(plan) = state.plan() else { return (None, None) };
        let is_carried_out = plan.stage.is_carried_out() && !self.ledger.is_planning();
        if !is_carried_out && !plan.stage.is_unfinished_planning() {
            return (None, None);
        }
        let name = Path::new(&plan.path).file_stem().map(|name| name.to_string_lossy().into_owned());
        let Some(hash) = plan.counts().filter(|_| is_carried_out) else { return (name, None) };
        let known = self.work.spending.books().steps.filter(|(of, _)| *of == hash).map(|(_, count)| count);
        let count = known.or_else(|| {
            let count = count_steps(&self.ledger.plan_text(Some(hash))?);
            self.work.spending.books().steps = Some((hash, count));
            Some(count)
        });
        (name, count)
    }

    /// Tells what was spent ([`crate::Command::Spending`]).
    pub(crate) fn tell_spending(&self) {
        if let Err(why) = self.work.spending.read_journal() {
            self.person.notice(NoticeLevel::Warning, format!("What was spent before could not be read: {why}"));
        }
        let report = self.work.spending.report(&self.setup.live().settings, self.plan_at_work().0);
        self.person.events.send(Event::Spending(Box::new(report)));
    }

    /// What the work on a plan with this text may come to; none where nothing is known of other plans. It reads, so it takes a moment.
    pub(crate) fn estimate_work(&self, text: &str) -> Option<WorkEstimate> {
        self.work.spending.read_journal().ok()?;
        let plan = self.plan_at_work().0;
        let books = self.work.spending.books();
        books.accounts.estimate(&self.work.spending.project, plan.as_deref(), count_steps(text))
    }
}

/// A plan without steps is one.
fn count_steps(text: &str) -> u32 {
    u32::try_from(steps(text).len()).unwrap_or(u32::MAX).max(1)
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
