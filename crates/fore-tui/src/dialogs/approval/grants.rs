//! What the plan covers, as a list beside it: each file and command with the line that names it. The person strikes and adds;
//! what is listed when they approve is what they grant.

use super::{ApprovalDialog, ReviewPage, UnsavedReview, frame::Room, titled_rule::signed, writing::FieldPurpose};
use crate::{
    dialogs::{
        DialogStep,
        text::{labelled, one_line, paragraph, sanitize_line},
    },
    theme::{Background, Colours, Sign, Signs, TextRole, Theme},
};
use fore_agent::Command;
use fore_plan::{
    approval::GrantChanges,
    contract::{CommandGrant, Contract, FileGrant, NotGranted},
    plan::Hash,
};
use ratatui::text::{Line, Span};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

/// Files and commands that a person adds at most.
const MAX_ADDED: usize = 50;

/// What the text that is shown covers, and what the person made of it.
#[derive(Debug)]
pub(super) struct GrantReview {
    contract: Contract,
    /// Names what was read; an answer sends it back.
    hash: Hash,
    reading: ContractReading,
    struck: BTreeSet<String>,
    /// As they were typed.
    added: Vec<String>,
    /// What they would grant, as far as the session has said so.
    resolved: BTreeMap<String, Contract>,
}

/// Whether the contract is that of the text that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ContractReading {
    Current,
    /// The text has changed, and nobody was asked yet.
    Due,
    Asked,
}

impl GrantReview {
    pub(super) fn new(contract: Contract, hash: Hash) -> GrantReview {
        GrantReview {
            contract,
            hash,
            reading: ContractReading::Current,
            struck: BTreeSet::new(),
            added: Vec::new(),
            resolved: BTreeMap::new(),
        }
    }

    /// The same, with what the person had struck and added before.
    pub(super) fn with(self, changes: &GrantChanges) -> GrantReview {
        let struck = changes.struck_files.iter().chain(&changes.struck_commands).cloned().collect();
        let added = changes.added_as_typed();
        let reading = if added.is_empty() { self.reading } else { ContractReading::Due };
        GrantReview { struck, added, reading, ..self }
    }

    fn is_current(&self) -> bool {
        self.reading == ContractReading::Current
    }

    /// What was struck and added, whether or not it is in the contract.
    pub(super) fn changes(&self) -> GrantChanges {
        let is_command = |named: &&String| self.contract.commands.iter().any(|grant| grant.command == **named);
        let (commands, files): (Vec<&String>, Vec<&String>) = self.struck.iter().partition(is_command);
        let mut changes = GrantChanges {
            struck_files: files.into_iter().cloned().collect(),
            struck_commands: commands.into_iter().cloned().collect(),
            ..GrantChanges::default()
        };
        self.added.iter().for_each(|entry| changes.add_typed(entry));
        changes
    }

    /// Takes out what cannot be granted; gives it with its reason.
    fn take_refused(&mut self) -> Option<NotGranted> {
        let refused = |resolved: &BTreeMap<String, Contract>, entry: &String| {
            resolved.get(entry).and_then(|contract| contract.not_granted.first()).cloned()
        };
        let first = self.added.iter().find_map(|entry| refused(&self.resolved, entry));
        self.added.retain(|entry| refused(&self.resolved, entry).is_none());
        first
    }
}

impl ApprovalDialog {
    /// Another text is shown: what it covers is to be read.
    pub(super) fn contract_is_due(&mut self) {
        self.grants.reading = ContractReading::Due;
    }

    /// The question to the session, once for each text.
    pub(crate) fn unread_contract(&mut self) -> Option<Command> {
        if self.grants.reading != ContractReading::Due || self.asked.agent.is_some() {
            return None;
        }
        self.grants.reading = ContractReading::Asked;
        let (text, steps) = self.answered_text();
        Some(Command::ReadContract { text, steps, added: self.grants.added.clone() })
    }

    /// The session has read it; what was read of another text comes too late.
    pub(crate) fn contract_read(
        &mut self,
        of: (Hash, Option<&[u32]>),
        (contract, hash): (&Contract, Hash),
        added: &BTreeMap<String, Contract>,
    ) {
        let (text, steps) = self.answered_text();
        if (Hash::of(text.as_bytes()), steps.as_deref()) != of {
            return;
        }
        (self.grants.contract, self.grants.hash) = (contract.clone(), hash);
        self.grants.resolved.clone_from(added);
        // What was typed since then is still to be looked up.
        let is_whole = self.grants.added.iter().all(|entry| added.contains_key(entry));
        self.grants.reading = if is_whole { ContractReading::Current } else { ContractReading::Due };
        if let Some(refused) = self.grants.take_refused() {
            let named = sanitize_line(&one_line(&refused.named));
            self.say(TextRole::Warning, format!("`{named}` cannot be added: {}.", refused.why.words()));
            self.unsaved = UnsavedReview::Finished;
        }
        self.version = self.version.saturating_add(1);
    }

