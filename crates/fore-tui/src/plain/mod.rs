//! The terminal without a live area, for screen readers and dumb terminals: lines in, lines out.
//!
//! Nothing moves, nothing is drawn twice, no colour means anything. The terminal's own line editing is the composer.

mod grants;
mod input_lines;
mod messages;
mod questions;
mod unsent;

use crate::{
    app::{Act, App, AppSetup, EditFor, HostQuery, HostReply},
    host::{PageNews, TerminalHost},
    keys::Keymap,
    options::{DisplayMode, ExitReason, Options, TerminalExit},
    screen,
    session_link::{LinkEvent as FromSession, SessionLink},
    signals::Signals,
    slash,
    story::StoryBlock,
    theme::{Background, Colours, Signs, Theme, mode_words},
};
use fore_agent::{ApprovalOutcome, Command, Event, NoticeLevel, PromptTiming};
use futures_util::FutureExt;
use messages::{TRUST, modes};
use questions::{PlainQuestion, QuestionStep};
use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::mpsc;

/// How lines look: nothing but letters.
const LETTERS: Theme = Theme { colours: Colours::Nothing, background: Background::Dark, signs: Signs::Ascii };
/// A second Ctrl+C within this time leaves.
const TWICE: Duration = Duration::from_millis(1_500);
/// An answer that comes this soon after its question gave way to another one was meant for the first.
const UNREAD: Duration = Duration::from_millis(1_500);
/// After so long without a line it is said what goes on, and then again now and then.
const SILENT: Duration = Duration::from_secs(5);
const STILL_SILENT: Duration = Duration::from_secs(15);
/// Lines that are printed before anything else is looked at again.
const MAX_PRINTED: usize = 200;
/// Wide enough for every line: a screen reader reads sentences, and the terminal folds them itself.
const WIDTH: u16 = 1_000;

/// Shows a session line by line until the person leaves.
pub(crate) fn run(options: Options, host: Arc<dyn TerminalHost>) -> io::Result<TerminalExit> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async { PlainFrontend::new(options, host)?.show().await });
    runtime.shutdown_background();
    ended
}

struct PlainFrontend {
    app: App,
    host: Arc<dyn TerminalHost>,
    link: SessionLink,
    /// What the terminal can show.
    signs: Signs,
    waiting: VecDeque<PlainQuestion>,
    /// An approval that was answered, until the session says that it counts.
    sent: Option<PlainQuestion>,
    replies: (mpsc::UnboundedSender<HostReply>, mpsc::UnboundedReceiver<HostReply>),
    first_prompt: Option<String>,
    has_spoken: bool,
    /// A prompt is on its way: it is not the person's turn, although nothing runs yet.
    has_sent: bool,
    /// A prompt sign stands at the end of what was printed.
    has_prompted: bool,
    pressed: Option<Instant>,
    /// Words for the whole plan that were written on its page.
    page_note: String,
    /// When the question that was read last went away unanswered.
    gave_way: Option<Instant>,
    leaves: Option<ExitReason>,
    /// When it is said what goes on, unless a line comes before.
    tells_at: Instant,
}

impl PlainFrontend {
    fn new(options: Options, host: Arc<dyn TerminalHost>) -> io::Result<PlainFrontend> {
        let mut app = App::new(AppSetup {
            theme: LETTERS,
            keymap: Keymap::default(),
            history: Vec::new(),
            files: crate::composer::FileSource::new(options.project.clone()),
            editor: host.editor(),
        });
        for text in &options.notices {
            app.note(StoryBlock::Notice { level: NoticeLevel::Warning, text: text.clone() });
        }
        app.display = DisplayMode::Plain;
        app.story.set_plain();
        let line = SessionLink::new(Arc::clone(&host))?;
        app.begin(&options);
        Ok(PlainFrontend {
            app,
            host,
            link: line,
            signs: options.theme.signs,
            waiting: VecDeque::new(),
            sent: None,
            replies: mpsc::unbounded_channel(),
            first_prompt: options.prompt,
            has_spoken: false,
            has_sent: false,
            has_prompted: false,
            pressed: None,
            page_note: String::new(),
            gave_way: None,
            leaves: None,
            tells_at: Instant::now() + SILENT,
        })
    }

