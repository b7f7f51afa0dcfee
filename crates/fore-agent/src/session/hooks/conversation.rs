//! Hooks around a conversation: what the person says, its beginnings and ends, its summaries, its subagents and its plans.

use super::words_for_model;
use crate::{
    cancel::Cancel,
    event::{ApprovalOutcome, NoticeLevel, TurnOutcome},
    session::{
        caller::{CallerContext, CallerIdentity},
        drive::Driver,
        session_context::SessionContext,
    },
    turn::{Turn, TurnEffect, TurnInput},
};
use fore_hooks::{HookEvent, HookOccasion, HookVerdict, HookedAgent};
use fore_plan::{approval::Proposal, plan::Hash, reminder::defuse_str};
use std::sync::Arc;

/// How often hooks may keep a turn from ending.
pub(crate) const MAX_STOPS: u32 = 8;

impl SessionContext {
    /// Asks the hooks about words of the person; the error says which hook keeps them back. What the hooks add is for the model.
    pub(crate) async fn hooks_of_prompt(
        self: &Arc<Self>,
        caller: &CallerContext,
        text: &str,
    ) -> Result<Vec<String>, String> {
        self.work.hooks.begin_prompt();
        let verdict = self.hooks(caller, HookOccasion::UserPromptSubmit { prompt: text.to_owned() }).await;
        match verdict.refusal() {
            Some((hook, reason)) => Err(format!("the hook `{hook}` did not let this prompt through: {reason}")),
            None => Ok(words_for_model(HookEvent::UserPromptSubmit.name(), &verdict.context)),
        }
    }

    /// A session begins, in whatever way; what hooks say goes to the model with the next prompt.
    pub(crate) async fn hooks_of_start(self: &Arc<Self>, source: &'static str) {
        let model = self.work.model(self.duty()).name().to_string();
        let caller = CallerContext::main(Cancel::default());
        let verdict = self.hooks(&caller, HookOccasion::SessionStart { source, model: Some(model) }).await;
        for words in words_for_model(HookEvent::SessionStart.name(), &verdict.context) {
            self.person.prompts().remind(words);
        }
    }

    /// Hooks hear of an end before anything is stopped.
    pub(crate) async fn hooks_of_end(self: &Arc<Self>, reason: &'static str) {
        let caller = CallerContext::main(Cancel::default());
        drop(self.hooks(&caller, HookOccasion::SessionEnd { reason }).await);
    }

    /// The person is wanted; nobody waits for hooks that say so elsewhere.
    pub(crate) fn hooks_of_notification(self: &Arc<Self>, caller: &CallerContext, kind: &'static str, message: String) {
        self.hooks_beside(caller, HookOccasion::Notification { kind, message });
    }

    /// Hooks hear what was decided about a plan; they change nothing of it.
    pub(crate) fn hooks_of_decision(
        self: &Arc<Self>,
        caller: &CallerContext,
        (path, hash): (&str, Hash),
        decided: &ApprovalOutcome,
    ) {
        let (decision, level, reason) = match decided {
            ApprovalOutcome::Approved { receipt, .. } => ("approved", Some(receipt.level.to_string()), String::new()),
            ApprovalOutcome::KeepPlanning { reason, .. } => ("keep-planning", None, reason.clone()),
            ApprovalOutcome::Saved { .. } => ("saved", None, String::new()),
            ApprovalOutcome::Left { level } => ("left", Some(level.to_string()), String::new()),
            ApprovalOutcome::Discarded => ("discarded", None, String::new()),
            ApprovalOutcome::NotCounted { .. } => return,
            ApprovalOutcome::Awaits { .. } => ("awaits", None, String::new()),
        };
        let approved = if let ApprovalOutcome::Approved { receipt, .. } = decided { Some(receipt.hash) } else { None };
        self.hooks_beside(
            caller,
            HookOccasion::PlanDecided {
                plan_file_path: path.to_owned(),
                plan_hash: Some(approved.unwrap_or(hash).to_string()),
                decision: decision.to_owned(),
                level,
                reason,
            },
        );
    }

    /// The plan of `fore apply` was approved before the session began.
    pub(crate) fn hooks_of_applied_plan(self: &Arc<Self>) {
        let state = self.ledger.state();
        let Some((plan, receipt)) = state.plan().and_then(|plan| Some((plan, plan.receipt.as_ref()?))) else { return };
        let caller = CallerContext::main(Cancel::default());
        self.hooks_beside(
            &caller,
            HookOccasion::PlanDecided {
                plan_file_path: plan.path.clone(),
                plan_hash: Some(receipt.hash.to_string()),
                decision: "approved".to_owned(),
                level: Some(receipt.level.to_string()),
                reason: String::new(),
            },
        );
    }

