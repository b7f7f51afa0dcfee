//! Plans: their names and folder, revisions and differences, and the check before a person reads one.

mod citation;
mod hash;
mod outline;
mod record;
mod words;

pub mod check;
pub mod diff;
pub mod directory;
pub mod slug;

pub use check::{Note, NoteCode, Severity, check};
pub use diff::{PlanDiff, diff};
pub use directory::{Candidate, Decision, DirectoryFacts, Found};
pub use hash::{Hash, NotAHash};
pub use record::{Author, MOST_PLAN_BYTES, PlanId, PlanRecord, Revision, Seen, Stage};
pub use slug::{AgentId, NoFreeSlug, PlanFileName, Slug, choose, choose_describing};
