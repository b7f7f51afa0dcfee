//! A host and a port, written in one way only, so that a name that was approved equals the name that is connected to.

use fore_shell::plain_host;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What an error shows of a text that is not a host.
const MAX_SHOWN_CHARS: usize = 100;
/// What a host without a port stands for: the web.
const WEB_PORTS: [u16; 2] = [443, 80];

/// One host at one port.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Host {
    /// In lower case without the dot of the root, or an address as it is printed.
    name: String,
    port: u16,
}

/// Text that is not a host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a host and port, such as docs.rs:443")]
pub struct BadHost(String);

impl Host {
    /// A host name as it is compared, or none where programs would read it differently. An address of version 6 may stand in
    /// brackets.
    pub fn plain_name(name: &str) -> Option<String> {
        let inner = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        plain_host(inner.filter(|inner| inner.contains(':')).unwrap_or(name))
    }

    /// None for a name that could be read in two ways.
    pub fn new(name: &str, port: u16) -> Option<Host> {
        (port != 0).then_some(Host { name: Host::plain_name(name)?, port })
    }

    /// The name or address.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// `host:port`, or `host` for both ports of the web.
    pub fn of_text(text: &str) -> Result<Vec<Host>, BadHost> {
        if let Ok(one) = text.parse() {
            return Ok(vec![one]);
        }
        let hosts: Option<Vec<Host>> = WEB_PORTS.iter().map(|port| Host::new(text, *port)).collect();
        hosts.ok_or_else(|| bad(text))
    }
}

/// Hosts that somebody has named: one at one port, or every name under a domain, such as `*.example.com:443`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum HostPattern {
    /// Exactly this host.
    One(Host),
    /// The domain itself is not among them.
    Under(Host),
}

impl HostPattern {
    /// `host:port` or `*.domain:port`; without a port both ports of the web.
    pub fn of_text(text: &str) -> Result<Vec<HostPattern>, BadHost> {
        match text.strip_prefix("*.") {
            None => Ok(Host::of_text(text)?.into_iter().map(HostPattern::One).collect()),
            Some(domain) => {
                let domains = Host::of_text(domain).map_err(|_| bad(text))?;
                domains.into_iter().map(|domain| HostPattern::under(domain).ok_or_else(|| bad(text))).collect()
            }
        }
    }

    /// None for a domain that would cover strangers, such as `com`, and for an address.
    fn under(domain: Host) -> Option<HostPattern> {
        let is_address = domain.name.parse::<std::net::IpAddr>().is_ok();
        let is_narrow = domain.name.contains('.') || domain.name == "localhost";
        (!is_address && is_narrow).then_some(HostPattern::Under(domain))
    }

    /// Whether it means this host.
    pub fn covers(&self, host: &Host) -> bool {
        match self {
            HostPattern::One(one) => one == host,
            HostPattern::Under(domain) => {
                let before = host.name.strip_suffix(domain.name.as_str()).and_then(|rest| rest.strip_suffix('.'));
                domain.port == host.port && before.is_some_and(|before| !before.is_empty())
            }
        }
    }
}

impl From<Host> for HostPattern {
    fn from(host: Host) -> HostPattern {
        HostPattern::One(host)
    }
}

impl FromStr for HostPattern {
    type Err = BadHost;

    fn from_str(text: &str) -> Result<HostPattern, BadHost> {
        match text.strip_prefix("*.") {
            None => text.parse().map(HostPattern::One),
            Some(domain) => domain.parse().ok().and_then(HostPattern::under).ok_or_else(|| bad(text)),
        }
    }
}

impl TryFrom<String> for HostPattern {
    type Error = BadHost;

    fn try_from(text: String) -> Result<HostPattern, BadHost> {
        text.parse()
    }
}

impl From<HostPattern> for String {
    fn from(pattern: HostPattern) -> String {
        pattern.to_string()
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HostPattern::One(host) => host.fmt(f),
            HostPattern::Under(domain) => write!(f, "*.{domain}"),
        }
    }
}

fn bad(text: &str) -> BadHost {
    BadHost(text.chars().take(MAX_SHOWN_CHARS).collect())
}

impl FromStr for Host {
    type Err = BadHost;

    fn from_str(text: &str) -> Result<Host, BadHost> {
        let host = text.rsplit_once(':').and_then(|(name, port)| {
            let is_number = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            // An address of version 6 has colons of its own, so it stands in brackets before a port.
            let is_clear = !name.contains(':') || (name.starts_with('[') && name.ends_with(']'));
            (is_number && is_clear).then(|| Host::new(name, port.parse().ok()?))?
        });
        host.ok_or_else(|| bad(text))
    }
}

