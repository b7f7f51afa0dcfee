//! Auto mode's decisions: the circuit breaker, the rules taken out while it is active, and its table around planning.

use serde::{Deserialize, Serialize};

/// Denials in a row that close auto mode.
pub const MOST_IN_A_ROW: u32 = 3;
/// Denials in all that close auto mode.
pub const MOST_IN_ALL: u32 = 20;

/// Counts what the classifier denied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breaker {
    in_a_row: u32,
    in_all: u32,
}

impl Breaker {
    /// The count after one more verdict.
    #[must_use]
    pub fn after(self, allowed: bool) -> Breaker {
        if allowed {
            Breaker { in_a_row: 0, ..self }
        } else {
            Breaker { in_a_row: self.in_a_row.saturating_add(1), in_all: self.in_all.saturating_add(1) }
        }
    }

    pub fn has_tripped(self) -> bool {
        self.in_a_row >= MOST_IN_A_ROW || self.in_all >= MOST_IN_ALL
    }
}