    /// Why a plan goes back to the model before anybody is asked about it.
    pub(crate) async fn hooks_of_plan(self: &Arc<Self>, caller: &CallerContext, proposal: &Proposal) -> Option<String> {
        let occasion = HookOccasion::PlanProposed {
            plan_file_path: proposal.path.clone(),
            plan_hash: proposal.hash.to_string(),
            plan: proposal.text.clone(),
        };
        let verdict = self.hooks(caller, occasion).await;
        let (hook, reason) = verdict.refusal()?;
        Some(defuse_str(&format!("The hook `{hook}` sent it back: {reason}")).into_owned())
    }
}

impl Driver {
    /// Plays a turn, and goes on with it as often as a hook says that it is not over.
    pub(crate) async fn play_to_the_end(&mut self, effects: Vec<TurnEffect>) -> TurnOutcome {
        let mut outcome = self.play(effects).await;
        for stopped_before in 0..=MAX_STOPS {
            if outcome != TurnOutcome::Done || self.caller.cancel.is_cancelled() {
                break;
            }
            let verdict = self.hooks_of_stop(stopped_before > 0).await;
            let Some((hook, reason)) = goes_on(&verdict) else { break };
            if stopped_before == MAX_STOPS {
                let text = format!(
                    "The hook `{hook}` wanted the turn to continue once more; after {MAX_STOPS} times it ends all the same."
                );
                self.context.person.notice(NoticeLevel::Warning, text);
                break;
            }
            let event = self.stop_event().name();
            let words = words_for_model(event, &[(hook.to_owned(), reason.to_owned())]);
            words.iter().chain(&words_for_model(event, &verdict.context)).for_each(|words| self.remind(words));
            let rounds = self.context.setup.live().settings.max_rounds;
            self.turn = match self.caller.identity {
                CallerIdentity::Main => Turn::new(rounds),
                CallerIdentity::Agent { .. } => Turn::of_agent(rounds.min(crate::session::agents::MAX_ROUNDS)),
            };
            let effects = self.turn.step(TurnInput::Begin);
            outcome = self.play(effects).await;
        }
        outcome
    }

    fn stop_event(&self) -> HookEvent {
        match self.caller.identity {
            CallerIdentity::Main => HookEvent::Stop,
            CallerIdentity::Agent { .. } => HookEvent::SubagentStop,
        }
    }

    async fn hooks_of_stop(&self, stop_hook_active: bool) -> HookVerdict {
        let last_assistant_message = self.last_text.clone();
        let occasion = match &self.caller.identity {
            CallerIdentity::Main => {
                let background_tasks = self.context.work.background.list();
                HookOccasion::Stop { stop_hook_active, last_assistant_message, background_tasks }
            }
            CallerIdentity::Agent { id, kind, .. } => {
                let agent = HookedAgent { id: id.0.clone(), kind: kind.name.clone() };
                HookOccasion::SubagentStop { agent, stop_hook_active, last_assistant_message }
            }
        };
        self.context.hooks(&self.caller, occasion).await
    }

    /// A subagent begins: what hooks say stands before its task.
    pub(crate) async fn hooks_of_agent_start(&mut self) {
        let CallerIdentity::Agent { id, kind, .. } = &self.caller.identity else { return };
        let agent = HookedAgent { id: id.0.clone(), kind: kind.name.clone() };
        let verdict = self.context.hooks(&self.caller, HookOccasion::SubagentStart { agent }).await;
        for words in words_for_model(HookEvent::SubagentStart.name(), &verdict.context) {
            self.remind(&words);
        }
    }

    /// The error says which hook keeps the conversation as it is.
    pub(crate) async fn hooks_before_compaction(&self, trigger: &'static str, keep: &str) -> Result<(), String> {
        let occasion = HookOccasion::PreCompact { trigger, custom_instructions: keep.to_owned() };
        let verdict = self.context.hooks(&self.caller, occasion).await;
        match verdict.refusal() {
            Some((hook, reason)) => Err(format!("the hook `{hook}` keeps it as it is: {reason}")),
            None => Ok(()),
        }
    }

    pub(crate) async fn hooks_after_compaction(&self, trigger: &'static str) {
        drop(self.context.hooks(&self.caller, HookOccasion::PostCompact { trigger }).await);
    }
}

/// Who wants the turn to go on, and why; whoever stops everything does not.
fn goes_on(verdict: &HookVerdict) -> Option<(&str, &str)> {
    verdict.refusal().filter(|_| verdict.stops.is_none())
}
