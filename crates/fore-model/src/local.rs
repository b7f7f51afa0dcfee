//! Looks for model servers on one's own machine. Only loopback addresses are asked, and only for their list of models.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;

use crate::client::{NoClient, model_names};

/// A server that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// The row of the provider table that fits it.
    pub provider: &'static str,
    /// Where it listens.
    pub address: SocketAddr,
    /// What it offers.
    pub models: Vec<String>,
}

const MAX_LIST_BYTES: usize = 1024 * 1024;

/// Asks all addresses at once; silence, refusal or an answer that is no list of models means: not there.
/// Addresses beyond this machine are not asked.
pub async fn probe(addresses: &[(&'static str, SocketAddr)], patience: Duration) -> Result<Vec<LocalServer>, NoClient> {
    let http = crate::client::loopback_http(patience)?;
    let asked = addresses.iter().filter(|(_, address)| address.ip().is_loopback());
    let found = join_all(asked.map(|(provider, address)| ask(&http, provider, *address))).await;
    Ok(found.into_iter().flatten().collect())
}

async fn ask(http: &reqwest::Client, provider: &'static str, address: SocketAddr) -> Option<LocalServer> {
    let mut response = http.get(format!("http://{address}/v1/models")).send().await.ok()?;
    if !response.status().is_success() {
        return None;
    }
    let mut text = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if text.len() + chunk.len() > MAX_LIST_BYTES {
            return None;
        }
        text.extend_from_slice(&chunk);
    }
    let list: serde_json::Value = serde_json::from_slice(&text).ok()?;
    // Anything may listen on 8080; only a list of models is a model server.
    list.get("data").or_else(|| list.get("models"))?.as_array()?;
    Some(LocalServer { provider, address, models: model_names(&list) })
}
