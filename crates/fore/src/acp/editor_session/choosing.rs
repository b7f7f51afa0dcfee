//! Mode, model and thinking, chosen by the client. Each goes the way of the person's own hand, and is answered when it holds.

use super::{EditorSession, wrong};
use crate::acp::config_options::{self, SessionChoices, ThinkingChoice};
use agent_client_protocol::v1::{
    Responder,
    schema::{SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeResponse},
};
use fore_agent::{Command, DutyName};
use fore_plan::{Change, Level, Mode, Openings, SessionRole, State};
use std::sync::PoisonError;

/// Choices that wait for the session at once.
const MAX_WAITING: usize = 16;

/// Somebody who waits until what they chose holds.
#[derive(Debug)]
pub(super) struct ChoiceWaiter {
    wanted: WantedChoice,
    answer: ChoiceResponder,
}

/// What somebody waits for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WantedChoice {
    Mode(Mode),
    Model(String),
}

/// The two requests that can choose a mode are answered each in its own way.
#[derive(Debug)]
pub(super) enum ChoiceResponder {
    Mode(Responder<SetSessionModeResponse>),
    Option(Responder<SetSessionConfigOptionResponse>),
}

impl ChoiceResponder {
    fn done(self, choices: &SessionChoices) {
        // A client that has gone needs no answer.
        let _ = match self {
            ChoiceResponder::Mode(responder) => responder.respond(SetSessionModeResponse::new()),
            ChoiceResponder::Option(responder) => {
                responder.respond(SetSessionConfigOptionResponse::new(choices.options()))
            }
        };
    }

    fn refused(self, why: &str) {
        let _ = match self {
            ChoiceResponder::Mode(responder) => responder.respond_with_error(wrong(why)),
            ChoiceResponder::Option(responder) => responder.respond_with_error(wrong(why)),
        };
    }
}

/// The modes that are open.
pub(in crate::acp) fn open_modes(openings: Openings) -> Vec<Mode> {
    let started = Change::Started { level: Level::Default, planning: false, openings, role: SessionRole::Main };
    let state = State::fold_all([&started]);
    let is_open = |mode: &Mode| match mode {
        Mode::Plan => true,
        Mode::At(level) => state.may_use(*level),
    };
    Mode::ALL.into_iter().filter(is_open).collect()
}

impl EditorSession {
    pub(super) fn choose_mode(&mut self, id: &str, responder: Responder<SetSessionModeResponse>) {
        self.switch(id, ChoiceResponder::Mode(responder));
    }

    fn switch(&mut self, id: &str, answer: ChoiceResponder) {
        let Some(mode) = config_options::mode_of(id) else {
            return answer.refused("There is no mode of this name.");
        };
        if mode == self.choices.mode {
            return answer.done(&self.choices);
        }
        if !self.choices.modes.contains(&mode) {
            let why = match mode {
                Mode::At(Level::BypassPermissions) => "it needs a trusted folder and --dangerously-allow-bypass",
                Mode::At(Level::Auto) => "it needs a trusted folder, permissions.autoOptIn and a language model",
                Mode::At(Level::AcceptEdits | Level::Default) | Mode::Plan => {
                    "it needs a folder that you trust; run `fore trust` there"
                }
            };
            return answer.refused(&format!("{mode} is not open here: {why}."));
        }
        self.wait_for(WantedChoice::Mode(mode), answer, vec![Command::Mode { to: mode }]);
    }

    pub(super) fn choose(
        &mut self,
        request: &SetSessionConfigOptionRequest,
        responder: Responder<SetSessionConfigOptionResponse>,
    ) {
        let answer = ChoiceResponder::Option(responder);
        let Some(value) = request.value.as_value_id() else {
            return answer.refused("This option takes one of its values.");
        };
        match &*request.config_id.0 {
            config_options::MODE => self.switch(&value.0, answer),
            config_options::MODEL => {
                let name = value.0.to_string();
                if name == self.choices.plan_model && name == self.choices.act_model {
                    return answer.done(&self.choices);
                }
                let command = Command::Model { name: name.clone(), duty: None };
                self.wait_for(WantedChoice::Model(name), answer, vec![command]);
            }
            config_options::THINKING => self.think(&value.0, answer),
            _ => answer.refused("There is no option of this name."),
        }
    }

    /// The models are chosen once more, now with another wish.
    fn think(&mut self, word: &str, answer: ChoiceResponder) {
        let Some(choice) = ThinkingChoice::from_word(word) else {
            return answer.refused("Thinking has no such value.");
        };
        *self.thinking.lock().unwrap_or_else(PoisonError::into_inner) = choice;
        self.choices.thinking = choice;
        let names =
            [(self.choices.plan_model.clone(), DutyName::Plan), (self.choices.act_model.clone(), DutyName::Act)];
        for (name, duty) in names {
            self.send(Command::Model { name, duty: Some(duty) });
        }
        answer.done(&self.choices);
    }

    fn wait_for(&mut self, wanted: WantedChoice, answer: ChoiceResponder, commands: Vec<Command>) {
        if self.waiters.len() >= MAX_WAITING {
            return answer.refused("Too many choices wait already.");
        }
        self.waiters.push(ChoiceWaiter { wanted, answer });
        commands.into_iter().for_each(|command| self.send(command));
    }

    /// Answers those whose choice holds now.
    pub(super) fn settle_choices(&mut self) {
        let holds = |waiter: &ChoiceWaiter| match &waiter.wanted {
            WantedChoice::Mode(mode) => *mode == self.choices.mode,
            WantedChoice::Model(name) => *name == self.choices.plan_model && *name == self.choices.act_model,
        };
        let (done, left): (Vec<_>, Vec<_>) = std::mem::take(&mut self.waiters).into_iter().partition(holds);
        self.waiters = left;
        done.into_iter().for_each(|waiter| waiter.answer.done(&self.choices));
    }

    /// The session does not take a choice: whoever waits for it longest is told why.
    pub(super) fn refuse_choice(&mut self, refused: &WantedChoice, why: &str) {
        if let Some(at) = self.waiters.iter().position(|waiter| waiter.wanted == *refused) {
            self.waiters.remove(at).answer.refused(why);
        }
    }

    pub(super) fn model_changed(&mut self, model: &str, duty: Option<DutyName>) {
        let is_for = |one: DutyName| duty.is_none_or(|duty| duty == one);
        if is_for(DutyName::Plan) {
            self.choices.plan_model = model.to_owned();
        }
        if is_for(DutyName::Act) {
            self.choices.act_model = model.to_owned();
        }
        // A name may be spelled shorter than it is told.
        for waiter in &mut self.waiters {
            if let WantedChoice::Model(name) = &mut waiter.wanted
                && duty.is_none()
            {
                model.clone_into(name);
            }
        }
        self.choices_changed();
    }
}
