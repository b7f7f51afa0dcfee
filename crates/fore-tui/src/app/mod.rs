//! The terminal as a machine without I/O: events and keys in, lines and acts out.
//!
//! It sends commands and asks the program around it for things ([`Act`]); it never does anything itself.

mod away;
mod dialog_queue;
mod hint;
mod keys;
mod listen;
mod pages;
mod plan_review;
mod session_facts;
mod status;
mod submit;

pub use away::NotifyReason;
pub(crate) use dialog_queue::{DialogQueue, DialogSubject, OwnDialog};
pub(crate) use session_facts::{Activity, SessionFacts};
pub(crate) use status::share;
pub(crate) use status::{StatusKeys, status_line};

use crate::{
    composer::{Composer, ComposerFocus, FileSource},
    dialogs::{Dialog, Focus, pager::Pager},
    host::{ModelRow, PageNews, SessionRow},
    keys::{KeyAction, Keymap},
    options::{FirstRunFacts, InitialSession, NotifyOptions, Options},
    paint,
    story::{Story, StoryBlock},
    theme::{TextRole, Theme},
    view::{Space, Tail, View},
};
use fore_agent::{ApprovalAsked, Begin, CommandSender};
use fore_plan::{
    Level, Mode,
    plan::{CheckNote, Hash},
};
use fore_store::{SessionId, UnsentReview};
use hint::Hints;
use ratatui::text::Line;
use std::{path::PathBuf, time::Instant};

/// Rows that a conversation keeps above a dialog, where there are any.
const ROWS_ABOVE_DIALOG: u16 = 3;

/// The whole state of the screen.
#[derive(Debug)]
pub(crate) struct App {
    pub theme: Theme,
    pub keymap: Keymap,
    pub story: Story,
    pub composer: Composer,
    pub facts: SessionFacts,
    pub dialogs: DialogQueue,
    pub(crate) pager: Option<Pager>,
    pub(crate) hints: Hints,
    /// Answers of the session that a slash command waits for.
    pub(crate) plan_follow_ups: Vec<PlanFollowUp>,
    /// Prompts that waited and were given back to be said otherwise.
    returned: Vec<String>,
    acts: Vec<Act>,
    /// The way to the session, while there is one or one begins.
    commands: Option<CommandSender>,
    /// Commands that were sent to any session so far.
    sent: usize,
    /// A prompt was sent to a session that has not begun.
    has_unheard_prompt: bool,
    pub(crate) editor: Option<String>,
    /// The mode that a session picked at the start is resumed in.
    resume_in: Option<Mode>,
    /// The mode of a session that is begun anew.
    fresh_in: Mode,
    /// The first thing to do is to pick a session: without one there is nothing to show.
    is_picking: bool,
    /// The session that begins if the person wants to stop the one that works.
    next: Option<Begin>,
    /// A message that was written while a plan waits, until the person says what becomes of it.
    held_message: Option<String>,
    /// The path of the plan that the editor is open on, and its text by then.
    opening: Option<(String, String)>,
    /// The session that the next one is a copy of.
    copies: Option<CopiedSession>,
    /// It was said that modes are left out while the folder is not trusted.
    has_told_of_trust: bool,
    /// Without dialogs, nothing can be asked before it is done.
    pub(crate) display: crate::options::DisplayMode,
    is_meeting: bool,
    autosave: plan_review::ReviewAutosave,
    /// What the person is asked to vouch for: a server, its tool, and the bytes that they are shown.
    pub(crate) vouching: Option<(String, Option<String>, Hash)>,
    /// The project that the person is asked to trust.
    project: String,
    /// The first plan that waits is shown in the browser without being asked for.
    opens_page: bool,
    /// An answer is on its way from there.
    page_answers: bool,
    spin: usize,
    attention: away::Attention,
    notify_options: NotifyOptions,
}

