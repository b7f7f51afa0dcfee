//! One tip at the start of a session, never the same one soon again. Our own words, in a table.

use fore_store::{Home, tips};

/// A name that stays when the words get better, and the words.
const TIPS: &[(&str, &str)] = &[
    ("plan-mode", "Shift+Tab switches the mode. In plan mode nothing on this machine can change until you approve."),
    ("plan-task", "/plan add discounts to the cart: begins to plan that task, whatever the mode was."),
    (
        "remarks",
        "When a plan waits for you, press c on a line to comment on it; your comments go back with \"keep planning\".",
    ),
    ("plan-diff", "/plan diff shows what changed in the plan since you last read it."),
    ("file-names", "Type @ and a few letters to name a file of this project."),
    (
        "own-commands",
        "A line that begins with ! is a command of your own: it runs at once, and its output is told to the model.",
    ),
    ("editor", "Ctrl+G opens your prompt in your own editor; among the choices of a plan, it opens the plan."),
    ("details", "Ctrl+O opens what is folded: long outputs, edits, what an agent did."),
    ("continue", "fore --continue resumes where you left off, also with a plan that still waits for your approval."),
    ("exactly-that", "fore apply runs exactly the plan you have read, by its hash: good for CI and for tomorrow."),
];

/// The tip whose turn it is. Without a file to count in there is none.
pub(super) fn next(home: &Home) -> Option<String> {
    let names: Vec<&str> = TIPS.iter().map(|(name, _)| *name).collect();
    let due = tips::next(home, &names).ok().flatten()?;
    TIPS.iter().find(|(name, _)| *name == due).map(|(_, words)| (*words).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tips_have_names_of_their_own_and_fit_on_two_lines() {
        let mut names: Vec<&str> = TIPS.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), TIPS.len());
        for (name, words) in TIPS {
            assert!(words.chars().count() <= 150 && words.is_ascii(), "{name}");
        }
    }
}
