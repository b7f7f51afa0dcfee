//! What is on disk below a directory, down to modes and link targets; reads only, follows no link.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sha2::{Digest as _, Sha256};

/// The most entries that one tree may have.
const MAX_ENTRIES: usize = 200_000;
/// The longest content that a snapshot shows.
const MAX_SHOWN_BYTES: usize = 16 << 10;

/// Whether times of last change belong to a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// Two trees are equal whenever their contents are.
    Ignored,
    /// Writing the same content again is a change too.
    Compared,
}

/// Whether the directory `.git` belongs to a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitData {
    /// Only the files of the user.
    Ignored,
    /// The repository itself as well.
    Compared,
}

/// One file, directory or link.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    kind: NodeKind,
    mode: u32,
    modified_ns: Option<u128>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum NodeKind {
    Directory,
    File {
        digest: String,
        bytes: u64,
    },
    Link {
        target: PathBuf,
    },
    /// A socket, a pipe or a device.
    Special,
}

/// Everything below a directory.
#[derive(Clone, PartialEq, Eq)]
pub struct Tree {
    nodes: BTreeMap<PathBuf, Node>,
}

impl Tree {
    /// Reads the tree below `root`.
    pub fn read(root: &Path, times: Times, git: GitData) -> io::Result<Tree> {
        let mut tree = Tree { nodes: BTreeMap::new() };
        let mut open = vec![PathBuf::new()];
        while let Some(directory) = open.pop() {
            for entry in std::fs::read_dir(root.join(&directory))? {
                let path = directory.join(entry?.file_name());
                if git == GitData::Ignored && path == Path::new(".git") {
                    continue;
                }
                let node = read_node(&root.join(&path), times)?;
                if node.kind == NodeKind::Directory {
                    open.push(path.clone());
                }
                tree.nodes.insert(path, node);
                if tree.nodes.len() > MAX_ENTRIES {
                    return Err(io::Error::other(format!("more than {MAX_ENTRIES} entries")));
                }
            }
        }
        Ok(tree)
    }

    /// What is different in a later tree, one line for each path; empty if nothing is.
    pub fn changes(&self, later: &Tree) -> Vec<String> {
        let mut changes = Vec::new();
        for (path, before) in &self.nodes {
            match later.nodes.get(path) {
                None => changes.push(format!("removed {}", path.display())),
                Some(after) if after != before => {
                    let (before, after) = (before.words(), after.words());
                    changes.push(format!("changed {}: {before} → {after}", path.display()));
                }
                Some(_) => {}
            }
        }
        let added = later.nodes.iter().filter(|(path, _)| !self.nodes.contains_key(*path));
        changes.extend(added.map(|(path, node)| format!("added {}: {}", path.display(), node.words())));
        changes
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (path, node) in &self.nodes {
            writeln!(f, "{}: {}", path.display(), node.words())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl Node {
    fn words(&self) -> String {
        let time = self.modified_ns.map(|time| format!(", at {time}")).unwrap_or_default();
        let mode = self.mode;
        match &self.kind {
            NodeKind::Directory => format!("directory {mode:o}{time}"),
            NodeKind::File { digest, bytes } => {
                format!("file {mode:o}, {bytes} bytes, {}{time}", digest.get(..12).unwrap_or_default())
            }
            NodeKind::Link { target } => format!("link to {}{time}", target.display()),
            NodeKind::Special => format!("special {mode:o}{time}"),
        }
    }
}

fn read_node(path: &Path, times: Times) -> io::Result<Node> {
    let data = std::fs::symlink_metadata(path)?;
    let kind = if data.is_symlink() {
        NodeKind::Link { target: std::fs::read_link(path)? }
    } else if data.is_dir() {
        NodeKind::Directory
    } else if data.is_file() {
        let mut hash = Sha256::new();
        let mut file = std::fs::File::open(path)?;
        let bytes = io::copy(&mut file, &mut Hashing(&mut hash))?;
        NodeKind::File { digest: hex(&hash.finalize()), bytes }
    } else {
        NodeKind::Special
    };
    let modified_ns = match times {
        Times::Ignored => None,
        Times::Compared => Some(data.modified()?.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())),
    };
    Ok(Node { kind, mode: mode(&data), modified_ns })
}

struct Hashing<'a>(&'a mut Sha256);

impl io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
fn mode(data: &std::fs::Metadata) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    data.permissions().mode() & 0o7777
}

#[cfg(not(unix))]
fn mode(data: &std::fs::Metadata) -> u32 {
    if data.permissions().readonly() { 0o444 } else { 0o644 }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files below `root` with their contents, as a page of text; without `.git`.
pub(crate) fn snapshot(root: &Path) -> io::Result<String> {
    let tree = Tree::read(root, Times::Ignored, GitData::Ignored)?;
    let mut page = String::new();
    for (path, node) in &tree.nodes {
        let name = path.display();
        match &node.kind {
            NodeKind::Directory => page.push_str(&format!("{name}/\n")),
            NodeKind::Link { target } => page.push_str(&format!("{name} -> {}\n", target.display())),
            NodeKind::Special => page.push_str(&format!("{name} (special)\n")),
            NodeKind::File { digest, bytes } => {
                let executable = if node.mode & 0o111 == 0 { "" } else { " (executable)" };
                page.push_str(&format!("{name}{executable}\n"));
                match std::fs::read(root.join(path)).map(String::from_utf8)? {
                    Ok(text) if text.len() <= MAX_SHOWN_BYTES => {
                        page.extend(text.lines().map(|line| format!("    {line}\n").replace("    \n", "\n")));
                    }
                    _ => page.push_str(&format!("    <{bytes} bytes, sha256 {digest}>\n")),
                }
            }
        }
    }
    Ok(page)
}