/// Something the program around the terminal has to do.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// End this session and begin another.
    Begin(Begin),
    /// Keep a prompt for the history.
    Remember(String),
    /// Open the editor on a text; [`HostReply::Edited`] brings it back.
    Edit {
        name: String,
        text: String,
        purpose: EditFor,
    },
    Export {
        path: PathBuf,
        text: String,
    },
    Trust(bool),
    /// Give a text to the clipboard of the terminal.
    Copy(String),
    /// Allow commands that begin so for good in this project.
    AllowAlways(String),
    /// Take back what is allowed for good, or a rule of the person's own.
    Forget(String),
    /// The first-run questions were answered or skipped.
    Welcomed,
    ChooseModel(String),
    /// Use a model of a server of the person's own, at this address.
    UseServer {
        address: String,
        model: String,
    },
    /// Keep what the person wrote about a plan and did not send; nothing takes away what was kept.
    Keep {
        session: SessionId,
        draft: Option<UnsentReview>,
    },
    /// Show the plan that waits on a page of the browser.
    Review(Box<ReviewedPlan>),
    Fetch(HostQuery),
    /// Call somebody who looks elsewhere.
    Notify(NotifyReason),
    Suspend,
    Redraw,
    Leave,
}

/// A plan for the browser, with what was written about it.
#[derive(Clone, Debug)]
pub(crate) struct ReviewedPlan {
    pub(crate) session: SessionId,
    pub(crate) asked: ApprovalAsked,
    pub(crate) draft: UnsentReview,
    pub(crate) commands: CommandSender,
}

/// Whose text the editor had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EditFor {
    Composer,
    Dialog,
    /// The plan of the session (`/plan open`).
    Plan,
}

/// What only the program around the terminal knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostQuery {
    Sessions,
    /// The one with this id, or with the only one that begins like this: it is resumed at once.
    Session(String),
    Models(ModelsFor),
    Permissions,
    Files,
    /// What a server at this address offers.
    Server(String),
    /// What the plan check says of a text.
    Notes(String),
}

/// Why models are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ModelsFor {
    Choosing,
    FirstRun(FirstRunFacts),
}

/// What came of an act.
#[derive(Clone, Debug)]
pub(crate) enum HostReply {
    Edited {
        purpose: EditFor,
        text: Result<String, String>,
    },
    Exported(Result<PathBuf, String>),
    Sessions(Result<Vec<SessionRow>, String>),
    Session(Result<SessionId, String>),
    Models {
        why: ModelsFor,
        rows: Vec<ModelRow>,
    },
    Server {
        address: String,
        models: Result<Vec<ModelRow>, String>,
    },
    /// A server was written into the settings; a session that begins now uses it.
    ServerUsed(Result<String, String>),
    Permissions(Vec<String>),
    Files(Vec<(String, PathBuf)>),
    /// The notes of the plan check on the text with this hash.
    Notes {
        plan: Hash,
        notes: Vec<CheckNote>,
    },
    /// What was written about a plan could not be kept.
    NotKept(String),
    /// Where the plan can be read in the browser.
    Reviewed(Result<String, String>),
    /// Something was done there.
    Page(PageNews),
    /// It is done; the sentence is for the person, if there is one.
    Done(String),
    /// It did not work.
    Failed(String),
    /// The session could not be opened.
    NotBegun(String),
}

impl HostReply {
    pub(crate) fn settled(outcome: Result<String, String>) -> HostReply {
        match outcome {
            Ok(words) => HostReply::Done(words),
            Err(why) => HostReply::Failed(why),
        }
    }
}

/// What a slash command does with the plan once the session has told it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlanFollowUp {
    Show,
    Open,
    Diff,
    Export(PathBuf),
}

/// A session that is copied.
#[derive(Clone, Copy, Debug)]
struct CopiedSession {
    session: SessionId,
    /// What was said in it stands on the screen already.
    is_shown: bool,
}

/// What a start is made of.
#[derive(Debug)]
pub(crate) struct AppSetup {
    pub theme: Theme,
    pub keymap: Keymap,
    pub history: Vec<String>,
    pub files: FileSource,
    pub editor: Option<String>,
}