    /// The whole text that an answer would be about, and which of its steps.
    fn answered_text(&self) -> (String, Option<Vec<u32>>) {
        match &self.left_out {
            Some(left_out) => (left_out.whole.clone(), self.chosen_steps()),
            None => (self.text.clone(), None),
        }
    }

    /// What goes along with an approval.
    pub(super) fn grant_changes(&self) -> (Option<Hash>, GrantChanges) {
        let changes = self.struck_here();
        // Where nothing is granted there is nothing to name.
        let is_named = self.grants.is_current() && self.coverage_words().is_some();
        (is_named.then_some(self.grants.hash), changes)
    }

    /// What was struck of this contract, and what was added to it.
    fn struck_here(&self) -> GrantChanges {
        let is_struck = |named: &&String| self.grants.struck.contains(*named);
        let files = self.grants.contract.files.iter().map(|grant| &grant.path);
        let commands = self.grants.contract.commands.iter().map(|grant| &grant.command);
        GrantChanges {
            struck_files: files.filter(is_struck).cloned().collect(),
            struck_commands: commands.filter(is_struck).cloned().collect(),
            ..self.grants.changes()
        }
    }

    /// How much was struck and added, in words; none if nothing was.
    pub(super) fn grant_change_words(&self) -> Option<String> {
        let (struck, added) = (self.grants.struck.len(), self.grants.added.len());
        let count = |number: usize, words: &str| (number > 0).then(|| format!("{number} {words}"));
        let parts: Vec<String> = [count(struck, "struck"), count(added, "added")].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("what the plan covers ({})", parts.join(", ")))
    }

    /// Whether what the plan covers is on the screen as it would be granted.
    pub(super) fn knows_grants(&self) -> bool {
        self.grants.is_current()
    }

    /// One line about it, for the facts below the plan; that nothing is covered only where there is room for it. A plan of an
    /// agent grants nothing.
    pub(super) fn coverage_line(&self, room: Room, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let is_nothing = self.grants.is_current() && self.coverage_words().is_none();
        if self.asked.agent.is_some() || (is_nothing && room != Room::Roomy) {
            return Vec::new();
        }
        let (role, words) = match (self.grants.is_current(), self.coverage_words()) {
            (false, _) => (TextRole::Faint, "Reading what the plan covers…".to_owned()),
            (true, None) => {
                (TextRole::Faint, "The plan names no file or command that could run without asking.".to_owned())
            }
            (true, Some(words)) => (TextRole::Accent, format!("This plan covers {words} (p)")),
        };
        let style = theme.style(role);
        signed(Span::styled(theme.sign(Sign::Dot), style), &Line::from(Span::styled(words, style)), width, theme)
    }

    /// `6 files, 2 folders, 3 commands; 1 struck`
    fn coverage_words(&self) -> Option<String> {
        let summary = self.grants.contract.summary();
        let (struck, added) = (self.grants.struck.len(), self.grants.added.len());
        if summary.is_none() && added == 0 {
            return None;
        }
        let extra = [(struck, "struck"), (added, "added")];
        let extra: Vec<String> =
            extra.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        let summary = summary.unwrap_or_else(|| "nothing by itself".to_owned());
        Some(if extra.is_empty() { summary } else { format!("{summary}; {}", extra.join(", ")) })
    }

    pub(super) fn turn_to_grants(&mut self) {
        match self.page {
            ReviewPage::Grants => self.page = ReviewPage::Plan,
            _ if self.asked.agent.is_some() => self.say(TextRole::Faint, "The plan of an agent grants nothing."),
            _ => self.page = ReviewPage::Grants,
        }
    }

    /// Strikes what the cursor is on, or takes that back.
    pub(super) fn strike_here(&mut self) {
        let Some(at) = self.plan_view().chosen().map(|lines| lines.first) else { return };
        let Some(entry) = usize::try_from(at).ok().and_then(|at| at.checked_sub(1)) else { return };
        let GrantReview { contract, struck, added, .. } = &mut self.grants;
        let named = contract.files.iter().map(|grant| &grant.path);
        let named = named.chain(contract.commands.iter().map(|grant| &grant.command)).nth(entry).cloned();
        match named {
            Some(named) => {
                if !struck.remove(&named) {
                    struck.insert(named);
                }
            }
            None => {
                let place = entry.saturating_sub(contract.files.len() + contract.commands.len());
                if place >= added.len() {
                    return;
                }
                added.remove(place);
            }
        }
        self.unsaved = UnsavedReview::Finished;
        self.version = self.version.saturating_add(1);
    }

    pub(super) fn begin_grant(&mut self) -> DialogStep {
        if self.grants.added.len() >= MAX_ADDED {
            self.say(TextRole::Warning, format!("At most {MAX_ADDED} can be added by hand; edit the plan instead."));
            return DialogStep::Stay;
        }
        self.begin(FieldPurpose::Grant, "")
    }

    pub(super) fn add_grant(&mut self, text: &str) {
        let text = one_line(text).trim().to_owned();
        if text.is_empty() || self.grants.added.contains(&text) {
            return;
        }
        self.grants.added.push(text);
        // What it means is shown before it can be granted.
        self.contract_is_due();
        self.unsaved = UnsavedReview::Finished;
        self.version = self.version.saturating_add(1);
    }

    /// The list, and for each row which entry it is, counted from 1.
    pub(super) fn grant_rows(&self, width: u16, theme: &Theme) -> (Vec<Line<'static>>, Vec<RangeInclusive<u32>>) {
        let mut list = GrantRows { rows: Vec::new(), entries: Vec::new(), width, theme };
        let GrantReview { contract, struck, added, resolved, .. } = &self.grants;
        let mut entry = 0_u32;
        for grant in &contract.files {
            entry += 1;
            list.grant(entry, struck.contains(&grant.path), &file_words(grant));
        }
        for grant in &contract.commands {
            entry += 1;
            list.grant(entry, struck.contains(&grant.command), &command_words(grant));
        }
        for added in added {
            entry += 1;
            list.grant(entry, false, &typed_words(added, resolved.get(added)));
        }
        if entry == 0 {
            list.words(TextRole::Faint, "Nothing. Every edit and command is asked about as the mode says.");
        }
        for besides in [contract.besides(), commands_words(contract)].into_iter().flatten() {
            list.words(TextRole::Plain, "");
            list.words(TextRole::Faint, &besides);
        }
        if !contract.not_granted.is_empty() {
            list.words(TextRole::Plain, "");
            list.words(TextRole::Strong, "Named, but not covered:");
            for refused in &contract.not_granted {
                let named = sanitize_line(&one_line(&refused.named));
                list.words(TextRole::Faint, &format!("  line {}: {named}  {}", refused.line, refused.why.words()));
            }
        }
        (list.rows, list.entries)
    }

    /// The same as plain text.
    pub(super) fn grant_words(&self) -> String {
        let theme = Theme { colours: Colours::Nothing, background: Background::Dark, signs: Signs::Unicode };
        let (rows, _) = self.grant_rows(u16::MAX, &theme);
        rows.iter().map(|row| format!("{row}\n")).collect()
    }
}

