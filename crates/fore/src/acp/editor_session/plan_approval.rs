//! A plan that waits for approval, put before the client. Only a clear yes of a person approves; everything else keeps planning.

use super::{ClientAnswer, EditorSession, questions::QuestionSubject};
use crate::{
    acp::{
        client::YesVerdict,
        form_questions, plan_card,
        plan_terms::{PlanTerms, TermsStep, TermsWish},
        updates,
    },
    settings::AcpApproval,
};
use agent_client_protocol::v1::schema::{
    ElicitationContentValue, PlanUpdate, PlanUpdateContent, SessionUpdate, StopReason, ToolCall, ToolCallId,
    ToolCallStatus, ToolCallUpdate, ToolKind,
};
use fore_agent::{ApprovalAsked, ApprovalOutcome, Command};
use fore_plan::{
    approval::{ExitResponse, GrantChanges, OfferKind},
    contract::Contract,
    plan::{Hash, left_out_words},
};
use std::{collections::BTreeMap, time::Duration};

/// How often a plan is shown again because its answer came too soon.
const MAX_AGAIN: u32 = 2;
/// The id of the plan for clients that show it apart.
const PLAN: &str = "plan";

/// A plan that waits.
#[derive(Debug)]
pub(super) struct PlanAtClient {
    asked: ApprovalAsked,
    card: ToolCallId,
    /// How often its answer came too soon.
    too_soon: u32,
    /// What a yes would grant.
    terms: PlanTerms,
}

impl PlanAtClient {
    fn request(&self) -> &str {
        &self.asked.request.agent_id
    }
}

impl EditorSession {
    /// Whether the session's own plan waits: then words are the reason to plan on.
    pub(super) fn own_plan_waits(&self) -> bool {
        self.plans.iter().any(|plan| plan.asked.agent.is_none())
    }

    pub(super) fn plan_waits(&mut self, asked: ApprovalAsked) {
        if asked.agent.is_none() {
            self.forget_plans(|plan| plan.asked.agent.is_none());
        }
        let number = self.asked + 1;
        let card = match &self.exit_call {
            Some(call) if asked.agent.is_none() => ToolCallId::new(call.0.clone()),
            Some(_) | None => ToolCallId::new(format!("plan-{number}")),
        };
        // Clients show an answer only for a card that they know.
        if self.exit_call.is_none() || asked.agent.is_some() {
            let announced = ToolCall::new(card.clone(), plan_card::title(&asked))
                .kind(ToolKind::SwitchMode)
                .status(ToolCallStatus::Pending);
            self.tell(SessionUpdate::ToolCall(announced));
        }
        let request = asked.request.agent_id.clone();
        let terms = PlanTerms::new(&asked.request);
        self.plans.push(PlanAtClient { asked, card, too_soon: 0, terms });
        self.ask_about_plan(&request);
    }

