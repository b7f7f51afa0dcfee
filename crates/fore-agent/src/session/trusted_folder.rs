//! What follows when a person trusts the folder of a session that runs, or trusts it no longer.

use super::session_context::SessionContext;
use crate::event::NoticeLevel;
use fore_plan::{Actor, Change, Mode, Openings};

/// What the session may use at all changes with it, so the modes that are open now are told; a level that has closed is
/// left, which is an event of its own.
pub(super) fn trust_folder(context: &SessionContext, trusted: bool) {
    let openings = Openings { folder_trusted: trusted, ..*context.ledger.state().openings() };
    context.must_record(Change::Openings { openings, by: Actor::Person });
    if !trusted {
        context.setup.held.end_turn();
    }
    let state = context.ledger.state();
    let open = Mode::ALL.into_iter().filter(|mode| match mode {
        Mode::Plan => true,
        Mode::At(level) => state.may_use(*level),
    });
    let names: Vec<&str> = open.map(Mode::name).collect();
    let is_trusted = if trusted { "is trusted" } else { "is not trusted" };
    let text = format!("This folder {is_trusted} in this session; the modes are {}.", names.join(", "));
    context.person.notice(NoticeLevel::Info, text);
}
