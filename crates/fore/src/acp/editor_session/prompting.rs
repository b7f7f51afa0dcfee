//! One prompt of the client at a time: how it reaches the session, and when it is answered.

use super::{EditorSession, wrong};
use crate::acp::{
    prompt_blocks::{PromptParts, prompt_parts},
    slash::{self, EndsWith, Typed},
};
use agent_client_protocol::{
    Error,
    v1::{
        Responder,
        schema::{ContentBlock, PromptResponse, StopReason},
    },
};
use fore_agent::{Command, Event, McpServerRow, McpServerState, PromptTiming, TurnOutcome};
use fore_plan::Mode;
use std::fmt::Write as _;

/// A prompt that is not answered yet.
#[derive(Debug)]
pub(super) struct RunningPrompt {
    pub(super) responder: Responder<PromptResponse>,
    ends: EndsWith,
    /// The session has heard it: the next turn that ends is its own.
    began: bool,
    cancelled: bool,
}

impl EditorSession {
    pub(super) fn prompted(&mut self, blocks: Vec<ContentBlock>, responder: Responder<PromptResponse>) {
        if self.prompt.is_some() {
            let busy = Error::new(Error::invalid_request().code, "A prompt is being worked on; cancel it first.");
            let _ = responder.respond_with_error(busy);
            return;
        }
        let waits = self.own_plan_waits();
        let text = match prompt_parts(blocks, &self.folder).and_then(|parts| self.with_pictures(parts, waits)) {
            Ok(text) => text,
            Err(why) => {
                let _ = responder.respond_with_error(wrong(why));
                return;
            }
        };
        let (command, ends) = match slash::read(text) {
            Typed::Wrong(why) => {
                self.say(&why);
                let _ = responder.respond(PromptResponse::new(StopReason::EndTurn));
                return;
            }
            Typed::ShowPlan if waits => {
                self.prompt = Some(RunningPrompt { responder, ends: EndsWith::Turn, began: true, cancelled: false });
                return self.ask_about_plan_again();
            }
            Typed::ShowPlan => (Command::ShowPlan, EndsWith::Plan),
            Typed::Terms(wish, _) if waits => {
                self.prompt = Some(RunningPrompt { responder, ends: EndsWith::Turn, began: true, cancelled: false });
                return self.change_terms(&wish);
            }
            Typed::Terms(_, line) => (Command::Custom { line, or_words: true }, EndsWith::Turn),
            Typed::PlanTask(words) => {
                if self.choices.mode != Mode::Plan {
                    self.send(Command::Mode { to: Mode::Plan });
                }
                (Command::Prompt { text: words, when: PromptTiming::Queue }, EndsWith::Turn)
            }
            Typed::Send(command, ends) => (command, ends),
        };
        let began = match (command, ends) {
            // Words while a plan waits mean: not like this. They are the reason.
            (Command::Prompt { text, .. }, _) if waits => {
                self.keep_planning(text);
                true
            }
            (command, EndsWith::Turn | EndsWith::Cut) => {
                if waits {
                    self.send(Command::Interrupt);
                }
                self.send(command);
                false
            }
            (command, EndsWith::Report | EndsWith::Plan | EndsWith::Servers | EndsWith::Vouch) => {
                self.send(command);
                false
            }
        };
        self.prompt = Some(RunningPrompt { responder, ends, began, cancelled: false });
    }

    /// Sends the pictures ahead; the words are left.
    fn with_pictures(&self, parts: PromptParts, waits: bool) -> Result<String, String> {
        let PromptParts { text, pictures } = parts;
        if pictures.is_empty() {
            return Ok(text);
        }
        if waits {
            return Err("A plan waits, and your next message is the reason to plan on: it can have no pictures.".into());
        }
        if text.starts_with('/') {
            return Err("A command can have no pictures.".into());
        }
        if self.choices.model() == fore_agent::scout::name().to_string() {
            return Err("The scout sees no pictures; choose a language model.".into());
        }
        self.send(Command::Attach { pictures });
        Ok(text)
    }

