//! Which models a session uses: the flag, the settings, a key in the environment, or the scout. A server on this machine is offered and used only when
//! the person chose it. No model is ever put in the place of one that was asked for.

mod check;
mod defaults;
mod keys;
mod local;
mod offers;
mod owner;
mod variables;

use crate::settings::{PriceSection, ProviderSection, ReasoningEffort, SettingOrigin, Settings};
use anyhow::Context;
use fore_agent::{ModelHandle, ModelHandles, RemoteModel};
use fore_model::{
    AnswerOptions, Client, ClientLimits, Duty, Effort, KeySource, ModelName, NameError, Price, ProviderSettings,
    ProxyUrl, Secret, Thinking, choose, parse_name, provider,
};
use keys::KeyFinder;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

pub(crate) use check::{Reached, of_server, reached, run};
pub(crate) use local::{LocalServers, find as local_servers, said as local_server_said};
pub(crate) use offers::{is_used_anyway, missing, offers, small_beside};
pub(crate) use variables::{take_keys, variable};

/// The name that stands for the planner without a language model.
const SCOUT: &str = "scout";

/// The models of a session, why they were taken, and what the person should be told.
#[derive(Debug)]
pub(crate) struct SessionModels {
    pub(crate) handles: ModelHandles,
    pub(crate) picks: Vec<ModelPick>,
    pub(crate) notices: Vec<String>,
}

/// Which model has a duty, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModelPick {
    pub(crate) duty: Duty,
    /// As the person names it: `anthropic/claude-sonnet-5-5`, `scout`.
    pub(crate) name: String,
    pub(crate) why: String,
}

/// The models for these settings. `flag` is what follows `--model`: it is for everything.
///
/// It may ask servers on this machine and run a key command, so it takes a moment; it can be called from anywhere.
pub(crate) fn models(settings: &Settings, flag: Option<&str>) -> anyhow::Result<SessionModels> {
    let (picks, notices) = pick(settings, flag);
    let opener = Arc::new(ModelOpener::new(settings)?);
    let mut handles: BTreeMap<&str, ModelHandle> = BTreeMap::new();
    for pick in &picks {
        if !handles.contains_key(pick.name.as_str()) {
            let because = || format!("the model {} cannot be used ({})", pick.name, pick.why);
            let handle = opener.open(&pick.name).with_context(because)?;
            handles.insert(&pick.name, handle);
        }
    }
    let of = |duty: Duty| {
        let pick = picks.iter().find(|pick| pick.duty == duty);
        pick.and_then(|pick| handles.get(pick.name.as_str()).cloned()).unwrap_or(ModelHandle::Scout)
    };
    let (plan, act, small) = (of(Duty::Plan), of(Duty::Act), of(Duty::Small));
    let later = Arc::clone(&opener);
    let choose = Arc::new(move |name: &str| later.open(name).map_err(|error| words(&error)));
    Ok(SessionModels { handles: ModelHandles { plan, act, small, choose }, picks, notices })
}

