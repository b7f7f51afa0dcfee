//! Text to styled lines: Markdown, highlighted code, differences, wrapping. It knows nothing of sessions.
