//! How git is started so that a repository's settings run nothing: environment and extra arguments, as data.
//!
//! What this cannot stop (a `tar.*.command` for archives, programs named on the command line) is left to the judge.
//! `GIT_ATTR_SOURCE` is not used: its value depends on the repository's hash, it changes what readers see, and it leaves
//! `.git/info/attributes` in force.

/// Settings that beat those of every file. `diff.external` is missing because no value of it means "none".
const OVERRIDES: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.askPass", "false"),
    ("core.alternateRefsCommand", "false"),
    ("core.editor", "false"),
    ("credential.helper", ""),
    // `git diff` writes the index even when optional locks are off.
    ("diff.autoRefreshIndex", "false"),
    ("diff.submodule", "short"),
    ("diff.ignoreSubmodules", "dirty"),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
    ("format.pretty", "medium"),
    ("log.showSignature", "false"),
    ("gpg.program", "false"),
    ("gpg.openpgp.program", "false"),
    ("gpg.x509.program", "false"),
    ("gpg.ssh.program", "false"),
    ("protocol.allow", "never"),
    // A folder that looks like a bare repository may have come with the files of another one.
    ("safe.bareRepository", "explicit"),
    // Git refuses repositories of other people because their settings run programs; here none does, and the person's own
    // list of exceptions is not read.
    ("safe.directory", "*"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

const VARIABLES: &[(&str, &str)] = &[
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "false"),
    ("SSH_ASKPASS", "false"),
    ("GIT_EDITOR", "false"),
    ("GIT_SEQUENCE_EDITOR", "false"),
];

/// The variables git is started with, next to an environment that has no other `GIT_*`. `filters` are the names of the
/// filters that the repository's settings define; each is switched off.
pub fn environment(filters: &[String]) -> Vec<(String, String)> {
    let mut overrides: Vec<(String, String)> =
        OVERRIDES.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    for filter in filters {
        for (name, value) in [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")] {
            overrides.push((format!("filter.{filter}.{name}"), value.into()));
        }
    }
    let mut variables: Vec<(String, String)> =
        VARIABLES.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    variables.extend(counted(&overrides));
    variables
}

/// The same where the settings are known: the file stands in for those of the person and the machine, and only what is set in the
/// repository and starts programs is overridden, so that git tells of no setting that nobody made.
pub fn environment_with(config: &str, overrides: &[(String, String)]) -> Vec<(String, String)> {
    let mut variables: Vec<(String, String)> =
        VARIABLES.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    for (_, value) in variables.iter_mut().filter(|(name, _)| name == "GIT_CONFIG_GLOBAL") {
        *value = config.to_owned();
    }
    if !overrides.is_empty() {
        variables.extend(counted(overrides));
    }
    variables
}

/// Settings as git takes them from its environment.
fn counted(settings: &[(String, String)]) -> Vec<(String, String)> {
    let mut variables = vec![("GIT_CONFIG_COUNT".into(), settings.len().to_string())];
    for (index, (key, value)) in settings.iter().enumerate() {
        variables.push((format!("GIT_CONFIG_KEY_{index}"), key.clone()));
        variables.push((format!("GIT_CONFIG_VALUE_{index}"), value.clone()));
    }
    variables
}

/// The same for a command that may ask a remote: over HTTPS, which git speaks itself, and by no program of the repository's choice.
pub fn environment_with_network(filters: &[String]) -> Vec<(String, String)> {
    let mut variables = environment(filters);
    for (name, value) in &mut variables {
        // This variable beats `protocol.allow`.
        if name == "GIT_ALLOW_PROTOCOL" {
            *value = "https".into();
        }
    }
    variables
}

/// The filters that settings define, by name: what [`environment`] wants to be told.
pub fn filters<'a>(keys: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = keys
        .into_iter()
        .filter(|key| key.get(..7).is_some_and(|section| section.eq_ignore_ascii_case("filter.")))
        .filter_map(|key| key.get(7..)?.rsplit_once('.').map(|(name, _)| name.to_owned()))
        .collect();
    names.sort();
    names.dedup();
    names
}

