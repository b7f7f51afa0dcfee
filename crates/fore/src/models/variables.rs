//! The environment as it was when the program began: keys are taken out of it before anything else happens.

use fore_model::PROVIDERS;
use std::{collections::BTreeMap, sync::OnceLock};

static TAKEN: OnceLock<BTreeMap<String, String>> = OnceLock::new();

/// Call it first in `main`. From then on neither a child nor another process of the person finds a key in this one.
pub(crate) fn take_keys() {
    let names: Vec<&str> = PROVIDERS.iter().flat_map(|row| row.key_variables).map(|(name, _)| *name).collect();
    // A second call has nothing to take.
    let _ = TAKEN.set(fore_sandbox::protect(&names).into_iter().collect());
}

/// A variable that was set when the program began.
pub(crate) fn variable(name: &str) -> Option<String> {
    TAKEN.get().and_then(|taken| taken.get(name).cloned()).or_else(|| crate::environment::text(name))
}
