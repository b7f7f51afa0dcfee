//! `/team`: who is in the team and what they do; what one said and did; words for one; stopping one or all.

use super::cost::literal;
use crate::{app::App, story::StoryBlock};
use fore_agent::{Command, TeamMemberRow, TeamWish};
use fore_plan::Mode;
use fore_team::{MemberActivity, MemberRole, TeamTask, TeamTaskState};

const HOW: &str = "Write /team, /team NAME, /team NAME words for them, /team interrupt [NAME], or /team stop [NAME].";

/// What may follow the word.
pub(crate) fn run(app: &mut App, words: &str) {
    let (first, rest) = words.split_once(char::is_whitespace).map_or((words, ""), |(first, rest)| (first, rest.trim()));
    let one = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
    let wish = match (first, rest) {
        ("", _) => {
            app.facts.is_listing_team = true;
            TeamWish::List
        }
        ("interrupt" | "stop", name) if name.contains(char::is_whitespace) => return app.say(HOW),
        ("interrupt", name) => TeamWish::Interrupt { member: one(name) },
        ("stop", name) => TeamWish::Stop { member: one(name) },
        (member, "") => TeamWish::Story { member: member.to_owned() },
        (member, text) => TeamWish::Tell { member: member.to_owned(), text: text.to_owned() },
    };
    app.send(Command::Team { wish });
}

/// The team as the person asked for it.
pub(crate) fn show(app: &mut App, is_there: bool, team: (&[TeamMemberRow], &[TeamTask]), plans: &[String]) {
    app.note(StoryBlock::Page { title: "Team".to_owned(), text: page(is_there, team, plans) });
}

/// What one of them said and did, oldest first.
pub(crate) fn story(app: &mut App, member: &str, lines: &[String]) {
    let text = match lines {
        [] => "Nothing yet.".to_owned(),
        lines => lines.iter().map(|line| literal(line)).collect::<Vec<_>>().join("\n\n"),
    };
    app.note(StoryBlock::Page { title: format!("Teammate {member}"), text });
}

fn page(is_there: bool, (members, tasks): (&[TeamMemberRow], &[TeamTask]), plans: &[String]) -> String {
    if !is_there {
        return "There is no team. Ask for teammates in your own words: the agent makes one for each name.".to_owned();
    }
    let mut lines: Vec<String> = members.iter().map(member).collect();
    if !tasks.is_empty() {
        lines.extend([String::new(), "Tasks:".into(), String::new()]);
        lines.extend(tasks.iter().map(task));
    }
    if !plans.is_empty() {
        lines.extend([String::new(), format!("Plans that wait for a decision: {}", literal(&plans.join(", ")))]);
    }
    lines.join("\n")
}

fn member(row: &TeamMemberRow) -> String {
    let mut parts = vec![activity(row.activity).to_owned()];
    if row.role == MemberRole::Lead {
        parts = vec!["leads".to_owned()];
    }
    parts.extend(row.mode.map(|mode| match mode {
        Mode::Plan => "plan mode".to_owned(),
        Mode::At(level) => level.to_string(),
    }));
    if row.role == MemberRole::Required {
        parts.push("its plan needs approval".to_owned());
    }
    if let Some(context) = row.context {
        let of = context.window.map(|window| format!(" of {window}")).unwrap_or_default();
        parts.push(format!("context {}{of}", context.tokens));
    }
    if row.tokens > 0 {
        parts.push(format!("{} tokens", row.tokens));
    }
    parts.extend(row.dollars.map(|dollars| format!("${dollars:.2}")));
    if row.questions > 0 {
        parts.push(fore_text::count_as(row.questions, "question waits", "questions wait"));
    }
    if row.mail > 0 {
        parts.push(fore_text::count_as(row.mail, "unread message", "unread messages"));
    }
    let note = if row.note.is_empty() { String::new() } else { format!(" — {}", literal(&row.note)) };
    format!("- **{}**: {}{note}", literal(&row.name), parts.join(" · "))
}

fn activity(activity: MemberActivity) -> &'static str {
    match activity {
        MemberActivity::New => "begins",
        MemberActivity::Planning => "plans",
        MemberActivity::AwaitingApproval => "its plan waits for a decision",
        MemberActivity::Working => "works",
        MemberActivity::Asking => "asks you",
        MemberActivity::Idle => "idle",
        MemberActivity::Stopped => "stopped",
    }
}

fn task(task: &TeamTask) -> String {
    let state = match task.state {
        TeamTaskState::Open => "open",
        TeamTaskState::InProgress => "in progress",
        TeamTaskState::AwaitingApproval => "awaiting approval",
        TeamTaskState::Done => "done",
        TeamTaskState::Dropped => "dropped",
    };
    let owner = task.owner.as_ref().map(|owner| format!(", {owner}")).unwrap_or_default();
    format!("- {} {}: {state}{owner}", task.id, literal(&task.title))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_plan::Level;

    fn row(name: &str, role: MemberRole, activity: MemberActivity) -> TeamMemberRow {
        TeamMemberRow {
            name: name.into(),
            role,
            activity,
            mode: Some(Mode::At(Level::Default)),
            note: String::new(),
            context: None,
            tokens: 0,
            dollars: None,
            questions: 0,
            mail: 0,
            is_here: true,
        }
    }

    #[test]
    fn the_page_says_what_each_member_does_and_what_waits() {
        let ann = TeamMemberRow {
            mode: Some(Mode::Plan),
            note: "the *cart*".into(),
            tokens: 120,
            dollars: Some(0.5),
            questions: 1,
            ..row("ann", MemberRole::Required, MemberActivity::AwaitingApproval)
        };
        let members = [row("lead", MemberRole::Lead, MemberActivity::Idle), ann];
        let expected = "- **lead**: leads · default\n\
                        - **ann**: its plan waits for a decision · plan mode · its plan needs approval · 120 tokens · $0.50 · 1 question waits — the \\*cart\\*\n\
                        \n\
                        Plans that wait for a decision: ann";
        assert_eq!(page(true, (&members, &[]), &["ann".to_owned()]), expected);
        assert!(page(false, (&[], &[]), &[]).starts_with("There is no team."));
    }
}
