//! The contract: what an approved plan grants, read from its Markdown. What it names runs; what it does not name is asked for.
//!
//! Pure: the text and what is known of the project go in ([`ContractGround`]), grants come out, each with the line that names
//! it. Reading is total and linear; whatever is not clearly a file or a command of the project grants nothing.
//! `docs/contract.md` says the same for people.

mod adjust;
mod clause;
mod coverage;
mod ground;
mod near;
mod reading;
mod section;
mod shell_text;
mod spelling;
mod word_set;

pub use coverage::{Coverage, FileCover, NearReason};
pub use ground::{ContractGround, ProjectTree};

use crate::plan::{Hash, PlanStep};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt};

/// Grants of one kind that are read from a plan; what comes behind is listed as not granted.
pub const MAX_GRANTS: usize = 1_000;
/// Lines that name a grant again.
const MAX_AGAIN: usize = 4_000;
/// Folders that are named in a sentence.
const MAX_FOLDERS_NAMED: usize = 6;
/// What a person can overlook.
const MAX_NOT_GRANTED: usize = 1_000;

/// What an approved plan grants, each with the line of the plan that names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Contract {
    /// What may be changed, in the order of the plan.
    pub files: Vec<FileGrant>,
    /// What may be run.
    pub commands: Vec<CommandGrant>,
    /// What the plan names and nobody grants.
    pub not_granted: Vec<NotGranted>,
    /// Further lines that name a grant: a step may work on what an earlier one names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named_again: Vec<NamedAgain>,
    /// The plan leaves more alone than is listed. Then nothing is near, and folders and patterns grant nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub leaves_more_alone: bool,
}

/// A file, folder or pattern that may be changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileGrant {
    /// From the project folder, with `/`, without `.` and `..`; a folder without its last `/`.
    pub path: String,
    /// What the path stands for.
    pub shape: PathShape,
    /// What is to happen to it.
    pub change: PlannedChange,
    /// Counts from 1; 0 for what the person added.
    pub line: u32,
}

/// What a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PathShape {
    /// One file.
    File,
    /// All that lies beneath it.
    Folder,
    /// All that fits the pattern, in the syntax of ignore files.
    Glob,
}

/// What a plan is going to do with a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PlannedChange {
    /// It is made.
    New,
    /// It gets other contents.
    Change,
    /// It goes.
    Delete,
    /// It gets another name.
    #[serde(rename_all = "camelCase")]
    Move {
        /// From the project folder, as a grant's path is.
        to: String,
    },
}

/// A command that may be run in the project folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandGrant {
    /// As the plan writes it, without a prompt before it.
    pub command: String,
    /// Whom it may reach; nobody where this is empty.
    pub hosts: Vec<String>,
    /// Counts from 1; 0 for what the person added.
    pub line: u32,
}

/// Something that the plan names and that is not granted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotGranted {
    /// The path or command.
    pub named: String,
    /// Counts from 1.
    pub line: u32,
    /// Why not.
    pub why: NotGrantedReason,
}

/// Why something is not granted although the plan names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NotGrantedReason {
    /// The plan says that it stays as it is.
    OutOfScope,
    /// The plan points to it: background, reuse, a pattern to follow.
    Reference,
    /// Git, agents, editors or build servers obey it.
    GivesOrders,
    /// It leads out of the project, or is spelled so that it might.
    OutsideProject,
    /// The shell judge cannot read the command.
    Unreadable,
    /// It would cover everything.
    TooBroad,
    /// It holds characters that nobody sees, or stands where nobody sees it.
    Hidden,
    /// The text of a link names another file than its target.
    LinkDiffers,
    /// Several files end like this.
    Ambiguous,
    /// No file ends like this, and the plan does not say that it makes one.
    NotFound,
    /// The command may talk to hosts that nobody can name beforehand.
    AnyHost,
    /// The command needs a service of this machine.
    Service,
    /// The command sends away what it does not spell out.
    Sends,
    /// There are more than are granted.
    TooMany,
    /// The person took it off the list.
    Struck,
}

impl fmt::Display for FileGrant {
    /// `src/cart.rs  change  line 7`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = match self.shape {
            PathShape::File | PathShape::Glob => "",
            PathShape::Folder => "/",
        };
        write!(f, "{}{end}  ", self.path)?;
        match &self.change {
            PlannedChange::New => f.write_str("new")?,
            PlannedChange::Change => f.write_str("change")?,
            PlannedChange::Delete => f.write_str("delete")?,
            PlannedChange::Move { to } => write!(f, "move to {to}")?,
        }
        write_line(f, self.line)
    }
}

impl fmt::Display for CommandGrant {
    /// `run cargo test  no network  line 9`. Where a line of the command ends is seen: behind a `#` the next one is no remark.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {}  ", self.command.replace('\n', " \\n "))?;
        match self.hosts.as_slice() {
            [] => f.write_str("no network")?,
            hosts => write!(f, "may reach {}", hosts.join(", "))?,
        }
        write_line(f, self.line)
    }
}

fn write_line(f: &mut fmt::Formatter<'_>, line: u32) -> fmt::Result {
    match line {
        0 => f.write_str("  added by you"),
        line => write!(f, "  line {line}"),
    }
}

