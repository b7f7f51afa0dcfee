//! Talks to language models: one stream of events from several wire protocols.
