//! Why not: a stable code, the mode, the rule that fired, the reason and the way out. One text for model and person.

use crate::mode::Mode;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What kind of refusal this is. The names are stable: hooks and tests may rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RefusalCode {
    #[serde(rename = "mode.untrusted-folder")]
    UntrustedFolder,
    #[serde(rename = "mode.not-available")]
    ModeNotAvailable,
    #[serde(rename = "plan.needs-approval")]
    NeedsApproval,
    #[serde(rename = "plan.lead-decides")]
    LeadDecides,
    #[serde(rename = "plan.edit")]
    PlanEdit,
    #[serde(rename = "plan.notebook")]
    PlanNotebook,
    #[serde(rename = "plan.shell-writes")]
    PlanShellWrites,
    #[serde(rename = "plan.shell-unproven")]
    PlanShellUnproven,
    #[serde(rename = "plan.network")]
    PlanNetwork,
    #[serde(rename = "plan.agent")]
    PlanAgent,
    #[serde(rename = "plan.mcp")]
    PlanMcp,
    #[serde(rename = "plan.todo")]
    PlanTodo,
    #[serde(rename = "plan.read-only-fallback")]
    ReadOnlyFallback,
    #[serde(rename = "gate.unknown-tool")]
    UnknownTool,
    #[serde(rename = "rule.deny")]
    RuleDeny,
    #[serde(rename = "cage.unavailable")]
    CageUnavailable,
    #[serde(rename = "permit.stale")]
    PermitStale,
    #[serde(rename = "person.declined")]
    Declined,
    #[serde(rename = "auto.denied")]
    AutoDenied,
    #[serde(rename = "enter.input")]
    EnterInput,
    #[serde(rename = "enter.subagent")]
    EnterSubagent,
    #[serde(rename = "enter.no-approver")]
    EnterNoApprover,
    #[serde(rename = "exit.outside-plan")]
    ExitOutsidePlan,
    #[serde(rename = "exit.input")]
    ExitInput,
    #[serde(rename = "exit.wrong-file")]
    ExitWrongFile,
    #[serde(rename = "exit.no-plan")]
    ExitNoPlan,
    #[serde(rename = "exit.pending")]
    ExitPending,
    #[serde(rename = "batch.retry")]
    BatchRetry,
}

/// Why something is not done, and what can be done instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub code: RefusalCode,
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
            RefusalCode::ReadOnlyFallback => "plan.read-only-fallback",
            RefusalCode::UnknownTool => "gate.unknown-tool",
            RefusalCode::RuleDeny => "rule.deny",
            RefusalCode::CageUnavailable => "cage.unavailable",
            RefusalCode::PermitStale => "permit.stale",
            RefusalCode::Declined => "person.declined",
            RefusalCode::AutoDenied => "auto.denied",
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

impl fmt::Display for RefusalCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Refusal {
    /// For a person who asked for it themselves: reason and way out, without the names that logs and models need.
    pub fn for_person(&self) -> String {
        let mut reason = self.reason.chars();
        let first: String = reason.next().into_iter().flat_map(char::to_uppercase).collect();
        format!("{first}{}. {}", reason.as_str(), self.way_out)
    }
}

impl fmt::Display for Refusal {
    /// The text that model and person both read: mode, reason, way out, code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { code, mode, rule, reason, way_out } = self;
        match mode {
            Mode::Plan => write!(f, "Plan mode: {reason}. {way_out} [{code}; rule {rule}]"),
            Mode::At(level) => write!(f, "Refused in mode {level}: {reason}. {way_out} [{code}; rule {rule}]"),
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
            "`sort -o` writes a file. Print to the output instead, or put this step in the plan."
        );
    }

    #[test]
    fn the_name_of_a_code_is_its_serialised_form() {
        for code in [
            RefusalCode::PlanEdit,
            RefusalCode::RuleDeny,
            RefusalCode::ExitOutsidePlan,
            RefusalCode::BatchRetry,
            RefusalCode::UntrustedFolder,
        ] {
            assert_eq!(serde_json::to_value(code).unwrap(), serde_json::Value::from(code.name()));
        }
    }
}
