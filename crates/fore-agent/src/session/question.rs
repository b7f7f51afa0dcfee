//! Questions about a call: put to the person, or to auto mode's classifier. Silence, doubt and trouble are a no.

use super::{
    ask,
    call::{Call, Stopped},
    waiting::{Given, Wants},
};
use crate::{
    classifier,
    command::{QuestionId, Reply},
    event::{Asked, Event, NoticeLevel, Shown},
};
use fore_model::Duty;
use fore_plan::{
    Change, Code, Epoch, Refusal,
    approval::Reachable,
    gate::{self, Action, Granted, Permit, Question, Scope},
};
use fore_store::audit::{About, Decider};
use serde_json::json;

/// An answer, with the reason of whoever gave it.
struct Answer {
    reply: gate::Reply,
    reason: String,
}

impl Answer {
    fn no(reason: String) -> Answer {
        Answer { reply: gate::Reply::No { reason }, reason: String::new() }
    }
}

impl Call {
    /// The permit, if somebody says yes. What cannot work anyway is told so, and nobody is asked.
    pub(super) async fn ask(&self, question: Question, epoch: Epoch) -> Result<Permit, Stopped> {
        let about = About::new(question.action());
        let (by, answered) = match self.answer_of(&question).await {
            Ok(answer) => answer,
            Err(stopped) => {
                self.audit_stopped(about, &stopped);
                return Err(stopped);
            }
        };
        let Answer { reply, reason } = answered;
        let is_classifier = by == Decider::Classifier;
        let granted = self.state_of(epoch).and_then(|state| question.answer(reply, &state));
        self.audit_answer(about, by, granted.as_ref().map(|_| reason.as_str()));
        match granted {
            Ok(Granted { permit, changes }) => {
                changes.into_iter().for_each(|change| self.remember(change));
                Ok(permit)
            }
            Err(refusal) => {
                // An interrupt is no verdict of the classifier's.
                if is_classifier && refusal.code == Code::AutoDenied && !self.seat.cancel.is_cancelled() {
                    self.classifier_said_no(&refusal);
                }
                Err(refusal.into())
            }
        }
    }

    /// Who answered, and what. The error is why nobody did.
    async fn answer_of(&self, question: &Question) -> Result<(Decider, Answer), Stopped> {
        if question.asked() == gate::Asked::Person && self.desk.reachable() == Reachable::Nobody {
            let why = "nobody can answer in this run, so what would ask is denied";
            return Err(self.unanswered(question, why).into());
        }
        let shown = tokio::select! {
            biased;
            () = self.seat.cancel.cancelled() => return Err(Stopped::Interrupted),
            shown = self.preview(question.action().clone()) => shown.map_err(Stopped::CannotWork)?,
        };
        match question.asked() {
            gate::Asked::Classifier => Ok((Decider::Classifier, self.classify(question).await)),
            gate::Asked::Person => match self.ask_person(question, shown).await {
                Ok(reply) => Ok((Decider::Person, Answer { reply, reason: String::new() })),
                Err(why) => Err(self.unanswered(question, why).into()),
            },
        }
    }

    /// What the person is shown of the call; the error is why it cannot work. That is told only about files that the
    /// model may read without a question: of others it must not even learn whether they are there.
    async fn preview(&self, action: Action) -> Result<Shown, String> {
        let call = self.clone();
        let look = move || {
            let Some(tool) = call.toolbox.get(&call.tool) else {
                return Ok(Shown::line(call.toolbox.line(&call.tool, &call.input)));
            };
            let hands = call.desk.hands(&call.seat, call.seat.cancel.clone(), call.id.clone());
            let shown = tool.preview(&action, &call.input, &hands);
            shown.or_else(|why| match call.may_read(&action) {
                true => Err(why),
                false => Ok(Shown::line(why.lines().next().unwrap_or_default())),
            })
        };
        let broken = |_| Err("the tool broke down; nothing more is known".to_owned());
        tokio::task::spawn_blocking(look).await.unwrap_or_else(broken)
    }

