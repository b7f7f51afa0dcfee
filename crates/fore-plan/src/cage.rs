//! What a process may read, write and reach. Data only: `fore-sandbox` builds the cage that a permit names.

use crate::host::{Host, HostPattern};
use serde::{Deserialize, Serialize};

/// The cage a permit runs in, from strictest to none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "cage")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum Cage {
    /// Whole disk readable, only the plan file and a private temp folder writable.
    ReadOnly { outside: Outside },
    /// A throw-away copy-on-write layer: every write is dropped afterwards.
    Rehearsal,
    /// The project writable, the rest read-only.
    Workspace { outside: Outside },
    /// No cage: as the person's own shell.
    Free,
}

/// Whom a caged process may talk to outside its cage. Hosts are reached through a proxy of ours and in no other way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outside {
    /// Nobody.
    Closed,
    /// These and nobody else.
    Named(Contacts),
    /// These, and every host with a public address at the ports of the web. Other ports have to be named.
    AnyPublic(Contacts),
}

/// Whom a person, or the command they said yes to, has named.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Contacts {
    /// Hosts on the network.
    pub hosts: Vec<HostPattern>,
    /// Services of this machine behind a socket, such as `docker`.
    pub services: Vec<String>,
}

impl Cage {
    /// Whom its proxy lets it talk to; none where there is no proxy.
    pub fn outside(&self) -> Option<&Outside> {
        match self {
            Cage::ReadOnly { outside } | Cage::Workspace { outside } => Some(outside),
            Cage::Rehearsal | Cage::Free => None,
        }
    }
}

impl Outside {
    /// Whoever is named; closed when that is nobody.
    pub fn named(contacts: Contacts) -> Outside {
        if contacts == Contacts::default() { Outside::Closed } else { Outside::Named(contacts) }
    }

    /// Only these hosts.
    pub fn hosts(hosts: impl IntoIterator<Item = Host>) -> Outside {
        Outside::named(Contacts { hosts: hosts.into_iter().map(HostPattern::One).collect(), services: Vec::new() })
    }

    /// Every public host, and nobody by name.
    pub fn any_public() -> Outside {
        Outside::AnyPublic(Contacts::default())
    }

    /// Who is named.
    pub fn contacts(&self) -> Option<&Contacts> {
        match self {
            Outside::Closed => None,
            Outside::Named(contacts) | Outside::AnyPublic(contacts) => Some(contacts),
        }
    }

    /// Whether there is a network at all, however narrow.
    pub fn has_network(&self) -> bool {
        match self {
            Outside::Closed => false,
            Outside::Named(contacts) => !contacts.hosts.is_empty(),
            Outside::AnyPublic(_) => true,
        }
    }

    /// With these hosts as well.
    #[must_use]
    pub(crate) fn and_hosts(self, hosts: &[HostPattern]) -> Outside {
        let add = |mut contacts: Contacts| {
            for host in hosts {
                if !contacts.hosts.contains(host) {
                    contacts.hosts.push(host.clone());
                }
            }
            contacts
        };
        match self {
            Outside::Closed => Outside::named(add(Contacts::default())),
            Outside::Named(contacts) => Outside::Named(add(contacts)),
            Outside::AnyPublic(contacts) => Outside::AnyPublic(add(contacts)),
        }
    }

    /// With every public host as well.
    #[must_use]
    pub fn and_any_public(self) -> Outside {
        match self {
            Outside::Closed => Outside::any_public(),
            Outside::Named(contacts) | Outside::AnyPublic(contacts) => Outside::AnyPublic(contacts),
        }
    }

    /// In words for a person.
    pub fn describe(&self) -> String {
        let list = |contacts: &Contacts| -> Vec<String> {
            let hosts = contacts.hosts.iter().map(HostPattern::to_string);
            let services = contacts.services.iter().map(|name| format!("the {name} service"));
            hosts.chain(services).collect()
        };
        match self {
            Outside::Closed => "no network".into(),
            Outside::Named(contacts) => format!("may talk to {} only", list(contacts).join(", ")),
            Outside::AnyPublic(contacts) => {
                let all = ["any public web server".to_owned()].into_iter().chain(list(contacts));
                format!("may talk to {}", all.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Host {
        text.parse().unwrap()
    }

    #[test]
    fn whom_a_cage_may_talk_to_in_words() {
        let docker = Contacts { hosts: Vec::new(), services: vec!["docker".into()] };
        let page = [
            (Outside::Closed, "no network", false),
            (Outside::hosts([]), "no network", false),
            (Outside::hosts([host("docs.rs:443")]), "may talk to docs.rs:443 only", true),
            (Outside::named(docker.clone()), "may talk to the docker service only", false),
            (
                Outside::named(docker).and_hosts(&[host("a.example:80").into(), host("a.example:80").into()]),
                "may talk to a.example:80, the docker service only",
                true,
            ),
            (Outside::any_public(), "may talk to any public web server", true),
            (
                Outside::hosts([host("localhost:8080")]).and_any_public(),
                "may talk to any public web server, localhost:8080",
                true,
            ),
        ];
        for (outside, words, has_network) in page {
            assert_eq!((outside.describe().as_str(), outside.has_network()), (words, has_network));
        }
    }

    #[test]
    fn a_cage_survives_the_wire() {
        let cage = Cage::ReadOnly { outside: Outside::hosts([host("docs.rs:443"), host("[::1]:80")]) };
        let text = serde_json::to_string(&cage).unwrap();
        let expected = r#"{"cage":"read-only","outside":{"named":{"hosts":["docs.rs:443","[::1]:80"],"services":[]}}}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Cage>(&text).unwrap(), cage);
    }
}
