//! Knows programs on the search path that files of the working folder decide about: a version manager's shims, and links into the
//! project.

use std::ffi::OsStr;
use std::path::Path;

/// Programs that shims are links to.
const MANAGERS: [&str; 8] = ["asdf", "mise", "rtx", "volta-shim", "proto-shim", "aqua-proxy", "rustup", "hermit"];
/// More folders than this are not looked through.
const MAX_FOLDERS: usize = 256;

/// Whether `program`, looked up as a shell does it, is a shim: in a folder of that name, or a link to a version manager or into the
/// project around `folder`.
pub(crate) fn is_shim(program: &str, folder: &Path, search_path: &OsStr) -> bool {
    let places = std::env::split_paths(search_path).take(MAX_FOLDERS).map(|folder| folder.join(program));
    let Some(found) = places.into_iter().find(|place| place.is_file()) else { return false };
    let lies_among_shims = |path: &Path| path.parent().and_then(Path::file_name) == Some(OsStr::new("shims"));
    let is_manager = |path: &Path| {
        path.file_name().and_then(OsStr::to_str).is_some_and(|name| name != program && MANAGERS.contains(&name))
    };
    let is_foreign = |real: &Path| lies_among_shims(real) || is_manager(real) || is_in_project(real, folder);
    lies_among_shims(&found) || found.canonicalize().is_ok_and(|real| is_foreign(&real))
}

/// Whether a program lies in the folder or in a repository around it: whoever writes there decides what it does.
fn is_in_project(program: &Path, folder: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else { return true };
    let mut tops = folder.ancestors().filter(|top| *top == folder || top.join(".git").symlink_metadata().is_ok());
    tops.any(|top| program.starts_with(top))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the programs that are looked for")]
    use super::*;

    #[test]
    fn a_shim_is_known_by_its_folder_or_by_what_it_links_to() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for folder in ["shims", "bin", "mise", "shop/.git", "shop/api", "shop/tools"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["shims/jq", "bin/rg", "bin/jq", "mise/mise", "shop/tools/tree"] {
            std::fs::write(at(file), "").unwrap();
        }
        std::os::unix::fs::symlink(at("mise/mise"), at("bin/gh")).unwrap();
        std::os::unix::fs::symlink(at("bin/rg"), at("bin/ripgrep")).unwrap();
        std::os::unix::fs::symlink(at("shop/tools/tree"), at("bin/tree")).unwrap();
        let path = |folders: &[&str]| std::env::join_paths(folders.iter().map(|folder| at(folder))).unwrap();
        let page: [(&str, &[&str], bool); 7] = [
            ("jq", &["shims", "bin"], true),
            ("jq", &["bin", "shims"], false),
            ("gh", &["bin"], true),
            ("ripgrep", &["bin"], false),
            ("tree", &["bin"], true),
            ("mise", &["mise"], false),
            ("none", &["bin", "shims"], false),
        ];
        for (program, folders, expected) in page {
            assert_eq!(is_shim(program, &at("shop/api"), &path(folders)), expected, "{program} in {folders:?}");
        }
    }
}