    /// Whether the gate lets the model read the file of a change, without a question.
    fn may_read(&self, action: &Action) -> bool {
        let (Action::Edit { target, .. } | Action::EditNotebook { target }) = action else { return true };
        let read = self.desk.action(&self.seat, "Read", &json!({ "file_path": target.real }));
        let judgement = self.desk.glance(&self.seat.state(self.desk.state()), read);
        matches!(judgement.verdict, gate::Verdict::Allow(_))
    }

    /// Records what came with a yes; what is not asked about again is told.
    fn remember(&self, change: Change) {
        let key = if let Change::Allowed { what } = &change { Some(what.clone()) } else { None };
        self.desk.must_record(change);
        let remembered = key.filter(|key| self.desk.state().is_allowed(key));
        if let Some(scope) = remembered.as_deref().and_then(Scope::of_key) {
            self.desk.outbox.send(Event::Allowed { what: scope.words(&self.desk.project) });
        }
    }

    /// Nobody said no, and nobody said yes: that is told as what it is.
    fn unanswered(&self, question: &Question, why: &str) -> Refusal {
        let refusal = self.refusal(Code::Declined, why, "Do it another way, or leave it out and say so.");
        Refusal { rule: question.rule().to_owned(), ..refusal }
    }

    /// What the person said; the error is why they said nothing.
    async fn ask_person(&self, question: &Question, shown: Shown) -> Result<gate::Reply, &'static str> {
        let id = QuestionId(format!("question-{}", self.id.0));
        let Some(receiver) = self.desk.waiting.open(id.clone(), Wants::Reply) else {
            return Err("too many questions are open");
        };
        self.desk.outbox.send(Event::Asked(Asked {
            question: id.clone(),
            agent: self.seat.agent(),
            call: self.id.clone(),
            tool: self.tool.clone(),
            text: question.text().to_owned(),
            shown,
            rule: question.rule().to_owned(),
            cage: question.cage().clone(),
            for_session: question.lasting_words(&self.desk.project),
        }));
        let given = self.desk.waiting.answer(&id, receiver, &self.seat.cancel).await;
        self.desk.outbox.send(Event::QuestionClosed { question: id });
        match given {
            Some(Given::Reply(Reply::Yes)) => Ok(gate::Reply::Yes),
            Some(Given::Reply(Reply::YesForSession)) => Ok(gate::Reply::YesForSession),
            Some(Given::Reply(Reply::No { reason })) => Ok(gate::Reply::No { reason }),
            Some(Given::Form(_) | Given::Confirmed(_) | Given::Approval(_)) | None => {
                Err("the question was taken back before anybody answered")
            }
        }
    }

    /// Auto mode: a small model decides; whatever it cannot decide is a no.
    async fn classify(&self, question: &Question) -> Answer {
        let brain = self.desk.brain(Duty::Small);
        let request = classifier::request(
            &classifier::Call { tool: &self.tool, action: question.action(), input: &self.input },
            &self.desk.recent(),
            &self.desk.project,
        );
        let said = tokio::select! {
            biased;
            () = self.seat.cancel.cancelled() => None,
            said = ask::whole_text(&brain, &request, Duty::Small) => said.ok(),
        };
        match said.as_deref().map(classifier::verdict) {
            Some(classifier::Verdict::Allow { reason }) => {
                self.desk.notice(NoticeLevel::Info, format!("auto mode allowed {}: {reason}", self.tool));
                Answer { reply: gate::Reply::Yes, reason }
            }
            Some(classifier::Verdict::Block { reason }) => Answer::no(reason),
            None => Answer::no("the classifier could not be asked".into()),
        }
    }

    fn classifier_said_no(&self, refusal: &Refusal) {
        let was_open = self.desk.state().openings().auto_gate_open;
        self.desk.must_record(Change::AutoVerdict { allowed: false });
        self.desk.notice(NoticeLevel::Info, format!("auto mode blocked {}: {}", self.tool, refusal.reason));
        if was_open && !self.desk.state().openings().auto_gate_open {
            let text = "Auto mode is closed after too many blocked calls; default asks again.";
            self.desk.notice(NoticeLevel::Warning, text);
        }
    }
}
