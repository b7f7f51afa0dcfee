//! What events and answers of the program do to the screen: the story grows, dialogs open and close.

use super::{Act, App, CopiedSession, DialogSubject, EditFor, HostReply, ModelsFor, OwnDialog, PlanFollowUp};
use crate::options::DisplayMode;
use crate::{
    composer::{ComposerStep, Submission},
    dialogs::{
        Dialog, ask::AskDialog, enter::EnterDialog, form::FormDialog, picker::PickerDialog, welcome::WelcomeDialog,
    },
    host::SessionRow,
    options::FolderTrust,
    session_link::SessionPast,
    slash,
    story::{CurrentPlan, StoryBlock, fenced},
};
use fore_agent::{ApprovalOutcome, Begin, Command, CommandSender, Event, NoticeLevel, PromptTiming};
use fore_plan::{Level, Mode, ModeEvent, ModeReason};
use std::{path::Path, time::Instant};

impl App {
    /// Something happened in the session.
    pub(crate) fn event(&mut self, event: &Event, now: Instant) {
        let is_empty = self.composer.is_empty();
        self.story.set_clock(now);
        self.notify_of(event, now);
        match event {
            Event::Asked(asked) => {
                let about = DialogSubject::Question(asked.question.clone());
                self.ask(about, Box::new(AskDialog::new(asked.clone())), now);
            }
            Event::FormAsked { question, form } => {
                let dialog = FormDialog::new(question.clone(), form.clone());
                self.ask(DialogSubject::Question(question.clone()), Box::new(dialog), now);
            }
            Event::EnterPlanAsked { question } => {
                let dialog = EnterDialog::new(question.clone());
                self.ask(DialogSubject::Question(question.clone()), Box::new(dialog), now);
            }
            Event::QuestionClosed { question } => self.dialogs.close(&DialogSubject::Question(question.clone())),
            Event::ApprovalAsked(asked) => {
                let before = self.dialogs.take_approval().and_then(Dialog::into_approval);
                let dialog = match before {
                    Some(before) => before.again(asked.clone()),
                    None => self.approval(asked),
                };
                self.dialogs.close_approvals();
                let about = DialogSubject::Approval(asked.request.agent_id.clone());
                self.ask(about, Box::new(dialog), now);
                self.review_first_plan();
            }
            Event::ContractRead { plan_hash, steps, contract, contract_hash, added } => {
                if let Some(approval) = self.dialogs.approval() {
                    approval.contract_read((*plan_hash, steps.as_deref()), (contract, *contract_hash), added);
                }
            }
            Event::Decided(ApprovalOutcome::NotCounted { .. }) => self.dialogs.bring_back(),
            Event::Decided(_) => self.dialogs.close_approvals(),
            Event::Rewound { text } if is_empty => {
                let typed = self.composer.set(text);
                self.composed(typed, now);
            }
            Event::PromptsReturned { texts } if !texts.is_empty() => self.returned(texts, now),
            Event::Closed => self.dialogs.close_all(),
            Event::McpVouchShown(shown) if self.display != DisplayMode::Plain => {
                crate::slash::mcp::vouch_shown(self, shown, now);
            }
            Event::ModeChanged(change) if self.has_skipped(change) => {
                self.has_told_of_trust = true;
                self.hints.say("modes that ask less often need /trust", now);
            }
            _ => {}
        }
        self.observe(event);
        self.watch_plan(now);
    }

    /// Calls somebody who looks elsewhere, if this is something for them.
    pub(crate) fn notify_of(&mut self, event: &Event, now: Instant) {
        if let Some(why) = self.attention.event(event, self.notify_options.long_turn, now) {
            self.act(Act::Notify(why));
        }
    }

    /// A line was typed, or a key: somebody is there.
    pub(crate) fn touched(&mut self, now: Instant) {
        self.attention.touch(now);
    }

    /// Whether the cycle has left modes out because the folder is not trusted, and nobody has said so yet.
    fn has_skipped(&self, change: &ModeEvent) -> bool {
        let cycled =
            (Mode::At(Level::Default), Mode::Plan) == (change.from, change.to) && change.why == ModeReason::Cycled;
        cycled && !self.has_told_of_trust && self.facts.folder() == FolderTrust::NotTrusted
    }

