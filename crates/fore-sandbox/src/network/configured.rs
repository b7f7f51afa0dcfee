//! Which hosts the configuration in force names: package registries and the server of `gh`. Reads small files and variables; connects to
//! nobody. A wrong answer here opens nothing else: the proxy connects to what was named and to nothing more.

use crate::git::includes;
use fore_plan::usual_hosts;
use fore_shell::{Reach, Registry, git::of_address};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Hosts that one registry may have; who names more is not understood.
const MAX_HOSTS: usize = 6;
/// Replacements of one source of cargo's by another that are followed.
const MAX_REPLACEMENTS: usize = 8;

/// Where the person's own configuration is.
pub struct PersonConfig<'a> {
    /// Their home folder.
    pub home: Option<&'a Path>,
    /// Their environment.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl std::fmt::Debug for PersonConfig<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PersonConfig").field("home", &self.home).finish_non_exhaustive()
    }
}

/// The hosts of every registry that the person's own configuration names, whatever a project says.
pub fn registries_of(person: &PersonConfig<'_>) -> Vec<Reach> {
    let all = [Registry::Npm, Registry::Cargo, Registry::Pip, Registry::Go];
    let known = all.into_iter().filter_map(|one| person.registry(one, None));
    known.flatten().filter(|reach| matches!(reach, Reach::Host(_))).collect()
}

