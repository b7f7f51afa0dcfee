//! The one loop: turns, context, tools, subagents, sessions.
//!
//! Front ends send [`Command`]s and receive [`Event`]s; none of them calls a model or a tool.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::wildcard_enum_match_arm)]

pub mod agents;
mod budget;
mod cancel;
mod classifier;
mod command;
mod compaction;
mod context;
mod control;
pub mod custom;
mod disk;
mod document;
mod event;
mod event_channel;
mod form;
mod launch;
mod lock;
#[doc(hidden)]
pub mod measure;
mod memory;
mod model_handle;
mod named_files;
mod output;
mod proof;
mod repetition;
pub mod scout;
mod session;
mod settings;
mod skills;
mod spent;
mod tools;
mod turn;
mod undo;
mod unsaved;
pub mod walk;

pub use budget::BudgetAmount;
pub use command::{
    Command, CommandLine, CommandReceiver, CommandSender, DutyName, FormAnswer, PromptTiming, QuestionId, Reply,
    Unsent, command_queue,
};
pub use disk::{Disk, project_of};
pub use event::{
    AgentId, AgentRow, ApprovalAsked, ApprovalOutcome, CallId, CallOutcome, ContextCutReason, ContextUse, Event,
    McpResourceRow, McpServerRow, McpServerState, McpToolRow, McpVouchShown, McpVouchState, McpWish, NoticeLevel,
    PermissionRequest, Proof, SandboxGaps, SessionStarted, ShownBody, ShownCall, SkillRow, StartedModels,
    TeamMemberRow, TeamWish, TurnOutcome,
};
pub use form::{Form, FormOption, FormQuestion};
pub use launch::{Begin, Launch, StalePlan};
pub use memory::Memory;
pub use model_handle::{ModelHandle, ModelHandles, RemoteModel};
pub use named_files::{FileMove, MovedFile};
pub use session::{
    Handle, HookProcess, HookReceipt, ProbedServer, StartError, contract_of, hash_of_hook_file, hook_action,
    probe_server, replay, start, start_with, writable_for_hooks,
};
pub use settings::{McpOrigin, McpServerSetting, SessionSettings, SettingDifference, SettingsRead, SettingsReader};
pub use spent::{Cost, SpendingReport, Spent, WorkEstimate};
pub use undo::{UndoDirection, UndoDone, UndoFile, UndoFileState, UndoPlan, Undoer, undo_opener};
pub use unsaved::UnsavedText;
