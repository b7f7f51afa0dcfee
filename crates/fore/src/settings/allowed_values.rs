//! The words that a setting can have, each with what it means. For the schema alone: what they do is decided where they are used.

use super::written::ProviderSection;
use fore_model::PROVIDERS;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

const UNPROVEN: &[(&str, &str)] = &[
    ("rehearse", "It runs, and everything it writes is thrown away."),
    ("ask", "You are asked."),
    ("refuse", "It is not run."),
];
const NETWORK: &[(&str, &str)] = &[("ask", "You are asked, once for each host."), ("never", "It is not run.")];
const AUTO_MODE_NETWORK: &[(&str, &str)] = &[
    ("named", "Nobody else."),
    ("registries", "The usual package registries, and those that your own configuration names."),
    ("public", "Every public web server."),
];
const TODO: &[(&str, &str)] = &[
    ("blocked", "The tool is offered but refused, so that the prompt cache survives."),
    ("hidden", "The tool is not offered."),
    ("allowed", "The tool works."),
];
const WITHOUT_SANDBOX: &[(&str, &str)] = &[
    ("nothing", "No command."),
    ("reads", "Commands that are proved to only read. They can read secrets, and nothing but the proof holds them."),
];
const WORKFLOW: &[(&str, &str)] = &[
    ("five-phases", "Understand, design, review, write the plan, ask for approval."),
    ("interview", "A first draft and questions soon, the plan grows with the answers."),
];
const LENGTH: &[(&str, &str)] = &[
    ("control", "As long as it needs to be."),
    ("trim", "Short."),
    ("cut", "No background; most plans stay under 40 lines."),
    ("cap", "Never more than 40 lines."),
];
const TRIGGER: &[(&str, &str)] =
    &[("eager", "When in doubt, plan."), ("reserved", "Only when the approach is really unclear.")];
const EXPLORE_ORDER: &[(&str, &str)] = &[("parallel", "All at once."), ("sequential", "One after the other.")];
const MODE: &[(&str, &str)] = &[
    ("default", "You are asked before each change."),
    ("acceptEdits", "File edits pass; you are asked about the rest."),
    ("plan", "Nothing changes but the plan."),
    ("auto", "A model decides instead of you; needs permissions.autoOptIn."),
    ("bypassPermissions", "You are never asked; needs --dangerously-allow-bypass."),
];
/// Names that other tools use. Understood, but not offered.
const MODE_ALSO: &[(&str, &str)] = &[
    ("agent", "The same as default."),
    ("accept-edits", "The same as acceptEdits."),
    ("accept_edits", "The same as acceptEdits."),
    ("autoEdit", "The same as acceptEdits."),
    ("auto-edit", "The same as acceptEdits."),
    ("auto_edit", "The same as acceptEdits."),
    ("bypass-permissions", "The same as bypassPermissions."),
    ("bypass_permissions", "The same as bypassPermissions."),
    ("yolo", "The same as bypassPermissions."),
];
const NOTIFY_SIGN: &[(&str, &str)] = &[
    ("auto", "A notification where this terminal is known to show one, else the bell."),
    ("bell", "The bell."),
    ("osc9", "A notification, as iTerm2, WezTerm, kitty and Ghostty understand it."),
    ("osc777", "A notification, as foot and rxvt-unicode understand it."),
    ("never", "Nothing."),
];
const THEME: &[(&str, &str)] = &[
    ("auto", "By what the terminal says of itself (COLORFGBG), else dark."),
    ("dark", "For a dark background."),
    ("light", "For a light background."),
];
const PROTOCOL: &[(&str, &str)] = &[
    ("anthropic-messages", "Anthropic Messages."),
    ("open-ai-responses", "OpenAI Responses."),
    ("chat-completions", "OpenAI Chat Completions, which most other servers speak."),
    ("gemini", "Gemini streamGenerateContent."),
];

/// What a server of the person's own may be called.
pub(super) const SERVER_NAMES: &str = "^[a-z][a-z0-9._-]*$";
const EFFORT: &[(&str, &str)] =
    &[("off", "As little as it can be asked for."), ("low", "A little."), ("medium", "Some."), ("high", "A lot.")];
const PROFILE: &[(&str, &str)] = &[
    ("auto", "Lean for windows of up to 16,384 tokens, else full."),
    ("full", "All tools, with all that is said about them."),
    ("lean", "A short system text and the tools that most tasks need, for small windows and slow machines."),
];

const ACP_APPROVAL: &[(&str, &str)] = &[
    ("person", "Yours: not one that came within a second, nor of a client that is known to answer by itself."),
    ("form", "The same, asked by a form with room for words where the client has forms."),
    ("client", "Whatever the client answers counts."),
];

const TEAM_APPROVER: &[(&str, &str)] = &[
    ("person", "You, in the session that leads."),
    ("lead", "The model that leads, and only for the mode `default`, in which each edit asks you."),
];

fn one_of(words: &[(&str, &str)]) -> Schema {
    let words: Vec<Value> =
        words.iter().map(|(word, meaning)| json!({"const": word, "description": meaning})).collect();
    json_schema!({ "type": "string", "oneOf": words })
}

pub(super) fn unproven(_: &mut SchemaGenerator) -> Schema {
    one_of(UNPROVEN)
}

pub(super) fn team_approver(_: &mut SchemaGenerator) -> Schema {
    one_of(TEAM_APPROVER)
}

pub(super) fn acp_approval(_: &mut SchemaGenerator) -> Schema {
    one_of(ACP_APPROVAL)
}

