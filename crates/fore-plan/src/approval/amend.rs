//! More for a plan that is carried out: what is added becomes part of its text, as a revision with a receipt of its own.

use crate::{
    approval::{Decider, GrantChanges, ReadsContract, Receipt, RequestId, Timestamp},
    change::Change,
    contract::{Contract, FileGrant, NotGranted, NotGrantedReason, PathShape},
    plan::{Author, Hash, MAX_PLAN_BYTES},
    state::{Applied, State},
};
use serde::{Deserialize, Serialize};

/// Files and commands that are added at once.
const MAX_ADDED: usize = 100;
const MAX_WHY_CHARS: usize = 500;
const MAX_ENTRY_CHARS: usize = 200;
/// What stands above everything that was added.
const HEADING: &str = "## Added while working";

/// What shall be granted besides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanAddition {
    /// Why it is needed.
    pub why: String,
    /// Files and folders, from the project folder.
    pub files: Vec<String>,
    /// Commands, as they are run in the project folder.
    pub commands: Vec<String>,
}

/// An amended plan. Do it in this order: write, append the changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amendment {
    /// What the session records.
    pub changes: Vec<Change>,
    /// The whole plan, for its file.
    pub text: String,
    /// What is granted by it, and was not before.
    pub added: Contract,
}

impl PlanAddition {
    /// Whether nothing is named.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.commands.is_empty()
    }

    /// As it stands in the plan, below what was there.
    fn text(&self) -> String {
        format!("{HEADING}\n\n{}{}", self.list(), self.reason())
    }

    /// The paragraph that says why. Its label makes it one that grants nothing, whoever reads the plan again.
    fn reason(&self) -> String {
        let why = fore_text::cut::one_line(&self.why);
        match fore_text::line(&fore_text::cut::ellipsis(&why, MAX_WHY_CHARS)).trim() {
            "" => String::new(),
            why => format!("\nWhy: {why}\n"),
        }
    }

    fn list(&self) -> String {
        let files = self.files.iter().map(|file| format!("- `{file}`\n"));
        files.chain(self.commands.iter().map(|command| format!("- Run: `{command}`\n"))).collect()
    }

    /// Whether a contract grants exactly the files that are named here, by their very paths, and no folder or pattern: a name may
    /// hold letters that a plan reads as something else.
    pub fn is_taken_literally(&self, contract: &Contract) -> bool {
        let is_same = |grant: &FileGrant| grant.shape == PathShape::File && self.files.contains(&grant.path);
        contract.files.iter().all(is_same)
    }

    /// What it grants, by the same rules as a plan: each entry exactly one grant, or the reason why it cannot be.
    pub(super) fn contract(&self, reads: ReadsContract<'_>) -> Result<Contract, String> {
        if self.is_empty() {
            return Ok(Contract::default());
        }
        if self.files.len() + self.commands.len() > MAX_ADDED {
            return Err(format!("at most {MAX_ADDED} files and commands are added at once"));
        }
        let is_odd = |entry: &&String| entry.trim().is_empty() || entry.contains(['`', '\n', '\r']);
        if let Some(odd) = self.files.iter().chain(&self.commands).find(is_odd) {
            let shown = fore_text::cut::ellipsis(&fore_text::cut::one_line(odd), 80).into_owned();
            return Err(format!("`{shown}` cannot be added to a plan"));
        }
        // The reason grants nothing, whatever it names.
        let contract = reads(&format!("{HEADING}\n\n{}", self.list()));
        let refused = contract.not_granted.first();
        if let Some(refused) = refused {
            return Err(format!("`{}` cannot be granted: {}", refused.named, refused.why.words()));
        }
        if (contract.files.len(), contract.commands.len()) != (self.files.len(), self.commands.len()) {
            return Err(
                "not all of this can be granted: name files from the project folder, and single commands".into()
            );
        }
        Ok(contract)
    }
}

/// What a command begins with where a person types it among files.
const COMMAND_MARK: char = '$';

