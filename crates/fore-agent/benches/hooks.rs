//! What a hook costs a call beside its own process: a session of reads with a hook before each, minus the same session without it,
//! minus a plain spawn of what the hook runs. At work and while planning, where it is held in a sandbox.
#![expect(clippy::disallowed_methods, reason = "a benchmark lays out its own files, and starts a plain process beside")]
#![expect(clippy::expect_used, clippy::panic, reason = "a benchmark that cannot set itself up has failed")]

mod support;

use fore_agent::SessionSettings;
use fore_hooks::{ConfiguredHook, HookOrigin, HookSettings, HookStanding, read_hooks};
use fore_model::Protocol;
use serde_json::{Value, json};
use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};
use support::{Place, said, serve, turn, verdict};

const CALLS: u64 = 60;
const ROUNDS: usize = 5;
const TARGET_MS: f64 = 3.0;

fn main() {
    fore_sandbox::become_setup_if_asked();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut all_met = true;
    for mode in ["default", "plan"] {
        let best = |work: &dyn Fn() -> Duration| (0..ROUNDS).map(|_| work()).min().unwrap_or_default();
        let without = best(&|| runtime.block_on(session(mode, HookSettings::default())));
        let with = best(&|| runtime.block_on(session(mode, hooks())));
        let own = best(&plain);
        let each = |time: Duration| time.as_secs_f64() * 1e3 / CALLS as f64;
        let cost = each(with) - each(without) - each(own);
        println!(
            "{mode}: {:.2} ms a call without, {:.2} ms with, {:.2} ms for the process",
            each(without),
            each(with),
            each(own)
        );
        all_met &= verdict(&format!("a hook in the mode {mode}, beside its own process"), cost, "ms", TARGET_MS);
    }
    if !all_met {
        std::process::exit(1);
    }
}

fn hooks() -> HookSettings {
    let origin = HookOrigin { file: "settings.json".into(), is_of_repository: false };
    let (hooks, faults) =
        read_hooks(&json!({ "PreToolUse": [{ "hooks": [{ "type": "command", "command": "true" }] }] }), &origin);
    assert!(faults.is_empty(), "{faults:?}");
    let configured = |hook| ConfiguredHook { hook, standing: HookStanding::Own, content: String::new() };
    HookSettings { hooks: hooks.into_iter().map(configured).collect(), ..HookSettings::default() }
}

async fn session(mode: &str, hooks: HookSettings) -> Duration {
    let place = Place::new();
    place.file("cart.rs", "pub fn total() -> u32 { 1 }\n");
    let read = ("Read", json!({"file_path": "cart.rs"}));
    let (url, _served) = serve(move |number| {
        let calls: Vec<(&str, Value)> = vec![read.clone()];
        if number < CALLS { said(number, "Next.", &calls) } else { said(number, "Done.", &[]) }
    });
    let settings = SessionSettings { max_rounds: 10_000, compact_at_percent: 0, hooks, ..support::usual_settings() };
    let launch = place.launch(Protocol::AnthropicMessages, &url, mode, settings);
    let mut handle = fore_agent::start(launch).await.expect("a session");
    let began = Instant::now();
    turn(&mut handle, "read it").await;
    began.elapsed()
}

/// The same shell with the same command, and nothing around it.
fn plain() -> Duration {
    let began = Instant::now();
    for _ in 0..CALLS {
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-c", "true"]).stdin(Stdio::null()).stdout(Stdio::null());
        assert!(command.status().expect("bash").success(), "it ends well");
    }
    began.elapsed()
}
