//! Which settings of a repository make git run programs, and which subcommands would obey them.

/// What a dangerous setting can be triggered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
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

/// What the setting can trigger; `None` when no value of it makes git run anything.
pub fn class(key: &str) -> Option<Class> {
    if key == INDEX_HOOK {
        return Some(Class::WorkTree);
    }
    let section = key.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let name = key.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let nested = key.matches('.').count() > 1;
    Some(match (section.as_str(), name.as_str()) {
        ("core", "fsmonitor" | "hookspath") | ("status", "submodulesummary") => Class::WorkTree,
        // Hooks that are settings instead of files.
        ("hook", _) => Class::WorkTree,
        ("filter", "clean" | "smudge" | "process") => Class::WorkTree,
        ("diff", "external" | "submodule") | ("log", "diffmerges") if !nested => Class::Drivers,
        ("submodule", "recurse") if !nested => Class::WorkTree,
        ("diff", "command" | "textconv" | "cachetextconv") if nested => Class::Drivers,
        ("gpg", "program" | "defaultkeycommand") | ("log", "showsignature") | ("format", "pretty") | ("pretty", _) => {
            Class::Signature
        }
        ("core", "pager") | ("pager", _) => Class::Pager,
        ("core", "sshcommand" | "gitproxy" | "askpass" | "alternaterefscommand") => Class::Remote,
        ("credential", "helper") | ("url", "insteadof" | "pushinsteadof") | ("uploadpack", "packobjectshook") => {
            Class::Remote
        }
        ("remote", "uploadpack" | "receivepack" | "vcs" | "url" | "pushurl" | "proxy")
        | ("http", _)
        | ("protocol", "allow") => Class::Remote,
        ("remote", "promisor" | "partialclonefilter") | ("extensions", "partialclone") => Class::Objects,
        ("tar", "command") => Class::Archive,
        ("alias" | "man" | "browser" | "difftool" | "mergetool" | "guitool" | "instaweb" | "sendemail", _) => {
            Class::Dormant
        }
        ("core" | "sequence", "editor")
        | ("merge", "driver")
        | ("submodule", "update")
        | ("interactive", "difffilter") => Class::Dormant,
        ("trailer", "command" | "cmd") | ("init", "templatedir") => Class::Dormant,
        _ => return None,
    })
}
