//! What the person made of a plan that waits in a client: what they struck from what it covers, what they added, which steps they
//! chose. Pure. What is listed when they approve is what they grant, to the last entry.

use fore_plan::{
    approval::{ExitRequest, GrantChanges},
    contract::{CommandGrant, Contract, FileGrant, PathShape, PlannedChange},
    plan::Hash,
};
use std::{collections::BTreeMap, fmt::Write as _};

/// Entries that are not granted and are listed; the rest is counted.
const MAX_REFUSED: usize = 30;
/// Files and commands that a person adds at most.
const MAX_ADDED: usize = 50;

/// A wish of the person about what they approve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TermsWish {
    /// Takes an entry off the list, or back.
    Strike(String),
    /// Adds a file, or a command behind `$`.
    Cover(String),
    /// Only these steps.
    Steps(String),
}

/// What a wish needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TermsStep {
    /// It is known already what would be granted.
    Known,
    /// The session has to read it.
    ToRead,
}

/// What would be granted with a yes.
#[derive(Clone, Debug)]
pub(super) struct PlanTerms {
    contract: Contract,
    hash: Hash,
    struck: Vec<String>,
    /// As they were typed.
    added: Vec<String>,
    /// What those would grant.
    resolved: BTreeMap<String, Contract>,
    steps: Option<Vec<u32>>,
}

impl PlanTerms {
    pub(super) fn new(request: &ExitRequest) -> PlanTerms {
        PlanTerms {
            contract: request.contract.clone(),
            hash: request.contract_hash,
            struck: Vec::new(),
            added: Vec::new(),
            resolved: BTreeMap::new(),
            steps: None,
        }
    }

    /// Takes a wish; the error says how it is written.
    pub(super) fn wish(&mut self, wish: &TermsWish, request: &ExitRequest) -> Result<TermsStep, String> {
        match wish {
            TermsWish::Strike(words) => self.strike(words),
            TermsWish::Cover(words) => self.cover(words),
            TermsWish::Steps(words) => self.choose_steps(words, request),
        }
    }

    fn strike(&mut self, words: &str) -> Result<TermsStep, String> {
        let files = self.contract.files.iter().map(|grant| &grant.path);
        let named: Vec<&String> = files.chain(self.contract.commands.iter().map(|grant| &grant.command)).collect();
        let place = words.trim().parse::<usize>().ok().and_then(|place| place.checked_sub(1));
        let Some(place) = place.filter(|place| *place < named.len() + self.added.len()) else {
            return Err("Write it like this: /strike 2, with a number of the list of what the plan covers.".into());
        };
        match named.get(place) {
            Some(named) => match self.struck.iter().position(|struck| struck == *named) {
                Some(at) => drop(self.struck.remove(at)),
                None => self.struck.push((*named).clone()),
            },
            None => drop(self.added.remove(place - named.len())),
        }
        Ok(TermsStep::Known)
    }

    fn cover(&mut self, words: &str) -> Result<TermsStep, String> {
        match words.trim() {
            "" => Err("Write it like this: /cover src/lib.rs, or /cover $ cargo test.".into()),
            _ if self.added.len() >= MAX_ADDED => Err(format!("At most {MAX_ADDED} can be added by hand.")),
            words => {
                if !self.added.iter().any(|entry| entry == words) {
                    self.added.push(words.to_owned());
                }
                Ok(TermsStep::ToRead)
            }
        }
    }

    fn choose_steps(&mut self, words: &str, request: &ExitRequest) -> Result<TermsStep, String> {
        let how = "Write it like this: /steps 1 3, with numbers of steps of this plan, or /steps all.";
        let all: Vec<u32> = request.steps.iter().map(|step| step.number).collect();
        if words.trim() == "all" {
            self.steps = None;
            return Ok(TermsStep::ToRead);
        }
        let words = words.split([' ', ',']).filter(|word| !word.is_empty());
        let chosen: Option<Vec<u32>> = words.map(|word| word.parse().ok().filter(|it| all.contains(it))).collect();
        let chosen = chosen.filter(|chosen| !chosen.is_empty()).ok_or(how)?;
        let kept: Vec<u32> = all.iter().copied().filter(|number| chosen.contains(number)).collect();
        self.steps = (kept.len() < all.len()).then_some(kept);
        Ok(TermsStep::ToRead)
    }

    /// What the session is asked.
    pub(super) fn unread(&self) -> (Option<Vec<u32>>, Vec<String>) {
        (self.steps.clone(), self.added.clone())
    }

