//! What to paste into the settings of an editor, so that it starts `fore acp`.

use super::args::EditorName;
use crate::console::Console;
use std::process::ExitCode;

/// The texts are also in `docs/editors.md`; a test holds them together.
pub(super) fn text(editor: EditorName) -> &'static str {
    match editor {
        EditorName::Zed => include_str!("print_config/zed.txt"),
        EditorName::Neovim => include_str!("print_config/neovim.txt"),
        EditorName::Emacs => include_str!("print_config/emacs.txt"),
        EditorName::Jetbrains => include_str!("print_config/jetbrains.txt"),
    }
}

pub(super) fn print(editor: EditorName) -> anyhow::Result<ExitCode> {
    Console::stdout().exact_line(text(editor).trim_end())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn the_page_about_editors_has_exactly_what_is_printed() {
        let page = include_str!("../../../../docs/editors.md");
        for editor in EditorName::value_variants() {
            // The first line says where it goes; the page says that in its own words.
            let (_, pasted) = text(*editor).split_once('\n').unwrap();
            assert!(page.contains(pasted.trim()), "{editor:?}");
        }
    }
}
