//! The usual places of secrets, and where they are on this disk.

use super::ByName;
use super::exceptions::Exceptions;
use super::names::{Naming, SecretContent, naming};
use super::presence::PathPresence;
use crate::cages::CageSettings;
use crate::setup::Mounts;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `~/…`, absolute, or relative: then in every folder. What a single name tells is in `names.rs`.
pub(crate) const USUAL: [&str; 138] = [
    "~/.ssh",
    "~/.config/dart/pub-tokens.json",
    "~/.sbt/.credentials",
    "~/.luarocks/upload_config.lua",
    "~/.config/pypoetry/auth.toml",
    "~/.local/share/uv/credentials",
    "~/.local/share/python_keyring",
    "~/.local/share/python/keyring",
    "~/.aws",
    "~/.azure",
    "~/.gnupg",
    "~/.kube",
    "~/.password-store",
    "~/.oci",
    "~/.config/gh",
    "~/.config/gcloud",
    "~/.config/hub",
    "~/.config/op",
    "~/.config/rclone",
    "~/.config/containers/auth.json",
    "~/.docker/config.json",
    "~/.netrc",
    "~/.npmrc",
    "~/.pypirc",
    "~/.pgpass",
    "~/.my.cnf",
    "~/.mylogin.cnf",
    "~/.git-credentials",
    "~/.config/git/credentials",
    "~/.cargo/credentials",
    "~/.cargo/credentials.toml",
    "~/.gem/credentials",
    "~/.m2/settings-security.xml",
    "~/.terraform.d/credentials.tfrc.json",
    "~/.vault-token",
    "~/.boto",
    "~/.s3cfg",
    "~/.config/sops",
    "~/.config/doctl",
    "~/.config/github-copilot",
    "~/.local/share/keyrings",
    "~/.local/share/kwalletd",
    "~/.mozilla",
    "~/.config/google-chrome",
    "~/.config/chromium",
    "~/.thunderbird",
    "~/.claude/.credentials.json",
    "~/.codex/auth.json",
    "~/.gemini/oauth_creds.json",
    "~/.local/share/opencode/auth.json",
    "~/.bash_history",
    "~/.zsh_history",
    "~/.local/share/fish/fish_history",
    "~/.local/share/powershell/PSReadLine",
    "~/.local/state/bash",
    "~/.local/state/zsh",
    "~/.local/share/nvim/shada",
    "~/.local/state/nvim/shada",
    "~/.local/share/nushell",
    "~/.config/nushell/history.txt",
    "~/.zsh_sessions",
    "~/.bash_sessions",
    "~/.local/share/atuin",
    "~/.m2/settings.xml",
    "~/.gradle/gradle.properties",
    "~/.pip",
    "~/.config/pip",
    "~/.config/glab-cli",
    "~/.config/helm",
    "~/.config/composer/auth.json",
    "~/.composer/auth.json",
    "~/.config/configstore",
    "~/.config/heroku",
    "~/.config/netlify",
    "~/.config/vercel",
    "~/.local/share/com.vercel.cli",
    "~/.config/wandb",
    "~/.config/Code",
    "~/.config/BraveSoftware",
    "~/.config/microsoft-edge",
    "~/.config/JetBrains",
    "~/.config/Slack",
    "~/.config/discord",
    "~/.config/filezilla",
    "~/.config/sublime-merge",
    "~/.config/argocd",
    "~/.config/fly",
    "~/.config/stripe",
    "~/.config/ngrok",
    "~/.config/scw",
    "~/.config/linode-cli",
    "~/.config/hcloud",
    "~/.config/goose",
    "~/.config/anthropic",
    "~/.config/openai",
    "~/.wrangler",
    "~/.config/.wrangler",
    "~/.subversion/auth",
    "~/.fly",
    "~/.claude.json",
    "~/.curlrc",
    "~/.wgetrc",
    "~/.pulumi",
    "~/.databrickscfg",
    "~/.minikube",
    "~/.terraformrc",
    "~/.huggingface",
    "~/.cache/huggingface/token",
    "~/.cache/huggingface/stored_tokens",
    "~/.kaggle",
    "~/.snowflake",
    "~/.dbt/profiles.yml",
    "~/.circleci",
    "~/.travis",
    "~/.nuget/NuGet/NuGet.Config",
    "~/.config/NuGet",
    "~/.sbt/.credentials",
    "~/.ivy2/.credentials",
    "~/.hex",
    "~/.android/adbkey",
    "~/.authinfo",
    "~/.authinfo.gpg",
    "~/.msmtprc",
    "~/.mbsyncrc",
    "~/.fetchmailrc",
    "~/.smbcredentials",
    // At any depth.
    ".aws/credentials",
    ".kube/config",
    ".docker/config.json",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/var/lib/sss/secrets",
    "/var/spool/cron",
];

