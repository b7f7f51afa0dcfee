//! The conversation: a fold over events into blocks that are kept, lines that are printed once, and what goes on now.
//!
//! It draws and remembers; it sends nothing and decides nothing.

mod answer_progress;
mod block;
mod draw;
mod export;
mod fold;
mod live;
mod live_state;
mod parallel_calls;
mod speech;

pub use answer_progress::writing;
pub(crate) use block::Welcome;
pub(crate) use block::{BlockFold, CurrentPlan, DecidedPlan, EndedCall, PromptDelivery, StoryBlock};

pub(crate) use export::fenced;

use crate::{
    paint,
    theme::{Sign, Theme},
    view::Tail,
};
use fore_agent::{Command, PromptTiming};
use fore_plan::{CalledTool, Level, Mode, ModeEvent};
use live_state::LiveState;
use ratatui::text::{Line, Span};
use speech::{Rest, Speech};
use std::{collections::VecDeque, sync::Arc, time::Instant};

/// Bytes of blocks that are kept; the oldest go first. They stay in the terminal's scrollback and in the transcript.
const MAX_KEPT_BYTES: usize = 16 << 20;
/// Blocks that wait to be printed; a screen that takes none loses the oldest.
const MAX_UNPRINTED: usize = 20_000;
/// Blocks and bytes of words that wait to be printed before a screen is behind.
const MAX_BEHIND: usize = 256;
const MAX_BEHIND_BYTES: usize = 64 << 10;
/// Bytes at the end of a speech that goes on which are laid out anew.
const MAX_TAIL_BYTES: usize = 256 << 10;

/// The conversation of one session.
#[derive(Debug)]
pub(crate) struct Story {
    blocks: VecDeque<Arc<StoryBlock>>,
    bytes: usize,
    unprinted: VecDeque<Printed>,
    /// The newest change of mode while nothing has followed it: another one takes its place.
    held: Option<ModeEvent>,
    /// What was printed last, for the empty line between two blocks.
    last: LastPrinted,
    /// What the model is saying.
    speech: Option<Speech>,
    now: LiveState,
    mode: Mode,
    editor: Option<String>,
    is_asking: bool,
    /// The time, as it was told last.
    clock: Option<Instant>,
    /// Who answers.
    model: String,
    fold: BlockFold,
}

/// Something to be printed.
#[derive(Debug)]
enum Printed {
    Block(Arc<StoryBlock>),
    /// Words that are not printed to their end.
    Rest(Box<Rest>),
}

