//! The control tools that need no decision of the gate's: the todo list, and questions to the person.

use super::{
    call::{CallResult, ToolCall},
    pending_questions::{AnswerKind, GivenAnswer},
};
use crate::{
    command::QuestionId,
    control::{ask_user_question, todo_write},
    event::{Event, NoticeLevel, ShownCall},
    output::Output,
};
use fore_plan::approval::Reachable;

impl ToolCall {
    pub(super) fn write_todos(&self) -> CallResult {
        let todos = match todo_write::parse(&self.input) {
            Ok(todos) => todos,
            Err(wrong) => return CallResult::of(Output::error(wrong)),
        };
        if let Err(error) = self.context.session().set_todos(todos.clone()) {
            return CallResult::of(Output::error(error.to_string()));
        }
        self.context.events.send(Event::Todos { items: todos.clone() });
        let reminders = vec![todo_write::reminder(&todos)];
        CallResult { reminders, ..CallResult::text("The list is saved.", todo_write::line(&todos)) }
    }

    pub(super) async fn ask_questions(&self) -> CallResult {
        let form = match ask_user_question::parse(&self.input) {
            Ok(form) => form,
            Err(wrong) => return CallResult::of(Output::error(wrong)),
        };
        if self.context.reachable() == Reachable::Nobody {
            return CallResult::text(ask_user_question::NOBODY, "nobody can answer");
        }
        let id = QuestionId(format!("form-{}", self.id.0));
        loop {
            let Some(receiver) = self.context.questions.open(id.clone(), AnswerKind::Form) else {
                return match self.context.reachable() {
                    Reachable::Nobody => CallResult::text(ask_user_question::NOBODY, "nobody can answer"),
                    Reachable::Approver => CallResult::of(Output::error("too many questions are open")),
                };
            };
            self.context.events.send(Event::FormAsked { question: id.clone(), form: form.clone() });
            let given = self.context.questions.answer(&id, receiver, &self.caller.cancel).await;
            self.context.events.send(Event::QuestionClosed { question: id.clone() });
            let Some(GivenAnswer::Form(answers)) = given else {
                return CallResult::text(ask_user_question::DISMISSED, "not answered");
            };
            match ask_user_question::answers(&form, &answers) {
                Ok(words) => {
                    let shown = words.lines().skip(1).collect::<Vec<_>>().join("\n");
                    return CallResult::of(Output::text(words.clone(), ShownCall::text("answered", shown)));
                }
                // The answer does not fit: the form is shown again.
                Err(wrong) => self.context.notice(NoticeLevel::Warning, format!("That answer does not fit: {wrong}.")),
            }
        }
    }
}
