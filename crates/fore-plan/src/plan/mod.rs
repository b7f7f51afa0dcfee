//! Plans: their names and folder, revisions and differences, and the check before a person reads one.

pub(crate) mod citation;
mod hash;
mod name_words;
pub(crate) mod outline;
mod record;

mod check;
mod diff;
mod directory;
mod slug;
mod steps;

pub use check::{CheckNote, NoteCode, Severity, check};
pub use diff::{PlanDiff, diff};
pub use directory::{DirectoryCandidate, DirectoryFacts, DirectoryRefusal, FoundDirectory};
pub use hash::{Hash, NotAHash};
pub use record::{Author, MAX_PLAN_BYTES, PlanId, PlanRecord, PlanStage, Revision, ShownPlan};
pub use slug::{AgentFileId, PlanFileName, Slug};
pub use steps::{PlanStep, left_out_words, only_steps, steps};

pub(crate) use check::names_verification;
