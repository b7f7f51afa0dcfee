//! The control tools that need no decision of the gate's: the todo list, and questions to the person.

use super::{
    call::{Call, Done},
    waiting::{Given, Wants},
};
use crate::{
    command::QuestionId,
    control::{ask_user_question, todo_write},
    event::{Event, NoticeLevel, Shown},
    output::Output,
};
use fore_plan::approval::Reachable;

impl Call {
    pub(super) fn write_todos(&self) -> Done {
        let todos = match todo_write::parse(&self.input) {
            Ok(todos) => todos,
            Err(wrong) => return Done::of(Output::error(wrong)),
        };
        if let Err(error) = self.desk.session().set_todos(todos.clone()) {
            return Done::of(Output::error(error.to_string()));
        }
        self.desk.outbox.send(Event::Todos { items: todos.clone() });
        let reminders = vec![todo_write::reminder(&todos)];
        Done { reminders, ..Done::text("The list is saved.", todo_write::line(&todos)) }
    }

    pub(super) async fn ask_questions(&self) -> Done {
        let form = match ask_user_question::parse(&self.input) {
            Ok(form) => form,
            Err(wrong) => return Done::of(Output::error(wrong)),
        };
        if self.desk.reachable() == Reachable::Nobody {
            return Done::text(ask_user_question::NOBODY, "nobody can answer");
        }
        let id = QuestionId(format!("form-{}", self.id.0));
        loop {
            let Some(receiver) = self.desk.waiting.open(id.clone(), Wants::Form) else {
                return match self.desk.reachable() {
                    Reachable::Nobody => Done::text(ask_user_question::NOBODY, "nobody can answer"),
                    Reachable::Approver => Done::of(Output::error("too many questions are open")),
                };
            };
            self.desk.outbox.send(Event::FormAsked { question: id.clone(), form: form.clone() });
            let given = self.desk.waiting.answer(&id, receiver, &self.seat.cancel).await;
            self.desk.outbox.send(Event::QuestionClosed { question: id.clone() });
            let Some(Given::Form(answers)) = given else {
                return Done::text(ask_user_question::DISMISSED, "not answered");
            };
            match ask_user_question::answers(&form, &answers) {
                Ok(words) => {
                    let shown = words.lines().skip(1).collect::<Vec<_>>().join("\n");
                    return Done::of(Output::text(words.clone(), Shown::text("answered", shown)));
                }
                // The answer does not fit: the form is shown again.
                Err(wrong) => self.desk.notice(NoticeLevel::Warning, format!("That answer does not fit: {wrong}.")),
            }
        }
    }
}
