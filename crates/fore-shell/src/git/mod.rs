//! What is known of git itself, whatever subcommand is asked: settings that run programs, how they are switched off, addresses.

mod address;
pub mod hardening;
mod keys;
pub mod probe;
mod signatures;

pub use address::of_address;
pub use keys::{INDEX_HOOK, SettingClass};
pub use signatures::{checks_signatures, is_signature_field};
