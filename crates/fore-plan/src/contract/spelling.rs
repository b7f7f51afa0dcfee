//! What a word between backticks is: a path of the project, one that leads elsewhere, or no path at all.

use super::{NotGrantedReason, PathShape};
use crate::plan::citation::{
    BARE_NAMES, MAX_PATH_BYTES, is_ending, is_joined, is_known_ending, is_media_type, is_site, without_position,
};
use fore_text::TextKind;
use std::path::Path;

/// Names that a pair of braces stands for.
const MAX_BRACES: usize = 16;
/// Folders at the top of a machine: a path into one of them is meant as a file, and not as a route.
const TOP_FOLDERS: [&str; 14] =
    ["etc", "usr", "home", "var", "tmp", "root", "opt", "bin", "sbin", "lib", "proc", "sys", "dev", "Users"];

/// What a text between backticks names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Paths from the project folder.
    Paths(Vec<(String, PathShape)>),
    /// A folder or file without an ending, if there is one.
    MaybePath(String),
    Refused(NotGrantedReason),
    NoPath,
}

pub(super) fn spelled(text: &str, project: &Path) -> Spelling {
    let text = text.trim();
    if text.len() > MAX_PATH_BYTES {
        return Spelling::NoPath;
    }
    if fore_text::first_mark(text, TextKind::Line).is_some() {
        let seen: String = text.chars().filter(|c| fore_text::hidden(*c).is_none()).collect();
        return match visible(&seen, project) {
            Spelling::NoPath => Spelling::NoPath,
            Spelling::Paths(_) | Spelling::MaybePath(_) | Spelling::Refused(_) => {
                Spelling::Refused(NotGrantedReason::Hidden)
            }
        };
    }
    visible(text, project)
}

fn visible(text: &str, project: &Path) -> Spelling {
    if text.contains("://") || text.contains(char::is_whitespace) || text.starts_with(['-', '#', '+', '=']) {
        return Spelling::NoPath;
    }
    let text = without_position(text);
    if is_elsewhere(text) {
        return Spelling::Refused(NotGrantedReason::OutsideProject);
    }
    if let Some(rest) = text.strip_prefix('/') {
        return absolute(text, rest, project);
    }
    relative(text)
}

/// `~/x`, `$HOME/x`, `C:\x`, `src\x.rs`
fn is_elsewhere(text: &str) -> bool {
    let mut letters = text.chars();
    let is_drive = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.next() == Some(':')
        && matches!(letters.next(), Some('\\' | '/'));
    let has_folder = text.contains(['/', '\\']);
    let has_known_ending = || text.rsplit_once('.').is_some_and(|(_, ending)| is_known_ending(ending));
    is_drive || has_folder && text.starts_with(['~', '$', '%']) || text.contains('\\') && has_known_ending()
}

fn absolute(text: &str, rest: &str, project: &Path) -> Spelling {
    if let Ok(inside) = Path::new(text).strip_prefix(project) {
        let inside = inside.to_str().unwrap_or_default();
        let slash = if text.ends_with('/') { "/" } else { "" };
        return relative(&format!("{inside}{slash}"));
    }
    let top = rest.split('/').next().unwrap_or_default();
    let leads_out = (TOP_FOLDERS.contains(&top) || rest.contains("../")) && rest.contains('/');
    match relative(rest) {
        Spelling::Paths(_) | Spelling::Refused(_) => Spelling::Refused(NotGrantedReason::OutsideProject),
        Spelling::MaybePath(_) | Spelling::NoPath if leads_out => Spelling::Refused(NotGrantedReason::OutsideProject),
        Spelling::MaybePath(_) | Spelling::NoPath => Spelling::NoPath,
    }
}

