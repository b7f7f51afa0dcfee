//! `SendMessage` on a live session.

use crate::{
    control::send_message::MessageCall,
    output::Output,
    session::call::{CallResult, ToolCall},
};
use fore_team::{MailBody, MemberName, Outgoing};
use std::str::FromStr;

/// Sends words to somebody on the roster; nobody else has an inbox.
pub(in crate::session) async fn send(call: &ToolCall, message: MessageCall) -> CallResult {
    let Some(joined) = call.context.setup.team.joined() else {
        return CallResult::of(Output::error("there is no team yet; Agent with a `name` makes a teammate"));
    };
    let to = match MemberName::from_str(&message.to) {
        Ok(to) => to,
        Err(error) => return CallResult::of(Output::error(error.to_string())),
    };
    match joined.membership.send(Outgoing::new(to.clone(), MailBody::Text(message.text))).await {
        Ok(_) => CallResult::text(format!("The message lies in the inbox of {to}."), format!("sent to {to}")),
        Err(error) => CallResult::of(Output::error(error.to_string())),
    }
}
