//! Whole lives of sessions and their files; what one file alone does is tested beside it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test looks at one case and decides nothing")]

mod golden;
mod lists;
mod plans;
mod races;
mod random;
mod rewind;
mod support;
mod transcripts;
