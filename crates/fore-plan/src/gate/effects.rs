//! What a command would do, as the person who is asked is told it: every effect, the worst first, each with its place in the
//! command.

use fore_shell::{CommandKind, Evidence, Finding, Reach};

/// How bad an effect is, the worst first. It orders what is shown; it decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Harm {
    /// Something is gone afterwards.
    Deletes,
    /// Something leaves this machine.
    Sends,
    /// Somebody outside is talked to.
    Network,
    /// Code runs that nobody has looked at, or what happens is not known.
    Runs,
    /// Something is written.
    Writes,
}

/// Verbs of the judge's own sentences, and what they mean to somebody who says yes.
const VERBS: [(&str, Harm); 22] = [
    ("deletes", Harm::Deletes),
    ("discards", Harm::Deletes),
    ("drops", Harm::Deletes),
    ("empties", Harm::Deletes),
    ("ends", Harm::Deletes),
    ("erases", Harm::Deletes),
    // `rewrites history`; files that are rewritten are only written.
    ("history", Harm::Deletes),
    ("kills", Harm::Deletes),
    ("overwrites", Harm::Deletes),
    ("prunes", Harm::Deletes),
    ("removes", Harm::Deletes),
    ("resets", Harm::Deletes),
    ("stops", Harm::Deletes),
    ("throws", Harm::Deletes),
    ("truncates", Harm::Deletes),
    ("wipes", Harm::Deletes),
    ("another", Harm::Sends),
    ("publishes", Harm::Sends),
    ("pushes", Harm::Sends),
    ("sends", Harm::Sends),
    ("server", Harm::Sends),
    ("uploads", Harm::Sends),
];

/// Everything that a command would do, as far as the judge can tell; empty for plain reads.
pub(super) fn effects(finding: &Finding) -> Vec<Evidence> {
    let is_plain_network = finding.kind <= CommandKind::Network;
    let mut all: Vec<(Harm, Evidence)> = Vec::new();
    for evidence in &finding.evidence {
        // What is sent to whom is said once, below.
        if evidence.kind > CommandKind::Network || finding.reach.is_empty() {
            all.push((harm(evidence), evidence.clone()));
        }
    }
    all.extend(outside(finding, is_plain_network));
    all.sort_by_key(|(harm, _)| *harm);
    let mut effects: Vec<Evidence> = all.into_iter().map(|(_, evidence)| evidence).collect();
    if finding.unlisted > 0 {
        let why = fore_text::count_as(finding.unlisted, "more thing is", "more things are");
        effects.push(said(CommandKind::Unknown, "unlisted", format!("{why} not listed here: read the command")));
    }
    effects
}

/// Whom the command talks to, and what it takes there.
fn outside(finding: &Finding, only_reads: bool) -> Option<(Harm, Evidence)> {
    let whom = partners(&finding.reach);
    let place = finding.evidence.iter().find(|evidence| evidence.kind == CommandKind::Network);
    let (harm, why) = match finding.sends.as_slice() {
        [] if finding.reach.is_empty() => return None,
        [] if only_reads => (Harm::Network, format!("it only reads, but talks to {whom}")),
        [] => (Harm::Network, format!("it talks to {whom}")),
        sends => (Harm::Sends, format!("it sends {} to {whom}", sends.join(", "))),
    };
    let mut evidence = said(CommandKind::Network, "outside", why);
    if let Some(place) = place {
        (evidence.word, evidence.span) = (place.word.clone(), place.span);
    }
    Some((harm, evidence))
}

/// Those a command talks to, in words.
pub(super) fn partners(reach: &[Reach]) -> String {
    let names = reach.iter().map(|reach| match reach {
        Reach::Host(host) => host.clone(),
        Reach::Daemon(name) => format!("the {name} service"),
        Reach::AnyHost => "a host that cannot be known beforehand".into(),
    });
    names.collect::<Vec<_>>().join(", ")
}