impl PersonConfig<'_> {
    /// Whom a package manager asks in this folder; none where that cannot be known. Without a folder: what the person alone says.
    pub(crate) fn registry(&self, registry: Registry, folder: Option<&Path>) -> Option<Vec<Reach>> {
        let named = match registry {
            Registry::Npm => self.npm(folder),
            Registry::Cargo => self.cargo(folder),
            Registry::Pip => self.pip(),
            Registry::Go => self.go(),
        }?;
        let mut hosts: Vec<Reach> = match named {
            RegistryHosts::Usual(also) => {
                let usual = usual_hosts(registry).iter().map(|name| Reach::host(name, 443));
                usual.chain(urls(&also)?).collect()
            }
            RegistryHosts::Instead(named) => urls(&named)?,
        };
        hosts.sort();
        hosts.dedup();
        (!hosts.is_empty() && hosts.len() <= MAX_HOSTS).then_some(hosts)
    }

    /// The registry of the person's own `.npmrc`, which cages hide, for programs in them. A project that names one is obeyed.
    pub(crate) fn npm_registry(&self, folder: &Path) -> Option<String> {
        let in_project = npm_lines(&npm_project(folder)?).into_iter().any(|(key, _)| key == "registry");
        let own =
            npm_lines(&self.npm_user()?).into_iter().rev().find(|(key, _)| key == "registry").map(|(_, url)| url)?;
        let is_plain = own.starts_with("https://") && !own.contains(['@', '$', '?']);
        (!in_project && is_plain).then_some(own)
    }

    fn set(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.trim().is_empty())
    }

    fn config(&self, path: &str) -> Option<PathBuf> {
        let folder = self.set("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        folder.or_else(|| Some(self.home?.join(".config"))).map(|folder| folder.join(path))
    }

    fn npm_user(&self) -> Option<PathBuf> {
        let named = self.set("npm_config_userconfig").or_else(|| self.set("NPM_CONFIG_USERCONFIG")).map(PathBuf::from);
        named.or_else(|| Some(self.home?.join(".npmrc")))
    }

    fn npm(&self, folder: Option<&Path>) -> Option<RegistryHosts> {
        let variable = self.set("npm_config_registry").or_else(|| self.set("NPM_CONFIG_REGISTRY"));
        let files =
            folder.and_then(npm_project).into_iter().chain(self.npm_user()).chain([PathBuf::from("/etc/npmrc")]);
        let lines: Vec<(String, String)> = files.flat_map(|file| npm_lines(&file)).collect();
        let first = variable.or_else(|| lines.iter().find(|(key, _)| key == "registry").map(|(_, url)| url.clone()));
        let scoped = lines.iter().filter(|(key, _)| key.ends_with(":registry")).map(|(_, url)| url.clone());
        Some(match first {
            Some(first) => RegistryHosts::Instead(std::iter::once(first).chain(scoped).collect()),
            None => RegistryHosts::Usual(scoped.collect()),
        })
    }

    fn cargo(&self, folder: Option<&Path>) -> Option<RegistryHosts> {
        let own = self.set("CARGO_HOME").map(PathBuf::from).or_else(|| Some(self.home?.join(".cargo")));
        let above = folder.into_iter().flat_map(Path::ancestors).map(|folder| folder.join(".cargo"));
        let mut settings: HashMap<String, String> = HashMap::new();
        for folder in above.chain(own) {
            for name in ["config.toml", "config"] {
                for (key, value) in toml_texts(&text(&folder.join(name))) {
                    // The nearest file wins.
                    settings.entry(key).or_insert(value);
                }
            }
        }
        let registries = settings.iter().filter(|(key, _)| key.starts_with("registries.") && key.ends_with(".index"));
        let registries: Vec<String> = registries.map(|(_, url)| url.clone()).collect();
        let mut source = "crates-io".to_owned();
        for _ in 0..MAX_REPLACEMENTS {
            match settings.get(&format!("source.{source}.replace-with")) {
                Some(next) => source.clone_from(next),
                None if source == "crates-io" => return Some(RegistryHosts::Usual(registries)),
                None => {
                    let of_source = settings.get(&format!("source.{source}.registry"));
                    let url = of_source.or_else(|| settings.get(&format!("registries.{source}.index")))?;
                    return Some(RegistryHosts::Instead(std::iter::once(url.clone()).chain(registries).collect()));
                }
            }
        }
        None
    }

    fn pip(&self) -> Option<RegistryHosts> {
        let environment = self.set("VIRTUAL_ENV").map(|folder| PathBuf::from(folder).join("pip.conf"));
        let named = self.set("PIP_CONFIG_FILE").map(PathBuf::from);
        let old = self.home.map(|home| home.join(".pip/pip.conf"));
        let machine = ["/etc/xdg/pip/pip.conf", "/etc/pip.conf"].map(PathBuf::from);
        let files = named.into_iter().chain(environment).chain(self.config("pip/pip.conf")).chain(old).chain(machine);
        let lines: Vec<(String, String)> = files.flat_map(|file| ini_lines(&text(&file))).collect();
        let all = |variable: &str, key: &str| -> Vec<String> {
            let value = self
                .set(variable)
                .or_else(|| lines.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone()));
            value.iter().flat_map(|value| value.split_whitespace()).map(str::to_owned).collect()
        };
        let mut also = all("PIP_EXTRA_INDEX_URL", "extra-index-url");
        also.extend(all("PIP_FIND_LINKS", "find-links").into_iter().filter(|place| place.contains("://")));
        Some(match all("PIP_INDEX_URL", "index-url") {
            first if first.is_empty() => RegistryHosts::Usual(also),
            first => RegistryHosts::Instead(first.into_iter().chain(also).collect()),
        })
    }

    fn go(&self) -> Option<RegistryHosts> {
        let kept = self.config("go/env").map(|file| ini_lines(&text(&file))).unwrap_or_default();
        let set = |name: &str| {
            let of_file =
                || kept.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.clone());
            self.set(name).or_else(of_file).filter(|value| !value.is_empty())
        };
        // For these modules the server is the module's own.
        if set("GOPRIVATE").or_else(|| set("GONOPROXY")).is_some() {
            return None;
        }
        let Some(proxies) = set("GOPROXY") else { return Some(RegistryHosts::Usual(Vec::new())) };
        let servers = proxies.split([',', '|']).map(str::trim).filter(|one| !matches!(*one, "direct" | "off" | ""));
        let sums = if set("GOSUMDB").is_some() { None } else { Some("https://sum.golang.org".to_owned()) };
        let servers: Vec<String> = servers.map(str::to_owned).collect();
        (!servers.is_empty()).then(|| RegistryHosts::Instead(servers.into_iter().chain(sums).collect()))
    }

    /// The server of `gh`, given the hosts of the repository's remotes.
    pub(crate) fn forge(&self, remotes: &[Reach]) -> Option<Vec<Reach>> {
        let of_repository = self.set("GH_REPO").filter(|name| name.matches('/').count() == 2);
        let of_repository = of_repository.and_then(|name| name.split('/').next().map(str::to_owned));
        let folder = self.set("GH_CONFIG_DIR").map(PathBuf::from).or_else(|| self.config("gh"));
        let known = folder.map(|folder| text(&folder.join("hosts.yml"))).unwrap_or_default();
        let is_known = |name: &str| known.lines().any(|line| line.strip_suffix(':') == Some(name));
        let of_remote = remotes.iter().find_map(|reach| match reach {
            Reach::Host(host) => {
                // `github.com`, or `github.com:22` where it is reached by ssh.
                let name = host.split(':').next().unwrap_or_default();
                is_known(name).then(|| name.to_owned())
            }
            Reach::AnyHost | Reach::Daemon(_) => None,
        });
        let name = of_repository.or_else(|| self.set("GH_HOST")).or(of_remote).unwrap_or_else(|| "github.com".into());
        let server = if name == "github.com" || name.ends_with(".ghe.com") { format!("api.{name}") } else { name };
        match Reach::authority(&server, 443) {
            Reach::Host(host) => Some(vec![Reach::Host(host)]),
            Reach::AnyHost | Reach::Daemon(_) => None,
        }
    }
}

