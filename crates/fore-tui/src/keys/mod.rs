//! Which key means what, by name and rebindable. It does nothing with the meaning.
