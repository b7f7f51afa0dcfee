//! What the page is told about a plan, as JSON. Texts that hold Markdown or a difference come as HTML of ours; everything else is text.

use crate::{
    answer::ChoiceMeaning,
    difference,
    draft::SuggestedText,
    markdown::{self, RenderedPlan},
    site::LiveReview,
};
use fore_agent::ContextUse;
use fore_plan::{
    approval::{Comment, Offer, find_quote},
    contract::{Contract, PathShape, PlannedChange},
    plan::{Hash, PlanStep, Severity, diff, steps},
};
use fore_store::{
    session::KeptRevision,
    unsent_review::{Anchor, CommentState, UnsentComment},
};
use serde::Serialize;
use std::{borrow::Cow, sync::Arc};

/// Entries of one kind that the page lists.
const MAX_LISTED: usize = 1_000;
/// Lines of what a trial would have changed.
const MAX_TRIED_LINES: usize = 50;

/// Everything of a request at once.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageView {
    kind: &'static str,
    agent_id: String,
    title: String,
    /// Of its file.
    name: String,
    path: String,
    revision: u32,
    /// Of the bytes that are shown.
    text_hash: Hash,
    short_hash: String,
    line_count: usize,
    /// `html` and `outline`.
    #[serde(flatten)]
    rendered: Arc<RenderedPlan>,
    steps: Vec<PlanStep>,
    options: Vec<OfferView>,
    facts: FactsView,
    notes: Option<Vec<NoteView>>,
    earlier: Vec<EarlierView>,
    tried: Vec<TriedView>,
    revisions: Vec<RevisionView>,
    /// What changed since the text the person saw last.
    changed: Option<ChangedView>,
    contract: ContractView,
    draft: DraftView,
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OfferView {
    value: &'static str,
    label: &'static str,
    leads_to: fore_plan::Mode,
    meaning: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FactsView {
    agent: Option<String>,
    hidden: Option<String>,
    proof: String,
    proof_paths: Vec<String>,
    is_proof_clean: bool,
    moved: Vec<MovedView>,
    context: String,
    cost: Option<String>,
}

#[derive(Serialize)]
struct MovedView {
    text: String,
    diff: String,
}

#[derive(Serialize)]
pub(crate) struct NoteView {
    line: Option<usize>,
    severity: &'static str,
    text: String,
}

#[derive(Serialize)]
struct EarlierView {
    first: u32,
    last: u32,
    /// Where the quoted lines stand now.
    now: Option<u32>,
    quote: String,
    remark: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TriedView {
    command: String,
    ended: String,
    is_fine: bool,
    would_change: Vec<String>,
}

#[derive(Serialize)]
struct RevisionView {
    number: u32,
    hash: String,
    author: String,
    at: u64,
}

#[derive(Serialize)]
struct ChangedView {
    added: usize,
    removed: usize,
    html: String,
}

/// What would be granted, and what became of it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ContractView {
    /// None for the plan of an agent, which grants nothing.
    hash: Option<Hash>,
    /// Whether it is that of the text that is shown.
    is_current: bool,
    summary: Option<String>,
    files: Vec<GrantView>,
    commands: Vec<GrantView>,
    added: Vec<AddedView>,
    besides: Option<String>,
    not_granted: Vec<RefusedView>,
}

#[derive(Serialize)]
struct GrantView {
    named: String,
    /// The file or the command.
    shown: String,
    /// What may be done to it, or whom it may reach.
    scope: String,
    line: u32,
    struck: bool,
}

#[derive(Serialize)]
struct AddedView {
    entry: String,
    text: Option<String>,
    why: Option<String>,
}

#[derive(Serialize)]
struct RefusedView {
    named: String,
    line: u32,
    why: &'static str,
}

/// The draft as all front ends share it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DraftView {
    pub(crate) version: u64,
    text_hash: Hash,
    is_edited: bool,
    edited: Option<ChangedCounts>,
    note: String,
    comments: Vec<CommentView>,
    unsent: String,
}

#[derive(Serialize)]
struct ChangedCounts {
    added: usize,
    removed: usize,
}

#[derive(Serialize)]
struct CommentView {
    first: u32,
    last: u32,
    text: String,
    html: String,
    quote: String,
    is_draft: bool,
    anchor: &'static str,
    /// What it would change, as a difference.
    suggestion: Option<String>,
}

