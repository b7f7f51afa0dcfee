//! Which git commands only read, and what a repository can make them do.
