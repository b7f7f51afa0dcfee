//! Why not: a stable code, the mode, the rule that fired, the reason and the way out. One text for model and person.

use crate::mode::Mode;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What kind of refusal this is. The names are stable: hooks and tests may rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RefusalCode {
    /// The mode needs a folder that the person trusts.
    #[serde(rename = "mode.untrusted-folder")]
    UntrustedFolder,
    /// The mode is closed in this session.
    #[serde(rename = "mode.not-available")]
    ModeNotAvailable,
    /// Only an approved plan leads out of planning.
    #[serde(rename = "plan.needs-approval")]
    NeedsApproval,
    /// Only the lead of the team does.
    #[serde(rename = "plan.lead-decides")]
    LeadDecides,
    /// A file would be written while planning.
    #[serde(rename = "plan.edit")]
    PlanEdit,
    /// A notebook would be written while planning.
    #[serde(rename = "plan.notebook")]
    PlanNotebook,
    /// A command would change something while planning.
    #[serde(rename = "plan.shell-writes")]
    PlanShellWrites,
    /// A command can't be proved harmless while planning.
    #[serde(rename = "plan.shell-unproven")]
    PlanShellUnproven,
    /// The network is closed while planning.
    #[serde(rename = "plan.network")]
    PlanNetwork,
    /// A subagent could change something while planning.
    #[serde(rename = "plan.agent")]
    PlanAgent,
    /// A server's tool could change something while planning.
    #[serde(rename = "plan.mcp")]
    PlanMcp,
    /// The list of what is to do is closed while planning.
    #[serde(rename = "plan.todo")]
    PlanTodo,
    /// Nothing is carried out that could be amended.
    #[serde(rename = "plan.amend")]
    PlanAmend,
    /// The plan that is carried out does not cover it, and nobody can be asked.
    #[serde(rename = "plan.not-covered")]
    PlanNotCovered,
    /// Reminders fail, so only reads go on.
    #[serde(rename = "plan.read-only-fallback")]
    ReadOnlyFallback,
    /// Nobody here knows the tool.
    #[serde(rename = "gate.unknown-tool")]
    UnknownTool,
    /// A rule says no.
    #[serde(rename = "rule.deny")]
    RuleDeny,
    /// The cage that it needs cannot be built.
    #[serde(rename = "cage.unavailable")]
    CageUnavailable,
    /// The session changed after the permit was given.
    #[serde(rename = "permit.stale")]
    PermitStale,
    /// The person said no.
    #[serde(rename = "person.declined")]
    Declined,
    /// The classifier of auto mode said no.
    #[serde(rename = "auto.denied")]
    AutoDenied,
    /// A hook of the person's said no, or did not work where it may be a guard.
    #[serde(rename = "hook.denied")]
    HookDenied,
    /// The call to enter plan mode cannot be read.
    #[serde(rename = "enter.input")]
    EnterInput,
    /// A subagent cannot enter plan mode.
    #[serde(rename = "enter.subagent")]
    EnterSubagent,
    /// Nobody could approve the way out.
    #[serde(rename = "enter.no-approver")]
    EnterNoApprover,
    /// A plan was handed in outside of planning.
    #[serde(rename = "exit.outside-plan")]
    ExitOutsidePlan,
    /// The call that hands in a plan cannot be read.
    #[serde(rename = "exit.input")]
    ExitInput,
    /// It names another file than the plan's.
    #[serde(rename = "exit.wrong-file")]
    ExitWrongFile,
    /// There is no plan to hand in.
    #[serde(rename = "exit.no-plan")]
    ExitNoPlan,
    /// A request waits already.
    #[serde(rename = "exit.pending")]
    ExitPending,
    /// It stands behind a call that changes the mode, and has to be made again after it.
    #[serde(rename = "batch.retry")]
    BatchRetry,
}

/// How the reason of a no begins that the person gave; the model reads it.
pub(crate) const DECLINED: &str = "the person said no";
/// The way out for a model that wants to change something while it plans.
pub(crate) const REHEARSE_INSTEAD: &str =
    "Put this step in the plan, or run it with `rehearse: true`, which drops every write.";

