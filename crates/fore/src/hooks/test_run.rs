//! `fore hooks test EVENT`: which hooks would run, what each answers to an example, and how long it takes.

use crate::{
    console::{Console, plain},
    gate::{GateContext, GateTrust},
    settings::Settings,
};
use anyhow::Context;
use fore_agent::{HookProcess, hook_action, writable_for_hooks};
use fore_hooks::{
    ConfiguredHook, HookAnswer, HookDecision, HookEvent, HookOccasion, HookRunner, HookSession, HookedAgent, HookedCall,
};
use fore_plan::{Mode, gate::Verdict};
use fore_sandbox::{Cages, Canceller};
use serde_json::{Value, json};
use std::{io::Write, path::Path, process::ExitCode, time::Instant};

/// What is tried.
pub(super) struct HookExample<'a> {
    pub(super) event: HookEvent,
    pub(super) tool: &'a str,
    pub(super) input: &'a str,
    pub(super) mode: Mode,
}

/// Runs them one after the other, each in the sandbox that it would have in this mode.
pub(super) fn test(
    screen: &mut Console<impl Write>,
    settings: &Settings,
    example: &HookExample<'_>,
) -> anyhow::Result<ExitCode> {
    let input: Value = serde_json::from_str(example.input).context("what follows --input is not JSON")?;
    let occasion = occasion(example, input);
    let cwd = crate::environment::current_folder()?;
    let cages = Cages::new(settings.cages(), &fore_commands::CATALOGUE);
    let context = GateContext::new(example.mode, &cwd, None, settings, &cages, GateTrust::ByTheMode)?;
    let session = HookSession {
        session_id: "test".into(),
        cwd: cwd.display().to_string(),
        prompt_id: Some("test".into()),
        permission_mode: example.mode.name().into(),
        ..HookSession::default()
    };
    let sent = occasion.input(&session).to_string();
    let meant = settings.hooks.meant(&occasion);
    let off = settings
        .hooks
        .waiting()
        .filter(|one| one.hook.event == example.event && one.hook.matcher.matches(occasion.subject()));
    let mut is_all_well = true;
    for one in &meant {
        let begun = Instant::now();
        let answer = match &one.hook.runner {
            HookRunner::Http { .. } => {
                screen.line(format_args!("{}: would be told; a test tells nobody", plain(&one.hook.name())))?;
                continue;
            }
            HookRunner::Shell { .. } | HookRunner::Program { .. } => answer(one, &context, settings, &cages, &sent),
        };
        let words = match answer {
            Ok(answer) => {
                let refuses = matches!(answer.decision, HookDecision::Deny(_));
                is_all_well &= !refuses && answer.failure.is_none();
                in_words(&answer)
            }
            Err(why) => {
                is_all_well = false;
                format!("did not run: {why}")
            }
        };
        let line = format!("{}: {words} ({} ms)", one.hook.name(), begun.elapsed().as_millis());
        screen.line(plain(&line))?;
    }
    let off: Vec<&ConfiguredHook> = off.collect();
    for one in &off {
        screen.line(plain(&format!("{}: off, because you do not trust it as it is", one.hook.name())))?;
    }
    if meant.is_empty() && off.is_empty() {
        screen.line(format_args!("No hook is meant for this {}.", example.event.name()))?;
    }
    Ok(if is_all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn answer(
    one: &ConfiguredHook,
    context: &GateContext<'_>,
    settings: &Settings,
    cages: &Cages,
    sent: &str,
) -> Result<HookAnswer, String> {
    let own = settings.folder.as_deref().unwrap_or(Path::new("/"));
    let may_write = writable_for_hooks(&settings.hooks.may_write, &settings.project, own);
    let permit = match context.judge(hook_action(&one.hook, &may_write)).verdict {
        Verdict::Allow(permit) => context.present(permit).map_err(|refusal| refusal.reason)?,
        Verdict::Ask(question) => return Err(question.text().to_owned()),
        Verdict::Block(refusal) => return Err(refusal.reason),
    };
    let project = settings.project.as_path();
    let process = HookProcess { cages, project, hook: one, may_write: &may_write, cancel: Canceller::default() };
    Ok(HookAnswer::read(&one.hook, &process.run(permit, sent.to_owned())))
}

fn in_words(answer: &HookAnswer) -> String {
    let mut words = vec![match (&answer.decision, &answer.failure) {
        (HookDecision::Deny(reason), _) => format!("refuses: {reason}"),
        (_, Some(why)) => format!("did not work: {why}"),
        (HookDecision::Ask(reason), None) => format!("wants you to be asked: {reason}"),
        (HookDecision::Allow, None) => "allows it; that counts only outside of plan mode".to_owned(),
        (HookDecision::Silent, None) => "decides nothing".to_owned(),
    }];
    words.extend(answer.rewritten.as_ref().map(|input| format!("rewrites the call: {input}")));
    words.extend(answer.stops.as_ref().map(|why| format!("stops the turn: {why}")));
    words.extend(answer.context.as_ref().map(|text| format!("tells the model: {}", fore_text::cut::one_line(text))));
    words.extend(answer.message.as_ref().map(|text| format!("tells you: {}", fore_text::cut::one_line(text))));
    fore_text::cut::one_line(&words.join("; "))
}

/// Something of that kind, as it could happen.
fn occasion(example: &HookExample<'_>, input: Value) -> HookOccasion {
    let call = || HookedCall { tool: example.tool.to_owned(), input: input.clone(), id: "call-test".into() };
    let agent = || HookedAgent { id: "a1".into(), kind: "Explore".into() };
    let words = || "an example".to_owned();
    match example.event {
        HookEvent::PreToolUse => HookOccasion::PreToolUse { call: call() },
        HookEvent::PostToolUse => {
            HookOccasion::PostToolUse { call: call(), response: json!({ "stdout": "hello" }), duration_ms: 1 }
        }
        HookEvent::PostToolUseFailure => {
            HookOccasion::PostToolUseFailure { call: call(), error: words(), is_interrupt: false, duration_ms: 1 }
        }
        HookEvent::PermissionRequest => HookOccasion::PermissionRequest { call: call(), question: words() },
        HookEvent::PermissionDenied => HookOccasion::PermissionDenied { call: call(), reason: words() },
        HookEvent::UserPromptSubmit => HookOccasion::UserPromptSubmit { prompt: words() },
        HookEvent::SessionStart => HookOccasion::SessionStart { source: "startup", model: None },
        HookEvent::SessionEnd => HookOccasion::SessionEnd { reason: "other" },
        HookEvent::Stop => HookOccasion::Stop {
            stop_hook_active: false,
            last_assistant_message: words(),
            background_tasks: Vec::new(),
        },
        HookEvent::SubagentStart => HookOccasion::SubagentStart { agent: agent() },
        HookEvent::SubagentStop => {
            HookOccasion::SubagentStop { agent: agent(), stop_hook_active: false, last_assistant_message: words() }
        }
        HookEvent::PreCompact => HookOccasion::PreCompact { trigger: "manual", custom_instructions: String::new() },
        HookEvent::PostCompact => HookOccasion::PostCompact { trigger: "manual" },
        HookEvent::Notification => HookOccasion::Notification { kind: "permission_prompt", message: words() },
        HookEvent::PlanProposed => HookOccasion::PlanProposed {
            plan_file_path: "/plans/example.md".into(),
            plan_hash: "0".repeat(64),
            plan: "# An example\n".into(),
        },
        HookEvent::PlanDecided => HookOccasion::PlanDecided {
            plan_file_path: "/plans/example.md".into(),
            plan_hash: Some("0".repeat(64)),
            decision: "approved".into(),
            level: Some("default".into()),
            reason: String::new(),
        },
        HookEvent::PlanDrift => HookOccasion::PlanDrift { call: call(), question: words() },
        HookEvent::PlanReport => HookOccasion::PlanReport { headline: words(), report: json!({}) },
    }
}
