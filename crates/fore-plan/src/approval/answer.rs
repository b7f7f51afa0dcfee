//! An answer to a request for approval: what it leads to. Whatever is stale, unknown or forged means "keep planning".

use crate::{
    approval::{
        Comment, Decider, GrantChanges, GrantScope, OnDisk, Proposal, Receipt, RequestId, Timestamp,
        amend::PlanAddition,
    },
    auto,
    change::{Change, Decision},
    contract::Contract,
    mode::{Level, Mode},
    plan::{Author, Hash, MAX_PLAN_BYTES, PlanRecord, Revision, only_steps, steps as plan_steps},
    state::{Applied, State},
};

/// The longest reason that is kept and passed on.
const MAX_REASON_CHARS: usize = 16 * 1024;
/// Comments that are kept and passed on at most.
const MAX_COMMENTS: usize = 100;

/// The level the work shall run at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChosenLevel {
    /// The one from before planning.
    Previous,
    /// Another one.
    Level {
        /// Which.
        level: Level,
        /// For how long.
        scope: GrantScope,
    },
}

/// What was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Yes: work begins.
    Approve {
        /// How much may happen without asking.
        level: ChosenLevel,
        /// What the plan covers is not asked about.
        runs_covered: bool,
        /// Work begins with the plan alone.
        clear_context: bool,
        /// The plan as the person changed it.
        edited: Option<String>,
        /// Only these of its steps, by their numbers; all where none are named.
        steps: Option<Vec<u32>>,
        /// The contract that was shown.
        contract_hash: Option<Hash>,
        /// What the person made of it.
        grants: GrantChanges,
        /// Words of the person for the work.
        note: String,
        /// Remarks on single lines.
        comments: Vec<Comment>,
    },
    /// No: the plan shall be another one.
    KeepPlanning {
        /// Why, in the person's words.
        reason: String,
        /// Remarks on single lines.
        comments: Vec<Comment>,
        /// The plan as the person changed it.
        edited: Option<String>,
    },
    /// Neither: the plan stays, and the turn ends.
    SaveAndStop {
        /// The plan as the person changed it.
        edited: Option<String>,
    },
    /// Planning ends, and nothing is approved.
    LeavePlanMode,
    /// The plan is thrown away, and planning goes on.
    Discard,
}

impl Choice {
    /// A plain yes: nothing edited, nothing remarked, the context kept.
    pub fn approve(level: ChosenLevel) -> Choice {
        Choice::Approve {
            level,
            runs_covered: false,
            clear_context: false,
            edited: None,
            steps: None,
            contract_hash: None,
            grants: GrantChanges::default(),
            note: String::new(),
            comments: Vec::new(),
        }
    }
}

/// An answer, with the request and the bytes it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalAnswer {
    /// The request it answers.
    pub request: RequestId,
    /// The hash of what was shown.
    pub hash: Hash,
    /// Who answers.
    pub by: Decider,
    /// When.
    pub at: Timestamp,
    /// What was chosen.
    pub choice: Choice,
}

/// What an answer leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answered {
    /// Start the work. Do it in this order: write, append the changes, tell the model.
    Approved {
        /// What the session records.
        changes: Vec<Change>,
        /// What the approval is bound to.
        receipt: Receipt,
        /// The approved text, which is what the model gets.
        text: String,
        /// Text that goes into the plan file first: the person's edit, or the plan whose file was lost.
        write: Option<String>,
        /// Words of the person for the work.
        note: String,
        /// Remarks on single lines.
        comments: Vec<Comment>,
        /// For the person, when the level from before is closed.
        notice: Option<&'static str>,
    },
    /// The plan file is not what was shown: show it again, with the difference to what was shown.
    ShowAgain {
        /// What the session records.
        changes: Vec<Change>,
        /// The request about the new bytes.
        proposal: Proposal,
        /// The text that was shown before.
        shown: String,
    },
    /// The person wants it otherwise. Do it in this order: write, append the changes, tell the model.
    KeepPlanning {
        /// What the session records.
        changes: Vec<Change>,
        /// Why, in the person's words.
        reason: String,
        /// Remarks on single lines.
        comments: Vec<Comment>,
        /// The person's own text, which goes into the plan file first.
        write: Option<String>,
    },
    /// The answer did not count; the request still waits if it did before.
    NotCounted {
        /// What was wrong with it.
        why: String,
    },
    /// The plan stays, and the turn ends.
    Saved {
        /// What the session records.
        changes: Vec<Change>,
        /// The person's own text, which goes into the plan file first.
        write: Option<String>,
    },
    /// Planning is over, and nothing was approved.
    Left {
        /// What the session records.
        changes: Vec<Change>,
        /// For the person, when the level from before is closed.
        notice: Option<&'static str>,
    },
    /// The plan is thrown away.
    Discarded {
        /// What the session records.
        changes: Vec<Change>,
    },
}

