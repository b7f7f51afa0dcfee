//! Judges what a git subcommand is given besides options: whether it is still a listing, and whom it would ask.

use super::{
    Judged,
    options::{Given, rule},
    row::{Operands, Row},
};
use crate::{
    finding::{Finding, Kind, Reach},
    languages::verdict::{shown, unknown},
    word::Word,
};

pub(super) fn judge_operands(row: &Row, command: &Word, given: &Given<'_>) -> Judged<Finding> {
    let count = given.operands.len();
    let refuse = |why: &str| {
        let word = given.operands.last().copied().unwrap_or(command);
        let why = format!("`git {}`: {why}", row.command);
        let certain = given.operands.iter().all(|word| word.as_literal().is_some());
        let kind = if certain { Kind::Writes } else { Kind::Unknown };
        Err(Box::new(shown(kind, rule(row, "operand"), word, why)))
    };
    match &row.operands {
        Operands::Any => Ok(Finding::reads()),
        Operands::None(_) if count == 0 => Ok(Finding::reads()),
        Operands::None(why) => refuse(why),
        // One that is decided at run time may become several.
        Operands::AtMost(most, _)
            if count <= *most && given.operands.iter().all(|word| word.as_literal().is_some()) =>
        {
            Ok(Finding::reads())
        }
        Operands::AtMost(_, why) => refuse(why),
        Operands::NoneUnless(listing, _) if count == 0 || given.has_one_of(listing) => Ok(Finding::reads()),
        Operands::NoneUnless(_, why) => refuse(why),
        Operands::OnlyWith(required, _) if given.has_one_of(required) => Ok(Finding::reads()),
        Operands::OnlyWith(_, why) => refuse(why),
        Operands::Setting if given.dash_after_operand => {
            refuse("what follows the name of a setting is its new value, even if it looks like an option")
        }
        Operands::Setting => {
            let asks = given.has_one_of(&[
                "-l",
                "--list",
                "--get",
                "--get-all",
                "--get-regexp",
                "--get-urlmatch",
                "--get-color",
                "--get-colorbool",
            ]);
            let one = matches!(given.operands.as_slice(), [only] if only.as_literal().is_some());
            if asks || one { Ok(Finding::reads()) } else { refuse("with a value it changes the setting") }
        }
        Operands::Remote => remote(row, command, given),
        Operands::RemoteName if count == 0 || given.has_one_of(&["-n"]) => Ok(Finding::reads()),
        Operands::RemoteName => remote(row, command, given),
    }
}

/// Asks a remote: by its name, or by an address that only git's own client handles.
fn remote(row: &Row, command: &Word, given: &Given<'_>) -> Judged<Finding> {
    let word = given.operands.first().copied().unwrap_or(command);
    let address = given.operands.first().map(|word| word.as_literal());
    let plain = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
            && !text.starts_with('.')
    };
    let reach = match address {
        None => Reach::AnyHost,
        Some(Some(text)) if plain(text) => Reach::AnyHost,
        Some(Some(text)) => {
            match text.strip_prefix("https://").map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default()) {
                Some(host) => {
                    let reach = Reach::authority(host, 443);
                    if reach == Reach::AnyHost {
                        return Err(Box::new(unknown(
                            rule(row, "operand"),
                            word,
                            "the host of this address is not certain",
                        )));
                    }
                    reach
                }
                None => {
                    return Err(Box::new(unknown(
                        rule(row, "operand"),
                        word,
                        "this kind of address may make git run another program",
                    )));
                }
            }
        }
        Some(None) => {
            return Err(Box::new(unknown(rule(row, "operand"), word, "which remote is asked is decided at run time")));
        }
    };
    let mut finding =
        shown(Kind::Network, rule(row, "network"), word, format!("`git {}` asks another repository", row.command));
    finding.reach.push(reach);
    Ok(finding)
}
