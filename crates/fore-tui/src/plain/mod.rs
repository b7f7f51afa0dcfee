//! The terminal without a live area, for screen readers and dumb terminals: lines in, lines out.
