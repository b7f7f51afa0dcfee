//! LS: what lies in one folder, folders first. It is not offered; models that know it from other agents call it all the same.

use super::{
    ToolContext, TypedTool,
    input::FieldAlias,
    walk::{FileSearch, FoundKind, SearchTarget, WalkEnd, begin},
};
use crate::{event::ShownCall, lock::lock, output::Output};
use fore_plan::{
    ToolName,
    gate::{Action, Presented},
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{
    collections::BTreeSet,
    path::Path,
    sync::{Arc, Mutex},
};

/// Names that one call gives.
const MAX_NAMES: usize = 500;

#[derive(Debug)]
pub(crate) struct Ls;

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct LsInput {
    path: Option<String>,
}

impl TypedTool for Ls {
    type Input = LsInput;

    const NAME: ToolName = ToolName::Ls;

    const ALIASES: &'static [FieldAlias] = &[("path", &["file_path", "absolute_path"])];

    fn description(&self) -> &str {
        "Lists what lies in a folder."
    }

    fn line(&self, input: &LsInput) -> String {
        input.path.clone().filter(|path| !path.is_empty()).unwrap_or_else(|| ".".into())
    }

    fn run(&self, permit: Presented, _input: LsInput, context: &ToolContext) -> Output {
        let Action::Search { path, .. } = permit.action() else {
            return Output::error("The permit is not for a search.");
        };
        list(Path::new(path), context).unwrap_or_else(Output::error)
    }
}

fn list(root: &Path, context: &ToolContext) -> Result<Output, String> {
    if begin(root, context)? == FoundKind::File {
        return Err(format!("{} is a file, not a folder. Read it.", root.display()));
    }
    let secrets = context.opener().secrets();
    if secrets.hold(root) {
        return Err(super::read::secret(root));
    }
    let folders = Arc::new(Mutex::new(BTreeSet::new()));
    let (noted, beneath, rules) = (Arc::clone(&folders), root.to_owned(), context.clone());
    let wants = move |path: &Path, entry: FoundKind| match entry {
        FoundKind::File => true,
        // Named, and not gone into.
        FoundKind::Folder if path == beneath => true,
        FoundKind::Folder => {
            let mut folders = lock(&noted);
            if folders.len() <= MAX_NAMES && !rules.is_denied(path) {
                folders.insert(path.to_owned());
            }
            false
        }
    };
    let what = SearchTarget::NamesExcept(secrets);
    let walked =
        FileSearch { context: context.clone(), target: what, types: None, filter: Box::new(wants) }.files(root);
    let note = match walked.end {
        WalkEnd::Cancelled => return Err("The search was stopped.".into()),
        WalkEnd::TooMany | WalkEnd::TooSlow => "\n[Not everything was looked at.]",
        WalkEnd::Complete => "",
    };
    let name = |path: &Path| path.file_name().map(|name| name.display().to_string());
    let mut files: Vec<String> = walked.found.iter().filter_map(|path| name(path)).collect();
    files.sort();
    let folders = lock(&folders);
    let folders = folders.iter().filter_map(|path| name(path)).map(|name| format!("{name}/"));
    let names: Vec<String> = folders.chain(files).collect();
    let total = names.len();
    if total == 0 {
        return Ok(Output::text(format!("The folder is empty.{note}"), ShownCall::line("empty")));
    }
    let mut text = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join("\n");
    if total > MAX_NAMES {
        text.push_str(&format!("\n[{} more; use Glob with a pattern.]", total.saturating_sub(MAX_NAMES)));
    }
    text.push_str(note);
    Ok(Output::text(text, ShownCall::line(fore_text::count_as(total, "name", "names"))))
}

#[cfg(test)]
mod tests {
    use super::Ls;
    use crate::tools::test_support::Workplace;
    use serde_json::json;

    #[test]
    fn a_folder_is_listed_with_its_folders_first_and_nothing_beneath_them() {
        let place = Workplace::with(&[
            ("src/cart.rs", ""),
            ("src/deep/tax.rs", ""),
            (".git/config", ""),
            ("target/out.rs", ""),
            (".gitignore", "target/\n"),
            ("main.rs", ""),
        ]);
        let page = [
            (json!({}), "src/\n.gitignore\nmain.rs"),
            (json!({"path": "src"}), "deep/\ncart.rs"),
            (json!({"file_path": "src/deep"}), "tax.rs"),
        ];
        for (input, names) in page {
            assert_eq!(place.told(&Ls, input.clone()), names, "{input}");
        }
    }
}
