//! Talks to language models: one stream of events from several wire protocols. Knows nothing of the other crates.
//!
//! Protocol × endpoint × auth × framing are four small parts; a provider is a table row that names one of each.
//! ```no_run
//! # async fn ask() -> Result<(), Box<dyn std::error::Error>> {
//! use fore_model::{Client, ClientLimits, Message, ModelRequest, ProviderSettings, RequestHead, choose, parse_name};
//! let name = parse_name("ollama/qwen3")?;
//! let model = choose(&name, &ProviderSettings::default(), &|variable| std::env::var(variable).ok())?;
//! let history = [Message::user("Why is login slow?")].into_iter().collect();
//! let request = ModelRequest::new(RequestHead::new("", vec![]), history);
//! let mut events = Client::new(ClientLimits::default(), None)?.stream(&model, &request).await?;
//! while let Some(event) = events.next().await {
//!     println!("{:?}", event?);
//! }
//! # Ok(()) }
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod answer;
mod auth;
mod block;
mod client;
mod endpoint;
mod error;
mod event;
mod fault;
mod framing;
mod history;
mod local;
mod protocol;
mod provider;
mod request;
mod roles;
mod secret;
mod tokens;

#[doc(hidden)]
pub mod measure;

pub use answer::Answer;
pub use auth::Auth;
pub use block::{Arguments, Block, Image, Message, Reasoning, ResultPart, Role, Seal, TextBlock, ToolResult, ToolUse};
pub use client::{
    Client, ClientLimits, Clock, Events, Jitter, NoClient, OfferedModel, ProxyUrl, Retries, RetryNotice, Wait,
    install_tls,
};

pub use error::{Error, FailurePhase};
pub use event::{EventKind, ModelEvent, ModelName, StopReason, Usage};
pub use history::History;
pub use local::{LocalServer, probe};
pub use protocol::Protocol;
pub use provider::{
    AnswerOptions, ChosenModel, ModelFacts, NameError, PROVIDERS, Price, Provider, ProviderSettings, choose, facts,
    parse_name, provider,
};

pub use request::{CacheHint, CacheMarks, Effort, ModelRequest, RequestHead, Thinking, ToolChoice, ToolSchema};
pub use roles::Duty;
pub use secret::{KeySource, Secret};
pub use tokens::TokenCount;
