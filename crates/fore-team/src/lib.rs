//! What a team keeps, and how messages travel: members, mail, tasks, requests for approval and decisions.
//!
//! [`TeamStore`] says where a team is: on this machine in the home, or on a PostgreSQL server for several machines. [`Membership`] is one member's
//! own way into a team; only one process has it at a time, and whatever it writes is written in that member's name.
//!
//! A message is handed out ([`Membership::claim`]), its effect is recorded by the reader under the message's id, and only then it is
//! removed ([`Membership::done`]). Whoever dies in between gets it again, and finds the id in its own record. So nothing is lost, and nothing has
//! two effects. A request is decided once, for the bytes that were shown.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::wildcard_enum_match_arm)]

mod error;
mod local;
mod mail;
mod membership;
mod name;
mod request;
mod roster;
mod server;
mod store;
mod task;

pub use error::{TeamError, TeamResult};
pub use mail::{ClaimedMail, MailBody, MessageId, Outgoing, SendOutcome, SetAside, TeamMessage};
pub use membership::Membership;
pub use name::{MemberName, TeamName};
pub use request::{DecisionDraft, DecisionOutcome, PlanDecision, PlanRequest, RequestVerdict};
pub use roster::{MemberActivity, MemberRole, MemberStatus, NewMember, RosterMember, TeamOverview};
pub use server::{ServerFinding, ServerUrl, check_server, server_setup_sql, set_up_server};
pub use store::TeamStore;
pub use task::{NewTask, TaskId, TeamTask, TeamTaskState};
