//! OpenAI Responses: a list of items, encrypted reasoning, nothing stored on the server.

pub(crate) mod decode;
pub(crate) mod encode;
