//! `SendMessage`: words to somebody of the team.

use super::InputError;
use crate::tools::input;
use fore_model::ToolSchema;
use fore_plan::ToolName;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

const MAX_TEXT_BYTES: usize = 32 * 1024;
/// Letters of it in a line.
const MAX_LINE_CHARS: usize = 80;

#[derive(Debug, Deserialize, JsonSchema)]
struct MessageInput {
    /// A name of the team.
    #[schemars(required)]
    to: Option<String>,
    #[schemars(required)]
    text: Option<String>,
}

/// A message that is to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MessageCall {
    pub(crate) to: String,
    pub(crate) text: String,
}

pub(crate) fn schema() -> ToolSchema {
    ToolSchema {
        name: ToolName::SendMessage.name().into(),
        description: include_str!("send_message.md").trim_end().into(),
        parameters: input::schema::<MessageInput>(),
    }
}

pub(crate) fn parse(input: &Value) -> Result<MessageCall, InputError> {
    let input: MessageInput =
        input::read(input, &[("text", &["message", "content"])]).map_err(|why| why.to_string())?;
    let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let to = said(input.to).ok_or("`to` is missing: name one of your team")?.trim().to_owned();
    let text = said(input.text).ok_or("`text` is missing")?;
    if text.len() > MAX_TEXT_BYTES {
        return Err(format!("the message has {} bytes, the most is {MAX_TEXT_BYTES}", text.len()));
    }
    Ok(MessageCall { to, text })
}

/// One line for people about it.
pub(crate) fn line(input: &Value) -> String {
    parse(input).map_or_else(
        |wrong| wrong,
        |call| {
            format!(
                "to {}: {}",
                call.to,
                fore_text::cut::ellipsis(&fore_text::cut::one_line(&call.text), MAX_LINE_CHARS)
            )
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_names_whom_it_is_for_and_says_something() {
        let call = parse(&json!({"to": " ann ", "text": "Look at b.rs."})).unwrap();
        assert_eq!(call, MessageCall { to: "ann".into(), text: "Look at b.rs.".into() });
        assert_eq!(parse(&json!({"text": "x"})).unwrap_err(), "`to` is missing: name one of your team");
        assert_eq!(parse(&json!({"to": "ann", "text": " "})).unwrap_err(), "`text` is missing");
        assert!(parse(&json!({"to": "ann", "text": "x".repeat(MAX_TEXT_BYTES + 1)})).is_err());
        assert_eq!(line(&json!({"to": "ann", "text": "a\nb"})), "to ann: a b");
    }
}
