//! Anthropic Messages: typed content blocks, signed thinking, explicit cache marks.

pub(crate) mod decode;
pub(crate) mod encode;
