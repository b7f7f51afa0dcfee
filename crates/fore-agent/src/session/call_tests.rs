//! Calls at the worst moment.

use super::*;
use crate::{
    Brain, Brains, Settings,
    launch::{Begin, Launch},
    session::{open, outbox::outbox},
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
        settings: Settings::default(),
        brains: Brains::one(Brain::Scout),
    }
}

#[tokio::test(flavor = "current_thread")]
async fn an_interrupt_while_a_call_is_judged_stops_it_before_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let (outbox, _letters) = outbox();
    let driver = open::open(launch(&top, "bypassPermissions"), outbox).unwrap().driver;
    let arguments = Arguments::Ok(json!({"command": "touch made"}));
    let slot = Slot { slot: 0, call: ToolUse { id: "1".into(), name: "Bash".into(), arguments, seal: None } };
    let seat = Arc::new(Seat::main(driver.desk.new_turn()));
    let call = run(Arc::clone(&driver.desk), seat, Arc::clone(&driver.toolbox), driver.desk.next_call(), slot);
    // The call is polled first and waits for its judge; then the person presses Esc.
    let (ended, ()) = tokio::join!(call, async { driver.desk.interrupt() });
    assert_eq!(ended.result.content, [Piece::Text("Not run: the person interrupted the turn.".into())]);
    assert!(!top.join("made").exists());
}
