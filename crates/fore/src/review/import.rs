//! `fore review import`: comments that somebody wrote in an exported plan, put beside those that are not sent yet. It answers nothing.

use crate::{console::Console, headless::launch, regular_file};
use anyhow::{Context, bail};
use fore_plan::plan::Hash;
use fore_review::{CommentFile, MAX_COMMENT_FILE_BYTES};
use fore_store::{Home, SessionId, plan_list, session, unsent_review};
use std::{io::Read, path::Path, process::ExitCode};

/// Sessions among which the plan is looked for.
const MAX_LOOKED_AT: usize = 200;

pub(super) fn run(path: &Path) -> anyhow::Result<ExitCode> {
    let file = read(path)?;
    let home = crate::environment::own_home()?;
    let (session, shown) = asks_about(&home, file.plan)?;
    if let Some(holder) = session::holder(&home, session)? {
        bail!(
            "the plan is open in {holder}; take the file in on its page (`b` in the approval dialog, then \"Import comments…\"), or end it first"
        );
    }
    let text = |hash| plan_list::revision_text(&home, hash)?.context("the text of the plan is lost");
    let (about, shown) = (text(file.plan)?, text(shown)?);
    let before = unsent_review::read(&home, session)?;
    let (draft, new) = file.into_draft(&about, &shown, before);
    unsent_review::write(&home, session, &draft)?;
    let mut screen = Console::stderr();
    screen.line(format_args!(
        "{} taken in; nothing is sent or approved by that. `fore review` shows them.",
        fore_text::count_as(new, "comment is", "comments are")
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> anyhow::Result<CommentFile> {
    let file = regular_file::open(path).with_context(|| format!("the file {} cannot be read", path.display()))?;
    let mut text = String::new();
    let most = u64::try_from(MAX_COMMENT_FILE_BYTES).unwrap_or(u64::MAX);
    let read = file.take(most.saturating_add(1)).read_to_string(&mut text);
    read.with_context(|| format!("{} is not text", path.display()))?;
    if text.len() > MAX_COMMENT_FILE_BYTES {
        bail!("{} is larger than the {MAX_COMMENT_FILE_BYTES} bytes that comments may have", path.display());
    }
    CommentFile::read(&text).map_err(|why| anyhow::anyhow!("{}: {why}", path.display()))
}

/// The session in which a plan waits that has, or had, these bytes; and the bytes that are asked about now.
fn asks_about(home: &Home, plan: Hash) -> anyhow::Result<(SessionId, Hash)> {
    let folder = launch::here()?;
    for summary in session::list(home, folder.to_str(), MAX_LOOKED_AT)? {
        let Ok(glance) = session::overview(home, summary.session) else { continue };
        let known = glance.plans.iter().rev().find(|one| one.revisions.iter().any(|kept| kept.hash == plan));
        let newest = known.and_then(|one| one.revisions.last());
        if let (true, Some(newest)) = (glance.awaits_approval, newest) {
            return Ok((summary.session, newest.hash));
        }
    }
    bail!("no plan that awaits approval here has the text that these comments are about")
}
