//! What is known of git itself, whatever subcommand is asked: settings that run programs, how they are switched off, addresses.

pub mod address;
pub mod hardening;
pub mod keys;
pub mod probe;
pub mod signatures;