pub(crate) fn page(live: &mut LiveReview, revisions: &[KeptRevision]) -> PageView {
    let rendered = live.draft.rendered();
    let live = &*live;
    let request = &live.asked.request;
    let text = live.draft.text();
    let name = request.plan_file_path.rsplit('/').next().unwrap_or_default();
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name);
    PageView {
        kind: "review",
        agent_id: request.agent_id.clone(),
        title: one_line(title),
        name: one_line(name),
        path: one_line(&request.plan_file_path),
        revision: request.revision,
        text_hash: live.draft.hash(),
        short_hash: live.draft.hash().short(),
        line_count: text.lines().count(),
        rendered,
        steps: steps(text),
        options: request.options.iter().map(offer).collect(),
        facts: facts(live),
        notes: notes(live),
        earlier: live.asked.earlier_comments.iter().take(MAX_LISTED).map(|comment| earlier(comment, text)).collect(),
        tried: tried(live),
        revisions: revisions.iter().rev().take(MAX_LISTED).map(revision).collect(),
        changed: changed(live),
        contract: contract(live),
        draft: draft(live),
        text: text.to_owned(),
    }
}

fn one_line(text: &str) -> String {
    fore_text::line(&fore_text::cut::one_line(text)).into_owned()
}

fn prose(text: &str) -> String {
    match fore_text::prose(text) {
        Cow::Borrowed(same) => same.to_owned(),
        Cow::Owned(marked) => marked,
    }
}

fn offer(offer: &Offer) -> OfferView {
    let meaning = match ChoiceMeaning::of(offer.value) {
        ChoiceMeaning::Approve => "approve",
        ChoiceMeaning::KeepPlanning => "keep",
        ChoiceMeaning::WithoutWords => "other",
    };
    OfferView { value: offer.value.word(), label: offer.value.label(offer.leads_to), leads_to: offer.leads_to, meaning }
}

fn facts(live: &LiveReview) -> FactsView {
    let asked = &live.asked;
    FactsView {
        agent: asked.agent.as_ref().map(|_| one_line(&asked.agent_task)),
        hidden: fore_text::notice(fore_text::marks(live.draft.text(), fore_text::TextKind::Prose)),
        proof: one_line(&asked.proof.line),
        proof_paths: asked.proof.paths.iter().map(|path| one_line(path)).collect(),
        is_proof_clean: asked.proof.changed == 0 && !asked.proof.incomplete,
        moved: asked
            .moved
            .iter()
            .take(MAX_LISTED)
            .map(|file| MovedView { text: one_line(&file.to_string()), diff: difference::of_unified(&file.diff) })
            .collect(),
        context: context_words(asked.context),
        cost: live.cost.map(|dollars| format!("${dollars:.2} so far")),
    }
}

/// `context 62 % full, 124k tokens`
fn context_words(context: ContextUse) -> String {
    let about = if context.estimated { "about " } else { "" };
    let tokens = match context.tokens {
        tokens @ 0..1_000 => tokens.to_string(),
        tokens => format!("{}k", tokens / 1_000),
    };
    match context.window.filter(|window| *window > 0) {
        Some(window) => {
            let share = context.tokens.saturating_mul(100) / window;
            format!("context {about}{share} % full, {tokens} tokens")
        }
        None => format!("context {about}{tokens} tokens"),
    }
}

/// None until they are known.
pub(crate) fn notes(live: &LiveReview) -> Option<Vec<NoteView>> {
    let word = |severity| match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Serious => "serious",
    };
    let view = |note: &fore_plan::plan::CheckNote| NoteView {
        line: note.line,
        severity: word(note.severity),
        text: one_line(&note.sentence),
    };
    live.notes.as_ref().map(|notes| notes.iter().take(MAX_LISTED).map(view).collect())
}

fn earlier(comment: &Comment, text: &str) -> EarlierView {
    let found = find_quote(text, comment.quote.trim_end_matches('\n'), comment.first_line);
    EarlierView {
        first: comment.first_line,
        last: comment.last_line,
        now: found.map(|(first, _)| first),
        quote: prose(&comment.quote),
        remark: prose(&comment.remark),
    }
}

fn tried(live: &LiveReview) -> Vec<TriedView> {
    let view = |tried: &fore_store::entry::Rehearsal| TriedView {
        command: one_line(&tried.command),
        ended: one_line(&tried.ended),
        is_fine: tried.exit_code == Some(0),
        would_change: tried.would_change.iter().take(MAX_TRIED_LINES).map(|line| one_line(line)).collect(),
    };
    live.asked.rehearsals.iter().take(MAX_LISTED).map(view).collect()
}

fn revision(kept: &KeptRevision) -> RevisionView {
    let author = serde_json::to_value(kept.author).ok();
    let author = author.and_then(|author| author.as_str().map(str::to_owned)).unwrap_or_default();
    RevisionView { number: kept.number, hash: kept.hash.short(), author, at: kept.at.0 }
}

