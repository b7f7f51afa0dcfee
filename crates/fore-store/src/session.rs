//! A session on disk: what happens is saved first and true afterwards, so memory never runs ahead of the file.

mod fork;
mod list;
mod overview;
mod plans;
mod recent;
mod resume;

pub use fork::fork;
pub use list::{SessionSummary, holder, ids, list, path_of, summary_of};
pub use overview::{KeptRevision, PlanHistory, SessionOverview, overview};
pub use plans::random_slugs;
pub use recent::recent;
pub use resume::{PlanOnResume, RecoveredFrom, Resumed, resume};

use crate::{
    audit::{AuditLine, AuditLog},
    claim::Claim,
    entry::{self, Cut, Entry, EntryBody, Rehearsal, SessionHeader, SessionId, SessionNote, StoredMessage, Todo},
    error::{Result, StoreError},
    fold::{FoldUntil, FoldedTranscript, PlanTraces, PromptMarks},
    home::Home,
    plan_file::PlanFolder,
    revisions,
    transcript::Transcript,
};
use fore_plan::{Applied, Change, Level, ModeEvent, Openings, SessionRole, State, WorkRecord, report::Report};
use std::{path::Path, sync::Arc};

/// The places a session writes to.
#[derive(Clone, Debug)]
pub struct SessionFolders {
    /// Our own files.
    pub home: Arc<Home>,
    /// Where plans go.
    pub plans: PlanFolder,
}

/// How a session begins.
#[derive(Clone, Debug)]
pub struct SessionStart {
    /// The level beneath planning.
    pub level: Level,
    /// Whether it plans from the start.
    pub planning: bool,
    /// Which levels it may use at all.
    pub openings: Openings,
    /// Whether it leads, follows, or is alone.
    pub role: SessionRole,
}

/// A live session: this process alone writes it.
#[derive(Debug)]
pub struct Session {
    id: SessionId,
    places: SessionFolders,
    transcript: Transcript,
    audit: AuditLog,
    claim: Option<Claim>,
    /// Shared with whoever looked at it: what they saw stays as it was.
    state: Arc<State>,
    cut: Option<Cut>,
    conversation: Vec<StoredMessage>,
    marks: PromptMarks,
    todos: Vec<Todo>,
    traces: PlanTraces,
    /// Lines that are missing in the audit log since somebody was last told, and why the last of them is.
    unaudited: Option<(u32, String)>,
}

impl Session {
    /// Begins a session for a workspace.
    pub fn create(places: &SessionFolders, folder: &Path, start: SessionStart) -> Result<Session> {
        let id = SessionId::fresh();
        let folder = folder.to_str().ok_or_else(|| StoreError::NotUnicode { path: folder.to_owned() })?.to_owned();
        let mut transcript = Transcript::draft(&places.home.sessions, id)?;
        let header = SessionHeader { session: id, folder, created: entry::now(), forked_from: None };
        let started = Change::Started {
            level: start.level,
            planning: start.planning,
            openings: start.openings,
            role: start.role,
        };
        transcript.append(&Entry::now(header))?;
        transcript.append(&Entry::now(started.clone()))?;
        let folded = FoldedTranscript { state: State::fold_all([&started]), ..FoldedTranscript::default() };
        Session::over(places, id, transcript.publish()?, folded)
    }

    fn over(
        places: &SessionFolders,
        id: SessionId,
        transcript: Transcript,
        folded: FoldedTranscript,
    ) -> Result<Session> {
        let audit = AuditLog::open(&places.home)?;
        let FoldedTranscript { state, cut, conversation, marks, todos, traces, .. } = folded;
        Ok(Session {
            id,
            places: places.clone(),
            transcript,
            audit,
            claim: None,
            state: Arc::new(state),
            cut,
            conversation,
            marks,
            todos,
            traces,
            unaudited: None,
        })
    }

    /// Reads a session without taking it, also while another process has it.
    pub fn read(home: &Home, id: SessionId) -> Result<FoldedTranscript> {
        Transcript::read(&home.sessions, id, FoldUntil::End)
    }

    /// Removes a session for good. One that is in use is refused; its plans and their revisions stay.
    pub fn remove(home: &Home, id: SessionId) -> Result<()> {
        Transcript::remove(&home.sessions, id)
    }

    /// Names it.
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// Where its transcript is.
    pub fn path(&self) -> &Path {
        self.transcript.path()
    }

    /// What the transcript amounts to at this moment; a clone is cheap and stays as it is.
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// What the model still sees, oldest first.
    pub fn conversation(&self) -> &[StoredMessage] {
        &self.conversation
    }

    /// Why the conversation does not go back further.
    pub fn cut(&self) -> Option<&Cut> {
        self.cut.as_ref()
    }

    /// What is to do.
    pub fn todos(&self) -> &[Todo] {
        &self.todos
    }

