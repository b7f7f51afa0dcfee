//! What the exit codes of the smaller commands mean, as their help says it.

pub(crate) const GATE_CODES: &str = "\
Exit codes for one command: 0 allow, 10 ask, 11 block, 2 not judged.
For lines: 0 when all were answered.
Settings: ~/.forethought/settings.json (FORETHOUGHT_HOME moves the folder).";

pub(crate) const CAGE_CODES: &str = "\
Exit codes: the command's own; 124 when its time was up, 130 when it was
stopped, 137 when it took too much, 2 when it was not started.";

pub(crate) const MODELS_CODES: &str = "Exit codes: 0 done, or the test passed; 1 something did not work; 2 wrong use.";

pub(crate) const DOCTOR_CODES: &str =
    "Exit codes: 0 when everything holds, 1 when something is off, 2 when it could not be tried.";

pub(crate) const CONFIG_CODES: &str = "Exit codes: 0, or 2 if there is a mistake in the settings.";

pub(crate) const PERMISSIONS_CODES: &str =
    "Exit codes: 0; for a test 0 it runs, 10 it asks, 11 it is refused; 2 for wrong use.";

pub(crate) const HOOKS_CODES: &str =
    "Exit codes: 0; 1 when a tested hook refuses or does not work; 2 when it could not be done.";

pub(crate) const ACP_CODES: &str = "Exit codes: 0 when the editor has gone, 2 when it could not begin.";

pub(crate) const TRUST_CODES: &str = "Exit codes: 0, or 2 when it could not be done.";
