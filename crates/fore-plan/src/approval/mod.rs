//! Entering and leaving plan mode by tool: proposals, answers, receipts.

mod proposal;
mod receipt;

pub use proposal::{Approver, Comment, Proposal};
pub use receipt::{Decider, Receipt, RequestId, Scope, Timestamp};
