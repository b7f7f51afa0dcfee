//! Judges what a git subcommand is given besides options: whether it is still a listing, and whom it would ask.

use super::{
    Judged,
    row::{GitOperands, GitRow},
};
use fore_shell::{
    CommandKind, Finding, Partner, Reach, RemoteDirection, Value, Word, catalogue::ArgumentScan, git::of_address,
};

pub(super) fn judge_operands(
    row: &GitRow,
    given: &ArgumentScan<'_>,
    arguments: &[Word],
    hosts: &dyn Fn(Partner<'_>) -> Vec<Reach>,
) -> Judged<Finding> {
    let count = given.operands.len();
    let refuse = |why: &str| {
        let word = given.operands.last().copied().unwrap_or(given.program);
        let why = format!("`git {}`: {why}", row.command);
        let certain = given.operands.iter().all(|word| word.as_literal().is_some());
        let kind = if certain { CommandKind::Writes } else { CommandKind::Unknown };
        Err(Box::new(Finding::shown(kind, given.rule("operand"), word, why)))
    };
    match &row.operands {
        GitOperands::Any => Ok(Finding::reads()),
        GitOperands::None(_) if count == 0 => Ok(Finding::reads()),
        GitOperands::None(why) => refuse(why),
        // One that is decided at run time may become several.
        GitOperands::AtMost(most, _)
            if count <= *most && given.operands.iter().all(|word| word.as_literal().is_some()) =>
        {
            Ok(Finding::reads())
        }
        GitOperands::AtMost(_, why) => refuse(why),
        GitOperands::NoneUnless(listing, _) if count == 0 || given.has(listing) => Ok(Finding::reads()),
        GitOperands::NoneUnless(_, why) => refuse(why),
        GitOperands::OnlyWith(required, _) if given.has(required) => Ok(Finding::reads()),
        GitOperands::OnlyWith(_, why) => refuse(why),
        GitOperands::Setting if dash_behind_operand(given, arguments) => {
            refuse("what follows the name of a setting is its new value, even if it looks like an option")
        }
        GitOperands::Setting => {
            const ASKING: &str = "-l --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool";
            let asks = given.has(ASKING);
            let one = matches!(given.operands.as_slice(), [only] if only.as_literal().is_some());
            if asks || one { Ok(Finding::reads()) } else { refuse("with a value it changes the setting") }
        }
        GitOperands::Remote => remote(row, given, hosts),
        GitOperands::RemoteName if count == 0 || given.has("-n") => Ok(Finding::reads()),
        GitOperands::RemoteName => remote(row, given, hosts),
    }
}

/// Something that looks like an option stands behind an operand. `git config` takes that for an operand too.
fn dash_behind_operand(given: &ArgumentScan<'_>, arguments: &[Word]) -> bool {
    let Some(first) = given.operands.first() else { return false };
    let behind = arguments.iter().skip_while(|word| !std::ptr::eq(*word, *first)).skip(1);
    behind.into_iter().any(|word| match &word.value {
        Value::Literal(text) => text.starts_with('-'),
        Value::Opaque(opaque) => opaque.prefix.starts_with('-'),
    })
}

/// Asks a remote: by its name, or by an address that only git's own client handles.
fn remote(row: &GitRow, given: &ArgumentScan<'_>, hosts: &dyn Fn(Partner<'_>) -> Vec<Reach>) -> Judged<Finding> {
    let word = given.operands.first().copied().unwrap_or(given.program);
    let address = given.operands.first().map(|word| word.as_literal());
    let of = |name| hosts(Partner::Remote { name, direction: RemoteDirection::Fetch });
    let reach = match address {
        None => of(None),
        Some(Some(text)) if is_remote_name(text) => of(Some(text)),
        Some(Some(text)) => {
            match text.strip_prefix("https://").map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default()) {
                Some(host) => {
                    let reach = Reach::authority(host, 443);
                    if reach == Reach::AnyHost {
                        return Err(Box::new(Finding::unknown(
                            given.rule("operand"),
                            word,
                            "the host of this address is not certain",
                        )));
                    }
                    vec![reach]
                }
                None => {
                    return Err(Box::new(Finding::unknown(
                        given.rule("operand"),
                        word,
                        "this kind of address may make git run another program",
                    )));
                }
            }
        }
        Some(None) => {
            return Err(Box::new(Finding::unknown(
                given.rule("operand"),
                word,
                "which remote is asked is decided at run time",
            )));
        }
    };
    let mut finding = Finding::shown(
        CommandKind::Network,
        given.rule("network"),
        word,
        format!("`git {}` asks another repository", row.command),
    );
    finding.reach.extend(reach);
    Ok(finding)
}