    /// Prompts that waited come back to be written on; what was being written follows them.
    fn returned(&mut self, texts: &[String], now: Instant) {
        let name =
            |text: &str| text.strip_prefix('/').and_then(|rest| rest.split_whitespace().next()).map(str::to_owned);
        let prompt = |text: &String| match name(text).and_then(|name| self.facts.custom_command(&name)) {
            Some(_) => text.clone(),
            None => Submission::Prompt { text: text.clone(), when: PromptTiming::Queue }.typed(),
        };
        self.returned = texts.iter().map(prompt).collect();
        let first = self.returned.first().into_iter();
        let mut parts: Vec<String> = first.chain(texts.iter().skip(1)).cloned().collect();
        if !self.composer.is_empty() {
            parts.push(self.composer.text());
        }
        let typed = self.composer.set(&parts.join("\n\n"));
        if matches!(typed, ComposerStep::Refused(_)) {
            // Together they are too long for one message; each of them can be brought back alone.
            self.returned.iter().for_each(|text| self.composer.remember(text));
        }
        self.composed(typed, now);
    }

    /// The part of an event that asks nothing: what is known and what is told.
    pub(crate) fn observe(&mut self, event: &Event) {
        self.facts.event(event);
        if let Event::Started(_) | Event::CommandsListed { .. } = event {
            self.composer.set_custom(self.facts.custom_commands().to_vec());
        }
        if let Event::ResourcesListed { resources } = event {
            self.composer.set_resources(resources.clone());
        }
        if let Event::Started(_) | Event::ModeChanged(_) | Event::ModelChanged { .. } = event {
            self.story.set_model(self.facts.answering());
        }
        match event {
            Event::Decided(decided) => self.decided(decided),
            Event::PromptTaken { .. } => self.prompt_taken(),
            Event::Forgotten { what } => self.say(format!("Asked about again: {what}.")),
            Event::PermissionTested { line, explanation } => {
                let text = slash::permissions::tested(line, explanation);
                self.note(StoryBlock::Page { title: "Permissions".to_owned(), text });
            }
            Event::Background { running } if std::mem::take(&mut self.facts.is_listing_tasks) => {
                self.say(match running.as_slice() {
                    [] => "Nothing runs in the background.".to_owned(),
                    running => format!("In the background:\n{}\n/tasks stop ID stops one.", running.join("\n")),
                });
            }
            Event::Team { team, members, tasks, plans } if std::mem::take(&mut self.facts.is_listing_team) => {
                slash::team::show(self, team.is_some(), (members, tasks), plans);
            }
            Event::TeamStory { member, lines } => slash::team::story(self, member, lines),
            Event::McpServers { servers, only } => crate::slash::mcp::show(self, servers, only.as_deref()),
            Event::McpVouchShown(shown) if self.display == DisplayMode::Plain => {
                crate::slash::mcp::vouch_shown(self, shown, Instant::now());
            }
            _ => {}
        }
        if let Event::Started(started) = event
            && let Some(copied) = self.copies.take()
        {
            return self.began_as_copy(event, started.mode, copied);
        }
        if let Event::Plan { path, text, changed, unreadable, .. } = event
            && let Some(awaited) = self.next_awaited()
        {
            if let Some(why) = unreadable {
                self.problem(format!("The plan cannot be read: {why}"));
                if text.is_none() {
                    return;
                }
            }
            return self.plan_arrived(awaited, path.clone(), text.clone(), changed);
        }
        self.story.event(event);
    }