/// Reads what a text grants, always by the same workspace.
pub type ReadsContract<'a> = &'a dyn Fn(&str) -> Contract;

/// Judges an answer against the request that waits and the plan file as it is now.
pub fn answer(
    state: &State,
    answer: &ApprovalAnswer,
    on_disk: OnDisk<'_>,
    nonce: &str,
    reads: ReadsContract<'_>,
) -> Answered {
    let (Some(pending), Some(plan)) = (state.pending(), state.plan()) else {
        return not_counted("no request for approval waits");
    };
    if answer.request != pending.request {
        return not_counted("the answer is to another request");
    }
    if answer.hash != pending.hash {
        return not_counted("the answer is about other bytes than the ones shown");
    }
    let request = pending.request.clone();
    let by = answer.by.clone();
    match &answer.choice {
        Choice::Approve { .. } => approve(state, &PendingApproval { pending, plan, on_disk, nonce, reads }, answer)
            .unwrap_or_else(|answered| *answered),
        Choice::KeepPlanning { reason, comments, edited } => {
            let reason: String = reason.chars().take(MAX_REASON_CHARS).collect();
            let comments: Vec<Comment> = comments.iter().take(MAX_COMMENTS).cloned().collect();
            let decision =
                Decision::Rejected { request, reason: reason.clone(), comments: comments.clone(), by: Some(by) };
            match kept(state, &PendingApproval { pending, plan, on_disk, nonce, reads }, own(answer, edited), decision)
            {
                Ok((changes, write)) => Answered::KeepPlanning { changes, reason, comments, write },
                Err(answered) => *answered,
            }
        }
        Choice::SaveAndStop { edited } => {
            let decision = Decision::Saved { request, by };
            match kept(state, &PendingApproval { pending, plan, on_disk, nonce, reads }, own(answer, edited), decision)
            {
                Ok((changes, write)) => Answered::Saved { changes, write },
                Err(answered) => *answered,
            }
        }
        Choice::LeavePlanMode => {
            match decided(state, Decision::Left { request, by }, Mode::At(state.level_beneath())) {
                Ok(changes) => Answered::Left { changes, notice: auto::exit_notice(state) },
                Err(why) => not_counted(why),
            }
        }
        Choice::Discard => match decided(state, Decision::Discarded { request, by }, Mode::Plan) {
            Ok(changes) => Answered::Discarded { changes },
            Err(why) => not_counted(why),
        },
    }
}

/// The request is taken back without an answer: Esc, closed window, interrupt. Planning goes on.
pub fn cancelled(state: &State) -> Option<Change> {
    let request = state.pending()?.request.clone();
    let decision = Decision::Rejected { request, reason: String::new(), comments: Vec::new(), by: None };
    Some(Change::Decided { decision, from: Mode::Plan, to: Mode::Plan })
}

/// The request that waits, and the file it is about.
struct PendingApproval<'a> {
    pending: &'a Proposal,
    plan: &'a PlanRecord,
    on_disk: OnDisk<'a>,
    nonce: &'a str,
    reads: ReadsContract<'a>,
}

impl PendingApproval<'_> {
    /// Whether the file still holds what was shown, or is lost; otherwise what comes instead of the answer.
    fn is_lost(&self) -> Result<bool, Box<Answered>> {
        let PendingApproval { pending, plan, .. } = self;
        let is_newest = plan.revision.as_ref().is_some_and(|newest| newest.hash == pending.hash);
        match &self.on_disk {
            OnDisk::Text(text) if is_newest && Hash::of(text.as_bytes()) == pending.hash => Ok(false),
            OnDisk::Text(text) => Err(Box::new(show_again(pending, plan, text, self.nonce))),
            OnDisk::Missing => Ok(!pending.text.is_empty()),
            OnDisk::Unreadable { .. } => Err(ignored("the plan file cannot be read, so it cannot be compared")),
        }
    }

    /// What the person made of the plan; none if it is what was shown.
    fn edit<'b>(&self, edited: Option<&'b str>) -> Result<Option<&'b str>, Box<Answered>> {
        match edited.filter(|text| Hash::of(text.as_bytes()) != self.pending.hash) {
            Some(text) if text.trim().is_empty() => Err(ignored("the edited plan is empty")),
            Some(text) if text.len() > MAX_PLAN_BYTES => Err(ignored("the edited plan is too long")),
            edited => Ok(edited),
        }
    }
}

