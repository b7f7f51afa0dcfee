//! What stands here stands once: no other crate has a list of hidden characters, or cuts text on its own.
#![allow(clippy::disallowed_methods, clippy::expect_used, reason = "reads the sources of the workspace")]

use std::{fs, path::Path};

/// Characters that every such list has.
const SIGNS: [&str; 4] = ["202e", "200b", "2066", "e0000"];

/// What looks for the border of a character.
const CUTS: [&str; 4] = ["floor_char_boundary", "ceil_char_boundary", "is_char_boundary", "char_indices().nth("];

/// Visits the code of every other crate, tests excepted.
fn sources(folder: &Path, see: &mut impl FnMut(&Path, &str)) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() && !["tests", "target", "corpus", "benches", "fore-text"].contains(&name.as_str()) {
            sources(&path, see);
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).expect("a source").to_lowercase();
            // What stands below is tests of the file itself.
            see(&path, text.split("#[cfg(test)]").next().unwrap_or_default());
        }
    }
}

fn places(is_sign: impl Fn(&str, &str) -> bool, signs: &[&str]) -> Vec<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of crates");
    let mut found = Vec::new();
    sources(crates, &mut |path, code| {
        let signs = signs.iter().filter(|sign| is_sign(code, sign));
        found.extend(signs.map(|sign| format!("{}: {sign}", path.display())));
    });
    found
}

#[test]
fn no_other_crate_has_a_list_of_hidden_characters() {
    let is_list =
        |code: &str, sign: &str| code.contains(&format!("\\u{{{sign}}}")) || code.contains(&format!("0x{sign}"));
    let found = places(is_list, &SIGNS);
    assert!(found.is_empty(), "use fore_text::hidden instead of a second list: {found:#?}");
}

#[test]
fn no_other_crate_looks_for_the_borders_of_characters() {
    let found = places(|code, sign| code.contains(sign), &CUTS);
    assert!(found.is_empty(), "use fore_text::cut: {found:#?}");
}
