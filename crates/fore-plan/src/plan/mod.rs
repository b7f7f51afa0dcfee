//! Plans: their names, folders, revisions, differences, and what to note about them.

mod hash;
mod record;

pub use hash::{Hash, NotAHash};
pub use record::{Author, MOST_PLAN_BYTES, PlanId, PlanRecord, Revision, Seen, Stage};
