//! Subcommands that change something or run something in every form: for reasons in refusals only.

use fore_shell::CommandKind;

pub(super) const WRITERS: &[(&str, &str)] = &[
    ("add", "stages files"),
    ("am", "applies patches and commits them"),
    ("apply", "changes files of the work tree"),
    ("backfill", "downloads objects"),
    ("bugreport", "writes a report file"),
    ("checkout", "changes files and the current branch"),
    ("checkout-index", "writes files"),
    ("cherry-pick", "makes commits"),
    ("clean", "deletes files"),
    ("clone", "makes a repository"),
    ("commit", "makes a commit"),
    ("commit-graph", "writes the commit graph"),
    ("commit-tree", "makes a commit"),
    ("diagnose", "writes an archive"),
    ("fast-import", "writes objects"),
    ("fetch", "downloads objects and moves references"),
    ("fetch-pack", "downloads objects"),
    ("filter-branch", "rewrites history"),
    ("format-patch", "writes patch files"),
    ("gc", "rewrites the object store"),
    ("history", "rewrites history"),
    ("index-pack", "writes a pack"),
    ("init", "makes a repository"),
    ("maintenance", "rewrites the object store"),
    ("merge", "makes commits and changes files"),
    ("merge-file", "changes a file"),
    ("merge-index", "changes the index"),
    ("merge-tree", "writes objects"),
    ("mktag", "writes an object"),
    ("mktree", "writes an object"),
    ("multi-pack-index", "writes an index of packs"),
    ("mv", "moves files"),
    ("pack-objects", "writes packs"),
    ("pack-redundant", "may remove packs"),
    ("pack-refs", "rewrites references"),
    ("prune", "deletes objects"),
    ("prune-packed", "deletes objects"),
    ("pull", "downloads, merges and changes files"),
    ("push", "changes another repository"),
    ("quiltimport", "makes commits"),
    ("read-tree", "changes the index"),
    ("rebase", "rewrites history"),
    ("receive-pack", "accepts objects"),
    ("repack", "rewrites the object store"),
    ("replace", "changes references"),
    ("replay", "makes commits"),
    ("rerere", "changes recorded resolutions"),
    ("reset", "moves the branch and may change files"),
    ("restore", "changes files"),
    ("revert", "makes commits"),
    ("rm", "deletes files"),
    ("send-email", "sends mail"),
    ("send-pack", "changes another repository"),
    ("stage", "stages files"),
    ("switch", "changes files and the current branch"),
    ("unpack-file", "writes a file"),
    ("unpack-objects", "writes objects"),
    ("update-index", "changes the index"),
    ("update-ref", "moves references"),
    ("update-server-info", "writes files"),
    ("write-tree", "writes an object"),
    ("credential-store", "stores a password"),
    ("mailinfo", "writes files"),
    ("mailsplit", "writes files"),
    ("fsmonitor--daemon", "starts or stops a daemon"),
];

/// Actions of the subcommands that also have listings.
pub(super) const WRITING_ACTIONS: &[(&str, &[&str])] = &[
    ("stash", &["push", "save", "pop", "apply", "drop", "clear", "branch", "create", "store", "export", "import"]),
    ("worktree", &["add", "lock", "unlock", "move", "prune", "remove", "repair"]),
    ("remote", &["add", "rename", "remove", "rm", "set-head", "set-branches", "set-url", "prune", "update"]),
    ("notes", &["add", "copy", "append", "edit", "merge", "remove", "prune"]),
    ("reflog", &["expire", "delete", "drop", "write"]),
    ("config", &["set", "unset", "rename-section", "remove-section", "edit"]),
    ("submodule", &["add", "init", "deinit", "update", "set-branch", "set-url", "sync", "absorbgitdirs"]),
    ("bisect", &["start", "bad", "good", "new", "old", "terms", "skip", "next", "reset", "replay"]),
    ("sparse-checkout", &["init", "set", "add", "reapply", "disable"]),
    ("bundle", &["create", "unbundle"]),
];

pub(super) const RUNNERS: &[(&str, &str)] = &[
    ("difftool", "runs a diff program"),
    ("mergetool", "runs a merge program"),
    ("gui", "runs a graphical program"),
    ("citool", "runs a graphical program"),
    ("instaweb", "runs a web server"),
    ("daemon", "runs a server"),
    ("lfs", "is another program"),
    ("flow", "is another program"),
    ("svn", "is another program"),
    ("p4", "is another program"),
    ("cvsserver", "runs a server"),
    ("verify-commit", "runs the configured gpg program"),
    ("verify-tag", "runs the configured gpg program"),
    ("credential", "runs the configured credential helpers"),
    ("shell", "runs commands"),
    ("for-each-repo", "runs commands"),
    ("upload-pack", "may run a configured hook"),
    ("upload-archive", "may run a configured filter"),
    ("http-backend", "runs a server"),
];

/// What is known of a subcommand without a row.
pub(super) fn known(command: &str) -> Option<(CommandKind, &'static str)> {
    let find =
        |list: &'static [(&str, &'static str)]| list.iter().find(|(name, _)| *name == command).map(|(_, why)| *why);
    find(WRITERS).map(|why| (CommandKind::Writes, why)).or_else(|| find(RUNNERS).map(|why| (CommandKind::Runs, why)))
}

/// With `-h` alone it prints how it is used. Scripts may do anything with it, and what older gits do not have may be an alias.
pub(super) fn prints_usage(command: &str) -> bool {
    let is_doubtful = matches!(
        command,
        "filter-branch"
            | "quiltimport"
            | "send-email"
            | "backfill"
            | "history"
            | "replay"
            | "fsmonitor--daemon"
            | "pack-redundant"
    );
    !is_doubtful && WRITERS.iter().any(|(name, _)| *name == command)
}
