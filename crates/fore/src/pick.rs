//! Finds the one session or plan that a word means: its whole name, or a start that fits no other.

use anyhow::bail;
use fore_plan::plan::PlanFileName;
use fore_store::{Home, PlanFolder, SessionId, plan_list, session};
use std::path::Path;

/// Names that an error lists.
const MAX_LISTED: usize = 5;
/// Letters that a name must share with a word to be near it.
const NEAR: usize = 4;

/// The session that a word means.
pub(crate) fn session(home: &Home, word: &str) -> anyhow::Result<SessionId> {
    let all: Vec<String> = session::ids(home)?.iter().map(ToString::to_string).collect();
    let name = one("session", word, all, "`fore sessions --all` lists them")?;
    Ok(name.parse()?)
}

/// The plan that a word means, in the first of these folders that has it.
pub(crate) fn plan(home: &Home, folders: &[PlanFolder], word: &str) -> anyhow::Result<(PlanFolder, PlanFileName)> {
    let word = word.strip_suffix(".md").unwrap_or(word);
    let (_, last) = word.rsplit_once('/').unwrap_or(("", word));
    // The path of a plan, as the program itself prints it, names the plan too.
    let is_path = |folder: &PlanFolder| {
        let name = format!("{last}.md").parse().ok();
        name.is_some_and(|name: PlanFileName| folder.path_of(&name) == Path::new(&format!("{word}.md")))
    };
    let word = if folders.iter().any(is_path) { last } else { word };
    let mut all = Vec::new();
    for folder in folders {
        for name in plan_list::names(folder)? {
            all.push((folder, name));
        }
    }
    let stem = |name: &PlanFileName| name.to_string().trim_end_matches(".md").to_owned();
    let stems: Vec<String> = all.iter().map(|(_, name)| stem(name)).collect();
    let missing = match one("plan", word, stems, "`fore plans` lists them") {
        Ok(found) => match all.into_iter().find(|(_, name)| stem(name) == found) {
            Some((folder, name)) => return Ok((folder.clone(), name)),
            None => bail!("the plan `{found}` is gone"),
        },
        Err(missing) => missing,
    };
    // The file may be gone while its revisions are still kept.
    if let Ok(name) = format!("{word}.md").parse::<PlanFileName>() {
        for folder in folders {
            if plan_list::find(home, folder, &name)?.is_some() {
                return Ok((folder.clone(), name));
            }
        }
    }
    Err(missing)
}

/// The shortest start of an id, of at least eight letters, that no other one shares.
pub(crate) fn short(id: &str, all: &[String]) -> String {
    let shared = all.iter().filter(|other| *other != id).map(|other| shared(id, other)).max().unwrap_or(0);
    id.chars().take(shared.saturating_add(1).max(8)).collect()
}

fn one(what: &str, word: &str, mut all: Vec<String>, hint: &str) -> anyhow::Result<String> {
    all.sort();
    all.dedup();
    if all.iter().any(|name| name == word) {
        return Ok(word.to_owned());
    }
    let found: Vec<&String> = all.iter().filter(|name| !word.is_empty() && name.starts_with(word)).collect();
    match found.as_slice() {
        [only] => Ok((*only).clone()),
        [] => {
            let near: Vec<&String> = all.iter().filter(|name| is_near(word, name)).collect();
            match near.is_empty() {
                true => bail!("there is no {what} `{word}`; {hint}"),
                false => bail!("there is no {what} `{word}`; did you mean {}?", listed(&near)),
            }
        }
        several => bail!("`{word}` fits {} {what}s: {}", several.len(), listed(several)),
    }
}

fn listed(names: &[&String]) -> String {
    let mut list: Vec<&str> = names.iter().take(MAX_LISTED).map(|name| name.as_str()).collect();
    if names.len() > MAX_LISTED {
        list.push("…");
    }
    list.join(", ")
}

fn is_near(word: &str, name: &str) -> bool {
    let parts_in_common = word.split('-').any(|part| part.len() >= NEAR && name.split('-').any(|other| other == part));
    shared(word, name) >= NEAR || parts_in_common || (word.len() >= NEAR && name.contains(word))
}

fn shared(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_means_the_one_name_that_it_begins() {
        let all = || ["brave-quiet-fox", "brave-loud-owl", "calm-red-hen"].map(str::to_owned).to_vec();
        let page = [
            ("calm", Ok("calm-red-hen")),
            ("calm-red-hen", Ok("calm-red-hen")),
            ("brave", Err("`brave` fits 2 plans: brave-loud-owl, brave-quiet-fox")),
            ("brave-x", Err("there is no plan `brave-x`; did you mean brave-loud-owl, brave-quiet-fox?")),
            ("quiet-fox", Err("there is no plan `quiet-fox`; did you mean brave-quiet-fox?")),
            ("zebra", Err("there is no plan `zebra`; `fore plans` lists them")),
            ("", Err("there is no plan ``; `fore plans` lists them")),
        ];
        for (word, expected) in page {
            let found = one("plan", word, all(), "`fore plans` lists them").map_err(|error| error.to_string());
            assert_eq!(found, expected.map(str::to_owned).map_err(str::to_owned));
        }
    }

    #[test]
    fn a_short_id_is_as_long_as_it_takes() {
        let all = ["01890a5d-ac96", "01890a5d-bc96", "01890b5d-ac96"].map(str::to_owned);
        assert_eq!(all.clone().map(|id| short(&id, &all)), ["01890a5d-a", "01890a5d-b", "01890b5d"]);
    }
}
