//! Reads what stands between `git` and its subcommand: where it runs, and which settings it overrides.

use fore_shell::{Finding, Word};
use std::path::{Path, PathBuf};

/// Harmless without a subcommand and before one.
const FLAGS: [&str; 11] = [
    "--no-pager",
    "-P",
    "--no-optional-locks",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--no-advice",
    "--no-literal-pathspecs",
];

/// Print something about git itself and stop.
const ABOUT: [&str; 6] = ["--version", "-v", "--html-path", "--man-path", "--info-path", "--exec-path"];

#[derive(Debug)]
pub(super) enum GitStart<'a> {
    /// Git only tells about itself.
    About,
    Subcommand {
        folder: Option<PathBuf>,
        words: &'a [Word],
    },
}

pub(super) fn read<'a>(words: &'a [Word], cwd: Option<&Path>) -> Result<GitStart<'a>, Box<Finding>> {
    let mut folder = cwd.map(Path::to_path_buf);
    let mut rest = words.iter();
    loop {
        let here = rest.as_slice();
        let Some(word) = rest.next() else {
            // `git` alone prints how it is used.
            return Ok(GitStart::About);
        };
        let Some(text) = word.as_literal() else {
            return Err(Box::new(Finding::unknown(
                "git.subcommand",
                word,
                "which git subcommand runs is decided at run time",
            )));
        };
        match text {
            "-C" => folder = moved(folder, word, rest.next())?,
            "-c" => harmless_setting(word, rest.next())?,
            "--help" | "-h" if rest.as_slice().is_empty() => return Ok(GitStart::About),
            _ if ABOUT.contains(&text) => return Ok(GitStart::About),
            _ if FLAGS.contains(&text) => {}
            _ if text.starts_with('-') => {
                let why = format!(
                    "`git {}` can change which repository or program is used",
                    text.split('=').next().unwrap_or(text)
                );
                return Err(Box::new(Finding::unknown("git.global", word, why)));
            }
            _ => {
                return Ok(GitStart::Subcommand { folder, words: here });
            }
        }
    }
}

fn moved(folder: Option<PathBuf>, option: &Word, value: Option<&Word>) -> Result<Option<PathBuf>, Box<Finding>> {
    let Some(word) = value else {
        return Err(Box::new(Finding::unknown("git.-C", option, "`git -C` lacks its folder")));
    };
    if !word.is_one_argument() {
        return Err(Box::new(Finding::unknown("git.-C", word, "this may turn out to be several arguments")));
    }
    Ok(match word.as_literal() {
        Some("") => folder,
        Some(path) if Path::new(path).is_absolute() => Some(PathBuf::from(path)),
        Some(path) => folder.map(|folder| folder.join(path)),
        None => None,
    })
}

/// `git -c` can name programs, so only settings that change nothing but the look of the output are accepted.
fn harmless_setting(option: &Word, value: Option<&Word>) -> Result<(), Box<Finding>> {
    let Some(word) = value else {
        return Err(Box::new(Finding::unknown("git.-c", option, "`git -c` lacks its setting")));
    };
    match word.as_literal().map(str::to_ascii_lowercase) {
        Some(setting) if is_harmless(&setting) => Ok(()),
        _ => {
            Err(Box::new(Finding::unknown("git.-c", word, "this setting is not known to be harmless for one command")))
        }
    }
}

fn is_harmless(setting: &str) -> bool {
    let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
    let section = key.split('.').next().unwrap_or_default();
    match key {
        "core.pager" => value == "cat",
        "core.fsmonitor"
        | "log.showsignature"
        | "submodule.recurse"
        | "core.untrackedcache"
        | "diff.autorefreshindex" => value == "false",
        "core.hookspath" => value == "/dev/null",
        "safe.barerepository" => value == "explicit",
        "protocol.allow" => value == "never",
        "core.quotepath"
        | "core.abbrev"
        | "core.whitespace"
        | "core.precomposeunicode"
        | "core.commentchar"
        | "core.preloadindex" => true,
        "diff.renames"
        | "diff.renamelimit"
        | "diff.algorithm"
        | "diff.context"
        | "diff.interhunkcontext"
        | "diff.noprefix"
        | "diff.mnemonicprefix"
        | "diff.colormoved"
        | "diff.colormovedws"
        | "diff.statgraphwidth"
        | "diff.indentheuristic"
        | "diff.wserrorhighlight"
        | "diff.suppressblankempty"
        | "diff.relative" => true,
        "log.date" | "log.decorate" | "log.follow" | "log.abbrevcommit" | "log.mailmap" => true,
        "grep.linenumber" | "grep.patterntype" | "grep.extendedregexp" | "grep.column" | "grep.fullname" => true,
        "status.showuntrackedfiles"
        | "status.relativepaths"
        | "status.short"
        | "status.branch"
        | "status.aheadbehind" => true,
        "column.ui"
        | "branch.sort"
        | "tag.sort"
        | "i18n.logoutputencoding"
        | "gc.auto"
        | "blame.date"
        | "blame.coloring" => !value.contains("signature"),
        _ if section == "pager" => value == "false" || value == "cat",
        _ => section == "color" || section == "advice",
    }
}
