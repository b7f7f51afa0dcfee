//! The small languages inside arguments: sed, awk, find, jq. Each parser is total: what it does not know is unknown.

pub(crate) mod awk;
mod brackets;
pub(crate) mod find;
pub(crate) mod jq;
pub(crate) mod sed;
