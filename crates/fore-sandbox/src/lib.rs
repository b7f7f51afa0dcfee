//! Runs a permit inside a kernel cage.
