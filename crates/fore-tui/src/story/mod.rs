//! The conversation: a fold over events into blocks that are kept, lines that are printed once, and what goes on now.
//!
//! It draws and remembers; it sends nothing and decides nothing.

mod abreast;
mod block;
mod draw;
mod export;
mod fold;
mod live;
mod now;

pub use block::{Agent, Block, Call, CurrentPlan, Decided, Decision, Fold, Way, Welcome};

pub(crate) use export::fenced;

use crate::{
    paint::{self, Stream},
    theme::{Sign, Theme},
    view::Tail,
};
use fore_agent::command::{Command, When};
use fore_plan::{Level, Mode, ModeEvent};
use now::Now;
use ratatui::text::{Line, Span};
use std::{collections::VecDeque, sync::Arc};

/// Bytes of blocks that are kept; the oldest go first. They stay in the terminal's scrollback and in the transcript.
const MOST_KEPT_BYTES: usize = 16 << 20;
/// Blocks that wait to be printed; a screen that takes none loses the oldest.
const MOST_UNPRINTED: usize = 20_000;

/// The conversation of one session.
#[derive(Debug)]
pub struct Story {
    blocks: VecDeque<Arc<Block>>,
    bytes: usize,
    unprinted: VecDeque<Printed>,
    /// The newest change of mode while nothing has followed it: another one takes its place.
    held: Option<ModeEvent>,
    /// What was printed last, for the empty line between two blocks.
    last: Last,
    /// What the model is saying.
    speech: Option<Speech>,
    now: Now,
    mode: Mode,
    editor: Option<String>,
    is_asking: bool,
}

/// Something to be printed.
#[derive(Debug)]
enum Printed {
    Block(Arc<Block>),
    /// The rest of a speech whose beginning is printed already.
    Rest(Box<Speech>),
}

/// Words of the model that are still coming.
#[derive(Debug, Default)]
struct Speech {
    text: String,
    stream: Stream,
}

impl Speech {
    /// A speech of which nothing is printed.
    fn of(text: &str) -> Speech {
        let mut stream = Stream::new();
        stream.push(text);
        Speech { text: text.to_owned(), stream }
    }
}

/// What stands right above the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Nothing,
    /// A line without a body: one like it may follow at once.
    Short,
    /// The beginning of the speech that goes on.
    Speech,
    Other,
}

impl Default for Story {
    fn default() -> Story {
        Story::new()
    }
}

impl Story {
    pub fn new() -> Story {
        Story {
            blocks: VecDeque::new(),
            bytes: 0,
            unprinted: VecDeque::new(),
            held: None,
            last: Last::Nothing,
            speech: None,
            now: Now::default(),
            mode: Mode::At(Level::Default),
            editor: None,
            is_asking: false,
        }
    }

    /// The editor that a shown plan names ([`crate::door::Door::editor`]).
    pub fn set_editor(&mut self, editor: Option<String>) {
        self.editor = editor;
    }

    /// A question is on the screen: the model waits, and does not think.
    pub fn set_asking(&mut self, is_asking: bool) {
        self.is_asking = is_asking;
    }

    /// What the person sent: marks prompts that steer, and keeps the comments that go with a decision.
    pub fn sent(&mut self, command: &Command) {
        match command {
            Command::Prompt { text, when: When::Steer } => self.now.steers(text),
            Command::Approval(response) => self.now.response = Some(response.clone()),
            _ => {}
        }
    }

    /// What the terminal itself says.
    pub fn note(&mut self, block: Block) {
        self.keep(block);
    }

    /// Whether a turn runs.
    pub fn is_running(&self) -> bool {
        self.now.is_running
    }

    /// Whether anything runs, in a turn or beside one.
    pub fn is_busy(&self) -> bool {
        self.now.is_running || self.now.is_summarising || !self.now.calls.is_empty()
    }

    pub fn is_summarising(&self) -> bool {
        self.now.is_summarising
    }

    /// Whether prompts wait behind the turn.
    pub fn has_waiting(&self) -> bool {
        !self.now.waiting.is_empty()
    }

    /// Whether a command of the person's own runs.
    pub fn has_own_command(&self) -> bool {
        self.now.calls.iter().any(|running| running.tool == fold::TYPED)
    }

