//! Teammates that run in the lead's program: what is known of each, and what of their events the lead's person has to see.
//!
//! Their questions go to the same front end as the lead's, under their names, and the answers find the way back.

use super::JoinedTeam;
use crate::{
    command::{Command, CommandSender, QuestionId},
    event::{AgentId, ApprovalOutcome, CallId, CallOutcome, ContextUse, Event, NoticeLevel, TurnOutcome},
    event_channel::EventSender,
    lock::lock,
    session::{Handle, person::PersonLink},
    spent::Spent,
};
use fore_plan::{Level, Mode};
use fore_team::{MemberActivity, MemberName};
use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};
use tokio::task::JoinHandle;

/// Lines that are kept of what a teammate said and did.
const MAX_LINES: usize = 300;
/// Letters of one of them.
const MAX_LINE_CHARS: usize = 2_000;
/// Letters of what a teammate is at.
const MAX_NOTE_CHARS: usize = 100;
/// What stands before a teammate's name in the ids of its questions.
const MARK: char = '@';

/// A teammate that runs here.
#[derive(Debug)]
pub(crate) struct CrewMember {
    pub(super) commands: CommandSender,
    pub(super) facts: CrewFacts,
    /// What it said and did, oldest first.
    pub(super) lines: VecDeque<String>,
    pub(super) running: Option<JoinHandle<()>>,
}

/// What is known of it.
#[derive(Debug)]
pub(super) struct CrewFacts {
    pub(super) mode: Mode,
    pub(super) activity: MemberActivity,
    pub(super) note: String,
    pub(super) context: ContextUse,
    pub(super) spent: Spent,
    /// Its questions that wait for the person.
    pub(super) questions: HashSet<QuestionId>,
}

impl CrewMember {
    pub(super) fn new(commands: CommandSender, mode: Mode, note: &str) -> CrewMember {
        let facts = CrewFacts {
            mode,
            activity: MemberActivity::New,
            note: short(note),
            context: ContextUse::default(),
            spent: Spent::default(),
            questions: HashSet::new(),
        };
        CrewMember { commands, facts, lines: VecDeque::new(), running: None }
    }

    fn line(&mut self, line: impl AsRef<str>) {
        if self.lines.len() >= MAX_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(fore_text::cut::ellipsis(line.as_ref(), MAX_LINE_CHARS).into_owned());
    }

    /// Takes what happened; says whether its row is another one.
    fn heard(&mut self, event: &Event) -> bool {
        let before = (self.facts.activity, self.facts.mode, self.facts.questions.len());
        self.note_activity(event);
        self.note_question(event);
        if let Event::Usage { model, answer, context, price, .. } = event {
            self.facts.spent.add(model, answer.as_ref(), *price);
            self.facts.context = *context;
        }
        if let Some(line) = line_of(event) {
            self.line(line);
        }
        before != (self.facts.activity, self.facts.mode, self.facts.questions.len())
    }

    fn note_activity(&mut self, event: &Event) {
        let is_planning = self.facts.mode == Mode::Plan;
        if let Event::ModeChanged(change) = event {
            self.facts.mode = change.to;
        } else if let Event::TurnStarted = event {
            self.facts.activity = if is_planning { MemberActivity::Planning } else { MemberActivity::Working };
        } else if let Event::TurnEnded { outcome } = event {
            let awaits = matches!(outcome, TurnOutcome::PlanAwaits { .. });
            self.facts.activity = if awaits { MemberActivity::AwaitingApproval } else { MemberActivity::Idle };
        } else if let Event::Closed = event {
            self.facts.activity = MemberActivity::Stopped;
        }
    }

    fn note_question(&mut self, event: &Event) {
        if let Event::Asked(asked) = event {
            self.facts.questions.insert(asked.question.clone());
        } else if let Event::FormAsked { question, .. } | Event::EnterPlanAsked { question } = event {
            self.facts.questions.insert(question.clone());
        } else if let Event::QuestionClosed { question } = event {
            self.facts.questions.remove(question);
        }
    }
}

/// What of its events is a line of its story.
fn line_of(event: &Event) -> Option<String> {
    if let Event::ModeChanged(change) = event {
        return Some(format!("mode {}", change.to));
    }
    if let Event::PromptTaken { text } = event {
        return Some(format!("› {text}"));
    }
    if let Event::TeamMessage { from, text, .. } = event {
        return Some(format!("{from}: {text}"));
    }
    if let Event::Said { agent: None, text, .. } = event {
        return Some(text.clone());
    }
    if let Event::Decided(ApprovalOutcome::Approved { receipt, .. }) = event {
        return Some(format!("plan approved by {}", receipt.by));
    }
    if let Event::ToolFinished { agent: None, tool, outcome, shown, .. } = event {
        let how = match outcome {
            CallOutcome::Done | CallOutcome::Refused { .. } => "",
            CallOutcome::Failed => "failed: ",
            CallOutcome::Interrupted => "stopped: ",
        };
        return Some(format!("  {tool} {how}{}", shown.line));
    }
    None
}