    /// The session has read it. Gives what cannot be added and why; none if this is about other steps.
    pub(super) fn read(
        &mut self,
        steps: Option<&[u32]>,
        (contract, hash): (&Contract, Hash),
        resolved: &BTreeMap<String, Contract>,
    ) -> Option<Vec<String>> {
        if steps != self.steps.as_deref() || !self.added.iter().all(|entry| resolved.contains_key(entry)) {
            return None;
        }
        (self.contract, self.hash) = (contract.clone(), hash);
        self.resolved.clone_from(resolved);
        let refused = |entry: &String| resolved.get(entry).and_then(|contract| contract.not_granted.first());
        let reason = |entry: &String| {
            refused(entry).map(|it| format!("{} cannot be added: {}.", code(&it.named), it.why.words()))
        };
        let said = self.added.iter().filter_map(reason).collect();
        self.added.retain(|entry| refused(entry).is_none());
        Some(said)
    }

    /// Which steps are meant; none where that is all of them.
    pub(super) fn steps(&self) -> Option<Vec<u32>> {
        self.steps.clone()
    }

    /// What goes along with a yes.
    pub(super) fn granted(&self) -> (Hash, GrantChanges) {
        let is_struck = |named: &&String| self.struck.contains(*named);
        let files = self.contract.files.iter().map(|grant| &grant.path).filter(is_struck);
        let commands = self.contract.commands.iter().map(|grant| &grant.command).filter(is_struck);
        let mut changes = GrantChanges {
            struck_files: files.cloned().collect(),
            struck_commands: commands.cloned().collect(),
            ..GrantChanges::default()
        };
        self.added.iter().for_each(|entry| changes.add_typed(entry));
        (self.hash, changes)
    }

    /// The list, each entry with its number and the line that names it.
    pub(super) fn page(&self) -> String {
        let mut page = String::new();
        if let Some(steps) = &self.steps {
            let numbers: Vec<String> = steps.iter().map(ToString::to_string).collect();
            let _ = writeln!(page, "**Only these steps: {}**\n", numbers.join(", "));
        }
        let summary = self.contract.summary();
        if summary.is_none() && self.added.is_empty() {
            return page + &not_granted(&self.contract);
        }
        let summary = summary.unwrap_or_else(|| "nothing by itself".to_owned());
        let _ = writeln!(page, "**This plan covers {summary}**\n");
        let files = self.contract.files.iter().map(|grant| (&grant.path, file(grant)));
        let commands = self.contract.commands.iter().map(|grant| (&grant.command, command(grant)));
        let mut number = 0_usize;
        for (named, words) in files.chain(commands) {
            number += 1;
            let _ = match self.struck.contains(named) {
                true => writeln!(page, "{number}. ~~{words}~~ struck"),
                false => writeln!(page, "{number}. {words}"),
            };
        }
        for entry in &self.added {
            number += 1;
            let contract = self.resolved.get(entry);
            let granted = contract.and_then(|contract| contract.files.first().map(file));
            let granted = granted.or_else(|| contract.and_then(|contract| contract.commands.first().map(command)));
            let _ = writeln!(page, "{number}. {}, added by you", granted.unwrap_or_else(|| code(entry)));
        }
        if let Some(besides) = self.contract.besides() {
            let _ = write!(page, "\n{besides}\n");
        }
        page.push_str("\n`/strike 2` takes an entry off the list, `/cover PATH` or `/cover $ COMMAND` adds one");
        page.push_str(", `/steps 1 3` approves some steps only.\n");
        page + &not_granted(&self.contract)
    }
}

fn not_granted(contract: &Contract) -> String {
    let refused = &contract.not_granted;
    if refused.is_empty() {
        return String::new();
    }
    let mut page = "\n**Named, and not covered**\n\n".to_owned();
    for refused in refused.iter().take(MAX_REFUSED) {
        let _ = writeln!(page, "- {}: {}{}", code(&refused.named), refused.why.words(), place(refused.line));
    }
    if let Some(left) = refused.len().checked_sub(MAX_REFUSED).filter(|left| *left > 0) {
        let _ = writeln!(page, "- and {left} more");
    }
    page
}

fn file(grant: &FileGrant) -> String {
    let path = match grant.shape {
        PathShape::File | PathShape::Glob => code(&grant.path),
        PathShape::Folder => code(&format!("{}/", grant.path)),
    };
    let change = match &grant.change {
        PlannedChange::New => ", new".to_owned(),
        PlannedChange::Change => String::new(),
        PlannedChange::Delete => ", removed".to_owned(),
        PlannedChange::Move { to } => format!(", moved to {}", code(to)),
    };
    format!("{path}{change}{}", place(grant.line))
}

