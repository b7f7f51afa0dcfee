//! The scripted server seen from outside, over plain TCP: what it sends, what it refuses, how it fails.

#![expect(clippy::unwrap_used, reason = "a broken step of the story fails the test")]

mod client;
mod faults;
mod requests;
mod rules;
mod scripts;
mod streams;
mod turns;
mod workspaces;
