//! How calls and agents end: what went wrong shows its end and its reason, what was read opens.

use super::{BlockFold, PLAIN, told};
use crate::story::tests::events::*;
use fore_agent::{CallOutcome, Event, ShownCall};

/// The blocks of these events, as folded, as the viewer has them closed, or open.
fn drawn(events: &[Event], fold: BlockFold) -> String {
    let story = told(events);
    let lines = story.blocks().flat_map(|block| block.lines(fold, 60, &PLAIN));
    lines.map(|line| line.to_string()).collect::<Vec<_>>().join("\n")
}

fn call(tool: &str, line: &str, outcome: CallOutcome, shown: ShownCall) -> [Event; 2] {
    [started("1", tool, line, None), finished("1", tool, outcome, shown)]
}

#[test]
fn a_command_that_failed_shows_its_end_and_a_long_one_that_went_well_one_line() {
    let output = (1..=500).map(|number| format!("{number}\n")).collect::<String>() + "error: no cart\nexit code 3";
    let bash =
        |outcome| call("Bash", "seq 500; fail", outcome, ShownCall::text("exit code 3, 501 lines", output.clone()));
    assert_eq!(
        drawn(&bash(CallOutcome::Failed), BlockFold::Folded),
        "* Bash seq 500; fail
  ` exit code 3, 501 lines
    ... 495 earlier lines (ctrl+o)
    496
    497
    498
    499
    500
    error: no cart"
    );
    assert!(drawn(&bash(CallOutcome::Interrupted), BlockFold::Folded).ends_with("    500\n    error: no cart"));
    assert_eq!(drawn(&bash(CallOutcome::Done), BlockFold::Folded), "* Bash seq 500; fail - exit code 3, 501 lines");
    let own = call("!", "seq 500", CallOutcome::Done, ShownCall::text("ok, 501 lines", output.clone()));
    assert!(drawn(&own, BlockFold::Folded).ends_with("    1\n    2\n    3\n    4\n    ... 498 more lines (ctrl+o)"));
}

#[test]
fn the_viewer_says_how_to_open_what_is_closed_in_it() {
    let output: String = (1..=20).map(|number| format!("{number}\n")).collect();
    let mut events = call("Bash", "seq 20", CallOutcome::Failed, ShownCall::text("exit code 1", output)).to_vec();
    events.extend([reasoning("one\ntwo"), said("Done.")]);
    let closed = drawn(&events, BlockFold::Closed);
    assert!(
        closed.contains("... 14 earlier lines (enter opens)") && closed.contains("2 lines (enter opens)"),
        "{closed}"
    );
    assert!(!closed.contains("ctrl+o"), "{closed}");
}

#[test]
fn what_was_read_is_one_line_and_opens() {
    let read = call(
        "Read",
        "src/cart.rs",
        CallOutcome::Done,
        ShownCall::text("2 lines", "     1\tmod cart;\n     2\tmod shop;"),
    );
    assert_eq!(drawn(&read, BlockFold::Folded), "* Read src/cart.rs - 2 lines");
    assert_eq!(
        drawn(&read, BlockFold::Open),
        "* Read src/cart.rs\n  ` 2 lines\n         1    mod cart;\n         2    mod shop;"
    );
    assert!(!told(&read).export().contains("mod cart"), "what a file held is in the file");
}

#[test]
fn an_agent_that_failed_says_why() {
    let failed = |shown: ShownCall| {
        let end = Event::AgentFinished {
            agent: agent_id("a1"),
            outcome: CallOutcome::Failed,
            calls: 0,
            tokens: 0,
            refused: 0,
        };
        let begin = [started("call-1", "Agent", "", None), agent_started("a1", "Explore", "Find the cart")];
        begin.into_iter().chain([end, finished("call-1", "Agent", CallOutcome::Failed, shown)]).collect::<Vec<_>>()
    };
    let short = failed(ShownCall::line("the key was refused (401)"));
    let line = "* Explore Find the cart\n  ` failed - 0 calls - the key was refused (401)";
    assert_eq!((drawn(&short, BlockFold::Folded).as_str(), drawn(&short, BlockFold::Open).as_str()), (line, line));
    let long = failed(ShownCall::text("the key was refused (401)", "the key was refused (401)\nhint: set another one"));
    assert_eq!(drawn(&long, BlockFold::Folded), line);
    assert_eq!(
        drawn(&long, BlockFold::Open),
        "* Explore Find the cart\n  ` failed - 0 calls\n    the key was refused (401)\n    hint: set another one"
    );
    assert!(told(&long).export().contains("0 calls, failed: the key was refused (401)"));
}
