//! Variables that a person's settings add to a command's environment, and which of them stay out of the strict cages.

use super::Variables;
use fore_plan::Cage;
use std::ffi::{OsStr, OsString};

/// Variables added at most.
const MAX_ADDED: usize = 200;

/// Adds what the cage lets in; what is there already is replaced only where the command is not held back.
pub(crate) fn add(variables: &mut Variables, added: &[(OsString, OsString)], cage: &Cage) {
    let strict = match cage {
        Cage::ReadOnly { .. } | Cage::Rehearsal => true,
        Cage::Workspace { .. } | Cage::Free => false,
    };
    for (name, value) in added.iter().take(MAX_ADDED).filter(|(name, value)| is_sound(name, value)) {
        let is_there = variables.iter().any(|(known, _)| known == name);
        if strict && (is_there || steers_or_tells(name)) {
            continue;
        }
        variables.retain(|(known, _)| known != name);
        variables.push((name.clone(), value.clone()));
    }
}

/// What only the sandbox sets: the way out, and where temp files go.
const OURS: [&str; 5] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "TMPDIR"];

/// Adds what a person vouched for together with the program that gets it: it would be of no use without its keys.
pub(crate) fn add_vouched(variables: &mut Variables, added: &[(OsString, OsString)]) {
    let is_ours = |name: &OsStr| OURS.iter().any(|own| name.eq_ignore_ascii_case(own));
    for (name, value) in added.iter().take(MAX_ADDED).filter(|(name, value)| is_sound(name, value) && !is_ours(name)) {
        variables.retain(|(known, _)| known != name);
        variables.push((name.clone(), value.clone()));
    }
}

/// A name that every shell takes, and a value that the kernel does.
fn is_sound(name: &OsStr, value: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let starts = name.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    starts
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && !value.as_encoded_bytes().contains(&0)
}

/// Beginnings of names by which loaders, shells, git and language runtimes are told what else to run or read.
const STEERING_STARTS: [&str; 33] = [
    "LD_", "DYLD_", "GLIBC_", "MALLOC_", "GCONV_", "LOCPATH", "NLSPATH", "BASH", "SHELL", "GIT_", "SSH_", "PYTHON",
    "PERL", "RUBY", "GEM_", "BUNDLE_", "NODE_", "NPM_", "YARN_", "DENO_", "JAVA_", "JDK_", "_JAVA", "MAVEN_",
    "GRADLE_", "CARGO_", "RUSTC", "RUSTUP_", "GO", "PHP", "LUA_", "DOCKER_", "LESS",
];
/// Ends of names that hold commands, options, search paths or places to read orders from.
const STEERING_ENDS: [&str; 22] = [
    "PATH", "OPTS", "OPTIONS", "FLAGS", "COMMAND", "CMD", "PAGER", "EDITOR", "BROWSER", "WRAPPER", "HOOK", "HOOKS",
    "PRELOAD", "CONFIG", "CONF", "RC", "PROXY", "HOME", "DIR", "ARGS", "EXEC", "PROGRAM",
];
const STEERING: [&str; 16] = [
    "ENV",
    "IFS",
    "PS4",
    "CDPATH",
    "GLOBIGNORE",
    "POSIXLY_CORRECT",
    "VISUAL",
    "TMPDIR",
    "TMP",
    "TEMP",
    "MAKE",
    "CC",
    "CXX",
    "FPATH",
    "ZDOTDIR",
    "INPUTRC",
];
const SECRETS: [&str; 9] =
    ["TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "AUTH", "COOKIE", "PRIVATE", "DATABASE_URL"];

/// Whether a name of this kind steers what runs, or looks as if its value were nobody else's business.
fn steers_or_tells(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    STEERING.contains(&name.as_str())
        || STEERING_STARTS.iter().any(|start| name.starts_with(start))
        || STEERING_ENDS.iter().any(|end| name.ends_with(end))
        || SECRETS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_plan::Outside;

    fn names(cage: Cage, added: &[(&str, &str)]) -> Vec<String> {
        let mut variables: Variables = vec![("PATH".into(), "/usr/bin".into()), ("TERM".into(), "dumb".into())];
        let added: Variables = added.iter().map(|(name, value)| (name.into(), value.into())).collect();
        add(&mut variables, &added, &cage);
        let text = |(name, value): (OsString, OsString)| format!("{}={}", name.display(), value.display());
        variables.into_iter().map(text).collect()
    }

    const GIVEN: [(&str, &str); 12] = [
        ("RUST_BACKTRACE", "1"),
        ("CI", "true"),
        ("NODE_ENV", "test"),
        ("PATH", "/opt/bin"),
        ("LD_PRELOAD", "/x.so"),
        ("BASH_ENV", "/x"),
        ("GIT_DIR", "/x"),
        ("npm_config_script_shell", "/x"),
        ("API_TOKEN", "x"),
        ("TERM", "xterm"),
        ("BAD NAME", "x"),
        ("", "x"),
    ];

    #[test]
    fn g4_settings_neither_steer_nor_tell_secrets_where_nothing_may_be_kept() {
        let expected = ["PATH=/usr/bin", "TERM=dumb", "RUST_BACKTRACE=1", "CI=true"];
        assert_eq!(names(Cage::ReadOnly { outside: Outside::Closed }, &GIVEN), expected);
        assert_eq!(names(Cage::Rehearsal, &GIVEN), expected);
    }

    #[test]
    fn work_gets_every_variable_with_a_sound_name() {
        let expected = [
            "RUST_BACKTRACE=1",
            "CI=true",
            "NODE_ENV=test",
            "PATH=/opt/bin",
            "LD_PRELOAD=/x.so",
            "BASH_ENV=/x",
            "GIT_DIR=/x",
            "npm_config_script_shell=/x",
            "API_TOKEN=x",
            "TERM=xterm",
        ];
        assert_eq!(names(Cage::Free, &GIVEN), expected);
        assert_eq!(names(Cage::Workspace { outside: Outside::any_public() }, &GIVEN), expected);
    }
}
