//! Builds requests: a prefix whose bytes stay the same from turn to turn, and the user message that is being put together.

mod conversation;
mod lean;
mod present;
mod rebuild;
mod system;

pub(crate) use conversation::{Conversation, Heads};
pub(crate) use lean::{SMALL_WINDOW, lean_prompt, lean_tools};
pub(crate) use present::present;
pub(crate) use rebuild::{input_of, is_sendable, rebuild};
pub(crate) use system::{SystemFacts, agent_prompt, system_prompt};
