//! Keeps transcripts, plans and the audit log so that a crash loses at most one entry.