fn command(grant: &CommandGrant) -> String {
    let reach = match grant.hosts.as_slice() {
        [] => "no network".to_owned(),
        hosts => format!("may reach {}", hosts.join(", ")),
    };
    format!("run {}, {reach}{}", code(&grant.command), place(grant.line))
}

fn place(line: u32) -> String {
    if line == 0 { String::new() } else { format!(" (line {line})") }
}

/// Code in one line that nothing in it ends. Where a line of it ends is seen.
fn code(text: &str) -> String {
    let text = fore_text::line(&text.replace('\n', " \\n ")).into_owned();
    let runs = text.split(|letter| letter != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    let blank = if fence.len() > 1 { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_plan::plan::PlanStep;

    fn request() -> ExitRequest {
        let file = |path: &str, line| FileGrant {
            path: path.into(),
            shape: PathShape::File,
            change: PlannedChange::Change,
            line,
        };
        let command = |command: &str, hosts: &[&str]| CommandGrant {
            command: command.into(),
            hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            line: 9,
        };
        let contract = Contract {
            files: (1..=40).map(|number| file(&format!("src/{number}.rs"), number)).collect(),
            commands: vec![command("npm ci", &["registry.npmjs.org"]), command("echo `id`\nmake", &[])],
            ..Contract::default()
        };
        let step = |number| PlanStep { number, title: "x".into(), first_line: number, last_line: number };
        ExitRequest {
            agent_id: "request".into(),
            plan_file_path: "/plans/a.md".into(),
            plan_content: "# A".into(),
            plan_hash: Hash::of(b"# A"),
            revision: 1,
            options: Vec::new(),
            steps: vec![step(1), step(2), step(3)],
            contract_hash: contract.hash(),
            contract,
        }
    }

    #[test]
    fn every_entry_is_listed_with_whom_it_reaches_and_no_command_leaves_its_place() {
        let page = PlanTerms::new(&request()).page();
        assert!(page.contains("\n40. `src/40.rs` (line 40)\n"), "{page}");
        assert!(page.contains("\n41. run `npm ci`, may reach registry.npmjs.org (line 9)\n"), "{page}");
        assert!(page.contains("\n42. run `` echo `id` \\n make ``, no network (line 9)\n"), "{page}");
    }

    #[test]
    fn what_is_struck_added_and_left_out_goes_along_with_a_yes() {
        let request = request();
        let mut terms = PlanTerms::new(&request);
        assert_eq!(terms.wish(&TermsWish::Strike("41".into()), &request), Ok(TermsStep::Known));
        assert_eq!(terms.wish(&TermsWish::Strike("2".into()), &request), Ok(TermsStep::Known));
        assert_eq!(terms.wish(&TermsWish::Strike("2".into()), &request), Ok(TermsStep::Known), "and back");
        for wrong in ["", "0", "43", "x", "-1"] {
            assert!(terms.wish(&TermsWish::Strike(wrong.into()), &request).is_err(), "{wrong}");
        }
        assert_eq!(terms.wish(&TermsWish::Cover("$ cargo test".into()), &request), Ok(TermsStep::ToRead));
        for wrong in ["", "4", "1 x", "0"] {
            assert!(terms.wish(&TermsWish::Steps(wrong.into()), &request).is_err(), "{wrong}");
        }
        assert_eq!(terms.wish(&TermsWish::Steps("3, 1".into()), &request), Ok(TermsStep::ToRead));
        assert_eq!(terms.unread(), (Some(vec![1, 3]), vec!["$ cargo test".to_owned()]));
        let read = (&request.contract.clone(), request.contract_hash);
        assert_eq!(terms.read(None, read, &BTreeMap::new()), None, "that was about the whole plan");
        let test = CommandGrant { command: "cargo test".into(), hosts: Vec::new(), line: 0 };
        let resolved = Contract { commands: vec![test], ..Contract::default() };
        let resolved = BTreeMap::from([("$ cargo test".to_owned(), resolved)]);
        assert_eq!(terms.read(Some(&[1, 3]), read, &resolved), Some(Vec::new()));
        let page = terms.page();
        assert!(page.contains("**Only these steps: 1, 3**") && page.contains("41. ~~run `npm ci`"), "{page}");
        assert!(page.contains("43. run `cargo test`, no network, added by you"), "{page}");
        let changes = GrantChanges {
            struck_commands: vec!["npm ci".into()],
            added_commands: vec!["cargo test".into()],
            ..GrantChanges::default()
        };
        assert_eq!((terms.granted(), terms.steps()), ((request.contract_hash, changes), Some(vec![1, 3])));
        assert_eq!(terms.wish(&TermsWish::Steps("all".into()), &request), Ok(TermsStep::ToRead));
        assert_eq!(terms.steps(), None);
    }
}
