//! More for the plan that is carried out, because the person said so: written to its file, recorded with a receipt, told.

use super::{now, plan_reader::PlanReader, record_all};
use crate::{
    cancel::Cancel,
    event::{NoticeLevel, ShownBody, ShownCall},
    session::{ledger::changed_since, session_context::SessionContext},
};
use fore_plan::{
    approval::{
        Decider,
        amend::{Amendment, PlanAddition, amend},
    },
    contract::{CommandGrant, Contract, FileGrant, PathShape},
    plan::Author,
};
use std::sync::Arc;

const MAX_NAMED_CHARS: usize = 200;

/// What the plan would become, or why it cannot. Nothing is changed. Call it where blocking is allowed.
pub(crate) fn prepare(
    context: &Arc<SessionContext>,
    addition: &PlanAddition,
    cancel: &Cancel,
) -> Result<Amendment, String> {
    let state = context.ledger.state();
    let approved = state.plan().and_then(|plan| plan.receipt.as_ref()).map(|receipt| receipt.hash);
    let text = context.ledger.plan_text(approved).ok_or("the approved text of the plan is lost")?;
    let reader = PlanReader::here(context, cancel);
    let by = Decider::Person { via: context.setup.via.clone() };
    let nonce = uuid::Uuid::now_v7().to_string();
    amend(&state, &text, addition, (by, now(), &nonce), &|text| reader.read(context, text))
}

/// Makes it so, if it is what the person said yes to. They are told; whoever asked gets the error.
pub(crate) fn add(context: &Arc<SessionContext>, amendment: Amendment) -> Result<String, String> {
    let named = granted_words(&amendment.added);
    context.ledger.save_plan(Author::Person, &amendment.text).map_err(|error| error.to_string())?;
    record_all(context, amendment.changes)?;
    context.person.notice(NoticeLevel::Info, format!("Added to the plan: {named}."));
    Ok(named)
}

/// Adds the file or command of one call, and nothing that its name could also be read as.
pub(crate) fn add_call(context: &Arc<SessionContext>, addition: &PlanAddition, cancel: &Cancel) -> Result<(), String> {
    let amendment = prepare(context, addition, cancel)?;
    if !addition.is_taken_literally(&amendment.added) {
        return Err("its name could be read as something else".into());
    }
    add(context, amendment).map(drop)
}

/// The same for the person who is asked: the plan as it is, what is added to it, and what that grants. Whom it would reach is shown to the
/// last host, or nobody is asked.
pub(crate) fn shown(context: &SessionContext, path: String, to: &Amendment) -> Result<ShownCall, String> {
    let reaching = to.added.commands.iter().filter(|grant| !grant.hosts.is_empty()).map(command_words);
    if reaching.collect::<Vec<_>>().join(", ").chars().count() > MAX_NAMED_CHARS {
        return Err("these commands reach more hosts than one question can show; ask for fewer of them at once".into());
    }
    let approved = context.ledger.state().plan().and_then(|plan| plan.receipt.as_ref().map(|receipt| receipt.hash));
    let diff = changed_since(context.ledger.plan_text(approved).as_deref(), &to.text);
    Ok(ShownCall { line: granted_words(&to.added), body: ShownBody::Diff { path, diff } })
}

/// What is granted, in one line, and first of all what reaches somebody: `npm ci` (may reach registry.npmjs.org), docs/cart.md
fn granted_words(added: &Contract) -> String {
    let file = |grant: &FileGrant| match grant.shape {
        PathShape::File | PathShape::Glob => grant.path.clone(),
        PathShape::Folder => format!("{}/", grant.path),
    };
    let (reaching, others): (Vec<&CommandGrant>, Vec<&CommandGrant>) =
        added.commands.iter().partition(|grant| !grant.hosts.is_empty());
    let commands = |grants: Vec<&CommandGrant>| grants.into_iter().map(command_words).collect::<Vec<_>>();
    let files = added.files.iter().map(file).collect();
    let all = [commands(reaching), files, commands(others)].concat();
    fore_text::cut::ellipsis(&all.join(", "), MAX_NAMED_CHARS).into_owned()
}

fn command_words(grant: &CommandGrant) -> String {
    let command = fore_text::cut::one_line(&grant.command);
    match grant.hosts.as_slice() {
        [] => format!("`{command}`"),
        hosts => format!("`{command}` (may reach {})", hosts.join(", ")),
    }
}

/// What a call would add, in one line.
pub(crate) fn named(addition: &PlanAddition) -> String {
    let commands = addition.commands.iter().map(|command| format!("`{}`", fore_text::cut::one_line(command)));
    let all: Vec<String> = addition.files.iter().cloned().chain(commands).collect();
    fore_text::cut::ellipsis(&all.join(", "), MAX_NAMED_CHARS).into_owned()
}
