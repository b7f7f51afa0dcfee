//! Hooks: what they are, what they are told, and what their answers may do. Nothing here runs one.
//!
//! While planning a hook can only make things stricter ([`combine`]); what a repository's hook is vouched for by is
//! [`Hook::content`].
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::wildcard_enum_match_arm)]

mod definition;
mod event;
mod matcher;
mod occasion;
mod reading;
mod reply;
mod script;
mod standing;
mod verdict;

pub use definition::{Hook, HookOrigin, HookRunner, OnFailure};
pub use event::HookEvent;
pub use matcher::HookMatcher;
pub use occasion::{HookOccasion, HookSession, HookedAgent, HookedCall};
pub use reading::{HookFault, read_groups, read_hooks};
pub use reply::{HookAnswer, HookDecision, HookEnding, HookReply};
pub use standing::{ConfiguredHook, HookSettings, HookStanding};
pub use verdict::{HookVerdict, VerdictDecision, combine};
