//! Judges `jq`.
//!
//! The jq language (1.5 to 1.8) has no way to write a file or to start a program, and no option of jq has one either.
//! So the program text does not matter, not even when it comes from a file; only the options are checked, because a
//! look-alike (`jaq -i`, `yq -i`) or a later version may have more of them.

use fore_shell::{Finding, JudgeContext, Word};

/// Letters that may stand together after one dash.
const LETTERS: &str = "rcnsSeajMChVR";

const FLAGS: [&str; 24] = [
    "--raw-output",
    "--raw-output0",
    "--compact-output",
    "--null-input",
    "--slurp",
    "--sort-keys",
    "--exit-status",
    "--ascii-output",
    "--join-output",
    "--monochrome-output",
    "--color-output",
    "--raw-input",
    "--tab",
    "--stream",
    "--stream-errors",
    "--seq",
    "--args",
    "--jsonargs",
    "--unbuffered",
    "--help",
    "--version",
    "--ascii",
    "--build-configuration",
    "--strip-comments",
];

/// Judges a whole `jq` command, program name included.
pub(crate) fn judge(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    if let Some(word) = may_edit_in_place(argv) {
        return Finding::unknown("jq.option", word, "`jaq -i` edits the file, and this may be that option");
    }
    let mut finding = Finding::reads();
    let mut rest = argv.get(1..).unwrap_or_default().iter();
    let mut program_seen = false;
    while let Some(word) = rest.next() {
        // Whatever it becomes, no option of jq does harm.
        let Some(text) = word.as_literal() else {
            program_seen = true;
            continue;
        };
        let mut take = || rest.next().and_then(Word::as_literal).unwrap_or_default();
        match text {
            "--" => {
                for operand in rest.by_ref() {
                    if let (true, Some(path)) = (program_seen, operand.as_literal()) {
                        finding = finding.and(fore_shell::paths::read(path, context));
                    }
                    program_seen = true;
                }
            }
            "--arg" | "--argjson" => {
                take();
                take();
            }
            "--slurpfile" | "--rawfile" | "--argfile" => {
                take();
                finding = finding.and(fore_shell::paths::read(take(), context));
            }
            "--indent" => {
                take();
            }
            "-L" | "--library-path" => finding = finding.and(fore_shell::paths::read(take(), context)),
            "-f" | "--from-file" => {
                finding = finding.and(fore_shell::paths::read(take(), context));
                program_seen = true;
            }
            _ if FLAGS.contains(&text) => {}
            _ if text.starts_with("-L") => {
                finding = finding.and(fore_shell::paths::read(text.get(2..).unwrap_or_default(), context));
            }
            _ if text.len() > 1 && text.starts_with('-') => {
                let letters = text.get(1..).unwrap_or_default();
                if !letters.chars().all(|letter| LETTERS.contains(letter) || letter == 'f') {
                    return Finding::unknown("jq.option", word, format!("`{text}` is not a known option of jq"));
                }
            }
            _ if program_seen => finding = finding.and(fore_shell::paths::read(text, context)),
            _ => program_seen = true,
        }
    }
    finding
}

/// `jaq` alone can edit in place, and its versions disagree which options take a value, so that no word may look like it.
fn may_edit_in_place(argv: &[Word]) -> Option<&Word> {
    let (program, words) = argv.split_first()?;
    let is_jaq = program.as_literal().is_some_and(|name| name.rsplit('/').next() == Some("jaq"));
    if !is_jaq {
        return None;
    }
    words.iter().find(|word| match word.as_literal() {
        None => word.may_be_option(),
        Some(text) if text.starts_with("--") => text.starts_with("--in-"),
        Some(text) => text.starts_with('-') && text.contains('i'),
    })
}
