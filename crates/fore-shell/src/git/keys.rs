//! Which settings of a repository make git run programs, and which subcommands would obey them.

/// What a dangerous setting can be triggered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingClass {
    /// Looking at the work tree or refreshing the index: fsmonitor, clean filters, the post-index-change hook.
    WorkTree,
    /// Showing differences or file contents: external diffs and text conversions.
    Drivers,
    /// Showing commits: signature checks.
    Signature,
    /// Showing anything at length.
    Pager,
    /// Talking to a remote.
    Remote,
    /// Reading an object that is missing here.
    Objects,
    /// Making an archive.
    Archive,
    /// Only obeyed by subcommands that are never judged to be reads.
    Dormant,
}

/// The name under which a hook that runs on reads is reported.
pub const INDEX_HOOK: &str = "hooks/post-index-change";

impl SettingClass {
    /// What the setting can trigger; `None` when no value of it makes git run anything.
    pub fn of_key(key: &str) -> Option<SettingClass> {
        if key == INDEX_HOOK {
            return Some(SettingClass::WorkTree);
        }
        let section = key.split('.').next().unwrap_or_default().to_ascii_lowercase();
        let name = key.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let nested = key.matches('.').count() > 1;
        Some(match (section.as_str(), name.as_str()) {
            ("core", "fsmonitor" | "hookspath") | ("status", "submodulesummary") => SettingClass::WorkTree,
            // Another folder in place of the project, or another choice among filters.
            ("core", "worktree" | "attributesfile") => SettingClass::WorkTree,
            // Hooks that are settings instead of files.
            ("hook", _) => SettingClass::WorkTree,
            ("filter", "clean" | "smudge" | "process") => SettingClass::WorkTree,
            ("diff", "external" | "submodule") | ("log", "diffmerges") if !nested => SettingClass::Drivers,
            ("submodule", "recurse") if !nested => SettingClass::WorkTree,
            ("diff", "command" | "textconv" | "cachetextconv") if nested => SettingClass::Drivers,
            ("gpg", "program" | "defaultkeycommand")
            | ("log", "showsignature")
            | ("format", "pretty")
            | ("pretty", _) => SettingClass::Signature,
            ("core", "pager") | ("pager", _) => SettingClass::Pager,
            ("core", "sshcommand" | "gitproxy" | "askpass" | "alternaterefscommand") => SettingClass::Remote,
            ("credential", "helper") | ("url", "insteadof" | "pushinsteadof") | ("uploadpack", "packobjectshook") => {
                SettingClass::Remote
            }
            ("remote", "uploadpack" | "receivepack" | "vcs" | "url" | "pushurl" | "proxy")
            | ("http", _)
            | ("protocol", "allow") => SettingClass::Remote,
            ("remote", "promisor" | "partialclonefilter") | ("extensions", "partialclone") => SettingClass::Objects,
            ("tar", "command") => SettingClass::Archive,
            ("alias" | "man" | "browser" | "difftool" | "mergetool" | "guitool" | "instaweb" | "sendemail", _) => {
                SettingClass::Dormant
            }
            ("core" | "sequence", "editor")
            | ("merge", "driver")
            | ("submodule", "update")
            | ("interactive", "difffilter") => SettingClass::Dormant,
            ("trailer", "command" | "cmd") | ("init", "templatedir") => SettingClass::Dormant,
            ("gc", "recentobjectshook") | ("imap", "tunnel") | ("svn", "authorsprog") => SettingClass::Dormant,
            // Git LFS starts these; git starts it only as a filter.
            ("lfs", _) if is_started_by_lfs(key) => SettingClass::Dormant,
            _ => return None,
        })
    }
}

fn is_started_by_lfs(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    key.starts_with("lfs.customtransfer.")
        || key.starts_with("lfs.extension.")
        || key.ends_with("standalonetransferagent")
}