fn said(kind: CommandKind, rule: &str, why: String) -> Evidence {
    Evidence { kind, rule: rule.to_owned(), word: String::new(), span: None, why }
}

fn harm(evidence: &Evidence) -> Harm {
    match evidence.kind {
        CommandKind::Reads | CommandKind::Network => Harm::Network,
        CommandKind::Runs | CommandKind::Unknown => Harm::Runs,
        CommandKind::Writes => {
            // The command itself is quoted, and its words are not ours.
            let ours = evidence.why.split('`').step_by(2);
            let words = ours.flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric()));
            let known = words.filter_map(|word| VERBS.iter().find(|(verb, _)| *verb == word));
            known.map(|(_, harm)| *harm).min().unwrap_or(Harm::Writes)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_shell::Span;

    fn evidence(kind: CommandKind, why: &str, start: usize) -> Evidence {
        let span = Some(Span { start, end: start + 2 });
        Evidence { kind, rule: "x".into(), word: "xx".into(), span, why: why.into() }
    }

    fn told(finding: &Finding) -> Vec<String> {
        effects(finding).into_iter().map(|effect| effect.why).collect()
    }

    #[test]
    fn every_effect_is_told_and_the_worst_comes_first() {
        let writes = |why: &str| evidence(CommandKind::Writes, why, 0);
        let finding = Finding {
            kind: CommandKind::Writes,
            evidence: vec![
                writes("`sed -i` rewrites files in place"),
                writes("`git rebase` rewrites history"),
                writes("`git push` changes another repository"),
                writes("`rm` deletes files"),
                evidence(CommandKind::Runs, "`npm run build` runs code of the project", 9),
            ],
            reach: vec![Reach::Host("github.com".into())],
            sends: vec!["commits of this repository".into()],
            ..Finding::reads()
        };
        assert_eq!(
            told(&finding),
            [
                "`git rebase` rewrites history",
                "`rm` deletes files",
                "`git push` changes another repository",
                "it sends commits of this repository to github.com",
                "`npm run build` runs code of the project",
                "`sed -i` rewrites files in place",
            ]
        );
        assert_eq!(effects(&finding)[4].span, Some(Span { start: 9, end: 11 }));
    }

    #[test]
    fn a_quoted_word_of_the_command_does_not_count_as_a_verb_of_ours() {
        let finding = Finding {
            kind: CommandKind::Writes,
            evidence: vec![
                evidence(CommandKind::Writes, "`deletes` writes a file", 0),
                evidence(CommandKind::Writes, "`x` removes a folder", 0),
            ],
            ..Finding::reads()
        };
        assert_eq!(told(&finding), ["`x` removes a folder", "`deletes` writes a file"]);
    }

    #[test]
    fn what_found_no_room_is_counted() {
        let one = |at: usize| Finding {
            kind: CommandKind::Writes,
            evidence: vec![evidence(CommandKind::Writes, &format!("`touch` makes file {at}"), at)],
            ..Finding::reads()
        };
        let all = (0..Finding::MAX_EVIDENCE + 2).map(one).fold(Finding::reads(), Finding::and);
        let told = told(&all);
        assert_eq!(told.len(), Finding::MAX_EVIDENCE + 1);
        assert_eq!(told.last().unwrap(), "2 more things are not listed here: read the command");
    }

    #[test]
    fn a_read_has_no_effects_and_one_that_asks_a_server_has_one() {
        assert!(effects(&Finding::reads()).is_empty());
        let finding = Finding {
            kind: CommandKind::Network,
            evidence: vec![evidence(CommandKind::Network, "`curl` talks to docs.rs", 0)],
            reach: vec![Reach::Host("docs.rs".into())],
            ..Finding::reads()
        };
        assert_eq!(told(&finding), ["it only reads, but talks to docs.rs"]);
        assert_eq!(effects(&finding)[0].span, Some(Span { start: 0, end: 2 }));
    }
}
