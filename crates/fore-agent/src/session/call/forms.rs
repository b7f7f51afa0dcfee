//! What the control tools do that ask nobody else: the todo list, questions to the person, and more for a plan once they said yes.

use super::{CallResult, ToolCall};
use crate::session::person::pending_questions::{AnswerKind, GivenAnswer};
use crate::session::{approval::amend, team};
use crate::{
    command::QuestionId,
    control::{amend_plan, answer_plan, ask_user_question, send_message, todo_write},
    event::{Event, NoticeLevel, ShownCall},
    lock::lock,
    output::Output,
};
use fore_plan::approval::Reachable;

impl ToolCall {
    pub(super) fn write_todos(&self) -> CallResult {
        let todos = match todo_write::parse(&self.input) {
            Ok(todos) => todos,
            Err(wrong) => return CallResult::of(Output::error(wrong)),
        };
        if let Err(error) = self.context.ledger.session().set_todos(todos.clone()) {
            return CallResult::of(Output::error(error.to_string()));
        }
        self.context.person.events.send(Event::Todos { items: todos.clone() });
        let reminders = vec![todo_write::reminder(&todos)];
        CallResult { reminders, ..CallResult::text("The list is saved.", todo_write::line(&todos)) }
    }

    pub(super) async fn send_message(&self) -> CallResult {
        match send_message::parse(&self.input) {
            Ok(message) => team::tools::send(self, message).await,
            Err(wrong) => CallResult::of(Output::error(wrong)),
        }
    }

    pub(super) async fn answer_plan(&self) -> CallResult {
        match answer_plan::parse(&self.input) {
            Ok(asked) => team::plans::answer(self, asked).await,
            Err(wrong) => CallResult::of(Output::error(wrong)),
        }
    }

    /// The person has just said yes to it.
    pub(super) async fn amend_plan(&self) -> CallResult {
        let addition = match amend_plan::parse(&self.input) {
            Ok(addition) => addition,
            Err(wrong) => return CallResult::of(Output::error(wrong)),
        };
        let (call, shown) = (self.clone(), lock(&self.shown_amendment).take());
        let work = move || {
            let amendment = amend::prepare(&call.context, &addition, &call.caller.cancel)?;
            if shown.as_ref().is_none_or(|shown| *shown != amendment.added) {
                return Err("what this would add is no longer what was shown; ask again".to_owned());
            }
            amend::add(&call.context, amendment)
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(Ok(named)) => {
                let words = format!("Added to the plan, which covers it from now on: {named}.");
                CallResult::text(words, format!("added: {named}"))
            }
            Ok(Err(why)) => CallResult::of(Output::error(why)),
            Err(_) => CallResult::of(Output::error("the plan could not be amended")),
        }
    }

    pub(super) async fn ask_questions(&self) -> CallResult {
        let form = match ask_user_question::parse(&self.input) {
            Ok(form) => form,
            Err(wrong) => return CallResult::of(Output::error(wrong)),
        };
        if self.context.person.reachable() == Reachable::Nobody {
            return CallResult::text(ask_user_question::NOBODY, "nobody can answer");
        }
        let id = QuestionId(format!("form-{}", self.id.0));
        loop {
            let Some(receiver) = self.context.person.questions.open(id.clone(), AnswerKind::Form) else {
                return match self.context.person.reachable() {
                    Reachable::Nobody => CallResult::text(ask_user_question::NOBODY, "nobody can answer"),
                    Reachable::Approver => CallResult::of(Output::error("too many questions are open")),
                };
            };
            let wanted = "Forethought has questions about the task".to_owned();
            self.context.hooks_of_notification(&self.caller, "elicitation_dialog", wanted);
            self.context.person.events.send(Event::FormAsked { question: id.clone(), form: form.clone() });
            let given = self.context.person.questions.answer(&id, receiver, &self.caller.cancel).await;
            self.context.person.events.send(Event::QuestionClosed { question: id.clone() });
            let Some(GivenAnswer::Form(answers)) = given else {
                return CallResult::text(ask_user_question::DISMISSED, "not answered");
            };
            match ask_user_question::answers(&form, &answers) {
                Ok(words) => {
                    let shown = words.lines().skip(1).collect::<Vec<_>>().join("\n");
                    return CallResult::of(Output::text(words.clone(), ShownCall::text("answered", shown)));
                }
                // The answer does not fit: the form is shown again.
                Err(wrong) => {
                    self.context.person.notice(NoticeLevel::Warning, format!("That answer does not fit: {wrong}."))
                }
            }
        }
    }
}