pub(super) fn network(_: &mut SchemaGenerator) -> Schema {
    one_of(NETWORK)
}

pub(super) fn auto_mode_network(_: &mut SchemaGenerator) -> Schema {
    one_of(AUTO_MODE_NETWORK)
}

pub(super) fn without_sandbox(_: &mut SchemaGenerator) -> Schema {
    one_of(WITHOUT_SANDBOX)
}

pub(super) fn todo(_: &mut SchemaGenerator) -> Schema {
    one_of(TODO)
}

pub(super) fn workflow(_: &mut SchemaGenerator) -> Schema {
    one_of(WORKFLOW)
}

pub(super) fn length(_: &mut SchemaGenerator) -> Schema {
    one_of(LENGTH)
}

pub(super) fn trigger(_: &mut SchemaGenerator) -> Schema {
    one_of(TRIGGER)
}

pub(super) fn explore_order(_: &mut SchemaGenerator) -> Schema {
    one_of(EXPLORE_ORDER)
}

pub(super) fn protocol(_: &mut SchemaGenerator) -> Schema {
    one_of(PROTOCOL)
}

pub(super) fn effort(_: &mut SchemaGenerator) -> Schema {
    one_of(EFFORT)
}

pub(super) fn profile(_: &mut SchemaGenerator) -> Schema {
    one_of(PROFILE)
}

/// Servers with names of the person's choice.
pub(super) fn servers(generator: &mut SchemaGenerator) -> Schema {
    let one = generator.subschema_for::<ProviderSection>().to_value();
    json_schema!({ "type": "object", "propertyNames": { "pattern": SERVER_NAMES }, "additionalProperties": one })
}

pub(super) fn extra_body(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

/// What a hook of an event is; `fore_hooks` reads it.
pub(super) fn hook_groups(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": { "type": "object", "description": "For which tools or sources (matcher), and what is run (hooks)." },
    })
}

pub(super) fn notify_sign(_: &mut SchemaGenerator) -> Schema {
    one_of(NOTIFY_SIGN)
}

pub(super) fn theme(_: &mut SchemaGenerator) -> Schema {
    one_of(THEME)
}

pub(super) fn mode(_: &mut SchemaGenerator) -> Schema {
    let offered = MODE.iter().map(|(word, meaning)| json!({"const": word, "description": meaning}));
    let also =
        MODE_ALSO.iter().map(|(word, meaning)| json!({"const": word, "description": meaning, "deprecated": true}));
    let words: Vec<Value> = offered.chain(also).collect();
    json_schema!({ "type": "string", "oneOf": words })
}

pub(super) fn agent_count(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "minimum": 1, "maximum": 10 })
}

pub(super) fn variables(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "propertyNames": { "pattern": "^[A-Za-z_][A-Za-z0-9_]*$" },
        "additionalProperties": { "type": "string" },
    })
}

/// One key for each row of the provider table, so that a mistyped name is found out.
pub(super) fn providers(generator: &mut SchemaGenerator) -> Schema {
    let one = generator.subschema_for::<ProviderSection>().to_value();
    let all: Map<String, Value> = PROVIDERS.iter().map(|row| (row.id.to_owned(), one.clone())).collect();
    json_schema!({ "type": "object", "properties": all, "additionalProperties": false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_plan::{
        Mode,
        gate::table::{PlanNetwork, TodoInPlan, Unproven},
        workflow::{ExploreOrder, PlanLength, Trigger, WorkflowKind},
    };
    use serde::{Serialize, de::DeserializeOwned};

    fn read<T: DeserializeOwned + Serialize>(words: &[(&str, &str)]) -> Vec<String> {
        let one = |(word, _): &(&str, &str)| serde_json::from_value::<T>(json!(word)).unwrap();
        words.iter().map(|word| serde_json::to_value(one(word)).unwrap().as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn every_word_of_the_schema_is_understood_and_none_is_left_out() {
        let names = |words: &[(&str, &str)]| words.iter().map(|(word, _)| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(read::<Unproven>(UNPROVEN), names(UNPROVEN));
        assert_eq!(read::<PlanNetwork>(NETWORK), names(NETWORK));
        assert_eq!(read::<TodoInPlan>(TODO), names(TODO));
        assert_eq!(read::<WorkflowKind>(WORKFLOW), names(WORKFLOW));
        assert_eq!(read::<PlanLength>(LENGTH), names(LENGTH));
        assert_eq!(read::<Trigger>(TRIGGER), names(TRIGGER));
        assert_eq!(read::<ExploreOrder>(EXPLORE_ORDER), names(EXPLORE_ORDER));
        assert_eq!(read::<fore_model::Protocol>(PROTOCOL), names(PROTOCOL));
        assert_eq!(PROTOCOL.len(), fore_model::Protocol::ALL.len());
        assert_eq!(read::<crate::settings::ThemeName>(THEME), names(THEME));
        assert_eq!(read::<crate::settings::NotifySignName>(NOTIFY_SIGN), names(NOTIFY_SIGN));
        assert_eq!(read::<crate::settings::ReasoningEffort>(EFFORT), names(EFFORT));
        assert_eq!(read::<crate::settings::ModelProfile>(PROFILE), names(PROFILE));
        assert_eq!(read::<Mode>(MODE), names(MODE));
        assert_eq!(MODE.len(), Mode::ALL.len());
        let same: Vec<String> = MODE_ALSO.iter().map(|(_, words)| words.replace("The same as ", "")).collect();
        assert_eq!(read::<Mode>(MODE_ALSO).iter().map(|name| format!("{name}.")).collect::<Vec<_>>(), same);
    }
}
