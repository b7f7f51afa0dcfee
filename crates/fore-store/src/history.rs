//! What the person asked before, project by project, for the composer. It never holds what a model said.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder, IfMissing},
    home::Home,
    lock,
    replace::{self, Occupied},
};
use fore_plan::plan::Hash;
use serde::{Deserialize, Serialize};
use std::{fs::File, io::Write, path::Path};

/// Prompts that are kept and given.
pub(crate) const MAX_PROMPTS: usize = 500;
/// A longer prompt is not remembered: it would crowd out the others.
pub(crate) const MAX_PROMPT_BYTES: usize = 64 << 10;

const FOLDER: &str = "history";
/// Locked while something is added, so that two terminals of one project lose nothing.
const LOCK: &str = "history.lock";
/// Bytes of prompts that are kept when the file is made shorter.
const KEPT_BYTES: usize = 2 << 20;
/// The file is made shorter when it has more.
const MAX_BYTES: usize = 2 * KEPT_BYTES;

/// One line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct HistoryLine {
    prompt: String,
}

/// The prompts of a project, oldest first. Lines that are damaged are left out.
pub fn read(home: &Home, project: &Path) -> Result<Vec<String>> {
    let name = file_name(project);
    let folder = match home.root.child(FOLDER, IfMissing::Fail) {
        Ok(folder) => folder,
        Err(error) if error.is_missing() => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut prompts = prompts(&bytes(&folder, &name)?);
    prompts.drain(..prompts.len().saturating_sub(MAX_PROMPTS));
    Ok(prompts)
}

/// Adds a prompt. One that is empty, far too long or the same as the last is left out.
pub fn add(home: &Home, project: &Path, prompt: &str) -> Result<()> {
    if prompt.trim().is_empty() || prompt.len() > MAX_PROMPT_BYTES {
        return Ok(());
    }
    let name = file_name(project);
    let folder = home.root.child(FOLDER, IfMissing::Make)?;
    folder.make_private()?;
    let _lock = locked(&folder)?;
    let before = bytes(&folder, &name)?;
    let mut prompts = prompts(&before);
    if prompts.last().is_some_and(|last| last == prompt) {
        return Ok(());
    }
    let mut line = line(prompt)?;
    if prompts.len() >= 2 * MAX_PROMPTS || before.len() + line.len() > MAX_BYTES {
        prompts.push(prompt.to_owned());
        return replace::write(&folder, &name, &newest(&prompts)?, Occupied::Replace);
    }
    if before.last().is_some_and(|last| *last != b'\n') {
        // A crash cut the last line off; this one must not be lost with it.
        line.insert(0, b'\n');
    }
    let mut file = folder.file(&name, Access::AppendOrMake)?;
    file.write_all(&line).map_err(StoreError::io("write", folder.path_of(&name)))
}

fn prompts(bytes: &[u8]) -> Vec<String> {
    let lines = bytes.split(|byte| *byte == b'\n');
    lines.filter_map(|line| Some(serde_json::from_slice::<HistoryLine>(line).ok()?.prompt)).collect()
}

/// The newest prompts that fit, as a file.
fn newest(prompts: &[String]) -> Result<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    let mut room = KEPT_BYTES;
    for prompt in prompts.iter().rev().take(MAX_PROMPTS) {
        let line = line(prompt)?;
        let Some(left) = room.checked_sub(line.len()) else { break };
        room = left;
        lines.push(line);
    }
    lines.reverse();
    Ok(lines.concat())
}

fn line(prompt: &str) -> Result<Vec<u8>> {
    let mut line = serde_json::to_vec(&HistoryLine { prompt: prompt.to_owned() })?;
    line.push(b'\n');
    Ok(line)
}