/// The keys of this machine's own ssh server, beside its public ones.
const HOST_KEYS: [&str; 4] = ["rsa", "dsa", "ecdsa", "ed25519"];
/// Names looked for in the folders above a workspace, which may be too full to be read through at each run.
const ABOVE: [&str; 9] = [
    ".env",
    ".env.local",
    ".env.development",
    ".env.test",
    ".env.staging",
    ".env.prod",
    ".env.production",
    ".env.production.local",
    ".envrc",
];
/// Names of the person's home that are looked at.
const MAX_IN_HOME: usize = 10_000;
/// Homes of others that are looked at.
const MAX_HOMES: usize = 1_000;

/// What is secret by its place.
#[derive(Debug, Default)]
pub(crate) struct ListedSecrets {
    /// Also what is not there, and may come.
    pub(crate) all: Vec<PathBuf>,
    /// What is there, and where it leads.
    pub(crate) found: BTreeMap<PathBuf, PathBuf>,
    /// Both, and what is relative, by the last part of the path.
    pub(super) by_name: Arc<ByName>,
    /// What the search for it has seen of the disk.
    pub(crate) there: PathPresence,
    /// What else it depends on; none where that cannot be told, such as what links lead to.
    pub(super) looked_at: Option<Vec<PathBuf>>,
}

/// Everything that is secret by its place, under all names that it has. A relative setting holds in every folder from the top of
/// the disk down to where a command works: the project may begin further up than the workspace does.
pub(crate) fn listed(settings: &CageSettings, folders: [&Path; 2]) -> ListedSecrets {
    listed_of(settings, folders, PathPresence::default())
}

/// The same, for a run that has looked at the disk already.
pub(super) fn listed_of(settings: &CageSettings, folders: [&Path; 2], there: PathPresence) -> ListedSecrets {
    let above: BTreeSet<&Path> = folders.into_iter().flat_map(Path::ancestors).collect();
    let mut looked_at: Vec<PathBuf> = Vec::new();
    let homes = Homes::find(settings, folders, &there, &mut looked_at);
    let has_links = Cell::new(false);
    let is_there = |path: &PathBuf| {
        let may_be = there.may_be(path);
        has_links.set(has_links.get() || (may_be && there.is_link(path)));
        may_be
    };
    let [workspace, _] = folders;
    let exceptions = Exceptions::of(settings, workspace);
    let mut list = homes.closed;
    list.extend(HOST_KEYS.iter().map(|kind| PathBuf::from(format!("/etc/ssh/ssh_host_{kind}_key"))));
    for secret in &settings.secrets {
        match (secret.strip_prefix("~"), at_home(settings, secret)) {
            (in_home, Some(path)) => {
                list.push(path);
                if let Ok(rest) = in_home {
                    list.extend(
                        homes.shared.iter().map(|home| home.join(rest)).filter(|path| is_there(path) && path.exists()),
                    );
                }
            }
            // Most are not there; each that is told to the set-up program costs it a look.
            (_, None) => {
                let places = above.iter().map(|folder| folder.join(secret));
                list.extend(places.filter(|path| is_there(path) && is_worth_hiding(path)));
            }
        }
    }
    for path in above
        .iter()
        .flat_map(|folder| names_above(folder))
        .filter(|path| is_there(path) && is_worth_hiding(path) && !exceptions.hold(path))
    {
        let mark = path.join("pyvenv.cfg");
        if !mark.is_file() {
            list.push(path);
        }
        looked_at.push(mark);
    }
    for (path, content) in settings.home.iter().flat_map(|home| looked_into(home)).filter(|(path, _)| is_there(path)) {
        if super::index::inspect(&path, content) == Some(true) && !exceptions.hold(&path) {
            list.push(path.clone());
        }
        looked_at.push(path);
    }
    if let Some(home) = &settings.home {
        let found = super::toolchains::find(home, &there, &mut looked_at);
        list.extend(found.into_iter().filter(|path| !exceptions.hold(path)));
    }
    list.retain(|path| {
        let harmless = is_there(path).then(|| is_known_harmless(path)).flatten();
        looked_at.extend(harmless.map(|_| path.clone()));
        harmless != Some(true)
    });
    // A bind mount gives a file a second name.
    let mounts = Mounts::now().ok();
    let find = |path: &PathBuf| Some((path.clone(), real(path, &there)?));
    let mut found: BTreeMap<PathBuf, PathBuf> = list.iter().filter_map(find).collect();
    let others: BTreeSet<PathBuf> =
        found.values().flat_map(|path| mounts.iter().flat_map(|mounts| mounts.other_names(path))).collect();
    found.extend(others.iter().filter_map(find));
    list.extend(others);
    in_order(&mut list);
    let looked_at = (!has_links.get()).then_some(looked_at);
    let by_name = Arc::new(by_name(settings, &list, &found));
    ListedSecrets { all: list, found, by_name, there, looked_at }
}

