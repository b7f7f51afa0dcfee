//! What a plan covers, a line each, for `fore plan` and `fore plans show --covers`: that is what `fore apply` grants.

use crate::console::plain;
use fore_plan::contract::Contract;

/// Lines of what is not granted that are printed. What is granted is printed to its end ([`fore_plan::contract::MAX_GRANTS`]): whoever
/// approves it must be able to see it.
const MAX_NOT_GRANTED: usize = 200;

/// The whole list, with what is named and not granted.
pub(crate) fn lines(contract: &Contract) -> Vec<String> {
    let mut lines = match contract.summary() {
        Some(summary) => vec![format!("This plan covers {summary}; fore apply grants them:")],
        None => vec!["This plan names no file or command that could run without asking.".to_owned()],
    };
    let granted = contract.files.iter().map(ToString::to_string);
    lines.extend(granted.chain(contract.commands.iter().map(ToString::to_string)).map(|grant| line(&grant)));
    lines.extend(contract.besides());
    if !contract.not_granted.is_empty() {
        lines.push("Named, but not granted:".to_owned());
        lines.extend(contract.not_granted.iter().take(MAX_NOT_GRANTED).map(|refused| line(&refused.to_string())));
        let more = contract.not_granted.len().saturating_sub(MAX_NOT_GRANTED);
        lines.extend((more > 0).then(|| format!("  … and {more} more")));
    }
    lines
}

fn line(text: &str) -> String {
    format!("  {}", plain(&text.replace('\n', " ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_plan::contract::{CommandGrant, MAX_GRANTS, NotGranted, NotGrantedReason};

    #[test]
    fn everything_that_is_granted_is_listed() {
        let command = |at: usize| CommandGrant { command: format!("make {at}"), hosts: Vec::new(), line: 1 };
        let refused = |at: usize| NotGranted { named: format!("x{at}"), line: 2, why: NotGrantedReason::NotFound };
        let contract = Contract {
            commands: (0..MAX_GRANTS).map(command).collect(),
            not_granted: (0..MAX_NOT_GRANTED + 3).map(refused).collect(),
            ..Contract::default()
        };
        let lines = lines(&contract);
        assert!(lines.contains(&format!("  run make {}  no network  line 1", MAX_GRANTS - 1)));
        assert_eq!(lines.last().map(String::as_str), Some("  … and 3 more"));
    }

    #[test]
    fn where_a_line_of_a_command_ends_is_seen() {
        let command = CommandGrant { command: "echo a # b\nrm -rf src".into(), hosts: Vec::new(), line: 4 };
        let contract = Contract { commands: vec![command], ..Contract::default() };
        assert_eq!(lines(&contract)[1], r"  run echo a # b \n rm -rf src  no network  line 4");
    }
}
