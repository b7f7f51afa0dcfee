//! Where the host of a permit may lead: by the same rules as the proxy of the cages.

use fore_plan::{Host, HostPattern, Outside, gate::Presented};
use fore_sandbox::network;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, SocketAddr};

/// The host of a permit, at its ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PermittedHost {
    name: String,
    ports: Vec<u16>,
    /// Whom the person has named besides; an address among them may be led to.
    named: Vec<HostPattern>,
}

impl PermittedHost {
    /// From `docs.rs`, at the ports of the web, or `localhost:8080`; none for anything else.
    pub(super) fn new(text: &str) -> Option<PermittedHost> {
        let hosts = fore_plan::Host::of_text(text).ok()?;
        let name = hosts.first()?.name().to_owned();
        Some(PermittedHost { name, ports: hosts.iter().map(fore_plan::Host::port).collect(), named: Vec::new() })
    }

    /// With the hosts that the permit names.
    pub(super) fn permitted(self, permit: &Presented) -> PermittedHost {
        let named = permit.cage().outside().and_then(Outside::contacts).map(|contacts| contacts.hosts.clone());
        PermittedHost { named: named.unwrap_or_default(), ..self }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn is_private(&self) -> bool {
        network::is_private_name(&self.name) || self.name.parse().is_ok_and(network::is_inward)
    }

    /// Whether a URL names this host at one of its ports.
    pub(super) fn is_of(&self, url: &reqwest::Url) -> bool {
        let is_port = url.port_or_known_default().is_some_and(|port| self.ports.contains(&port));
        is_port && url.host_str().and_then(Host::plain_name).is_some_and(|name| name == self.name)
    }

    fn may_lead_to(&self, address: IpAddr) -> bool {
        let names = |port: &u16| {
            let host = fore_plan::Host::new(&address.to_string(), *port);
            host.is_some_and(|host| self.named.iter().any(|pattern| pattern.covers(&host)))
        };
        network::may_lead_to(&self.name, address) || self.ports.iter().any(names)
    }
}

fn plain(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

/// Looks names up, and drops the answers that a host may not lead to.
#[derive(Clone, Debug)]
pub(super) struct GuardedResolver(pub(super) PermittedHost);

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let host = self.0.clone();
        Box::pin(async move {
            let name = name.as_str().to_owned();
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(followed(&host, &name, found)?.into_iter()) as Addrs)
        })
    }
}

/// The addresses that may be connected to. Other names than the host's are those of a proxy, which the person chose.
fn followed(host: &PermittedHost, name: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, String> {
    if plain(name) != host.name() {
        return Ok(found);
    }
    let kept: Vec<SocketAddr> = found.iter().copied().filter(|address| host.may_lead_to(address.ip())).collect();
    match (kept.is_empty(), found.first()) {
        (true, Some(inward)) => {
            Err(format!("{name} leads to {}, which is inside a private network; it is not fetched", inward.ip()))
        }
        _ => Ok(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_hosts_are_those_that_say_so_themselves() {
        let page = [
            ("docs.rs", false),
            ("DOCS.rs.", false),
            ("93.184.215.14", false),
            ("localhost", true),
            ("shop.localhost", true),
            ("printer.local", true),
            ("wiki", true),
            ("127.0.0.1", true),
            ("10.1.2.3", true),
            ("192.168.0.1", true),
            ("169.254.169.254", true),
            ("localhost.example", false),
        ];
        for (name, expected) in page {
            assert_eq!(PermittedHost::new(name).unwrap().is_private(), expected, "{name}");
        }
        assert_eq!(["user@docs.rs", "127.1", "docs.rs:0"].map(PermittedHost::new), [None, None, None]);
    }

    #[test]
    fn a_host_is_its_name_at_its_ports() {
        let page = [
            ("docs.rs", "https://DOCS.rs./x", true),
            ("docs.rs", "http://docs.rs/", true),
            ("docs.rs", "https://docs.rs:8443/", false),
            ("docs.rs:8443", "https://docs.rs:8443/", true),
            ("docs.rs:8443", "https://docs.rs/", false),
            ("localhost:8080", "http://localhost:8081/", false),
            ("127.0.0.1", "http://2130706433/", true),
            ("[::1]:80", "http://[0:0::1]/", true),
            ("docs.rs", "https://evil.example/docs.rs", false),
        ];
        for (host, url, expected) in page {
            assert_eq!(PermittedHost::new(host).unwrap().is_of(&url.parse().unwrap()), expected, "{host} {url}");
        }
    }

    #[test]
    fn a_public_name_never_leads_inwards() {
        let followed = |host: &str, addresses: &[&str]| {
            let found = addresses.iter().map(|text| SocketAddr::new(text.parse().unwrap(), 0)).collect();
            followed(&PermittedHost::new(host).unwrap(), host, found)
                .map(|kept| kept.iter().map(|address| address.ip().to_string()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(followed("docs.rs", &["10.0.0.1", "93.184.215.14"]), Ok("93.184.215.14".to_owned()));
        let inward = [
            "127.0.0.1",
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.1.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "::7f00:1",
        ];
        for address in inward {
            let shown = address.parse::<IpAddr>().unwrap();
            let expected = format!("docs.rs leads to {shown}, which is inside a private network; it is not fetched");
            assert_eq!(followed("docs.rs", &[address]), Err(expected));
        }
        assert_eq!(followed("docs.rs", &["2606:4700::1"]), Ok("2606:4700::1".to_owned()));
        assert_eq!(followed("localhost", &["127.0.0.1", "::1"]), Ok("127.0.0.1 ::1".to_owned()));
        assert!(followed("metadata.google.internal", &["169.254.169.254"]).is_err());
        assert!(followed("metadata.google.internal", &["100.100.100.200"]).is_err());
    }

    #[test]
    fn an_address_that_was_named_too_may_be_led_to() {
        let inside = vec![SocketAddr::new([10, 0, 0, 1].into(), 0)];
        let named = |text: &str| PermittedHost {
            named: HostPattern::of_text(text).unwrap(),
            ..PermittedHost::new("docs.rs").unwrap()
        };
        assert_eq!(followed(&named("10.0.0.1"), "docs.rs", inside.clone()), Ok(inside.clone()));
        for other in ["10.0.0.2", "10.0.0.1:8080", "docs.rs"] {
            assert!(followed(&named(other), "docs.rs", inside.clone()).is_err(), "{other}");
        }
    }

    #[test]
    fn the_name_of_a_proxy_is_not_the_hosts() {
        let inside = vec![SocketAddr::new([10, 0, 0, 1].into(), 0)];
        assert_eq!(followed(&PermittedHost::new("docs.rs").unwrap(), "proxy.example", inside.clone()), Ok(inside));
    }
}
