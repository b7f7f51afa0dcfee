//! Plans: their names and folder, what changed between two versions, and the check before a person reads one.

mod citation;
mod outline;
mod words;

pub mod check;
pub mod diff;
pub mod directory;
pub mod slug;

pub use check::{Note, NoteCode, Severity, check};
pub use diff::{PlanDiff, diff};
pub use directory::{Candidate, Decision, DirectoryFacts, Found};
pub use slug::{AgentId, NoFreeSlug, PlanFileName, Slug, choose, choose_describing};
