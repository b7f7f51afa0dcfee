//! Paths of a call as hooks get them: absolute, by letters alone. What the call itself names stays as it is.

use crate::session::{caller::CallerContext, session_context::SessionContext};
use fore_text::paths::folded;
use serde_json::Value;
use std::path::Path;

/// Fields that name a file or folder.
const PATHS: [&str; 4] = ["file_path", "notebook_path", "absolute_path", "path"];

pub(crate) fn absolute(context: &SessionContext, caller: &CallerContext, mut input: Value) -> Value {
    let folder = context.folder_of(caller).get();
    for name in PATHS {
        if let Some(Value::String(path)) = input.get_mut(name) {
            *path = from(&folder, context.setup.user_home.as_deref(), path);
        }
    }
    input
}

fn from(folder: &Path, home: Option<&Path>, path: &str) -> String {
    let whole = match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_) | None, _) => folder.join(path),
    };
    folded(&whole).to_str().unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_whole_by_the_folder_that_the_call_is_made_in() {
        let (folder, home) = (Path::new("/projects/shop/src"), Path::new("/home/x"));
        let page = [
            ("a.rs", "/projects/shop/src/a.rs"),
            ("../b", "/projects/shop/b"),
            ("/etc/hosts", "/etc/hosts"),
            ("~/c", "/home/x/c"),
        ];
        for (path, expected) in page {
            assert_eq!(from(folder, Some(home), path), expected);
        }
    }
}
