//! `AnswerPlan`: the lead's own decision about the plan of a teammate, where the person leaves that to it.

use super::InputError;
use crate::tools::input;
use fore_model::ToolSchema;
use fore_plan::ToolName;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

const MAX_FEEDBACK_CHARS: usize = 8_000;

#[derive(Debug, Deserialize, JsonSchema)]
struct AnswerInput {
    /// As the reminder names it.
    #[schemars(required)]
    request: Option<String>,
    decision: PlanWord,
    /// Words for the teammate; needed to reject.
    #[serde(default)]
    feedback: Option<String>,
}

/// Yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PlanWord {
    Approve,
    Reject,
}

/// What the lead says to a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnswerCall {
    pub(crate) request: String,
    pub(crate) decision: PlanWord,
    pub(crate) feedback: String,
}

pub(crate) fn schema() -> ToolSchema {
    ToolSchema {
        name: ToolName::AnswerPlan.name().into(),
        description: include_str!("answer_plan.md").trim_end().into(),
        parameters: input::schema::<AnswerInput>(),
    }
}

pub(crate) fn parse(input: &Value) -> Result<AnswerCall, InputError> {
    let input: AnswerInput =
        input::read(input, &[("request", &["request_id", "requestId"]), ("decision", &["action"])])
            .map_err(|why| why.to_string())?;
    let said = |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let request = said(input.request).ok_or("`request` is missing: name the request that the reminder names")?;
    let feedback = said(input.feedback).unwrap_or_default();
    if input.decision == PlanWord::Reject && feedback.is_empty() {
        return Err("`feedback` is missing: say what should be different".to_owned());
    }
    let feedback = fore_text::cut::chars(&feedback, MAX_FEEDBACK_CHARS).to_owned();
    Ok(AnswerCall { request, decision: input.decision, feedback })
}

/// One line for people about it.
pub(crate) fn line(input: &Value) -> String {
    parse(input).map_or_else(
        |wrong| wrong,
        |call| match call.decision {
            PlanWord::Approve => "approves a teammate's plan".to_owned(),
            PlanWord::Reject => "sends a teammate's plan back".to_owned(),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn j3_an_answer_names_its_request_and_a_no_its_reason() {
        let yes = parse(&json!({"request": "r1", "decision": "approve"})).unwrap();
        assert_eq!(yes, AnswerCall { request: "r1".into(), decision: PlanWord::Approve, feedback: String::new() });
        let no = parse(&json!({"request": "r1", "decision": "reject"})).unwrap_err();
        assert_eq!(no, "`feedback` is missing: say what should be different");
        assert!(parse(&json!({"request": "r1", "decision": "maybe"})).is_err());
        assert!(parse(&json!({"decision": "approve"})).is_err());
    }
}
