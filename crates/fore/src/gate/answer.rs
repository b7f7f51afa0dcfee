//! One answer of the gate, ready to be printed for people or as a line of JSON.

use fore_plan::{
    Cage, Outside, Refusal,
    gate::{Judgement, ToolKind, Verdict, table::GateRow},
};
use fore_shell::{Evidence, Finding};
use serde::Serialize;
use serde_json::Value;

/// The verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum VerdictWord {
    Allow,
    Ask,
    Block,
}

/// What is printed.
#[derive(Debug)]
pub(crate) struct GateAnswer {
    pub(crate) verdict: VerdictWord,
    pub(crate) finding: fore_shell::CommandKind,
    pub(crate) cage: Option<&'static str>,
    pub(crate) code: Option<&'static str>,
    pub(crate) rule: Option<String>,
    pub(crate) reason: String,
    /// For whoever asked, often a model.
    pub(crate) way_out: String,
    /// The same for people.
    pub(crate) advice: String,
    pub(crate) evidence: Vec<Evidence>,
}

/// One line of JSON. The order of the fields is the order they are printed in.
#[derive(Debug, Serialize)]
pub(crate) struct AnswerLine {
    id: Value,
    verdict: VerdictWord,
    finding: fore_shell::CommandKind,
    cage: Option<&'static str>,
    code: Option<&'static str>,
    reason: String,
    way_out: String,
    rule: Option<String>,
    evidence: Vec<Evidence>,
}

impl GateAnswer {
    pub(crate) fn of(judgement: Judgement) -> GateAnswer {
        let Judgement { verdict, row, finding } = judgement;
        let kind = finding.as_ref().map_or_else(|| kind_of_row(row), |finding| finding.kind);
        let because = finding.as_ref().and_then(|finding| finding.evidence.first()).map(|first| first.why.clone());
        let evidence = finding.map_or_else(Vec::new, |finding: Finding| finding.evidence);
        match verdict {
            Verdict::Allow(permit) => GateAnswer {
                verdict: VerdictWord::Allow,
                finding: kind,
                cage: Some(cage_name(permit.cage())),
                code: None,
                rule: None,
                reason: allowed_because(permit.cage(), kind, permit.action().kind(), because),
                way_out: String::new(),
                advice: String::new(),
                evidence,
            },
            Verdict::Ask(question) => GateAnswer {
                verdict: VerdictWord::Ask,
                finding: kind,
                cage: Some(cage_name(question.cage())),
                code: None,
                rule: Some(question.rule().to_owned()),
                reason: question.text().to_owned(),
                way_out: "You decide.".into(),
                advice: String::new(),
                evidence,
            },
            Verdict::Block(refusal) => {
                let (_, advice) = refusal.for_person();
                let Refusal { code, rule, reason, way_out, .. } = refusal;
                GateAnswer {
                    verdict: VerdictWord::Block,
                    finding: kind,
                    cage: None,
                    code: Some(code.name()),
                    rule: Some(rule),
                    reason,
                    way_out,
                    advice,
                    evidence,
                }
            }
        }
    }

    /// A line that could not be read is answered too: refused, with the reason.
    pub(crate) fn unreadable(reason: String) -> GateAnswer {
        GateAnswer {
            verdict: VerdictWord::Block,
            finding: fore_shell::CommandKind::Unknown,
            cage: None,
            code: Some("gate.input"),
            rule: None,
            reason,
            way_out: r#"Send one object a line: {"id": 1, "tool": "Bash", "input": {"command": "ls"}}"#.into(),
            advice: String::new(),
            evidence: Vec::new(),
        }
    }

    pub(crate) fn to_line(&self, id: Option<Value>) -> AnswerLine {
        AnswerLine {
            id: id.unwrap_or(Value::Null),
            verdict: self.verdict,
            finding: self.finding,
            cage: self.cage,
            code: self.code,
            reason: self.reason.clone(),
            way_out: self.way_out.clone(),
            rule: self.rule.clone(),
            evidence: self.evidence.clone(),
        }
    }
}

fn allowed_because(cage: &Cage, finding: fore_shell::CommandKind, kind: ToolKind, because: Option<String>) -> String {
    match (cage, finding) {
        (Cage::Rehearsal, _) => match because {
            Some(why) => format!("{why}; it runs in rehearsal and nothing it writes is kept"),
            None => "it runs in rehearsal and nothing it writes is kept".into(),
        },
        (_, fore_shell::CommandKind::Reads) if kind == ToolKind::Edit => "this is the plan file".into(),
        (_, fore_shell::CommandKind::Reads) => "it only reads".into(),
        (_, fore_shell::CommandKind::Network) => "it only reads, from a place that was allowed".into(),
        (_, fore_shell::CommandKind::Runs | fore_shell::CommandKind::Unknown | fore_shell::CommandKind::Writes) => {
            "this mode allows it".into()
        }
    }
}

fn cage_name(cage: &Cage) -> &'static str {
    match cage {
        Cage::ReadOnly { outside: Outside::Closed } => "read-only",
        Cage::ReadOnly { outside } if outside.has_network() => "read-only+network",
        Cage::ReadOnly { outside: Outside::Named(_) | Outside::AnyPublic(_) } => "read-only+services",
        Cage::Rehearsal => "rehearsal",
        Cage::Workspace { .. } => "workspace",
        Cage::Free => "free",
    }
}

/// What a call that is no shell command would do, in the words of the shell judge.
fn kind_of_row(row: GateRow) -> fore_shell::CommandKind {
    match row {
        GateRow::Read | GateRow::Search | GateRow::Think | GateRow::PlanTool | GateRow::Todo => {
            fore_shell::CommandKind::Reads
        }
        GateRow::EditPlanFile
        | GateRow::AgentReadOnly
        | GateRow::McpReadOnly
        | GateRow::McpRemote
        | GateRow::ShellReads => fore_shell::CommandKind::Reads,
        GateRow::ShellAsksService | GateRow::AmendPlan => fore_shell::CommandKind::Reads,
        GateRow::Fetch | GateRow::ShellNetwork => fore_shell::CommandKind::Network,
        GateRow::EditProject
        | GateRow::EditElsewhere
        | GateRow::EditNotebook
        | GateRow::DeleteOrMove
        | GateRow::ShellWrites => fore_shell::CommandKind::Writes,
        GateRow::Hook | GateRow::McpServer | GateRow::AgentOther | GateRow::ShellRuns | GateRow::ShellRehearsal => {
            fore_shell::CommandKind::Runs
        }
        GateRow::McpOther | GateRow::ShellUnknown | GateRow::UnknownTool => fore_shell::CommandKind::Unknown,
    }
}
