//! Whether the settings of a repository that a command has made are harmless: only what git and its usual company write there, in
//! the way they write it. Git reads more than this does, so whatever is written otherwise is not harmless. Pure.

use super::harmless::{Submodules, is_armed, is_harmless, names_file};

/// Settings without a name in the middle that are made with a repository; `harmless` knows those that people add.
const PLAIN: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "repositoryformatversion",
            "bare",
            "sharedrepository",
            "hidedotfiles",
            "fscache",
            "compression",
            "loosecompression",
            "splitindex",
            "fsync",
            "fsyncmethod",
            "fsmonitor",
            "pager",
        ],
    ),
    (
        "extensions",
        &[
            "objectformat",
            "compatobjectformat",
            "refstorage",
            "worktreeconfig",
            "relativeworktrees",
            "preciousobjects",
            "noop",
        ],
    ),
    ("submodule", &["active", "alternatelocation", "alternateerrorstrategy", "fetchjobs", "propagatebranches"]),
    (
        "gc",
        &[
            "auto",
            "autodetach",
            "autopacklimit",
            "pruneexpire",
            "reflogexpire",
            "reflogexpireunreachable",
            "worktreepruneexpire",
            "writecommitgraph",
            "packrefs",
        ],
    ),
    ("maintenance", &["auto", "strategy"]),
    ("pack", &["threads", "window", "windowmemory", "depth", "compression", "packsizelimit", "writebitmaps"]),
    ("fetch", &["writecommitgraph", "recursesubmodules", "fsckobjects"]),
    ("receive", &["denycurrentbranch", "denynonfastforwards", "denydeletes", "fsckobjects", "shallowupdate"]),
    ("transfer", &["fsckobjects", "hiderefs"]),
    ("push", &["recursesubmodules"]),
    ("tag", &["gpgsign"]),
    ("index", &["sparse"]),
    ("http", &["postbuffer", "lowspeedlimit", "lowspeedtime", "version"]),
    ("lfs", &["repositoryformatversion"]),
];

/// Settings with a name in the middle.
const NAMED: &[(&str, &[&str])] = &[
    (
        "remote",
        &[
            "url",
            "pushurl",
            "fetch",
            "push",
            "tagopt",
            "mirror",
            "prune",
            "prunetags",
            "skipdefaultupdate",
            "skipfetchall",
            "followremotehead",
            "gh-resolved",
            "glab-resolved",
        ],
    ),
    (
        "branch",
        &[
            "remote",
            "merge",
            "pushremote",
            "rebase",
            "description",
            "gh-merge-base",
            "vscode-merge-base",
            "github-pr-owner-number",
        ],
    ),
    ("submodule", &["url", "active", "branch", "ignore", "shallow", "fetchrecursesubmodules", "update"]),
    ("lfs", &["access", "locksverify"]),
];

/// Whether the text sets only what is known to be harmless. `is_own_tree`: whether a path is the work tree that leads here.
pub(super) fn is_harmless_text(text: &str, is_own_tree: impl Fn(&str) -> bool) -> bool {
    let Some(settings) = settings(text) else { return false };
    settings.iter().all(|setting| match setting.key().as_str() {
        // As in every submodule; elsewhere git would take another folder for the project.
        "core.worktree" => is_own_tree(&setting.value),
        key => is_known(setting, key),
    })
}

