//! The plan a run leaves behind, as the store knows it: where it is, which revision, how far it got. It only reads.

use super::tally::Tally;
use fore_plan::{
    contract::Contract,
    plan::{Hash, PlanStage},
};
use fore_store::{Home, plan_list, session};
use serde::Serialize;

/// What a report says of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ReportedPlan {
    pub(crate) path: String,
    pub(crate) hash: Hash,
    pub(crate) revision: Option<u32>,
    pub(crate) stage: Option<PlanStage>,
    /// What it covers, as it was read when it was handed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contract: Option<Contract>,
    /// The bytes that the hash names.
    #[serde(skip)]
    pub(crate) text: Option<String>,
}

/// The plan of a run: the one that was handed in, else the newest one of its session.
pub(crate) fn of(home: &Home, tally: &Tally) -> Option<ReportedPlan> {
    let plans = session::overview(home, tally.session?).map_or_else(|_| Vec::new(), |glance| glance.plans);
    let (path, hash) = match &tally.plan {
        Some(waits) => (waits.path.clone(), waits.hash),
        None => plans.last().and_then(|plan| Some((plan.path.clone(), plan.revisions.last()?.hash)))?,
    };
    let history = plans.iter().rev().find(|plan| plan.path == path);
    let revision = history.and_then(|plan| plan.revisions.iter().rev().find(|kept| kept.hash == hash));
    Some(ReportedPlan {
        revision: revision.map(|kept| kept.number),
        stage: history.map(|plan| plan.stage),
        contract: tally.contract.as_ref().filter(|(read, _)| *read == hash).map(|(_, contract)| contract.clone()),
        // By its hash and not from its file: what is printed is what can be applied.
        text: plan_list::revision_text(home, hash).ok().flatten(),
        path,
        hash,
    })
}

/// The command line that applies exactly this plan.
pub(crate) fn apply_command(plan: &ReportedPlan) -> String {
    format!("fore apply {} --hash {}", quoted(&plan.path), plan.hash)
}

/// A word for a shell, in quotes where it needs them.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+,:@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_survives_a_shell() {
        let page = [
            ("/home/ada/plans/a-b.md", "/home/ada/plans/a-b.md"),
            ("/home/ada/my plans/a.md", "'/home/ada/my plans/a.md'"),
            ("it's", r"'it'\''s'"),
            ("$(x)", "'$(x)'"),
            ("", "''"),
        ];
        for (word, expected) in page {
            assert_eq!(quoted(word), expected);
        }
    }
}