    /// The plan in every form that the client can show, then the question.
    fn ask_about_plan(&mut self, request: &str) {
        let Some(plan) = self.plans.iter().find(|plan| plan.request() == request) else { return };
        let (asked, card, fields) =
            (plan.asked.clone(), plan.card.clone(), plan_card::fields(&plan.asked, &plan.terms));
        let id = fore_agent::QuestionId(request.to_owned());
        self.close_question(&id);
        if asked.agent.is_none() {
            updates::steps(&asked.request.steps).into_iter().for_each(|steps| self.tell(steps));
            if self.client.shows_plans {
                let markdown = PlanUpdateContent::markdown(PLAN, asked.request.plan_content.clone());
                self.tell(SessionUpdate::PlanUpdate(PlanUpdate::new(markdown)));
            }
        }
        self.tell(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(card.clone(), fields.clone())));
        let about = QuestionSubject::Plan { request: request.to_owned() };
        if self.approval() == AcpApproval::Form && self.client.has_forms {
            let schema = form_questions::plan_schema(&asked.request);
            return self.ask_with_form(about, &plan_card::title(&asked), schema, Some(card));
        }
        self.ask(about, ToolCallUpdate::new(card, fields), plan_card::options(&asked.request));
    }

    /// Once more, because the person wants to see it.
    pub(super) fn ask_about_plan_again(&mut self) {
        let own = self.plans.iter().find(|plan| plan.asked.agent.is_none()).map(|plan| plan.request().to_owned());
        own.iter().for_each(|request| self.ask_about_plan(request));
    }

    /// The person wants to approve something else of the plan that waits; it is asked about again with that. The prompt ends with the
    /// answer.
    pub(super) fn change_terms(&mut self, wish: &TermsWish) {
        let Some(plan) = self.plans.iter_mut().find(|plan| plan.asked.agent.is_none()) else { return };
        let (text, request) = (plan.asked.request.plan_content.clone(), plan.request().to_owned());
        let done = plan.terms.wish(wish, &plan.asked.request);
        let (steps, added) = plan.terms.unread();
        // What was asked before is about other terms.
        self.close_question(&fore_agent::QuestionId(request));
        match done {
            Ok(TermsStep::Known) => self.ask_about_plan_again(),
            Ok(TermsStep::ToRead) => self.send(Command::ReadContract { text, steps, added }),
            Err(how) => {
                self.say(&how);
                self.answer_prompt(StopReason::EndTurn);
            }
        }
    }

    /// The session has read what the plan would cover.
    pub(super) fn terms_read(
        &mut self,
        (plan, steps): (Hash, Option<&[u32]>),
        read: (&Contract, Hash),
        added: &BTreeMap<String, Contract>,
    ) {
        let waits = self.plans.iter_mut().find(|waits| waits.asked.agent.is_none());
        let waits = waits.filter(|waits| waits.asked.request.plan_hash == plan);
        if let Some(refused) = waits.and_then(|waits| waits.terms.read(steps, read, added)) {
            refused.iter().for_each(|words| self.say(&format!("\n\n{words}\n\n")));
            self.ask_about_plan_again();
        }
    }

    pub(super) fn plan_answered(&mut self, request: &str, said: ClientAnswer, took: Duration) {
        let Some(plan) = self.plans.iter().find(|plan| plan.request() == request) else { return };
        let offered = plan_card::offered(&plan.asked.request);
        let is_own = plan.asked.agent.is_none();
        let (word, words) = match said {
            ClientAnswer::Chose(id) => (id.0.to_string(), String::new()),
            ClientAnswer::Filled(content) => form_questions::plan_answer(&content),
            // The prompt ends, and with it the question; without one the plan goes on waiting.
            ClientAnswer::Cancelled if self.prompt.is_some() => return self.cancelled(),
            ClientAnswer::Cancelled | ClientAnswer::NotFilled => return self.plan_goes_on_waiting(is_own, request, ""),
            ClientAnswer::Nothing(why) => {
                let words = format!("The client could not ask you: {why}. ");
                return self.plan_goes_on_waiting(is_own, request, &words);
            }
        };
        let chosen = offered.into_iter().find(|kind| kind.word() == word);
        match chosen {
            Some(kind) if plan_card::is_yes(kind) => self.approve(request, kind, words, took),
            Some(OfferKind::SaveAndStop) => self.decide(request, OfferKind::SaveAndStop, words),
            Some(OfferKind::KeepPlanning) if !words.trim().is_empty() || !is_own => {
                self.decide(request, OfferKind::KeepPlanning, words);
            }
            Some(OfferKind::KeepPlanning) => self.ask_for_reason(request),
            // What was not offered decides nothing.
            Some(_) | None => self.plan_goes_on_waiting(is_own, request, "That answer was not offered. "),
        }
    }

    fn approve(&mut self, request: &str, kind: OfferKind, words: String, took: Duration) {
        let verdict = self.client.verdict(self.approval(), took);
        if verdict == YesVerdict::Counts {
            return self.decide(request, kind, words);
        }
        let said = self.not_counted(verdict);
        let Some(plan) = self.plans.iter_mut().find(|plan| plan.request() == request) else { return };
        plan.too_soon += 1;
        if verdict == YesVerdict::TooSoon && plan.too_soon <= MAX_AGAIN {
            self.say(&format!("\n\n{said} Here it is again.\n\n"));
            return self.ask_about_plan(request);
        }
        let is_own = plan.asked.agent.is_none();
        self.plan_goes_on_waiting(is_own, request, &format!("{said} "));
    }

    /// Why a yes did not count.
    pub(super) fn not_counted(&self, verdict: YesVerdict) -> String {
        let client = &self.client.shown;
        match verdict {
            YesVerdict::Counts => String::new(),
            YesVerdict::TooSoon => {
                "That yes came within a second, before anybody could have read it, so it does not count.".to_owned()
            }
            YesVerdict::Automatic => format!(
                "{client} can answer by itself, so its yes does not count as yours. Answer in a terminal (`fore --resume {}`), or set \
                 acp.approval to \"client\" in your own settings if its answers are to count.",
                self.id.0
            ),
        }
    }

    fn decide(&mut self, request: &str, kind: OfferKind, words: String) {
        let Some(plan) = self.plans.iter().find(|plan| plan.request() == request) else { return };
        let is_yes = plan_card::is_yes(kind);
        let (contract_hash, grants) = plan.terms.granted();
        let kept = plan.terms.steps();
        let reason = match (&kept, kind) {
            (Some(kept), OfferKind::KeepPlanning) => {
                let said = Some(words).filter(|words| !words.trim().is_empty());
                let left_out = left_out_words(&plan.asked.request.plan_content, kept);
                said.into_iter().chain(left_out).collect::<Vec<_>>().join("\n\n")
            }
            (Some(_) | None, _) => words,
        };
        let response = ExitResponse {
            agent_id: request.to_owned(),
            selected: kind.into(),
            reason,
            comments: Vec::new(),
            plan: None,
            steps: kept.filter(|_| is_yes),
            contract_hash: Some(contract_hash),
            grants: Box::new(if is_yes { grants } else { GrantChanges::default() }),
            through: None,
        };
        // What becomes of a subagent's plan is told by its call.
        self.plans.retain(|plan| plan.asked.agent.is_none() || plan.request() != request);
        self.send(Command::Approval(response));
    }

    /// The words of a prompt are the reason to plan on.
    pub(super) fn keep_planning(&mut self, words: String) {
        let own = self.plans.iter().find(|plan| plan.asked.agent.is_none()).map(|plan| plan.request().to_owned());
        if let Some(request) = own {
            self.close_question(&fore_agent::QuestionId(request.clone()));
            self.decide(&request, OfferKind::KeepPlanning, words);
        }
    }

    /// A no: what should be otherwise is asked where the client has forms; else the next prompt says it.
    fn ask_for_reason(&mut self, request: &str) {
        if !self.client.has_forms {
            return self.plan_goes_on_waiting(true, request, "");
        }
        let card = self.plans.iter().find(|plan| plan.request() == request).map(|plan| plan.card.clone());
        let about = QuestionSubject::PlanReason { request: request.to_owned() };
        self.ask_with_form(about, "Keep planning: what should be different?", form_questions::reason_schema(), card);
    }

    pub(super) fn reason_given(&mut self, request: &str, said: ClientAnswer) {
        let reason = match said {
            ClientAnswer::Filled(content) => match content.get(form_questions::REASON) {
                Some(ElicitationContentValue::String(reason)) => reason.trim().to_owned(),
                _ => String::new(),
            },
            ClientAnswer::Chose(_) | ClientAnswer::NotFilled | ClientAnswer::Cancelled | ClientAnswer::Nothing(_) => {
                String::new()
            }
        };
        if reason.is_empty() {
            return self.plan_goes_on_waiting(true, request, "");
        }
        self.decide(request, OfferKind::KeepPlanning, reason);
    }

    /// Nothing was decided: the plan waits, the prompt ends, and the next one is the reason. A subagent plans on at once.
    fn plan_goes_on_waiting(&mut self, is_own: bool, request: &str, before: &str) {
        if !is_own {
            return self.decide(request, OfferKind::KeepPlanning, String::new());
        }
        self.say(&format!(
            "\n\n{before}The plan is not approved and waits. Your next message says what should be different; /plan asks again, /strike 2, /cover \
             PATH and /steps 1 3 change what you would approve."
        ));
        self.answer_prompt(StopReason::EndTurn);
    }

    /// It was decided, here or elsewhere.
    pub(super) fn plan_decided(&mut self, outcome: &ApprovalOutcome) {
        if let ApprovalOutcome::NotCounted { .. } = outcome {
            let own = self.plans.iter().find(|plan| plan.asked.agent.is_none()).map(|plan| plan.request().to_owned());
            if let Some(request) = own {
                self.plan_goes_on_waiting(true, &request, "");
            }
            return;
        }
        self.forget_plans(|plan| plan.asked.agent.is_none());
        self.exit_call = None;
    }

    fn forget_plans(&mut self, which: impl Fn(&PlanAtClient) -> bool) {
        let (gone, left): (Vec<_>, Vec<_>) = std::mem::take(&mut self.plans).into_iter().partition(|plan| which(plan));
        self.plans = left;
        for plan in gone {
            self.close_question(&fore_agent::QuestionId(plan.request().to_owned()));
        }
    }
}
