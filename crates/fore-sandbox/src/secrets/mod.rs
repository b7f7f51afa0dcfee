//! Which files the model never gets to see: the same set for tools that read without a cage and for every cage. It only looks.

mod appeared;
mod exceptions;
mod identity;
mod index;
mod inotify;
mod list;
mod listings;
mod names;
mod presence;
mod toolchains;

pub(crate) use appeared::{MayCreate, RunWatch};
pub(crate) use exceptions::Exceptions;
pub(crate) use index::{Index, IndexOwner, Indexes, SecretInodes};
pub(crate) use list::{ListedSecrets, USUAL, at_home, in_home, in_order, judged_by_content, listed, names_above};
pub(crate) use listings::Listings;
pub(crate) use names::{Naming, is_a_private_key, naming};
pub(crate) use presence::PathPresence;
pub(crate) use toolchains::moved;

use crate::cages::CageSettings;
use names::is_secret_folder;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a person keeps in our own folder for the model to read.
const MEANT_FOR_THE_MODEL: [&str; 4] = ["AGENTS.md", "agents", "commands", "skills"];

/// What our own folder holds of the session that runs; everything else in there is secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFiles {
    /// Its plans. What its agents noted lies beside them, as `{plan}-agent-{id}.md`.
    pub plans: Vec<PathBuf>,
    /// The folder of its long outputs.
    pub outputs: Option<PathBuf>,
}

impl SessionFiles {
    fn hold(&self, path: &Path) -> bool {
        self.outputs.as_ref().is_some_and(|outputs| path.starts_with(outputs))
            || self.plans.iter().any(|plan| path == plan || is_note_beside(path, plan))
    }

    /// Those that are there, for a cage.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.plans.iter().chain(&self.outputs).map(PathBuf::as_path).filter(|path| path.exists())
    }
}

fn is_note_beside(path: &Path, plan: &Path) -> bool {
    let (Some(name), Some(stem)) = (path.file_name().and_then(|name| name.to_str()), plan.file_stem()) else {
        return false;
    };
    let note = stem.to_str().and_then(|stem| name.strip_prefix(stem)?.strip_prefix("-agent-")?.strip_suffix(".md"));
    note.is_some() && path.parent() == plan.parent()
}

impl CageSettings {
    /// Our own folder.
    pub(crate) fn own_folder(&self) -> Option<PathBuf> {
        self.own_folder.clone().or_else(|| Some(self.home.as_ref()?.join(".forethought")))
    }

    /// What of it is meant to be read.
    pub(crate) fn own_open(&self) -> Vec<PathBuf> {
        self.own_folder().map(|own| MEANT_FOR_THE_MODEL.map(|name| own.join(name)).to_vec()).unwrap_or_default()
    }

    /// The secrets as a command would find them hidden that starts in one of these folders.
    ///
    /// A relative secret counts in every folder: whoever reads without a cage has no folder to start in.
    pub(crate) fn secrets(&self, workspace: &Path, folder: &Path, session: &SessionFiles) -> Secrets {
        self.secrets_among(workspace, &listed(self, [workspace, folder]), session)
    }

    /// The same for places that are known already.
    pub(crate) fn secrets_among(&self, workspace: &Path, listed: &ListedSecrets, session: &SessionFiles) -> Secrets {
        let exceptions = Exceptions::of(self, workspace);
        let own = self.own_folder();
        let real = own.as_ref().and_then(|own| listed.there.real(own));
        let mut own: Vec<PathBuf> = own.into_iter().chain(real).collect();
        own.dedup();
        Secrets { by_name: listed.by_name.clone(), own, session: session.clone(), exceptions }
    }
}

/// The secrets of a workspace by their places and names, found once and asked often.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    /// By the last part of their path, because a search asks about every name it meets.
    by_name: Arc<ByName>,
    /// Our own folder, as it is named and where it is.
    own: Vec<PathBuf>,
    session: SessionFiles,
    exceptions: Exceptions,
}

/// Paths by their last part.
pub(crate) type ByName = HashMap<OsString, Vec<PathBuf>>;

impl Secrets {
    /// Whether this very path is one; a walk that asks at every step need not look at the folders above again.
    pub fn name(&self, path: &Path) -> bool {
        let by_its_name = path.file_name().is_some_and(|name| naming(name) == Naming::Secret);
        self.is_listed(path)
            || self.own.iter().any(|own| path == own)
            || (by_its_name && !self.exceptions.hold(path) && (is_secret_folder(path) || !path.is_dir()))
    }

    /// Whether a path lies in our own folder.
    pub(crate) fn are_our_own(&self, path: &Path) -> bool {
        self.own.iter().any(|own| path.starts_with(own))
    }

    /// Whether the person has said that a file of this name is none.
    pub(crate) fn are_shown(&self, path: &Path) -> bool {
        self.exceptions.hold(path)
    }

    /// Whether this path is one or lies beneath one. It has to be a real path.
    pub fn hold(&self, path: &Path) -> bool {
        if self.own.iter().any(|own| path.starts_with(own)) {
            return !self.is_open(path);
        }
        self.name(path) || path.ancestors().skip(1).any(|part| self.is_listed(part) || is_secret_folder(part))
    }

