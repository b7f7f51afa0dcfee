//! Calls of tools as the cards that clients show. Pure.

use super::updates::is_good;
use agent_client_protocol::v1::schema::{
    Diff, SessionUpdate, ToolCall, ToolCallContent, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use fore_agent::{CallId, CallOutcome, ShownBody, ShownCall};
use fore_plan::{CalledTool, ToolName};
use std::{collections::HashMap, path::Path};

/// Bytes of a text that a card shows.
const MAX_BODY: usize = 64 << 10;

/// Cards that are open at once; more than a few thousand are forgotten together.
const MAX_OPEN: usize = 4096;

/// The cards that a client knows and that are not finished, with their titles. Clients show nothing of a card that was not announced.
#[derive(Debug, Default)]
pub(super) struct ToolCards(HashMap<CallId, String>);

impl ToolCards {
    /// A call that is asked about before it begins.
    pub(super) fn announced(&mut self, call: &CallId, tool: &CalledTool, line: &str) -> Option<SessionUpdate> {
        if self.0.contains_key(call) {
            return None;
        }
        Some(self.open(call, tool, line, ToolCallStatus::Pending))
    }

    /// A call begins.
    pub(super) fn started(&mut self, call: &CallId, tool: &CalledTool, line: &str) -> SessionUpdate {
        if !self.0.contains_key(call) {
            return self.open(call, tool, line, ToolCallStatus::InProgress);
        }
        let title = title(tool, line);
        self.0.insert(call.clone(), title.clone());
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress).title(title);
        SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call.0.clone(), fields))
    }

    /// A call has ended, perhaps before it began.
    pub(super) fn finished(
        &mut self,
        call: &CallId,
        tool: &CalledTool,
        (outcome, shown): (&CallOutcome, &ShownCall),
        project: &Path,
    ) -> Vec<SessionUpdate> {
        let mut updates = Vec::new();
        if !self.0.contains_key(call) {
            updates.push(self.open(call, tool, "", ToolCallStatus::Pending));
        }
        let known = self.0.remove(call).unwrap_or_default();
        let mut content = body(&shown.body, project);
        if let CallOutcome::Refused { refusal } = outcome {
            let (why, way_out) = refusal.for_person();
            content.insert(0, text(&format!("{why} {way_out}")));
        }
        let status = if is_good(outcome) { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
        let came = line(&shown.line);
        let title = match (known.is_empty(), came.is_empty() || known.contains(&came)) {
            (true, _) => came,
            (false, true) => known,
            (false, false) => format!("{known} ({came})"),
        };
        let fields = ToolCallUpdateFields::new().status(status).title(title).content(content);
        let fields = match &shown.body {
            ShownBody::Diff { path, .. } => fields.locations(vec![ToolCallLocation::new(project.join(path))]),
            ShownBody::Nothing | ShownBody::Text { .. } | ShownBody::Markdown { .. } => fields,
        };
        updates.push(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(call.0.clone(), fields)));
        updates
    }

    fn open(&mut self, call: &CallId, tool: &CalledTool, line: &str, status: ToolCallStatus) -> SessionUpdate {
        if self.0.len() >= MAX_OPEN {
            self.0.clear();
        }
        let title = title(tool, line);
        self.0.insert(call.clone(), title.clone());
        SessionUpdate::ToolCall(ToolCall::new(call.0.clone(), title).kind(kind(tool)).status(status))
    }
}

/// What is asked about, beside the question.
pub(super) fn body(shown: &ShownBody, project: &Path) -> Vec<ToolCallContent> {
    match shown {
        ShownBody::Nothing => Vec::new(),
        ShownBody::Text { text: words } if words.is_empty() => Vec::new(),
        ShownBody::Text { text: words } => vec![text(&fenced(&fore_text::output(bounded(words))))],
        ShownBody::Markdown { text: words } => vec![text(&fore_text::prose(bounded(words)))],
        ShownBody::Diff { path, diff } => hunks(diff)
            .into_iter()
            .map(|(old, new)| ToolCallContent::from(Diff::new(project.join(path), new).old_text(old)))
            .collect(),
    }
}

/// Words on a card.
pub(super) fn text(words: &str) -> ToolCallContent {
    ToolCallContent::from(words.to_owned())
}

fn bounded(words: &str) -> &str {
    fore_text::cut::bytes(words, MAX_BODY)
}

