//! Which settings of the person and the machine hold for git in a cage that only reads: an allow list, so that what starts programs,
//! what tells secrets and what nobody has looked at stays out. Pure.

use fore_shell::GitFacts;
use fore_shell::git::probe::{GitFound, Setting, SettingScope, probe};
use std::path::{Path, PathBuf};

/// Sections of which everything is display, identity or advice.
const HARMLESS_SECTIONS: [&str; 6] = ["color", "column", "advice", "i18n", "versionsort", "author"];

/// Settings without a name in the middle.
const PLAIN: &[(&str, &[&str])] = &[
    ("user", &["name", "email", "useconfigonly", "signingkey"]),
    ("committer", &["name", "email"]),
    (
        "core",
        &[
            "excludesfile",
            "attributesfile",
            "quotepath",
            "autocrlf",
            "safecrlf",
            "eol",
            "filemode",
            "ignorecase",
            "precomposeunicode",
            "protecthfs",
            "protectntfs",
            "symlinks",
            "abbrev",
            "whitespace",
            "commentchar",
            "commentstring",
            "bigfilethreshold",
            "checkstat",
            "trustctime",
            "untrackedcache",
            "preloadindex",
            "logallrefupdates",
            "notesref",
            "commitgraph",
            "multipackindex",
            "usereplacerefs",
            "disambiguate",
            "sparsecheckout",
            "sparsecheckoutcone",
            "warnambiguousrefs",
            "checkroundtripencoding",
            "longpaths",
        ],
    ),
    (
        "status",
        &[
            "relativepaths",
            "short",
            "branch",
            "aheadbehind",
            "displaycommentprefix",
            "renamelimit",
            "renames",
            "showstash",
            "showuntrackedfiles",
        ],
    ),
    (
        "diff",
        &[
            "algorithm",
            "autorefreshindex",
            "colormoved",
            "colormovedws",
            "context",
            "dirstat",
            "srcprefix",
            "dstprefix",
            "indentheuristic",
            "interhunkcontext",
            "ignoresubmodules",
            "mnemonicprefix",
            "noprefix",
            "orderfile",
            "relative",
            "renamelimit",
            "renames",
            "statgraphwidth",
            "statnamewidth",
            "suppressblankempty",
            "wordregex",
            "wserrorhighlight",
        ],
    ),
    (
        "log",
        &[
            "abbrevcommit",
            "date",
            "decorate",
            "initialdecorationset",
            "excludedecoration",
            "diffmerges",
            "follow",
            "graphcolors",
            "showroot",
            "mailmap",
        ],
    ),
    ("format", &["pretty"]),
    (
        "blame",
        &[
            "blankboundary",
            "coloring",
            "date",
            "showemail",
            "showroot",
            "ignorerevsfile",
            "markunblamablelines",
            "markignoredlines",
        ],
    ),
    ("branch", &["sort", "autosetupmerge", "autosetuprebase"]),
    ("tag", &["sort"]),
    ("mailmap", &["file", "blob"]),
    ("grep", &["linenumber", "column", "patterntype", "extendedregexp", "threads", "fullname", "fallbacktonoindex"]),
    ("init", &["defaultbranch"]),
    ("merge", &["conflictstyle", "renames", "renamelimit", "directoryrenames", "ff", "log", "stat", "verbosity"]),
    ("pull", &["rebase", "ff"]),
    ("push", &["default", "autosetupremote", "followtags"]),
    ("remote", &["pushdefault"]),
    ("checkout", &["defaultremote", "guess"]),
    ("rebase", &["autostash", "autosquash", "updaterefs", "stat", "abbreviatecommands"]),
    ("commit", &["verbose", "cleanup", "status", "template", "gpgsign"]),
    ("fetch", &["prune", "prunetags", "all", "output", "parallel"]),
    ("rerere", &["enabled", "autoupdate"]),
    ("stash", &["showpatch", "showstat", "showincludeuntracked"]),
    ("worktree", &["guessremote", "userelativepaths"]),
    ("feature", &["manyfiles", "experimental"]),
    ("index", &["version", "threads", "skiphash"]),
    ("safe", &["directory", "barerepository"]),
    ("submodule", &["active"]),
];