impl App {
    pub(crate) fn new(setup: AppSetup) -> App {
        let mut story = Story::new();
        story.set_editor(setup.editor.clone());
        App {
            theme: setup.theme,
            keymap: setup.keymap,
            story,
            composer: Composer::new(setup.history, setup.files),
            facts: SessionFacts::default(),
            dialogs: DialogQueue::default(),
            pager: None,
            hints: Hints::default(),
            plan_follow_ups: Vec::new(),
            returned: Vec::new(),
            acts: Vec::new(),
            commands: None,
            sent: 0,
            has_unheard_prompt: false,
            editor: setup.editor,
            resume_in: None,
            fresh_in: Mode::At(Level::Default),
            is_picking: false,
            next: None,
            held_message: None,
            opening: None,
            copies: None,
            has_told_of_trust: false,
            vouching: None,
            display: crate::options::DisplayMode::Full,
            is_meeting: false,
            autosave: plan_review::ReviewAutosave::default(),
            project: String::new(),
            opens_page: false,
            page_answers: false,
            spin: 0,
            attention: away::Attention::default(),
            notify_options: NotifyOptions::default(),
        }
    }

    /// The first steps: a session, or the choice of one; and the first meeting.
    pub(crate) fn begin(&mut self, options: &Options) {
        self.project = options.project.display().to_string();
        self.notify_options = options.notify;
        self.facts.shows_cost = options.shows_cost;
        self.opens_page = options.reviews;
        match &options.start {
            InitialSession::With(begin) => {
                if let Begin::Fresh { mode } = begin {
                    self.fresh_in = *mode;
                }
                self.act(Act::Begin(begin.clone()));
            }
            InitialSession::Pick { mode } => {
                self.resume_in = *mode;
                self.is_picking = true;
                self.act(Act::Fetch(HostQuery::Sessions));
            }
        }
        if let Some(first_run) = options.first_run.clone() {
            self.is_meeting = true;
            self.act(Act::Fetch(HostQuery::Models(ModelsFor::FirstRun(first_run))));
        }
    }

    /// The first-run screen is open or on its way: a first prompt waits for it.
    pub(crate) fn is_meeting(&self) -> bool {
        self.is_meeting
    }

    /// What has to be done now, in order.
    pub(crate) fn take_acts(&mut self) -> Vec<Act> {
        std::mem::take(&mut self.acts)
    }

    pub(crate) fn act(&mut self, act: Act) {
        match &act {
            Act::Begin(Begin::Fork { session, .. }) => {
                let here = self.facts.started.as_ref().map(|started| started.session);
                self.copies = Some(CopiedSession { session: *session, is_shown: here == Some(*session) });
            }
            Act::Begin(_) => self.copies = None,
            Act::Leave => self.story.settle(),
            _ => {}
        }
        self.acts.push(act);
    }

    /// Asks the person. Whoever writes or reads on the whole screen is not disturbed: Tab goes to the question.
    pub(crate) fn ask(&mut self, about: DialogSubject, dialog: Box<dyn Dialog>, now: Instant) {
        let is_free = self.composer.is_empty() && self.pager.is_none();
        self.dialogs.ask(about, dialog, is_free, now);
    }

    /// Something the terminal itself says.
    pub(crate) fn note(&mut self, block: StoryBlock) {
        self.story.note(block);
    }

    /// Time has passed: spinners turn, hints go. True when something looks different.
    pub(crate) fn tick(&mut self, now: Instant) -> bool {
        self.spin = self.spin.wrapping_add(1);
        self.story.set_clock(now);
        self.save_typed(now);
        let went = self.hints.expire(now);
        let turned = self.dialogs.tick(now);
        self.composer.refresh() || went || turned || self.is_busy()
    }

    /// The terminal says whether it is in front.
    pub(crate) fn focused(&mut self, is_in_front: bool, now: Instant) {
        self.attention.focused(is_in_front, now);
    }

    pub(crate) fn notify_options(&self) -> NotifyOptions {
        self.notify_options
    }

    /// The name of the project's folder.
    pub(crate) fn project_name(&self) -> &str {
        self.project.rsplit('/').find(|part| !part.is_empty()).unwrap_or("/")
    }

    /// What the title of the window says.
    pub(crate) fn title(&self) -> String {
        let state = match (self.dialogs.focus().is_some(), self.is_busy()) {
            (true, _) => " – waiting for you",
            (false, true) => " – working",
            (false, false) => "",
        };
        format!("{}{state} – fore", self.project_name())
    }

