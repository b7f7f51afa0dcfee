//! Reads a transcript once, line by line, into the state it means. Never keeps what the model no longer sees.

mod last_cut;
mod lines;
mod marks;
mod report;
mod traces;

pub(crate) use last_cut::looks_like;
pub(crate) use lines::Lines;
pub use marks::Marks;
pub use report::{Report, Torn};
pub use traces::{PlanTraces, Snapshot};

use crate::{
    entry::{self, BodyRef, Cut, EntryId, Header, Keep, Line, Message, MessageRef, Reading, Todo},
    error::{Result, StoreError},
};
use fore_plan::{Applied, Change, State};
use std::{fs::File, path::Path};

/// Everything that a transcript means now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folded {
    pub header: Option<Header>,
    pub state: State,
    /// Why the conversation does not go back further, if it was cut.
    pub cut: Option<Cut>,
    /// What the model still sees, oldest first.
    pub conversation: Vec<Message>,
    /// Where the prompts in it begin.
    pub marks: Marks,
    pub todos: Vec<Todo>,
    pub traces: PlanTraces,
    /// The newest entry that was understood.
    pub last: Option<EntryId>,
    pub report: Report,
}

/// How far to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    End,
    /// This entry is the last one that counts.
    Entry(EntryId),
}

/// Folds a whole transcript.
pub fn fold(file: &File, path: &Path, until: Until) -> Result<Folded> {
    let guess = match until {
        Until::End => last_cut::guess(file).map_err(StoreError::io("read", path))?,
        Until::Entry(_) => None,
    };
    let (folded, guess_held) = fold_with(file, path, until, guess)?;
    if guess_held {
        return Ok(folded);
    }
    // The line that looked like the last cut was damaged: the conversation goes back to an earlier one.
    Ok(fold_with(file, path, until, None)?.0)
}

fn fold_with(file: &File, path: &Path, until: Until, guess: Option<u64>) -> Result<(Folded, bool)> {
    let mut fold = Fold { visible_from: guess.unwrap_or(0), guess_held: guess.is_none(), ..Fold::default() };
    let mut lines = lines::Lines::new(file);
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
        } else if until == fold.folded.last.map_or(Until::End, Until::Entry) {
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
struct Fold {
    folded: Folded,
    visible_from: u64,
    guess_held: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Understood {
    Yes,
    Broken,
}

impl Fold {
    fn line(&mut self, offset: u64, bytes: &[u8]) -> Understood {
        let report = &mut self.folded.report;
        let keep = if offset < self.visible_from { Keep::Marked } else { Keep::Content };
        match entry::read(bytes, keep) {
            Reading::Entry(line) => {
                report.entries += 1;
                self.entry(offset, line);
            }
            Reading::UnknownKind => report.unknown += 1,
            Reading::Newer { version } => {
                report.unknown += 1;
                report.newer_version = report.newer_version.max(Some(version));
            }
            Reading::Broken => return Understood::Broken,
        }
        Understood::Yes
    }

    fn entry(&mut self, offset: u64, line: Line<'_>) {
        self.folded.last = Some(line.id);
        match line.body {
            BodyRef::Session(header) => {
                self.folded.header.get_or_insert(header);
            }
            BodyRef::Change(change) => self.change(&change),
            BodyRef::Message(message) => self.message(offset, line.id, message),
            BodyRef::Todos(todos) => self.folded.todos = todos,
            BodyRef::Note => {}
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
            self.folded.conversation.push(message);
            self.folded.marks.said(id);
        }
    }
}
