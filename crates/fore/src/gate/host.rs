//! `fore gate --as`: one call of another agent, judged in that agent's mode and answered in its own form.
//!
//! It only makes things stricter: a yes of the gate leaves the host's own questions as they are. Doubt about what came in is a no.

use super::context::{GateContext, GateTrust};
use crate::{args::HookHost, settings::Settings};
use fore_agent::Disk;
use fore_plan::{
    Cage, Mode,
    gate::{Action, Judgement, Verdict, table::GateRow},
};
use fore_sandbox::{Cages, person_environment};
use serde_json::{Value, json};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// The longest call.
const MAX_CALL_BYTES: u64 = 8 << 20;

const PUT_IT_IN_THE_PLAN: &str =
    "fore gate refuses it while you plan: read with other commands, and put what changes something into the plan.";

/// Tools of other agents that steer the agent itself: they touch nothing, and the host knows when they may be used. What they
/// start comes here again, call by call.
const OF_THE_HOST: [&str; 22] = [
    "ExitPlanMode",
    "EnterPlanMode",
    "exit_plan_mode",
    "enter_plan_mode",
    "TodoWrite",
    "todo_write",
    "write_todos",
    "todowrite",
    "todoread",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "TaskGet",
    "TaskOutput",
    "ToolSearch",
    "AskUserQuestion",
    "ask_user",
    "question",
    "update_plan",
    "Skill",
    "Agent",
    "Task",
];

/// What the host is told.
#[derive(Debug, PartialEq, Eq)]
enum HostAnswer {
    /// Nothing: it goes on as it would.
    Nothing,
    /// It asks the person, for this reason.
    Ask(String),
    /// It does not make the call.
    Deny(String),
    /// It makes this call instead.
    Rewrite(Value),
}

/// Reads the call from `from` and gives the line to print; none where nothing is said.
pub(super) fn judge(
    host: HookHost,
    usual: Mode,
    cwd: &Path,
    given: Option<&str>,
    from: impl Read,
) -> anyhow::Result<Option<String>> {
    let mut bytes = Vec::new();
    from.take(MAX_CALL_BYTES + 1).read_to_end(&mut bytes)?;
    let call: Value = match serde_json::from_slice(&bytes) {
        Ok(call) if bytes.len() as u64 <= MAX_CALL_BYTES => call,
        Ok(_) | Err(_) => {
            return Ok(in_form(host, HostAnswer::Deny("fore gate could not read this call".into()), &Value::Null));
        }
    };
    let cwd = match call.get("cwd").and_then(Value::as_str).map(|folder| cwd.join(folder).canonicalize()) {
        Some(Ok(folder)) => folder,
        None => cwd.to_owned(),
        Some(Err(error)) => {
            let why = format!("fore gate could not use the folder of this call: {error}");
            return Ok(in_form(host, HostAnswer::Deny(why), &call));
        }
    };
    let answer = answer(host, usual, &cwd, given, &call)?;
    Ok(in_form(host, answer, &call))
}

/// Some agents give the same tools and fields names that nobody else has.
fn in_our_names(host: HookHost, tool: &str, mut input: Value) -> (&str, Value) {
    match host {
        HookHost::Claude | HookHost::Codex | HookHost::Gemini | HookHost::Qwen => (tool, input),
        HookHost::Opencode => {
            if let Some(path) = input.as_object_mut().and_then(|fields| fields.remove("filePath")) {
                input["file_path"] = path;
            }
            let tool = match tool {
                "read" => "Read",
                "write" => "Write",
                "bash" => "Bash",
                "list" => "LS",
                "webfetch" => "WebFetch",
                "websearch" => "WebSearch",
                other => other,
            };
            (tool, input)
        }
    }
}

/// The mode of the host, as far as it tells.
fn mode_of(host: HookHost, usual: Mode, call: &Value) -> Mode {
    match (call.get("permission_mode").and_then(Value::as_str), host) {
        (Some("plan"), _) => Mode::Plan,
        (Some(_), _) => Mode::At(fore_plan::Level::Default),
        // It tells no mode: whoever installed it said which one is meant.
        (None, HookHost::Claude | HookHost::Codex | HookHost::Gemini | HookHost::Qwen | HookHost::Opencode) => usual,
    }
}

fn answer(host: HookHost, usual: Mode, cwd: &Path, given: Option<&str>, call: &Value) -> anyhow::Result<HostAnswer> {
    let Some(tool) = call.get("tool_name").and_then(Value::as_str) else {
        return Ok(HostAnswer::Deny("fore gate found no tool in this call".into()));
    };
    if OF_THE_HOST.contains(&tool) {
        return Ok(HostAnswer::Nothing);
    }
    let mode = mode_of(host, usual, call);
    let settings = Settings::load(cwd, given)?;
    let cages = Cages::new(settings.cages(), &fore_commands::CATALOGUE);
    let context = GateContext::new(mode, cwd, None, &settings, &cages, GateTrust::ByTheMode)?;
    let (tool, input) = in_our_names(host, tool, call.get("tool_input").cloned().unwrap_or_default());
    let disk = Disk::new(cwd, settings.home.as_deref());
    let action = Action::from_call(tool, &input, &disk);
    if mode == Mode::Plan && is_plan_of_host(host, settings.home.as_deref(), &action) {
        return Ok(HostAnswer::Nothing);
    }
    let Judgement { verdict, row, .. } = context.judge(action.clone());
    Ok(match (verdict, mode) {
        (Verdict::Block(_), Mode::At(_)) if row == GateRow::UnknownTool => HostAnswer::Nothing,
        // Ways out that only exist here are no help there.
        (Verdict::Block(refusal), Mode::Plan) => {
            HostAnswer::Deny(format!("{}. {PUT_IT_IN_THE_PLAN}", refusal.reason.trim_end_matches('.')))
        }
        (Verdict::Block(refusal), Mode::At(_)) => HostAnswer::Deny(refusal.reason),
        // What the host does outside of its plan mode is for the host to ask about.
        (_, Mode::At(_)) => HostAnswer::Nothing,
        (Verdict::Ask(question), Mode::Plan) => HostAnswer::Ask(question.text().to_owned()),
        (Verdict::Allow(permit), Mode::Plan) => match &action {
            Action::Run { command, .. } => caged(host, permit.cage(), command, &input),
            // The host makes the call itself.
            Action::Read { .. }
            | Action::Search { .. }
            | Action::Fetch { .. }
            | Action::Think { .. }
            | Action::Edit { .. }
            | Action::EditNotebook { .. }
            | Action::Delete { .. }
            | Action::Move { .. }
            | Action::Hook { .. }
            | Action::Agent { .. }
            | Action::Message { .. }
            | Action::Mcp { .. }
            | Action::McpServer { .. }
            | Action::Todo
            | Action::Skill { .. }
            | Action::EnterPlanMode
            | Action::ExitPlanMode
            | Action::AmendPlan
            | Action::Other { .. } => HostAnswer::Nothing,
        },
    })
}

