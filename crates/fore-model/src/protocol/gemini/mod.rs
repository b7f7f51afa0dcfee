//! Gemini `streamGenerateContent`: contents made of parts, whole function calls, signatures on parts.

pub(crate) mod decode;
pub(crate) mod encode;

/// Ids we make up for calls the server gave none; they pair call and result here and are never sent back.
const OWN_ID: &str = "fore-";
