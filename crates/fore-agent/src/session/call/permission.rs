//! Questions about a call: put to the person, or to auto mode's classifier. Silence, doubt and trouble are a no.

use super::{GivenPermit, NoPermit, ToolCall, judge};
use crate::session::{
    approval::amend,
    person::pending_questions::{AnswerKind, GivenAnswer},
    spending::{Asking, CameBack},
};
use crate::{
    classifier,
    command::{QuestionId, Reply},
    control::amend_plan,
    event::{Event, NoticeLevel, PermissionRequest, ShownCall},
    lock::lock,
};
use fore_model::Duty;
use fore_plan::{
    Change, Epoch, Refusal, RefusalCode, ToolName,
    approval::{Reachable, amend::PlanAddition},
    gate::{self, Action, AllowScope, Granted, Question},
};
use fore_store::audit::{AuditDecider, AuditSubject};
use serde_json::json;
use std::sync::Arc;

/// An answer, with the reason of whoever gave it.
struct CallAnswer {
    reply: Reply,
    reason: String,
}

impl CallAnswer {
    fn no(reason: String) -> CallAnswer {
        CallAnswer { reply: Reply::No { reason }, reason: String::new() }
    }
}

impl ToolCall {
    /// The permit, if somebody says yes. What cannot work anyway is told so, and nobody is asked.
    pub(super) async fn ask(&self, question: Question, epoch: Epoch) -> Result<GivenPermit, NoPermit> {
        let about = AuditSubject::new(question.action());
        let (by, answered) = match self.answer_of(&question).await {
            Ok(answer) => answer,
            Err(stopped) => {
                self.audit_stopped(about, &stopped);
                return Err(stopped);
            }
        };
        let CallAnswer { reply, reason } = answered;
        let is_classifier = by == AuditDecider::Classifier;
        let granted = self.state_of(epoch).and_then(|state| question.answer(reply, &state));
        self.audit_answer(about, by, granted.as_ref().map(|_| reason.as_str()));
        match granted {
            Ok(Granted { permit, changes, addition }) => {
                changes.into_iter().for_each(|change| self.remember(change));
                if let Some(addition) = addition {
                    self.add_to_plan(addition).await;
                }
                if is_classifier {
                    self.tell_verdict(true, &reason);
                }
                Ok((permit, is_classifier.then(|| format!("auto mode allowed it: {reason}"))))
            }
            Err(refusal) => {
                // An interrupt is no verdict of the classifier's.
                if is_classifier && refusal.code == RefusalCode::AutoDenied && !self.caller.cancel.is_cancelled() {
                    self.classifier_said_no(&refusal);
                }
                Err(refusal.into())
            }
        }
    }

    /// Who answered, and what. The error is why nobody did.
    async fn answer_of(&self, question: &Question) -> Result<(AuditDecider, CallAnswer), NoPermit> {
        if question.answerer() == gate::Answerer::Person && self.context.person.reachable() == Reachable::Nobody {
            return Err(match question.addition() {
                Some(_) => {
                    let why = "the plan does not cover it, and nobody can answer in this run, so it is denied";
                    let refusal = self.unanswered(question, why);
                    Refusal { code: RefusalCode::PlanNotCovered, ..refusal }.into()
                }
                None => self.unanswered(question, "nobody can answer in this run, so what would ask is denied").into(),
            });
        }
        let shown = tokio::select! {
            biased;
            () = self.caller.cancel.cancelled() => return Err(NoPermit::Interrupted),
            shown = self.preview(question.action().clone()) => shown.map_err(NoPermit::CannotWork)?,
        };
        match question.answerer() {
            gate::Answerer::Classifier => Ok((AuditDecider::Classifier, self.classify(question).await)),
            gate::Answerer::Person => match self.ask_person(question, shown).await {
                Ok(reply) => Ok((AuditDecider::Person, CallAnswer { reply, reason: String::new() })),
                Err(why) => Err(self.unanswered(question, why).into()),
            },
        }
    }

    /// What the person is shown of the call; the error is why it cannot work. That is told only about files that the
    /// model may read without a question: of others it must not even learn whether they are there.
    async fn preview(&self, action: Action) -> Result<ShownCall, String> {
        let call = self.clone();
        let look = move || {
            if action == Action::AmendPlan {
                let addition = amend_plan::parse(&call.input)?;
                let path = call.context.ledger.plan_path().unwrap_or_default();
                let amended = amend::prepare(&call.context, &addition, &call.caller.cancel)?;
                let shown = amend::shown(&call.context, path, &amended)?;
                // What is added later is what was shown here, or nothing.
                *lock(&call.shown_amendment) = Some(amended.added);
                return Ok(shown);
            }
            if let Action::Mcp { .. } = action {
                return Ok(call.server_preview());
            }
            let Some(tool) = call.toolbox.get(&call.tool) else {
                return Ok(ShownCall::line(call.toolbox.line(&call.tool, &call.input)));
            };
            let context = call.context.tool_context(&call.caller, call.caller.cancel.clone(), call.id.clone());
            let shown = tool.preview(&action, &call.input, &context);
            shown.or_else(|why| match call.may_read(&action) {
                true => Err(why),
                false => Ok(ShownCall::line(why.lines().next().unwrap_or_default())),
            })
        };
        let broken = |_| Err("the tool crashed; nothing more is known".to_owned());
        tokio::task::spawn_blocking(look).await.unwrap_or_else(broken)
    }

