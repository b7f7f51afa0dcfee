//! Reads a transcript once, line by line, into the state it means. Never keeps what the model no longer sees.

mod last_cut;
mod lines;
mod marks;
mod report;
mod traces;

pub(crate) use last_cut::looks_like;
pub(crate) use lines::TranscriptLines;
pub(crate) use marks::PromptMarks;
pub use report::{FoldReport, Torn};
pub(crate) use traces::{MAX_REHEARSALS, PlanTraces};

use crate::{
    entry::{
        self, BodyRef, Cut, EntryId, EntryRef, KeptContent, LineReading, MessageRef, SessionHeader, StoredMessage, Todo,
    },
    error::{Result, StoreError},
};
use fore_plan::{Applied, Change, State};
use std::{fs::File, path::Path};

/// Everything that a transcript means now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoldedTranscript {
    /// Which session it is; none when the first line is damaged.
    pub header: Option<SessionHeader>,
    /// How planning stands.
    pub state: State,
    /// Why the conversation does not go back further, if it was cut.
    pub cut: Option<Cut>,
    /// What the model still sees, oldest first.
    pub conversation: Vec<StoredMessage>,
    /// Where the prompts in it begin.
    pub(crate) marks: PromptMarks,
    /// What is to do.
    pub todos: Vec<Todo>,
    /// Copies of the plan.
    pub(crate) traces: PlanTraces,
    /// The newest entry that was understood.
    pub last: Option<EntryId>,
    /// How well it could be read.
    pub report: FoldReport,
}

/// How far to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldUntil {
    /// All of it.
    End,
    /// This entry is the last one that counts.
    Entry(EntryId),
}

/// Folds a whole transcript.
pub(crate) fn fold(file: &File, path: &Path, until: FoldUntil) -> Result<FoldedTranscript> {
    let guess = match until {
        FoldUntil::End => last_cut::guess(file).map_err(StoreError::io("read", path))?,
        FoldUntil::Entry(_) => None,
    };
    let (folded, guess_held) = fold_with(file, path, until, guess)?;
    if guess_held {
        return Ok(folded);
    }
    // The line that looked like the last cut was damaged: the conversation goes back to an earlier one.
    Ok(fold_with(file, path, until, None)?.0)
}

fn fold_with(file: &File, path: &Path, until: FoldUntil, guess: Option<u64>) -> Result<(FoldedTranscript, bool)> {
    let mut fold =
        TranscriptFold { visible_from: guess.unwrap_or(0), guess_held: guess.is_none(), ..TranscriptFold::default() };
    let mut lines = lines::TranscriptLines::new(file);
    // A broken line is only known to be the tail once nothing follows it.
    let mut doubtful: Option<(u64, Torn)> = None;
    while let Some(line) = lines.next().map_err(StoreError::io("read", path))? {
        if let Some((number, _)) = doubtful.take() {
            fold.folded.report.add_broken(number);
        }
        let damaged = line.is_complete || !is_beginning(line.bytes);
        let tail = Torn { at: line.offset, bytes: line.length, damaged };
        if !line.is_complete || fold.line(line.offset, line.bytes) == Understood::Broken {
            doubtful = Some((line.number, tail));
        } else if until == fold.folded.last.map_or(FoldUntil::End, FoldUntil::Entry) {
            break;
        }
    }
    fold.folded.report.torn = doubtful.map(|(_, tail)| tail);
    Ok((fold.folded, fold.guess_held))
}

/// Whether these bytes may be an entry whose writing was interrupted. Anything else at the end was damaged later.
fn is_beginning(bytes: &[u8]) -> bool {
    match serde_json::from_slice::<serde::de::IgnoredAny>(bytes) {
        Ok(_) => true,
        Err(error) => error.is_eof() && !bytes.is_empty(),
    }
}

#[derive(Debug, Default)]
struct TranscriptFold {
    folded: FoldedTranscript,
    visible_from: u64,
    guess_held: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Understood {
    Yes,
    Broken,
}

impl TranscriptFold {
    fn line(&mut self, offset: u64, bytes: &[u8]) -> Understood {
        let report = &mut self.folded.report;
        let keep = if offset < self.visible_from { KeptContent::Marked } else { KeptContent::Content };
        match entry::read(bytes, keep) {
            LineReading::Entry(line) => {
                report.entries += 1;
                self.entry(offset, line);
            }
            LineReading::UnknownKind => report.unknown += 1,
            LineReading::Newer { version } => {
                report.unknown += 1;
                report.newer_version = report.newer_version.max(Some(version));
            }
            LineReading::Broken => return Understood::Broken,
        }
        Understood::Yes
    }

    fn entry(&mut self, offset: u64, line: EntryRef<'_>) {
        self.folded.last = Some(line.id);
        match line.body {
            BodyRef::Session(header) => {
                self.folded.header.get_or_insert(header);
            }
            BodyRef::Change(change) => self.change(&change),
            BodyRef::Message(message) => self.message(offset, line.id, message),
            BodyRef::Todos(todos) => self.folded.todos = todos,
            BodyRef::Note | BodyRef::Shown(_) => {}
            BodyRef::Rehearsal(rehearsal) => self.folded.traces.note_rehearsal(rehearsal),
            BodyRef::Work(work) => self.folded.traces.note_work(work),
            BodyRef::Report(_) => {}
            BodyRef::Cut(cut) => {
                self.guess_held |= offset == self.visible_from;
                self.folded.conversation = Vec::new();
                self.folded.marks.cut();
                self.folded.cut = Some(cut);
                self.apply(&Change::ContextCut);
            }
            BodyRef::Rewind(rewind) => {
                let stay = self.folded.marks.go_back(rewind.from);
                self.folded.conversation.truncate(stay);
                self.apply(&rewind.change());
            }
        }
    }

    fn apply(&mut self, change: &Change) {
        if let Applied::Ignored(_) = self.folded.state.apply(change) {
            self.folded.report.ignored += 1;
        }
    }

    fn change(&mut self, change: &Change) {
        self.apply(change);
        self.folded.traces.note(change);
        self.folded.marks.note(change, &self.folded.state);
    }

    fn message(&mut self, offset: u64, id: EntryId, message: MessageRef<'_>) {
        if let (Some(mark), Some(content)) = (message.plan, message.content) {
            self.folded.traces.note_message(mark, content);
        }
        if offset >= self.visible_from
            && let Some(message) = message.to_message()
        {
            self.folded.conversation.push(message.for_the_model());
            self.folded.marks.add_message(id);
        }
    }
}
