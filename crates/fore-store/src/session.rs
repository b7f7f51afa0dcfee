//! A session on disk: what happens is saved first and true afterwards, so memory never runs ahead of the file.

mod fork;
mod list;
mod overview;
mod plans;
mod recent;
mod resume;

pub use fork::fork;
pub use list::{SessionSummary, ids, latest, list, path_of, summary_of};
pub use overview::{KeptRevision, PlanHistory, SessionOverview, overview};
pub use plans::random_slugs;
pub use recent::recent;
pub use resume::{PlanOnResume, RecoveredFrom, Resumed, resume};

use crate::{
    audit::{AuditLine, AuditLog},
    claim::Claim,
    entry::{self, Cut, Entry, EntryBody, SessionHeader, SessionId, SessionNote, StoredMessage, Todo},
    error::{Result, StoreError},
    fold::{FoldUntil, FoldedTranscript, PlanTraces, PromptMarks},
    home::Home,
    plan_file::PlanFolder,
    revisions,
    transcript::Transcript,
};
use fore_plan::{Applied, Change, Level, ModeEvent, Openings, SessionRole, State, plan::Hash};
use std::{path::Path, sync::Arc};

/// The places a session writes to.
#[derive(Clone, Debug)]
pub struct SessionFolders {
    pub home: Arc<Home>,
    pub plans: PlanFolder,
}

/// How a session begins.
#[derive(Clone, Debug)]
pub struct SessionStart {
    pub level: Level,
    pub planning: bool,
    pub openings: Openings,
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
    state: State,
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
            state,
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

    pub fn id(&self) -> SessionId {
        self.id
    }

    pub fn path(&self) -> &Path {
        self.transcript.path()
    }

    pub fn state(&self) -> &State {
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

    pub fn todos(&self) -> &[Todo] {
        &self.todos
    }

    /// Saves a change and then folds it in. One that does not fit is neither.
    pub fn record(&mut self, change: Change) -> Result<Applied> {
        let mut next = self.state.clone();
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
        self.state = next;
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
            self.conversation.push(message);
            self.marks.add_message(entry.id);
        }
        Ok(())
    }

    /// Lets what the model sees start again here.
    pub fn cut_context(&mut self, cut: Cut) -> Result<()> {
        self.transcript.append(&Entry::now(cut.clone()))?;
        let _ = self.state.apply(&Change::ContextCut);
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
        let _ = self.state.apply(&rewind.change());
        let stay = self.marks.go_back(rewind.from);
        Ok(Some(self.conversation.split_off(stay.min(self.conversation.len()))))
    }

    pub fn set_todos(&mut self, todos: Vec<Todo>) -> Result<()> {
        self.transcript.append(&Entry::now(todos.clone()))?;
        self.todos = todos;
        Ok(())
    }

    /// Writes a remark for people who look into the file.
    pub fn note(&mut self, topic: &str, text: &str) -> Result<()> {
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

    /// The text of a revision, of this session or any other.
    pub fn revision_text(&self, hash: Hash) -> Result<Option<String>> {
        revisions::text(&self.places.home.revisions, hash)
    }
}
