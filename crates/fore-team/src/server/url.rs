//! The address of a server, and which TLS a connection to it has. Nothing goes over a network unencrypted or to somebody who is not checked.

use crate::error::{TeamError, TeamResult};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, pem::PemObject},
};
use rustls_platform_verifier::BuilderVerifierExt;
use std::{fmt, path::PathBuf, sync::Arc, time::Duration};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

/// One attempt to connect, and one to be answered.
pub(super) const ATTEMPT: Duration = Duration::from_secs(10);
const MAX_URL_BYTES: usize = 2000;

/// A PostgreSQL server that keeps teams. Whoever prints it never sees the password.
#[derive(Clone)]
pub struct ServerUrl {
    config: tokio_postgres::Config,
    tls: MakeRustlsConnect,
    shown: String,
}

impl ServerUrl {
    /// Reads `postgres://LOGIN@HOST/DATABASE`. `sslrootcert=FILE` names whom to trust instead of the system's authorities; without TLS only
    /// this machine is spoken with.
    pub fn parse(text: &str) -> TeamResult<ServerUrl> {
        let wrong = |why: &str| TeamError::BadServerUrl(why.to_owned());
        if text.len() > MAX_URL_BYTES || !(text.starts_with("postgres://") || text.starts_with("postgresql://")) {
            return Err(wrong("an address is `postgres://LOGIN@HOST/DATABASE`"));
        }
        let (url, authority) = without_authority(text)?;
        // Its own words may quote the password.
        let mut config: tokio_postgres::Config = url
            .parse()
            .map_err(|_| wrong("it cannot be read as an address; write `postgres://LOGIN@HOST/DATABASE`"))?;
        let login =
            config.get_user().ok_or_else(|| wrong("it names no login; write `postgres://LOGIN@HOST/DATABASE`"))?;
        let login = login.to_owned();
        if config.get_hosts().len() != 1 || config.get_hostaddrs().len() > 1 {
            return Err(wrong("it must name one host"));
        }
        let (host, is_here) = match config.get_hosts().first() {
            Some(Host::Tcp(name)) => {
                let address = config.get_hostaddrs().first().copied().or_else(|| name.parse().ok());
                (name.clone(), address.map_or(name == "localhost", |address| address.is_loopback()))
            }
            Some(Host::Unix(path)) => (path.display().to_string(), true),
            None => return Err(wrong("it must name one host")),
        };
        match (config.get_ssl_mode(), is_here) {
            // What only prefers TLS is talked out of it by whoever sits in between.
            (SslMode::Prefer | SslMode::Require, false) | (SslMode::Require, true) => config.ssl_mode(SslMode::Require),
            (SslMode::Disable | SslMode::Prefer, true) => config.ssl_mode(SslMode::Disable),
            (SslMode::Disable | _, _) => {
                return Err(wrong("`sslmode=disable` would send everything in the clear; leave it out"));
            }
        };
        config.connect_timeout(ATTEMPT).tcp_user_timeout(ATTEMPT).keepalives_idle(ATTEMPT).keepalives_retries(3);
        config.keepalives_interval(Duration::from_secs(3)).application_name("fore");
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let database = config.get_dbname().unwrap_or(&login).to_owned();
        let shown = format!("postgres://{login}@{host}:{port}/{database}");
        Ok(ServerUrl { config, tls: tls(authority)?, shown })
    }

    pub(super) fn config(&self) -> &tokio_postgres::Config {
        &self.config
    }

    pub(super) fn tls(&self) -> MakeRustlsConnect {
        self.tls.clone()
    }

    /// The login that it connects with.
    pub fn login(&self) -> &str {
        self.config.get_user().unwrap_or_default()
    }

    pub(super) fn has_tls(&self) -> bool {
        self.config.get_ssl_mode() == SslMode::Require
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServerUrl({})", self.shown)
    }
}

/// The address as the client knows it, and the file of authorities.
fn without_authority(text: &str) -> TeamResult<(String, Option<PathBuf>)> {
    let Some((address, query)) = text.split_once('?') else { return Ok((text.to_owned(), None)) };
    let mut authority = None;
    let mut kept = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some(("sslrootcert", path)) if path.contains('%') || !path.starts_with('/') => {
                return Err(TeamError::BadServerUrl(
                    "`sslrootcert` is not an absolute path in plain letters".to_owned(),
                ));
            }
            Some(("sslrootcert", path)) => authority = Some(PathBuf::from(path)),
            // The strictest is what every connection has.
            Some(("sslmode", "verify-full" | "verify-ca")) => kept.push("sslmode=require"),
            Some(_) | None => kept.push(pair),
        }
    }
    let query = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    Ok((format!("{address}{query}"), authority))
}

fn tls(authority: Option<PathBuf>) -> TeamResult<MakeRustlsConnect> {
    let wrong = |error: &dyn fmt::Display| TeamError::BadServerUrl(format!("TLS cannot be set up: {error}"));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| wrong(&error))?;
    let builder = match authority {
        None => builder.with_platform_verifier().map_err(|error| wrong(&error))?,
        Some(path) => {
            let unread = |why: String| TeamError::BadServerUrl(format!("`sslrootcert` {}: {why}", path.display()));
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_file_iter(&path).map_err(|error| unread(error.to_string()))? {
                let certificate = certificate.map_err(|error| unread(error.to_string()))?;
                roots.add(certificate).map_err(|error| unread(error.to_string()))?;
            }
            if roots.is_empty() {
                return Err(unread("there is no certificate in it".to_owned()));
            }
            builder.with_root_certificates(roots)
        }
    };
    Ok(MakeRustlsConnect::new(builder.with_no_client_auth()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_goes_over_a_network_in_the_clear_and_no_password_is_shown() {
        let page = [
            ("postgres://ada:secret@db.example/teams", "require"),
            ("postgres://ada:secret@db.example/teams?sslmode=prefer", "require"),
            ("postgresql://ada@db.example/teams?sslmode=verify-full", "require"),
            ("postgres://ada@10.0.0.1/teams?sslmode=disable", "would send everything in the clear"),
            ("postgres://ada@localhost/teams", "disable"),
            ("postgres://ada@127.0.0.1:5544/teams?sslmode=require", "require"),
            ("postgres://ada@%2Frun%2Fpostgresql/teams", "disable"),
            ("postgres://ada@127.0.0.1/teams?hostaddr=10.0.0.1", "require"),
            ("postgres://localhost/teams", "names no login"),
            ("postgres://ada:secret@one,two/teams", "must name one host"),
            ("postgres://ada@db.example/teams?sslrootcert=/not/there.pem", "/not/there.pem"),
            ("postgres://ada@db.example/teams?sslrootcert=there.pem", "absolute path"),
            ("mysql://ada:secret@db.example/teams", "an address is"),
            ("postgres://ada:secret@db.example/teams?nonsense=1", "cannot be read"),
        ];
        for (text, expected) in page {
            let said = match ServerUrl::parse(text) {
                Ok(url) => {
                    assert!(!format!("{url} {url:?}").contains("secret"), "{text}");
                    if url.has_tls() { "require".to_owned() } else { "disable".to_owned() }
                }
                Err(error) => error.to_string(),
            };
            assert!(said.contains(expected) && !said.contains("secret"), "{text}: {said}");
        }
    }
}
