//! Which variables may be set: a positive list for what programs see, and families that steer programs and are never touched.

use super::doubt::Doubt;

/// Names that steer the shell, or every program that it starts.
const NAMES: [&str; 43] = [
    "PATH",
    "IFS",
    "ENV",
    "PS0",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "HOME",
    "PWD",
    "OLDPWD",
    "CDPATH",
    "SHELL",
    "SHELLOPTS",
    "GLOBIGNORE",
    "FIGNORE",
    "EXECIGNORE",
    "TIMEFORMAT",
    "POSIXLY_CORRECT",
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "DIRSTACK",
    "FUNCNAME",
    "FUNCNEST",
    "GROUPS",
    "UID",
    "EUID",
    "PPID",
    "_",
    "OPTARG",
    "OPTIND",
    "OPTERR",
    "PIPESTATUS",
    "PROMPT_COMMAND",
    "TERMINFO",
    "TERMCAP",
    "LOCPATH",
    "NLSPATH",
    "TMOUT",
    "TMPDIR",
    "SIXEL",
];
/// Names that tools look for: they may be in the environment already, and then setting them is enough.
const STARTS: [&str; 58] = [
    "BASH",
    "LD_",
    "DYLD_",
    "GIT_",
    "LESS",
    "MAN",
    "HIST",
    "EPOCH",
    "COMP",
    "TEXTDOMAIN",
    "PYTHON",
    "PERL",
    "RUBY",
    "NODE",
    "JAVA",
    "RIPGREP",
    "FZF",
    "BAT_",
    "SSH_",
    "GCONV",
    "MALLOC_",
    "GLIBC_",
    "CARGO",
    "RUST",
    "NPM_",
    "npm_",
    "YARN",
    "PNPM",
    "PIP_",
    "GOFLAGS",
    "GOPATH",
    "GOENV",
    "GOROOT",
    "GOPROXY",
    "GOTOOLCHAIN",
    "GEM_",
    "BUNDLE_",
    "DOCKER_",
    "KUBE",
    "AWS_",
    "GH_",
    "GITHUB_",
    "HTTP",
    "http",
    "ALL_PROXY",
    "XDG_",
    "MAKE",
    "CMAKE_",
    "CURL_",
    "SSL_",
    "OPENSSL_",
    "TAR_",
    "GREP_",
    "JQ_",
    "INPUTRC",
    "TMUX",
    "VIM",
    "ZDOTDIR",
];
/// Names that start a program of the person's choice.
const ENDS: [&str; 7] = ["PAGER", "EDITOR", "OPTIONS", "_OPTS", "BROWSER", "_COMMAND", "VISUAL"];

/// Names that change how the shell or the programs after it work, even when nothing is exported on purpose.
pub fn steers(name: &str) -> bool {
    NAMES.contains(&name)
        || STARTS.iter().any(|start| name.starts_with(start))
        || ENDS.iter().any(|end| name.ends_with(end))
}

/// Refuses such a name.
pub(crate) fn check_name(name: &str) -> Result<(), Doubt> {
    if steers(name) {
        Err(Doubt::new("environment", format!("setting `{name}` changes what later commands do")))
    } else {
        Ok(())
    }
}

/// Whether a program may be started with this variable set to this value.
pub fn may_export(name: &str, value: Option<&str>) -> bool {
    match name {
        "LANG" | "LANGUAGE" | "LC_ALL" | "LC_CTYPE" | "LC_COLLATE" | "LC_MESSAGES" | "LC_NUMERIC" | "LC_TIME"
        | "LC_MONETARY" => value.is_some_and(is_safe_locale),
        // A leading colon or a slash names a file with rules.
        "TZ" => value.is_some_and(|value| !value.starts_with([':', '/', '.']) && !value.contains("..")),
        "TERM" => value.is_some_and(|value| value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')),
        "NO_COLOR" | "CLICOLOR" | "CLICOLOR_FORCE" | "FORCE_COLOR" | "COLUMNS" | "LINES" | "RUST_BACKTRACE" => {
            value.is_some()
        }
        // Git takes an empty one for `cat`.
        "GIT_PAGER" => matches!(value, Some("cat" | "")),
        "PAGER" => value == Some("cat"),
        "GIT_OPTIONAL_LOCKS" | "GIT_TERMINAL_PROMPT" => value == Some("0"),
        _ => false,
    }
}

/// Bash reads later lines in the new character set, and in some of them a byte of a letter is a blank or a backslash.
fn is_safe_locale(value: &str) -> bool {
    let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@'));
    plain && (matches!(value, "C" | "POSIX" | "") || value.ends_with(".UTF-8") || value.ends_with(".utf8"))
}
