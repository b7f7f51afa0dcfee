//! What every answer of a model came to, one line each, in a file for each day: all sessions write into it, so that a day can have a cap and
//! a bill. It knows no prices and no words of anybody.

use crate::{
    entry::SessionId,
    error::{Result, StoreError},
    folder::{Access, Folder, IfMissing},
    home::Home,
};
use serde::{Deserialize, Serialize};
use std::io::{Read, Seek, SeekFrom, Write};

const FOLDER: &str = "usage";
const EXTENSION: &str = ".jsonl";
const MS_PER_DAY: u64 = 86_400_000;
/// Days that are kept.
const KEPT_DAYS: u64 = 400;
/// Of one day; some hundred thousand answers.
const MAX_DAY_BYTES: u64 = 64 << 20;
/// Names that are looked at when old days are removed.
const MAX_NAMES: usize = 4_096;

/// One answer of a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageLine {
    /// Milliseconds since 1970. Days are those of UTC.
    pub at: u64,
    /// Who asked.
    pub session: SessionId,
    /// The folder of its project.
    pub project: String,
    /// The plan that was made or carried out, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// How many steps the plan has that was carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// The kind of the subagent that asked; the main conversation where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Who answered, as provider/name.
    pub model: String,
    /// Read, written, read from the cache, put into it, thought: as the server counted them, else an estimate.
    pub tokens: [u64; 5],
    /// The server did not count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_estimate: bool,
    /// Dollars for a million tokens: read, written, read from the cache, put into it; none where no price was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<[f64; 4]>,
}

impl UsageLine {
    /// Adds a line to the file of its day.
    pub fn add_to(&self, home: &Home) -> Result<()> {
        let folder = home.root.child(FOLDER, IfMissing::Make)?;
        folder.make_private()?;
        let day = self.at / MS_PER_DAY;
        let name = format!("{day}{EXTENSION}");
        let mut file = folder.file(&name, Access::AppendOrMake)?;
        let io = |error| StoreError::io("write", folder.path_of(&name))(error);
        let bytes = file.metadata().map_err(io)?.len();
        if bytes == 0 {
            // A leftover that cannot be removed is no reason to lose a line.
            let _ = remove_old(&folder, day);
        }
        // A line that a crash cut off must not take this one with it.
        let mut line = vec![b'\n'];
        serde_json::to_writer(&mut line, self)?;
        line.push(b'\n');
        if bytes.saturating_add(line.len() as u64) > MAX_DAY_BYTES {
            let path = folder.path_of(&name);
            return Err(StoreError::Refused(format!("`{}` is full: no day has more answers", path.display())));
        }
        file.write_all(&line).map_err(io)
    }

    /// What was written since this day and this byte of its file, and where that ends. Lines that are damaged are left out.
    pub fn since(home: &Home, (day, byte): (u64, u64)) -> Result<(Vec<UsageLine>, (u64, u64))> {
        let folder = match home.root.child(FOLDER, IfMissing::Fail) {
            Ok(folder) => folder,
            Err(error) if error.is_missing() => return Ok((Vec::new(), (day, byte))),
            Err(error) => return Err(error),
        };
        let mut days: Vec<u64> = folder.names(MAX_NAMES)?.iter().filter_map(|name| day_of(name)).collect();
        days.retain(|kept| *kept >= day);
        days.sort_unstable();
        let (mut lines, mut end) = (Vec::new(), (day, byte));
        for kept in days {
            let from = if kept == day { byte } else { 0 };
            let read = read_from(&folder, kept, from, &mut lines)?;
            end = (kept, from + read);
        }
        Ok((lines, end))
    }
}

fn day_of(name: &str) -> Option<u64> {
    name.strip_suffix(EXTENSION)?.parse().ok()
}

fn remove_old(folder: &Folder, today: u64) -> Result<()> {
    for name in folder.names(MAX_NAMES)? {
        if day_of(&name).is_some_and(|day| day.saturating_add(KEPT_DAYS) < today) {
            folder.remove(&name)?;
        }
    }
    Ok(())
}