    /// A session has begun: what it said and did before is shown, then what the person should know.
    pub(crate) fn begun(&mut self, past: SessionPast) {
        self.has_unheard_prompt = false;
        let is_shown = self.copies.is_some_and(|copied| copied.is_shown);
        let moved = |event: &Event| if let Event::ModeChanged(change) = event { Some(change.from) } else { None };
        // A mode that never changed is said when the session has begun. Until then a file outside the project was the plan:
        // hardly anybody else changes one.
        if !past.events.is_empty() {
            self.story.set_mode(past.events.iter().find_map(moved).unwrap_or(Mode::Plan));
        }
        for event in past.events.iter().filter(|event| !is_shown || matches!(event, Event::Todos { .. })) {
            self.story.past(event);
        }
        if !is_shown {
            self.story.end_past_turn();
        }
        // What it did not bring to an end is not going on now.
        self.story.rest();
        for text in past.notices {
            self.note(StoryBlock::Notice { level: NoticeLevel::Warning, text });
        }
        self.restore_review(past.draft);
    }

    /// What was said before stands above; the person has to know that from here on it goes on elsewhere.
    fn began_as_copy(&mut self, event: &Event, mode: Mode, copied: CopiedSession) {
        if copied.is_shown {
            self.story.set_mode(mode);
        } else {
            self.story.event(event);
        }
        let from = copied.session;
        self.say(format!("From here on this is a copy of session {from}; `/resume {from}` goes back to it."));
    }

    /// Another session is on its way.
    pub(crate) fn beginning(&mut self, commands: CommandSender) {
        self.save_review();
        if std::mem::take(&mut self.has_unheard_prompt) {
            self.say(super::submit::NOT_SENT);
        }
        self.commands = Some(commands);
        self.story.leave();
        self.is_picking = false;
        self.next = None;
        let shows_cost = self.facts.shows_cost;
        self.facts = super::SessionFacts { shows_cost, ..super::SessionFacts::default() };
        self.dialogs.close_all();
        self.plan_follow_ups.clear();
    }

    pub(crate) fn over(&mut self) {
        self.save_review();
        self.commands = None;
        self.facts.activity = super::Activity::Over;
        self.dialogs.close_all();
        self.plan_follow_ups.clear();
        self.story.rest();
    }

    fn next_awaited(&mut self) -> Option<PlanFollowUp> {
        (!self.plan_follow_ups.is_empty()).then(|| self.plan_follow_ups.remove(0))
    }

    fn plan_arrived(&mut self, awaited: PlanFollowUp, path: Option<String>, text: Option<String>, changed: &str) {
        let written = path.zip(text.filter(|text| !text.trim().is_empty()));
        let Some((path, text)) = written else {
            let mode = match awaited {
                PlanFollowUp::Show | PlanFollowUp::Open => self.facts.mode,
                PlanFollowUp::Diff | PlanFollowUp::Export(_) => None,
            };
            return self.say(fore_plan::slash::nothing_written(mode.unwrap_or(Mode::At(Level::Default))));
        };
        match awaited {
            PlanFollowUp::Show => {
                let (editor, mode) = (self.editor.clone(), self.facts.mode);
                let (path, text) = (Some(path), Some(text));
                if let Some(mode) = mode {
                    self.note(StoryBlock::CurrentPlan(CurrentPlan { path, text, mode, editor }));
                }
            }
            PlanFollowUp::Open => {
                let name = Path::new(&path)
                    .file_stem()
                    .map_or_else(|| "plan".into(), |name| name.to_string_lossy().into_owned());
                self.opening = Some((path, text.clone()));
                // A copy: what comes back is the person's own text, whatever happens to the file meanwhile.
                self.act(Act::Edit { name, text, purpose: EditFor::Plan });
            }
            PlanFollowUp::Diff if changed.is_empty() => {
                self.say("Nothing has changed in the plan since you last saw it.");
            }
            PlanFollowUp::Diff => {
                let title = "What changed in the plan since you last saw it".into();
                self.note(StoryBlock::Page { title, text: fenced("diff", changed) });
            }
            PlanFollowUp::Export(to) => self.act(Act::Export { path: to, text }),
        }
    }

