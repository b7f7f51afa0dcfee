//! Tools that change the session and nothing else: todo list, questions, plan mode, agents. Each says what the model reads
//! about it and what its input means; what comes of a call is the session's business.

pub(crate) mod agent;
pub(crate) mod amend_plan;
pub(crate) mod answer_plan;
pub(crate) mod ask_user_question;
pub(crate) mod mcp;
pub(crate) mod plan_mode;
pub(crate) mod send_message;
pub(crate) mod todo_write;

/// What a wrong input is answered with: what is wrong, and what is right.
pub(crate) type InputError = String;