/// What is secret in a folder above a workspace, if it is there.
pub(crate) fn names_above(folder: &Path) -> [PathBuf; 9] {
    ABOVE.map(|name| folder.join(name))
}

/// A secret may be a link, and what it leads to is as secret.
fn by_name(settings: &CageSettings, list: &[PathBuf], found: &BTreeMap<PathBuf, PathBuf>) -> ByName {
    let relative = settings.secrets.iter().filter(|path| at_home(settings, path).is_none());
    let mut by_name = ByName::new();
    for path in list.iter().chain(found.values()).chain(relative) {
        let Some(name) = path.file_name() else { continue };
        let paths = by_name.entry(name.to_owned()).or_default();
        if !paths.contains(path) {
            paths.push(path.clone());
        }
    }
    by_name
}

/// What people put into the settings of their shells and tools, although there are better places. It is shown where it holds no key.
const INSPECTED_FILES: [(&str, SecretContent); 16] = [
    (".bashrc", SecretContent::ShellKey),
    (".bash_profile", SecretContent::ShellKey),
    (".bash_login", SecretContent::ShellKey),
    (".bash_aliases", SecretContent::ShellKey),
    (".profile", SecretContent::ShellKey),
    (".zshrc", SecretContent::ShellKey),
    (".zshenv", SecretContent::ShellKey),
    (".zprofile", SecretContent::ShellKey),
    (".config/fish/config.fish", SecretContent::ShellKey),
    (".cargo/env", SecretContent::ShellKey),
    (".gitconfig", SecretContent::GitLogin),
    (".config/git/config", SecretContent::GitLogin),
    (".hgrc", SecretContent::Token),
    (".condarc", SecretContent::Token),
    (".cargo/config", SecretContent::Token),
    (".cargo/config.toml", SecretContent::Token),
];

fn looked_into(home: &Path) -> Vec<(PathBuf, SecretContent)> {
    INSPECTED_FILES.iter().map(|(name, content)| (home.join(name), *content)).collect()
}

/// Everything by its place whose content decides, as far as it is there.
pub(crate) fn judged_by_content(settings: &CageSettings, there: &PathPresence) -> Vec<(PathBuf, SecretContent)> {
    // A quick look first: there are many.
    let maybe =
        settings.secrets.iter().filter(|secret| secret.as_os_str().as_encoded_bytes().ends_with(b"settings.xml"));
    let listed = maybe.filter_map(|secret| {
        let path = at_home(settings, secret)?;
        match path.file_name().map(naming) {
            Some(Naming::Depends(content @ SecretContent::MavenLogin)) => Some((path, content)),
            _ => None,
        }
    });
    let of_home = settings.home.iter().flat_map(|home| looked_into(home));
    listed.chain(of_home).filter(|(path, _)| there.may_be(path)).collect()
}

/// Maven refuses to start without its settings, and needs them without network too; most hold no password. None for what has
/// nothing to do with that.
fn is_known_harmless(path: &Path) -> Option<bool> {
    match path.file_name().map(naming) {
        Some(Naming::Depends(content @ SecretContent::MavenLogin)) => {
            Some(super::index::inspect(path, content) == Some(false))
        }
        _ => None,
    }
}

