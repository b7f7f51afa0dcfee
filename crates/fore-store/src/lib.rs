//! Keeps transcripts, plans and the audit log so that a crash loses at most one entry.
//!
//! The only crate that writes our own state. It writes nothing that a model asked for and starts no process.
//!
//! | in `~/.forethought` | what it is |
//! |---|---|
//! | `sessions/{id}.jsonl` | a transcript, one entry a line, only appended to; also a prompt that was taken back stays in it |
//! | `sessions/{id}.jsonl.torn-{n}` | a last line that was not written to its end, cut off and kept |
//! | `sessions/{id}.holder` | who has the session open, for people; the lock on the transcript decides |
//! | `sessions/{id}.before` | what the workspace looked like when planning began |
//! | `sessions/{id}.named` | the files that its plan names, as the work left them |
//! | `plans/{slug}.md` | a plan, unless the project keeps its plans itself |
//! | `claims/{slug}.claim` | which session a plan name belongs to, locked while it lives |
//! | `revisions/{hash}.md` | every recorded version of every plan |
//! | `revisions/{hash}.{project}.named` | the files that it names, as they were when it was proposed for that project |
//! | `trusted.json`, `trusted.lock` | the folders that the person trusts |
//! | `trusted/{hash}.json` | what the settings of such a folder said when it was trusted |
//! | `logins.json`, `logins.lock`, `logins-renewal.lock` | what MCP servers gave after a login, by address; secret. Where there is a keyring only that it is there |
//! | `vouches.json`, `vouches.lock` | MCP servers, their tools and hooks that the person vouched for by their content, by project |
//! | `allowed.json`, `allowed.lock` | the commands that the person allowed for good, by project |
//! | `outputs/{id}/{n}.txt` | the full text of outputs that were too long for the model |
//! | `settings.json` | the person's settings; written only when they choose a model |
//! | `history/{hash}.jsonl`, `history/history.lock` | what the person asked in a project, the newest 500 |
//! | `drafts/{id}.json` | what the person wrote about a plan that waits, and has not sent |
//! | `undo/{hash}/{id}.turn`, `undo/{hash}/contents/` | what files of a project held before a turn of the agent changed them, bounded in age and size |
//! | `teams/{team}/` | what a team of agents keeps; `fore-team` says what is in it |
//! | `usage/{day}.jsonl` | what each answer of that day came to; days are counted from 1970 in UTC, the newest 400 are kept |
//! | `scratch/{id}/{name}.md` | a text while the person edits it |
//! | `tips.json`, `tips.lock` | how many sessions were started, and which tip was shown when |
//! | `audit.jsonl`, `audit.{n}.jsonl` | every decision of all sessions with who made it (`verdict`, `by`), every mode change, refused ones too |
//! | `audit.lock` | held while a full log is put aside; no line waits for it |
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::wildcard_enum_match_arm)]
#![cfg_attr(
    test,
    expect(clippy::disallowed_methods, reason = "tests put files and links in the way of the code under test")
)]

pub mod agent_settings;
pub mod always_allowed;
pub mod audit;
mod claim;
pub mod entry;
mod error;
mod fold;
mod folder;
pub mod history;
mod home;
mod keyring;
mod lock;
pub mod named_files;
mod outputs;
mod own_folder;
pub mod own_settings;
pub mod plan_file;
pub mod plan_list;
mod replace;
mod revisions;
mod scratch;
pub mod server_logins;
pub mod session;
pub mod snapshot;
#[cfg(test)]
mod tests;
pub mod tips;
mod transcript;
pub mod trust;
mod undo_folder;
pub mod unsent_review;
mod usage_journal;
pub mod vouches;

#[cfg(test)]
extern crate self as fore_store;

pub use claim::Claim;
pub use entry::{Entry, EntryBody, EntryId, SessionId};
pub use error::{Cause, LockHolder, Result, StoreError, UnexpectedFile};
pub use fold::{FoldReport, FoldUntil, FoldedTranscript, Torn};
pub use home::{HOME_VARIABLE, Home};
pub use outputs::{OutputFile, Outputs};
pub use own_folder::OwnFolder;
pub use plan_file::PlanFolder;
pub use scratch::Scratch;
pub use session::{Session, SessionFolders, SessionStart};
pub use trust::TrustedFolders;
pub use undo_folder::{HeldLook, KeepOutcome, KeptTurn, UndoFolder};
pub use unsent_review::UnsentReview;
pub use usage_journal::UsageLine;