/// Settings with a name in the middle.
const NAMED: [(&str, &[&str]); 4] = [
    ("diff", &["xfuncname", "funcname", "wordregex", "binary", "algorithm"]),
    ("branch", &["remote", "merge", "pushremote", "rebase", "description"]),
    ("url", &["insteadof", "pushinsteadof"]),
    ("pretty", &[]),
];

/// These make git work in submodules; harmless only where those are.
const IN_SUBMODULES: [(&str, &str); 3] =
    [("status", "submodulesummary"), ("diff", "submodule"), ("submodule", "recurse")];

/// Those of them that name a file which git reads.
const FILES: [&str; 6] = [
    "core.excludesfile",
    "core.attributesfile",
    "mailmap.file",
    "blame.ignorerevsfile",
    "diff.orderfile",
    "commit.template",
];

/// Whether submodules can be looked into without obeying anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Submodules {
    Quiet,
    Armed,
}

/// Whether this setting of the person or the machine may hold.
pub(super) fn is_harmless(key: &str, value: Option<&str>, submodules: Submodules) -> bool {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    let section = section.to_ascii_lowercase();
    let listed = |list: &[(&str, &[&str])], name: &str| {
        list.iter()
            .any(|(known, names)| *known == section && names.iter().any(|known| name.eq_ignore_ascii_case(known)))
    };
    if HARMLESS_SECTIONS.contains(&section.as_str()) {
        return true;
    }
    let in_submodules = IN_SUBMODULES.iter().any(|(known, name)| *known == section && rest.eq_ignore_ascii_case(name));
    if in_submodules {
        return submodules == Submodules::Quiet;
    }
    let is_listed = match rest.rsplit_once('.') {
        Some((base, name)) if section == "url" => listed(&NAMED, name) && is_plain_address(base),
        Some((_, name)) => listed(&NAMED, name),
        // Every format that a person has given a name.
        None if section == "pretty" => true,
        None => listed(PLAIN, rest),
    };
    // A second opinion: what would be refused from a repository is not harmless from anybody. Addresses were looked at above, and
    // files of the person's own are theirs to name.
    is_listed && (section == "url" || names_file(key) || !is_armed(key, value))
}

/// Whether the setting names a file that git reads.
pub(super) fn names_file(key: &str) -> bool {
    FILES.iter().any(|file| key.eq_ignore_ascii_case(file))
}

/// The file that a harmless setting names. One by a relative path lies in the project.
pub(super) fn named_file(setting: &Setting, home: Option<&Path>) -> Option<PathBuf> {
    let value = setting.value.as_deref().filter(|_| names_file(&setting.key))?;
    let value = value.strip_prefix(":(optional)").unwrap_or(value);
    let path = match value.strip_prefix("~/") {
        Some(rest) => home?.join(rest),
        None => PathBuf::from(value),
    };
    path.is_absolute().then_some(path)
}

/// An address that runs no helper and tells no password.
fn is_plain_address(address: &str) -> bool {
    !address.contains("::") && !address.starts_with('-') && !address.contains('@')
}

/// Whether the setting could make git run something.
pub(super) fn is_armed(key: &str, value: Option<&str>) -> bool {
    let setting = Setting { scope: SettingScope::Repository, key: key.to_owned(), value: value.map(str::to_owned) };
    let found = GitFound { settings: vec![setting], hooks: Some(Vec::new()), attributes: Some(true) };
    probe(&found) != GitFacts::Quiet
}

