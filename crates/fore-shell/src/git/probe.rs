//! Decides from a repository's settings what they could make git do. Looks up nothing: the settings are handed in.

use super::{
    keys::{INDEX_HOOK, SettingClass},
    signatures::checks_signatures,
};
use crate::facts::GitFacts;

/// Where a setting was found, as `git config --show-scope` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingScope {
    /// The user's own, or the machine's: nobody else's to write.
    Trusted,
    /// In the repository (`local`, `worktree`, and files they include), or of unknown origin.
    Repository,
}

/// One setting of git, as `git config --list` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Who wrote it.
    pub scope: SettingScope,
    /// Section and name: `core.fsmonitor`.
    pub key: String,
    /// Empty for a key without `=`, which git takes for `true`.
    pub value: Option<String>,
}

/// What was found in and around a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitFound {
    /// All settings, includes followed; those of initialised submodules too.
    pub settings: Vec<Setting>,
    /// Names of the executable files in the hook folder that is in effect (`core.hooksPath` followed); `None` if nobody looked.
    pub hooks: Option<Vec<String>>,
    /// Whether any attribute file exists (`.gitattributes` anywhere, `.git/info/attributes`, `core.attributesFile`); `None` if nobody looked.
    pub attributes: Option<bool>,
}

/// What the settings can make git do.
pub fn probe(found: &GitFound) -> GitFacts {
    let mut armed: Vec<String> = Vec::new();
    for setting in found.settings.iter().filter(|setting| setting.scope == SettingScope::Repository) {
        if is_armed(setting, found) && !armed.contains(&setting.key) {
            armed.push(setting.key.clone());
        }
    }
    let index_hook = found.hooks.as_ref().is_some_and(|hooks| hooks.iter().any(|hook| hook == "post-index-change"));
    if index_hook || found.hooks.is_none() {
        armed.push(INDEX_HOOK.to_owned());
    }
    if armed.is_empty() { GitFacts::Quiet } else { GitFacts::Armed(armed) }
}

/// Reads the output of `git config --list --includes -z --show-scope`. What cannot be read counts as the repository's own.
pub fn settings(listing: &str) -> Vec<Setting> {
    let mut fields = listing.split('\0');
    let mut settings = Vec::new();
    while let Some(scope) = fields.next() {
        let Some(pair) = fields.next() else { break };
        let (key, value) = match pair.split_once('\n') {
            Some((key, value)) => (key, Some(value.to_owned())),
            None => (pair, None),
        };
        let scope = match scope {
            "system" | "global" | "command" => SettingScope::Trusted,
            _ => SettingScope::Repository,
        };
        settings.push(Setting { scope, key: key.to_owned(), value });
    }
    settings
}

fn is_armed(setting: &Setting, found: &GitFound) -> bool {
    let Some(class) = SettingClass::of_key(&setting.key) else {
        return false;
    };
    let value = setting.value.as_deref().unwrap_or("true");
    let key = setting.key.to_ascii_lowercase();
    let name = key.rsplit('.').next().unwrap_or_default();
    let off = matches!(value.to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0" | "");
    match (class, key.as_str()) {
        (_, "core.fsmonitor" | "status.submodulesummary" | "submodule.recurse") => !off,
        (_, "log.showsignature") => !off,
        (_, "core.worktree") => !is_tree_of_submodule(value),
        (_, "log.diffmerges") => value.starts_with('r'),
        // The hooks that are in effect are listed one by one.
        (_, "core.hookspath") => found.hooks.is_none(),
        (_, "diff.submodule") => value != "short" && value != "log",
        // Drivers and filters act only on files that an attribute gives them.
        (SettingClass::WorkTree, _) if key.starts_with("filter.") => {
            found.attributes != Some(false) && !value.is_empty()
        }
        (SettingClass::Drivers, "diff.external") => true,
        (SettingClass::Drivers, _) => found.attributes != Some(false) && !(name == "cachetextconv" && off),
        (SettingClass::Signature, _) if key == "format.pretty" || key.starts_with("pretty.") => {
            checks_signatures(value)
        }
        (SettingClass::Pager, _) => {
            let is_switch = key != "core.pager" && is_boolean(value);
            !is_switch && !matches!(value, "cat" | "less" | "more" | "")
        }
        (SettingClass::Remote, _) => is_armed_remote(&key, name, value),
        (SettingClass::Objects, _) => !off,
        (SettingClass::WorkTree | SettingClass::Signature | SettingClass::Archive | SettingClass::Dormant, _) => true,
    }
}

/// As git writes it in every submodule: up out of the git folder, and down to a folder of the project.
fn is_tree_of_submodule(value: &str) -> bool {
    let mut parts = value.split('/').skip_while(|part| *part == "..").peekable();
    value.starts_with("../../") && parts.peek().is_some() && parts.all(|part| !matches!(part, "" | "." | ".."))
}

fn is_boolean(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "true" | "yes" | "on" | "1" | "false" | "no" | "off" | "0")
}

