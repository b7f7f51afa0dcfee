//! The terminal as a machine without I/O: events and keys in, lines and acts out.
