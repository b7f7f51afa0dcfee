//! OpenAI Chat Completions, the protocol most other servers speak, each a little differently.

pub(crate) mod decode;
mod details;
pub(crate) mod encode;
mod think;
