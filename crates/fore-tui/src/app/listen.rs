//! What events and answers of the program do to the screen: the story grows, dialogs open and close.

use super::{About, Act, App, Awaited, EditFor, ModelsFor, Purpose, Told};
use crate::{
    composer::{Submission, Typed},
    dialogs::{
        Dialog, approval::Approval, ask::AskDialog, enter::EnterDialog, form::FormDialog, picker::PickerDialog,
        welcome::WelcomeDialog,
    },
    door::SessionRow,
    options::FolderTrust,
    slash,
    story::{Block, CurrentPlan, fenced},
};
use fore_agent::{
    Begin, Event,
    command::When,
    event::{Decided, NoticeLevel},
};
use std::{path::PathBuf, time::Instant};

impl App {
    /// Something happened in the session.
    pub fn event(&mut self, event: &Event, now: Instant) {
        let is_empty = self.composer.is_empty();
        match event {
            Event::Asked(asked) => {
                let about = About::Question(asked.question.clone());
                self.ask(about, Box::new(AskDialog::new(asked.clone())), now);
            }
            Event::FormAsked { question, form } => {
                let dialog = FormDialog::new(question.clone(), form.clone());
                self.ask(About::Question(question.clone()), Box::new(dialog), now);
            }
            Event::EnterPlanAsked { question } => {
                let dialog = EnterDialog::new(question.clone());
                self.ask(About::Question(question.clone()), Box::new(dialog), now);
            }
            Event::QuestionClosed { question } => self.asking.close(&About::Question(question.clone())),
            Event::ApprovalAsked(asked) => {
                let before = self.asking.take_approval().and_then(Dialog::into_approval);
                let dialog = match before {
                    Some(before) => before.again(asked.clone()),
                    None => Approval::new(asked.clone()),
                };
                self.asking.close_approvals();
                let about = About::Approval(asked.request.agent_id.clone());
                self.ask(about, Box::new(dialog), now);
            }
            Event::Decided(Decided::NotCounted { .. }) => self.asking.bring_back(),
            Event::Decided(_) => self.asking.close_approvals(),
            Event::Rewound { text } if is_empty => {
                let typed = self.composer.set(text);
                self.composed(typed, now);
            }
            Event::PromptsReturned { texts } if !texts.is_empty() => self.returned(texts, now),
            Event::Closed => self.asking.close_all(),
            _ => {}
        }
        self.heard(event);
    }

    /// Prompts that waited come back to be written on; what was being written follows them.
    fn returned(&mut self, texts: &[String], now: Instant) {
        let prompt = |text: &String| Submission::Prompt { text: text.clone(), when: When::Queue }.typed();
        self.returned = texts.iter().map(prompt).collect();
        let first = self.returned.first().into_iter();
        let mut parts: Vec<String> = first.chain(texts.iter().skip(1)).cloned().collect();
        if !self.composer.is_empty() {
            parts.push(self.composer.text());
        }
        let typed = self.composer.set(&parts.join("\n\n"));
        if matches!(typed, Typed::Refused(_)) {
            // Together they are too long for one message; each of them can be brought back alone.
            self.returned.iter().for_each(|text| self.composer.remember(text));
        }
        self.composed(typed, now);
    }

    /// The part of an event that asks nothing: what is known and what is told.
    pub(crate) fn heard(&mut self, event: &Event) {
        self.facts.event(event);
        if let Event::Plan { path, text, changed, .. } = event
            && let Some(awaited) = self.next_awaited()
        {
            return self.plan_told(awaited, path.clone(), text.clone(), changed);
        }
        self.story.event(event);
    }

    /// A session has begun: what it said and did before is shown, then what the person should know.
    pub(crate) fn begun(&mut self, past: Vec<Event>, notices: Vec<String>) {
        for event in &past {
            self.story.event(event);
        }
        // What it did not bring to an end is not going on now.
        self.story.rest();
        for text in notices {
            self.note(Block::Notice { level: NoticeLevel::Warning, text });
        }
    }

    /// Another session is on its way.
    pub(crate) fn beginning(&mut self) {
        self.story.leave();
        self.is_picking = false;
        self.next = None;
        self.facts = super::Facts::default();
        self.asking.close_all();
        self.awaited.clear();
    }

    pub(crate) fn over(&mut self) {
        self.facts.activity = super::Activity::Over;
        self.asking.close_all();
        self.awaited.clear();
        self.story.rest();
    }

    fn next_awaited(&mut self) -> Option<Awaited> {
        (!self.awaited.is_empty()).then(|| self.awaited.remove(0))
    }

