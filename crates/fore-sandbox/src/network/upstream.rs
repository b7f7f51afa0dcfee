//! The person's own proxy, where their network has one. Its environment variables are read outside of every cage.

use super::{MAX_CONNECT_TIME, MAX_HEAD_TIME};
use fore_plan::Host;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};

const MAX_ANSWER_BYTES: usize = 8 << 10;

/// Which proxy is used for which host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upstream {
    plain: Option<OneProxy>,
    secure: Option<OneProxy>,
    /// Ends of names that are reached directly; `*` for all.
    direct: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OneProxy {
    host: Host,
    /// `user:password`, as it is sent.
    login: Option<String>,
}

impl Upstream {
    /// As the person's settings or else the usual variables say.
    pub fn of(setting: Option<&str>) -> Upstream {
        match setting {
            Some(text) => {
                let proxy = OneProxy::new(text);
                Upstream { plain: proxy.clone(), secure: proxy, direct: Vec::new() }
            }
            None => Upstream::new(crate::person_environment::text),
        }
    }

    /// The proxy that a host is reached through, without its login.
    pub fn through(&self, host: &Host, is_plain: bool) -> Option<String> {
        self.for_host(host, is_plain).map(OneProxy::name)
    }

    /// The proxies that are used, each once, without logins.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = [&self.secure, &self.plain].into_iter().flatten().map(OneProxy::name).collect();
        names.dedup();
        names
    }

    fn new(variable: impl Fn(&str) -> Option<String>) -> Upstream {
        let first = |names: &[&str]| names.iter().find_map(|name| variable(name).filter(|value| !value.is_empty()));
        let proxy = |names: &[&str]| first(names).as_deref().and_then(OneProxy::new);
        let direct = first(&["no_proxy", "NO_PROXY"]).unwrap_or_default();
        // A web server's visitor could set HTTP_PROXY for the programs that it starts.
        let is_of_a_server = variable("REQUEST_METHOD").is_some();
        let plain = if is_of_a_server { "http_proxy" } else { "HTTP_PROXY" };
        Upstream {
            plain: proxy(&["http_proxy", plain, "all_proxy", "ALL_PROXY"]),
            secure: proxy(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
            direct: direct
                .split(',')
                .map(|end| end.trim().to_ascii_lowercase())
                .filter(|end| !end.is_empty())
                .collect(),
        }
    }

    /// The proxy for a host; none where it is reached directly, as this machine always is.
    pub(super) fn for_host(&self, host: &Host, is_plain: bool) -> Option<&OneProxy> {
        let name = host.name();
        let is_here =
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        let is_direct = self.direct.iter().any(|end| {
            let end = end.strip_prefix("*.").or(end.strip_prefix('.')).unwrap_or(end);
            end == "*" || name == end || name.strip_suffix(end).is_some_and(|rest| rest.ends_with('.'))
        });
        let proxy = if is_plain { &self.plain } else { &self.secure };
        proxy.as_ref().filter(|_| !is_here && !is_direct)
    }
}

