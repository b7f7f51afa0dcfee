//! Knows a version manager's shim on the search path: a stand-in that asks files of the working folder what to start.

use std::ffi::OsStr;
use std::path::Path;

/// Programs that shims are links to.
const MANAGERS: [&str; 8] = ["asdf", "mise", "rtx", "volta-shim", "proto-shim", "aqua-proxy", "rustup", "hermit"];
/// More folders than this are not looked through.
const MAX_FOLDERS: usize = 256;

/// Whether `program`, looked up as a shell does it, is a shim: in a folder of that name, or a link to a version manager.
pub(crate) fn is_shim(program: &str, search_path: &OsStr) -> bool {
    let places = std::env::split_paths(search_path).take(MAX_FOLDERS).map(|folder| folder.join(program));
    let Some(found) = places.into_iter().find(|place| place.is_file()) else { return false };
    let lies_among_shims = |path: &Path| path.parent().and_then(Path::file_name) == Some(OsStr::new("shims"));
    let is_manager = |path: &Path| {
        path.file_name().and_then(OsStr::to_str).is_some_and(|name| name != program && MANAGERS.contains(&name))
    };
    lies_among_shims(&found) || found.canonicalize().is_ok_and(|real| lies_among_shims(&real) || is_manager(&real))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the programs that are looked for")]
    use super::*;

    #[test]
    fn a_shim_is_known_by_its_folder_or_by_what_it_links_to() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for folder in ["shims", "bin", "mise"] {
            std::fs::create_dir(at(folder)).unwrap();
        }
        for file in ["shims/jq", "bin/rg", "bin/jq", "mise/mise"] {
            std::fs::write(at(file), "").unwrap();
        }
        std::os::unix::fs::symlink(at("mise/mise"), at("bin/gh")).unwrap();
        std::os::unix::fs::symlink(at("bin/rg"), at("bin/ripgrep")).unwrap();
        let path = |folders: &[&str]| std::env::join_paths(folders.iter().map(|folder| at(folder))).unwrap();
        let page: [(&str, &[&str], bool); 6] = [
            ("jq", &["shims", "bin"], true),
            ("jq", &["bin", "shims"], false),
            ("gh", &["bin"], true),
            ("ripgrep", &["bin"], false),
            ("mise", &["mise"], false),
            ("none", &["bin", "shims"], false),
        ];
        for (program, folders, expected) in page {
            assert_eq!(is_shim(program, &path(folders)), expected, "{program} in {folders:?}");
        }
    }
}
