//! Looks for the usual model servers on their usual ports of this machine, or where the person says it is. Asked only when nothing else is set;
//! what is found is offered, never used by itself. A server of another user is not even asked.

use super::owner::{SocketOwner, owner};
use crate::settings::{EnvironmentLookup, SettingEntry, SettingOrigin, Settings, SettingsLayer};
use fore_model::{LocalServer, PROVIDERS, Provider, probe, provider};
use std::{
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// How long one place is knocked at. On one's own machine the kernel answers at once, whether somebody is there or not.
const KNOCK: Duration = Duration::from_millis(75);
/// How long one who opened may take to list its models; busy machines are slow. All are asked at once.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same for a list that is made beside other work: there nobody waits.
const PATIENCE_BESIDE: Duration = Duration::from_secs(10);

/// What listens on this machine.
#[derive(Debug, Default)]
pub(crate) struct LocalServers {
    /// The servers that answered.
    pub(crate) servers: Vec<LocalServer>,
    /// Why the others are left alone, in words.
    pub(crate) refused: Vec<String>,
}

/// Looks for servers, for a start that waits for them.
pub(crate) fn find(settings: &Settings) -> LocalServers {
    find_within(settings, PATIENCE)
}

/// Looks for servers to offer: those whose address the person wrote down, and the others.
pub(super) fn to_offer(settings: &Settings) -> (Vec<LocalServer>, Vec<LocalServer>) {
    let named = named(settings);
    let servers = find_within(settings, PATIENCE_BESIDE).servers;
    servers.into_iter().partition(|server| named.iter().any(|id| id == server.provider))
}

fn find_within(settings: &Settings, patience: Duration) -> LocalServers {
    let mut refused = Vec::new();
    let mut addresses = addresses(settings, &super::variable);
    let named = named(settings);
    let may_use = |id: &str, address| if named.iter().any(|it| it == id) { Ok(()) } else { require_ours(id, address) };
    addresses.retain(|(id, address)| match may_use(id, *address) {
        Ok(()) => TcpStream::connect_timeout(address, KNOCK).is_ok(),
        Err(why) => {
            refused.push(why);
            false
        }
    });
    LocalServers { servers: ask(addresses, patience), refused }
}

/// Whether a server may be used as far as it depends on whose it is; the error says why not. Where nobody listens there is
/// nothing to say.
pub(super) fn require_ours(id: &str, address: SocketAddr) -> Result<(), String> {
    let name = "name its address in model.providers";
    match owner(address) {
        SocketOwner::Ours => Ok(()),
        SocketOwner::Unknown if TcpStream::connect_timeout(&address, KNOCK).is_err() => Ok(()),
        SocketOwner::Other(user) => Err(format!(
            "the server on {address} belongs to another user of this machine (user {user}) and is not used; if you trust it, {name}.{id}.baseUrl in ~/.forethought/settings.json"
        )),
        SocketOwner::Unknown => Err(format!(
            "it cannot be found out who runs the server on {address}, so it is not used; if you trust it, {name}.{id}.baseUrl in ~/.forethought/settings.json"
        )),
    }
}

/// The providers whose address the person wrote down themselves, in a file of theirs or on the command line.
pub(super) fn named(settings: &Settings) -> Vec<String> {
    let of_the_person = |entry: &SettingEntry| match &entry.origin {
        SettingOrigin::Written { source, .. } => match source.layer {
            SettingsLayer::User | SettingsLayer::CommandLine => true,
            SettingsLayer::Project | SettingsLayer::ProjectLocal => false,
        },
        SettingOrigin::Variable(_) => false,
    };
    let is_last = |id: &String| {
        let key = format!("model.providers.{id}.baseUrl");
        let last = settings.entries.iter().rev().find(|entry| entry.is_taken() && entry.key() == key);
        last.is_some_and(of_the_person)
    };
    settings.written.model.providers.keys().filter(|id| is_last(id)).cloned().collect()
}

fn ask(addresses: Vec<(&'static str, SocketAddr)>, patience: Duration) -> Vec<LocalServer> {
    if addresses.is_empty() {
        return Vec::new();
    }
    // A thread of its own: whoever calls may be inside a runtime, where none can be started.
    let asking = std::thread::Builder::new().spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
        runtime.block_on(probe(&addresses, patience)).ok()
    });
    asking.ok().and_then(|asking| asking.join().ok()).flatten().unwrap_or_default()
}

