//! Questions about a call: put to the person, or to auto mode's classifier. Silence, doubt and trouble are a no.

use super::{
    ask,
    call::Call,
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
    gate::{self, Granted, Permit, Question},
};

impl Call {
    /// The permit, if somebody says yes.
    pub(super) async fn ask(&self, question: Question, epoch: Epoch) -> Result<Permit, Refusal> {
        let reply = match question.asked() {
            gate::Asked::Classifier => self.classify(&question).await,
            gate::Asked::Person if self.desk.reachable() == Reachable::Nobody => {
                return Err(self.unanswered(&question, "nobody can answer in this run, so what would ask is denied"));
            }
            gate::Asked::Person => match self.ask_person(&question).await {
                Ok(reply) => reply,
                Err(why) => return Err(self.unanswered(&question, why)),
            },
        };
        let is_classifier = question.asked() == gate::Asked::Classifier;
        match question.answer(reply, &self.state_of(epoch)?) {
            Ok(Granted { permit, changes }) => {
                for change in changes {
                    self.desk.must_record(change);
                }
                Ok(permit)
            }
            Err(refusal) => {
                // An interrupt is no verdict of the classifier's.
                if is_classifier && refusal.code == Code::AutoDenied && !self.seat.cancel.is_cancelled() {
                    self.classifier_said_no(&refusal);
                }
                Err(refusal)
            }
        }
    }

    /// Nobody said no, and nobody said yes: that is told as what it is.
    fn unanswered(&self, question: &Question, why: &str) -> Refusal {
        let refusal = self.refusal(Code::Declined, why, "Do it another way, or leave it out and say so.");
        Refusal { rule: question.rule().to_owned(), ..refusal }
    }

    /// What the person said; the error is why they said nothing.
    async fn ask_person(&self, question: &Question) -> Result<gate::Reply, &'static str> {
        let id = QuestionId(format!("question-{}", self.id.0));
        let Some(receiver) = self.desk.waiting.open(id.clone(), Wants::Reply) else {
            return Err("too many questions are open");
        };
        let hands = self.desk.hands(&self.seat, self.seat.cancel.clone(), self.id.clone());
        let line = || Shown::line(self.toolbox.line(&self.tool, &self.input));
        let tool = self.toolbox.get(&self.tool);
        let shown = tool.map_or_else(line, |tool| tool.preview(question.action(), &self.input, &hands));
        self.desk.outbox.send(Event::Asked(Asked {
            question: id.clone(),
            agent: self.seat.agent(),
            call: self.id.clone(),
            tool: self.tool.clone(),
            text: question.text().to_owned(),
            shown,
            rule: question.rule().to_owned(),
            cage: question.cage(),
            may_last: question.may_last(),
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
    async fn classify(&self, question: &Question) -> gate::Reply {
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
                gate::Reply::Yes
            }
            Some(classifier::Verdict::Block { reason }) => gate::Reply::No { reason },
            None => gate::Reply::No { reason: "the classifier could not be asked".into() },
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
