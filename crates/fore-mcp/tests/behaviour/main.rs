//! What a connection does with servers of both eras: fake ones, over pipes and over HTTP, that say line by line what a test wants.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod asking;
mod calls;
mod config;
mod fake;
mod lists;
mod schemas;
mod start;
mod web;