    /// What came of an act.
    pub(crate) fn host_reply(&mut self, reply: HostReply, now: Instant) {
        match reply {
            HostReply::Edited { purpose: EditFor::Dialog, text } => {
                self.dialogs.edited(text);
                self.watch_plan(now);
            }
            HostReply::Notes { plan, notes } => {
                if let Some(approval) = self.dialogs.approval() {
                    approval.checked(plan, notes);
                }
            }
            HostReply::NotKept(why) => self.review_not_saved(why),
            HostReply::Reviewed(Ok(words)) => self.say(words),
            HostReply::Reviewed(Err(why)) => self.problem(format!("The plan cannot be shown in the browser: {why}")),
            HostReply::Page(news) => {
                self.page_news(news);
                self.watch_plan(now);
            }
            HostReply::Edited { purpose: EditFor::Composer, text: Ok(text) } => {
                let typed = self.composer.set(text.trim_end());
                self.composed(typed, now);
            }
            HostReply::Edited { purpose: EditFor::Composer, text: Err(why) } | HostReply::Failed(why) => {
                self.problem(why)
            }
            HostReply::Edited { purpose: EditFor::Plan, text } => self.plan_edited(text),
            HostReply::Done(words) if words.is_empty() => {}
            HostReply::Done(words) => self.say(words),
            HostReply::Exported(Ok(path)) => self.say(format!("Saved as {}", path.display())),
            HostReply::Exported(Err(why)) => self.problem(why),
            HostReply::Sessions(rows) => self.sessions_arrived(rows, now),
            HostReply::Session(Err(why)) => self.problem(why),
            HostReply::Session(Ok(session)) if self.facts.started.as_ref().map(|it| it.session) == Some(session) => {
                self.say("You are in that session already.");
            }
            HostReply::Session(Ok(session)) => {
                let begin = Begin::Resume { session, mode: self.resume_in.take() };
                self.begin_session(begin, now);
            }
            HostReply::Models { why: ModelsFor::FirstRun(facts), rows } => {
                let untrusted = (facts.folder == FolderTrust::NotTrusted).then(|| self.project.clone());
                let dialog = WelcomeDialog::new(rows, facts.missing, untrusted);
                self.ask(DialogSubject::Own(OwnDialog::FirstRun), Box::new(dialog), now);
            }
            HostReply::Models { rows, .. } if rows.is_empty() => self.say("No other model was found on this machine."),
            HostReply::Models { rows, .. } => {
                let current = self.facts.answering().unwrap_or_default();
                let picker = PickerDialog::models(&rows, &current);
                self.ask(DialogSubject::Own(OwnDialog::Model), Box::new(picker), now);
            }
            HostReply::Server { address, models } => self.dialogs.served(&address, models),
            HostReply::ServerUsed(used) => {
                self.is_meeting = false;
                match used {
                    Ok(words) => {
                        self.say(words);
                        // A first prompt is for the session that begins now.
                        self.facts.started = None;
                        self.begin_fresh();
                    }
                    Err(why) => self.problem(why),
                }
            }
            HostReply::Permissions(rules) => {
                let page = slash::permissions::page(&rules, &self.facts);
                self.note(StoryBlock::Page { title: "Permissions".into(), text: page });
            }
            HostReply::Files(files) => {
                let page = slash::status::page(&self.facts, &files, &self.theme);
                self.note(StoryBlock::Page { title: "Status".into(), text: page });
            }
            HostReply::NotBegun(why) => {
                self.facts.activity = super::Activity::Over;
                self.commands = None;
                let is_lost = std::mem::take(&mut self.has_unheard_prompt);
                self.problem(if is_lost { format!("{why}\n{}", super::submit::NOT_SENT) } else { why });
                self.say("There is no session: /clear begins a new one, /resume lists earlier ones, /quit leaves.");
            }
        }
    }

    /// The person has left the editor that had the plan.
    fn plan_edited(&mut self, text: Result<String, String>) {
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

    fn sessions_arrived(&mut self, rows: Result<Vec<SessionRow>, String>, now: Instant) {
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
        self.ask(DialogSubject::Own(OwnDialog::Resume), Box::new(PickerDialog::sessions(&rows)), now);
    }

    /// `fore --resume` found nothing that could be resumed.
    fn nothing_to_pick(&mut self) {
        if std::mem::take(&mut self.is_picking) {
            self.facts.activity = super::Activity::Over;
        }
    }
}
