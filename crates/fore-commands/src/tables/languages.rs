//! Programs whose arguments are a language of their own, and who judges them.

use super::grammar::{CommandRow, ask};
use crate::languages;

pub(super) const ROWS: &[CommandRow] = &[
    ask("git", crate::git::judge, &["git log", "git status"], &["git commit -m x", "git push"]),
    ask("sed gsed", languages::sed::judge, &["sed -n 1p f", "sed 's/a/b/' f"], &["sed -i s/a/b/ f", "sed -n 1wx f"]),
    ask("awk gawk mawk nawk", languages::awk::judge, &["awk '{print $1}' f"], &["awk 'BEGIN{system(\"x\")}'"]),
    ask("find gfind", languages::find::judge, &["find . -name x"], &["find . -delete", "find . -exec rm {} +"]),
    ask(
        "jq gojq jaq",
        languages::jq::judge,
        &["jq . f", "jq -r .a f"],
        &["jq --frob f", "jaq -i . f", "jaq $x . f", "jaq -f -i p f"],
    ),
];