/// An edit of the person's own; nobody else's counts as one.
fn own<'a>(answer: &ApprovalAnswer, edited: &'a Option<String>) -> Option<&'a str> {
    edited.as_deref().filter(|_| matches!(answer.by, Decider::Person { .. }))
}

/// A decision that approves nothing and keeps the plan: with the person's own text in it, if they changed it. That text is
/// then what they were asked about last, so it takes the place of what was shown.
fn kept(
    state: &State,
    facts: &PendingApproval<'_>,
    edited: Option<&str>,
    decision: Decision,
) -> Result<(Vec<Change>, Option<String>), Box<Answered>> {
    let mut changes = Vec::new();
    let edited = facts.edit(edited)?;
    if let Some(text) = edited {
        facts.is_lost()?;
        let hash = Hash::of(text.as_bytes());
        let revision = facts.plan.next_revision(hash, Author::Person);
        let number = revision.as_ref().map_or(facts.pending.revision, |revision| revision.number);
        changes = written(facts.plan, revision, text);
        let proposal = Proposal { revision: number, hash, text: text.to_owned(), ..facts.pending.clone() };
        changes.push(Change::Proposed(proposal));
    }
    changes.push(Change::Decided { decision, from: Mode::Plan, to: Mode::Plan });
    fits(state, &changes).map_err(ignored)?;
    Ok((changes, edited.map(str::to_owned)))
}

fn approve(state: &State, facts: &PendingApproval<'_>, answer: &ApprovalAnswer) -> Result<Answered, Box<Answered>> {
    let Choice::Approve { level, runs_covered, clear_context, edited, steps, note, comments, .. } = &answer.choice
    else {
        return Err(ignored("that is not an approval"));
    };
    let PendingApproval { pending, plan, .. } = facts;
    let lost = facts.is_lost()?;
    let (level, scope) = match *level {
        ChosenLevel::Previous => (state.level_beneath(), GrantScope::Unchanged),
        ChosenLevel::Level { level, scope } if state.may_use(level) => (level, scope),
        ChosenLevel::Level { .. } => return Err(ignored("the chosen level is not available in this session")),
    };
    let whole = facts.edit(edited.as_deref())?.unwrap_or(&pending.text);
    let (text, steps) = match steps {
        Some(numbers) => some_steps(whole, numbers)?,
        None => (whole.to_owned(), Vec::new()),
    };
    let contract = granted(facts, &answer.choice, whole)?;
    let edited = facts.edit(Some(&text))?;
    // The conversation is all there is to go on with where the plan is empty.
    let clear_context = *clear_context && !text.trim().is_empty();
    let hash = Hash::of(text.as_bytes());
    let revision = edited.and_then(|_| plan.next_revision(hash, Author::Person));
    let receipt = Receipt {
        request: pending.request.clone(),
        plan: pending.plan.clone(),
        revision: revision.as_ref().map_or(pending.revision, |revision| revision.number),
        hash,
        level,
        scope,
        edited: revision.is_some(),
        clear_context,
        steps,
        contract: Some(contract.hash()),
        runs_covered: *runs_covered,
        by: answer.by.clone(),
        at: answer.at,
    };
    let mut changes: Vec<Change> = written(plan, revision, &text);
    let comments: Vec<Comment> = comments.iter().take(MAX_COMMENTS).cloned().collect();
    let decision =
        Decision::Approved { receipt: receipt.clone(), comments: comments.clone(), contract: Some(Box::new(contract)) };
    changes.push(Change::Decided { decision, from: Mode::Plan, to: Mode::At(level) });
    if clear_context {
        changes.push(Change::ContextCut);
    }
    fits(state, &changes).map_err(ignored)?;
    Ok(Answered::Approved {
        changes,
        receipt,
        write: (edited.is_some() || lost).then(|| text.clone()),
        text,
        note: note.clone(),
        comments,
        notice: auto::exit_notice(state),
    })
}

/// What a plan would grant, as it is put before a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedContract {
    /// What is granted if these steps are approved.
    pub contract: Contract,
    /// Names what the whole plan grants: what an answer sends back.
    pub hash: Hash,
}