    async fn show(mut self) -> io::Result<TerminalExit> {
        let mut signals = Signals::new()?;
        let mut lines = input_lines::InputLines::new()?;
        self.perform()?;
        let how = loop {
            if let Some(how) = self.leaves {
                break how;
            }
            let (has_more, hears) =
                (self.app.story.has_unprinted(), !self.app.story.is_behind() || self.app.is_sending());
            tokio::select! {
                how = signals.next() => match how {
                    ExitReason::Interrupted => self.interrupt(),
                    how => break how,
                },
                line = lines.next() => match line {
                    None => break ExitReason::Left,
                    Some(line) => {
                        self.has_prompted = false;
                        self.input_line(&line);
                    }
                },
                reply = self.replies.1.recv() => {
                    if let Some(reply) = reply {
                        self.host_reply(reply);
                    }
                }
                heard = self.link.next(), if hears => self.receive_all(heard),
                () = tokio::task::yield_now(), if has_more => {}
                () = tokio::time::sleep_until(self.tells_at.into()), if self.app.is_busy() => self.tell_activity()?,
            }
            self.perform()?;
            self.print()?;
        };
        while self.app.story.has_unprinted() {
            self.print()?;
        }
        let session = self.app.facts.started.as_ref().map(|started| started.session).filter(|_| self.has_spoken);
        signals.end(self.link, |words| drop(writeln!(io::stdout(), "{words}"))).await;
        Ok(TerminalExit { reason: how, session })
    }

    /// Nothing was printed for a while: says what goes on.
    fn tell_activity(&mut self) -> io::Result<()> {
        self.tells_at = Instant::now() + STILL_SILENT;
        self.app.story.set_clock(Instant::now());
        let Some(words) = self.app.story.activity().filter(|_| self.waiting.is_empty()) else { return Ok(()) };
        writeln!(io::stdout(), "({})", crate::screen::in_ascii(&fore_text::line(&words)))
    }

    /// Ctrl+C: stops what runs; twice leaves.
    fn interrupt(&mut self) {
        let now = Instant::now();
        if self.pressed.is_some_and(|at| now.saturating_duration_since(at) <= TWICE) {
            self.leaves = Some(ExitReason::Left);
            return;
        }
        self.pressed = Some(now);
        if self.waiting.iter().any(|waiting| matches!(waiting, PlainQuestion::Approval(_))) {
            return self.app.say("The plan waits for your answer. Ctrl+C again leaves; it will be there again.");
        }
        self.app.send(Command::TakeBack);
        self.app.send(Command::Interrupt);
        self.app.story.stop();
        self.app.say("Stopped. Ctrl+C again leaves.");
    }

    fn input_line(&mut self, line: &str) {
        self.app.touched(Instant::now());
        let is_unread = self.gave_way.is_some_and(|at| at.elapsed() < UNREAD);
        if is_unread && !self.waiting.is_empty() && questions::is_answer(line.trim()) {
            return self.app.say("That question was over already, and another one waits: read it, then answer.");
        }
        if let Some(first) = self.waiting.front_mut() {
            match first.answer(line.trim()) {
                QuestionStep::NotMeant => {}
                QuestionStep::Say(text) => {
                    self.save_review();
                    return self.app.say(text);
                }
                QuestionStep::Review => return self.review_in_browser(),
                QuestionStep::Answer(command) => {
                    let command = self.with_page_note(command);
                    let answered = self.waiting.pop_front();
                    self.sent = answered.filter(|waiting| matches!(waiting, PlainQuestion::Approval(_)));
                    self.app.send(command);
                    return self.say_next();
                }
                QuestionStep::AnswerAlways { answer, commands } => {
                    self.waiting.pop_front();
                    self.app.send(answer);
                    for command in commands {
                        self.app.act(Act::AllowAlways(command));
                    }
                    return self.say_next();
                }
                QuestionStep::Regrant { say, read } => {
                    if !say.is_empty() {
                        self.app.say(say);
                    }
                    read.into_iter().for_each(|command| self.app.send(command));
                    return self.save_whole_review();
                }
                QuestionStep::Edit(text) => {
                    return self.app.act(Act::Edit { name: "plan".into(), text, purpose: EditFor::Dialog });
                }
            }
        }
        self.message(line);
    }

