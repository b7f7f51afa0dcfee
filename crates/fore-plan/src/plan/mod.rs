//! Plans: their names, folders, revisions, differences, and what to note about them.

pub mod directory;
mod hash;
mod record;
pub mod slug;
mod words;

pub use hash::{Hash, NotAHash};
pub use record::{Author, MOST_PLAN_BYTES, PlanId, PlanRecord, Revision, Seen, Stage};
