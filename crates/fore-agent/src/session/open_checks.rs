//! Checks that the plan names and nobody ran since the last change: run by the program itself, like every other call, once the
//! person says so, or at the end of a run that has nobody to ask. None is run twice by itself.

use super::{
    call,
    caller::CallerContext,
    person::{pending_questions::AnswerKind, pending_questions::GivenAnswer, prompts::TypedReport},
    session_context::SessionContext,
    toolbox::Toolbox,
};
use crate::{
    cancel::Cancel,
    command::QuestionId,
    event::{Event, NoticeLevel},
    form::{Form, OfferQuestion},
    turn::Slot,
};
use fore_model::{Arguments, ResultPart, ToolUse};
use fore_plan::{
    ToolName,
    approval::Reachable,
    reminder::defuse_str,
    report::{CommandOutcome, Report},
};
use fore_text::{count_as, cut};
use serde_json::json;
use std::sync::Arc;

/// Checks that are run at once, and that are named in the question.
const MAX_CHECKS: usize = 20;
const MAX_NAMED: usize = 5;
const MAX_NAME_CHARS: usize = 80;
/// How long one of them may take.
const MAX_CHECK_MS: u64 = 600_000;

/// Programs that only look.
const LOOKING: [&str; 10] = ["cat", "cmp", "diff", "grep", "head", "ls", "rg", "tail", "test", "wc"];
/// Parts of words by which a command says that it checks something.
const CHECKING: [&str; 34] = [
    "build",
    "check",
    "checks",
    "clippy",
    "compile",
    "ctest",
    "cypress",
    "eslint",
    "flake8",
    "jest",
    "lint",
    "mocha",
    "mypy",
    "nextest",
    "nox",
    "phpstan",
    "phpunit",
    "playwright",
    "pylint",
    "pyright",
    "pytest",
    "rspec",
    "rubocop",
    "shellcheck",
    "stylelint",
    "test",
    "tests",
    "tox",
    "tsc",
    "typecheck",
    "unittest",
    "validate",
    "verify",
    "vitest",
];
/// Parts of words by which it says that it does more.
const CHANGING: [&str; 23] = [
    "accept", "bless", "bump", "clean", "delete", "deploy", "drop", "exec", "fix", "force", "install", "migrate",
    "publish", "purge", "release", "remove", "reset", "rm", "seed", "update", "upgrade", "wipe", "write",
];

/// Who says whether open checks are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckRunning {
    /// The person is asked; where nobody can be, they are named.
    Asked,
    /// Those that say by their name that they check are run without a question: the approval covers them. Of any other nobody knows
    /// whether it is to be run once more, or only if something happens; it is named.
    AtTheEnd,
}

/// The end of the work, or a report that was asked for: what is open is offered, and once it has run the report is made again.
/// `left`: words of the person came meanwhile, so the question has become void.
pub(super) async fn report(context: &Arc<SessionContext>, toolbox: &Arc<Toolbox>, left: &Cancel) {
    let runs_by_itself = context.setup.check_running == CheckRunning::AtTheEnd;
    let Some(first) = made(context, !runs_by_itself).await else { return };
    let (open, left_out): (Vec<String>, Vec<String>) =
        open(context, &first).into_iter().partition(|command| !runs_by_itself || says_it_checks(command));
    if !left_out.is_empty() {
        named(context, &left_out);
    }
    let is_wanted = if open.is_empty() {
        false
    } else if runs_by_itself {
        true
    } else if context.person.reachable() == Reachable::Nobody {
        named(context, &open);
        false
    } else {
        is_wanted(context, &first, &open, left).await
    };
    if is_wanted {
        run_all(context, toolbox, &open).await;
    }
    if is_wanted || runs_by_itself {
        made(context, true).await;
    }
}

/// The report as it is now, shown or not.
async fn made(context: &Arc<SessionContext>, is_shown: bool) -> Option<Report> {
    let there = Arc::clone(context);
    let work = move || if is_shown { there.tell_report() } else { there.plan_report() };
    tokio::task::spawn_blocking(work).await.ok().flatten()
}

/// Its open checks, as long as the plan covers them.
fn open(context: &SessionContext, report: &Report) -> Vec<String> {
    if context.ledger.state().contract().is_none() {
        return Vec::new();
    }
    report.open_checks().into_iter().take(MAX_CHECKS).map(str::to_owned).collect()
}

/// Whether each of its commands only looks or says that it checks, and none says that it does more.
fn says_it_checks(command: &str) -> bool {
    !command.contains([';', '|', '>', '\n', '`', '$'])
        && command.split("&&").map(str::trim).all(|part| part.starts_with("cd ") || is_check(part))
}

/// The same of a single one.
fn is_check(command: &str) -> bool {
    let mut words = command.split_whitespace();
    if words.next().is_some_and(|program| LOOKING.contains(&program)) {
        return true;
    }
    let parts = || command.split(|letter: char| !letter.is_ascii_alphanumeric());
    let is_short = |word: &str| matches!(word, "-u" | "-w" | "-i");
    parts().any(|part| CHECKING.contains(&part))
        && !parts().any(|part| CHANGING.contains(&part))
        && !words.any(is_short)
}

