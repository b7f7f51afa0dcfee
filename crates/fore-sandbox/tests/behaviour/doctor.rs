//! The doctor tells the truth about this machine.

use fore_sandbox::doctor::{ProtectionCheck, ProtectionState, examine};
use fore_sandbox::{CageSettings, Cages};
use std::path::Path;

#[test]
fn every_protection_that_the_other_tests_rely_on_is_on() {
    let cages = Cages::new(
        CageSettings {
            setup: Some(env!("CARGO_BIN_EXE_fore-cage-setup").into()),
            ..crate::permitted::usual_settings()
        },
        &fore_commands::CATALOGUE,
    );
    let lines = examine(&cages, Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let not_on: Vec<&ProtectionCheck> = lines.iter().filter(|line| line.state != ProtectionState::On).collect();
    assert!(not_on.is_empty() && lines.len() == 13, "{lines:#?}");
}

#[test]
fn a_machine_that_can_start_no_cage_gets_a_reason_and_advice_on_every_line() {
    let cages = Cages::new(
        CageSettings { setup: Some("/bin/false".into()), ..crate::permitted::usual_settings() },
        &fore_commands::CATALOGUE,
    );
    let lines = examine(&cages, Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let wrong: Vec<&ProtectionCheck> = lines
        .iter()
        .skip(1)
        .filter(|line| line.state != ProtectionState::Off || line.why.is_empty() || line.what_to_do.is_none())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