impl OneProxy {
    /// Only proxies that speak HTTP without encryption are understood.
    fn new(text: &str) -> Option<OneProxy> {
        let rest = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => rest,
            Some(_) => return None,
            None => text,
        };
        let authority = rest.split('/').next()?;
        let (login, place) = match authority.rsplit_once('@') {
            Some((login, place)) => (Some(login.to_owned()), place),
            None => (None, authority),
        };
        let host = place.parse().ok().or_else(|| Host::new(place, 80))?;
        Some(OneProxy { host, login })
    }

    /// Connects through it; for a plain request to the proxy itself, which is then told the whole address.
    pub(super) fn connect(&self, host: &Host, is_plain: bool) -> io::Result<TcpStream> {
        let mut last = io::Error::other("the proxy has no address");
        for address in (self.host.name(), self.host.port()).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, MAX_CONNECT_TIME) {
                Ok(stream) if is_plain => return Ok(stream),
                Ok(mut stream) => return self.ask(&mut stream, host).map(|()| stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    pub(super) fn name(&self) -> String {
        self.host.to_string()
    }

    /// The header by which it knows the person.
    pub(super) fn authorization(&self) -> Option<String> {
        let login = self.login.as_ref()?;
        Some(format!("proxy-authorization: Basic {}\r\n", base64(&unescaped(login))))
    }

    fn ask(&self, stream: &mut TcpStream, host: &Host) -> io::Result<()> {
        let login = self.authorization().unwrap_or_default();
        stream.write_all(format!("CONNECT {host} HTTP/1.1\r\nhost: {host}\r\n{login}\r\n").as_bytes())?;
        stream.set_read_timeout(Some(MAX_HEAD_TIME))?;
        let mut head = Vec::new();
        let mut byte = [0];
        // Byte by byte: what follows belongs to the program in the cage.
        while !head.ends_with(b"\r\n\r\n") {
            if head.len() >= MAX_ANSWER_BYTES || stream.read(&mut byte)? == 0 {
                return Err(io::Error::other("the proxy gave no answer"));
            }
            head.extend_from_slice(&byte);
        }
        let first = String::from_utf8_lossy(&head).lines().next().unwrap_or_default().to_owned();
        if first.split(' ').nth(1).is_some_and(|code| code.starts_with('2')) {
            return Ok(());
        }
        Err(io::Error::other(format!("the proxy {} answered {first}", self.host)))
    }
}

/// `%40` is an `@` in a password.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after
            .get(..2)
            .and_then(|two| std::str::from_utf8(two).ok())
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = after.get(2..).unwrap_or_default();
            }
            (first, _) => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let number = (0..3).fold(0u32, |number, index| (number << 8) | u32::from(*three.get(index).unwrap_or(&0)));
        for place in 0..4 {
            let letter = ALPHABET.get((number >> (18 - 6 * place)) as usize & 63).copied().unwrap_or(b'=');
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_variables_are_obeyed() {
        let upstream = Upstream::new(|name| match name {
            "https_proxy" => Some("http://ada:pw@proxy.example:3128/".into()),
            "no_proxy" => Some("corp.example, .lan,10.0.0.1".into()),
            _ => None,
        });
        let used = |host: &str, is_plain| upstream.for_host(&host.parse().unwrap(), is_plain).is_some();
        assert!(used("docs.rs:443", false) && !used("docs.rs:80", true));
        for direct in ["corp.example:443", "a.corp.example:443", "x.lan:1", "10.0.0.1:1", "localhost:1", "127.0.0.1:1"]
        {
            assert!(!used(direct, false), "{direct}");
        }
        assert!(used("evilcorp.example:443", false));
        assert_eq!(Upstream::new(|name| (name == "https_proxy").then(|| "socks5://x:1".into())), Upstream::default());
    }

    #[test]
    fn a_setting_stands_before_the_variables() {
        let upstream = Upstream::of(Some("http://ada:p%40w@proxy.example:3128"));
        assert_eq!(upstream.names(), ["proxy.example:3128"]);
        let proxy = upstream.for_host(&"docs.rs:80".parse().unwrap(), true).unwrap();
        assert_eq!(proxy.authorization().unwrap(), "proxy-authorization: Basic YWRhOnBAdw==\r\n");
        assert!(upstream.for_host(&"127.0.0.1:80".parse().unwrap(), true).is_none());
        let visitor = |name: &str| match name {
            "HTTP_PROXY" => Some("http://evil.example:1".to_owned()),
            "REQUEST_METHOD" => Some("GET".to_owned()),
            _ => None,
        };
        assert_eq!(Upstream::new(visitor), Upstream::default());
        assert_eq!(Upstream::new(|name| visitor(name).filter(|_| name == "HTTP_PROXY")).names(), ["evil.example:1"]);
    }

    #[test]
    fn a_login_is_written_as_servers_read_it() {
        assert_eq!(
            ["a", "ab", "abc", "ada:pw"].map(|text| base64(text.as_bytes())),
            ["YQ==", "YWI=", "YWJj", "YWRhOnB3"]
        );
    }
}
