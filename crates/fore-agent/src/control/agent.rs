//! `Agent`: starts a subagent. What it is told, and by which kind of agent.

use super::{InputError, text};
use fore_model::ToolSchema;
use serde_json::{Value, json};

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
}

pub(crate) fn schema() -> ToolSchema {
    ToolSchema {
        name: "Agent".into(),
        description: include_str!("agent.md").trim_end().into(),
        parameters: json!({
            "type": "object",
            "properties": {
                "subagent_type": { "type": "string" },
                "description": { "type": "string", "description": "Three to five words." },
                "prompt": { "type": "string" },
                "mode": { "type": "string", "enum": ["plan"], "description": "`plan`: it may only read." }
            },
            "required": ["subagent_type", "description", "prompt"]
        }),
    }
}

pub(crate) fn parse(input: &Value) -> Result<AgentCall, InputError> {
    let kind = text(input, "subagent_type").or_else(|| text(input, "agent")).ok_or("`subagent_type` is missing")?;
    let prompt = text(input, "prompt").ok_or("`prompt` is missing: the agent knows only what you tell it")?;
    if prompt.len() > MAX_PROMPT_BYTES {
        return Err(format!("the prompt has {} bytes, the most is {MAX_PROMPT_BYTES}", prompt.len()));
    }
    let description = text(input, "description").unwrap_or(prompt);
    let plans = match text(input, "mode") {
        None => false,
        Some("plan") => true,
        Some(other) => {
            let other: String = other.chars().take(40).collect();
            return Err(format!("`mode` is `plan` or absent, not `{other}`"));
        }
    };
    let description = description.lines().next().unwrap_or_default().chars().take(80).collect();
    Ok(AgentCall { kind: kind.to_owned(), description, prompt: prompt.to_owned(), plans })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn h2_a_call_names_kind_task_and_perhaps_plan_mode() {
        let call =
            parse(&json!({"subagent_type": "Explore", "description": "find it", "prompt": "Find x.", "mode": "plan"}));
        let expected =
            AgentCall { kind: "Explore".into(), description: "find it".into(), prompt: "Find x.".into(), plans: true };
        assert_eq!(call.unwrap(), expected);
        let wrong = parse(&json!({"subagent_type": "x", "prompt": "y", "mode": "yolo"})).unwrap_err();
        assert_eq!(wrong, "`mode` is `plan` or absent, not `yolo`");
        assert!(parse(&json!({"subagent_type": "x"})).is_err());
    }
}
