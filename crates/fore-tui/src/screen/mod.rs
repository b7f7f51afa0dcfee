//! The real terminal: raw mode, the live area beneath the scrollback, the full screen, resizing. It decides nothing.