/// What a plan grants, or only these of its steps: of less text never more. None if one of the numbers names no step.
pub fn offered_contract(plan: &str, steps: Option<&[u32]>, reads: ReadsContract<'_>) -> Option<OfferedContract> {
    let whole = reads(plan);
    let hash = whole.hash();
    let contract = match steps {
        None => whole,
        Some(steps) => {
            let mut contract = reads(&only_steps(plan, steps)?);
            contract.narrow_to(&whole);
            contract
        }
    };
    Some(OfferedContract { contract, hash })
}

/// What an approval grants: what was shown, without what was struck, with what was added.
fn granted(facts: &PendingApproval<'_>, choice: &Choice, whole: &str) -> Result<Contract, Box<Answered>> {
    let Choice::Approve { runs_covered, contract_hash, grants, steps, .. } = choice else {
        return Err(ignored("that is not an approval"));
    };
    let Some(offered) = offered_contract(whole, steps.as_deref(), facts.reads) else {
        return Err(ignored("the plan has no such steps"));
    };
    match contract_hash {
        Some(hash) if *hash != offered.hash => return Err(ignored("what the plan covers is not what was shown")),
        None if *runs_covered && whole != facts.pending.text => {
            return Err(ignored("what the edited plan covers was not shown"));
        }
        Some(_) | None => {}
    }
    let mut contract = offered.contract;
    grants.struck_files.iter().chain(&grants.struck_commands).for_each(|named| contract.strike(named));
    contract.add(&added(facts.reads, grants)?);
    Ok(contract)
}

/// What the person added by hand obeys the same rules as what a plan names.
fn added(reads: ReadsContract<'_>, grants: &GrantChanges) -> Result<Contract, Box<Answered>> {
    let addition =
        PlanAddition { why: String::new(), files: grants.added_files.clone(), commands: grants.added_commands.clone() };
    let mut contract = addition.contract(reads).map_err(|why| ignored(&why))?;
    contract.forget_lines();
    Ok(contract)
}

/// The plan with these steps alone, and what they are called; no names where these are all of them.
fn some_steps(plan: &str, numbers: &[u32]) -> Result<(String, Vec<String>), Box<Answered>> {
    let Some(text) = only_steps(plan, numbers) else {
        return Err(ignored("the plan has no such steps"));
    };
    if text == plan {
        return Ok((text, Vec::new()));
    }
    let chosen = plan_steps(plan).into_iter().filter(|step| numbers.contains(&step.number));
    Ok((text, chosen.map(|step| format!("{}: {}", step.number, step.title)).collect()))
}

/// The file changed after it was shown: what is there now becomes a revision and a new request, and the model hears of it.
fn show_again(pending: &Proposal, plan: &PlanRecord, text: &str, nonce: &str) -> Answered {
    if text.len() > MAX_PLAN_BYTES {
        return not_counted("the plan file has grown too long to be shown");
    }
    let hash = Hash::of(text.as_bytes());
    let revision = plan.next_revision(hash, Author::Other);
    let number = revision.as_ref().or(plan.revision.as_ref()).map_or(pending.revision, |revision| revision.number);
    let proposal = Proposal {
        request: RequestId(format!("{}:again:{nonce}", pending.request.0)),
        revision: number,
        hash,
        text: text.to_owned(),
        ..pending.clone()
    };
    let mut changes = written(plan, revision, text);
    if !changes.is_empty() {
        changes.push(Change::PlanEditedOutside { plan: plan.id.clone() });
    }
    changes.push(Change::Proposed(proposal.clone()));
    Answered::ShowAgain { changes, proposal, shown: pending.text.clone() }
}

fn written(plan: &PlanRecord, revision: Option<Revision>, text: &str) -> Vec<Change> {
    let written = revision.map(|revision| Change::PlanWritten { plan: plan.id.clone(), revision, text: text.into() });
    written.into_iter().collect()
}

fn decided(state: &State, decision: Decision, to: Mode) -> Result<Vec<Change>, &'static str> {
    let changes = vec![Change::Decided { decision, from: Mode::Plan, to }];
    fits(state, &changes).map(|()| changes)
}

/// The fold is the judge: what it would ignore is not an answer.
fn fits(state: &State, changes: &[Change]) -> Result<(), &'static str> {
    let mut next = state.clone();
    for change in changes {
        if let Applied::Ignored(why) = next.apply(change) {
            return Err(why);
        }
    }
    Ok(())
}

fn ignored(why: &str) -> Box<Answered> {
    Box::new(not_counted(why))
}

fn not_counted(why: &str) -> Answered {
    Answered::NotCounted { why: why.to_owned() }
}
