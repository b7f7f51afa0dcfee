//! Whole conversations with the real loop: a scripted model on one side, commands on the other, events as a page.

mod planning;
mod support;
mod turns;