/// What stands right above the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastPrinted {
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
    pub(crate) fn new() -> Story {
        Story {
            blocks: VecDeque::new(),
            bytes: 0,
            unprinted: VecDeque::new(),
            held: None,
            last: LastPrinted::Nothing,
            speech: None,
            now: LiveState::default(),
            mode: Mode::At(Level::Default),
            editor: None,
            is_asking: false,
            clock: None,
            model: String::new(),
            fold: BlockFold::Folded,
        }
    }

    /// The editor that a shown plan names ([`crate::host::TerminalHost::editor`]).
    pub(crate) fn set_editor(&mut self, editor: Option<String>) {
        self.editor = editor;
    }

    /// The time: what goes on says how long it takes.
    pub(crate) fn set_clock(&mut self, now: Instant) {
        self.clock = Some(now);
    }

    /// Who answers in the mode that holds.
    pub(crate) fn set_model(&mut self, model: Option<String>) {
        self.model = model.unwrap_or_default();
    }

    /// Lines are read one after the other: nothing can be opened, and nothing is drawn twice.
    pub(crate) fn set_plain(&mut self) {
        self.fold = BlockFold::Lines;
    }

    /// A question is on the screen: the model waits, and does not think.
    pub(crate) fn set_asking(&mut self, is_asking: bool) {
        self.is_asking = is_asking;
    }

    /// What the person sent: marks prompts that steer, and keeps the comments that go with a decision.
    pub(crate) fn sent(&mut self, command: &Command) {
        match command {
            Command::Prompt { text, when: PromptTiming::Steer } => self.now.steers(text),
            Command::Approval(response) => self.now.response = Some(response.clone()),
            Command::Interrupt => self.stop(),
            _ => {}
        }
    }

    /// The person stopped the turn: until it has ended, nothing more of what is said is printed. A few last words are,
    /// then; of more it is told how much there is.
    pub(crate) fn stop(&mut self) {
        self.now.is_stopping = self.now.is_running;
    }

    /// What the terminal itself says.
    pub(crate) fn note(&mut self, block: StoryBlock) {
        self.keep(block);
    }

    /// Whether anything runs, in a turn or beside one.
    pub(crate) fn is_busy(&self) -> bool {
        self.now.is_running || self.now.is_summarising || !self.now.calls.is_empty()
    }

    pub(crate) fn is_summarising(&self) -> bool {
        self.now.is_summarising
    }

    /// Whether prompts wait behind the turn.
    pub(crate) fn has_waiting(&self) -> bool {
        !self.now.waiting.is_empty()
    }

    /// Whether a command of the person's own runs.
    pub(crate) fn has_own_command(&self) -> bool {
        self.now.calls.iter().any(|running| running.tool == CalledTool::Typed)
    }

    /// Everything that is kept, oldest first.
    #[cfg(test)]
    pub(crate) fn blocks(&self) -> impl DoubleEndedIterator<Item = &StoryBlock> {
        self.blocks.iter().map(AsRef::as_ref)
    }

    /// The same, to be kept elsewhere.
    pub(crate) fn shared(&self) -> Vec<Arc<StoryBlock>> {
        let held = self.held.iter().map(|change| Arc::new(StoryBlock::Mode(change.clone())));
        self.blocks.iter().cloned().chain(held).collect()
    }

    /// The mode of a session that is not introduced.
    pub(crate) fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// A plan was handed in, and nothing was decided about it yet.
    pub(crate) fn has_plan_waiting(&self) -> bool {
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
    pub(crate) fn settle(&mut self) {
        if let Some(change) = self.held.take() {
            self.keep(StoryBlock::Mode(change));
        }
    }

    /// Lines that will not change any more, in order, each given once.
    pub(crate) fn take_printed(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        while self.has_unprinted() {
            self.print_next(width, theme, &mut lines);
        }
        lines
    }

    /// The next few of them: a block, or some words of a long one.
    pub(crate) fn take_next(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        self.print_next(width, theme, &mut lines);
        lines
    }

    /// Whether [`Story::take_printed`] has not taken everything.
    pub(crate) fn has_unprinted(&self) -> bool {
        let has_words = || self.speech.as_ref().is_some_and(|speech| !speech.unread().is_empty());
        !self.unprinted.is_empty() || (!self.now.is_stopping && has_words())
    }

    /// Whether so much waits to be printed that nothing more should be heard meanwhile.
    pub(crate) fn is_behind(&self) -> bool {
        if self.now.is_stopping {
            return false;
        }
        let rest = match self.unprinted.front() {
            Some(Printed::Rest(rest)) => rest.unread().len(),
            Some(Printed::Block(_)) | None => 0,
        };
        let words = self.speech.as_ref().map_or(0, |speech| speech.unread().len());
        self.unprinted.len() > MAX_BEHIND || rest + words > MAX_BEHIND_BYTES
    }

    fn print_next(&mut self, width: u16, theme: &Theme, lines: &mut Vec<Line<'static>>) {
        match self.unprinted.pop_front() {
            Some(Printed::Block(block)) => match Rest::of_long(&block) {
                Some(rest) => self.unprinted.push_front(Printed::Rest(Box::new(rest))),
                None => self.print_block(&block, width, theme, lines),
            },
            Some(Printed::Rest(mut rest)) => {
                let is_last = rest.unread().is_empty();
                let drawn = match is_last {
                    true => rest.finish(inside(width), theme),
                    false => rest.read_on(inside(width), theme),
                };
                self.print_speech(drawn, width, theme, lines);
                match is_last {
                    true => self.last = LastPrinted::Other,
                    false => self.unprinted.push_front(Printed::Rest(rest)),
                }
            }
            None if self.now.is_stopping => {}
            None => {
                let drawn = self.speech.as_mut().map(|speech| speech.read_on(inside(width), theme));
                self.print_speech(drawn.unwrap_or_default(), width, theme, lines);
            }
        }
    }

    /// The end of what is printed, drawn for this width: for a screen that lost its place. What [`Story::take_printed`] has
    /// not given yet is no part of it. Counted at another width it is more rows than asked for where they are narrower now,
    /// and never fewer.
    pub(crate) fn tail(&self, tail: Tail, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut blocks = VecDeque::new();
        let mut count = 0;
        for block in self.blocks.iter().rev().skip(self.unprinted.len()) {
            if count >= tail.rows {
                break;
            }
            count += block.lines(BlockFold::Folded, width.max(tail.counted_at), theme).len();
            blocks.push_front(block);
        }
        let words = match (self.unprinted.front(), &self.speech) {
            (Some(Printed::Rest(rest)), _) => Some(rest.read()),
            (None, Some(speech)) => Some(speech.read()),
            (Some(Printed::Block(_)), _) | (None, None) => None,
        };
        let drawn = |width: u16| {
            let mut again = Story::new();
            again.unprinted.extend(blocks.iter().map(|block| Printed::Block(Arc::clone(block))));
            again.speech = words.map(|words| Speech::of(fore_text::cut::last_lines(words, MAX_TAIL_BYTES)));
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

    fn print_block(&mut self, block: &StoryBlock, width: u16, theme: &Theme, lines: &mut Vec<Line<'static>>) {
        let drawn = block.lines(self.fold, width, theme);
        if drawn.is_empty() {
            return;
        }
        let is_short = matches!(block, StoryBlock::Call(_) | StoryBlock::Agent(_) | StoryBlock::Thought { .. })
            && drawn.len() <= 2;
        let is_joined = is_short && self.last == LastPrinted::Short;
        if self.last != LastPrinted::Nothing && !is_joined {
            lines.push(Line::default());
        }
        self.last = if is_short { LastPrinted::Short } else { LastPrinted::Other };
        lines.extend(drawn);
    }

    /// A speech goes on beneath what came in between, with a bullet of its own.
    fn print_speech(&mut self, drawn: Vec<Line<'static>>, width: u16, theme: &Theme, lines: &mut Vec<Line<'static>>) {
        let drawn = self.spoken(drawn, width, theme);
        if drawn.is_empty() {
            return;
        }
        if !matches!(self.last, LastPrinted::Nothing | LastPrinted::Speech) {
            lines.push(Line::default());
        }
        self.last = LastPrinted::Speech;
        lines.extend(drawn);
    }

    /// Lines of a speech beneath its bullet, which only the first one has.
    fn spoken(&self, lines: Vec<Line<'static>>, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        if self.last == LastPrinted::Speech {
            return draw::signed(Span::raw(""), lines, width);
        }
        let lines = lines.into_iter().skip_while(paint::is_blank).collect();
        draw::signed(Span::raw(theme.sign(Sign::Bullet)), lines, width)
    }

    fn keep(&mut self, block: StoryBlock) {
        self.settle();
        let block = Arc::new(block);
        self.remember(Arc::clone(&block));
        self.print(Printed::Block(block));
    }

    fn print(&mut self, printed: Printed) {
        if self.unprinted.len() >= MAX_UNPRINTED {
            self.unprinted.pop_front();
        }
        self.unprinted.push_back(printed);
    }

    fn remember(&mut self, block: Arc<StoryBlock>) {
        self.bytes = self.bytes.saturating_add(block.bytes());
        self.blocks.push_back(block);
        while self.bytes > MAX_KEPT_BYTES && self.blocks.len() > 1 {
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
