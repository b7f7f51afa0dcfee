//! A hook that is an address: it is sent the same JSON, and only a good answer can say something.

use super::not_started;
use crate::session::{caller::CallerContext, session_context::SessionContext};
use fore_hooks::{ConfiguredHook, HookEnding, HookReply, HookRunner, HookStanding};
use fore_plan::gate::{Action, Presented};
use fore_sandbox::Connection;
use reqwest::{Client, Proxy, Url, header, redirect::Policy};
use std::collections::BTreeMap;

/// Bytes of an answer.
const MAX_BODY_BYTES: usize = 64 << 10;

impl SessionContext {
    /// Sends it; the connection is in the audit log like every other.
    pub(super) async fn tell_address(
        &self,
        caller: &CallerContext,
        hook: &ConfiguredHook,
        permit: Presented,
        input: String,
    ) -> HookReply {
        let HookRunner::Http { url, headers, .. } = &hook.hook.runner else {
            return not_started("it is not an address");
        };
        let is_permitted = matches!(permit.action(), Action::Hook { command, .. } if command == url);
        let is_trusted = match hook.standing {
            HookStanding::Own | HookStanding::Vouched => true,
            HookStanding::Unknown | HookStanding::Changed(_) => false,
        };
        if !is_permitted || !is_trusted {
            return not_started("it may not be told");
        }
        let live = self.setup.live();
        let headers = with_variables(headers, &hook.hook.runner, &live.settings.hooks.variables);
        let asked = post(url, &headers, input, live.settings.cages.proxy.as_deref());
        let told = tokio::select! {
            biased;
            () = caller.cancel.cancelled() => return not_started("it was interrupted"),
            told = tokio::time::timeout(hook.hook.timeout, asked) => told,
        };
        let (told, connection) = match told {
            Ok(told) => told,
            Err(_) => return HookReply { ending: HookEnding::TimedOut, stdout: String::new(), stderr: String::new() },
        };
        connection.into_iter().for_each(|connection| self.setup.cages.note_connection(connection));
        match told {
            Ok(body) => HookReply { ending: HookEnding::Exited(0), stdout: body, stderr: String::new() },
            Err(why) => not_started(why),
        }
    }
}

/// `$NAME` and `${NAME}` in a header stand for a variable that the hook lists; another name stands for nothing.
fn with_variables(
    headers: &[(String, String)],
    runner: &HookRunner,
    known: &BTreeMap<String, String>,
) -> Vec<(String, String)> {
    let allowed =
        if let HookRunner::Http { allowed_variables, .. } = runner { allowed_variables.as_slice() } else { &[] };
    let value_of = |name: &str| {
        let is_allowed = allowed.iter().any(|one| one == name);
        known.get(name).filter(|_| is_allowed).map(String::as_str).unwrap_or_default()
    };
    let filled = |(name, text): &(String, String)| {
        let mut out = String::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            let braced = after.strip_prefix('{').and_then(|inside| inside.split_once('}'));
            let (name, later) = braced.unwrap_or_else(|| {
                let is_end = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '_');
                after.split_at(after.find(is_end).unwrap_or(after.len()))
            });
            out.push_str(value_of(name));
            rest = later;
        }
        out.push_str(rest);
        (name.clone(), out)
    };
    headers.iter().map(filled).collect()
}

async fn post(
    url: &str,
    headers: &[(String, String)],
    input: String,
    proxy: Option<&str>,
) -> (Result<String, String>, Option<Connection>) {
    let url = match Url::parse(url) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url,
        Ok(_) | Err(_) => return (Err("its `url` is not an http address".into()), None),
    };
    let mut connection = Connection {
        host: format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default()),
        sent_bytes: input.len() as u64,
        ..Connection::default()
    };
    let sent = send(url, headers, input, proxy).await;
    match &sent {
        Ok(body) => connection.received_bytes = body.len() as u64,
        Err(why) => connection.refused = Some(why.clone()),
    }
    (sent, Some(connection))
}

async fn send(url: Url, headers: &[(String, String)], input: String, proxy: Option<&str>) -> Result<String, String> {
    fore_model::install_tls();
    let is_here = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let builder = Client::builder().redirect(Policy::none());
    let client = match proxy {
        _ if is_here => builder.no_proxy().build(),
        Some(proxy) => Proxy::all(proxy).and_then(|proxy| builder.proxy(proxy).build()),
        None => builder.build(),
    };
    let client = client.map_err(|error| format!("it cannot be told: {}", error.without_url()))?;
    let mut request = client.post(url).header(header::CONTENT_TYPE, "application/json").body(input);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let mut answer = request.send().await.map_err(|error| format!("it was not reached: {}", error.without_url()))?;
    let status = answer.status();
    if !status.is_success() {
        return Err(format!("it answered {status}"));
    }
    let mut body: Vec<u8> = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(|error| format!("it broke off: {}", error.without_url()))? {
        if body.len() + piece.len() > MAX_BODY_BYTES {
            return Err(format!("its answer is longer than {MAX_BODY_BYTES} bytes"));
        }
        body.extend_from_slice(&piece);
    }
    Ok(String::from_utf8_lossy(&body).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_holds_only_variables_that_the_hook_lists() {
        let runner =
            HookRunner::Http { url: "http://x".into(), headers: Vec::new(), allowed_variables: vec!["TOKEN".into()] };
        let known = BTreeMap::from([("TOKEN".to_owned(), "t".to_owned()), ("OTHER".to_owned(), "secret".to_owned())]);
        let page = [
            ("Bearer $TOKEN", "Bearer t"),
            ("${TOKEN}x$OTHER", "tx"),
            ("a$", "a"),
            ("${OTHER", "{OTHER"),
            ("$TOKENS", ""),
            ("plain", "plain"),
        ];
        for (written, expected) in page {
            let filled = with_variables(&[("X".to_owned(), written.to_owned())], &runner, &known);
            assert_eq!(filled, [("X".to_owned(), expected.to_owned())], "{written}");
        }
    }
}
