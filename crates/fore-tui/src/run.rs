//! The loop of the terminal: keys, events, time and signals in; frames and acts out.

mod suspend;

use crate::{
    app::{Act, App, AppSetup, HostQuery, HostReply, NotifyReason, ReviewedPlan},
    host::{PageRequest, TerminalHost},
    keys::{
        Keymap,
        burst::{self, BurstPart},
    },
    options::{DisplayMode, ExitReason, Options, TerminalExit},
    review_writer::ReviewWriter,
    screen::{self, FullScreen, InlineScreen, Keyboard, RawMode, ScreenSize},
    session_link::{LinkEvent, SessionLink},
    signals::{JobSignals, Signals},
    story::StoryBlock,
};
use crossterm::event::Event as Input;
use fore_agent::{Command, Event, NoticeLevel, PromptTiming};
use fore_plan::plan::Hash;
use fore_store::SessionId;
use futures_util::FutureExt;
use ratatui::text::Line as Row;
use std::{
    io::{self, Stdout, Write},
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{sync::mpsc, time::sleep_until};

/// A frame is drawn at most so often, unless a key asks for one.
const FRAME: Duration = Duration::from_millis(16);
/// Spinners turn at this pace.
const TICK: Duration = Duration::from_millis(100);
/// Sizes come in a row while a window is dragged; the last one counts.
const SETTLED: Duration = Duration::from_millis(60);
/// How long something may take that was asked for just before leaving: an export, a choice to remember.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Events that are taken before keys are looked at again.
const MAX_EVENTS_AT_ONCE: usize = 256;
/// Lines that a frame prints; a terminal takes its time for each of them.
const MAX_PRINTED: usize = 200;
/// How long everything is heard after a command, however much waits to be printed: what came of it is behind all that.
const LISTENING: Duration = Duration::from_secs(1);

/// Shows a session until the person leaves.
pub fn run(options: Options, host: Arc<dyn TerminalHost>) -> io::Result<TerminalExit> {
    if options.display == DisplayMode::Plain {
        return crate::plain::run(options, host);
    }
    let raw = RawMode::take()?;
    let size = ScreenSize::now();
    let mut frontend = ScreenFrontend::new(options, host, raw, size)?;
    frontend.draw()?;
    std::thread::spawn(crate::paint::warm_up);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(frontend.show());
    // What is being written for the person is written to its end.
    runtime.shutdown_timeout(LAST_WORDS);
    ended
}

/// The screen with everything behind it.
struct ScreenFrontend {
    app: App,
    host: Arc<dyn TerminalHost>,
    raw: RawMode,
    inline: InlineScreen<Stdout>,
    full_screen: Option<FullScreen<Stdout>>,
    link: SessionLink,
    review_writer: ReviewWriter,
    /// Answers of the program that took a moment.
    replies: (mpsc::UnboundedSender<HostReply>, mpsc::UnboundedReceiver<HostReply>),
    drawn_at: Instant,
    is_due: bool,
    resized_at: Option<Instant>,
    /// The newest command, and how many have not shown an effect yet.
    sent: Option<(Instant, usize)>,
    /// Commands of the app's that are counted there.
    noted: usize,
    has_spoken: bool,
    first_prompt: Option<String>,
    leaves: Option<ExitReason>,
    /// The title that the window has from us.
    title: Option<String>,
}

impl ScreenFrontend {
    fn new(
        options: Options,
        host: Arc<dyn TerminalHost>,
        raw: RawMode,
        size: ScreenSize,
    ) -> io::Result<ScreenFrontend> {
        let (keymap, troubles) = keymap(&options);
        let letters = options.theme.signs;
        let mut app = App::new(AppSetup {
            theme: options.theme,
            keymap,
            history: host.history(),
            files: crate::composer::FileSource::new(options.project.clone()),
            editor: host.editor(),
        });
        for text in options.notices.iter().chain(&troubles) {
            app.note(StoryBlock::Notice { level: NoticeLevel::Warning, text: text.clone() });
        }
        let line = SessionLink::new(Arc::clone(&host))?;
        app.begin(&options);
        Ok(ScreenFrontend {
            app,
            host,
            raw,
            inline: InlineScreen::new(io::stdout(), size, letters, options.narrowing),
            full_screen: None,
            link: line,
            review_writer: ReviewWriter::default(),
            replies: mpsc::unbounded_channel(),
            drawn_at: Instant::now(),
            is_due: false,
            resized_at: None,
            sent: None,
            noted: 0,
            has_spoken: false,
            first_prompt: options.prompt,
            leaves: None,
            title: None,
        })
    }

    async fn show(mut self) -> io::Result<TerminalExit> {
        let mut signals = Signals::new()?;
        let mut turns = JobSignals::new()?;
        let mut keyboard = Keyboard::new()?;
        self.perform(&keyboard)?;
        let shown = loop {
            if let Some(why) = self.leaves {
                break Ok(why);
            }
            let (tick, frame, settled) = (self.drawn_at + TICK, self.drawn_at + FRAME, self.resized_at);
            let (moves, hears) = (self.app.is_moving(), self.hears());
            tokio::select! {
                biased;
                how = signals.next() => break Ok(how),
                turn = turns.next() => {
                    if let Err(error) = self.job_signal(turn, &keyboard) {
                        break Err(error);
                    }
                }
                inputs = keyboard.next() => match inputs {
                    None => break Ok(ExitReason::Terminated),
                    Some(inputs) => self.inputs(inputs),
                },
                () = sleep_until(settled.unwrap_or(frame).into()), if settled.is_some() => {
                    self.resized_at = None;
                    if let Err(error) = self.resize() {
                        break Err(error);
                    }
                }
                reply = self.replies.1.recv() => {
                    if let Some(reply) = reply {
                        self.app.host_reply(reply, Instant::now());
                        self.is_due = true;
                    }
                }
                () = sleep_until(frame.into()), if self.is_due && settled.is_none() => {
                    if let Err(error) = self.draw() {
                        break Err(error);
                    }
                }
                heard = self.link.next(), if hears => self.receive_all(heard),
                () = sleep_until(tick.into()), if moves => {
                    self.drawn_at = Instant::now();
                    if self.app.tick(self.drawn_at)
                        && let Err(error) = self.draw()
                    {
                        break Err(error);
                    }
                }
            }
            if let Err(error) = self.perform(&keyboard) {
                break Err(error);
            }
        };
        // What is typed from now on is for the shell.
        drop(keyboard);
        self.end(shown, signals).await
    }

    /// Takes the terminal back to how it was, ends the session, and says where to go on.
    async fn end(mut self, shown: io::Result<ExitReason>, mut signals: Signals) -> io::Result<TerminalExit> {
        self.full_screen = None;
        self.save_before_exit();
        let width = self.inline.size().columns;
        let rest = self.app.take_printed(width);
        if self.title.take().is_some() {
            let _ = screen::give_title_back(&mut io::stdout());
        }
        // A terminal that is gone takes nothing any more, which is no reason not to save.
        let _ = self.inline.draw(&rest, crate::view::View::default());
        let _ = self.inline.clear();
        let _ = self.raw.pause();
        let session = self.app.facts.started.as_ref().map(|started| started.session).filter(|_| self.has_spoken);
        // The terminal is as it was, so Ctrl+C is a signal again.
        signals.end(self.link, |words| drop(writeln!(io::stdout(), "{words}"))).await;
        let how = match shown {
            Ok(how) => how,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe || error.raw_os_error() == Some(libc::EIO) => {
                ExitReason::Terminated
            }
            Err(error) => return Err(error),
        };
        Ok(TerminalExit { reason: how, session })
    }

    /// What came from the keyboard at once.
    fn inputs(&mut self, inputs: Vec<Input>) {
        let now = Instant::now();
        for part in burst::parts(inputs) {
            match part {
                BurstPart::Keys(keys) => self.app.keys(&keys, now),
                BurstPart::Other(Input::Paste(text)) => self.app.paste(&text, now),
                BurstPart::Other(Input::FocusGained) => self.app.focused(true, now),
                BurstPart::Other(Input::FocusLost) => self.app.focused(false, now),
                // Sizes are told by a signal; the rest was not asked for.
                BurstPart::Other(_) => {}
            }
        }
        // A key is on the screen at once, however much else goes on.
        self.is_due = true;
        self.drawn_at = now.checked_sub(FRAME).unwrap_or(now);
    }

    /// Whether more is heard now. While much waits to be printed the session waits, too, unless the person wants something.
    fn hears(&self) -> bool {
        let wants = || self.app.is_sending() || self.sent.is_some_and(|(at, _)| at.elapsed() < LISTENING);
        !self.app.is_behind() || wants()
    }

    /// What came along the line, and what came right behind it.
    fn receive_all(&mut self, first: LinkEvent) {
        self.receive(first);
        for _ in 0..MAX_EVENTS_AT_ONCE {
            if !self.hears() {
                break;
            }
            match self.link.next().now_or_never() {
                Some(heard) => self.receive(heard),
                None => break,
            }
        }
        self.is_due = true;
    }

    fn receive(&mut self, heard: LinkEvent) {
        let now = Instant::now();
        match heard {
            LinkEvent::Event(event) => {
                if !matches!(*event, Event::Text { .. } | Event::Reasoning { .. } | Event::ToolOutput { .. }) {
                    self.sent =
                        self.sent.and_then(|(at, count)| Some((at, count.checked_sub(1).filter(|left| *left > 0)?)));
                }
                let is_ready = matches!(*event, Event::Started(_));
                self.has_spoken |= matches!(*event, Event::PromptTaken { .. });
                self.host.heard(&event);
                self.app.event(&event, now);
                if is_ready && let Some(tip) = self.host.tip() {
                    self.app.say(format!("Tip: {tip}"));
                }
            }
            LinkEvent::Begun(past) => {
                self.has_spoken |= !past.events.is_empty();
                self.app.begun(*past);
            }
            LinkEvent::NotBegun(why) => self.app.host_reply(HostReply::NotBegun(why), now),
            LinkEvent::Over => self.app.over(),
        }
    }

    /// Commands that went out since this was last looked at.
    fn note_sent(&mut self) {
        let new = self.app.sent().wrapping_sub(std::mem::replace(&mut self.noted, self.app.sent()));
        if new > 0 {
            let before = self.sent.map_or(0, |(_, count)| count);
            self.sent = Some((Instant::now(), before.saturating_add(new)));
        }
    }

    /// The prompt of the command line, once there is a session and nothing has to be settled first.
    fn first_prompt(&mut self) {
        let is_ready = self.app.facts.started.is_some() && !self.app.is_meeting();
        if let Some(text) = self.first_prompt.take_if(|_| is_ready) {
            self.app.send(Command::Prompt { text, when: PromptTiming::Queue });
        }
    }

    /// Does what the keys asked for. A frame that is due after a key is drawn here.
    fn perform(&mut self, keyboard: &Keyboard) -> io::Result<()> {
        self.first_prompt();
        for act in self.app.take_acts() {
            self.is_due = true;
            match act {
                Act::Begin(begin) => {
                    let commands = self.link.begin(begin);
                    self.app.beginning(commands);
                }
                Act::Remember(prompt) => self.host.remember(&prompt),
                Act::Edit { name, text, purpose } => self.edit(keyboard, &name, &text, purpose)?,
                Act::Export { path, text } => self.fetch(move |host| HostReply::Exported(host.export(&path, &text))),
                Act::Welcomed => self.fetch(|host| HostReply::settled(host.welcomed().map(|()| String::new()))),
                Act::AllowAlways(command) => {
                    self.fetch(move |host| HostReply::settled(host.allow_always(&command)));
                }
                Act::Copy(text) => {
                    let told = copied(&text, screen::copy(&mut io::stdout(), &text));
                    self.app.host_reply(told, Instant::now());
                }
                Act::Notify(why) => self.notify(why)?,
                Act::Forget(words) => self.fetch(move |host| HostReply::settled(host.forget(&words))),
                Act::Trust(trusted) => self.fetch(move |host| HostReply::settled(host.trust(trusted))),
                Act::ChooseModel(name) => self.fetch(move |host| HostReply::settled(host.choose_model(&name))),
                Act::UseServer { address, model } => {
                    self.fetch(move |host| HostReply::ServerUsed(host.use_server(&address, &model)));
                }
                Act::Keep { session, draft } => self.review_writer.save((session, draft), &self.host, &self.replies.0),
                Act::Review(plan) => self.review(*plan),
                Act::Fetch(wanted) => self.query(wanted),
                Act::Suspend => self.while_suspended(keyboard, |host| host.suspend())?,
                Act::Redraw => self.redraw()?,
                Act::Leave => self.leaves = Some(ExitReason::Left),
            }
        }
        self.note_sent();
        if self.is_due && self.resized_at.is_none() && self.drawn_at.elapsed() >= FRAME {
            self.draw()?;
        }
        Ok(())
    }

    /// What was typed about a plan just before the end.
    fn save_before_exit(&mut self) {
        self.app.save_review();
        for act in self.app.take_acts() {
            if let Act::Keep { session, draft } = act {
                self.review_writer.save((session, draft), &self.host, &self.replies.0);
            }
        }
    }

    /// Calls somebody who looks elsewhere.
    fn notify(&self, why: NotifyReason) -> io::Result<()> {
        let calls = self.app.notify_options();
        if calls.has_command {
            self.fetch(move |host| HostReply::settled(host.notify(why).map(|()| String::new())));
        }
        screen::notify(&mut io::stdout(), calls.sign, self.app.project_name(), why.text())
    }

    /// The title of the window, where it is not the one that it has.
    fn write_title(&mut self) -> io::Result<()> {
        if !self.app.notify_options().title {
            return Ok(());
        }
        let title = self.app.title();
        if self.title.as_ref() == Some(&title) {
            return Ok(());
        }
        if self.title.is_none() {
            screen::keep_title(&mut io::stdout())?;
        }
        screen::write_title(&mut io::stdout(), &title)?;
        self.title = Some(title);
        Ok(())
    }

    /// Off this thread; what is done on the page comes in like an answer of the program.
    fn review(&self, plan: ReviewedPlan) {
        let request = page_request(plan, self.replies.0.clone());
        self.fetch(move |host| HostReply::Reviewed(host.review(request)));
    }

    fn query(&mut self, wanted: HostQuery) {
        let session = self.app.facts.started.as_ref().map(|started| started.session);
        self.fetch(move |host| query_host(host, wanted, session));
    }

    /// Asks the program off this thread; the answer comes by itself.
    fn fetch(&self, asking: impl FnOnce(&dyn TerminalHost) -> HostReply + Send + 'static) {
        let (host, answer) = (Arc::clone(&self.host), self.replies.0.clone());
        tokio::task::spawn_blocking(move || {
            let _ = answer.send(asking(&*host));
        });
    }

    fn resize(&mut self) -> io::Result<()> {
        let size = ScreenSize::now();
        if let Some(whole) = &mut self.full_screen {
            whole.resize(size)?;
            return self.draw();
        }
        let view = self.app.view(size.columns, size.rows);
        let app = &mut self.app;
        self.inline.resize(size, view, |tail| app.tail(size.columns, tail))?;
        self.drawn_at = Instant::now();
        self.is_due |= self.app.story.has_unprinted();
        Ok(())
    }

    fn redraw(&mut self) -> io::Result<()> {
        let size = self.inline.size();
        let view = self.app.view(size.columns, size.rows);
        let app = &mut self.app;
        self.inline.redraw(view, |tail| app.tail(size.columns, tail))
    }

    fn draw(&mut self) -> io::Result<()> {
        let size = self.full_screen.as_ref().map_or(self.inline.size(), FullScreen::size);
        if self.resized_at.is_some() || ScreenSize::now() != size {
            // The window has another size already: a frame for the old one would leave rows of it behind.
            self.resized_at.get_or_insert(Instant::now() + SETTLED);
            self.is_due = true;
            return Ok(());
        }
        self.is_due = false;
        self.drawn_at = Instant::now();
        self.write_title()?;
        let drawn = self.draw_now();
        // However long it took, there is time for everything else before the next one.
        self.drawn_at = Instant::now();
        drawn
    }

    fn draw_now(&mut self) -> io::Result<()> {
        let size = self.inline.size();
        if self.app.is_reading() {
            if self.full_screen.is_none() {
                self.full_screen = Some(FullScreen::enter(io::stdout(), ScreenSize::now(), self.app.theme.signs)?);
            }
            if let Some(whole) = &mut self.full_screen {
                let size = whole.size();
                if let Some(view) = self.app.full_screen(size.columns, size.rows) {
                    whole.draw(view)?;
                }
            }
            return Ok(());
        }
        if let Some(whole) = self.full_screen.take() {
            let now = whole.size();
            drop(whole);
            if now != size {
                return self.resize();
            }
        }
        let printed = self.next_printed(size.columns);
        let view = self.app.view(size.columns, size.rows);
        self.is_due = self.app.story.has_unprinted();
        self.inline.draw(&printed, view)
    }

    /// What a frame prints of what is finished.
    fn next_printed(&mut self, columns: u16) -> Vec<Row<'static>> {
        let (began, mut lines) = (Instant::now(), Vec::new());
        while self.app.story.has_unprinted() && lines.len() < MAX_PRINTED && began.elapsed() < FRAME {
            lines.append(&mut self.app.take_next(columns));
        }
        lines
    }
}

