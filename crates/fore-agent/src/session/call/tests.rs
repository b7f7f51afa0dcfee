//! Calls at the worst moment.

use super::*;
use crate::{
    ModelHandle, ModelHandles, SessionSettings,
    event_channel::event_channel,
    launch::{Begin, Launch},
    session::open,
};
use fore_model::Arguments;
use fore_plan::{Openings, approval::Reachable};
use fore_store::Home;
use serde_json::json;

fn launch(top: &std::path::Path, mode: &str) -> Launch {
    Launch {
        folder: top.to_owned(),
        home: Arc::new(Home::open(&top.join("home")).unwrap()),
        user_home: None,
        begin: Begin::Fresh { mode: mode.parse().unwrap() },
        openings: Openings { bypass_permitted: true, ..Openings::TRUSTED },
        reachable: Reachable::Approver,
        via: "test".into(),
        settings: SessionSettings::new(crate::tools::test_support::usual_settings()),
        unsaved: None,
        settings_reader: None,
        catalogue: &fore_commands::CATALOGUE,
        models: ModelHandles::one(ModelHandle::Scout),
    }
}

#[tokio::test(flavor = "current_thread")]
async fn an_interrupt_while_a_call_is_judged_stops_it_before_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let (events, _letters) = event_channel();
    let driver = open::open(launch(&top, "bypassPermissions"), None, events).unwrap().driver;
    let arguments = Arguments::Ok(json!({"command": "touch made"}));
    let slot = Slot { slot: 0, call: ToolUse { id: "1".into(), name: "Bash".into(), arguments, seal: None } };
    let caller = Arc::new(CallerContext::main(driver.context.work.new_turn()));
    let call = run(
        Arc::clone(&driver.context),
        caller,
        Arc::clone(&driver.toolbox),
        driver.context.work.next_call(),
        (slot, None),
    );
    // The call is polled first and waits for its judge; then the person presses Esc.
    let (ended, ()) = tokio::join!(call, async { driver.context.work.interrupt() });
    assert_eq!(ended.result.content, [ResultPart::Text("Not run: the person interrupted the turn.".into())]);
    assert!(!top.join("made").exists());
}
