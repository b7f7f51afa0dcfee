//! Which files nobody may read, for tools that read without a cage: the same line that the cages hold. It only looks.

use crate::cages::Settings;
use crate::draft;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The secrets of a workspace, found once and asked often.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    /// By the last part of their path, because a search asks about every name it meets.
    by_name: HashMap<OsString, Vec<PathBuf>>,
}

impl Settings {
    /// The secrets as a command would find them hidden that starts in one of these folders.
    ///
    /// A relative secret counts in every folder: whoever reads without a cage has no folder to start in.
    pub fn secrets(&self, workspace: &Path, folder: &Path) -> Secrets {
        let mut secrets = Secrets::default();
        for place in draft::secrets(self, [workspace, folder]) {
            // A secret may be a link, and what it leads to is as secret.
            let real = place.path().canonicalize().ok();
            [Some(place.path().to_owned()), real].into_iter().flatten().for_each(|path| secrets.add(path));
        }
        let is_relative = |path: &&PathBuf| draft::at_home(self, path).is_none();
        self.secrets.iter().filter(is_relative).for_each(|path| secrets.add(path.clone()));
        secrets
    }

    /// Whether this is a secret or lies beneath one, under any name it has.
    pub fn is_secret(&self, workspace: &Path, path: &Path) -> bool {
        let secrets = self.secrets(workspace, workspace);
        secrets.hold(path) || path.canonicalize().is_ok_and(|real| secrets.hold(&real))
    }
}

impl Secrets {
    fn add(&mut self, path: PathBuf) {
        let Some(name) = path.file_name() else { return };
        let paths = self.by_name.entry(name.to_owned()).or_default();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }

    /// Whether this very path is one; a walk that asks at every step need not look at the folders above again.
    pub fn name(&self, path: &Path) -> bool {
        let known = path.file_name().and_then(|name| self.by_name.get(name));
        known.is_some_and(|secrets| {
            secrets
                .iter()
                .any(|secret| if secret.is_absolute() { path == secret.as_path() } else { path.ends_with(secret) })
        })
    }

    /// Whether this path is one or lies beneath one. It has to be a real path.
    pub fn hold(&self, path: &Path) -> bool {
        path.ancestors().any(|part| self.name(part))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the files that are looked for")]
    use super::*;

    #[test]
    fn a_secret_is_known_by_its_place_its_name_and_where_it_leads() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        let (home, shop) = (top.join("home"), top.join("shop"));
        std::fs::create_dir_all(home.join(".ssh/keys")).unwrap();
        std::fs::create_dir_all(shop.join("api")).unwrap();
        for file in ["home/.ssh/keys/one", "shop/.env", "shop/api/.env", "shop/.env.example", "shop/hidden"] {
            std::fs::write(top.join(file), "").unwrap();
        }
        std::os::unix::fs::symlink(shop.join("hidden"), shop.join(".env.local")).unwrap();
        std::os::unix::fs::symlink(home.join(".ssh"), shop.join("safe")).unwrap();
        let settings = Settings {
            home: Some(home),
            secrets: ["~/.ssh", "/etc/shadow", ".env", ".env.local"].map(PathBuf::from).to_vec(),
            ..Settings::default()
        };
        let page = [
            ("home/.ssh", true),
            ("home/.ssh/keys/one", true),
            ("home/.ssh/not/there", true),
            ("home/.sshd", false),
            ("shop/.env", true),
            ("shop/api/.env", true),
            ("shop/.env.example", false),
            ("shop/.env.local", true),
            ("shop/hidden", true),
            ("shop/safe/keys/one", true),
            ("shop/api", false),
            ("/etc/shadow", true),
            ("/etc/passwd", false),
        ];
        let found = page.map(|(path, _)| (path, settings.is_secret(&shop, &top.join(path))));
        assert_eq!(found, page);
    }

    #[test]
    fn a_walk_meets_a_secret_by_its_very_path() {
        let settings = Settings {
            home: Some("/home/ada".into()),
            secrets: ["~/.ssh", "conf/keys"].map(PathBuf::from).to_vec(),
            ..Settings::default()
        };
        let shop = Path::new("/projects/shop");
        let secrets = settings.secrets(shop, shop);
        let met = ["/home/ada/.ssh", "/home/ada/.ssh/id", "/projects/shop/a/conf/keys", "/projects/shop/keys"]
            .map(|path| (secrets.name(Path::new(path)), secrets.hold(Path::new(path))));
        assert_eq!(met, [(true, true), (false, true), (true, true), (false, false)]);
    }
}