fn changed(live: &LiveReview) -> Option<ChangedView> {
    let seen = live.asked.seen.as_deref()?;
    let difference = diff(seen, live.draft.text());
    let html = difference::between(seen, live.draft.text());
    (!html.is_empty()).then_some(ChangedView { added: difference.added, removed: difference.removed, html })
}

pub(crate) fn contract(live: &LiveReview) -> ContractView {
    let shown = &live.contract;
    let grants = &live.draft.review().grants;
    let Contract { files, commands, not_granted, .. } = &shown.contract;
    let file = |grant: &fore_plan::contract::FileGrant| GrantView {
        named: grant.path.clone(),
        shown: one_line(&match grant.shape {
            PathShape::File | PathShape::Glob => grant.path.clone(),
            PathShape::Folder => format!("{}/", grant.path),
        }),
        scope: match &grant.change {
            PlannedChange::New => "new".to_owned(),
            PlannedChange::Change => "change".to_owned(),
            PlannedChange::Delete => "delete".to_owned(),
            PlannedChange::Move { to } => one_line(&format!("move to {to}")),
        },
        line: grant.line,
        struck: grants.struck_files.contains(&grant.path),
    };
    let command = |grant: &fore_plan::contract::CommandGrant| GrantView {
        named: grant.command.clone(),
        // Where a line of it ends is seen: behind a `#` the next one is no remark.
        shown: one_line(&format!("$ {}", grant.command.replace('\n', " \\n "))),
        scope: match grant.hosts.as_slice() {
            [] => "no network".to_owned(),
            hosts => one_line(&format!("may reach {}", hosts.join(", "))),
        },
        line: grant.line,
        struck: grants.struck_commands.contains(&grant.command),
    };
    let added = |entry: String| {
        let read = shown.added.get(&entry);
        let file = read.and_then(|contract| contract.files.first()).map(ToString::to_string);
        let command = || read.and_then(|contract| contract.commands.first()).map(ToString::to_string);
        let why = read.and_then(|contract| contract.not_granted.first()).map(|refused| refused.why.words().to_owned());
        AddedView { text: file.or_else(command).map(|words| one_line(&words)), why, entry }
    };
    let refused = |refused: &fore_plan::contract::NotGranted| RefusedView {
        named: one_line(&refused.named),
        line: refused.line,
        why: refused.why.words(),
    };
    ContractView {
        hash: live.asked.agent.is_none().then_some(shown.hash),
        is_current: shown.plan == live.draft.hash(),
        summary: shown.contract.summary(),
        files: files.iter().map(file).collect(),
        commands: commands.iter().map(command).collect(),
        added: grants.added_as_typed().into_iter().map(added).collect(),
        besides: shown.contract.besides(),
        not_granted: not_granted.iter().map(refused).collect(),
    }
}

pub(crate) fn draft(live: &LiveReview) -> DraftView {
    let review = live.draft.review();
    let edited = review.edited.as_ref().map(|text| {
        let difference = diff(live.draft.proposed(), text);
        ChangedCounts { added: difference.added, removed: difference.removed }
    });
    DraftView {
        version: live.draft.version(),
        text_hash: live.draft.hash(),
        is_edited: edited.is_some(),
        edited,
        note: review.note.clone(),
        comments: review.remarks.iter().map(comment).collect(),
        unsent: unsent_words(live),
    }
}

fn comment(remark: &UnsentComment) -> CommentView {
    let UnsentComment { comment, state, anchor } = remark;
    let suggestion = SuggestedText::of(&comment.remark);
    let words = suggestion.as_ref().map_or(&comment.remark, |suggestion| &suggestion.rest);
    CommentView {
        first: comment.first_line,
        last: comment.last_line,
        text: comment.remark.clone(),
        html: markdown::render_comment(words),
        quote: prose(&comment.quote),
        is_draft: *state == CommentState::Draft,
        anchor: match anchor {
            Anchor::Same => "same",
            Anchor::LineChanged => "changed",
            Anchor::OlderText => "older",
        },
        suggestion: suggestion.map(|suggestion| difference::of_lines(&comment.quote, &suggestion.text)),
    }
}

/// `2 comments and a note`; empty if nothing was written.
pub(crate) fn unsent_words(live: &LiveReview) -> String {
    let review = live.draft.review();
    let comments = match review.remarks.len() {
        0 => None,
        count => Some(fore_text::count(count, "comment")),
    };
    let note = (!review.note.trim().is_empty()).then(|| "a summary".to_owned());
    comments.into_iter().chain(note).collect::<Vec<_>>().join(" and ")
}
