//! A plan in a browser: read, commented on and answered on a page that this machine alone can reach.
//!
//! The page is a front end like the terminal: it reads the same events and sends the same commands, and there is no other way from it to
//! an approval. It listens on loopback only, for whoever has the token of the request; the token dies with the decision.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::wildcard_enum_match_arm)]

mod answer;
mod difference;
mod draft;
mod export;
mod library;
mod markdown;
mod markup;
mod server;
mod site;
mod source_lines;
mod token;
mod view;

pub use export::{CommentFile, MAX_COMMENT_FILE_BYTES, export_html};
pub use library::{LibraryEntry, LibraryText, ReviewLibrary, read_library};
pub use site::{ReviewHost, ReviewSite};
