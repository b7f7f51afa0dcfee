//! Turns `provider/name`, settings and environment into one receiver: where to send, how, and with which key.

use std::fmt;

use super::{ModelFacts, PROVIDERS, Provider, facts, nearest, provider};
use crate::auth::{Auth, AuthKey};
use crate::endpoint::{BadUrl, Endpoint};
use crate::event::ModelName;
use crate::protocol::Protocol;
use crate::secret::{KeySource, Secret};

/// What a person set for a provider. Everything is optional.
#[derive(Clone, Default)]
pub struct ProviderSettings {
    pub base_url: Option<String>,
    pub protocol: Option<Protocol>,
    /// Found by the caller: the output of `apiKeyCommand`, the keyring, or the settings themselves. Wins over variables.
    pub key: Option<(Secret, KeySource)>,
    /// Sent with every request; the values are treated as secrets.
    pub headers: Vec<(String, Secret)>,
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
            .finish()
    }
}

/// A model that can be talked to.
#[derive(Clone, Debug)]
pub struct ChosenModel {
    pub name: ModelName,
    pub protocol: Protocol,
    pub facts: Option<&'static ModelFacts>,
    pub(crate) provider: &'static Provider,
    pub(crate) endpoint: Endpoint,
    pub(crate) key: Option<AuthKey>,
    pub(crate) headers: Vec<(String, Secret)>,
}

impl ChosenModel {
    /// Where requests go, without anything secret in it.
    #[must_use]
    pub fn address(&self) -> String {
        self.endpoint.shown()
    }

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
    #[error(transparent)]
    BadUrl(#[from] BadUrl),
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
    let row = provider(name.provider()).ok_or_else(|| NameError::UnknownProvider {
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