/// Why something is not done, and what can be done instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What kind of refusal it is.
    pub code: RefusalCode,
    /// The mode that held.
    pub mode: Mode,
    /// The rule that fired: a shell rule (`sort.-o`), a settings rule (`deny Read(~/.ssh/**)`), or a row of the gate's table.
    pub rule: String,
    /// The reason in plain words, without a full stop.
    pub reason: String,
    /// What to do instead, as a sentence.
    pub way_out: String,
}

impl RefusalCode {
    /// The stable name, as in the serialised form.
    pub fn name(self) -> &'static str {
        match self {
            RefusalCode::UntrustedFolder => "mode.untrusted-folder",
            RefusalCode::ModeNotAvailable => "mode.not-available",
            RefusalCode::NeedsApproval => "plan.needs-approval",
            RefusalCode::LeadDecides => "plan.lead-decides",
            RefusalCode::PlanEdit => "plan.edit",
            RefusalCode::PlanNotebook => "plan.notebook",
            RefusalCode::PlanShellWrites => "plan.shell-writes",
            RefusalCode::PlanShellUnproven => "plan.shell-unproven",
            RefusalCode::PlanNetwork => "plan.network",
            RefusalCode::PlanAgent => "plan.agent",
            RefusalCode::PlanMcp => "plan.mcp",
            RefusalCode::PlanTodo => "plan.todo",
            RefusalCode::PlanAmend => "plan.amend",
            RefusalCode::PlanNotCovered => "plan.not-covered",
            RefusalCode::ReadOnlyFallback => "plan.read-only-fallback",
            RefusalCode::UnknownTool => "gate.unknown-tool",
            RefusalCode::RuleDeny => "rule.deny",
            RefusalCode::CageUnavailable => "cage.unavailable",
            RefusalCode::PermitStale => "permit.stale",
            RefusalCode::Declined => "person.declined",
            RefusalCode::AutoDenied => "auto.denied",
            RefusalCode::HookDenied => "hook.denied",
            RefusalCode::EnterInput => "enter.input",
            RefusalCode::EnterSubagent => "enter.subagent",
            RefusalCode::EnterNoApprover => "enter.no-approver",
            RefusalCode::ExitOutsidePlan => "exit.outside-plan",
            RefusalCode::ExitInput => "exit.input",
            RefusalCode::ExitWrongFile => "exit.wrong-file",
            RefusalCode::ExitNoPlan => "exit.no-plan",
            RefusalCode::ExitPending => "exit.pending",
            RefusalCode::BatchRetry => "batch.retry",
        }
    }
}

impl RefusalCode {
    /// Whether only the model can take the way out: it is about how a call is made, or what to do instead of it.
    fn is_for_the_model(self) -> bool {
        match self {
            RefusalCode::PlanNotCovered
            | RefusalCode::HookDenied
            | RefusalCode::ReadOnlyFallback
            | RefusalCode::UnknownTool
            | RefusalCode::PermitStale
            | RefusalCode::Declined
            | RefusalCode::AutoDenied
            | RefusalCode::EnterInput
            | RefusalCode::EnterSubagent
            | RefusalCode::EnterNoApprover
            | RefusalCode::ExitOutsidePlan
            | RefusalCode::ExitInput
            | RefusalCode::ExitWrongFile
            | RefusalCode::ExitNoPlan
            | RefusalCode::ExitPending
            | RefusalCode::BatchRetry => true,
            RefusalCode::UntrustedFolder
            | RefusalCode::ModeNotAvailable
            | RefusalCode::NeedsApproval
            | RefusalCode::LeadDecides
            | RefusalCode::PlanEdit
            | RefusalCode::PlanNotebook
            | RefusalCode::PlanShellWrites
            | RefusalCode::PlanShellUnproven
            | RefusalCode::PlanNetwork
            | RefusalCode::PlanAgent
            | RefusalCode::PlanMcp
            | RefusalCode::PlanTodo
            | RefusalCode::PlanAmend
            | RefusalCode::RuleDeny
            | RefusalCode::CageUnavailable => false,
        }
    }
}

