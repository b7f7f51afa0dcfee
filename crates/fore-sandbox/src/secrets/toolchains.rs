//! Logins that tools keep near the top of their own folders, which cages show as they are: found by name, and in settings by content.

use super::index::inspect;
use super::names::{Naming, SecretContent, naming};
use super::presence::PathPresence;
use crate::personal;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A folder and those in it.
const MAX_DEPTH: usize = 2;
/// Names that are looked at, of one folder and of all.
const MAX_IN_FOLDER: usize = 2_000;
const MAX_NAMES: usize = 20_000;
/// Files that are looked into.
const MAX_LOOKED_INTO: usize = 500;
/// Settings are small.
const MAX_SETTINGS_BYTES: u64 = 64 << 10;
/// How settings end, and what has no end.
const SETTINGS: [&str; 18] = [
    "gradle",
    "kts",
    "toml",
    "yaml",
    "yml",
    "json",
    "conf",
    "cfg",
    "ini",
    "config",
    "properties",
    "env",
    "fish",
    "sh",
    "lua",
    "rc",
    "sbt",
    "xml",
];
/// Folders of programs and caches: full of files that are nobody's settings.
const NOT_SETTINGS: [&str; 12] = [
    ".cache",
    ".npm",
    ".rustup",
    ".pnpm-store",
    ".ccache",
    "bin",
    "go",
    "opt",
    "sdk",
    "perl5",
    ".local/bin",
    ".local/lib",
];
/// Folders in them that hold no settings.
const OF_PROGRAMS: [&str; 16] = [
    ".git",
    ".github",
    "bin",
    "completions",
    "doc",
    "lib",
    "libexec",
    "man",
    "plugins",
    "sbin",
    "share",
    "shims",
    "src",
    "test",
    "toolchains",
    "versions",
];
/// Variables that say where a folder or file of the home really is.
const MOVED: [(&str, &str); 31] = [
    ("XDG_CONFIG_HOME", "~/.config"),
    ("XDG_DATA_HOME", "~/.local/share"),
    ("XDG_STATE_HOME", "~/.local/state"),
    ("XDG_CACHE_HOME", "~/.cache"),
    ("CARGO_HOME", "~/.cargo"),
    ("GRADLE_USER_HOME", "~/.gradle"),
    ("BUNDLE_USER_HOME", "~/.bundle"),
    ("BUNDLE_USER_CONFIG", "~/.bundle/config"),
    ("PUB_CACHE", "~/.pub-cache"),
    ("COMPOSER_HOME", "~/.composer"),
    ("GNUPGHOME", "~/.gnupg"),
    ("DOCKER_CONFIG", "~/.docker"),
    ("KUBECONFIG", "~/.kube/config"),
    ("AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials"),
    ("AWS_CONFIG_FILE", "~/.aws/config"),
    ("AZURE_CONFIG_DIR", "~/.azure"),
    ("CLOUDSDK_CONFIG", "~/.config/gcloud"),
    ("GOOGLE_APPLICATION_CREDENTIALS", "~/.config/gcloud"),
    ("PASSWORD_STORE_DIR", "~/.password-store"),
    ("RCLONE_CONFIG", "~/.config/rclone"),
    ("NETRC", "~/.netrc"),
    ("PGPASSFILE", "~/.pgpass"),
    ("NPM_CONFIG_USERCONFIG", "~/.npmrc"),
    ("PIP_CONFIG_FILE", "~/.config/pip"),
    ("BOTO_CONFIG", "~/.boto"),
    ("HISTFILE", "~/.bash_history"),
    ("HF_HOME", "~/.cache/huggingface"),
    ("CODEX_HOME", "~/.codex"),
    ("CLAUDE_CONFIG_DIR", "~/.claude"),
    ("GH_CONFIG_DIR", "~/.config/gh"),
    ("PULUMI_HOME", "~/.pulumi"),
];

/// The same places where a variable says that they are elsewhere.
pub(crate) fn moved(secrets: &[&str], variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (name, usual) in MOVED {
        let Some(value) = variable(name) else { continue };
        // Some name several, as PATH does.
        for place in std::env::split_paths(&value).filter(|place| place.is_absolute()) {
            let rests = secrets.iter().filter_map(|secret| Path::new(secret).strip_prefix(usual).ok());
            found.extend(rests.map(|rest| if rest.as_os_str().is_empty() { place.clone() } else { place.join(rest) }));
            // A file in a folder that is secret as a whole.
            if secrets.iter().any(|secret| Path::new(usual).starts_with(secret) && usual != *secret) {
                found.push(place);
            }
        }
    }
    found
}

/// What is secret there. `looked_at` gets what that depends on besides the names in the folders.
pub(super) fn find(home: &Path, there: &PathPresence, looked_at: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    let mut search = Search { there, looked_at, found: Vec::new(), names: 0, looked_into: 0 };
    for place in personal::toolchains(home).into_iter().filter(|place| there.may_be(place)) {
        let rest = place.strip_prefix(home).unwrap_or(&place);
        let has_settings = !NOT_SETTINGS.iter().any(|name| rest == Path::new(name));
        if place.is_file() {
            let name = place.file_name().unwrap_or_default().to_owned();
            search.meet(place, &name, true);
        } else if place.is_dir() {
            search.go_through(&place, 1, has_settings && !is_of_programs(&place));
        }
    }
    search.found
}