    fn plan_told(&mut self, awaited: Awaited, path: Option<String>, text: Option<String>, changed: &str) {
        let written = path.zip(text.filter(|text| !text.trim().is_empty()));
        let Some((path, text)) = written else {
            let words = self.facts.mode.map(fore_plan::slash::nothing_written);
            return self.say(words.unwrap_or_default());
        };
        match awaited {
            Awaited::Show => {
                let (editor, mode) = (self.editor.clone(), self.facts.mode);
                let (path, text) = (Some(path), Some(text));
                if let Some(mode) = mode {
                    self.note(Block::CurrentPlan(CurrentPlan { path, text, mode, editor }));
                }
            }
            Awaited::Open => self.act(Act::Open(PathBuf::from(path))),
            Awaited::Diff if changed.is_empty() => {
                self.say("Nothing has changed in the plan since you last saw it.");
            }
            Awaited::Diff => {
                let title = "What changed in the plan since you last saw it".into();
                self.note(Block::Page { title, text: fenced("diff", changed) });
            }
            Awaited::Export(to) => self.act(Act::Export { path: to, text }),
        }
    }

    /// What came of an act.
    pub fn told(&mut self, told: Told, now: Instant) {
        match told {
            Told::Edited { purpose: EditFor::Dialog, text } => self.asking.edited(text),
            Told::Edited { purpose: EditFor::Composer, text: Ok(text) } => {
                let typed = self.composer.set(text.trim_end());
                self.composed(typed, now);
            }
            Told::Edited { purpose: EditFor::Composer, text: Err(why) } | Told::Failed(why) => self.problem(why),
            Told::Opened { path, outcome } => {
                let words = fore_plan::slash::opened(
                    &path.display().to_string(),
                    outcome.as_ref().map(|&()| ()).map_err(String::as_str),
                );
                let level = if outcome.is_ok() { NoticeLevel::Info } else { NoticeLevel::Error };
                self.note(Block::Notice { level, text: words });
            }
            Told::Done(words) if words.is_empty() => {}
            Told::Done(words) => self.say(words),
            Told::Exported(Ok(path)) => self.say(format!("Saved as {}", path.display())),
            Told::Exported(Err(why)) => self.problem(why),
            Told::Sessions { start, rows } => self.sessions_told(start.as_deref(), rows, now),
            Told::Models { why: ModelsFor::FirstRun(facts), rows } => {
                let untrusted = (facts.folder == FolderTrust::NotTrusted).then(|| self.project.clone());
                let dialog = WelcomeDialog::new(rows, facts.missing, untrusted);
                self.ask(About::Own(Purpose::FirstRun), Box::new(dialog), now);
            }
            Told::Models { rows, .. } if rows.is_empty() => self.say("No other model was found on this machine."),
            Told::Models { rows, .. } => {
                let current = self.facts.answering().unwrap_or_default();
                let picker = PickerDialog::models(&rows, &current);
                self.ask(About::Own(Purpose::Model), Box::new(picker), now);
            }
            Told::Permissions(rules) => {
                let page = slash::permissions::page(&rules, &self.facts);
                self.note(Block::Page { title: "Permissions".into(), text: page });
            }
            Told::Files(files) => {
                let page = slash::status::page(&self.facts, &files);
                self.note(Block::Page { title: "Status".into(), text: page });
            }
            Told::NotBegun(why) => {
                self.facts.activity = super::Activity::Over;
                self.problem(why);
                self.say("There is no session: /clear begins a new one, /resume lists earlier ones, /quit leaves.");
            }
        }
    }

    fn sessions_told(&mut self, start: Option<&str>, rows: Result<Vec<SessionRow>, String>, now: Instant) {
        let here = self.facts.started.as_ref().map(|started| started.session);
        let rows: Vec<SessionRow> = match rows {
            Ok(rows) => rows.into_iter().filter(|row| Some(row.id) != here).collect(),
            Err(why) => {
                self.nothing_to_pick();
                return self.problem(why);
            }
        };
        let Some(start) = start else {
            if rows.is_empty() {
                self.nothing_to_pick();
                return self.say("There is no other session of this folder yet.");
            }
            return self.ask(About::Own(Purpose::Resume), Box::new(PickerDialog::sessions(&rows)), now);
        };
        let mut fitting = rows.iter().filter(|row| row.id.to_string().starts_with(start));
        match (fitting.next(), fitting.next()) {
            (Some(row), None) => {
                let begin = Begin::Resume { session: row.id, mode: self.resume_in.take() };
                self.begin_session(begin, now);
            }
            (None, _) => self.problem(format!("No session of this folder begins with `{start}`; /resume lists them.")),
            (Some(_), Some(_)) => self.problem(format!("Several sessions begin with `{start}`; write more of the id.")),
        }
    }

    /// `fore --resume` found nothing that could be resumed.
    fn nothing_to_pick(&mut self) {
        if std::mem::take(&mut self.is_picking) {
            self.facts.activity = super::Activity::Over;
        }
    }
}