fn words(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Decides by name alone; no key is looked for yet.
pub(crate) fn pick(settings: &Settings, flag: Option<&str>) -> (Vec<ModelPick>, Vec<String>) {
    let all = |name: &str, why: &str| {
        [Duty::Plan, Duty::Act, Duty::Small]
            .map(|duty| ModelPick { duty, name: name.to_owned(), why: why.to_owned() })
            .to_vec()
    };
    if let Some(name) = flag {
        return (all(name.trim(), "--model"), Vec::new());
    }
    let model = &settings.written.model;
    let set = [(Duty::Plan, &model.plan), (Duty::Act, &model.act), (Duty::Small, &model.small)];
    if set.iter().all(|(_, name)| name.is_none()) {
        return unset(settings, &all);
    }
    // Where only some are set, the acting model stands for the others; without one, what would be used anyway does.
    let (fallback, notices) = match &model.act {
        Some(name) => (all(name, &origin(settings, Duty::Act)), Vec::new()),
        None => unset(settings, &all),
    };
    let picks = set.into_iter().zip(fallback).map(|((duty, name), fallback)| match name {
        Some(name) => ModelPick { duty, name: name.clone(), why: origin(settings, duty) },
        None => fallback,
    });
    (picks.collect(), notices)
}

/// Nothing is set: a key in the environment, else the scout. Whoever listens on this machine would get every prompt, so a
/// server that is found is only offered.
fn unset(settings: &Settings, all: &dyn Fn(&str, &str) -> Vec<ModelPick>) -> (Vec<ModelPick>, Vec<String>) {
    let mut notices = Vec::new();
    for (row, variable) in defaults::with_a_key(&variable) {
        let Some(usual) = defaults::of(row.id) else {
            notices.push(format!("{variable} is set; to use it, name a model: --model {}/NAME", row.id));
            continue;
        };
        let why = format!("{variable} is set");
        let mut picks = all(&format!("{}/{}", row.id, usual.act), &why);
        if let (Some(small), Some(pick)) = (usual.small, picks.iter_mut().find(|pick| pick.duty == Duty::Small)) {
            pick.name = format!("{}/{small}", row.id);
        }
        return (picks, Vec::new());
    }
    let found = local::find(settings);
    notices.extend(found.servers.iter().map(offered));
    notices.extend(found.refused);
    let why = match found.servers.is_empty() {
        true => "no model is set, no key and no local server was found",
        false => "no model is set and no key was found",
    };
    (all(SCOUT, why), notices)
}

/// How to use a server that was found.
fn offered(server: &fore_model::LocalServer) -> String {
    let (provider, address) = (server.provider, server.address);
    match local::model_of(server) {
        Some(model) => format!(
            "a model server is running on {address} and is not used until you choose it: --model {provider}/{model}, /model in the terminal, or \"model\": {{\"act\": \"{provider}/{model}\"}} in ~/.forethought/settings.json"
        ),
        None => format!("{provider} on {address} has no model yet"),
    }
}

/// Where the name of a model was set.
fn origin(settings: &Settings, duty: Duty) -> String {
    let key = duty.to_string();
    let entry = settings.entries.iter().rev().find(|entry| entry.is_taken() && entry.key() == key);
    match entry.map(|entry| &entry.origin) {
        Some(SettingOrigin::Variable(name)) => (*name).to_owned(),
        Some(origin) => format!("{key} in {origin}"),
        None => key,
    }
}

/// Opens models by name, and keeps what it needed for that.
struct ModelOpener {
    providers: BTreeMap<String, ProviderSection>,
    /// What models cost by the person's own word.
    prices: BTreeMap<String, Price>,
    proxy: Option<ProxyUrl>,
    keys: KeyFinder,
    /// Providers whose address is the person's own word.
    named: Vec<String>,
    client: Mutex<Option<Client>>,
}

impl ModelOpener {
    fn new(settings: &Settings) -> anyhow::Result<ModelOpener> {
        Ok(ModelOpener {
            providers: section_map(settings),
            prices: own_prices(settings),
            proxy: settings.written.proxy.clone().map(ProxyUrl),
            keys: KeyFinder::new(settings)?,
            named: local::named(settings),
            client: Mutex::new(None),
        })
    }

    fn open(&self, name: &str) -> anyhow::Result<ModelHandle> {
        let name = name.trim();
        if [SCOUT, "scout/scout"].contains(&name) {
            return Ok(ModelHandle::Scout);
        }
        let name = self.parsed(name)?;
        let chosen = self.chosen(&name)?;
        Ok(ModelHandle::Remote(Box::new(RemoteModel { client: self.client()?, chosen })))
    }

    /// Reads `provider/name`, where the provider may be a server of the person's own.
    fn parsed(&self, given: &str) -> anyhow::Result<ModelName> {
        match given.split_once('/') {
            Some((server, name)) if provider(server).is_none() && self.providers.contains_key(server) => {
                anyhow::ensure!(!name.is_empty(), "{server} needs a model name after the slash");
                Ok(ModelName::new(server, name))
            }
            _ => Ok(parse_name(given).map_err(|error| self.with_own_servers(error))?),
        }
    }

    /// An error about an unknown provider names the person's own servers, too.
    fn with_own_servers(&self, error: NameError) -> anyhow::Error {
        let own: Vec<&str> =
            self.providers.keys().map(String::as_str).filter(|name| provider(name).is_none()).collect();
        match error {
            NameError::UnknownProvider { .. } if !own.is_empty() => {
                anyhow::anyhow!("{error}; your own servers: {}", own.join(", "))
            }
            error => error.into(),
        }
    }

    fn chosen(&self, name: &ModelName) -> anyhow::Result<fore_model::ChosenModel> {
        let written = self.providers.get(name.provider()).cloned().unwrap_or_default();
        let key = match named_key(&written) {
            Some(key) => Some(key),
            None => self.keys.find(name.provider(), written.api_key_command.as_deref())?,
        };
        let settings = ProviderSettings {
            answers: AnswerOptions { price: self.prices.get(&name.to_string()).copied(), ..answers(&written) },
            base_url: written.base_url,
            protocol: written.protocol,
            key,
            headers: written.headers.iter().map(|(name, value)| (name.clone(), Secret::new(value))).collect(),
        };
        let chosen = choose(name, &settings, &variable);
        let chosen = chosen.map_err(|error| anyhow::anyhow!(advised(error, name)))?;
        let id = name.provider();
        if let Some(address) = local::address(&chosen.address().to_string())
            && !self.named.iter().any(|named| named == id)
        {
            local::require_ours(id, address).map_err(|why| anyhow::anyhow!(why))?;
        }
        Ok(chosen)
    }

    fn client(&self) -> anyhow::Result<Client> {
        let mut made = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*made {
            return Ok(client.clone());
        }
        let client = Client::new(ClientLimits::default(), self.proxy.as_ref())?;
        Ok(made.insert(client).clone())
    }
}

/// What the person says that models cost. What is read from a cache costs a tenth where they do not say, and what is put into one a
/// quarter more, as with most providers.
pub(crate) fn own_prices(settings: &Settings) -> BTreeMap<String, Price> {
    let price = |written: &PriceSection| Price {
        input: written.input,
        output: written.output,
        cached_read: written.cached_read.unwrap_or(written.input / 10.0),
        cached_write: written.cached_write.unwrap_or(written.input * 1.25),
    };
    settings.written.model.prices.iter().map(|(name, written)| (name.clone(), price(written))).collect()
}

/// Providers and the person's own servers, by name.
fn section_map(settings: &Settings) -> BTreeMap<String, ProviderSection> {
    let model = &settings.written.model;
    let own = model.servers.iter().map(|(name, server)| (name.clone(), server.clone()));
    model.providers.clone().into_iter().chain(own).collect()
}

/// The key in the variable that the person named.
fn named_key(written: &ProviderSection) -> Option<(Secret, KeySource)> {
    let name = written.api_key_variable.as_deref()?;
    let value = variable(name).filter(|value| !value.trim().is_empty())?;
    Some((Secret::new(&value), KeySource::Variable(name.to_owned())))
}

/// What the person wants of the answers of a server.
fn answers(written: &ProviderSection) -> AnswerOptions {
    let thinking = match written.reasoning_effort {
        None => Thinking::Default,
        Some(ReasoningEffort::Off) => Thinking::Off,
        Some(ReasoningEffort::Low) => Thinking::Effort(Effort::Low),
        Some(ReasoningEffort::Medium) => Thinking::Effort(Effort::Medium),
        Some(ReasoningEffort::High) => Thinking::Effort(Effort::High),
    };
    AnswerOptions {
        context_tokens: written.context_tokens,
        output_limit: written.max_output_tokens,
        price: None,
        temperature: written.temperature,
        top_p: written.top_p,
        thinking,
        first_piece: written.first_piece_seconds.map(Duration::from_secs),
        between_pieces: written.silence_seconds.map(Duration::from_secs),
        extra: written.extra_body.clone(),
    }
}

/// Why a name leads to no model, with what to set.
fn advised(error: NameError, name: &ModelName) -> String {
    let group = if provider(name.provider()).is_some() { "providers" } else { "servers" };
    let key = format!("model.{group}.{}", name.provider());
    match error {
        NameError::NoKey { provider, variables } => format!(
            "no key for {provider}: set {variables}, or {key}.apiKeyCommand in ~/.forethought/settings.json{}",
            keys::keyring_advice(&provider)
        ),
        NameError::NoBaseUrl { provider } => format!("{provider} needs an address: set {key}.baseUrl"),
        error @ NameError::BadUrl { .. } => {
            let variables = provider(name.provider()).map(|row| row.base_url_variables.join(", ")).unwrap_or_default();
            let places = if variables.is_empty() { String::new() } else { format!(", {variables}") };
            format!("{error}; look at {key}.baseUrl{places}")
        }
        other @ (NameError::UnknownProvider { .. } | NameError::NoProvider { .. } | NameError::NoName { .. }) => {
            other.to_string()
        }
    }
}

/// A model in one line: where it is and where its key comes from, never the key.
pub(crate) fn described(handle: &ModelHandle) -> String {
    match handle {
        ModelHandle::Scout => "it searches the project, plans and answers without a language model".into(),
        ModelHandle::Remote(remote) => {
            let key = match remote.chosen.key_source() {
                KeySource::Nowhere => "without a key".into(),
                source => format!("key from {source}"),
            };
            format!("{}, {key}", remote.chosen.address())
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