    fn message(&mut self, line: &str) {
        // A key such as Ctrl+O is a control character here; the model has no use for it.
        let text: String = line.chars().filter(|letter| *letter == '\t' || !letter.is_control()).collect();
        let text = text.trim_end();
        if text.is_empty() {
            return;
        }
        self.host.remember(text);
        if let Some(own) = text.strip_prefix('!') {
            if own.trim().is_empty() {
                return self.app.say("Write a command after the exclamation mark; it runs even in plan mode.");
            }
            return self.app.send(Command::Typed { line: own.trim().to_owned() });
        }
        let Some(rest) = text.strip_prefix('/') else {
            self.has_sent = true;
            if let Some(keep) = self.waiting.iter().find_map(PlainQuestion::keeps_planning) {
                self.app.say(format!(
                    "A plan waits for your answer, so this message is queued. /answer {keep} and the same words sends it as the \
                     reason to keep planning."
                ));
            }
            return self.app.send(Command::Prompt { text: text.to_owned(), when: PromptTiming::Queue });
        };
        let (name, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        match (name, words.trim()) {
            ("", _) => self.app.say("Nothing was sent: /help lists the commands."),
            ("mode", "") => self.app.say(modes(self.app.facts.folder())),
            ("trust", "yes") => self.app.trust(),
            ("trust", _) => self.app.say(TRUST),
            _ => slash::run(&mut self.app, name, words, Instant::now()),
        }
    }

    fn receive_all(&mut self, first: FromSession) {
        self.receive(first);
        for _ in 0..256 {
            match self.link.next().now_or_never() {
                Some(heard) => self.receive(heard),
                None => break,
            }
        }
    }

    fn receive(&mut self, heard: FromSession) {
        match heard {
            FromSession::Event(event) => {
                self.host.heard(&event);
                self.event(&event);
            }
            FromSession::Begun(past) => {
                self.has_spoken |= !past.events.is_empty();
                self.app.begun(*past);
            }
            FromSession::NotBegun(why) => self.app.host_reply(HostReply::NotBegun(why), Instant::now()),
            FromSession::Over => {
                self.waiting.clear();
                self.sent = None;
                self.app.over();
            }
        }
    }

    fn event(&mut self, event: &Event) {
        let is_taken = matches!(event, Event::PromptTaken { .. });
        self.has_spoken |= is_taken;
        self.has_sent &= is_taken;
        self.app.story.set_clock(Instant::now());
        let was_asking = self.waiting.len();
        let first = self.waiting.front().map(PlainQuestion::name);
        match event {
            Event::Asked(asked) => self.waiting.push_back(PlainQuestion::permission(asked.clone())),
            Event::FormAsked { question, form } => {
                self.waiting.push_back(PlainQuestion::form(question.clone(), form.clone()));
            }
            Event::EnterPlanAsked { question } => self.waiting.push_back(PlainQuestion::EnterPlan(question.clone())),
            Event::ApprovalAsked(asked) => {
                self.waiting.retain(|waiting| !matches!(waiting, PlainQuestion::Approval(_)));
                let waiting = self.approval(asked);
                self.waiting.push_back(waiting);
                if self.app.opens_page() {
                    self.review_in_browser();
                }
            }
            Event::ContractRead { plan_hash, steps, contract, contract_hash, added } => {
                if let Some(PlainQuestion::Approval(approval)) = self.waiting.front_mut()
                    && approval.is_about(*plan_hash, steps.as_deref())
                {
                    let lines = approval.grants.take(contract.clone(), *contract_hash, added);
                    self.app.say(lines);
                }
            }
            Event::QuestionClosed { question } => self.waiting.retain(|waiting| !waiting.is(question)),
            Event::Decided(ApprovalOutcome::NotCounted { .. }) => self.waiting.extend(self.sent.take()),
            Event::Decided(_) => {
                self.sent = None;
                self.waiting.retain(|waiting| !matches!(waiting, PlainQuestion::Approval(_)));
            }
            Event::PromptsReturned { texts } => {
                texts.iter().for_each(|text| self.app.say(format!("Taken back, send it again if you want it: {text}")));
            }
            Event::Retrying { why, wait_ms, attempt, attempts, .. } => {
                let seconds = wait_ms.div_ceil(1000);
                self.app.say(format!("{why}, next try in {seconds} s ({attempt} of {attempts})"));
            }
            Event::Silent { agent: None, seconds, .. } => {
                self.app.say(format!("nothing from the model for {seconds} s"));
            }
            Event::Closed => self.waiting.clear(),
            _ => {}
        }
        let is_ready = matches!(event, Event::Started(_));
        if let Event::ModeChanged(change) = event {
            self.app.say(format!("The mode is {} now: {}.", change.to, mode_words(change.to)));
        }
        self.app.notify_of(event, Instant::now());
        self.app.observe(event);
        let now_first = self.waiting.front().map(PlainQuestion::name);
        if first.is_some() && first != now_first {
            self.gave_way = Some(Instant::now());
        }
        if was_asking == 0 || first != now_first {
            self.say_next();
        }
        if let Some(text) = self.first_prompt.take_if(|_| is_ready) {
            self.app.send(Command::Prompt { text, when: PromptTiming::Queue });
        }
    }

    fn say_next(&mut self) {
        if let Some(next) = self.waiting.front() {
            self.app.say(next.lines().join("\n"));
        }
    }

    fn host_reply(&mut self, reply: HostReply) {
        match reply {
            HostReply::Edited { purpose: EditFor::Dialog, text: Ok(text) } => {
                if let Some(PlainQuestion::Approval(approval)) = self.waiting.front_mut() {
                    approval.asked.notes = self.host.check(&text);
                    let forgotten = approval.take_edit(text);
                    approval.read_contract().into_iter().for_each(|command| self.app.send(command));
                    forgotten.into_iter().for_each(|words| self.app.say(words));
                }
                self.save_review();
                self.say_next();
            }
            HostReply::Page(PageNews::Draft(draft)) => self.redrafted(*draft),
            HostReply::Edited { text: Err(why), .. } => self.app.problem(why),
            HostReply::Sessions(Ok(rows)) => {
                let rows = rows.iter().map(|row| format!("/resume {}  {}, {}", row.id, row.age, row.about));
                self.app.say(rows.collect::<Vec<_>>().join("\n"));
            }
            HostReply::Models { rows, .. } => {
                let rows = rows.iter().map(|row| format!("/model {}  {}", row.name, row.why));
                self.app.say(rows.collect::<Vec<_>>().join("\n"));
            }
            reply => self.app.host_reply(reply, Instant::now()),
        }
    }

    fn perform(&mut self) -> io::Result<()> {
        for act in self.app.take_acts() {
            let host = Arc::clone(&self.host);
            match act {
                Act::Begin(begin) => {
                    self.waiting.clear();
                    self.sent = None;
                    let commands = self.link.begin(begin);
                    self.app.beginning(commands);
                }
                Act::Remember(prompt) => host.remember(&prompt),
                Act::Edit { name, text, purpose } => {
                    self.print()?;
                    let text = host.edit(&name, &text);
                    self.host_reply(HostReply::Edited { purpose, text });
                }
                Act::Export { path, text } => self.host_reply(HostReply::Exported(host.export(&path, &text))),
                Act::Welcomed => self.host_reply(HostReply::settled(host.welcomed().map(|()| String::new()))),
                Act::AllowAlways(command) => {
                    self.host_reply(HostReply::settled(host.allow_always(&command)));
                }
                Act::Copy(_) => self
                    .app
                    .say("Without a screen there is no clipboard to give it to; /export saves the conversation."),
                Act::Forget(words) => self.host_reply(HostReply::settled(host.forget(&words))),
                Act::Trust(trusted) => self.host_reply(HostReply::settled(host.trust(trusted))),
                Act::ChooseModel(name) => self.host_reply(HostReply::settled(host.choose_model(&name))),
                Act::UseServer { address, model } => {
                    self.host_reply(HostReply::ServerUsed(host.use_server(&address, &model)));
                }
                Act::Keep { session, draft } => {
                    if let Err(why) = host.keep(session, draft.as_ref()) {
                        self.host_reply(HostReply::NotKept(why));
                    }
                }
                Act::Review(plan) => {
                    let request = crate::run::page_request(*plan, self.replies.0.clone());
                    let (host, answer) = (Arc::clone(&self.host), self.replies.0.clone());
                    tokio::task::spawn_blocking(move || {
                        let _ = answer.send(HostReply::Reviewed(host.review(request)));
                    });
                }
                Act::Fetch(wanted) => self.fetch(wanted),
                Act::Notify(why) => {
                    let calls = self.app.notify_options();
                    screen::notify(&mut io::stdout(), calls.sign, self.app.project_name(), why.text())?;
                    if calls.has_command
                        && let Err(why) = host.notify(why)
                    {
                        self.app.problem(why);
                    }
                }
                Act::Suspend | Act::Redraw => {}
                Act::Leave => self.leaves = Some(ExitReason::Left),
            }
        }
        Ok(())
    }

    fn fetch(&self, wanted: HostQuery) {
        let (host, answer) = (Arc::clone(&self.host), self.replies.0.clone());
        let session = self.app.facts.started.as_ref().map(|started| started.session);
        tokio::task::spawn_blocking(move || {
            let _ = answer.send(crate::run::query_host(&*host, wanted, session));
        });
    }

    /// Prints what is finished, and the prompt sign when it is the person's turn.
    fn print(&mut self) -> io::Result<()> {
        let mut out = io::stdout().lock();
        // Nothing is drawn twice: what is held back for a live area is printed at once.
        self.app.story.settle();
        let mut lines = Vec::new();
        while self.app.story.has_unprinted() && lines.len() < MAX_PRINTED {
            lines.append(&mut self.app.take_next(WIDTH));
        }
        if !lines.is_empty() {
            self.tells_at = Instant::now() + SILENT;
        }
        if !lines.is_empty() && std::mem::take(&mut self.has_prompted) {
            writeln!(out)?;
        }
        for line in lines {
            let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
            match self.signs {
                Signs::Unicode => writeln!(out, "{}", text.trim_end())?,
                Signs::Ascii => writeln!(out, "{}", crate::screen::in_ascii(text.trim_end()))?,
            }
        }
        let is_idle = self.app.facts.activity == crate::app::Activity::Idle || !self.waiting.is_empty();
        if is_idle && !self.has_prompted && !self.has_sent && !self.app.story.has_unprinted() {
            let mode = self.app.facts.mode.map(|mode| mode.to_string()).unwrap_or_default();
            write!(out, "{mode}> ")?;
            self.has_prompted = true;
        }
        out.flush()
    }
}