    /// What of our own folder may be read.
    fn is_open(&self, path: &Path) -> bool {
        let meant = |own: &PathBuf| {
            MEANT_FOR_THE_MODEL.iter().any(|name| path.strip_prefix(own).is_ok_and(|rest| rest.starts_with(name)))
        };
        self.session.hold(path) || self.own.iter().any(meant)
    }

    fn is_listed(&self, path: &Path) -> bool {
        let known = path.file_name().and_then(|name| self.by_name.get(name));
        known.is_some_and(|secrets| {
            secrets
                .iter()
                .any(|secret| if secret.is_absolute() { path == secret.as_path() } else { path.ends_with(secret) })
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the files that are looked for")]
    use super::*;

    fn is_secret(settings: &CageSettings, session: &SessionFiles, shop: &Path, path: &Path) -> bool {
        let secrets = settings.secrets(shop, shop, session);
        secrets.hold(path) || path.canonicalize().is_ok_and(|real| secrets.hold(&real))
    }

    #[test]
    fn a_secret_is_known_by_its_place_its_name_and_where_it_leads() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let (home, shop) = (top.join("home"), top.join("shop"));
        std::fs::create_dir_all(home.join(".ssh/keys")).unwrap();
        for folder in ["api", ".envs/production", ".env/lib"] {
            std::fs::create_dir_all(shop.join(folder)).unwrap();
        }
        for file in ["home/.ssh/keys/one", "shop/api/.env", "shop/.env.example", "shop/hidden", "shop/.env/pyvenv.cfg"]
        {
            std::fs::write(top.join(file), "").unwrap();
        }
        std::os::unix::fs::symlink(shop.join("hidden"), shop.join("keys")).unwrap();
        std::os::unix::fs::symlink(home.join(".ssh"), shop.join("safe")).unwrap();
        let settings = CageSettings {
            home: Some(home),
            secrets: ["~/.ssh", "/etc/shadow", "keys"].map(PathBuf::from).to_vec(),
            ..CageSettings::default()
        };
        let page = [
            ("home/.ssh", true),
            ("home/.ssh/keys/one", true),
            ("home/.ssh/not/there", true),
            ("home/.sshd", false),
            ("shop/.env.prod", true),
            ("shop/api/.env", true),
            ("shop/.env.example", false),
            ("shop/.envs/production/django", true),
            ("shop/.env/lib/site.py", false),
            ("shop/keys", true),
            ("shop/hidden", true),
            ("shop/safe/keys/one", true),
            ("shop/api", false),
            ("shop/api/tls/server.key", true),
            ("/etc/shadow", true),
            ("/etc/passwd", false),
        ];
        let session = SessionFiles::default();
        let found = page.map(|(path, _)| (path, is_secret(&settings, &session, &shop, &top.join(path))));
        assert_eq!(found, page);
    }

    #[test]
    fn of_our_own_folder_only_this_sessions_files_and_what_is_written_for_the_model_are_read() {
        let settings = CageSettings { home: Some("/home/ada".into()), ..CageSettings::default() };
        let session = SessionFiles {
            plans: vec!["/home/ada/.forethought/plans/quiet-fox.md".into()],
            outputs: Some("/home/ada/.forethought/outputs/s1".into()),
        };
        let page = [
            ("", true),
            ("settings.json", true),
            ("sessions/s1.jsonl", true),
            ("plans/quiet-fox.md", false),
            ("plans/quiet-fox-agent-a1.md", false),
            ("plans/quiet-fox-agent-a1.txt", true),
            ("plans/other-owl.md", true),
            ("outputs/s1/0001.txt", false),
            ("outputs/s2/0001.txt", true),
            ("AGENTS.md", false),
            ("skills/review/SKILL.md", false),
            ("agents/critic.md", false),
            ("commands/git/commit.md", false),
        ];
        let own = Path::new("/home/ada/.forethought");
        let shop = Path::new("/projects/shop");
        let found = page.map(|(path, _)| (path, is_secret(&settings, &session, shop, &own.join(path))));
        assert_eq!(found, page);
        let moved = CageSettings { own_folder: Some("/data/fore".into()), ..settings };
        assert!(is_secret(&moved, &session, shop, Path::new("/data/fore/settings.json")));
    }

    #[test]
    fn a_walk_meets_a_secret_by_its_very_path() {
        let settings = CageSettings {
            home: Some("/home/ada".into()),
            secrets: ["~/.ssh", "conf/keys"].map(PathBuf::from).to_vec(),
            ..CageSettings::default()
        };
        let shop = Path::new("/projects/shop");
        let secrets = settings.secrets(shop, shop, &SessionFiles::default());
        let met = ["/home/ada/.ssh", "/home/ada/.ssh/id", "/projects/shop/a/conf/keys", "/projects/shop/keys"]
            .map(|path| (secrets.name(Path::new(path)), secrets.hold(Path::new(path))));
        assert_eq!(met, [(true, true), (false, true), (true, true), (false, false)]);
    }
}