    /// Whether anything moves by itself, so that ticks are needed.
    pub(crate) fn is_moving(&self) -> bool {
        self.is_busy()
            || self.hints.is_shown()
            || self.dialogs.is_settling()
            || self.composer.is_waiting()
            || self.has_typed()
    }

    /// Whether something runs that could be stopped: a turn, or a command of the person's own.
    pub(crate) fn is_busy(&self) -> bool {
        self.facts.activity == Activity::Working || self.story.is_busy()
    }

    pub(crate) fn is_reading(&self) -> bool {
        self.pager.is_some()
    }

    /// Lines for the scrollback that are finished now.
    pub(crate) fn take_printed(&mut self, width: u16) -> Vec<Line<'static>> {
        let theme = self.theme;
        self.story.take_printed(width, &theme)
    }

    /// The next few of them.
    pub(crate) fn take_next(&mut self, width: u16) -> Vec<Line<'static>> {
        let theme = self.theme;
        self.story.take_next(width, &theme)
    }

    /// Whether so much waits to be printed that nothing more should be heard. Nothing is printed while somebody reads.
    pub(crate) fn is_behind(&self) -> bool {
        !self.is_reading() && self.story.is_behind()
    }

    /// The newest finished lines again, for a screen that is laid out anew.
    pub(crate) fn tail(&self, width: u16, tail: Tail) -> Vec<Line<'static>> {
        self.story.tail(tail, width, &self.theme)
    }

    /// The whole screen, while something is read on it.
    pub(crate) fn full_screen(&mut self, width: u16, height: u16) -> Option<View> {
        let space = Space { width, height, theme: self.theme };
        let mut view = self.pager.as_mut().map(|pager| pager.view(space))?;
        // A question came up behind the screen: its keys stay away from it, but the person has to know.
        if self.dialogs.focus() == Some(Focus::Elsewhere)
            && let Some(title) = view.lines.first_mut()
        {
            let words = paint::cut("A question is waiting: q closes this, Tab answers", width, &self.theme);
            *title = Line::styled(words, self.theme.style(TextRole::Warning));
        }
        Some(view)
    }

    /// The live area.
    pub(crate) fn view(&mut self, width: u16, height: u16) -> View {
        let theme = self.theme;
        let space = |height: u16| Space { width, height, theme };
        let focus = self.dialogs.focus();
        let look = if focus == Some(Focus::Here) { ComposerFocus::Unfocused } else { ComposerFocus::Focused };
        let has_composer = focus != Some(Focus::Here) || !self.composer.is_empty();
        let bottom = match has_composer {
            // Beside a question the composer takes half of the rows at most.
            true if focus.is_some() => self.composer.view(space(height.saturating_sub(1).div_ceil(2)), look),
            true => self.composer.view(space(height.saturating_sub(1)), look),
            false => View::default(),
        };
        let rows = |view: &View| u16::try_from(view.lines.len()).unwrap_or(u16::MAX);
        let left = height.saturating_sub(1).saturating_sub(rows(&bottom));
        let dialog_room = if left > 12 { left - ROWS_ABOVE_DIALOG } else { left };
        let dialog = self.dialogs.view(space(dialog_room)).unwrap_or_default();
        let left = left.saturating_sub(rows(&dialog));
        self.story.set_asking(focus.is_some());
        let mut view = View::of(self.story.live(space(left), self.spin));
        view.push(dialog);
        view.push(bottom);
        // In a dialog the same key means something else.
        let is_ours = focus != Some(Focus::Here);
        let key = |action| self.keymap.keys_of(action).into_iter().next().filter(|_| is_ours);
        let stop = key(KeyAction::Interrupt).filter(|_| self.is_busy());
        let keys = StatusKeys { cycle: key(KeyAction::CycleMode), stop };
        let more = match self.dialogs.behind() {
            0 => None,
            more => Some(fore_text::count_as(more, "more question waits", "more questions wait")),
        };
        let small = self.dialogs.needs_room().then(|| "make this window higher to answer".to_owned());
        let hint = self.hints.shown().map(str::to_owned).or(small).or(more);
        view.lines.push(status_line(&self.facts, &keys, hint.as_deref(), width, &theme));
        view
    }
}

#[cfg(test)]
pub(crate) mod tests;
