//! Builds requests: a prefix whose bytes stay the same from turn to turn, and the user message that is being put together.

mod rebuild;
mod system;
mod talk;

pub(crate) use rebuild::{input_of, is_sendable, rebuild};
pub(crate) use system::{Surroundings, agent_prompt, system_prompt};
pub(crate) use talk::Talk;
