//! One answer of the gate, ready to be printed for people or as a line of JSON.

use fore_plan::{
    Cage, Outside, Refusal,
    gate::{Judgement, Kind, Verdict, table::Row},
};
use fore_shell::{Evidence, Finding};
use serde::Serialize;
use serde_json::Value;

/// The verdict in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Word {
    Allow,
    Ask,
    Block,
}

/// What is printed.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) verdict: Word,
    pub(crate) finding: fore_shell::CommandKind,
    pub(crate) cage: Option<&'static str>,
    pub(crate) code: Option<&'static str>,
    pub(crate) rule: Option<String>,
    pub(crate) reason: String,
    pub(crate) way_out: String,
    pub(crate) evidence: Vec<Evidence>,
}

/// One line of JSON. The order of the fields is the order they are printed in.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    id: Value,
    verdict: Word,
    finding: fore_shell::CommandKind,
    cage: Option<&'static str>,
    code: Option<&'static str>,
    reason: String,
    way_out: String,
    rule: Option<String>,
    evidence: Vec<Evidence>,
}

impl Answer {
    pub(crate) fn of(judgement: Judgement) -> Answer {
        let Judgement { verdict, row, finding } = judgement;
        let kind = finding.as_ref().map_or_else(|| kind_of_row(row), |finding| finding.kind);
        let because = finding.as_ref().and_then(|finding| finding.evidence.first()).map(|first| first.why.clone());
        let evidence = finding.map_or_else(Vec::new, |finding: Finding| finding.evidence);
        match verdict {
            Verdict::Allow(permit) => Answer {
                verdict: Word::Allow,
                finding: kind,
                cage: Some(cage_name(permit.cage())),
                code: None,
                rule: None,
                reason: allowed_because(permit.cage(), kind, permit.action().kind(), because),
                way_out: String::new(),
                evidence,
            },
            Verdict::Ask(question) => Answer {
                verdict: Word::Ask,
                finding: kind,
                cage: Some(cage_name(question.cage())),
                code: None,
                rule: Some(question.rule().to_owned()),
                reason: question.text().to_owned(),
                way_out: "A person decides.".into(),
                evidence,
            },
            Verdict::Block(Refusal { code, rule, reason, way_out, .. }) => Answer {
                verdict: Word::Block,
                finding: kind,
                cage: None,
                code: Some(code.name()),
                rule: Some(rule),
                reason,
                way_out,
                evidence,
            },
        }
    }

    /// A line that could not be read is answered too: refused, with the reason.
    pub(crate) fn unreadable(reason: String) -> Answer {
        Answer {
            verdict: Word::Block,
            finding: fore_shell::CommandKind::Unknown,
            cage: None,
            code: Some("gate.input"),
            rule: None,
            reason,
            way_out: r#"Send one object a line: {"id": 1, "tool": "Bash", "input": {"command": "ls"}}"#.into(),
            evidence: Vec::new(),
        }
    }

    pub(crate) fn to_line(&self, id: Option<Value>) -> Line {
        Line {
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

fn allowed_because(cage: &Cage, finding: fore_shell::CommandKind, kind: Kind, because: Option<String>) -> String {
    match (cage, finding) {
        (Cage::Rehearsal, _) => match because {
            Some(why) => format!("{why}; it runs in rehearsal and nothing it writes is kept"),
            None => "it runs in rehearsal and nothing it writes is kept".into(),
        },
        (_, fore_shell::CommandKind::Reads) if kind == Kind::Edit => "this is the plan file".into(),
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
fn kind_of_row(row: Row) -> fore_shell::CommandKind {
    match row {
        Row::Read | Row::Search | Row::Think | Row::PlanTool | Row::Todo => fore_shell::CommandKind::Reads,
        Row::EditPlanFile | Row::AgentReadOnly | Row::McpReadOnly | Row::ShellReads => fore_shell::CommandKind::Reads,
        Row::ShellAsksService => fore_shell::CommandKind::Reads,
        Row::Fetch | Row::ShellNetwork => fore_shell::CommandKind::Network,
        Row::EditProject | Row::EditElsewhere | Row::EditNotebook | Row::DeleteOrMove | Row::ShellWrites => {
            fore_shell::CommandKind::Writes
        }
        Row::Hook | Row::AgentOther | Row::ShellRuns | Row::ShellRehearsal => fore_shell::CommandKind::Runs,
        Row::McpOther | Row::ShellUnknown | Row::UnknownTool => fore_shell::CommandKind::Unknown,
    }
}