/// A name that can be nothing but a remote's: neither an address nor a path.
fn is_remote_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
        && !text.starts_with(['.', '-'])
}

/// Options of `fetch`, `pull`, `push` and `clone` whose value is the next word.
const WITH_VALUE: &str = "--depth --deepen --shallow-since --shallow-exclude --upload-pack --receive-pack --exec -o -u -b -c -j -s -X \
    --origin --branch --config --jobs --strategy --strategy-option --refmap --server-option --push-option --negotiation-tip --filter \
    --reference --reference-if-able --template --separate-git-dir --recurse-submodules-default --bundle-uri --revision";

/// Whom a writing subcommand talks to: by its first operand, or by the remote that git takes by itself.
pub(super) fn partner(name: &str, words: &[Word], hosts: &dyn Fn(Partner<'_>) -> Vec<Reach>) -> Vec<Reach> {
    let unknown = || vec![Reach::AnyHost];
    let direction = if name == "push" { RemoteDirection::Push } else { RemoteDirection::Fetch };
    let mut rest = words.iter();
    let mut operand = None;
    while let Some(word) = rest.next() {
        // `push -u` takes nothing.
        let takes_next = |text: &str| WITH_VALUE.split(' ').any(|one| one == text) && (name, text) != ("push", "-u");
        match word.as_literal() {
            None | Some("--all" | "--multiple" | "--mirror" | "--repo") => return unknown(),
            Some(text) if text.starts_with("--repo=") => return unknown(),
            Some(text) if takes_next(text) => {
                rest.next();
            }
            Some(text) if text.starts_with('-') && text != "--" => {}
            Some("--") => {}
            Some(text) => {
                operand = Some(text);
                break;
            }
        }
    }
    match operand {
        None if name == "clone" => unknown(),
        None => hosts(Partner::Remote { name: None, direction }),
        Some(text) if is_remote_name(text) && name != "clone" => hosts(Partner::Remote { name: Some(text), direction }),
        Some(text) => vec![of_address(text).unwrap_or(Reach::AnyHost)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_shell::Opaque;

    const OPEN: Opaque = Opaque { prefix: String::new(), may_be_empty: true, may_split: true, may_be_option: true };

    #[test]
    fn whom_a_writing_command_talks_to() {
        let hosts = |partner: Partner<'_>| match partner {
            Partner::Remote { name, direction } => {
                vec![Reach::Host(format!("{direction:?}.{}", name.unwrap_or("own")))]
            }
            Partner::Registry(_) | Partner::Forge => Vec::new(),
        };
        let page = [
            ("fetch", "", "Fetch.own"),
            ("fetch", "origin main", "Fetch.origin"),
            ("fetch", "--depth 1 -q upstream", "Fetch.upstream"),
            ("fetch", "--all", "any"),
            ("fetch", "$remote", "any"),
            ("pull", "--rebase origin main", "Fetch.origin"),
            ("push", "", "Push.own"),
            ("push", "-u origin main", "Push.origin"),
            ("push", "--repo=x", "any"),
            ("push", "https://evil.example/x main", "evil.example"),
            ("clone", "https://docs.rs/x", "docs.rs"),
            ("clone", "--depth 1 git@docs.rs:a/b.git", "docs.rs:22"),
            ("clone", "ssh://git@docs.rs:2222/a", "docs.rs:2222"),
            ("clone", "http://docs.rs/x", "docs.rs"),
            ("clone", "ext::sh -c x", "any"),
            ("clone", "../other", "any"),
            ("clone", "other", "any"),
        ];
        for (name, line, expected) in page {
            let word = |text: &str| match text.strip_prefix('$') {
                Some(_) => Word { value: Value::Opaque(OPEN), ..Word::literal(text) },
                None => Word::literal(text),
            };
            let words: Vec<Word> = line.split_whitespace().map(word).collect();
            let expected = if expected == "any" { Reach::AnyHost } else { Reach::Host(expected.into()) };
            assert_eq!(partner(name, &words, &hosts), [expected], "git {name} {line}");
        }
    }
}