    /// Whether the gate lets the model read the file of a change, without a question.
    fn may_read(&self, action: &Action) -> bool {
        let (Action::Edit { target, .. } | Action::EditNotebook { target }) = action else { return true };
        let read =
            judge::action(&self.context, &self.caller, ToolName::Read.name(), &json!({ "file_path": target.real }));
        let judgement = judge::judge(&self.context.setup, &self.caller.state(self.context.ledger.state()), read);
        matches!(judgement.verdict, gate::Verdict::Allow(_))
    }

    /// The plan covers it from now on. The yes counts even where that fails.
    async fn add_to_plan(&self, addition: PlanAddition) {
        let (context, cancel) = (Arc::clone(&self.context), self.caller.cancel.clone());
        let added = tokio::task::spawn_blocking(move || amend::add_call(&context, &addition, &cancel)).await;
        if let Ok(Err(why)) = added {
            self.context
                .person
                .notice(NoticeLevel::Warning, format!("Allowed once, but not added to the plan: {why}."));
        }
    }

    /// Records what came with a yes; what is not asked about again is told.
    fn remember(&self, change: Change) {
        let key = if let Change::Allowed { what } = &change { Some(what.clone()) } else { None };
        self.context.must_record(change);
        let remembered = key.filter(|key| self.context.ledger.state().is_allowed(key));
        if let Some(scope) = remembered.as_deref().and_then(AllowScope::of_key) {
            self.context.person.events.send(Event::Allowed { what: scope.describe(&self.context.setup.project) });
        }
    }

    /// Nobody said no, and nobody said yes: that is told as what it is.
    fn unanswered(&self, question: &Question, why: &str) -> Refusal {
        let refusal = self.refusal(RefusalCode::Declined, why, "Do it another way, or leave it out and say so.");
        Refusal { rule: question.rule().to_owned(), ..refusal }
    }

    /// What the person said; the error is why they said nothing.
    async fn ask_person(&self, question: &Question, shown: ShownCall) -> Result<Reply, &'static str> {
        self.context.watched().await;
        let id = QuestionId(format!("question-{}", self.id.0));
        let Some(receiver) = self.context.person.questions.open(id.clone(), AnswerKind::Reply) else {
            return Err("too many questions are open");
        };
        let wanted = format!("Forethought asks about {}: {}", self.tool, question.text());
        self.context.hooks_of_notification(&self.caller, "permission_prompt", wanted);
        let (for_session, for_kind) = question.describe_lasting(&self.context.setup.project);
        self.context.person.events.send(Event::Asked(PermissionRequest {
            question: id.clone(),
            agent: self.caller.agent(),
            call: self.id.clone(),
            tool: self.tool.clone(),
            text: question.text().to_owned(),
            shown,
            rule: question.rule().to_owned(),
            cage: question.cage().clone(),
            effects: question.effects.clone(),
            for_session,
            for_kind,
            for_plan: question.addition().map(amend::named),
            always: question.always().to_vec(),
        }));
        let given = self.context.person.questions.answer(&id, receiver, &self.caller.cancel).await;
        self.context.person.events.send(Event::QuestionClosed { question: id });
        match given {
            Some(GivenAnswer::Reply(reply)) => Ok(reply),
            Some(GivenAnswer::Form(_) | GivenAnswer::Confirmed(_) | GivenAnswer::Approval(_)) | None => {
                Err("the question was withdrawn before it was answered")
            }
        }
    }

    /// Auto mode: a small model decides; whatever it cannot decide is a no.
    async fn classify(&self, question: &Question) -> CallAnswer {
        let model = self.context.work.model(Duty::Small);
        let request = classifier::request(
            &classifier::ClassifiedCall { tool: self.tool.as_str(), action: question.action(), input: &self.input },
            &self.context.ledger.recent(),
            &self.context.setup.project,
        );
        // A question about money in the middle of one about a call would be two at once; the next request asks.
        let asked = (&model, &request);
        let Ok(admitted) = self.context.admit(&self.caller.cancel, asked, Asking::Never).await else {
            return CallAnswer::no("the budget is used up, so the classifier could not be asked".into());
        };
        let said = tokio::select! {
            biased;
            () = self.caller.cancel.cancelled() => None,
            said = model.short_answer(&request, Duty::Small, &admitted) => said.ok(),
        };
        if let Some(answer) = &said {
            let came = CameBack { model: &model, request: &request, usage: answer.usage, bytes: answer.text().len() };
            self.context.count_beside("auto mode", &came);
        }
        drop(admitted);
        match said.map(|answer| classifier::verdict(&answer.text())) {
            Some(classifier::ClassifierVerdict::Allow { reason }) => CallAnswer { reply: Reply::Yes, reason },
            Some(classifier::ClassifierVerdict::Block { reason }) => CallAnswer::no(reason),
            None => CallAnswer::no("the classifier could not be asked".into()),
        }
    }

    /// What the classifier decided, for hosts; people read it in the line of the call.
    fn tell_verdict(&self, allowed: bool, reason: &str) {
        self.context.person.events.send(Event::AutoVerdict {
            agent: self.caller.agent(),
            call: self.id.clone(),
            tool: self.tool.clone(),
            allowed,
            reason: reason.to_owned(),
        });
    }

    fn classifier_said_no(&self, refusal: &Refusal) {
        let was_open = self.context.ledger.state().openings().auto_gate_open;
        self.context.must_record(Change::AutoVerdict { allowed: false });
        self.tell_verdict(false, &refusal.reason);
        if was_open && !self.context.ledger.state().openings().auto_gate_open {
            let text = "Auto mode is off after too many blocked calls; default mode asks again.";
            self.context.person.notice(NoticeLevel::Warning, text);
        }
    }
}
