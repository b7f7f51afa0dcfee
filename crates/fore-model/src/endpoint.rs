//! Where a request goes: base URL and the path each protocol adds. Never prints user names, passwords or queries.

use std::fmt;

use reqwest::Url;

use crate::protocol::Protocol;
use crate::secret::Secret;

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    base: Url,
    protocol: Protocol,
}

/// A base URL that is none. The text itself is not repeated: people put keys into URLs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the base URL cannot be used: {why}")]
pub(crate) struct BadUrl {
    /// What is wrong with it.
    pub(crate) why: String,
}

impl Endpoint {
    pub(crate) fn new(base: &str, protocol: Protocol) -> Result<Self, BadUrl> {
        let base = base.trim();
        // Some variables hold only host and port.
        let bare = !base.contains("://");
        let text = if bare { format!("http://{base}") } else { base.to_owned() };
        let mut url = Url::parse(&text).map_err(|error| BadUrl { why: error.to_string() })?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(BadUrl { why: "it must begin with http:// or https:// and a host".into() });
        }
        if url.host_str() == Some("0.0.0.0") {
            // Servers listen there; nobody can be reached there.
            url.set_host(Some("127.0.0.1")).map_err(|error| BadUrl { why: error.to_string() })?;
        }
        if bare && url.path() == "/" {
            url.set_path("/v1");
        }
        Ok(Self { base: url, protocol })
    }

    pub(crate) fn is_loopback(&self) -> bool {
        match self.base.host_str() {
            Some("localhost") => true,
            Some(host) => {
                host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
            }
            None => false,
        }
    }

    /// The address of one streamed answer.
    pub(crate) fn answer(&self, model: &str) -> Url {
        match self.protocol {
            Protocol::AnthropicMessages => self.join(&["v1", "messages"]),
            Protocol::OpenAiResponses => self.join(&["responses"]),
            Protocol::ChatCompletions => self.join(&["chat", "completions"]),
            Protocol::Gemini => {
                let model = model.strip_prefix("models/").unwrap_or(model);
                let mut url = self.join(&["v1beta", "models", &format!("{model}:streamGenerateContent")]);
                url.query_pairs_mut().append_pair("alt", "sse");
                url
            }
        }
    }

    /// The address of the list of models.
    pub(crate) fn models(&self) -> Url {
        match self.protocol {
            Protocol::AnthropicMessages => self.join(&["v1", "models"]),
            Protocol::OpenAiResponses | Protocol::ChatCompletions => self.join(&["models"]),
            Protocol::Gemini => self.join(&["v1beta", "models"]),
        }
    }

    /// Adds path segments; a version the base already ends with is not repeated.
    fn join(&self, segments: &[&str]) -> Url {
        let mut url = self.base.clone();
        let last = url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let segments = match segments {
            [first, rest @ ..] if *first == last => rest,
            all => all,
        };
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// Takes passwords and query values of the base URL out of a text.
    pub(crate) fn scrub(&self, text: &str) -> String {
        let values = self.base.query_pairs().map(|(_, value)| Secret::new(&value));
        let password = self.base.password().map(Secret::new);
        values.chain(password).fold(text.to_owned(), |text, secret| secret.scrub(&text))
    }

    /// Host and port, or only the host where the port is the usual one.
    pub(crate) fn place(&self) -> String {
        let port = self.base.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}{port}", self.base.host_str().unwrap_or_default())
    }

    /// Another place on the same server, such as `/props`.
    pub(crate) fn beside(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(path);
        url
    }

    pub(crate) fn shown(&self) -> String {
        shown(&self.answer("MODEL"))
    }
}

/// A URL as people may see it.
pub(crate) fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_protocol_adds_its_path_and_no_version_twice() {
        let table = [
            ("https://a.example", Protocol::AnthropicMessages, "https://a.example/v1/messages"),
            ("https://a.example/proxy/v1/", Protocol::AnthropicMessages, "https://a.example/proxy/v1/messages"),
            ("http://127.0.0.1:1/v1", Protocol::OpenAiResponses, "http://127.0.0.1:1/v1/responses"),
            ("http://127.0.0.1:1/v1/", Protocol::ChatCompletions, "http://127.0.0.1:1/v1/chat/completions"),
            ("0.0.0.0:11434", Protocol::ChatCompletions, "http://127.0.0.1:11434/v1/chat/completions"),
            (
                "https://g.example/v1beta",
                Protocol::Gemini,
                "https://g.example/v1beta/models/m%2Fx:streamGenerateContent?alt=sse",
            ),
        ];
        for (base, protocol, expected) in table {
            assert_eq!(Endpoint::new(base, protocol).unwrap().answer("m/x").as_str(), expected);
        }
    }

    #[test]
    fn a_bad_address_is_refused_without_being_repeated() {
        for bad in ["ftp://secret@host", "http://", "https://:secret"] {
            let error = Endpoint::new(bad, Protocol::Gemini).unwrap_err().to_string();
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn secrets_of_the_address_are_taken_out_of_texts() {
        let endpoint = Endpoint::new("https://me:pass-in-url@host/v1?token=query-secret", Protocol::Gemini).unwrap();
        let text = "POST /v1?token=query-secret by me:pass-in-url";
        assert_eq!(endpoint.scrub(text), "POST /v1?token=[hidden] by me:[hidden]");
        assert_eq!(format!("{endpoint:?}"), "https://host/v1/v1beta/models/MODEL:streamGenerateContent");
    }

    #[test]
    fn own_machine_is_recognised() {
        let at = |base| Endpoint::new(base, Protocol::ChatCompletions).unwrap().is_loopback();
        assert!(at("http://localhost:1") && at("http://127.0.0.2") && at("http://[::1]:8080"));
        assert!(!at("http://localhost.example") && !at("https://10.0.0.1"));
    }
}