fn relative(text: &str) -> Spelling {
    if matches!(text, "." | "./") {
        return Spelling::Paths(vec![(String::new(), PathShape::Folder)]);
    }
    let is_folder = text.ends_with('/');
    let body = text.strip_suffix('/').unwrap_or(text);
    let parts: Vec<&str> = body.split('/').filter(|part| *part != ".").collect();
    if parts.contains(&"..") || parts.len() > 1 && parts.first().is_some_and(|first| first.starts_with(['~', '$', '%']))
    {
        return Spelling::Refused(NotGrantedReason::OutsideProject);
    }
    let is_plain =
        !parts.is_empty() && parts.iter().all(|part| is_part(part)) && !(text.contains('/') && is_site(text));
    if !is_plain {
        return Spelling::NoPath;
    }
    let path = parts.join("/");
    match expanded(&path) {
        Some(paths) => {
            let shaped: Option<Vec<_>> = paths.into_iter().map(|path| shaped(path, is_folder)).collect();
            shaped.map_or(Spelling::NoPath, Spelling::Paths)
        }
        None if is_folder || is_file_name(&path) => {
            shaped(path, is_folder).map_or(Spelling::NoPath, |path| Spelling::Paths(vec![path]))
        }
        None if path.contains('*') || path.contains('/') && path.contains(['<', '{']) => {
            shaped(path, is_folder).map_or(Spelling::NoPath, |path| Spelling::Paths(vec![path]))
        }
        None if path.contains('/') => Spelling::MaybePath(path),
        None => Spelling::NoPath,
    }
}

/// The paths that `src/{a,b}.rs` stands for; none without such braces.
fn expanded(path: &str) -> Option<Vec<String>> {
    let (before, rest) = path.split_once('{')?;
    let (inside, after) = rest.split_once('}')?;
    let names: Vec<&str> = inside.split(',').collect();
    let is_list = (2..=MAX_BRACES).contains(&names.len()) && !after.contains('{') && !before.contains('}');
    is_list.then(|| names.iter().map(|name| format!("{before}{}{after}", name.trim())).collect())
}

fn shaped(path: String, is_folder: bool) -> Option<(String, PathShape)> {
    let path = without_blanks_to_fill(&path);
    if path.contains(['*', '?']) {
        let is_pattern = path.contains('/') || path.starts_with("*.") || path.chars().all(|c| c == '*');
        let path = if is_folder { format!("{path}/**") } else { path };
        return is_pattern.then_some((path, PathShape::Glob));
    }
    let is_sound =
        !path.is_empty() && !path.contains(['{', '}', '<', '>', ',', '?']) && !path.split('/').any(str::is_empty);
    match (is_sound, is_folder) {
        (false, _) => None,
        (true, true) => Some((path, PathShape::Folder)),
        (true, false) => is_file_name(&path).then_some((path, PathShape::File)),
    }
}

/// `<timestamp>_users.sql` is any `*_users.sql`.
fn without_blanks_to_fill(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find(['<', '{']) {
        let (before, open) = rest.split_at(at);
        let close = if open.starts_with('<') { '>' } else { '}' };
        let blank = open.split_once(close).filter(|(inside, _)| inside.len() > 1 && !inside.contains(['/', ',']));
        let Some((_, after)) = blank else { break };
        out.push_str(before);
        out.push('*');
        rest = after;
    }
    out.push_str(rest);
    out
}

fn is_part(part: &str) -> bool {
    let is_enclosed = |open: char, close: char| part.starts_with(open) && part.ends_with(close) && part.len() > 2;
    let has_brackets = part.contains(['[', ']', '(', ')']);
    let is_route = !has_brackets || is_enclosed('[', ']') || is_enclosed('(', ')') || is_dotted_route(part);
    let is_letter = |c: char| {
        c.is_alphanumeric()
            || is_joined(c)
            || matches!(c, '.' | '-' | '_' | '+' | '@' | '#' | '$' | '*' | '?' | '{' | '}')
            || matches!(c, ',' | '<' | '>' | '[' | ']' | '(' | ')')
    };
    !part.is_empty() && !matches!(part, "..." | "…") && is_route && part.chars().all(is_letter)
}

/// `[id].tsx`
fn is_dotted_route(part: &str) -> bool {
    part.starts_with('[') && part.split_once("].").is_some_and(|(_, rest)| !rest.contains(['[', ']', '(', ')']))
}

/// Whether the last name is one of a file: with a folder before it any ending does, alone it must be a usual one.
fn is_file_name(path: &str) -> bool {
    let name = super::ground::last_name(path);
    if BARE_NAMES.contains(&name) {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    match path.contains('/') {
        true => is_ending(ending) && !is_media_type(path, ending),
        // `.gitignore` is a file, `.rs` is a kind of file.
        false => stem.is_empty() != is_known_ending(ending) && is_ending(ending),
    }
}