/// The keys as the settings want them. What is wrong with those is said, and the usual ones hold.
fn keymap(options: &Options) -> (Keymap, Vec<String>) {
    match Keymap::with(&options.keys) {
        Ok(keymap) => (keymap, Vec::new()),
        Err(troubles) => (Keymap::default(), troubles),
    }
}

/// What is said of a text that was given to the clipboard. Whether a terminal takes it, none of them says.
pub(crate) fn copied(text: &str, given: io::Result<bool>) -> HostReply {
    let lines = fore_text::count(text.lines().count(), "line");
    match given {
        Ok(true) => HostReply::Done(format!(
            "Given to the terminal's clipboard: {lines}. Terminals that do not allow that ignore it."
        )),
        Ok(false) => {
            HostReply::Failed("The last answer is too long for a terminal's clipboard; /export saves it.".to_owned())
        }
        Err(error) => HostReply::Failed(format!("The last answer was not copied: {error}")),
    }
}

/// A plan for the page, with the way back from there.
pub(crate) fn page_request(plan: ReviewedPlan, news: mpsc::UnboundedSender<HostReply>) -> PageRequest {
    let ReviewedPlan { session, asked, draft, commands } = plan;
    // A terminal that has ended is told nothing any more.
    let tell = Box::new(move |told| drop(news.send(HostReply::Page(told))));
    PageRequest { session, asked, draft, commands, tell }
}

/// Asks the program for something; it may take a moment.
pub(crate) fn query_host(host: &dyn TerminalHost, wanted: HostQuery, session: Option<SessionId>) -> HostReply {
    match wanted {
        HostQuery::Sessions => HostReply::Sessions(host.sessions()),
        HostQuery::Session(word) => HostReply::Session(host.session(&word)),
        HostQuery::Models(why) => HostReply::Models { why, rows: host.models() },
        HostQuery::Server(address) => {
            let models = host.server_models(&address);
            HostReply::Server { address, models }
        }
        HostQuery::Notes(text) => HostReply::Notes { plan: Hash::of(text.as_bytes()), notes: host.check(&text) },
        HostQuery::Permissions => HostReply::Permissions(host.permissions()),
        HostQuery::Files => HostReply::Files(session.map(|session| host.files(session)).unwrap_or_default()),
    }
}