/// What configuration says about a registry.
enum RegistryHosts {
    /// The usual one, and these.
    Usual(Vec<String>),
    /// These instead of the usual one.
    Instead(Vec<String>),
}

/// The hosts of addresses; none if one of them is not certain.
fn urls(urls: &[String]) -> Option<Vec<Reach>> {
    let host = |url: &String| {
        let url = url.trim().trim_start_matches("sparse+").trim_start_matches("registry+");
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        of_address(url).filter(|reach| is_web && *reach != Reach::AnyHost)
    };
    urls.iter().map(host).collect()
}

/// The text of an ordinary file, and nothing of what only looks like one.
fn text(file: &Path) -> String {
    if file.is_file() { includes::text(file) } else { String::new() }
}

/// The `.npmrc` of the project that a folder belongs to.
fn npm_project(folder: &Path) -> Option<PathBuf> {
    let is_top =
        |folder: &&Path| ["package.json", "node_modules", ".npmrc"].iter().any(|name| folder.join(name).exists());
    Some(folder.ancestors().find(is_top).unwrap_or(folder).join(".npmrc"))
}

fn npm_lines(file: &Path) -> Vec<(String, String)> {
    ini_lines(&text(file))
}

/// `key = value`, whatever the section; lines that go on with the one before are joined to it.
fn ini_lines(text: &str) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';', '[']) {
            continue;
        }
        match (trimmed.split_once('='), line.starts_with([' ', '\t']), lines.last_mut()) {
            (None, true, Some((_, value))) => {
                value.push(' ');
                value.push_str(trimmed);
            }
            (Some((key, value)), _, _) => {
                lines.push((key.trim().to_ascii_lowercase(), value.trim().trim_matches('"').to_owned()));
            }
            (None, _, _) => {}
        }
    }
    lines
}

/// Texts of a TOML file under their full names, as far as they stand on one line.
fn toml_texts(text: &str) -> Vec<(String, String)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = format!("{}.", name.trim().replace(['"', '\''], ""));
        } else if let Some((key, value)) = line.split_once('=').filter(|(key, _)| !key.starts_with('#')) {
            let value = value.trim();
            let quote = value.chars().next().filter(|letter| matches!(letter, '"' | '\''));
            let inner = quote.and_then(|quote| value.get(1..)?.split(quote).next());
            let key = key.trim().replace(['"', '\''], "");
            found.extend(inner.map(|inner| (format!("{section}{key}"), inner.to_owned())));
        }
    }
    found
}

#[cfg(test)]
#[path = "configured_tests.rs"]
mod tests;
