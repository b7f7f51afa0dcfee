//! The doctor tells the truth about this machine.

use fore_sandbox::doctor::{Line, State, examine};
use fore_sandbox::{Cages, Settings};
use std::path::Path;

#[test]
fn every_protection_that_the_other_tests_rely_on_is_on() {
    let cages =
        Cages::new(Settings { setup: Some(env!("CARGO_BIN_EXE_fore-cage-setup").into()), ..Settings::default() });
    let lines = examine(&cages, Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let not_on: Vec<&Line> = lines.iter().filter(|line| line.state != State::On).collect();
    assert!(not_on.is_empty() && lines.len() == 13, "{lines:#?}");
}

#[test]
fn a_machine_that_can_start_no_cage_gets_a_reason_and_advice_on_every_line() {
    let cages = Cages::new(Settings { setup: Some("/bin/false".into()), ..Settings::default() });
    let lines = examine(&cages, Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let wrong: Vec<&Line> = lines
        .iter()
        .skip(1)
        .filter(|line| line.state != State::Off || line.why.is_empty() || line.what_to_do.is_none())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
