//! The conversation on the screen: events become blocks, blocks become lines. It decides nothing.
