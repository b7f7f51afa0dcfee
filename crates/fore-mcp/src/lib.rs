//! Speaks with MCP servers: reads how people configure them, connects over pipes and HTTP, and hands on what they offer in bounded values of ours.
//!
//! It starts no process (pipes are handed in), keeps no file (tokens are kept by a [`TokenStore`]), asks nobody (an
//! [`ElicitationHandler`] does) and decides nothing about permission. No type of the protocol library is visible outside.
//! Whatever a server says is its claim: names and texts that are to be read go through `fore-text`, and everything has a bound.

#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::wildcard_enum_match_arm)]

mod alias;
mod config;
mod connection;
mod content;
mod elicitation;
mod entry;
mod events;
mod fault;
mod login;
mod offers;
mod schema;
mod tool;

pub use alias::tool_alias;
pub use config::{ConfigFault, McpFileFormat, ServerFile, server_entries, server_entry};
pub use connection::{CallOptions, ConnectOptions, HttpOptions, McpConnection, ServerIdentity};
pub use content::{McpContent, McpProgress, McpResult};
pub use elicitation::{Elicitation, ElicitationAnswer, ElicitationHandler, FormField, FormFieldKind};
pub use entry::{ExpandedEntry, ServerEntry, ServerTransport};
pub use events::{McpEvent, McpEvents};
pub use fault::{CallFate, McpFault, McpFaultKind};
pub use login::{LoginClient, LoginHandler, LoginTokens, TokenStore};
pub use offers::{McpPrompt, McpPromptArgument, McpPromptMessage, McpPromptText, McpResource, PromptRole};
pub use schema::{ProviderSchema, SchemaFault, provider_schema};
pub use tool::{LeftOutTool, McpTool, McpToolList};
