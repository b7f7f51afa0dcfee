//! The environment of a child: built up from nothing, so that no credential and no steering variable comes along by accident.

pub(crate) mod added;

use crate::git::GitReading;
use crate::secrets::PathPresence;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Names and values, as a process is started with them.
pub type Variables = Vec<(OsString, OsString)>;

/// What the child is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvironmentPurpose {
    /// Looking only: git runs nothing that a repository or a configuration names, and neither fetches, locks nor asks.
    Reading(GitReading),
    /// Builds, tests and changes: git as the person has set it up.
    Working,
}

/// The environment of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Environment {
    /// This process's own, cleaned for the cage that the job runs in.
    Cleaned,
    /// Exactly these variables.
    Exactly(Variables),
}

/// Kept as they are: who, where, language, and how to trust servers.
const KEPT: [&str; 25] = [
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    // By name: some people send passwords through ssh in variables that begin like these.
    "LC_ALL",
    "LC_ADDRESS",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "TZ",
    "TZDIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NIX_SSL_CERT_FILE",
    "NIX_PROFILES",
    "NO_COLOR",
];
/// Where toolchains live. A value inside the workspace is dropped: the project would choose what runs.
const TOOLCHAINS: [&str; 16] = [
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "GOROOT",
    "GOMODCACHE",
    "JAVA_HOME",
    "GRADLE_USER_HOME",
    "NVM_DIR",
    "VOLTA_HOME",
    "PNPM_HOME",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "BUN_INSTALL",
];
/// A proxy address is needed for the network, but not with a password in it.
const PROXIES: [&str; 8] =
    ["http_proxy", "https_proxy", "no_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY"];
/// Where packages come from; an address is needed, but not with a password in it.
const REGISTRIES: [&str; 10] = [
    "npm_config_registry",
    "NPM_CONFIG_REGISTRY",
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "UV_INDEX_URL",
    "UV_DEFAULT_INDEX",
    "GOPROXY",
    "GOSUMDB",
    "GOPRIVATE",
    "GONOPROXY",
];
/// Files with the certificates of a network's own. One inside the workspace is dropped: the project would say whom to trust.
const CERTIFICATES: [&str; 6] =
    ["PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO"];