/// Each path once. By their letters, which is faster than by their parts.
pub(crate) fn in_order(paths: &mut Vec<PathBuf>) {
    paths.sort_unstable_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
    paths.dedup_by(|one, other| one.as_os_str() == other.as_os_str());
}

/// Where a path leads, if it is there.
fn real(path: &Path, there: &PathPresence) -> Option<PathBuf> {
    if !there.may_be(path) {
        return None;
    }
    there.real(path)
}

/// What lies at the top of the person's home and has the name of a secret, or is a pipe or a socket.
pub(crate) fn in_home(settings: &CageSettings) -> Vec<PathBuf> {
    let listing = settings.home.as_ref().and_then(|home| std::fs::read_dir(home).ok());
    let found = listing.into_iter().flatten().flatten().take(MAX_IN_HOME).filter(|entry| {
        let Ok(kind) = entry.file_type() else { return false };
        kind.is_fifo() || kind.is_socket() || (!kind.is_dir() && naming(&entry.file_name()) == Naming::Secret)
    });
    found.map(|entry| entry.path()).filter(|path| is_worth_hiding(path)).collect()
}

/// A repository can hold links, and one named `.env` that leads to `/usr` must not hide all programs.
pub(super) fn is_worth_hiding(path: &Path) -> bool {
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => path.metadata().is_ok_and(|target| target.is_file()),
        Ok(_) => true,
        Err(_) => false,
    }
}

/// `~/…` in the person's home, or an absolute path; `None` for a relative one.
pub(crate) fn at_home(settings: &CageSettings, path: &Path) -> Option<PathBuf> {
    match path.strip_prefix("~") {
        // Without a home there is nothing to hide there.
        Ok(rest) => Some(
            settings.home.as_ref().map_or_else(|| PathBuf::from("/nonexistent").join(rest), |home| home.join(rest)),
        ),
        Err(_) => path.is_absolute().then(|| path.to_owned()),
    }
}

/// The homes of other people, which only root can look into.
#[derive(Debug, Default)]
struct Homes {
    /// Their owners keep everybody out, so nobody but them has business there.
    closed: Vec<PathBuf>,
    /// Open to all, or with the workspace in them: only what is secret in every home is secret there.
    shared: Vec<PathBuf>,
}

impl Homes {
    fn find(settings: &CageSettings, folders: [&Path; 2], there: &PathPresence, looked_at: &mut Vec<PathBuf>) -> Homes {
        let mut homes = Homes::default();
        if !rustix::process::geteuid().is_root() {
            return homes;
        }
        let own = settings.home.as_ref().and_then(|home| there.real(home));
        looked_at.push(PathBuf::from("/home"));
        let listing = std::fs::read_dir("/home").into_iter().flatten().flatten().take(MAX_HOMES);
        for home in listing.map(|entry| entry.path()).chain([PathBuf::from("/root")]) {
            looked_at.push(home.clone());
            let Ok(facts) = home.symlink_metadata() else { continue };
            let is_in_use = |path: &Path| path.starts_with(&home);
            if !facts.is_dir() || own.as_deref() == Some(&home) {
                continue;
            }
            // Root's own home is nobody else's, whatever HOME says.
            let is_closed = facts.permissions().mode() & 0o005 == 0 && facts.uid() != 0;
            if is_closed && !folders.into_iter().any(is_in_use) && !own.as_deref().is_some_and(is_in_use) {
                homes.closed.push(home);
            } else {
                homes.shared.push(home);
            }
        }
        homes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes the files that are looked for")]
    fn secrets_at_home_by_path_and_in_every_folder_on_the_way_are_told_apart() {
        let settings = CageSettings {
            home: Some("/home/x".into()),
            secrets: ["~/.ssh", "/etc/secret", "keys"].map(PathBuf::from).to_vec(),
            ..CageSettings::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let (top, inner) = (folder.path(), folder.path().join("a/b"));
        std::fs::create_dir_all(&inner).unwrap();
        let made = [top.join("keys"), inner.join(".env"), inner.join("keys")];
        for path in &made {
            std::fs::write(path, "").unwrap();
        }
        let found = listed(&settings, [&top.join("a"), &inner]).all;
        for path in made.iter().map(PathBuf::as_path).chain([Path::new("/etc/secret"), Path::new("/home/x/.ssh")]) {
            assert!(found.iter().any(|known| known == path), "{}", path.display());
        }
    }
}