struct GrantRows<'a> {
    rows: Vec<Line<'static>>,
    entries: Vec<RangeInclusive<u32>>,
    width: u16,
    theme: &'a Theme,
}

impl GrantRows<'_> {
    fn grant(&mut self, entry: u32, is_struck: bool, words: &str) {
        let (sign, role) = if is_struck { ("✗ ", TextRole::Faint) } else { ("✓ ", TextRole::Good) };
        let words = if is_struck { format!("{words}  struck") } else { words.to_owned() };
        let styles =
            (self.theme.style(role), self.theme.style(if is_struck { TextRole::Faint } else { TextRole::Plain }));
        self.put(entry, labelled(sign, &words, styles, self.width));
    }

    fn words(&mut self, role: TextRole, words: &str) {
        let rows = match words {
            "" => vec![Line::default()],
            words => paragraph(words, self.theme.style(role), self.width),
        };
        // Numbers rise from row to row, so that the cursor finds its way; behind the last entry they belong to none.
        let after_all = self.entries.last().map_or(1, |last| last.end().saturating_add(1));
        self.put(after_all, rows);
    }

    fn put(&mut self, entry: u32, rows: Vec<Line<'static>>) {
        self.entries.extend(rows.iter().map(|_| entry..=entry));
        self.rows.extend(rows);
    }
}

/// What a typed entry grants, or the entry itself while nobody has said what that is.
pub(crate) fn typed_words(entry: &str, resolved: Option<&Contract>) -> String {
    let file = resolved.and_then(|contract| contract.files.first()).map(file_words);
    let command = || resolved.and_then(|contract| contract.commands.first()).map(command_words);
    file.or_else(command).unwrap_or_else(|| format!("{}  being looked up", sanitize_line(&one_line(entry))))
}

/// What a command that is granted can do; none where there is none.
pub(crate) fn commands_words(contract: &Contract) -> Option<String> {
    let words = "Commands run in the sandbox: they may change files of this project, and reach nobody but the hosts behind them.";
    (!contract.commands.is_empty()).then(|| words.to_owned())
}

/// `src/login.rs  change  line 5`
pub(crate) fn file_words(grant: &FileGrant) -> String {
    sanitize_line(&one_line(&grant.to_string()))
}

/// `run cargo test  no network  line 9`
pub(crate) fn command_words(grant: &CommandGrant) -> String {
    sanitize_line(&one_line(&grant.to_string()))
}