/// Reads whole lines; gives how many bytes they are.
fn read_from(folder: &Folder, day: u64, from: u64, into: &mut Vec<UsageLine>) -> Result<u64> {
    let name = format!("{day}{EXTENSION}");
    let mut file = match folder.file(&name, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return Ok(0),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    let read = file.seek(SeekFrom::Start(from)).and_then(|_| file.take(MAX_DAY_BYTES).read_to_end(&mut bytes));
    read.map_err(StoreError::io("read", folder.path_of(&name)))?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let lines = bytes.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n');
    into.extend(lines.filter_map(|line| serde_json::from_slice::<UsageLine>(line).ok()));
    Ok(whole as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(model: &str, at: u64) -> UsageLine {
        UsageLine {
            at,
            session: SessionId::fresh(),
            project: "/projects/shop".into(),
            plan: None,
            steps: None,
            agent: None,
            model: model.into(),
            tokens: [10, 2, 0, 0, 0],
            is_estimate: false,
            price: Some([1.0, 2.0, 0.1, 1.25]),
        }
    }

    fn models(lines: &[UsageLine]) -> Vec<&str> {
        lines.iter().map(|line| line.model.as_str()).collect()
    }

    #[test]
    fn lines_of_all_sessions_are_read_once_from_where_the_last_reading_ended() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        assert_eq!(
            UsageLine::since(&home, (3, 0)).unwrap(),
            (Vec::new(), (3, 0)),
            "nothing is there, and nothing is made"
        );
        let first = line("a/one", 3 * MS_PER_DAY);
        first.add_to(&home).unwrap();
        let (lines, end) = UsageLine::since(&home, (3, 0)).unwrap();
        assert_eq!(lines, [first]);
        line("a/two", 3 * MS_PER_DAY + 5).add_to(&home).unwrap();
        line("a/three", 4 * MS_PER_DAY).add_to(&home).unwrap();
        let (lines, end) = UsageLine::since(&home, end).unwrap();
        assert_eq!((models(&lines), end.0), (vec!["a/two", "a/three"], 4));
        assert_eq!(UsageLine::since(&home, end).unwrap(), (Vec::new(), end));
        assert_eq!(models(&UsageLine::since(&home, (4, 0)).unwrap().0), ["a/three"]);
    }

    #[test]
    fn a_line_that_a_crash_cut_off_costs_no_other_and_old_days_go() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        let path = home.path().join("usage/3.jsonl");
        line("a/one", 3 * MS_PER_DAY).add_to(&home).unwrap();
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("\n{\"at\":1,\"sess");
        std::fs::write(&path, text).unwrap();
        line("a/two", 3 * MS_PER_DAY).add_to(&home).unwrap();
        assert_eq!(models(&UsageLine::since(&home, (0, 0)).unwrap().0), ["a/one", "a/two"]);
        line("a/later", (4 + KEPT_DAYS) * MS_PER_DAY).add_to(&home).unwrap();
        assert_eq!(models(&UsageLine::since(&home, (0, 0)).unwrap().0), ["a/later"], "{path:?} is too old");
    }

    #[test]
    fn a_day_that_is_full_is_refused_and_a_link_is_not_followed() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        line("a/one", 3 * MS_PER_DAY).add_to(&home).unwrap();
        let path = home.path().join("usage/3.jsonl");
        std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(MAX_DAY_BYTES).unwrap();
        let error = line("a/two", 3 * MS_PER_DAY).add_to(&home).unwrap_err().to_string();
        assert!(error.ends_with("is full: no day has more answers"), "{error}");
        std::os::unix::fs::symlink("3.jsonl", home.path().join("usage/5.jsonl")).unwrap();
        assert!(line("a/two", 5 * MS_PER_DAY).add_to(&home).is_err());
    }
}
