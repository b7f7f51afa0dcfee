//! Entering and leaving plan mode by tool: proposals, answers, receipts, and what the model is told of them.

pub mod amend;
mod answer;
mod batch;
pub mod enter;
mod exit;
mod host;
mod proposal;
mod quote;
mod receipt;
mod text;

pub use answer::{
    Answered, ApprovalAnswer, Choice, ChosenLevel, OfferedContract, ReadsContract, answer, cancelled, offered_contract,
};
pub use batch::{BatchOrder, order};
pub use enter::{Caller, Entering, Reachable};
pub use exit::{ExitCall, Exiting, OnDisk, ReadyProposal, exit};
pub use host::{ExitRequest, ExitResponse, GrantChanges, Offer, OfferKind, SelectedOffer, offers};
pub use proposal::{Approver, Comment, Proposal};
pub use quote::{find_quote, quote};
pub use receipt::{Decider, GrantScope, Receipt, RequestId, Timestamp};
pub use text::{ApprovalText, Approved, Offered, ToldVerdict, plan_in_start};
