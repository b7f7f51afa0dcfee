//! Pages of events and what a person sees of them.
