//! The small languages inside arguments: sed, awk, find, jq. Each parser is total: what it does not know is unknown.

pub mod awk;
mod brackets;
pub mod find;
pub mod jq;
pub mod sed;
