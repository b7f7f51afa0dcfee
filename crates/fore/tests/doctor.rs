//! What `fore doctor` says of each sandbox, on this machine and on machines with parts missing.

#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

mod support;

use fore_testkit::kernel::LimitedMachine;
use support::Place;

/// The part about sandboxes and what was tried, without what differs from one kernel to the next.
fn told(kernel: Option<LimitedMachine>) -> String {
    let place = Place::new();
    let mut command = place.command(&["doctor"]);
    if let Some(kernel) = kernel {
        kernel.apply(&mut command);
    }
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let until = text.find("settings  ").unwrap_or(text.len());
    let text = text[..until].trim_end_matches(|letter| letter != '\n').trim_end();
    let (before, after) = text.split_once("version ").unwrap_or((text, ""));
    let after = after.trim_start_matches(|letter: char| letter.is_ascii_digit());
    if after.is_empty() { text.to_owned() } else { format!("{before}version N{after}") }
}

#[test]
fn each_sandbox_says_what_holds_it_and_what_a_missing_layer_costs() {
    insta::assert_snapshot!("complete", told(None));
    for kernel in [
        LimitedMachine::NoLandlock,
        LimitedMachine::NoUserNamespaces,
        LimitedMachine::NoMount,
        LimitedMachine::NoSeccomp,
        LimitedMachine::Bare,
        LimitedMachine::BadTemp,
    ] {
        insta::assert_snapshot!(kernel.name(), told(Some(kernel)));
    }
}
