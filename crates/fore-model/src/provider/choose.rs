//! Turns `provider/name`, settings and environment into one receiver: where to send, how, and with which key.

use std::fmt;
use std::time::Duration;

use super::{ModelFacts, PROVIDERS, Provider, facts, provider};
use crate::auth::{Auth, AuthKey};
use crate::endpoint::{BadUrl, Endpoint};
use crate::event::ModelName;
use crate::protocol::{DEFAULT_OUTPUT_TOKENS, MAX_REQUESTED_TOKENS, Protocol};
use crate::request::Thinking;
use crate::secret::{KeySource, Secret};
use fore_text::spelling::nearest;

/// What a person set for a provider. Everything is optional.
#[derive(Clone, Default)]
pub struct ProviderSettings {
    /// Another address than the provider's own.
    pub base_url: Option<String>,
    /// Another protocol than the provider's own.
    pub protocol: Option<Protocol>,
    /// Found by the caller: the output of `apiKeyCommand`, the keyring, or the settings themselves. Wins over variables.
    pub key: Option<(Secret, KeySource)>,
    /// Sent with every request; the values are treated as secrets.
    pub headers: Vec<(String, Secret)>,
    /// What is asked of its answers.
    pub answers: AnswerOptions,
}

/// What a person wants of the answers of a server. Everything is optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerOptions {
    /// How much the model can read and write in one request; else the server or the table is asked.
    pub context_tokens: Option<u64>,
    /// The most that it may write in one answer.
    pub output_limit: Option<u32>,
    /// What it costs, by the person's own word.
    pub price: Option<super::Price>,
    /// How much chance there is in an answer.
    pub temperature: Option<f64>,
    /// The share of likely words that are considered.
    pub top_p: Option<f64>,
    /// How much the model should reason where a request does not say.
    pub thinking: Thinking,
    /// Patience until the first piece of an answer.
    pub first_piece: Option<Duration>,
    /// Patience between two pieces.
    pub between_pieces: Option<Duration>,
    /// Fields that are sent besides.
    pub extra: serde_json::Map<String, serde_json::Value>,
}

impl fmt::Debug for ProviderSettings {
    /// People put keys into URLs, so the base URL is only said to be there.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ProviderSettings")
            .field("base_url", &self.base_url.as_ref().map(|_| "[set]"))
            .field("protocol", &self.protocol)
            .field("key", &self.key)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

/// A model that can be talked to.
#[derive(Clone, Debug)]
pub struct ChosenModel {
    /// What it is called.
    pub name: ModelName,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// What is known about it.
    pub facts: Option<&'static ModelFacts>,
    pub(crate) provider: &'static Provider,
    pub(crate) endpoint: Endpoint,
    pub(crate) key: Option<AuthKey>,
    pub(crate) headers: Vec<(String, Secret)>,
    /// What the person wants of its answers.
    pub options: AnswerOptions,
    /// Whether it answers elsewhere than at its provider's own address.
    pub(crate) is_moved: bool,
}

impl ChosenModel {
    /// The same model, asked to reason so much, whatever was set up.
    pub fn with_thinking(mut self, thinking: Thinking) -> ChosenModel {
        self.options.thinking = thinking;
        self
    }

    /// The most that is asked for in one answer, whatever the window.
    pub(crate) fn output_limit(&self) -> u32 {
        let known = self.facts.and_then(|facts| facts.output_limit).map(|limit| limit.min(MAX_REQUESTED_TOKENS));
        let unknown = match self.protocol {
            // Within reach of every model of this protocol that still answers; the field cannot be left out.
            Protocol::AnthropicMessages => DEFAULT_OUTPUT_TOKENS / 2,
            Protocol::OpenAiResponses | Protocol::ChatCompletions | Protocol::Gemini => DEFAULT_OUTPUT_TOKENS,
        };
        self.options.output_limit.or(known).unwrap_or(unknown)
    }

    /// Where requests go, without anything secret in it.
    #[must_use]
    pub fn address(&self) -> String {
        self.endpoint.shown()
    }

    /// Whether it answers on a server that the person runs or named, not at its provider's.
    pub(crate) fn is_at_own_server(&self) -> bool {
        self.is_moved || self.provider.keyless
    }

    /// Whether a program answers that runs models and is paid for by nobody; a server with a name of its own may be a gateway.
    pub(crate) fn is_runtime(&self) -> bool {
        self.provider.keyless && self.provider.base_url.is_some()
    }

    /// Host and port, for people.
    pub(crate) fn place(&self) -> String {
        self.endpoint.place()
    }

    /// Where its key was found.
    #[must_use]
    pub fn key_source(&self) -> KeySource {
        self.key.as_ref().map_or(KeySource::Nowhere, |key| key.source.clone())
    }

    /// Every secret that travels with a request, to be scrubbed from what comes back.
    pub(crate) fn scrub(&self, text: &str) -> String {
        let mut text = self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.secret.scrub(text));
        for (_, value) in &self.headers {
            text = value.scrub(&text);
        }
        self.endpoint.scrub(&text)
    }
}

