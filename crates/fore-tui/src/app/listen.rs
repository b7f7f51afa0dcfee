//! What events and answers of the program do to the screen: the story grows, dialogs open and close.

use super::{About, Act, App, Awaited, Copied, EditFor, ModelsFor, Purpose, Told};
use crate::{
    composer::{Submission, Typed},
    dialogs::{
        Dialog, ask::AskDialog, enter::EnterDialog, form::FormDialog, picker::PickerDialog, welcome::WelcomeDialog,
    },
    door::SessionRow,
    options::FolderTrust,
    session::Past,
    slash,
    story::{Block, CurrentPlan, fenced},
};
use fore_agent::{
    Begin, Command, Event,
    command::{CYCLED, When},
    event::{Decided, NoticeLevel},
};
use fore_plan::{Level, Mode, ModeEvent};
use std::{path::Path, time::Instant};

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
                    None => self.approval(asked),
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
            Event::ModeChanged(change) if self.has_skipped(change) => {
                self.has_told_of_trust = true;
                self.hints.say("modes that ask less need /trust", now);
            }
            _ => {}
        }
        self.heard(event);
        self.look_after_plan(now);
    }

    /// Whether the cycle has left modes out because the folder is not trusted, and nobody has said so yet.
    fn has_skipped(&self, change: &ModeEvent) -> bool {
        let cycled = (Mode::At(Level::Default), Mode::Plan) == (change.from, change.to) && change.why == CYCLED;
        cycled && !self.has_told_of_trust && self.facts.folder() == FolderTrust::NotTrusted
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
        match event {
            Event::Decided(decided) => self.decided(decided),
            Event::PromptTaken { .. } => self.prompt_taken(),
            _ => {}
        }
        if let Event::Started(started) = event
            && let Some(copied) = self.copies.take()
        {
            return self.began_as_copy(event, started.mode, copied);
        }
        if let Event::Plan { path, text, changed, .. } = event
            && let Some(awaited) = self.next_awaited()
        {
            return self.plan_told(awaited, path.clone(), text.clone(), changed);
        }
        self.story.event(event);
    }

    /// A session has begun: what it said and did before is shown, then what the person should know.
    pub(crate) fn begun(&mut self, past: Past) {
        let is_shown = self.copies.is_some_and(|copied| copied.is_shown);
        for event in past.events.iter().filter(|event| !is_shown || matches!(event, Event::Todos { .. })) {
            self.story.past(event);
        }
        // What it did not bring to an end is not going on now.
        self.story.rest();
        for text in past.notices {
            self.note(Block::Notice { level: NoticeLevel::Warning, text });
        }
        self.has_kept(past.draft);
    }

    /// What was said before stands above; the person has to know that from here on it goes on elsewhere.
    fn began_as_copy(&mut self, event: &Event, mode: Mode, copied: Copied) {
        if copied.is_shown {
            self.story.set_mode(mode);
        } else {
            self.story.event(event);
        }
        let from = copied.session;
        self.say(format!("From here on this is a copy of session {from}; `/resume {from}` goes back to it."));
    }

    /// Another session is on its way.
    pub(crate) fn beginning(&mut self) {
        self.keep_words();
        self.story.leave();
        self.is_picking = false;
        self.next = None;
        self.facts = super::Facts::default();
        self.asking.close_all();
        self.awaited.clear();
    }

    pub(crate) fn over(&mut self) {
        self.keep_words();
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
            let mode = match awaited {
                Awaited::Show | Awaited::Open => self.facts.mode,
                Awaited::Diff | Awaited::Export(_) => None,
            };
            return self.say(fore_plan::slash::nothing_written(mode.unwrap_or(Mode::At(Level::Default))));
        };
        match awaited {
            Awaited::Show => {
                let (editor, mode) = (self.editor.clone(), self.facts.mode);
                let (path, text) = (Some(path), Some(text));
                if let Some(mode) = mode {
                    self.note(Block::CurrentPlan(CurrentPlan { path, text, mode, editor }));
                }
            }
            Awaited::Open => {
                let name = Path::new(&path)
                    .file_stem()
                    .map_or_else(|| "plan".into(), |name| name.to_string_lossy().into_owned());
                self.opening = Some((path, text.clone()));
                // A copy: what comes back is the person's own text, whatever happens to the file meanwhile.
                self.act(Act::Edit { name, text, purpose: EditFor::Plan });
            }
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
            Told::Edited { purpose: EditFor::Dialog, text } => {
                self.asking.edited(text);
                self.look_after_plan(now);
            }
            Told::Notes { plan, notes } => {
                if let Some(approval) = self.asking.approval() {
                    approval.checked(plan, notes);
                }
            }
            Told::NotKept(why) => self.words_not_kept(why),
            Told::Edited { purpose: EditFor::Composer, text: Ok(text) } => {
                let typed = self.composer.set(text.trim_end());
                self.composed(typed, now);
            }
            Told::Edited { purpose: EditFor::Composer, text: Err(why) } | Told::Failed(why) => self.problem(why),
            Told::Edited { purpose: EditFor::Plan, text } => {
                let (path, before) = self.opening.take().unwrap_or_default();
                match text {
                    Err(why) => self.problem(fore_plan::slash::opened(&path, Err(&why))),
                    Ok(text) => {
                        let is_same = text == before;
                        let changed = if is_same { "nothing was changed" } else { "your changes are in it" };
                        let opened = fore_plan::slash::opened(&path, Ok(()));
                        if !is_same {
                            self.send(Command::EditPlan { text });
                        }
                        self.say(format!("{opened}; {changed}."));
                    }
                }
            }
            Told::Done(words) if words.is_empty() => {}
            Told::Done(words) => self.say(words),
            Told::Exported(Ok(path)) => self.say(format!("Saved as {}", path.display())),
            Told::Exported(Err(why)) => self.problem(why),
            Told::Sessions(rows) => self.sessions_told(rows, now),
            Told::Session(Err(why)) => self.problem(why),
            Told::Session(Ok(session)) if self.facts.started.as_ref().map(|it| it.session) == Some(session) => {
                self.say("This is that session already.");
            }
            Told::Session(Ok(session)) => {
                let begin = Begin::Resume { session, mode: self.resume_in.take() };
                self.begin_session(begin, now);
            }
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
                let page = slash::status::page(&self.facts, &files, &self.theme);
                self.note(Block::Page { title: "Status".into(), text: page });
            }
            Told::NotBegun(why) => {
                self.facts.activity = super::Activity::Over;
                self.problem(why);
                self.say("There is no session: /clear begins a new one, /resume lists earlier ones, /quit leaves.");
            }
        }
    }

    fn sessions_told(&mut self, rows: Result<Vec<SessionRow>, String>, now: Instant) {
        let here = self.facts.started.as_ref().map(|started| started.session);
        let rows: Vec<SessionRow> = match rows {
            Ok(rows) => rows.into_iter().filter(|row| Some(row.id) != here).collect(),
            Err(why) => {
                self.nothing_to_pick();
                return self.problem(why);
            }
        };
        if rows.is_empty() {
            self.nothing_to_pick();
            return self.say("There is no other session of this folder yet.");
        }
        self.ask(About::Own(Purpose::Resume), Box::new(PickerDialog::sessions(&rows)), now);
    }

    /// `fore --resume` found nothing that could be resumed.
    fn nothing_to_pick(&mut self) {
        if std::mem::take(&mut self.is_picking) {
            self.facts.activity = super::Activity::Over;
        }
    }
}
