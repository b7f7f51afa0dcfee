//! The commands that are known: which options and operands each one has, and what they do.
//!
//! Only rows, and judges for arguments that are a language of their own; everything that reads a command text and applies a
//! row is in [`fore_shell`]. These rows change more often than anything else, so nothing but the program itself stands on this
//! crate: it hands [`CATALOGUE`] to whoever judges.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::wildcard_enum_match_arm)]

pub mod git;
mod grammar;
mod languages;
mod tables;

use fore_shell::catalogue::Catalogue;

/// All commands that are known.
pub static CATALOGUE: Catalogue = Catalogue::new(tables::FAMILIES);
