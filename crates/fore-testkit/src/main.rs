//! The program `fore-testkit`; see the library's `command_line`.

use std::process::ExitCode;

fn main() -> ExitCode {
    fore_testkit::run_command_line()
}