/// Agents keep the plan that they write while planning in a folder of their own.
fn is_plan_of_host(host: HookHost, home: Option<&Path>, action: &Action) -> bool {
    let folder = match host {
        HookHost::Claude => ".claude",
        HookHost::Codex => ".codex",
        HookHost::Gemini => ".gemini",
        HookHost::Qwen => ".qwen",
        HookHost::Opencode => ".local/share/opencode",
    };
    let (Action::Edit { target, .. }, Some(home)) = (action, home) else { return false };
    let real = PathBuf::from(&target.real);
    let inside = home
        .canonicalize()
        .ok()
        .map(|home| home.join(folder))
        .and_then(|own| real.strip_prefix(own).ok().map(Path::to_owned));
    let is_plan = |inside: PathBuf| {
        let has_folder =
            inside.parent().is_some_and(|parent| parent.components().any(|part| part.as_os_str() == "plans"));
        has_folder && inside.extension().is_some_and(|extension| extension == "md")
    };
    target.is_plain() && inside.is_some_and(is_plan)
}

/// The same command in the sandbox that the gate chose for it.
fn caged(host: HookHost, cage: &Cage, command: &str, input: &Value) -> HostAnswer {
    let how = match cage {
        Cage::ReadOnly { .. } => "--read-only",
        // It runs what it was told to run, whatever a hook makes of it: what is only harmless in a rehearsal stays away.
        Cage::Rehearsal if host == HookHost::Qwen => {
            let why =
                "Nobody can tell beforehand what this command changes, and Qwen Code runs nothing in a sandbox of ours";
            return HostAnswer::Deny(format!("{why}. {PUT_IT_IN_THE_PLAN}"));
        }
        Cage::Rehearsal => "--rehearse",
        // Nothing holds such a command, so what the host would do with it is all there is.
        Cage::Workspace { .. } | Cage::Free => return HostAnswer::Nothing,
    };
    let Some(program) = person_environment::own_program().and_then(|path| path.to_str().map(str::to_owned)) else {
        return HostAnswer::Deny("fore gate could not find itself to run this in its sandbox".into());
    };
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let wrapped = format!("{} cage {how} --quiet -- bash -c {}", quoted(&program), quoted(command));
    let mut input = input.clone();
    match input.get_mut("command") {
        Some(place @ Value::String(_)) => *place = Value::from(wrapped),
        Some(_) | None => return HostAnswer::Nothing,
    }
    HostAnswer::Rewrite(input)
}

/// In the words of the agent that asked; none where it takes silence for "go on".
fn in_form(host: HookHost, answer: HostAnswer, call: &Value) -> Option<String> {
    let event = call.get("hook_event_name").and_then(Value::as_str).unwrap_or("PreToolUse");
    let special = |fields: Value| {
        let mut own = json!({ "hookEventName": event });
        if let (Some(own), Some(fields)) = (own.as_object_mut(), fields.as_object()) {
            own.extend(fields.clone());
        }
        json!({ "hookSpecificOutput": own })
    };
    let decided =
        |word: &str, reason: &str| special(json!({ "permissionDecision": word, "permissionDecisionReason": reason }));
    let said = match (host, answer) {
        (_, HostAnswer::Nothing) => return None,
        (HookHost::Claude | HookHost::Qwen, HostAnswer::Ask(why)) => decided("ask", &why),
        (HookHost::Claude | HookHost::Qwen | HookHost::Codex, HostAnswer::Deny(why)) => decided("deny", &why),
        // These cannot ask: what would be asked is refused.
        (HookHost::Codex, HostAnswer::Ask(why)) => decided("deny", &why),
        (HookHost::Gemini, HostAnswer::Ask(why) | HostAnswer::Deny(why)) => {
            json!({ "decision": "deny", "reason": why })
        }
        (HookHost::Opencode, HostAnswer::Ask(why) | HostAnswer::Deny(why)) => json!({ "refused": why }),
        (HookHost::Claude | HookHost::Qwen | HookHost::Codex, HostAnswer::Rewrite(input)) => {
            let why = "fore gate runs it in its sandbox";
            special(json!({ "permissionDecision": "allow", "permissionDecisionReason": why, "updatedInput": input }))
        }
        (HookHost::Gemini, HostAnswer::Rewrite(input)) => special(json!({ "tool_input": input })),
        (HookHost::Opencode, HostAnswer::Rewrite(input)) => json!({ "command": input.get("command") }),
    };
    Some(said.to_string())
}
