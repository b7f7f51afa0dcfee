//! How bytes of a response are cut into frames; today server-sent events for every protocol.

pub(crate) mod sse;