fn is_armed_remote(key: &str, name: &str, value: &str) -> bool {
    let is_remote_url = key.starts_with("remote.") && (name == "url" || name == "pushurl");
    if is_remote_url {
        // `ext::…` and other helpers; plain addresses are what every repository has.
        return value.contains("::") || value.starts_with('-');
    }
    if key.starts_with("protocol.") {
        return value != "never";
    }
    if key.starts_with("http.") {
        return !matches!(
            name,
            "postbuffer" | "lowspeedlimit" | "lowspeedtime" | "version" | "sslverify" | "useragent"
        );
    }
    !value.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(pairs: &[(&str, &str)]) -> GitFound {
        let setting = |(key, value): &(&str, &str)| Setting {
            scope: SettingScope::Repository,
            key: (*key).into(),
            value: Some((*value).into()),
        };
        GitFound { settings: pairs.iter().map(setting).collect(), hooks: Some(vec![]), attributes: Some(true) }
    }

    #[test]
    fn an_ordinary_clone_is_quiet() {
        let found = local(&[
            ("core.repositoryformatversion", "0"),
            ("core.filemode", "true"),
            ("core.bare", "false"),
            ("remote.origin.url", "git@example.com:a/b.git"),
            ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
            ("branch.main.remote", "origin"),
            ("user.email", "me@example.com"),
            ("core.hookspath", ".husky"),
            ("core.fsmonitor", "false"),
            ("core.pager", "cat"),
            ("pager.log", "false"),
            ("submodule.a.url", "https://example.com/a.git"),
            ("core.worktree", "../../../lib/a"),
            ("lfs.repositoryformatversion", "0"),
            ("gc.auto", "0"),
        ]);
        assert_eq!(probe(&found), GitFacts::Quiet);
    }

    #[test]
    fn each_dangerous_setting_is_named() {
        let keys = [
            ("core.fsmonitor", "./prog"),
            ("core.fsmonitor", "true"),
            ("diff.external", "./prog"),
            ("diff.x.command", "./prog"),
            ("diff.X.Y.textconv", "./prog"),
            ("filter.x.clean", "./prog"),
            ("filter.lfs.process", "git-lfs filter-process"),
            ("gpg.program", "./prog"),
            ("gpg.ssh.program", "./prog"),
            ("log.showsignature", "true"),
            ("format.pretty", "%h %G?"),
            ("pretty.mine", "format:%GS"),
            ("core.pager", "./prog"),
            ("pager.log", "./prog"),
            ("core.sshcommand", "./prog"),
            ("remote.origin.uploadpack", "./prog"),
            ("remote.origin.url", "ext::sh -c prog"),
            ("remote.origin.promisor", "true"),
            ("url.ext::sh.insteadof", "https://"),
            ("credential.helper", "!prog"),
            ("credential.https://a.b.helper", "!prog"),
            ("protocol.ext.allow", "always"),
            ("tar.tgz.command", "./prog"),
            ("alias.st", "!prog"),
            ("man.x.cmd", "prog"),
            ("merge.x.driver", "prog"),
            ("status.submodulesummary", "true"),
            ("diff.submodule", "diff"),
            ("submodule.recurse", "true"),
            ("log.diffmerges", "remerge"),
            ("hook.mine.command", "./prog"),
            ("gc.recentObjectsHook", "./prog"),
            ("imap.tunnel", "./prog"),
            ("lfs.customtransfer.x.path", "./prog"),
            ("lfs.standalonetransferagent", "x"),
            ("lfs.https://a.b/c.standalonetransferagent", "x"),
            ("lfs.extension.x.clean", "./prog"),
            ("core.worktree", "/elsewhere"),
            ("core.worktree", "../.."),
            ("core.worktree", "../../a/../../b"),
            ("core.attributesFile", "x"),
        ];
        for (key, value) in keys {
            assert_eq!(probe(&local(&[(key, value)])), GitFacts::Armed(vec![key.to_owned()]), "{key}={value}");
        }
    }

    #[test]
    fn the_users_own_settings_arm_nothing() {
        let listing = "global\0credential.helper\nstore\0system\0core.pager\ndelta\0local\0core.bare\nfalse\0";
        let found =
            GitFound { settings: settings(listing), hooks: Some(vec!["pre-commit".into()]), attributes: Some(true) };
        assert_eq!(probe(&found), GitFacts::Quiet);
    }

    #[test]
    fn a_listing_is_read_with_scopes_values_and_bare_keys() {
        let setting =
            |scope, key: &str, value: Option<&str>| Setting { scope, key: key.into(), value: value.map(str::to_owned) };
        assert_eq!(
            settings("local\0alias.st\n!a\nb\0worktree\0core.fsmonitor\0global\0a.b\nc\0"),
            [
                setting(SettingScope::Repository, "alias.st", Some("!a\nb")),
                setting(SettingScope::Repository, "core.fsmonitor", None),
                setting(SettingScope::Trusted, "a.b", Some("c")),
            ]
        );
    }

    #[test]
    fn hooks_and_attributes_that_nobody_looked_for_are_suspected() {
        let mut found = local(&[("filter.x.clean", "prog")]);
        found.attributes = Some(false);
        assert_eq!(probe(&found), GitFacts::Quiet);
        found.attributes = None;
        found.hooks = None;
        assert_eq!(probe(&found), GitFacts::Armed(vec!["filter.x.clean".into(), INDEX_HOOK.into()]));
        let hooked = GitFound { hooks: Some(vec!["post-index-change".into()]), ..local(&[]) };
        assert_eq!(probe(&hooked), GitFacts::Armed(vec![INDEX_HOOK.into()]));
    }
}