/// Hears a teammate until it ends.
pub(super) async fn follow(joined: Arc<JoinedTeam>, name: MemberName, mut handle: Handle, events: EventSender) {
    while let Some(event) = handle.next().await {
        let is_new = lock(&joined.crew).get_mut(&name).is_some_and(|member| member.heard(&event));
        if let Some(shown) = shown_to_lead(&name, event) {
            events.send(shown);
        }
        if is_new {
            joined.changed.notify_waiters();
        }
    }
    handle.ended().await;
    joined.changed.notify_waiters();
}

/// What the lead's person has to see of it.
fn shown_to_lead(name: &MemberName, event: Event) -> Option<Event> {
    let marked = |id: &str| format!("{MARK}{name}/{id}");
    if let Event::Asked(mut asked) = event {
        asked.question = QuestionId(marked(&asked.question.0));
        asked.call = CallId(marked(&asked.call.0));
        let agent = asked.agent.map_or_else(|| name.to_string(), |agent| format!("{name}/{}", agent.0));
        asked.agent = Some(AgentId(agent));
        // What is allowed for good is kept by the session whose person it is.
        asked.always.clear();
        return Some(Event::Asked(asked));
    }
    if let Event::FormAsked { question, mut form } = event {
        for question in &mut form.questions {
            question.question = format!("{name} asks: {}", question.question);
        }
        return Some(Event::FormAsked { question: QuestionId(marked(&question.0)), form });
    }
    if let Event::EnterPlanAsked { question } = event {
        return Some(Event::EnterPlanAsked { question: QuestionId(marked(&question.0)) });
    }
    if let Event::QuestionClosed { question } = event {
        return Some(Event::QuestionClosed { question: QuestionId(marked(&question.0)) });
    }
    if let Event::Notice { level: level @ (NoticeLevel::Warning | NoticeLevel::Error), text } = event {
        return Some(Event::Notice { level, text: format!("{name}: {text}") });
    }
    if let Event::TurnEnded { outcome: TurnOutcome::ModelFailed { why } | TurnOutcome::NoAnswer { why } } = event {
        return Some(Event::Notice { level: NoticeLevel::Warning, text: format!("{name} stopped: {why}") });
    }
    None
}

/// A command that answers a question of a teammate goes there; any other comes back.
pub(in crate::session) fn route(joined: &JoinedTeam, command: Command, person: &PersonLink) -> Option<Command> {
    let asked = if let Command::Reply { question, .. }
    | Command::FillForm { question, .. }
    | Command::ConfirmPlanning { question, .. } = &command
    {
        addressed(question)
    } else {
        None
    };
    let Some((name, own)) = asked else { return Some(command) };
    let command = if let Command::Reply { reply, .. } = command {
        Command::Reply { question: own, reply }
    } else if let Command::FillForm { answers, .. } = command {
        Command::FillForm { question: own, answers }
    } else if let Command::ConfirmPlanning { yes, .. } = command {
        Command::ConfirmPlanning { question: own, yes }
    } else {
        return Some(command);
    };
    send(joined, &name, command, person);
    None
}

fn addressed(question: &QuestionId) -> Option<(String, QuestionId)> {
    let (name, rest) = question.0.strip_prefix(MARK)?.split_once('/')?;
    Some((name.to_owned(), QuestionId(rest.to_owned())))
}

fn send(joined: &JoinedTeam, name: &str, command: Command, person: &PersonLink) {
    let sent = match lock(&joined.crew).iter().find(|(member, _)| member.as_str() == name) {
        Some((_, member)) => member.commands.send_now(command).map_err(|why| why.to_string()),
        None => Err("it is not at work here any more".to_owned()),
    };
    if let Err(why) = sent {
        person.notice(NoticeLevel::Warning, format!("The answer did not reach {name}: {why}."));
    }
}

/// Nobody goes on with more than the lead has now.
pub(super) fn lower(joined: &JoinedTeam, level: Level, person: &PersonLink) {
    for (name, member) in lock(&joined.crew).iter() {
        if let Mode::At(own) = member.facts.mode
            && own > level
            && member.commands.send_now(Command::Mode { to: Mode::At(level) }).is_ok()
        {
            person.notice(NoticeLevel::Info, format!("{name} works at {level} from here on, as you do."));
        }
    }
}

pub(super) fn short(text: &str) -> String {
    fore_text::cut::ellipsis(&fore_text::cut::one_line(text.trim()), MAX_NOTE_CHARS).into_owned()
}
