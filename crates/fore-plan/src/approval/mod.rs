//! Entering and leaving plan mode by tool: proposals, answers, receipts, and what the model is told of them.

mod answer;
pub mod batch;
pub mod enter;
mod exit;
mod host;
mod proposal;
mod receipt;
pub mod text;

pub use answer::{Answered, ApprovalAnswer, Choice, ChosenLevel, answer, cancelled};
pub use enter::{Caller, Entering, Reachable};
pub use exit::{ExitCall, Exiting, OnDisk, ReadyProposal, exit};
pub use host::{ExitRequest, ExitResponse, Offer, offers};
pub use proposal::{Approver, Comment, Proposal};
pub use receipt::{Decider, GrantScope, Receipt, RequestId, Timestamp};
