//! What the person vouched for by its exact content, project by project: `vouches.json` in the home. It never decides what a vouch allows.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder},
    home::Home,
    lock,
    replace::{self, Occupied},
};
use fore_plan::plan::Hash;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

const FILE: &str = "vouches.json";
/// Locked while the list is changed, so that two changes at once both count.
const LOCK: &str = "vouches.lock";
const MAX_BYTES: usize = 16 << 20;
/// The most vouches for one project.
const MAX_VOUCHES: usize = 1_000;
const MAX_PROJECTS: usize = 1_000;
/// How large the content of one may be.
const MAX_CONTENT_BYTES: usize = 64 << 10;

/// What kind of thing a person vouches for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VouchKind {
    /// How an MCP server is started or reached.
    McpServer,
    /// The definition of one tool of an MCP server: that it only reads.
    McpTool,
    /// A hook: when it runs, what it runs, and the bytes of its script.
    Hook,
}

/// One thing that the person vouched for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vouch {
    /// What it is.
    pub kind: VouchKind,
    /// Its name, such as `server` or `server/tool`; one vouch for each kind and name.
    pub name: String,
    /// What the person was shown, to the letter. The vouch holds for this text and no other.
    pub content: String,
}

impl Vouch {
    /// The hash of the content.
    pub fn hash(&self) -> Hash {
        Hash::of(self.content.as_bytes())
    }
}

/// Whether a vouch holds for what is there now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VouchState {
    /// The person vouched for exactly this.
    Holds,
    /// The person vouched for something else of this name, which said this.
    Changed(String),
    /// The person never vouched for it.
    Unknown,
}

/// All vouches of one project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vouches {
    list: Vec<Vouch>,
}

impl Vouches {
    /// Reads them. Makes nothing: no home and no list mean none.
    pub fn read(home: &Path, project: &Path) -> Result<Vouches> {
        let mut all = match Folder::open(home) {
            Ok(folder) => read_file(&folder)?,
            Err(error) if error.is_missing() => return Ok(Vouches::default()),
            Err(error) => return Err(error),
        };
        let list = project.to_str().and_then(|project| all.projects.remove(project)).unwrap_or_default();
        Ok(Vouches { list })
    }

    /// Whether the person vouched for this content under this name.
    pub fn state(&self, kind: VouchKind, name: &str, content: &str) -> VouchState {
        match self.list.iter().find(|vouch| vouch.kind == kind && vouch.name == name) {
            None => VouchState::Unknown,
            Some(vouch) if vouch.content == content => VouchState::Holds,
            Some(vouch) => VouchState::Changed(vouch.content.clone()),
        }
    }