/// Text that is shown as it is, whatever fences are in it.
pub(super) fn fenced(words: &str) -> String {
    let longest = words.lines().map(|line| line.trim_start().bytes().take_while(|byte| *byte == b'`').count()).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!("{fence}\n{}\n{fence}", words.trim_end_matches('\n'))
}

pub(super) fn line(words: &str) -> String {
    fore_text::line(words).into_owned()
}

/// What is done, and with what; commands and what the program does itself say that by their line.
pub(super) fn title(tool: &CalledTool, words: &str) -> String {
    let name = match tool {
        CalledTool::Known(
            ToolName::Bash
            | ToolName::Agent
            | ToolName::TodoWrite
            | ToolName::AskUserQuestion
            | ToolName::EnterPlanMode
            | ToolName::ExitPlanMode
            | ToolName::AmendPlan
            | ToolName::SendMessage
            | ToolName::AnswerPlan,
        )
        | CalledTool::Typed
            if !words.is_empty() =>
        {
            ""
        }
        CalledTool::Known(_) | CalledTool::Typed | CalledTool::Other(_) => tool.as_str(),
    };
    line(format!("{name} {words}").trim())
}

/// What kind of card a tool gets.
pub(super) fn kind(tool: &CalledTool) -> ToolKind {
    let Some(known) = tool.known() else {
        return if *tool == CalledTool::Typed { ToolKind::Execute } else { ToolKind::Other };
    };
    match known {
        ToolName::Read | ToolName::Ls | ToolName::BashOutput | ToolName::Skill | ToolName::McpRead => ToolKind::Read,
        ToolName::Glob | ToolName::Grep | ToolName::McpSearch => ToolKind::Search,
        ToolName::WebFetch | ToolName::WebSearch => ToolKind::Fetch,
        ToolName::Write | ToolName::Edit | ToolName::MultiEdit | ToolName::NotebookEdit => ToolKind::Edit,
        ToolName::Bash => ToolKind::Execute,
        ToolName::Agent | ToolName::TodoWrite => ToolKind::Think,
        ToolName::EnterPlanMode | ToolName::ExitPlanMode => ToolKind::SwitchMode,
        ToolName::AskUserQuestion
        | ToolName::AmendPlan
        | ToolName::McpCall
        | ToolName::SendMessage
        | ToolName::AnswerPlan => ToolKind::Other,
    }
}

/// The passages of a unified difference: what stood there and what stands there now. A file that is new had nothing.
fn hunks(diff: &str) -> Vec<(Option<String>, String)> {
    let mut all: Vec<(Option<String>, String)> = Vec::new();
    let (mut old, mut new, mut is_open) = (String::new(), String::new(), false);
    let mut close = |old: &mut String, new: &mut String| {
        if !(old.is_empty() && new.is_empty()) {
            let before = std::mem::take(old);
            all.push(((!before.is_empty()).then_some(before), std::mem::take(new)));
        }
    };
    for row in bounded(diff).lines() {
        if row.starts_with("@@") {
            close(&mut old, &mut new);
            is_open = true;
            continue;
        }
        if !is_open && (row.starts_with("---") || row.starts_with("+++")) {
            continue;
        }
        let (mark, rest) = row.split_at_checked(1).unwrap_or((" ", ""));
        let rest = fore_text::exact(rest);
        if mark != "+" && mark != "\\" {
            old.push_str(&rest);
            old.push('\n');
        }
        if mark != "-" && mark != "\\" {
            new.push_str(&rest);
            new.push('\n');
        }
    }
    close(&mut old, &mut new);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_becomes_its_passages() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -9 +9,2 @@\n nine\n+-- ten\n\\ No newline at end of file\n";
        let expected = [
            (Some("one\ntwo\n".to_owned()), "one\n2\n".to_owned()),
            (Some("nine\n".to_owned()), "nine\n-- ten\n".to_owned()),
        ];
        assert_eq!(hunks(diff), expected);
        assert_eq!(hunks("@@ -0,0 +1 @@\n+new\n"), [(None, "new\n".to_owned())]);
        assert_eq!(hunks(""), []);
    }

    #[test]
    fn text_with_fences_stays_one_block() {
        assert_eq!(fenced("a"), "```\na\n```");
        assert_eq!(fenced("````rust\nx\n````\n"), "`````\n````rust\nx\n````\n`````");
    }
}
