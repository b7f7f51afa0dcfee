//! Says which of the files that a plan names have moved: since it was proposed, and since the work on it stopped.

use super::{approval::now, session_context::SessionContext};
use crate::{
    event::NoticeLevel,
    named_files::{MovedFile, NamedFiles},
};
use fore_plan::{Level, Mode, WorkDone, WorkRecord, approval::Reachable, contract::Contract, plan::Hash};
use fore_sandbox::Opener;
use fore_store::{Home, named_files::NamedBy};
use std::{collections::BTreeSet, path::Path, sync::Arc};

/// Letters of a line that names them.
const MAX_NAMED_CHARS: usize = 300;

/// A plan that is not carried out, because files that it names have moved since it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MovedSince {
    pub(crate) files: Vec<MovedFile>,
    /// Where the repository stood then and stands now, in words, if that differs.
    pub(crate) heads: Option<(String, String)>,
}

/// What has moved since a plan with this text was proposed for this project, by whichever session; none where nothing is known.
pub(crate) fn moved_since(home: &Home, opener: &Opener, project: &Path, plan: Hash) -> Option<MovedSince> {
    let then = NamedFiles::find(home, NamedBy::Plan(plan, project))?;
    let now = then.again(opener, project, now());
    let files = then.moved(&now);
    let heads = then.head.zip(now.head).filter(|(then, now)| then != now);
    Some(MovedSince { files, heads })
}

/// `src/cart.rs (changed, +3 −1), src/total.rs (gone)`
pub(crate) fn named(moved: &[MovedFile]) -> String {
    let all: Vec<String> = moved.iter().map(MovedFile::to_string).collect();
    fore_text::cut::ellipsis(&all.join(", "), MAX_NAMED_CHARS).into_owned()
}

/// The same for the model, a line each.
pub(crate) fn list(moved: &[MovedFile]) -> String {
    let lines: Vec<String> = moved.iter().map(|file| format!("- {file}")).collect();
    lines.join("\n")
}

impl SessionContext {
    fn named_now(&self, contract: &Contract) -> NamedFiles {
        NamedFiles::of(contract, &self.setup.opener(&self.ledger.state()), &self.setup.project, now())
    }

    /// A plan is put before somebody. One that is new is remembered with the files it names; for one that has waited since it was
    /// proposed as `waited`, what has moved. Call it where blocking is allowed, as the others here.
    pub(crate) fn moved_at_request(&self, plan: Hash, contract: &Contract, waited: Option<Hash>) -> Vec<MovedFile> {
        let find = |plan| NamedFiles::find(&self.setup.home, NamedBy::Plan(plan, &self.setup.project));
        let then = waited.and_then(|waited| match find(plan) {
            Some(then) => Some(then),
            None => find(waited).map(|then| self.named_now(contract).edited_since(&then)),
        });
        let then = then.unwrap_or_else(|| self.named_now(contract));
        then.keep(&self.setup.home, NamedBy::Plan(plan, &self.setup.project));
        let now = then.again(&self.setup.opener(&self.ledger.state()), &self.setup.project, now());
        then.moved(&now)
    }

    /// What has moved by the time of a yes. What was approved may have been edited: it is remembered as what was shown.
    pub(crate) fn moved_at_approval(&self, shown: Hash, approved: Hash) -> Option<Vec<MovedFile>> {
        let project = &self.setup.project;
        let then = NamedFiles::find(&self.setup.home, NamedBy::Plan(shown, project))?;
        if approved != shown {
            then.keep(&self.setup.home, NamedBy::Plan(approved, project));
        }
        let now = then.again(&self.setup.opener(&self.ledger.state()), project, now());
        Some(then.moved(&now))
    }

    /// Remembers what the plan that is carried out names as the work leaves it.
    fn remember_work(&self) {
        let state = self.ledger.state();
        let contract = state.plan().filter(|plan| plan.stage.is_carried_out()).and_then(|plan| plan.contract.as_ref());
        if let Some(contract) = contract {
            self.named_now(contract).keep(&self.setup.home, NamedBy::Session(self.setup.id));
        }
    }

