//! The plan mode as whole stories and tables; what one file alone decides is tested beside it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken story fails the test")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test looks at one case and decides nothing")]

mod approval;
mod auto;
mod edits;
mod gate;
mod gate_matrix;
mod random_stories;
mod reminders;
mod slash_plan;
mod spelling;
mod support;
mod team;
mod test_list;
mod ways_out;