/// One setting as git reads it from a file.
pub(super) fn written(key: &str, value: Option<&str>) -> String {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    let (middle, name) = match rest.rsplit_once('.') {
        Some((middle, name)) => (format!(" \"{}\"", middle.replace('\\', "\\\\").replace('"', "\\\"")), name),
        None => (String::new(), rest),
    };
    let Some(value) = value else { return format!("[{section}{middle}]\n\t{name}\n") };
    let mut quoted = String::with_capacity(value.len() + 2);
    for letter in value.chars() {
        match letter {
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\u{8}' => quoted.push_str("\\b"),
            letter => quoted.push(letter),
        }
    }
    format!("[{section}{middle}]\n\t{name} = \"{quoted}\"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_and_identity_hold_and_what_starts_programs_or_is_unknown_does_not() {
        let page = [
            ("user.name", "Ada", true),
            ("core.excludesfile", "~/.ignore", true),
            ("core.quotePath", "false", true),
            ("color.diff.meta", "yellow", true),
            ("diff.python.xfuncname", "^def", true),
            ("branch.main.merge", "refs/heads/main", true),
            ("url.https://example.com/.insteadof", "ex:", true),
            ("pretty.mine", "format:%h %s", true),
            ("format.pretty", "oneline", true),
            ("safe.directory", "/srv/x", true),
            ("status.submodulesummary", "true", true),
            ("pretty.mine", "format:%G?", false),
            ("format.pretty", "%h %GS", false),
            ("log.showsignature", "true", false),
            ("log.diffmerges", "remerge", false),
            ("url.ext::sh -c x.insteadof", "ex:", false),
            ("url.https://me:token@example.com/.insteadof", "ex:", false),
            ("alias.lg", "log --oneline", false),
            ("core.pager", "less", false),
            ("core.editor", "vi", false),
            ("core.fsmonitor", "true", false),
            ("core.hookspath", "/x", false),
            ("core.sshcommand", "x", false),
            ("core.gitproxy", "x", false),
            ("core.alternaterefscommand", "x", false),
            ("credential.helper", "store", false),
            ("http.extraheader", "Authorization: x", false),
            ("diff.external", "x", false),
            ("diff.x.textconv", "x", false),
            ("diff.x.command", "x", false),
            ("filter.lfs.clean", "git-lfs clean", false),
            ("merge.x.driver", "x", false),
            ("gpg.program", "x", false),
            ("gpg.ssh.defaultkeycommand", "x", false),
            ("interactive.difffilter", "x", false),
            ("sequence.editor", "x", false),
            ("include.path", "x", false),
            ("includeif.gitdir:/x.path", "x", false),
            ("trailer.x.cmd", "x", false),
            ("init.templatedir", "x", false),
            ("submodule.x.update", "!x", false),
            ("uploadpack.packobjectshook", "x", false),
            ("remote.x.uploadpack", "x", false),
            ("protocol.ext.allow", "always", false),
            ("trace2.eventtarget", "/x", false),
            ("browser.x.cmd", "x", false),
            ("hook.x.command", "x", false),
            ("unheard.of", "x", false),
            ("user", "x", false),
        ];
        for (key, value, expected) in page {
            assert_eq!(is_harmless(key, Some(value), Submodules::Quiet), expected, "{key}");
        }
        assert!(!is_harmless("status.submodulesummary", Some("true"), Submodules::Armed));
    }

    #[test]
    fn the_files_that_settings_name_are_found_and_keys_are_not_among_them() {
        let page = [
            ("mailmap.file", "~/mailmap", Some("/home/ada/mailmap")),
            ("core.excludesFile", "/srv/ignored", Some("/srv/ignored")),
            ("core.attributesfile", ":(optional)~/a", Some("/home/ada/a")),
            ("commit.template", "notes/template", None),
            ("blame.ignorerevsfile", "", None),
            ("diff.orderfile", "~bob/order", None),
            ("user.signingkey", "~/.ssh/id_ed25519", None),
            ("core.hookspath", "/srv/hooks", None),
        ];
        for (key, value, expected) in page {
            let setting = Setting { scope: SettingScope::Trusted, key: key.to_owned(), value: Some(value.to_owned()) };
            let found = named_file(&setting, Some(Path::new("/home/ada")));
            assert_eq!(found.as_deref(), expected.map(Path::new), "{key}");
        }
        assert!(FILES.iter().all(|key| is_harmless(key, Some("x"), Submodules::Quiet)));
    }

    #[test]
    fn every_value_is_written_so_that_git_reads_the_same() {
        assert_eq!(written("user.name", Some("A \"b\" \\ ;#\n")), "[user]\n\tname = \"A \\\"b\\\" \\\\ ;#\\n\"\n");
        assert_eq!(written("color.diff.a\"b\\c.x", Some("")), "[color \"diff.a\\\"b\\\\c\"]\n\tx = \"\"\n");
        assert_eq!(written("core.symlinks", None), "[core]\n\tsymlinks\n");
    }
}