fn names(open: &[String]) -> String {
    let names: Vec<String> = open
        .iter()
        .take(MAX_NAMED)
        .map(|command| format!("`{}`", cut::ellipsis(&cut::one_line(command), MAX_NAME_CHARS)))
        .collect();
    let more = open.len().saturating_sub(MAX_NAMED);
    if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
}

/// Nobody can be asked.
fn named(context: &SessionContext, open: &[String]) {
    let checks = count_as(open.len(), "check of the plan was", "checks of the plan were");
    context.person.notice(NoticeLevel::Info, format!("{checks} not run after the last change: {}.", names(open)));
}

/// Its options mean: are they run?
fn offer(report: &Report, open: &[String]) -> OfferQuestion<bool> {
    let is_stale = report.commands.iter().any(|command| matches!(command.outcome, CommandOutcome::Stale { .. }));
    let when = if is_stale { "were not run after the last change" } else { "were not run" };
    let checks = match open.len() {
        1 => format!("Run the check that {}?", when.replace("were", "was")),
        number => format!("Run the {number} checks that {when}?"),
    };
    let option = |label: &str, description: &str, runs: bool| (label.to_owned(), description.to_owned(), runs);
    let options = vec![
        option("Run now", "In the sandbox, as any command of the plan. The report is made again.", true),
        option("Not now", "The report stays as it is.", false),
    ];
    OfferQuestion::new("Checks", format!("{checks} {}", names(open)), options)
}

/// Whether the person wants them run. Anything but a clear yes is a no.
async fn is_wanted(context: &SessionContext, report: &Report, open: &[String], left: &Cancel) -> bool {
    if context.person.prompts().has_waiting() {
        return false;
    }
    let cancel = context.work.new_turn();
    // Whoever left before that stopped another one.
    if context.person.is_closing() {
        return false;
    }
    let id = QuestionId(format!("checks-{}", context.work.next_call().0));
    let Some(receiver) = context.person.questions.open(id.clone(), AnswerKind::Form) else { return false };
    let offer = offer(report, open);
    let form = Form { questions: vec![offer.asked()], is_offer: true };
    context.person.events.send(Event::FormAsked { question: id.clone(), form });
    let given = tokio::select! {
        biased;
        () = left.cancelled() => None,
        given = context.person.questions.answer(&id, receiver, &cancel) => given,
    };
    context.person.questions.close(&id);
    context.person.events.send(Event::QuestionClosed { question: id });
    match given {
        Some(GivenAnswer::Form(answers)) => offer.meant(answers.first()) == Some(true),
        Some(GivenAnswer::Reply(_) | GivenAnswer::Confirmed(_) | GivenAnswer::Approval(_)) | None => false,
    }
}

/// One after the other, from the project folder, through the gate. The model hears what came of them with the next prompt.
async fn run_all(context: &Arc<SessionContext>, toolbox: &Arc<Toolbox>, open: &[String]) {
    let cancel = context.work.new_turn();
    let folder = context.work.folder.get();
    for command in open {
        if cancel.is_cancelled() || context.person.is_closing() {
            break;
        }
        context.work.folder.set(context.setup.project.clone());
        let caller = Arc::new(CallerContext::main(cancel.clone()));
        let id = context.work.next_call();
        let input = json!({ "command": command, "timeout_ms": MAX_CHECK_MS });
        let call = ToolUse {
            id: id.0.clone(),
            name: ToolName::Bash.name().to_owned(),
            arguments: Arguments::Ok(input),
            seal: None,
        };
        let slot = Slot { slot: 0, call };
        let done = call::run(Arc::clone(context), caller, Arc::clone(toolbox), id, (slot, None)).await;
        let output: String = done
            .result
            .content
            .iter()
            .map(|piece| match piece {
                ResultPart::Text(text) => text.as_str(),
                ResultPart::Image(_) => "",
            })
            .collect();
        let text = format!("The program ran the plan's check `{}` itself:\n{output}", defuse_str(command));
        context.person.prompts().remark(TypedReport { text, shown: done.record });
    }
    context.work.folder.set(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_says_that_it_checks_is_run_without_a_question() {
        let checks = "cargo test\ncargo clippy --all-targets\nnpm run test:e2e\ncd web && npm run lint\nsh check.sh\npython3 -m unittest\n\
            cargo fmt --check\ngrep -q fix src/cart.rs\nnpx tsc --noEmit\nmake test";
        let others = "cargo fmt\n./bump.sh\nnpm version patch\nfind . -name '*.py' -delete\nfind build -delete\nnpm run lint:fix\n\
            npx eslint --fix src\n./reset-tests.sh\nmake test clean\nmake test; rm x\nnpx prettier -w tests\nsed -i s/a/b/ test.py\n\
            cargo test && ./deploy.sh\nnpx prisma db push --force-reset\npython3 manage.py makemigrations\ncat x > test\ntest -f `x`";
        for command in checks.lines().map(str::trim) {
            assert!(says_it_checks(command), "{command}");
        }
        for command in others.lines().map(str::trim) {
            assert!(!says_it_checks(command), "{command}");
        }
    }
}