    /// Work on a plan begins, or goes on: what somebody changes from now on is theirs, also before the first command. The look is
    /// taken beside the turn; a command that comes before it looks for itself.
    pub(crate) fn begin_watching(self: &Arc<Self>) {
        self.work.watch.forget();
        let there = Arc::clone(self);
        let look = move || {
            there.work.watch.start(&there);
            there.remember_work();
        };
        drop(self.setup.runtime.spawn_blocking(look));
    }

    /// Waits until the look at which the work began is taken: what the person does while a question waits is theirs.
    pub(crate) async fn watched(self: &Arc<Self>) {
        if self.carries_plan_out() {
            let there = Arc::clone(self);
            let _ = self.setup.runtime.spawn_blocking(move || there.work.watch.start(&there)).await;
        }
    }

    /// The same as the work leaves it, beside the loop.
    pub(crate) async fn remember_work_beside(self: &Arc<Self>) {
        if self.carries_plan_out() {
            let there = Arc::clone(self);
            let _ = self.setup.runtime.spawn_blocking(move || there.remember_work()).await;
        }
    }

    /// A session goes on: which files its plan names that somebody else has changed meanwhile.
    pub(crate) fn tell_moved_on_resume(self: &Arc<Self>) {
        let state = self.ledger.state();
        if self.carries_plan_out() {
            self.tell_moved_while_away();
            self.tell_terms();
            self.begin_watching();
        } else if let Some(pending) = state.pending()
            && self.person.reachable() == Reachable::Nobody
        {
            let opener = self.setup.opener(&state);
            let moved = moved_since(&self.setup.home, &opener, &self.setup.project, pending.hash);
            if let Some(moved) = moved.filter(|moved| !moved.files.is_empty()) {
                let text = format!("The plan that waits names files that have changed since: {}.", named(&moved.files));
                self.person.notice(NoticeLevel::Warning, text);
            }
        }
    }

    /// What was approved before still holds: nobody should have to remember that.
    fn tell_terms(&self) {
        let state = self.ledger.state();
        let covers = state.contract().and_then(Contract::summary);
        if let Some(covers) = covers.filter(|_| state.mode() == Mode::At(Level::Default)) {
            let text = format!("A plan is in progress, and what it covers runs without asking: {covers}.");
            self.person.notice(NoticeLevel::Info, text);
        }
    }

    fn tell_moved_while_away(&self) {
        let Some(then) = NamedFiles::find(&self.setup.home, NamedBy::Session(self.setup.id)) else { return };
        let now = then.again(&self.setup.opener(&self.ledger.state()), &self.setup.project, now());
        // A program that was killed could not look once more: what it has done since then is nobody else's.
        let done: BTreeSet<String> = {
            let session = self.ledger.session();
            let later = session.work().iter().filter(|record| record.at >= then.at);
            later.flat_map(touched).collect()
        };
        let moved: Vec<MovedFile> = then.moved(&now).into_iter().filter(|file| !done.contains(&file.path)).collect();
        if moved.is_empty() {
            return;
        }
        let words = named(&moved);
        self.person.notice(NoticeLevel::Warning, format!("Changed since the work on the plan stopped: {words}."));
        let words = format!(
            "While the session was closed, somebody else changed these files that the plan names. Read them again before you \
             continue:\n{}",
            list(&moved)
        );
        self.person.prompts().remind(format!("<system-reminder>\n{words}\n</system-reminder>"));
        self.note_outside((moved.into_iter().map(|file| file.path).collect(), 0));
    }
}

fn touched(record: &WorkRecord) -> Vec<String> {
    match &record.done {
        WorkDone::Edited { path, .. } => vec![path.clone()],
        WorkDone::Ran { changed, .. } | WorkDone::Called { changed, .. } | WorkDone::ChangedOutside { changed, .. } => {
            changed.clone()
        }
    }
}