impl GrantChanges {
    /// Entries as a person types them: `src/cart.rs`, `$ cargo test`.
    pub fn added_as_typed(&self) -> Vec<String> {
        let commands = self.added_commands.iter().map(|command| format!("{COMMAND_MARK} {command}"));
        self.added_files.iter().cloned().chain(commands).collect()
    }

    /// Adds what a person typed.
    pub fn add_typed(&mut self, entry: &str) {
        match entry.trim().strip_prefix(COMMAND_MARK) {
            Some(command) => self.added_commands.push(command.trim().to_owned()),
            None => self.added_files.push(entry.trim().to_owned()),
        }
    }

    /// What an entry that a person typed grants: one grant, or the reason why it is none.
    pub fn typed(entry: &str, reads: ReadsContract<'_>) -> Contract {
        let mut changes = GrantChanges::default();
        changes.add_typed(entry);
        let why =
            if changes.added_files.is_empty() { NotGrantedReason::Unreadable } else { NotGrantedReason::NotFound };
        let addition =
            PlanAddition { why: String::new(), files: changes.added_files, commands: changes.added_commands };
        if let Ok(mut contract) = addition.contract(reads) {
            contract.forget_lines();
            return contract;
        }
        let is_odd = entry.contains(['`', '\n', '\r']);
        let read = if is_odd { Contract::default() } else { reads(&format!("{HEADING}\n\n{}", addition.list())) };
        let why = read.not_granted.first().map_or(why, |refused| refused.why);
        let named = fore_text::cut::ellipsis(&fore_text::cut::one_line(entry), MAX_ENTRY_CHARS).into_owned();
        Contract { not_granted: vec![NotGranted { named, line: 0, why }], ..Contract::default() }
    }
}

/// Adds to the plan that is carried out, because the person said so. `approved` is its text so far.
pub fn amend(
    state: &State,
    approved: &str,
    addition: &PlanAddition,
    (by, at, nonce): (Decider, Timestamp, &str),
    reads: ReadsContract<'_>,
) -> Result<Amendment, String> {
    let plan = state.plan().filter(|plan| plan.stage.is_carried_out());
    let Some((plan, before, granted)) =
        plan.and_then(|plan| Some((plan, plan.receipt.as_ref()?, plan.contract.as_ref()?)))
    else {
        return Err("no approved plan is being carried out".into());
    };
    if Hash::of(approved.as_bytes()) != before.hash {
        return Err("the approved text of the plan is lost".into());
    }
    let mut more = addition.contract(reads)?;
    if granted.names_all_of(&more) {
        return Err("the plan covers all of this already".into());
    }
    let kept = approved.trim_end();
    let text = format!("{kept}\n\n{}", addition.text());
    if text.len() > MAX_PLAN_BYTES {
        return Err(format!("the plan would have {} bytes, the most is {MAX_PLAN_BYTES}", text.len()));
    }
    more.shift_lines(u32::try_from(kept.lines().count()).unwrap_or(u32::MAX).saturating_add(1));
    let mut contract = granted.clone();
    contract.add(&more);
    let added = more;
    let hash = Hash::of(text.as_bytes());
    let Some(revision) = plan.next_revision(hash, Author::Person) else {
        return Err("the plan says this already".into());
    };
    let receipt = Receipt {
        request: RequestId(format!("plan_amendment:{}:{}:{nonce}", plan.id, revision.number)),
        revision: revision.number,
        hash,
        edited: true,
        clear_context: false,
        contract: Some(contract.hash()),
        by,
        at,
        ..before.clone()
    };
    let changes = vec![
        Change::PlanWritten { plan: plan.id.clone(), revision, text: text.clone() },
        Change::Amended { receipt, contract },
    ];
    let mut next = state.clone();
    for change in &changes {
        if let Applied::Ignored(why) = next.apply(change) {
            return Err(why.to_owned());
        }
    }
    Ok(Amendment { changes, text, added })
}
