//! Auto mode's decisions: the circuit breaker, the rules taken out while it is active, and its table around planning.

use crate::{mode::Level, state::State};
use serde::{Deserialize, Serialize};

/// Denials in a row that close auto mode.
pub(crate) const MAX_DENIALS_IN_A_ROW: u32 = 3;
/// Denials in all that close auto mode.
pub(crate) const MAX_DENIALS: u32 = 20;

/// Counts what the classifier denied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Breaker {
    in_a_row: u32,
    in_all: u32,
}

impl Breaker {
    /// The count after one more verdict.
    #[must_use]
    pub(crate) fn after(self, allowed: bool) -> Breaker {
        if allowed {
            Breaker { in_a_row: 0, ..self }
        } else {
            Breaker { in_a_row: self.in_a_row.saturating_add(1), in_all: self.in_all.saturating_add(1) }
        }
    }

    pub(crate) fn has_tripped(self) -> bool {
        self.in_a_row >= MAX_DENIALS_IN_A_ROW || self.in_all >= MAX_DENIALS
    }
}

/// What the person is told when leaving plan mode would restore auto mode, but auto mode is closed.
pub fn exit_notice(state: &State) -> Option<&'static str> {
    let wanted = state.grant().map_or(state.level(), |grant| grant.level);
    (wanted == Level::Auto && !state.may_use(Level::Auto)).then_some("plan exit → default · auto mode unavailable")
}
