//! What a plan that waits covers, line by line: read out with the plan, struck and added to by commands.

use crate::dialogs::approval::{command_words, commands_words, file_words, typed_words};
use fore_plan::{
    approval::{ExitRequest, GrantChanges},
    contract::Contract,
    plan::Hash,
};
use std::collections::{BTreeMap, BTreeSet};

/// Files and commands that a person adds at most.
const MAX_ADDED: usize = 50;

/// What the text covers, and what the person made of it.
#[derive(Clone, Debug, Default)]
pub(super) struct PlainGrants {
    /// What was read, and what it is called in an answer; none while an edited text is being read.
    read: Option<(Contract, Hash)>,
    /// By their names.
    struck: BTreeSet<String>,
    /// As they were typed.
    added: Vec<String>,
    /// What they would grant.
    resolved: BTreeMap<String, Contract>,
}

impl PlainGrants {
    pub(super) fn new(request: &ExitRequest) -> PlainGrants {
        PlainGrants { read: Some((request.contract.clone(), request.contract_hash)), ..PlainGrants::default() }
    }

    /// Another text, or another entry: what is covered is to be read. What was struck by name stays struck.
    pub(super) fn forget(&mut self) {
        self.read = None;
    }

    /// What the person had struck and added before holds again.
    pub(super) fn bring_back(&mut self, changes: &GrantChanges) {
        self.struck = changes.struck_files.iter().chain(&changes.struck_commands).cloned().collect();
        self.added = changes.added_as_typed();
        if !self.added.is_empty() {
            self.forget();
        }
    }

    /// What is to be looked up together with the text.
    pub(super) fn added(&self) -> Vec<String> {
        self.added.clone()
    }

    /// The session has read it; gives what to say.
    pub(super) fn take(&mut self, contract: Contract, hash: Hash, added: &BTreeMap<String, Contract>) -> String {
        self.resolved.clone_from(added);
        let mut lines = Vec::new();
        self.added.retain(|entry| {
            let refused = added.get(entry).and_then(|contract| contract.not_granted.first());
            lines.extend(refused.map(|refused| format!("{} cannot be added: {}.", refused.named, refused.why.words())));
            refused.is_none()
        });
        // What was typed since then is still to be looked up.
        let is_whole = self.added.iter().all(|entry| added.contains_key(entry));
        self.read = is_whole.then_some((contract, hash));
        lines.extend(self.lines());
        lines.join("\n")
    }

    pub(super) fn is_known(&self) -> bool {
        self.read.is_some()
    }

    /// What is covered, a line each, with how it is changed.
    pub(super) fn lines(&self) -> Vec<String> {
        let Some((contract, _)) = &self.read else { return vec!["What this text covers is being read.".into()] };
        let mut lines = match contract.summary() {
            Some(summary) => vec![format!("This plan covers {summary}:")],
            None => vec!["The plan names no file or command that could run without asking.".to_owned()],
        };
        let files = contract.files.iter().map(|grant| (&grant.path, file_words(grant)));
        let commands = contract.commands.iter().map(|grant| (&grant.command, command_words(grant)));
        for (place, (named, words)) in (1..).zip(files.chain(commands)) {
            let struck = if self.struck.contains(named) { " (struck)" } else { "" };
            lines.push(format!("Covers {place}: {words}{struck}"));
        }
        let typed = self.added.iter().map(|entry| typed_words(entry, self.resolved.get(entry)));
        lines.extend(typed.map(|words| format!("Covers as well: {words}")));
        lines.extend([contract.besides(), commands_words(contract)].into_iter().flatten());
        lines.extend(
            contract.not_granted.iter().map(|refused| {
                format!("Not covered: {} (line {}): {}", refused.named, refused.line, refused.why.words())
            }),
        );
        lines.push("/strike 2 takes one off the list or back, /cover PATH or /cover $ COMMAND adds one".into());
        lines
    }

    pub(super) fn strike(&mut self, words: &str) -> String {
        let place = words.trim().parse::<usize>().ok().and_then(|place| place.checked_sub(1));
        let Some(named) = place.and_then(|place| self.named().nth(place).cloned()) else {
            return "Write it like this: /strike 2, with a number of the list".into();
        };
        if !self.struck.remove(&named) {
            self.struck.insert(named);
        }
        self.lines().join("\n")
    }

    /// Files first, then commands, as they are numbered.
    fn named(&self) -> impl Iterator<Item = &String> {
        let contract = self.read.iter().map(|(contract, _)| contract);
        contract.flat_map(|contract| {
            let files = contract.files.iter().map(|grant| &grant.path);
            files.chain(contract.commands.iter().map(|grant| &grant.command))
        })
    }

    /// Takes an entry, which is to be looked up; the error says why not.
    pub(super) fn cover(&mut self, words: &str) -> Result<(), String> {
        match words.trim() {
            "" => Err("Write it like this: /cover src/lib.rs, or /cover $ cargo test".into()),
            _ if self.added.len() >= MAX_ADDED => Err(format!("At most {MAX_ADDED} can be added by hand.")),
            words => {
                if !self.added.iter().any(|entry| entry == words) {
                    self.added.push(words.to_owned());
                }
                self.forget();
                Ok(())
            }
        }
    }

    /// What was struck and added, to be kept.
    pub(super) fn changes(&self) -> GrantChanges {
        let is_command = |named: &&String| {
            self.read.as_ref().is_some_and(|(contract, _)| contract.commands.iter().any(|it| it.command == **named))
        };
        let (commands, files): (Vec<&String>, Vec<&String>) = self.struck.iter().partition(is_command);
        let mut changes = GrantChanges {
            struck_files: files.into_iter().cloned().collect(),
            struck_commands: commands.into_iter().cloned().collect(),
            ..GrantChanges::default()
        };
        self.added.iter().for_each(|entry| changes.add_typed(entry));
        changes
    }

    /// What goes along with an approval.
    pub(super) fn answer(&self) -> (Option<Hash>, GrantChanges) {
        let Some((contract, hash)) = &self.read else { return (None, GrantChanges::default()) };
        let is_struck = |named: &&String| self.struck.contains(*named);
        let changes = GrantChanges {
            struck_files: contract.files.iter().map(|grant| &grant.path).filter(is_struck).cloned().collect(),
            struck_commands: contract.commands.iter().map(|grant| &grant.command).filter(is_struck).cloned().collect(),
            ..self.changes()
        };
        // Where nothing is granted there is nothing to name.
        let is_named = !contract.is_empty() || changes != GrantChanges::default();
        (is_named.then_some(*hash), changes)
    }
}