/// Why a name did not lead to a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what it is")]
pub enum NameError {
    #[error("unknown provider {given:?}{}; known providers: {}", Suggestion(.near), known())]
    UnknownProvider { given: String, near: Vec<String> },
    #[error("{given:?} names no provider; write provider/name, with one of: {}", known())]
    NoProvider { given: String },
    #[error("{provider} needs a model name after the slash")]
    NoName { provider: String },
    #[error("{provider} needs a base URL in the settings")]
    NoBaseUrl { provider: String },
    #[error("no key for {provider}: set {variables}, or apiKeyCommand in the settings")]
    NoKey { provider: String, variables: String },
    #[error("the base URL cannot be used: {why}")]
    BadUrl { why: String },
}

impl From<BadUrl> for NameError {
    fn from(BadUrl { why }: BadUrl) -> NameError {
        NameError::BadUrl { why }
    }
}

struct Suggestion<'a>(&'a [String]);

impl fmt::Display for Suggestion<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(formatter, " (did you mean {}?)", self.0.join(" or ")) }
    }
}

fn known() -> String {
    PROVIDERS.iter().map(|provider| provider.id).collect::<Vec<_>>().join(", ")
}

/// Reads `provider/name`. A bare name is accepted when exactly one provider of the table has it.
pub fn parse_name(given: &str) -> Result<ModelName, NameError> {
    let given = given.trim();
    let Some((before, name)) = given.split_once('/') else {
        return bare(given);
    };
    let Some(row) = provider(before) else {
        let near = nearest(before, PROVIDERS.iter().map(|provider| provider.id), 2);
        return Err(NameError::UnknownProvider { given: before.to_owned(), near });
    };
    if name.is_empty() {
        return Err(NameError::NoName { provider: row.id.to_owned() });
    }
    Ok(ModelName::new(row.id, name))
}

fn bare(given: &str) -> Result<ModelName, NameError> {
    if provider(given).is_some() {
        return Err(NameError::NoName { provider: given.to_owned() });
    }
    let mut rows = PROVIDERS.iter().filter(|row| facts(row.id, given).is_some());
    match (rows.next(), rows.next()) {
        (Some(row), None) => Ok(ModelName::new(row.id, given)),
        _ => Err(NameError::NoProvider { given: given.to_owned() }),
    }
}

/// Finds everything that is needed to talk to a model. `variable` looks into the environment; empty values count as unset.
pub fn choose(
    name: &ModelName,
    settings: &ProviderSettings,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<ChosenModel, NameError> {
    // A server of the person's own has a name of its own; its address says how it is reached.
    let own = || provider("custom").filter(|_| settings.base_url.is_some());
    let row = provider(name.provider()).or_else(own).ok_or_else(|| NameError::UnknownProvider {
        given: name.provider().to_owned(),
        near: nearest(name.provider(), PROVIDERS.iter().map(|provider| provider.id), 2),
    })?;
    let set = |wanted: &str| variable(wanted).filter(|value| !value.trim().is_empty());
    let elsewhere = settings
        .base_url
        .clone()
        .or_else(|| row.base_url_variables.iter().find_map(|wanted| set(wanted).map(|value| placed(wanted, value))));
    let moved = elsewhere.as_deref().is_some_and(|url| Some(url.trim_end_matches('/')) != row.base_url);
    let protocol = settings.protocol.or(row.elsewhere.filter(|_| moved)).unwrap_or(row.protocol);
    let base = elsewhere
        .or_else(|| row.base_url.map(str::to_owned))
        .ok_or_else(|| NameError::NoBaseUrl { provider: row.id.to_owned() })?;
    let endpoint = Endpoint::new(&base, protocol)?;
    let key = find_key(row, settings, &set);
    if key.is_none() && !row.keyless && settings.headers.is_empty() {
        let variables: Vec<&str> = row.key_variables.iter().map(|(name, _)| *name).collect();
        return Err(NameError::NoKey { provider: row.id.to_owned(), variables: variables.join(" or ") });
    }
    Ok(ChosenModel {
        name: name.clone(),
        protocol,
        facts: facts(name.provider(), name.name()),
        provider: row,
        endpoint,
        key,
        headers: settings.headers.clone(),
        options: settings.answers.clone(),
        is_moved: moved,
    })
}

/// A variable that names a host, with a scheme or without, means the usual place of the interface there.
fn placed(variable: &str, value: String) -> String {
    let trimmed = value.trim().trim_end_matches('/');
    match trimmed.split_once("://") {
        Some((_, host)) if variable.ends_with("_HOST") && !host.contains('/') => format!("{trimmed}/v1"),
        _ => value,
    }
}

fn find_key(row: &Provider, settings: &ProviderSettings, set: &dyn Fn(&str) -> Option<String>) -> Option<AuthKey> {
    if let Some((secret, source)) = settings.key.as_ref().filter(|(secret, _)| !secret.is_empty()) {
        return Some(AuthKey { secret: secret.clone(), source: source.clone(), auth: row.auth });
    }
    row.key_variables.iter().find_map(|(name, auth): &(&str, Auth)| {
        let secret = Secret::new(&set(name)?);
        Some(AuthKey { secret, source: KeySource::Variable((*name).to_owned()), auth: *auth })
    })
}

#[cfg(test)]
#[path = "choose_tests.rs"]
mod tests;