struct Search<'a> {
    there: &'a PathPresence,
    looked_at: &'a mut Vec<PathBuf>,
    found: Vec<PathBuf>,
    names: usize,
    looked_into: usize,
}

impl Search<'_> {
    fn go_through(&mut self, folder: &Path, depth: usize, has_settings: bool) {
        // Remembers the folder as it is: nothing comes to it unnoticed.
        self.there.may_be(&folder.join("any"));
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten().take(MAX_IN_FOLDER) {
            self.names += 1;
            if self.names > MAX_NAMES {
                return;
            }
            let (path, name) = (entry.path(), entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < MAX_DEPTH => {
                    self.go_through(&path, depth + 1, has_settings && !is_of_programs(&path))
                }
                Ok(kind) if kind.is_file() || kind.is_symlink() => self.meet(path, &name, has_settings),
                Ok(_) | Err(_) => {}
            }
        }
    }

    fn meet(&mut self, path: PathBuf, name: &OsStr, has_settings: bool) {
        let content = match naming(name) {
            Naming::Secret => {
                self.found.push(path);
                return;
            }
            Naming::Depends(content) => content,
            Naming::Plain if has_settings && are_settings(&path, name) => SecretContent::AnyKey,
            Naming::Plain => return,
        };
        self.looked_into += 1;
        if self.looked_into > MAX_LOOKED_INTO {
            return;
        }
        if inspect(&path, content) == Some(true) {
            self.found.push(path.clone());
        }
        self.looked_at.push(path);
    }
}

fn is_of_programs(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| OF_PROGRAMS.iter().any(|known| name == *known))
}

fn are_settings(path: &Path, name: &OsStr) -> bool {
    let is_named = match Path::new(name).extension() {
        Some(end) => SETTINGS.iter().any(|known| end == *known),
        None => true,
    };
    // What is started is a program, whatever it is called.
    let is_small = |facts: &Metadata| facts.len() <= MAX_SETTINGS_BYTES && facts.mode() & 0o111 == 0;
    is_named && path.metadata().is_ok_and(|facts| facts.is_file() && is_small(&facts))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the files that are looked for")]
    use super::*;

    #[test]
    fn logins_of_tools_are_found_and_their_other_settings_are_not() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let page = [
            (".bundle/config", "BUNDLE_GEMS__EXAMPLE__COM: \"me:swordfish\"\n", true),
            (".yarn/config", "BUNDLE_PATH: vendor\n", false),
            (".bazelrc", "build --remote_header=x-token=abcdefghijkl\ntoken = abcdefghijkl\n", true),
            (".inputrc", "set bell-style none\n", false),
            (".gradle/init.gradle", "credentials { password = 'swordfish1' }\npassword = 'swordfish1'\n", true),
            (".pub-cache/credentials.json", "{}", true),
            (".sbt/1.0/credentials.sbt", "credentials += Credentials(\"r\", \"h\", \"me\", \"x\")\n", true),
            (".cabal/config", "repository hackage\n  password: swordfish1\n", true),
            (".stack/config.yaml", "templates:\n  params:\n    author-name: me\n", false),
            (".npm/.env", "A=1", true),
            (".cargo/registry/my.key", "x", true),
            (".cargo/config.toml", "[net]\noffline = true\n", false),
            (".config/fish/fish_variables", "SETUVAR --export OPENAI_API_KEY:sk\\x2dabcdefghijkl\n", true),
            (".config/fish/config.fish", "set -gx EDITOR vim\n", false),
            (".config/nix/nix.conf", "access-tokens = github.com=ghp_abcdefghijklmnop\n", true),
            (".config/pnpm/rc", "//r.example.com/:_authToken=abcdefghijkl\n", true),
            (".config/go/env", "GOPROXY=https://me:swordfish@go.example.com\n", true),
            (".config/mise/config.toml", "[tools]\nnode = \"22\"\n", false),
            (".local/share/gradle/gradle.properties", "signing.password=swordfish\n", true),
            (".local/share/uv/tools/x/y/z.toml", "token = \"swordfish1\"\n", false),
        ];
        for (name, text, _) in page {
            let path = home.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let found = find(&home, &PathPresence::default(), &mut Vec::new());
        for (name, _, is_secret) in page {
            assert_eq!(found.contains(&home.join(name)), is_secret, "{name}");
        }
    }

    #[test]
    fn a_variable_moves_what_is_secret() {
        let secrets = ["~/.cargo/credentials.toml", "~/.kube", "~/.netrc", "~/.config/gh", "~/.ssh"];
        let variables = [
            ("CARGO_HOME", "/data/cargo"),
            ("KUBECONFIG", "/data/kube.yaml:/data/other.yaml"),
            ("NETRC", "/data/netrc"),
            ("XDG_CONFIG_HOME", "/data/config"),
            ("GNUPGHOME", "relative"),
        ];
        let found = moved(&secrets, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        });
        let expected =
            ["/data/config/gh", "/data/cargo/credentials.toml", "/data/kube.yaml", "/data/other.yaml", "/data/netrc"]
                .map(PathBuf::from);
        assert_eq!(found, expected);
    }
}