    /// The client wants the prompt, or the work that goes on, to stop.
    pub(super) fn cancelled(&mut self) {
        let Some(prompt) = &mut self.prompt else {
            // A plan that waits is not taken back by this: nobody works on it.
            if self.works && !self.own_plan_waits() {
                self.send(Command::Interrupt);
            }
            return;
        };
        prompt.cancelled = true;
        match (prompt.ends, prompt.began) {
            (EndsWith::Turn, true) => self.send(Command::Interrupt),
            (EndsWith::Turn, false) => {
                self.send(Command::TakeBack);
                self.send(Command::Interrupt);
                self.answer_prompt(StopReason::Cancelled);
            }
            (EndsWith::Cut, _) => self.send(Command::Interrupt),
            (EndsWith::Report | EndsWith::Plan | EndsWith::Servers | EndsWith::Vouch, _) => {
                self.answer_prompt(StopReason::Cancelled);
            }
        }
    }

    /// Ends the prompt, if there is one.
    pub(super) fn answer_prompt(&mut self, stop: StopReason) {
        if let Some(prompt) = self.prompt.take() {
            let stop = if prompt.cancelled { StopReason::Cancelled } else { stop };
            let _ = prompt.responder.respond(PromptResponse::new(stop));
        }
    }

    /// What an event means for the prompt that runs.
    pub(super) fn prompt_heard(&mut self, event: &Event) {
        let Some(prompt) = &mut self.prompt else { return };
        if let Event::PromptTaken { .. } = event {
            prompt.began = true;
        }
        match (prompt.ends, event) {
            (EndsWith::Turn, Event::TurnEnded { outcome }) if prompt.began => self.turn_ended(outcome),
            (EndsWith::Report, Event::Report { .. }) | (EndsWith::Cut, Event::ContextCut { .. }) => {
                self.answer_prompt(StopReason::EndTurn)
            }
            (EndsWith::Plan, Event::Plan { text, unreadable, .. }) => {
                self.say(text.as_deref().or(unreadable.as_deref()).unwrap_or("There is no plan yet."));
                self.answer_prompt(StopReason::EndTurn);
            }
            (EndsWith::Servers, Event::McpServers { servers, .. }) => {
                self.say(&server_list(servers));
                self.answer_prompt(StopReason::EndTurn);
            }
            // What could not be done is said; there is nothing else to wait for.
            (
                EndsWith::Report | EndsWith::Cut | EndsWith::Plan | EndsWith::Servers | EndsWith::Vouch,
                Event::Notice { .. },
            ) => self.answer_prompt(StopReason::EndTurn),
            _ => {}
        }
    }

    fn turn_ended(&mut self, outcome: &TurnOutcome) {
        let stop = match outcome {
            TurnOutcome::Done | TurnOutcome::PlanAwaits { .. } | TurnOutcome::PlanSaved { .. } => StopReason::EndTurn,
            TurnOutcome::Interrupted => StopReason::Cancelled,
            TurnOutcome::TooManyRounds { .. } => StopReason::MaxTurnRequests,
            TurnOutcome::NoAnswer { why } | TurnOutcome::NotSent { why } | TurnOutcome::OverBudget { why } => {
                self.say(&format!("\n\n{why}"));
                StopReason::EndTurn
            }
            TurnOutcome::ModelFailed { why } => {
                if let Some(prompt) = self.prompt.take() {
                    let failed = Error::new(Error::internal_error().code, fore_text::prose(why).into_owned());
                    let _ = prompt.responder.respond_with_error(failed);
                }
                return;
            }
        };
        self.answer_prompt(stop);
    }
}

/// The servers, as a list.
fn server_list(servers: &[McpServerRow]) -> String {
    if servers.is_empty() {
        return "No MCP server is set up.".to_owned();
    }
    let mut page = String::new();
    for server in servers {
        let state = match &server.state {
            McpServerState::Off => "off".to_owned(),
            McpServerState::NeedsTrust => format!("waits for your trust: /mcp trust {}", server.name),
            McpServerState::Ready => "ready".to_owned(),
            McpServerState::Connected { read_only: true } => "connected, read-only".to_owned(),
            McpServerState::Connected { read_only: false } => "connected".to_owned(),
            McpServerState::Failed { why } => format!("failed: {}", fore_text::cut::one_line(why)),
        };
        let _ = writeln!(page, "- **{}** ({state}): `{}`", server.name, server.shown);
        for tool in &server.tools {
            let _ = writeln!(page, "  - {}", tool.name);
        }
    }
    page
}