    /// Saves a change and then folds it in. One that does not fit is neither.
    pub fn record(&mut self, change: Change) -> Result<Applied> {
        let mut next = State::clone(&self.state);
        if let Applied::Ignored(why) = next.apply(&change) {
            return Ok(Applied::Ignored(why));
        }
        if let Change::PlanWritten { text, revision, .. } = &change {
            let kept = revisions::keep(&self.places.home.revisions, text)?;
            if kept != revision.hash {
                return Ok(Applied::Ignored("the text is not the one the revision names"));
            }
        }
        self.transcript.append(&Entry::now(change.clone()))?;
        let (from, to) = (self.state.mode(), next.mode());
        self.state = Arc::new(next);
        self.traces.note(&change);
        self.marks.note(&change, &self.state);
        if let Some(event) = change.mode_event() {
            self.audit_line(AuditLine::mode(self.id, ModeEvent { from, to, ..event }));
        }
        Ok(Applied::Yes)
    }

    /// Saves something that was said.
    pub fn append_message(&mut self, message: StoredMessage) -> Result<()> {
        let entry = Entry::now(message);
        self.transcript.append(&entry)?;
        if let EntryBody::Message(message) = entry.body {
            if let Some(mark) = message.plan {
                self.traces.note_message(mark, &message.content);
            }
            self.conversation.push(message.for_the_model());
            self.marks.add_message(entry.id);
        }
        Ok(())
    }

    /// Lets what the model sees start again here.
    pub fn cut_context(&mut self, cut: Cut) -> Result<()> {
        self.transcript.append(&Entry::now(cut.clone()))?;
        let _ = Arc::make_mut(&mut self.state).apply(&Change::ContextCut);
        self.conversation.clear();
        self.marks.cut();
        self.cut = Some(cut);
        Ok(())
    }

    /// Whether there is a prompt since the last cut that could be taken back.
    pub fn may_rewind(&self) -> bool {
        self.marks.rewind(&self.conversation).is_some()
    }

    /// Takes the last prompt of the person back, with all that came of it: the model no longer sees it. Gives the messages
    /// that were taken back, oldest first; none if there is no prompt since the last cut.
    pub fn rewind(&mut self) -> Result<Option<Vec<StoredMessage>>> {
        let Some(rewind) = self.marks.rewind(&self.conversation) else { return Ok(None) };
        self.transcript.append(&Entry::now(rewind.clone()))?;
        let _ = Arc::make_mut(&mut self.state).apply(&rewind.change());
        let stay = self.marks.go_back(rewind.from);
        Ok(Some(self.conversation.split_off(stay.min(self.conversation.len()))))
    }

    /// Writes down another list of what is to do.
    pub fn set_todos(&mut self, todos: Vec<Todo>) -> Result<()> {
        self.transcript.append(&Entry::now(todos.clone()))?;
        self.todos = todos;
        Ok(())
    }

    /// Writes down what a command that was tried came to.
    pub fn note_rehearsal(&mut self, rehearsal: Rehearsal) -> Result<()> {
        self.transcript.append(&Entry::now(rehearsal.clone()))?;
        self.traces.note_rehearsal(rehearsal);
        Ok(())
    }

    /// Writes down what was done for the plan that is carried out.
    pub fn note_work(&mut self, work: WorkRecord) -> Result<()> {
        self.transcript.append(&Entry::now(work.clone()))?;
        self.traces.note_work(work);
        Ok(())
    }

    /// Keeps a report with its plan.
    pub fn note_report(&mut self, report: Report) -> Result<()> {
        self.transcript.append(&Entry::now(report))
    }

    /// What was done since the plan was approved, oldest first; bounded.
    pub fn work(&self) -> &[WorkRecord] {
        &self.traces.work
    }

    /// Writes down what the person was shown besides messages.
    pub fn note_shown(&mut self, shown: serde_json::Value) -> Result<()> {
        self.transcript.append(&Entry::now(EntryBody::Shown(shown)))
    }

    /// What was tried since planning began, oldest first; bounded.
    pub fn rehearsals(&self) -> &[Rehearsal] {
        &self.traces.rehearsals
    }

    /// Writes a remark for people who look into the file.
    pub(crate) fn note(&mut self, topic: &str, text: &str) -> Result<()> {
        let note = SessionNote { topic: topic.to_owned(), text: text.chars().take(4096).collect() };
        self.transcript.append(&Entry::now(EntryBody::Note(note)))
    }

    /// Writes to the audit log. That this failed is noted in the transcript: what happened has happened.
    pub fn audit_line(&mut self, line: AuditLine) {
        if let Err(error) = self.audit.append(line) {
            let why = error.to_string();
            let _ = self.note("audit", &why);
            let missing = self.unaudited.take().map_or(0, |(missing, _)| missing);
            self.unaudited = Some((missing.saturating_add(1), why));
        }
    }

    /// How many lines could not be written to the audit log since this was last asked, and why; none if all are there.
    pub fn take_unaudited(&mut self) -> Option<(u32, String)> {
        self.unaudited.take()
    }

    /// Makes everything so far survive a power cut; for the end of a turn.
    pub fn sync(&mut self) -> Result<()> {
        self.transcript.sync()
    }
}