    /// The mode as the events said last.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Everything that is kept, oldest first.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = &Block> {
        self.blocks.iter().map(AsRef::as_ref)
    }

    /// The same, to be kept elsewhere.
    pub fn shared(&self) -> Vec<Arc<Block>> {
        let held = self.held.iter().map(|change| Arc::new(Block::Mode(change.clone())));
        self.blocks.iter().cloned().chain(held).collect()
    }

    /// The mode of a session that is not introduced.
    pub(crate) fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// A plan was handed in, and nothing was decided about it yet.
    pub fn has_plan_waiting(&self) -> bool {
        self.now.plan.is_some()
    }

    /// A change of mode. While nothing else is said, only where it led in the end is told.
    fn hold(&mut self, change: &ModeEvent) {
        let from = self.held.take().map_or(change.from, |held| held.from);
        if from != change.to {
            self.held = Some(ModeEvent { from, ..change.clone() });
        }
        let is_quiet = !self.now.is_running && self.speech.is_none();
        if !is_quiet && !self.has_plan_waiting() {
            self.settle();
        }
    }

    /// Prints the change of mode that was held back.
    pub fn settle(&mut self) {
        if let Some(change) = self.held.take() {
            self.keep(Block::Mode(change));
        }
    }

    /// Lines that will not change any more, in order, each given once.
    pub fn take_printed(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for printed in std::mem::take(&mut self.unprinted) {
            match printed {
                Printed::Block(block) => self.print_block(&block, width, theme, &mut lines),
                Printed::Rest(mut speech) => {
                    let rest = speech.stream.finish(inside(width), theme);
                    self.print_speech(rest, width, theme, &mut lines);
                    self.last = Last::Other;
                }
            }
        }
        if let Some(speech) = &mut self.speech {
            let finished = speech.stream.take_finished(inside(width), theme);
            self.print_speech(finished, width, theme, &mut lines);
        }
        lines
    }

    /// The end of what is printed, drawn for this width: for a screen that lost its place. To be asked after
    /// [`Story::take_printed`], whose lines it would give once more. Counted at another width it is more rows than asked for
    /// where they are narrower now, and never fewer.
    pub fn tail(&self, tail: Tail, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut blocks = VecDeque::new();
        let mut count = 0;
        for block in self.blocks.iter().rev() {
            if count >= tail.rows {
                break;
            }
            count += block.lines(Fold::Folded, width.max(tail.counted_at), theme).len();
            blocks.push_front(block);
        }
        let drawn = |width: u16| {
            let mut again = Story::new();
            again.unprinted.extend(blocks.iter().map(|block| Printed::Block(Arc::clone(block))));
            again.speech = self.speech.as_ref().map(|speech| Speech::of(&speech.text));
            again.take_printed(width, theme)
        };
        let mut lines = drawn(width);
        let surplus = lines.len().saturating_sub(tail.rows);
        let surplus = match tail.counted_at == width {
            true => surplus,
            // Rows that were not counted took at least as many where they are narrower.
            false => surplus.min(drawn(tail.counted_at).len().saturating_sub(tail.rows)),
        };
        lines.split_off(surplus)
    }

    fn print_block(&mut self, block: &Block, width: u16, theme: &Theme, lines: &mut Vec<Line<'static>>) {
        let drawn = block.lines(Fold::Folded, width, theme);
        if drawn.is_empty() {
            return;
        }
        let is_short = matches!(block, Block::Call(_) | Block::Agent(_) | Block::Thought { .. }) && drawn.len() <= 2;
        let is_joined = is_short && self.last == Last::Short;
        if self.last != Last::Nothing && !is_joined {
            lines.push(Line::default());
        }
        self.last = if is_short { Last::Short } else { Last::Other };
        lines.extend(drawn);
    }

    /// A speech goes on beneath what came in between, with a bullet of its own.
    fn print_speech(&mut self, drawn: Vec<Line<'static>>, width: u16, theme: &Theme, lines: &mut Vec<Line<'static>>) {
        let drawn = self.spoken(drawn, width, theme);
        if drawn.is_empty() {
            return;
        }
        if !matches!(self.last, Last::Nothing | Last::Speech) {
            lines.push(Line::default());
        }
        self.last = Last::Speech;
        lines.extend(drawn);
    }

    /// Lines of a speech beneath its bullet, which only the first one has.
    fn spoken(&self, lines: Vec<Line<'static>>, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        if self.last == Last::Speech {
            return draw::signed(Span::raw(""), lines, width);
        }
        let lines = lines.into_iter().skip_while(paint::is_blank).collect();
        draw::signed(Span::raw(theme.sign(Sign::Bullet)), lines, width)
    }

    fn keep(&mut self, block: Block) {
        self.settle();
        let block = Arc::new(block);
        self.remember(Arc::clone(&block));
        self.print(Printed::Block(block));
    }

    fn print(&mut self, printed: Printed) {
        if self.unprinted.len() >= MOST_UNPRINTED {
            self.unprinted.pop_front();
        }
        self.unprinted.push_back(printed);
    }

    fn remember(&mut self, block: Arc<Block>) {
        self.bytes = self.bytes.saturating_add(block.bytes());
        self.blocks.push_back(block);
        while self.bytes > MOST_KEPT_BYTES && self.blocks.len() > 1 {
            if let Some(oldest) = self.blocks.pop_front() {
                self.bytes = self.bytes.saturating_sub(oldest.bytes());
            }
        }
    }
}

/// Columns beside the sign of a speech.
fn inside(width: u16) -> u16 {
    width.saturating_sub(2).max(1)
}

#[cfg(test)]
mod tests;
