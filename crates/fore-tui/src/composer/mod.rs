//! Where the person writes: several lines, history, completion. It sends nothing itself.