fn bytes(folder: &Folder, name: &str) -> Result<Vec<u8>> {
    let file = match folder.file(name, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let path = folder.path_of(name);
    let bytes = replace::read_bounded(file, MAX_BYTES).map_err(StoreError::io("read", &path))?;
    bytes
        .ok_or_else(|| StoreError::Refused(format!("`{}` is larger than {MAX_BYTES} bytes; delete it", path.display())))
}

fn locked(folder: &Folder) -> Result<File> {
    let file = folder.file(LOCK, Access::AppendOrMake)?;
    lock::take(&file, &folder.path_of(LOCK))?;
    Ok(file)
}

fn file_name(project: &Path) -> String {
    format!("{}.jsonl", Hash::of(project.as_os_str().as_encoded_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn home() -> (tempfile::TempDir, Home) {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        (temporary, home)
    }

    fn shop() -> &'static Path {
        Path::new("/projects/shop")
    }

    #[test]
    fn prompts_come_back_in_order_each_project_its_own() {
        let (_temporary, home) = home();
        assert_eq!(read(&home, shop()).unwrap(), Vec::<String>::new());
        for prompt in ["Why is login slow?", "two\nlines", "two\nlines", " ", "Why is login slow?"] {
            add(&home, shop(), prompt).unwrap();
        }
        add(&home, Path::new("/projects/blog"), "other").unwrap();
        assert_eq!(read(&home, shop()).unwrap(), ["Why is login slow?", "two\nlines", "Why is login slow?"]);
        assert_eq!(read(&home, Path::new("/projects/blog")).unwrap(), ["other"]);
        let path = home.path().join("history").join(file_name(shop()));
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_line_that_a_crash_cut_off_costs_no_other() {
        let (_temporary, home) = home();
        add(&home, shop(), "one").unwrap();
        let path = home.path().join("history").join(file_name(shop()));
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str(r#"{"prompt":"cut o"#);
        std::fs::write(&path, text).unwrap();
        add(&home, shop(), "two").unwrap();
        assert_eq!(read(&home, shop()).unwrap(), ["one", "two"]);
    }

    #[test]
    fn only_the_newest_are_kept() {
        let (_temporary, home) = home();
        let all: Vec<String> = (0..2 * MAX_PROMPTS).map(|number| format!("prompt {number}")).collect();
        let lines: Vec<u8> = all.iter().flat_map(|prompt| line(prompt).unwrap()).collect();
        add(&home, shop(), "first").unwrap();
        let path = home.path().join("history").join(file_name(shop()));
        std::fs::write(&path, lines).unwrap();
        assert_eq!(read(&home, shop()).unwrap(), all[MAX_PROMPTS..]);
        add(&home, shop(), "last").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), MAX_PROMPTS);
        assert_eq!(read(&home, shop()).unwrap().last().unwrap(), "last");
    }

    #[test]
    fn long_prompts_do_not_crowd_out_the_rest_of_the_disk() {
        let (_temporary, home) = home();
        add(&home, shop(), &"x".repeat(MAX_PROMPT_BYTES + 1)).unwrap();
        assert_eq!(read(&home, shop()).unwrap(), Vec::<String>::new());
        for number in 0..70 {
            add(&home, shop(), &format!("{number}{}", "x".repeat(MAX_PROMPT_BYTES - 2))).unwrap();
        }
        let prompts = read(&home, shop()).unwrap();
        assert!(prompts.last().unwrap().starts_with("69x"));
        let path = home.path().join("history").join(file_name(shop()));
        assert!(std::fs::metadata(path).unwrap().len() <= MAX_BYTES as u64);
    }

    #[test]
    fn a_lock_that_is_held_is_not_waited_for_long() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        add(&home, Path::new("/projects/shop"), "one").unwrap();
        let held = std::fs::File::open(home.path().join(FOLDER).join(LOCK)).unwrap();
        held.lock().unwrap();
        let started = std::time::Instant::now();
        let words = add(&home, Path::new("/projects/shop"), "two").unwrap_err().to_string();
        assert!(words.contains("history.lock` is locked by another process"), "{words}");
        assert!(started.elapsed() < 20 * lock::MAX_WAIT);
    }
}
