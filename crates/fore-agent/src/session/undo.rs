//! The person takes back what the agent changed: what would happen is shown, they say yes, and the model hears of it. While planning
//! no file changes, also not by this.

use super::{
    call::judge::permit_taken_back,
    drive::Driver,
    person::pending_questions::{AnswerKind, GivenAnswer},
    session_context::SessionContext,
};
use crate::{
    command::{FormAnswer, QuestionId},
    event::{Event, NoticeLevel},
    form::{Form, FormQuestion, OfferQuestion},
    undo::{UndoDirection, UndoDone, UndoPlan, Undoer, quoted, reminder},
};
use fore_plan::{approval::Reachable, gate};
use std::sync::Arc;

/// Prompts that are offered to go back to.
const MAX_OFFERED: usize = 4;

const LEAVE: &str = "Leave everything as it is";

/// What an offer to undo can be answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UndoAnswer {
    Undo,
    /// What the person changed since, too.
    ChangedToo,
    Leave,
}

/// What goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GoingBack {
    WordsAndFiles,
    Files,
    Words,
}

impl SessionContext {
    /// A turn begins: what is changed from now on belongs to it. The first that may change something also begins to keep what commands
    /// could change, beside everything else.
    pub(super) fn begin_undo_turn(self: &Arc<Self>, prompt: &str) {
        let undo = &self.work.undo;
        undo.begin_turn(prompt);
        if gate::may_take_back(&self.ledger.state()).is_ok() && undo.is_first() {
            let context = Arc::clone(self);
            drop(self.setup.runtime.spawn_blocking(move || {
                let opener = context.setup.opener(&context.ledger.state());
                context.work.undo.prepare(&opener, &|| context.person.is_closing());
            }));
        }
    }