impl TryFrom<String> for Host {
    type Error = BadHost;

    fn try_from(text: String) -> Result<Host, BadHost> {
        text.parse()
    }
}

impl From<Host> for String {
    fn from(host: Host) -> String {
        host.to_string()
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.contains(':') {
            write!(f, "[{}]:{}", self.name, self.port)
        } else {
            write!(f, "{}:{}", self.name, self.port)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_one_spelling_or_is_none() {
        let page = [
            ("docs.rs:443", Some("docs.rs:443")),
            ("DOCS.rs.:443", Some("docs.rs:443")),
            ("127.0.0.1:8080", Some("127.0.0.1:8080")),
            ("[::1]:80", Some("[::1]:80")),
            ("[0:0:0:0:0:0:0:1]:80", Some("[::1]:80")),
            ("[::FFFF:127.0.0.1]:80", Some("[::ffff:127.0.0.1]:80")),
            ("some_host:80", Some("some_host:80")),
            ("docs.rs", None),
            ("docs.rs:", None),
            ("docs.rs:0", None),
            ("docs.rs:65536", None),
            ("docs.rs:+80", None),
            ("docs.rs:443:80", None),
            ("::1:80", None),
            ("[::1]", None),
            ("[::1:80", None),
            ("[fe80::1%eth0]:80", None),
            ("2130706433:80", None),
            ("0x7f000001:80", None),
            ("0177.0.0.1:80", None),
            ("127.1:80", None),
            ("a..b:80", None),
            (".b:80", None),
            ("docs.rs..:80", None),
            ("user@docs.rs:80", None),
            ("docs.rs/x:80", None),
            ("a b:80", None),
            ("docs.rs\n:80", None),
            ("пример.example:80", None),
            (":80", None),
            ("", None),
        ];
        for (text, expected) in page {
            assert_eq!(text.parse::<Host>().ok().map(|host| host.to_string()).as_deref(), expected, "{text:?}");
        }
        assert!(Host::new(&"a".repeat(300), 80).is_none());
    }

    #[test]
    fn a_pattern_covers_the_names_under_its_domain_at_its_port() {
        let covers = |pattern: &str, host: &str| {
            HostPattern::of_text(pattern).unwrap().iter().any(|pattern| pattern.covers(&host.parse().unwrap()))
        };
        let page = [
            ("docs.rs", "docs.rs:443", true),
            ("docs.rs", "docs.rs:80", true),
            ("docs.rs", "docs.rs:22", false),
            ("docs.rs", "a.docs.rs:443", false),
            ("*.example.com:8443", "a.example.com:8443", true),
            ("*.example.com:8443", "a.b.EXAMPLE.com.:8443", true),
            ("*.example.com:8443", "a.example.com:443", false),
            ("*.example.com", "example.com:443", false),
            ("*.example.com", "evilexample.com:443", false),
            ("*.example.com", "a.example.com.evil.example:443", false),
            ("*.localhost:3000", "shop.localhost:3000", true),
        ];
        for (pattern, host, expected) in page {
            assert_eq!(covers(pattern, host), expected, "{pattern} {host}");
        }
        for wrong in ["*", "*.", "*.com", "*.*", "a.*.example", "*.127.0.0.1", "*.[::1]:80", "*example.com", "**.a.b"] {
            assert!(HostPattern::of_text(wrong).is_err(), "{wrong}");
            assert!(wrong.parse::<HostPattern>().is_err(), "{wrong}");
        }
        let pattern: HostPattern = "*.Example.com:443".parse().unwrap();
        assert_eq!(serde_json::to_string(&pattern).unwrap(), r#""*.example.com:443""#);
    }

    #[test]
    fn a_host_without_a_port_stands_for_the_web() {
        let words = |text: &str| Host::of_text(text).map(|hosts| hosts.iter().map(Host::to_string).collect::<Vec<_>>());
        assert_eq!(words("docs.rs").unwrap(), ["docs.rs:443", "docs.rs:80"]);
        assert_eq!(words("docs.rs:8443").unwrap(), ["docs.rs:8443"]);
        assert_eq!(words("::1").unwrap(), ["[::1]:443", "[::1]:80"]);
        assert_eq!(
            words("docs.rs:x").unwrap_err().to_string(),
            "`docs.rs:x` is not a host and port, such as docs.rs:443"
        );
    }
}
