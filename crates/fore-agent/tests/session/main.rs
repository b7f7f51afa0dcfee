//! Whole conversations with the real loop: a scripted model on one side, commands on the other, events as a page.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it is wrong")]

mod audit;
mod budget;
mod children;
mod custom;
mod edits;
mod golden;
mod leftovers;
mod plan_writers;
mod planning;
mod prefix;
mod questions;
mod races;
mod receipt;
mod replay;
mod rewind;
mod screen;
mod support;
mod team;
mod turns;
mod worst_moments;
