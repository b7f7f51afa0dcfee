//! Plays the stories in `scenarios/` through the real program, over all four protocols.

use fore_testkit::scenario::{Suite, main as play};
use std::{path::PathBuf, process::ExitCode};

#[expect(clippy::disallowed_methods, reason = "stories are played in the usual folder for temp files")]
fn main() -> ExitCode {
    play(&Suite {
        program: PathBuf::from(env!("CARGO_BIN_EXE_fore")),
        scenarios: PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios"),
        // Not in the target folder: that may lie inside a repository, which the stories are not about.
        scratch: std::env::temp_dir(),
    })
}