const SYSTEM_PATH: [&str; 6] = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
/// No pager, no prompt, no colour codes, no history.
const FIXED: [(&str, &str); 9] = [
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("LESSSECURE", "1"),
    ("LESSHISTFILE", "-"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];
/// Tools that keep logs of their own or look for news even when they only list something.
const QUIET: [(&str, &str); 5] = [
    ("npm_config_cache", "/tmp/npm-cache"),
    ("npm_config_logs_max", "0"),
    ("npm_config_update_notifier", "false"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("CHECKPOINT_DISABLE", "1"),
];

/// This process's environment, cleaned.
pub fn of_this_process(workspace: &Path, purpose: &EnvironmentPurpose) -> Variables {
    for_a_run(workspace, purpose, &PathPresence::default())
}

/// The same, for a run that looks at the disk anyway.
pub(crate) fn for_a_run(workspace: &Path, purpose: &EnvironmentPurpose, there: &PathPresence) -> Variables {
    clean(crate::person_environment::variables(), workspace, purpose, there)
}

/// The cleaned environment for a child that works in `workspace`.
fn clean(
    parent: impl IntoIterator<Item = (OsString, OsString)>,
    workspace: &Path,
    purpose: &EnvironmentPurpose,
    there: &PathPresence,
) -> Variables {
    let mut variables: Variables = Vec::new();
    let mut path = OsString::new();
    for (name, value) in parent {
        let Some(text) = name.to_str() else { continue };
        let keep = KEPT.contains(&text)
            || ((TOOLCHAINS.contains(&text) || CERTIFICATES.contains(&text))
                && is_outside(Path::new(&value), workspace, there))
            || ((PROXIES.contains(&text) || REGISTRIES.contains(&text)) && !value.as_encoded_bytes().contains(&b'@'));
        if text == "PATH" {
            path = value;
        } else if keep {
            variables.push((name, value));
        }
    }
    variables.push(("PATH".into(), safe_path(&path, workspace, there)));
    variables.push(("TMPDIR".into(), "/tmp".into()));
    variables.push(("SHELL".into(), "/bin/sh".into()));
    variables.extend(FIXED.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
    if let EnvironmentPurpose::Reading(git) = purpose {
        variables.extend(QUIET.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
        for (name, value) in git.environment() {
            variables.retain(|(known, _)| *known != *name);
            variables.push((name.into(), value.into()));
        }
    }
    variables
}

/// The person's own search path without relative folders and without folders of the workspace, and the system's at its end.
fn safe_path(path: &OsStr, workspace: &Path, there: &PathPresence) -> OsString {
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(path).chain(SYSTEM_PATH.iter().map(PathBuf::from)) {
        if is_outside(&folder, workspace, there) && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    // A folder with a colon in its name cannot be on a path; then the system's folders do.
    std::env::join_paths(&folders).unwrap_or_else(|_| SYSTEM_PATH.join(":").into())
}

/// Absolute, and neither by name nor by where its links lead inside the workspace.
fn is_outside(path: &Path, workspace: &Path, there: &PathPresence) -> bool {
    let true_place = there.real(path).unwrap_or_else(|| path.to_owned());
    path.is_absolute() && !path.starts_with(workspace) && !true_place.starts_with(workspace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_shell::git::hardening;

    fn cleaned(parent: &[(&str, &str)], purpose: &EnvironmentPurpose) -> Vec<(String, String)> {
        let parent = parent.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let fixed: Vec<&str> = FIXED.iter().map(|(name, _)| *name).chain(["TMPDIR", "SHELL"]).collect();
        clean(parent, Path::new("/w"), purpose, &PathPresence::default())
            .into_iter()
            .map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()))
            .filter(|(name, _)| !fixed.contains(&name.as_str()))
            .collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    const SYSTEM: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    #[test]
    fn nothing_steers_and_nothing_secret_comes_along() {
        let parent = [
            ("HOME", "/home/x"),
            ("LC_ALL", "C"),
            ("LC_TOKEN", "k"),
            ("LD_PRELOAD", "/w/evil.so"),
            ("BASH_ENV", "/w/rc"),
            ("GIT_DIR", "/w"),
            ("GIT_SSH_COMMAND", "x"),
            ("ANTHROPIC_API_KEY", "k"),
            ("AWS_SECRET_ACCESS_KEY", "k"),
            ("SSH_AUTH_SOCK", "/tmp/a"),
            ("DOCKER_HOST", "unix:///x"),
            ("NODE_OPTIONS", "-r x"),
            ("BASH_FUNC_ls%%", "() { :; }"),
            ("RIPGREP_CONFIG_PATH", "/w/rg"),
            ("LESSOPEN", "|x"),
            ("PYTHONPATH", "/w"),
            ("PS4", "$(x)"),
        ];
        assert_eq!(
            cleaned(&parent, &EnvironmentPurpose::Working),
            pairs(&[("HOME", "/home/x"), ("LC_ALL", "C"), ("PATH", SYSTEM)])
        );
    }

    #[test]
    fn the_workspace_has_no_place_on_the_path_or_among_toolchains() {
        let parent =
            [("PATH", "/w/bin:/opt/tool:.:bin::/usr/bin"), ("CARGO_HOME", "/w/.cargo"), ("GOPATH", "/home/x/go")];
        let path = "/opt/tool:/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin";
        assert_eq!(cleaned(&parent, &EnvironmentPurpose::Working), pairs(&[("GOPATH", "/home/x/go"), ("PATH", path)]));
    }

    #[test]
    fn a_proxy_is_kept_unless_it_holds_a_password() {
        let parent = [("https_proxy", "http://proxy:3128"), ("http_proxy", "http://me:secret@proxy:3128")];
        assert_eq!(
            cleaned(&parent, &EnvironmentPurpose::Working),
            pairs(&[("https_proxy", "http://proxy:3128"), ("PATH", SYSTEM)])
        );
    }

    #[test]
    fn git_and_chatty_tools_are_held_back_only_while_reading() {
        let filters = vec!["lfs".to_owned()];
        let reading = cleaned(
            &[],
            &EnvironmentPurpose::Reading(GitReading { filters: filters.clone(), ..GitReading::default() }),
        );
        let mut expected = pairs(&[("PATH", SYSTEM)]);
        expected.extend(pairs(&QUIET));
        let fixed: Vec<&str> = FIXED.iter().map(|(name, _)| *name).collect();
        expected
            .extend(hardening::environment(&filters).into_iter().filter(|(name, _)| !fixed.contains(&name.as_str())));
        assert_eq!(reading, expected);
    }

    #[test]
    fn no_variable_comes_twice() {
        let variables =
            clean([], Path::new("/w"), &EnvironmentPurpose::Reading(GitReading::default()), &PathPresence::default());
        let mut names: Vec<_> = variables.iter().map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), variables.len());
    }
}
