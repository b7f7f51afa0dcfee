//! Plans: their names and folder, revisions and differences, and the check before a person reads one.

mod citation;
mod hash;
mod name_words;
mod outline;
mod record;

pub mod check;
pub mod diff;
pub mod directory;
pub mod slug;

pub use check::{CheckNote, NoteCode, Severity, check};
pub use diff::{PlanDiff, diff};
pub use directory::{DirectoryCandidate, DirectoryDecision, DirectoryFacts, FoundDirectory};
pub use hash::{Hash, NotAHash};
pub use record::{Author, MAX_PLAN_BYTES, PlanId, PlanRecord, PlanStage, Revision, ShownPlan};
pub use slug::{AgentFileId, NoFreeSlug, PlanFileName, Slug, choose, choose_describing};
