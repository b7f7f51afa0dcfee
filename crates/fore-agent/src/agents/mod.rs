//! The kinds of subagents: built-in ones and those that a project or a person describes in a file.
//!
//! A kind only narrows what its session may do. Nothing in a file grants anything, and a bad file is a warning. What it says are words
//! for a model, like the rest of a repository; the one thing it says to the program, which model answers, needs the person's trust.

mod own;
mod tools;

pub use own::{FOLDERS, MAX_FILE_BYTES, MAX_FILES};
pub(crate) use tools::AllowedTools;

use crate::document::{
    front_matter::{FrontMatter, FrontMatterError},
    one_line,
};
use fore_plan::{Mode, plan::Hash};
use fore_sandbox::Opener;
use std::path::{Path, PathBuf};

/// What a subagent of one kind is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentKind {
    pub name: String,
    /// When to use it, for the model that chooses.
    pub description: String,
    pub tools: AllowedTools,
    pub model: AgentModel,
    /// It runs as in plan mode, whatever its session may do.
    pub is_read_only: bool,
    /// Whether it is told the project memory.
    pub memory: bool,
    /// Its system text, defused.
    pub prompt: String,
    pub source: AgentSource,
}

/// Which model answers for an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AgentModel {
    /// The one of the session that starts it.
    Inherit,
    Small,
    Named(String),
}

/// Where a kind comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AgentSource {
    BuiltIn,
    /// The person's own folder.
    Home(PathBuf),
    /// The repository: as little trusted as the rest of it.
    Project(PathBuf),
}

/// All kinds of a session; names are unique.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgentKinds {
    kinds: Vec<AgentKind>,
}

const BUILT_IN: [(&str, AgentMemory); 3] = [
    (include_str!("explore.md"), AgentMemory::LeftOut),
    (include_str!("plan.md"), AgentMemory::LeftOut),
    (include_str!("general.md"), AgentMemory::Told),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AgentMemory {
    Told,
    LeftOut,
}

impl AgentKinds {
    /// The built-in kinds, then the person's own (in `home_folder`, our own folder), then the project's; with warnings. `trusted` are the
    /// hashes of the project's files that the person trusts: only these choose their model.
    pub(crate) fn find(
        opener: &Opener,
        project: &Path,
        home_folder: Option<&Path>,
        trusted: &[Hash],
    ) -> (AgentKinds, Vec<String>) {
        let mut kinds = AgentKinds::built_in();
        let mut warnings = Vec::new();
        own::find(&opener.clone().for_many(), project, home_folder, trusted, &mut kinds.kinds, &mut warnings);
        (kinds, warnings)
    }

    pub(crate) fn built_in() -> AgentKinds {
        let read = |(text, memory): &(&str, AgentMemory)| {
            let (kind, _) = AgentKind::read(text, AgentSource::BuiltIn).ok()?;
            Some(AgentKind { memory: *memory == AgentMemory::Told, ..kind })
        };
        AgentKinds { kinds: BUILT_IN.iter().filter_map(read).collect() }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&AgentKind> {
        // A name in other letters is meant all the same: `plan` is `Plan`.
        let exact = self.kinds.iter().find(|kind| kind.name == name);
        exact.or_else(|| self.kinds.iter().find(|kind| kind.name.eq_ignore_ascii_case(name)))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &AgentKind> {
        self.kinds.iter()
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.kinds.iter().map(|kind| kind.name.as_str()).collect()
    }
}

const MAX_DESCRIPTION_CHARS: usize = 600;
const MAX_NAME_CHARS: usize = 64;
/// Keys that others use for looks or that have no meaning here, and that take nothing away when they are left out.
const WITHOUT_EFFECT: [&str; 3] = ["color", "license", "version"];
const KEYS: [&str; 7] = ["name", "description", "tools", "disallowedTools", "model", "mode", "permissionMode"];

impl AgentKind {
    /// Reads a kind from its file; the texts are warnings that do not stand in its way.
    fn read(text: &str, source: AgentSource) -> Result<(AgentKind, Vec<FrontMatterError>), FrontMatterError> {
        let matter = FrontMatter::read(text)?;
        let mut warnings = Vec::new();
        let name = matter.text("name")?.ok_or_else(|| matter.trouble("name", "`name` is missing".to_owned()))?;
        if !is_name(&name) {
            let why = "`name` must be letters, digits, `-` and `_`, at most 64".to_owned();
            return Err(matter.trouble("name", why));
        }
        let description = matter.text("description")?;
        let description =
            description.ok_or_else(|| matter.trouble("description", "`description` is missing".to_owned()))?;
        let tools = AllowedTools::read(&matter, &mut warnings)?;
        let is_read_only = is_planning(&matter)? || tools.only_read();
        for key in matter.others(&KEYS).into_iter().filter(|key| !WITHOUT_EFFECT.contains(key)) {
            warnings.push(matter.trouble(key, format!("`{key}` is not known here and has no effect")));
        }
        let prompt = fore_plan::reminder::defuse_str(matter.body.trim()).into_owned();
        if prompt.is_empty() {
            return Err(
                matter.trouble("", "there is no text after the head, so the agent would know nothing".to_owned())
            );
        }
        let description = one_line(&description, MAX_DESCRIPTION_CHARS);
        let model = model(matter.text("model")?);
        Ok((AgentKind { name, description, tools, model, is_read_only, memory: true, prompt, source }, warnings))
    }
}

/// The model that an agent's file asks for by name: whom the code is sent to, and who pays.
pub fn named_model(text: &str) -> Option<String> {
    match AgentKind::read(text, AgentSource::BuiltIn).ok()?.0.model {
        AgentModel::Named(name) => Some(name),
        AgentModel::Inherit | AgentModel::Small => None,
    }
}

/// `mode: plan`, or as others write it, `permissionMode: plan`. Other modes would ask for more than a file can give.
fn is_planning(matter: &FrontMatter<'_>) -> Result<bool, FrontMatterError> {
    let plans = |word: &str| word.parse() == Ok(Mode::Plan);
    let others = matter.text("permissionMode")?;
    match matter.text("mode")?.as_deref() {
        None => Ok(others.as_deref().is_some_and(plans)),
        Some(mode) if plans(mode) => Ok(true),
        Some(mode) => {
            let why = format!(
                "`mode` can only be `plan`, not `{}`: an agent never gets more than its session",
                one_line(mode, 40)
            );
            Err(matter.trouble("mode", why))
        }
    }
}

fn model(text: Option<String>) -> AgentModel {
    match text.as_deref() {
        // Sizes by which another agent's files name models: the large ones are what the session uses.
        None | Some("inherit" | "sonnet" | "opus") => AgentModel::Inherit,
        Some("small" | "haiku") => AgentModel::Small,
        Some(name) => AgentModel::Named(one_line(name, 200)),
    }
}

pub(crate) fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.chars().count() <= MAX_NAME_CHARS && name.chars().all(is_part)
}

#[cfg(test)]
mod tests;
