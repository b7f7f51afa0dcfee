//! Pages of keys: what stands in the composer, what is sent, what is seen.
