//! Questions about a call: put to the person, or to auto mode's classifier. Silence, doubt and trouble are a no.

use super::{
    call::{NoPermit, ToolCall},
    model_reply,
    pending_questions::{AnswerKind, GivenAnswer},
};
use crate::{
    classifier,
    command::{QuestionId, Reply},
    event::{Event, NoticeLevel, PermissionRequest, ShownCall},
};
use fore_model::Duty;
use fore_plan::{
    Change, Epoch, Refusal, RefusalCode,
    approval::Reachable,
    gate::{self, Action, AllowScope, Granted, Permit, Question},
};
use fore_store::audit::{AuditDecider, AuditSubject};
use serde_json::json;

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
    pub(super) async fn ask(&self, question: Question, epoch: Epoch) -> Result<Permit, NoPermit> {
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
            Ok(Granted { permit, changes }) => {
                changes.into_iter().for_each(|change| self.remember(change));
                Ok(permit)
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
        if question.answerer() == gate::Answerer::Person && self.context.reachable() == Reachable::Nobody {
            let why = "nobody can answer in this run, so what would ask is denied";
            return Err(self.unanswered(question, why).into());
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
        let broken = |_| Err("the tool broke down; nothing more is known".to_owned());
        tokio::task::spawn_blocking(look).await.unwrap_or_else(broken)
    }

    /// Whether the gate lets the model read the file of a change, without a question.
    fn may_read(&self, action: &Action) -> bool {
        let (Action::Edit { target, .. } | Action::EditNotebook { target }) = action else { return true };
        let read = self.context.action(&self.caller, "Read", &json!({ "file_path": target.real }));
        let judgement = self.context.judge_untraced(&self.caller.state(self.context.state()), read);
        matches!(judgement.verdict, gate::Verdict::Allow(_))
    }

    /// Records what came with a yes; what is not asked about again is told.
    fn remember(&self, change: Change) {
        let key = if let Change::Allowed { what } = &change { Some(what.clone()) } else { None };
        self.context.must_record(change);
        let remembered = key.filter(|key| self.context.state().is_allowed(key));
        if let Some(scope) = remembered.as_deref().and_then(AllowScope::of_key) {
            self.context.events.send(Event::Allowed { what: scope.describe(&self.context.project) });
        }
    }

    /// Nobody said no, and nobody said yes: that is told as what it is.
    fn unanswered(&self, question: &Question, why: &str) -> Refusal {
        let refusal = self.refusal(RefusalCode::Declined, why, "Do it another way, or leave it out and say so.");
        Refusal { rule: question.rule().to_owned(), ..refusal }
    }

    /// What the person said; the error is why they said nothing.
    async fn ask_person(&self, question: &Question, shown: ShownCall) -> Result<Reply, &'static str> {
        let id = QuestionId(format!("question-{}", self.id.0));
        let Some(receiver) = self.context.questions.open(id.clone(), AnswerKind::Reply) else {
            return Err("too many questions are open");
        };
        self.context.events.send(Event::Asked(PermissionRequest {
            question: id.clone(),
            agent: self.caller.agent(),
            call: self.id.clone(),
            tool: self.tool.clone(),
            text: question.text().to_owned(),
            shown,
            rule: question.rule().to_owned(),
            cage: question.cage().clone(),
            for_session: question.describe_lasting(&self.context.project),
        }));
        let given = self.context.questions.answer(&id, receiver, &self.caller.cancel).await;
        self.context.events.send(Event::QuestionClosed { question: id });
        match given {
            Some(GivenAnswer::Reply(reply)) => Ok(reply),
            Some(GivenAnswer::Form(_) | GivenAnswer::Confirmed(_) | GivenAnswer::Approval(_)) | None => {
                Err("the question was taken back before anybody answered")
            }
        }
    }

    /// Auto mode: a small model decides; whatever it cannot decide is a no.
    async fn classify(&self, question: &Question) -> CallAnswer {
        let model = self.context.model(Duty::Small);
        let request = classifier::request(
            &classifier::ClassifiedCall { tool: &self.tool, action: question.action(), input: &self.input },
            &self.context.recent(),
            &self.context.project,
        );
        let said = tokio::select! {
            biased;
            () = self.caller.cancel.cancelled() => None,
            said = model_reply::ask_for_text(&model, &request, Duty::Small) => said.ok(),
        };
        match said.as_deref().map(classifier::verdict) {
            Some(classifier::ClassifierVerdict::Allow { reason }) => {
                self.context.notice(NoticeLevel::Info, format!("auto mode allowed {}: {reason}", self.tool));
                CallAnswer { reply: Reply::Yes, reason }
            }
            Some(classifier::ClassifierVerdict::Block { reason }) => CallAnswer::no(reason),
            None => CallAnswer::no("the classifier could not be asked".into()),
        }
    }

    fn classifier_said_no(&self, refusal: &Refusal) {
        let was_open = self.context.state().openings().auto_gate_open;
        self.context.must_record(Change::AutoVerdict { allowed: false });
        self.context.notice(NoticeLevel::Info, format!("auto mode blocked {}: {}", self.tool, refusal.reason));
        if was_open && !self.context.state().openings().auto_gate_open {
            let text = "Auto mode is closed after too many blocked calls; default asks again.";
            self.context.notice(NoticeLevel::Warning, text);
        }
    }
}