    fn with_undoer<T>(&self, work: impl FnOnce(&Undoer<'_>) -> T) -> Result<T, String> {
        let undoer = Undoer {
            folder: self.work.undo.folder()?,
            project: &self.setup.project,
            opener: self.setup.opener(&self.ledger.state()),
            session: Some(self.work.undo.session()),
            objects: &|names| self.setup.probe.blobs(&self.setup.project, names),
            permit: &|action| permit_taken_back(self, action)?.present(&self.ledger.state()),
        };
        Ok(work(&undoer))
    }
}

/// `/undo` and `/redo`.
pub(super) async fn undo(context: &Arc<SessionContext>, direction: UndoDirection, turns: usize) {
    if let Err(why) = undone(context, direction, turns).await {
        context.person.notice(NoticeLevel::Warning, why);
    }
}

async fn undone(context: &Arc<SessionContext>, direction: UndoDirection, turns: usize) -> Result<(), String> {
    gate::may_take_back(&context.ledger.state()).map_err(|refusal| {
        let (why, way_out) = refusal.for_person();
        format!("{why} {way_out}")
    })?;
    let there = Arc::clone(context);
    let planning = move || {
        let opener = there.setup.opener(&there.ledger.state());
        there.work.undo.settle(&opener);
        there.with_undoer(|undoer| undoer.plan(direction, turns))
    };
    let plan = tokio::task::spawn_blocking(planning).await.map_err(|error| error.to_string())???;
    context.person.events.send(Event::UndoShown { text: plan.page(&context.setup.project), plan: plan.clone() });
    let (ready, changed) = plan.counts();
    if ready + changed == 0 {
        return Ok(());
    }
    if context.person.reachable() == Reachable::Nobody {
        return Err("Nobody can be asked here, so nothing was changed; `fore undo --yes` does it.".to_owned());
    }
    let offer = question(&plan);
    let answers = ask(context, vec![offer.asked()]).await;
    let also_changed = match offer.meant(answers.first()) {
        Some(UndoAnswer::Undo) => false,
        Some(UndoAnswer::ChangedToo) => true,
        Some(UndoAnswer::Leave) | None => {
            context.person.notice(NoticeLevel::Info, "Nothing was changed.");
            return Ok(());
        }
    };
    // The mode may have changed while the question was open; the permits say so, file by file.
    let there = Arc::clone(context);
    let putting = move || there.with_undoer(|undoer| undoer.apply(&plan, also_changed));
    let done = tokio::task::spawn_blocking(putting).await.map_err(|error| error.to_string())??;
    tell(context, direction, &done);
    Ok(())
}

fn tell(context: &SessionContext, direction: UndoDirection, done: &UndoDone) {
    let text = done.words(direction, &context.setup.project);
    context.person.notice(NoticeLevel::Info, text);
    context.person.events.send(Event::Undone { direction, files: done.clone() });
    context.work.undo.close_turn();
    if done.done.is_empty() {
        return;
    }
    context.forget_what_was_read();
    context.person.prompts().remind(reminder(direction, &done.done));
}

fn first_label(plan: &UndoPlan) -> String {
    let (ready, _) = plan.counts();
    let verb = match plan.direction {
        UndoDirection::Undo => "Undo",
        UndoDirection::Redo => "Redo",
    };
    format!("{verb} {}", fore_text::count_as(ready, "file", "files"))
}

fn option<T>(label: &str, description: &str, meaning: T) -> (String, String, T) {
    (label.to_owned(), description.to_owned(), meaning)
}

fn question(plan: &UndoPlan) -> OfferQuestion<UndoAnswer> {
    let (ready, changed) = plan.counts();
    let mut options = Vec::new();
    if ready > 0 {
        let words = "Nothing is lost: what is there now is kept and can be brought back.";
        options.push(option(&first_label(plan), words, UndoAnswer::Undo));
    }
    if changed > 0 {
        let files = fore_text::count_as(changed, "file", "files");
        let words = format!("Your own changes of {files} go too; /redo brings them back.");
        options.push(option("Also those that I changed", &words, UndoAnswer::ChangedToo));
    }
    options.push(option(LEAVE, "", UndoAnswer::Leave));
    OfferQuestion::new("Undo", plan.question(), options)
}

/// The answers to an offer; none if it was left.
async fn ask(context: &SessionContext, questions: Vec<FormQuestion>) -> Vec<FormAnswer> {
    let cancel = context.work.new_turn();
    if context.person.is_closing() {
        return Vec::new();
    }
    let id = QuestionId(format!("undo-{}", context.work.next_call().0));
    let Some(receiver) = context.person.questions.open(id.clone(), AnswerKind::Form) else { return Vec::new() };
    let form = Form { questions, is_offer: true };
    context.person.events.send(Event::FormAsked { question: id.clone(), form });
    let given = context.person.questions.answer(&id, receiver, &cancel).await;
    context.person.questions.close(&id);
    context.person.events.send(Event::QuestionClosed { question: id });
    match given {
        Some(GivenAnswer::Form(answers)) => answers,
        Some(GivenAnswer::Reply(_) | GivenAnswer::Confirmed(_) | GivenAnswer::Approval(_)) | None => Vec::new(),
    }
}

/// `/rewind`: how far back, and what goes back.
pub(super) async fn go_back(driver: &mut Driver) {
    let context = Arc::clone(&driver.context);
    let prompts = context.work.undo.prompts();
    if prompts.is_empty() || context.person.reachable() == Reachable::Nobody {
        return driver.rewind();
    }
    let offered = (1..).zip(prompts.iter().rev()).take(MAX_OFFERED);
    let mut options: Vec<(String, String, usize)> =
        offered.map(|(number, (_, prompt))| option(&format!("{number}. {}", quoted(prompt)), "", number)).collect();
    if options.len() == 1 {
        options.push(option(LEAVE, "", 0));
    }
    let how_far = OfferQuestion::new("Prompt", "Go back to before which prompt?".to_owned(), options);
    let options = vec![
        option("Words and files", "The model forgets it, and the files are as they were.", GoingBack::WordsAndFiles),
        option("Files", "Only the files; the conversation stays.", GoingBack::Files),
        option("Words", "Only the conversation; the files stay.", GoingBack::Words),
    ];
    let what = OfferQuestion::new("What", "What goes back?".to_owned(), options);
    let answers = ask(&context, vec![how_far.asked(), what.asked()]).await;
    let count = how_far.meant(answers.first()).filter(|count| *count > 0);
    let (Some(count), Some(what)) = (count, what.meant(answers.get(1))) else {
        return context.person.notice(NoticeLevel::Info, "Nothing was changed.");
    };
    let (goes_words, goes_files) = match what {
        GoingBack::WordsAndFiles => (true, true),
        GoingBack::Files => (false, true),
        GoingBack::Words => (true, false),
    };
    if goes_files {
        let since = prompts.iter().rev().nth(count - 1).map_or(u64::MAX, |(at, _)| *at);
        let there = Arc::clone(&context);
        let count = move || {
            let turns = there.with_undoer(|undoer| undoer.prompts(UndoDirection::Undo)).unwrap_or_default();
            turns.iter().take_while(|(at, _)| *at >= since).count()
        };
        match tokio::task::spawn_blocking(count).await.unwrap_or(0) {
            0 => context.person.notice(NoticeLevel::Info, "No file was changed since then."),
            turns => undo(&context, UndoDirection::Undo, turns).await,
        }
    }
    if goes_words {
        for _ in 0..count {
            driver.rewind();
            context.work.undo.forget_prompt();
        }
    }
}
