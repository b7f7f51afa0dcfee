//! Which files of a project a hook starts, as far as its text names them. It only reads.

use crate::small_file::{self, LinkPolicy};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A longer hook is no script that somebody wrote.
const MAX_HOOK_BYTES: u64 = 64 << 10;
const MAX_WORDS: usize = 1_000;
/// Endings of scripts that are handed to another program by name.
const SCRIPTS: [&str; 15] =
    ["sh", "bash", "zsh", "fish", "py", "js", "cjs", "mjs", "ts", "mts", "rb", "pl", "php", "lua", "ps1"];

/// The scripts and programs that a hook names, there or not. Git starts hooks at `top`. A folder, or a file that is only read, is
/// none: a hook that looks at sources does not make them its own.
pub(super) fn named_in(hook: &Path, top: &Path) -> Vec<PathBuf> {
    let text = small_file::read(hook, LinkPolicy::Followed, MAX_HOOK_BYTES).unwrap_or_default();
    let ends_word = |byte: &u8| byte.is_ascii_whitespace() || b"'\"`$(){}[];|&<>=!,:".contains(byte);
    let words = text.split(ends_word).filter(|word| word.contains(&b'/') || word.contains(&b'.')).take(MAX_WORDS);
    let mut paths = Vec::new();
    for word in words {
        let path = top.join(OsStr::from_bytes(word));
        // What comes before the first slash may be the name of a variable, or a command that says where the project is.
        let rest = word.iter().position(|byte| *byte == b'/').and_then(|at| word.get(at + 1..)).unwrap_or_default();
        let in_project = top.join(OsStr::from_bytes(rest));
        paths.extend([path].into_iter().filter(|path| is_started(path)));
        paths.extend([in_project].into_iter().filter(|path| path.exists() && is_started(path)));
    }
    paths
}

fn is_started(path: &Path) -> bool {
    let is_script = path.extension().is_some_and(|ending| SCRIPTS.iter().any(|script| ending == *script));
    match path.metadata() {
        Ok(found) => found.is_file() && (is_script || found.permissions().mode() & 0o111 != 0),
        Err(_) => is_script,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the hook that is read")]
    use super::*;

    #[test]
    fn a_hook_names_the_scripts_that_it_starts() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path();
        for made in ["src", "tools"] {
            std::fs::create_dir(top.join(made)).unwrap();
        }
        for file in ["tools/run", "src/main.rs", "README.md"] {
            std::fs::write(top.join(file), "").unwrap();
        }
        std::fs::set_permissions(top.join("tools/run"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let hook = top.join("pre-commit");
        let page = [
            ("#!/bin/sh\nexec ./scripts/check.sh \"$@\"\n", &["./scripts/check.sh"][..]),
            ("node tools/lint.js src/ && tools/run src/main.rs README.md", &["tools/lint.js", "tools/run"]),
            ("\"$(git rev-parse --show-toplevel)\"/gone; npm test; eslint . --fix", &[]),
            ("$(git rev-parse --show-toplevel)/tools/run; \"$root/tools/run\"", &["tools/run", "tools/run"]),
            ("py=tools/a.py; python3 ${py}; . './env.sh'", &["tools/a.py", "./env.sh"]),
        ];
        for (text, expected) in page {
            std::fs::write(&hook, text).unwrap();
            let expected: Vec<PathBuf> = expected.iter().map(|path| top.join(path)).collect();
            // What lies elsewhere is not the project's.
            let found: Vec<PathBuf> = named_in(&hook, top).into_iter().filter(|path| path.starts_with(top)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
