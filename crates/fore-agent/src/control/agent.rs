//! `Agent`: starts a subagent. What it is told, and by which kind of agent.

use super::InputError;
use crate::tools::input::{self, UnreadableInput};
use fore_model::ToolSchema;
use fore_plan::{Mode, ToolName};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

const MAX_PROMPT_BYTES: usize = 64 * 1024;

/// A subagent that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentCall {
    pub(crate) kind: String,
    /// A few words for the person.
    pub(crate) description: String,
    pub(crate) prompt: String,
    /// The agent shall only read, whatever its kind may do.
    pub(crate) plans: bool,
    /// Set where a teammate is wanted, which stays, and not a subagent.
    pub(crate) name: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct AgentInput {
    #[schemars(required)]
    subagent_type: Option<String>,
    /// Three to five words.
    #[schemars(required)]
    description: Option<String>,
    #[schemars(required)]
    prompt: Option<String>,
    /// `plan`: it may only read, and hands in a plan that the person approves.
    #[schemars(with = "Option<AgentMode>")]
    mode: Option<String>,
    /// Makes it a teammate of this name, which stays and works beside you.
    name: Option<String>,
}

/// What the schema offers.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used; the word is read as every mode is")]
enum AgentMode {
    Plan,
}

pub(crate) fn schema() -> ToolSchema {
    ToolSchema {
        name: ToolName::Agent.name().into(),
        description: include_str!("agent.md").trim_end().into(),
        parameters: input::schema::<AgentInput>(),
    }
}

pub(crate) fn parse(input: &Value) -> Result<AgentCall, InputError> {
    let input: AgentInput =
        input::read(input, &[("subagent_type", &["agent"])]).map_err(|why: UnreadableInput| why.to_string())?;
    let said =
        |text: &Option<String>| text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let kind = said(&input.subagent_type).ok_or("`subagent_type` is missing")?;
    let prompt = said(&input.prompt).ok_or("`prompt` is missing: the agent knows only what you tell it")?;
    if prompt.len() > MAX_PROMPT_BYTES {
        return Err(format!("the prompt has {} bytes, the most is {MAX_PROMPT_BYTES}", prompt.len()));
    }
    let description = said(&input.description).unwrap_or_else(|| prompt.clone());
    let description = description.lines().next().unwrap_or_default().chars().take(80).collect();
    let plans = match said(&input.mode) {
        None => false,
        Some(word) => match word.parse() {
            Ok(Mode::Plan) => true,
            Ok(Mode::At(_)) | Err(_) => {
                let other: String = word.chars().take(40).collect();
                return Err(format!("`mode` is `plan` or absent, not `{other}`"));
            }
        },
    };
    Ok(AgentCall { kind, description, prompt, plans, name: said(&input.name) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn h2_a_call_names_kind_task_and_perhaps_plan_mode() {
        let call =
            parse(&json!({"subagent_type": "Explore", "description": "find it", "prompt": "Find x.", "mode": "plan"}));
        let expected = AgentCall {
            kind: "Explore".into(),
            description: "find it".into(),
            prompt: "Find x.".into(),
            plans: true,
            name: None,
        };
        assert_eq!(call.unwrap(), expected);
        let as_others_write_it = parse(&json!({"subagent_type": "x", "prompt": "y", "mode": "Plan"})).unwrap();
        assert!(as_others_write_it.plans);
        let wrong = parse(&json!({"subagent_type": "x", "prompt": "y", "mode": "yolo"})).unwrap_err();
        assert_eq!(wrong, "`mode` is `plan` or absent, not `yolo`");
        assert!(parse(&json!({"subagent_type": "x"})).is_err());
    }
}