/// Both kinds of driver off.
const NO_DRIVERS: &[&str] = &["--no-ext-diff", "--no-textconv"];
/// Also keeps git out of submodules, where the overrides do not reach.
const NO_DRIVERS_NO_SUBMODULES: &[&str] = &["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];

/// What is put behind which subcommand, as the installed git (2.47) accepts it.
fn injected(command: &str, action: Option<&str>) -> Option<(usize, &'static [&'static str])> {
    match (command, action) {
        ("log" | "show" | "whatchanged" | "diff-tree" | "range-diff" | "blame" | "annotate" | "format-patch", _) => {
            Some((1, NO_DRIVERS))
        }
        ("diff" | "diff-files" | "diff-index", _) => Some((1, NO_DRIVERS_NO_SUBMODULES)),
        ("stash", Some("list" | "show")) | ("reflog", Some("show")) => Some((2, NO_DRIVERS)),
        ("reflog", Some("exists" | "list" | "expire" | "delete" | "drop" | "write")) => None,
        ("reflog", _) => Some((1, NO_DRIVERS)),
        ("grep", _) => Some((1, &["--no-textconv"])),
        ("status", _) => Some((1, &["--ignore-submodules=dirty"])),
        _ => None,
    }
}

/// The same command, told to run no driver. Takes and gives the whole argv, program name included.
pub fn harden_argv(argv: &[String]) -> Vec<String> {
    let mut hardened = argv.to_vec();
    let Some(at) = subcommand(argv) else {
        return hardened;
    };
    let command = argv.get(at).map(String::as_str).unwrap_or_default();
    let action = argv.get(at + 1).map(String::as_str);
    let Some((after, flags)) = injected(command, action) else {
        return hardened;
    };
    let mut flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    // Without options of its own `stash show` prints a summary; ours must not change that.
    let has_options = argv.iter().skip(at + 2).any(|word| word.starts_with('-'));
    if (command, action) == ("stash", Some("show")) && !has_options {
        flags.push("--stat".into());
    }
    hardened.splice(at + after..at + after, flags);
    hardened
}

/// Where the subcommand stands, behind the options of git itself.
fn subcommand(argv: &[String]) -> Option<usize> {
    let mut at = 1;
    loop {
        match argv.get(at)?.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" | "--config-env"
            | "--attr-source" => at += 2,
            word if word.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        assert_eq!(harden_argv(&argv).join(" "), expected);
    }

    #[test]
    fn flags_go_behind_the_subcommand_and_its_action() {
        check("git diff HEAD -- a", "git diff --no-ext-diff --no-textconv --ignore-submodules=dirty HEAD -- a");
        check("git -C x --no-pager log -p", "git -C x --no-pager log --no-ext-diff --no-textconv -p");
        check("git stash show -p", "git stash show --no-ext-diff --no-textconv -p");
        check("git stash show", "git stash show --no-ext-diff --no-textconv --stat");
        check("git stash pop", "git stash pop");
        check("git reflog", "git reflog --no-ext-diff --no-textconv");
        check("git reflog list", "git reflog list");
        check("git status -s", "git status --ignore-submodules=dirty -s");
        check("git grep x", "git grep --no-textconv x");
        check("git rev-parse HEAD", "git rev-parse HEAD");
        check("git --version", "git --version");
        check("git", "git");
    }

    #[test]
    fn with_network_only_https_is_allowed() {
        let changed: Vec<(String, String)> =
            environment_with_network(&[]).into_iter().filter(|pair| !environment(&[]).contains(pair)).collect();
        assert_eq!(changed, [("GIT_ALLOW_PROTOCOL".to_owned(), "https".to_owned())]);
    }

    #[test]
    fn each_filter_is_switched_off_by_name() {
        let names = filters(["filter.lfs.clean", "filter.lfs.process", "Filter.a.b.smudge", "core.bare", "filter"]);
        assert_eq!(names, ["a.b", "lfs"]);
        let variables = environment(&names);
        let value = |name: &str| variables.iter().find(|(own, _)| own == name).map(|(_, value)| value.clone());
        let count: usize = value("GIT_CONFIG_COUNT").unwrap().parse().unwrap();
        assert_eq!(count, OVERRIDES.len() + 8);
        let pairs: Vec<(String, String)> = (0..count)
            .map(|i| (value(&format!("GIT_CONFIG_KEY_{i}")).unwrap(), value(&format!("GIT_CONFIG_VALUE_{i}")).unwrap()))
            .collect();
        assert!(pairs.contains(&("filter.lfs.process".into(), String::new())));
        assert!(pairs.contains(&("filter.a.b.required".into(), "false".into())));
    }
}