impl fmt::Display for RefusalCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Refusal {
    /// For a person: why, as a sentence, and what to do instead, without the names and hints that logs and models need.
    pub fn for_person(&self) -> (String, String) {
        if let (RefusalCode::Declined, Some(words)) = (self.code, self.reason.strip_prefix(DECLINED)) {
            return (format!("You declined{words}"), String::new());
        }
        let mut reason = self.reason.chars();
        let first: String = reason.next().into_iter().flat_map(char::to_uppercase).collect();
        let end = if self.reason.ends_with(['.', '!', '?']) { "" } else { "." };
        let way_out = match self.way_out.as_str() {
            _ if self.code.is_for_the_model() => "",
            REHEARSE_INSTEAD => "Put it in the plan, or try it in a rehearsal.",
            way_out => way_out,
        };
        (format!("{first}{}{end}", reason.as_str()), way_out.to_owned())
    }
}

impl fmt::Display for Refusal {
    /// The text that model and person both read: mode, reason, way out, code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { code, mode, rule, reason, way_out } = self;
        // What a person says may end by itself.
        let end = if reason.ends_with(['.', '!', '?']) { "" } else { "." };
        match mode {
            Mode::Plan => write!(f, "Plan mode: {reason}{end} {way_out} [{code}; rule {rule}]"),
            Mode::At(level) => write!(f, "Refused in mode {level}: {reason}{end} {way_out} [{code}; rule {rule}]"),
        }
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g7_a_refusal_names_mode_reason_way_out_code_and_rule() {
        let refusal = Refusal {
            code: RefusalCode::PlanShellWrites,
            mode: Mode::Plan,
            rule: "sort.-o".into(),
            reason: "`sort -o` writes a file".into(),
            way_out: "Print to the output instead, or put this step in the plan.".into(),
        };
        assert_eq!(
            refusal.to_string(),
            "Plan mode: `sort -o` writes a file. Print to the output instead, or put this step in the plan. \
             [plan.shell-writes; rule sort.-o]"
        );
        assert_eq!(
            refusal.for_person(),
            (
                "`sort -o` writes a file.".to_owned(),
                "Print to the output instead, or put this step in the plan.".to_owned()
            )
        );
    }

    #[test]
    fn a_person_is_told_nothing_that_is_meant_for_the_model() {
        let refusal = |code: RefusalCode, reason: &str, way_out: &str| Refusal {
            code,
            mode: Mode::Plan,
            rule: "x".into(),
            reason: reason.into(),
            way_out: way_out.into(),
        };
        let declined = refusal(RefusalCode::Declined, "the person said no: use a Map please", "Do it another way.");
        assert_eq!(declined.for_person(), ("You declined: use a Map please".into(), String::new()));
        let writes = refusal(RefusalCode::PlanShellWrites, "`rm` deletes files", REHEARSE_INSTEAD);
        let told = ("`rm` deletes files.".into(), "Put it in the plan, or try it in a rehearsal.".into());
        assert_eq!(writes.for_person(), told);
        let stale = refusal(RefusalCode::PermitStale, "the mode changed after this was allowed", "Call it again.");
        assert_eq!(stale.for_person(), ("The mode changed after this was allowed.".into(), String::new()));
    }

    #[test]
    fn the_name_of_a_code_is_its_serialised_form() {
        for code in [
            RefusalCode::PlanEdit,
            RefusalCode::PlanNotCovered,
            RefusalCode::RuleDeny,
            RefusalCode::ExitOutsidePlan,
            RefusalCode::BatchRetry,
            RefusalCode::UntrustedFolder,
        ] {
            assert_eq!(serde_json::to_value(code).unwrap(), serde_json::Value::from(code.name()));
        }
    }
}
