//! Teams of several machines, kept by a PostgreSQL server. What counts is in transactions there; who writes is known by the login.

mod check;
mod line;
mod place;
mod refused;
mod url;

pub use check::{ServerFinding, check_server, server_setup_sql, set_up_server};
pub(crate) use place::{ServerPlace, open, overview, start, teams};
pub use url::ServerUrl;

/// What the server keeps and what it lets members do.
const SCHEMA: &str = include_str!("schema.sql");
/// The version of it that this program speaks.
const SCHEMA_VERSION: i32 = 1;
/// The role that may call the functions; every member's login has it.
const MEMBER_ROLE: &str = "fore_team_member";