    /// All of one kind, in the order they were made.
    pub fn of_kind(&self, kind: VouchKind) -> impl Iterator<Item = &Vouch> {
        self.list.iter().filter(move |vouch| vouch.kind == kind)
    }
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VouchesFile {
    /// By the real path of the project.
    projects: BTreeMap<String, Vec<Vouch>>,
}

/// Where the list is.
pub fn path(home: &Home) -> PathBuf {
    home.root.path_of(FILE)
}

/// Vouches for something in a project, in the place of what had this kind and name before; says whether that changed anything.
pub fn add(home: &Home, project: &Path, vouch: Vouch) -> Result<bool> {
    if vouch.content.len() > MAX_CONTENT_BYTES || vouch.name.len() > MAX_CONTENT_BYTES {
        return Err(StoreError::Refused(format!("`{}` is too large to vouch for", vouch.kind_and_name())));
    }
    change(home, project, |list| {
        if list.contains(&vouch) {
            return Ok(false);
        }
        list.retain(|known| (known.kind, &known.name) != (vouch.kind, &vouch.name));
        if list.len() >= MAX_VOUCHES {
            let words = format!("you vouched for {MAX_VOUCHES} things in this project already; take some back first");
            return Err(StoreError::Refused(words));
        }
        list.push(vouch);
        Ok(true)
    })
}

/// Takes a vouch back; says whether there was one.
pub fn remove(home: &Home, project: &Path, kind: VouchKind, name: &str) -> Result<bool> {
    change(home, project, |list| {
        let before = list.len();
        list.retain(|known| known.kind != kind || known.name != name);
        Ok(list.len() < before)
    })
}

impl Vouch {
    fn kind_and_name(&self) -> String {
        let kind = match self.kind {
            VouchKind::McpServer => "MCP server",
            VouchKind::McpTool => "MCP tool",
            VouchKind::Hook => "hook",
        };
        format!("{kind} {}", self.name.chars().take(80).collect::<String>())
    }
}

fn change(home: &Home, project: &Path, with: impl FnOnce(&mut Vec<Vouch>) -> Result<bool>) -> Result<bool> {
    let project = project.to_str().ok_or_else(|| StoreError::NotUnicode { path: project.to_owned() })?;
    let guard = home.root.file(LOCK, Access::AppendOrMake)?;
    lock::take(&guard, &home.root.path_of(LOCK))?;
    let mut all = read_file(&home.root)?;
    if all.projects.len() >= MAX_PROJECTS && !all.projects.contains_key(project) {
        let words = format!("`{}` is full; take something off it first", home.root.path_of(FILE).display());
        return Err(StoreError::Refused(words));
    }
    let changed = with(all.projects.entry(project.to_owned()).or_default())?;
    if changed {
        all.projects.retain(|_, list| !list.is_empty());
        let mut text = serde_json::to_vec_pretty(&all)?;
        text.push(b'\n');
        if text.len() > MAX_BYTES {
            let words =
                format!("`{}` would get too large; take something off it first", home.root.path_of(FILE).display());
            return Err(StoreError::Refused(words));
        }
        replace::write(&home.root, FILE, &text, Occupied::Replace)?;
    }
    Ok(changed)
}

fn read_file(folder: &Folder) -> Result<VouchesFile> {
    let file = match folder.file(FILE, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return Ok(VouchesFile::default()),
        Err(error) => return Err(error),
    };
    let path = folder.path_of(FILE);
    let bytes = replace::read_bounded(file, MAX_BYTES).map_err(StoreError::io("read", &path))?;
    let broken = |why: String| {
        let path = path.display();
        StoreError::Refused(format!("`{path}` is not a list of what you vouched for ({why}); fix it or delete it"))
    };
    let bytes = bytes.ok_or_else(|| broken(format!("it is larger than {MAX_BYTES} bytes")))?;
    serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(content: &str) -> Vouch {
        Vouch { kind: VouchKind::McpTool, name: "db/query".into(), content: content.into() }
    }

    #[test]
    fn a_vouch_holds_for_its_project_and_its_content_until_it_is_taken_back() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("home");
        let (shop, other) = (Path::new("/projects/shop"), Path::new("/projects/other"));
        assert_eq!(Vouches::read(&root, shop).unwrap(), Vouches::default());
        assert!(!root.exists(), "reading makes no home");
        let home = Home::open(&root).unwrap();
        assert!(add(&home, shop, tool("reads rows")).unwrap());
        assert!(!add(&home, shop, tool("reads rows")).unwrap(), "it is there already");
        let vouches = Vouches::read(&root, shop).unwrap();
        let page = [
            (VouchKind::McpTool, "db/query", "reads rows", VouchState::Holds),
            (VouchKind::McpTool, "db/query", "drops rows", VouchState::Changed("reads rows".into())),
            (VouchKind::McpTool, "db/insert", "reads rows", VouchState::Unknown),
            (VouchKind::Hook, "db/query", "reads rows", VouchState::Unknown),
        ];
        for (kind, name, content, expected) in page {
            assert_eq!(vouches.state(kind, name, content), expected, "{kind:?} {name} {content}");
        }
        assert_eq!(Vouches::read(&root, other).unwrap().of_kind(VouchKind::McpTool).count(), 0);
        assert!(add(&home, shop, tool("drops rows")).unwrap());
        let vouches = Vouches::read(&root, shop).unwrap();
        assert_eq!(vouches.of_kind(VouchKind::McpTool).cloned().collect::<Vec<_>>(), [tool("drops rows")]);
        assert!(!remove(&home, shop, VouchKind::Hook, "db/query").unwrap());
        assert!(remove(&home, shop, VouchKind::McpTool, "db/query").unwrap());
        assert_eq!(std::fs::read_to_string(path(&home)).unwrap(), "{\n  \"projects\": {}\n}\n");
    }

    #[test]
    fn what_is_too_much_is_refused_and_what_is_not_understood_vouches_for_nothing() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("home");
        let home = Home::open(&root).unwrap();
        let shop = Path::new("/projects/shop");
        let words = add(&home, shop, tool(&"x".repeat(MAX_CONTENT_BYTES + 1))).unwrap_err().to_string();
        assert_eq!(words, "`MCP tool db/query` is too large to vouch for");
        std::fs::write(path(&home), "[]").unwrap();
        assert!(Vouches::read(&root, shop).unwrap_err().to_string().contains("is not a list of what you vouched for"));
        assert!(add(&home, shop, tool("reads")).is_err());
        assert_eq!(std::fs::read_to_string(path(&home)).unwrap(), "[]");
    }
}