/// A server in one line.
pub(crate) fn said(server: &LocalServer) -> String {
    let (shown, count) = (server.models.iter().take(4).cloned().collect::<Vec<_>>().join(", "), server.models.len());
    let rest = if count > 4 { format!(" and {} more", count - 4) } else { String::new() };
    let models = if count == 0 { "no models".to_owned() } else { format!("{shown}{rest}") };
    format!("{} on {}: {models}", server.provider, server.address)
}

/// The first model that can talk; those that only measure texts cannot.
pub(super) fn model_of(server: &LocalServer) -> Option<&str> {
    chat_models(server).next()
}

/// All models that can talk.
pub(super) fn chat_models(server: &LocalServer) -> impl Iterator<Item = &str> {
    server.models.iter().map(String::as_str).filter(|name| !name.to_lowercase().contains("embed"))
}

/// A server that was moved is asked where it is now, if that is on this machine; else it is not asked.
fn addresses(settings: &Settings, variable: EnvironmentLookup<'_>) -> Vec<(&'static str, SocketAddr)> {
    let moved = |id: &str| {
        let written = settings.written.model.providers.get(id).and_then(|provider| provider.base_url.clone());
        let variables = provider(id).map(|row| row.base_url_variables).unwrap_or_default();
        written.or_else(|| variables.iter().find_map(|name| variable(name).filter(|value| !value.trim().is_empty())))
    };
    let place = |row: &'static Provider| match moved(row.id) {
        None => Some((row.id, address(row.base_url?)?)),
        Some(text) => Some((row.id, address(&text)?)),
    };
    usual().filter_map(place).collect()
}

/// The rows of servers that people run on their own machine, each with its usual port.
pub(super) fn usual() -> impl Iterator<Item = &'static Provider> {
    PROVIDERS.iter().filter(|row| row.keyless && row.base_url.is_some())
}

/// The place of a server on this machine, by its address on the web; none if it is elsewhere.
pub(super) fn address(base: &str) -> Option<SocketAddr> {
    let rest = base.trim().strip_prefix("http://").unwrap_or(base.trim());
    let host = rest.split('/').next().unwrap_or_default();
    let host = host.replace("localhost", "127.0.0.1").replace("0.0.0.0", "127.0.0.1");
    host.parse().ok().filter(|address: &SocketAddr| address.ip().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_on_this_machine_are_asked() {
        let page = [
            ("127.0.0.1:4000", Some("127.0.0.1:4000")),
            ("http://localhost:4000/v1", Some("127.0.0.1:4000")),
            ("0.0.0.0:11434", Some("127.0.0.1:11434")),
            ("http://[::1]:4000", Some("[::1]:4000")),
            ("10.0.0.2:11434", None),
            ("https://models.example/v1", None),
            ("127.0.0.1", None),
        ];
        for (text, expected) in page {
            assert_eq!(address(text).map(|address| address.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_model_that_only_measures_texts_is_not_taken() {
        let server = |models: &[&str]| LocalServer {
            provider: "ollama",
            address: "127.0.0.1:11434".parse().unwrap(),
            models: models.iter().map(|name| (*name).to_owned()).collect(),
        };
        assert_eq!(model_of(&server(&["nomic-embed-text", "qwen3"])), Some("qwen3"));
        assert_eq!(model_of(&server(&["nomic-embed-text"])), None);
        assert_eq!(said(&server(&[])), "ollama on 127.0.0.1:11434: no models");
        assert_eq!(said(&server(&["a", "b", "c", "d", "e"])), "ollama on 127.0.0.1:11434: a, b, c, d and 1 more");
    }
}
