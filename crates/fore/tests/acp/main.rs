//! `fore acp`, spoken with by JSON lines over pipes as an editor does, against a scripted model.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "prepares the workspace of the program under test")]

mod choices;
mod editor;
#[path = "../support/model.rs"]
#[allow(dead_code, reason = "other tests use its other parts")]
mod model;
mod plans;
mod prompts;
mod protocol;
mod questions;
mod sessions;
#[path = "../support/mod.rs"]
mod support;
mod unsaved;
mod work;
