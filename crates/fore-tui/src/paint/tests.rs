//! Documents and what a person sees of them.