impl fmt::Display for NotGranted {
    /// `src/tax.rs (line 12): the plan leaves it alone`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (line {}): {}", self.named, self.line, self.why.words())
    }
}

impl NotGrantedReason {
    /// The reason in a few words, to stand behind what is named.
    pub fn words(self) -> &'static str {
        match self {
            NotGrantedReason::OutOfScope => "the plan leaves it alone",
            NotGrantedReason::Reference => "only a reference",
            NotGrantedReason::GivesOrders => "steers git, agents, editors or builds",
            NotGrantedReason::OutsideProject => "outside the project",
            NotGrantedReason::Unreadable => "not clear what it does",
            NotGrantedReason::TooBroad => "covers the whole project",
            NotGrantedReason::Hidden => "hidden text",
            NotGrantedReason::LinkDiffers => "the link shows another name",
            NotGrantedReason::Ambiguous => "several files match",
            NotGrantedReason::NotFound => "no such file",
            NotGrantedReason::AnyHost => "may reach any host",
            NotGrantedReason::Service => "needs a service on this machine",
            NotGrantedReason::Sends => "sends data",
            NotGrantedReason::TooMany => "too many to grant",
            NotGrantedReason::Struck => "taken off the list",
        }
    }
}

/// A further line that names a grant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NamedAgain {
    /// The path or command of the grant.
    pub named: String,
    /// Counts from 1.
    pub line: u32,
}

/// What one step of a plan works with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepGrants<'a> {
    /// Its files.
    pub files: Vec<&'a FileGrant>,
    /// Its commands.
    pub commands: Vec<&'a CommandGrant>,
}

impl Contract {
    /// Reads a plan. Takes every text; what lies behind [`crate::plan::MAX_PLAN_BYTES`] is not read.
    pub fn read(plan: &str, ground: &ContractGround<'_>) -> Contract {
        reading::read(plan, ground)
    }

    /// Grants nothing.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.commands.is_empty()
    }

    /// Of what is granted and refused, whatever order it stands in.
    pub fn hash(&self) -> Hash {
        let mut sorted = self.clone();
        sorted.files.sort();
        sorted.commands.sort();
        sorted.not_granted.sort();
        sorted.named_again.clear();
        Hash::of(format!("contract 1\n{}", serde_json::json!(sorted)).as_bytes())
    }

    /// `6 files, 2 folders, 3 commands`; nothing where nothing is granted.
    pub fn summary(&self) -> Option<String> {
        let shapes = |shape: PathShape| self.files.iter().filter(|grant| grant.shape == shape).count();
        let counts = [
            (shapes(PathShape::File), "file"),
            (shapes(PathShape::Folder), "folder"),
            (shapes(PathShape::Glob), "pattern"),
            (self.commands.len(), "command"),
        ];
        let parts: Vec<String> =
            counts.iter().filter(|(many, _)| *many > 0).map(|(many, noun)| fore_text::count(*many, noun)).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// What passes besides although it is not on the list, in words for whoever approves it; none where that is nothing.
    pub fn besides(&self) -> Option<String> {
        let files = self.files.iter().filter(|grant| grant.shape == PathShape::File);
        let folders: BTreeSet<&str> = files.map(|grant| near::folder(&grant.path)).collect();
        if folders.is_empty() || self.leaves_more_alone {
            return None;
        }
        let named: Vec<String> =
            folders.iter().filter(|folder| !folder.is_empty()).map(|folder| format!("{folder}/")).collect();
        let more = named.len().saturating_sub(MAX_FOLDERS_NAMED);
        let mut shown = named.iter().take(MAX_FOLDERS_NAMED).cloned().collect::<Vec<_>>().join(", ");
        if more > 0 {
            shown.push_str(&format!(" and {}", fore_text::count(more, "more folder")));
        }
        let beside = if shown.is_empty() { String::new() } else { format!(", other files in {shown}") };
        Some(format!(
            "Near these, and passed too: their tests{beside}, their manifests and lock files, their translations."
        ))
    }

    /// What the lines of a step name.
    pub fn of_step(&self, step: &PlanStep) -> StepGrants<'_> {
        let lines = step.first_line..=step.last_line;
        let again: Vec<&str> =
            self.named_again.iter().filter(|again| lines.contains(&again.line)).map(|again| &*again.named).collect();
        let is_named = |line: u32, named: &str| lines.contains(&line) || again.contains(&named);
        StepGrants {
            files: self.files.iter().filter(|grant| is_named(grant.line, &grant.path)).collect(),
            commands: self.commands.iter().filter(|grant| is_named(grant.line, &grant.command)).collect(),
        }
    }

    /// Takes a path or command off the list. It is not near to anything either from then on.
    pub fn strike(&mut self, named: &str) {
        let file = self.files.iter().find(|grant| grant.path == named).map(|grant| grant.line);
        let command = self.commands.iter().find(|grant| grant.command == named).map(|grant| grant.line);
        let Some(line) = file.or(command) else { return };
        self.files.retain(|grant| grant.path != named);
        self.commands.retain(|grant| grant.command != named);
        self.named_again.retain(|again| again.named != named);
        self.not_granted.push(NotGranted { named: named.to_owned(), line, why: NotGrantedReason::Struck });
    }
}
