//! The list of hidden characters stands once: no other crate begins a list of its own.
#![allow(clippy::disallowed_methods, clippy::expect_used, reason = "reads the sources of the workspace")]

use std::{fs, path::Path};

/// Characters that every such list has.
const SIGNS: [&str; 4] = ["202e", "200b", "2066", "e0000"];

/// Sources with such a character written out, tests excepted.
fn lists(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() && !["tests", "target", "corpus", "benches"].contains(&name.as_str()) {
            lists(&path, found);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).expect("a source").to_lowercase();
            // What stands below is tests of the file itself.
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let is_list = |sign: &str| code.contains(&format!("\\u{{{sign}}}")) || code.contains(&format!("0x{sign}"));
            found.extend(SIGNS.iter().find(|sign| is_list(sign)).map(|sign| format!("{}: {sign}", path.display())));
        }
    }
}

#[test]
fn no_other_crate_has_a_list_of_hidden_characters() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of crates");
    let mut found = Vec::new();
    for entry in fs::read_dir(crates).expect("the crates") {
        let folder = entry.expect("a crate").path();
        if !folder.ends_with("fore-text") && folder.join("src").is_dir() {
            lists(&folder.join("src"), &mut found);
        }
    }
    assert!(found.is_empty(), "use fore_text::hidden instead of a second list: {found:#?}");
}
