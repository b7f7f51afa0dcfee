//! Questions of the session to the person, asked through the client: permissions, forms, planning, servers. What was not clearly
//! a yes is a no.

use super::{ClientAnswer, EditorSession, SessionMail};
use crate::acp::{client::YesVerdict, form_questions, tool_cards};
use agent_client_protocol::v1::schema::SessionUpdate;
use agent_client_protocol::v1::schema::{
    CreateElicitationRequest, ElicitationAction, ElicitationFormMode, ElicitationSchema, ElicitationSessionScope,
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest, ToolCall, ToolCallId,
    ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use fore_agent::{
    Command, Form, FormAnswer, McpVouchShown, McpWish, NoticeLevel, PermissionRequest, QuestionId, Reply,
};
use fore_plan::{ToolName, plan::Hash};
use std::time::Instant;

const YES: &str = "yes";
const NO: &str = "no";

/// A question that the client has not answered.
#[derive(Debug)]
pub(super) struct ClientQuestion {
    about: QuestionSubject,
    asked: Instant,
    task: tokio::task::AbortHandle,
}

/// What a question is about.
#[derive(Clone, Debug)]
pub(super) enum QuestionSubject {
    /// A call, with what was offered. `extends`: a yes makes the plan cover more.
    Permission {
        question: QuestionId,
        offered: Vec<&'static str>,
        extends: bool,
    },
    Form {
        question: QuestionId,
        form: Form,
    },
    /// One question of a form after the other, where the client has no forms.
    FormStep {
        question: QuestionId,
        form: Form,
        answers: Vec<FormAnswer>,
    },
    EnterPlan {
        question: QuestionId,
    },
    /// The plan of this request.
    Plan {
        request: String,
    },
    /// What should be otherwise in it.
    PlanReason {
        request: String,
    },
    Vouch {
        server: String,
        tool: Option<String>,
        hash: Hash,
    },
}

impl ClientQuestion {
    /// It is void: the client need not show it any longer.
    pub(super) fn take_back(self) {
        self.task.abort();
    }
}

impl EditorSession {
    /// Asks with buttons.
    pub(super) fn ask(&mut self, about: QuestionSubject, call: ToolCallUpdate, options: Vec<PermissionOption>) {
        let request = RequestPermissionRequest::new(self.id.clone(), call, options);
        let sent = self.connection.send_request(request);
        self.wait(about, async move {
            match sent.block_task().await {
                Ok(response) => match response.outcome {
                    RequestPermissionOutcome::Selected(chosen) => ClientAnswer::Chose(chosen.option_id),
                    RequestPermissionOutcome::Cancelled | _ => ClientAnswer::Cancelled,
                },
                Err(error) => ClientAnswer::Nothing(error.message),
            }
        });
    }

    /// Asks with a form; only where the client has said that it has them.
    pub(super) fn ask_with_form(
        &mut self,
        about: QuestionSubject,
        message: &str,
        schema: ElicitationSchema,
        call: Option<ToolCallId>,
    ) {
        let scope = ElicitationSessionScope::new(self.id.clone()).tool_call_id(call);
        let request = CreateElicitationRequest::new(
            ElicitationFormMode::new(scope, schema),
            fore_text::prose(message).into_owned(),
        );
        let sent = self.connection.send_request(request);
        self.wait(about, async move {
            match sent.block_task().await {
                Ok(response) => match response.action {
                    ElicitationAction::Accept(accepted) => ClientAnswer::Filled(accepted.content.unwrap_or_default()),
                    ElicitationAction::Decline | ElicitationAction::Cancel | _ => ClientAnswer::NotFilled,
                },
                Err(error) => ClientAnswer::Nothing(error.message),
            }
        });
    }

    fn wait(&mut self, about: QuestionSubject, answer: impl Future<Output = ClientAnswer> + Send + 'static) {
        self.asked += 1;
        let (number, mail) = (self.asked, self.mail.clone());
        let task = tokio::spawn(async move {
            let said = answer.await;
            let _ = mail.send(SessionMail::Answer { number, said }).await;
        });
        self.questions.insert(number, ClientQuestion { about, asked: Instant::now(), task: task.abort_handle() });
    }

    pub(super) fn ask_permission(&mut self, request: &PermissionRequest) {
        let extends = request.tool.known() == Some(ToolName::AmendPlan);
        let card = self.updates.cards.announced(&request.call, &request.tool, &request.shown.line);
        card.into_iter().for_each(|card| self.tell(card));
        let mut content = vec![tool_cards::text(&fore_text::prose(&request.text))];
        content.extend(tool_cards::body(&request.shown.body, &self.project));
        let fields = ToolCallUpdateFields::new()
            .kind(tool_cards::kind(&request.tool))
            .status(ToolCallStatus::Pending)
            .title(tool_cards::title(&request.tool, &request.shown.line))
            .content(content);
        let call = ToolCallUpdate::new(request.call.0.clone(), fields);
        let mut options = vec![allow(YES, if extends { "Yes, add it to the plan" } else { "Yes, once" })];
        let more = [
            ("yes-for-plan", &request.for_plan, "Yes, and add to the plan: "),
            ("yes-for-session", &request.for_session, "Yes, in this session: "),
            ("yes-for-kind", &request.for_kind, "Yes, in this session: "),
        ];
        let mut offered = vec![YES];
        for (id, covers, words) in more {
            if let Some(covers) = covers {
                options.push(allow(id, &format!("{words}{covers}")));
                offered.push(id);
            }
        }
        options.push(reject(NO, "No"));
        let about = QuestionSubject::Permission { question: request.question.clone(), offered, extends };
        self.ask(about, call, options);
    }

    pub(super) fn ask_form(&mut self, question: QuestionId, form: Form) {
        if self.client.has_forms {
            let (message, schema) = form_questions::schema(&form);
            return self.ask_with_form(QuestionSubject::Form { question, form }, &message, schema, None);
        }
        self.ask_form_step(question, form, Vec::new());
    }

    /// The next question of a form, with its options as buttons.
    fn ask_form_step(&mut self, question: QuestionId, form: Form, answers: Vec<FormAnswer>) {
        let Some(next) = form.questions.get(answers.len()) else {
            return self.send(Command::FillForm { question, answers });
        };
        let card = ToolCallId::new(format!("form-{}-{}", question.0, answers.len() + 1));
        let words = form_questions::words(next);
        let announced = ToolCall::new(card.clone(), tool_cards::line(&next.question))
            .kind(ToolKind::Other)
            .status(ToolCallStatus::Pending)
            .content(vec![tool_cards::text(&fore_text::prose(&words))]);
        self.tell(SessionUpdate::ToolCall(announced));
        let mut options: Vec<PermissionOption> =
            next.options.iter().enumerate().map(|(number, option)| allow(&number.to_string(), &option.label)).collect();
        options.push(reject(NO, "None of these"));
        let call = ToolCallUpdate::new(card, ToolCallUpdateFields::new().title(tool_cards::line(&next.question)));
        self.ask(QuestionSubject::FormStep { question, form, answers }, call, options);
    }

    pub(super) fn ask_to_plan(&mut self, question: QuestionId) {
        let card = ToolCallId::new(question.0.clone());
        let title = "Plan this first? Nothing changes until you approve the plan.";
        let announced = ToolCall::new(card.clone(), title).kind(ToolKind::SwitchMode).status(ToolCallStatus::Pending);
        self.tell(SessionUpdate::ToolCall(announced));
        let call = ToolCallUpdate::new(card, ToolCallUpdateFields::new().title(title.to_owned()));
        let options = vec![allow(YES, "Yes, plan first"), reject(NO, "No, work without a plan")];
        self.ask(QuestionSubject::EnterPlan { question }, call, options);
    }

    /// Shows what a vouch would be for, to the letter, and asks.
    pub(super) fn ask_to_vouch(&mut self, shown: McpVouchShown) {
        if shown.holds {
            self.say("You trust exactly this already.");
            return self.answer_prompt(agent_client_protocol::v1::schema::StopReason::EndTurn);
        }
        let McpVouchShown { server, tool, content, difference, hash, note, .. } = shown;
        let title = match &tool {
            None => format!("Let the MCP server {server} start?"),
            Some(tool) => format!("Let {tool} of the MCP server {server} run while planning?"),
        };
        let mut cards = vec![tool_cards::text(&tool_cards::fenced(&content))];
        if let Some(difference) = difference {
            cards.push(tool_cards::text(&format!(
                "Changed since you last trusted it:\n\n{}",
                tool_cards::fenced(&difference)
            )));
        }
        cards.extend(note.map(|note| tool_cards::text(&fore_text::prose(&note))));
        let card = ToolCallId::new(format!("vouch-{}", self.asked + 1));
        let announced = ToolCall::new(card.clone(), tool_cards::line(&title))
            .kind(ToolKind::Other)
            .status(ToolCallStatus::Pending)
            .content(cards);
        self.tell(SessionUpdate::ToolCall(announced));
        let call = ToolCallUpdate::new(card, ToolCallUpdateFields::new().title(tool_cards::line(&title)));
        let options = vec![allow(YES, "Yes, exactly this"), reject(NO, "No")];
        self.ask(QuestionSubject::Vouch { server, tool, hash }, call, options);
    }

    /// The session no longer wants an answer.
    pub(super) fn close_question(&mut self, closed: &QuestionId) {
        let is_it = |open: &ClientQuestion| match &open.about {
            QuestionSubject::Permission { question, .. }
            | QuestionSubject::Form { question, .. }
            | QuestionSubject::FormStep { question, .. }
            | QuestionSubject::EnterPlan { question } => question == closed,
            QuestionSubject::Plan { request } | QuestionSubject::PlanReason { request } => *request == closed.0,
            QuestionSubject::Vouch { .. } => false,
        };
        let numbers: Vec<u64> =
            self.questions.iter().filter(|(_, open)| is_it(open)).map(|(number, _)| *number).collect();
        for number in numbers {
            if let Some(open) = self.questions.remove(&number) {
                open.take_back();
            }
        }
    }

    /// An answer of the client. One that comes late is to nothing.
    pub(super) fn answered(&mut self, number: u64, said: ClientAnswer) {
        let Some(ClientQuestion { about, asked, .. }) = self.questions.remove(&number) else { return };
        let took = asked.elapsed();
        // A question that is put away stops the prompt, as the protocol has it.
        let is_cancel = matches!(said, ClientAnswer::Cancelled) && self.prompt.is_some();
        let chosen = match &said {
            ClientAnswer::Chose(id) => Some(&*id.0),
            ClientAnswer::Filled(_) | ClientAnswer::NotFilled | ClientAnswer::Cancelled | ClientAnswer::Nothing(_) => {
                None
            }
        };
        match about {
            QuestionSubject::Permission { question, offered, extends } => {
                // What was not offered is a no.
                let reply = permission_reply(chosen.filter(|id| offered.contains(id)));
                let widens_plan = match reply {
                    Reply::Yes | Reply::YesForSession | Reply::YesForKind => extends,
                    Reply::YesForPlan => true,
                    Reply::No { .. } => false,
                };
                let reply = match self.client.verdict(self.approval(), took) {
                    YesVerdict::Counts => reply,
                    YesVerdict::TooSoon | YesVerdict::Automatic if !widens_plan => reply,
                    verdict @ (YesVerdict::TooSoon | YesVerdict::Automatic) => self.not_a_person(verdict),
                };
                self.send(Command::Reply { question, reply });
            }
            QuestionSubject::Form { question, form } => {
                let answers = match said {
                    ClientAnswer::Filled(content) => form_questions::answers(&form, &content),
                    ClientAnswer::Chose(_)
                    | ClientAnswer::NotFilled
                    | ClientAnswer::Cancelled
                    | ClientAnswer::Nothing(_) => vec![FormAnswer::default(); form.questions.len()],
                };
                self.send(Command::FillForm { question, answers });
            }
            QuestionSubject::FormStep { question, form, mut answers } => {
                let option = chosen.and_then(|id| id.parse::<usize>().ok());
                let asked = form.questions.get(answers.len());
                let option = option.and_then(|number| asked?.options.get(number));
                let label = option.map(|option| option.label.clone());
                answers.push(FormAnswer { chosen: label.into_iter().collect(), text: String::new() });
                if is_cancel {
                    answers.resize(form.questions.len(), FormAnswer::default());
                }
                self.ask_form_step(question, form, answers);
            }
            QuestionSubject::EnterPlan { question } => {
                self.send(Command::ConfirmPlanning { question, yes: chosen == Some(YES) });
            }
            QuestionSubject::Plan { request } => return self.plan_answered(&request, said, took),
            QuestionSubject::PlanReason { request } => return self.reason_given(&request, said),
            QuestionSubject::Vouch { server, tool, hash } => {
                match self.client.verdict(self.approval(), took) {
                    YesVerdict::Counts if chosen == Some(YES) => {
                        // What comes of it is said, and ends the prompt.
                        return self.send(Command::Mcp { wish: McpWish::Vouch { server, tool, hash } });
                    }
                    verdict @ (YesVerdict::TooSoon | YesVerdict::Automatic) if chosen == Some(YES) => {
                        drop(self.not_a_person(verdict));
                    }
                    YesVerdict::Counts | YesVerdict::TooSoon | YesVerdict::Automatic => {
                        self.say("Nothing was trusted.");
                    }
                }
                self.answer_prompt(agent_client_protocol::v1::schema::StopReason::EndTurn);
            }
        }
        if is_cancel {
            self.cancelled();
        }
    }

    /// A yes that is no person's is a no, and is said.
    fn not_a_person(&self, verdict: YesVerdict) -> Reply {
        let words = self.not_counted(verdict);
        self.notice(NoticeLevel::Warning, &words);
        Reply::No { reason: "nobody has read it".to_owned() }
    }
}

fn permission_reply(chosen: Option<&str>) -> Reply {
    match chosen {
        Some(YES) => Reply::Yes,
        Some("yes-for-plan") => Reply::YesForPlan,
        Some("yes-for-session") => Reply::YesForSession,
        Some("yes-for-kind") => Reply::YesForKind,
        Some(_) | None => Reply::No { reason: String::new() },
    }
}

fn allow(id: &str, name: &str) -> PermissionOption {
    PermissionOption::new(id.to_owned(), tool_cards::line(name), PermissionOptionKind::AllowOnce)
}

fn reject(id: &str, name: &str) -> PermissionOption {
    PermissionOption::new(id.to_owned(), tool_cards::line(name), PermissionOptionKind::RejectOnce)
}