fn is_known(setting: &WrittenSetting, key: &str) -> bool {
    let value = setting.value.as_str();
    let is_listed = |list: &[(&str, &[&str])]| {
        list.iter().any(|(section, names)| *section == setting.section && names.contains(&setting.name.as_str()))
    };
    match (setting.section.as_str(), &setting.middle, setting.name.as_str()) {
        ("submodule", Some(_), "update") => matches!(value, "checkout" | "rebase" | "merge" | "none"),
        ("submodule", Some(_), "url") => !is_armed("remote.x.url", Some(value)),
        // It sends what the person fetches and pushes elsewhere.
        ("url", _, _) => false,
        (_, middle, _) => {
            let is_made = is_listed(if middle.is_some() { NAMED } else { PLAIN });
            let is_added = is_harmless(key, Some(value), Submodules::Armed) && !names_file(key);
            (is_made || is_added) && !is_armed(key, Some(value))
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
struct WrittenSetting {
    section: String,
    middle: Option<String>,
    name: String,
    value: String,
}

impl WrittenSetting {
    fn key(&self) -> String {
        match &self.middle {
            Some(middle) => format!("{}.{middle}.{}", self.section, self.name),
            None => format!("{}.{}", self.section, self.name),
        }
    }
}

/// The settings of a text that is written line by line; `None` when a line is anything else than a section, a setting with its
/// value, a remark, or empty.
fn settings(text: &str) -> Option<Vec<WrittenSetting>> {
    let mut settings = Vec::new();
    let mut section: Option<(String, Option<String>)> = None;
    if text.contains(|sign: char| sign.is_control() && !matches!(sign, '\n' | '\t')) {
        return None;
    }
    for line in text.split('\n').map(|line| line.trim_matches([' ', '\t'])) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(head) = line.strip_prefix('[') {
            section = Some(head_of(head.strip_suffix(']')?)?);
            continue;
        }
        let (section, middle) = section.clone()?;
        let (name, value) = line.split_once('=')?;
        let (name, value) = (word(name.trim_end_matches([' ', '\t']))?, value_of(value)?);
        settings.push(WrittenSetting { section, middle, name, value });
    }
    Some(settings)
}

/// `section` or `section "middle"`.
fn head_of(head: &str) -> Option<(String, Option<String>)> {
    let Some((section, middle)) = head.split_once(' ') else { return Some((word(head)?, None)) };
    let mut signs = middle.strip_prefix('"')?.strip_suffix('"')?.chars();
    let mut middle = String::new();
    while let Some(sign) = signs.next() {
        match sign {
            '"' => return None,
            '\\' => middle.push(signs.next().filter(|sign| matches!(sign, '"' | '\\'))?),
            sign => middle.push(sign),
        }
    }
    Some((word(section)?, Some(middle)))
}

fn word(text: &str) -> Option<String> {
    let is_word = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    is_word.then(|| text.to_ascii_lowercase())
}

/// A value on one line: quotes are closed again, nothing is escaped but what git escapes, no remark follows.
fn value_of(text: &str) -> Option<String> {
    let mut signs = text.trim_start_matches([' ', '\t']).chars();
    let (mut value, mut quoted) = (String::new(), false);
    while let Some(sign) = signs.next() {
        match sign {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => return None,
            '\\' => value.push(match signs.next()? {
                'n' => '\n',
                't' => '\t',
                sign @ ('"' | '\\') => sign,
                _ => return None,
            }),
            sign => value.push(sign),
        }
    }
    (!quoted).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_harmless(text: &str) -> bool {
        is_harmless_text(text, |path| path == "../../../lib")
    }

    #[test]
    fn what_git_and_its_company_write_is_harmless() {
        let page = [
            "",
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
            "[core]\n\tignorecase = true\n\tprecomposeunicode = true\n\tsymlinks = false\n\tautocrlf = input\n",
            "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n\trefstorage = reftable\n",
            "[remote \"origin\"]\n\turl = git@github.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n",
            "[remote \"up\"]\n\turl = ../b\n\tgh-resolved = base\n\tglab-resolved = head\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
            "[branch \"a \\\"b\\\" \\\\c.d]\"]\n\trebase = true\n\tvscode-merge-base = origin/main\n",
            "[user]\n\tname = Ada Lovelace\n\temail = ada@example.com\n\tsigningkey = \"a;b#c\"\n",
            "[submodule]\n\tactive = .\n[submodule \"lib\"]\n\turl = https://example.com/lib.git\n\tactive = true\n\tupdate = rebase\n",
            "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ../../../lib\n",
            "[lfs]\n\trepositoryformatversion = 0\n[lfs \"https://example.com/a.git/info/lfs\"]\n\taccess = basic\n",
            "# a remark\n\n; another\n[gc]\n\tauto = 0\n[commit]\n\tgpgsign = false\n[pull]\nrebase=true\n",
            "[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = true\n[index]\n\tsparse = false\n",
            "[core]\n\tfsmonitor = false\n\tpager = cat\n[color]\n\tui = auto\n[diff]\n\trenames = copies\n",
        ];
        for text in page {
            assert!(is_harmless(text), "{text}");
        }
    }

    #[test]
    fn what_starts_programs_leads_elsewhere_or_is_unknown_is_not() {
        let page = [
            "[core]\n\tfsmonitor = ./x\n",
            "[core]\n\thooksPath = x\n",
            "[core]\n\tworktree = /elsewhere\n",
            "[core]\n\tattributesFile = x\n",
            "[core]\n\texcludesFile = /etc/passwd\n",
            "[commit]\n\ttemplate = x\n",
            "[gc]\n\trecentObjectsHook = x\n",
            "[imap]\n\ttunnel = x\n",
            "[lfs]\n\tstandalonetransferagent = x\n",
            "[lfs \"customtransfer.x\"]\n\tpath = x\n",
            "[lfs \"extension.x\"]\n\tclean = x\n",
            "[include]\n\tpath = x\n",
            "[includeIf \"gitdir:/x\"]\n\tpath = x\n",
            "[alias]\n\tst = status\n",
            "[remote \"x\"]\n\turl = ext::sh -c x\n",
            "[remote \"x\"]\n\turl = --upload-pack=x\n",
            "[remote \"x\"]\n\tuploadpack = x\n",
            "[remote \"x\"]\n\tvcs = x\n",
            "[submodule \"x\"]\n\tupdate = !x\n",
            "[submodule \"x\"]\n\turl = ext::x\n",
            "[branch \"x\"]\n\tmergeoptions = -s x\n",
            "[url \"https://evil.example/\"]\n\tinsteadOf = https://\n",
            "[unheard]\n\tof = x\n",
            "[user]\n\tunheard = x\n",
            "[log]\n\tshowSignature = true\n",
        ];
        for text in page {
            assert!(!is_harmless(text), "{text}");
        }
    }

    #[test]
    fn what_git_would_not_write_like_this_is_not_harmless_whatever_it_says() {
        let page = [
            "\u{feff}[core]\n\tbare = false\n",
            "[core]\r\n\tbare = false\r\n",
            "[core] bare = false\n",
            "[core]\n\tbare\n",
            "[core]\n\tbare = false # why\n",
            "[core]\n\tbare = \"false\n",
            "[core]\n\tbare = fal\\\nse\n",
            "[core]\n\tbare = \\x\n",
            "[core]\n\tbare = fal\0se\n",
            "[core ]\n\tbare = false\n",
            "[core\n]\n\tbare = false\n",
            "[branch.main]\n\tremote = x\n",
            "[branch \"a\\nb\"]\n\tremote = x\n",
            "[branch \"a\" \"b\"]\n\tremote = x\n",
            "[]\n\tbare = false\n",
            "bare = false\n",
            "new\n",
            "[core]\n\tba re = false\n",
        ];
        for text in page {
            assert!(!is_harmless(text), "{text:?}");
        }
    }
}
