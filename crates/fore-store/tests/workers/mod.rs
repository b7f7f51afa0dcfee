//! What the other processes of the fault tests do.

mod disk;

use crate::support::{human, places, start};
use fore_plan::{
    Level, Mode, Openings,
    plan::{Author, Hash, Slug},
};
use fore_store::{
    Claim, FoldReport, Home, Result, Session, SessionId,
    audit::{AuditDecider, AuditLine, AuditLog, AuditOutcome, AuditSubject, Audited, Ruling},
    session::{PlanOnResume, Resumed, random_slugs, resume},
};
use std::{
    io::{BufRead, Write},
    path::Path,
};

/// Names that one session tries.
const NAMES: u64 = 10;
/// Steps that one session takes.
const STEPS: usize = 60;
/// Two of each kind, for the test that ends a process before each single change.
const FEW_STEPS: usize = 8;

pub(crate) fn run(arguments: &[String]) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["steps", home, project] => {
            take_steps(home, project, STEPS).unwrap();
        }
        ["few-steps", home, project] => {
            take_steps(home, project, FEW_STEPS).unwrap();
        }
        ["limited", home, project, limit] => {
            // The home is made before the limit holds, as it would be on a disk that fills up later.
            drop(places(Path::new(home), Path::new(project)));
            limit_file_size(limit.parse().unwrap());
            if let Err(error) = take_steps(home, project, STEPS) {
                acknowledge(&error.to_string());
            }
        }
        ["claims", home, project] => claim_on_command(home, project),
        ["claim-only", home] => {
            let home = Home::open(Path::new(home)).unwrap();
            let slug = Slug::from_seed(1);
            let _claim = Claim::take(&home, &slug, SessionId::fresh()).unwrap().unwrap();
            acknowledge(&slug.to_string());
            wait_for_the_end();
        }
        ["open", home, project, session] => open(home, project, session),
        ["audit", home, number, lines] => {
            let home = Home::open(Path::new(home)).unwrap();
            // Small files, so that they are put aside while others write.
            let mut log = AuditLog::open_with(&home, 256 * 1024).unwrap();
            let (session, mode) = (SessionId::fresh(), Mode::At(Level::Default));
            for line in 0..lines.parse::<usize>().unwrap() {
                let subject = format!("{number}:{line} {}", "x".repeat(line % 700));
                log.append(audit_line(session, mode, &subject)).unwrap();
            }
        }
        ["full-disk", ground] => disk::fill(Path::new(ground)),
        ["read-only", ground] => disk::read_only(Path::new(ground)),
        other => panic!("no such worker: {other:?}"),
    }
}

fn audit_line(session: SessionId, mode: Mode, subject: &str) -> AuditLine {
    let about = AuditSubject { action: "execute".into(), subject: subject.into() };
    let what = Audited::Gate(Ruling::new(about, AuditOutcome::Allowed, AuditDecider::Gate));
    AuditLine { at: fore_plan::approval::Timestamp(1), session, mode, what }
}

fn acknowledge(line: &str) {
    println!("{line}");
    std::io::stdout().flush().unwrap();
}

fn wait_for_the_end() {
    let _ = std::io::stdin().lock().lines().next();
}

/// Says after each step that it is done; what was said must be found again.
fn take_steps(home: &str, project: &str, steps: usize) -> Result<()> {
    let places = places(Path::new(home), Path::new(project));
    let mut session = Session::create(&places, Path::new(project), start(false))?;
    acknowledge(&session.id().to_string());
    session.name_plan(random_slugs())?;
    acknowledge("named.");
    for step in 0..steps {
        match step % 4 {
            0 => session.append_message(human(&format!("message {step}")))?,
            1 => {
                let text = plan_text(step);
                session.save_plan(Author::Model, &text)?;
            }
            2 => toggle(&mut session)?,
            _ => session.set_todos(vec![fore_store::entry::Todo {
                text: format!("todo {step}"),
                status: fore_store::entry::TodoStatus::Pending,
            }])?,
        }
        acknowledge(&format!("{step}."));
    }
    Ok(())
}

fn plan_text(step: usize) -> String {
    format!("# Plan of step {step}\n\n{}", "- a line\n".repeat(step))
}

fn toggle(session: &mut Session) -> Result<()> {
    let state = session.state();
    let target =
        if state.pre_plan_mode().is_some() { fore_plan::ModeTarget::Beneath } else { fore_plan::ModeTarget::Plan };
    let change =
        fore_plan::transition(state, target, fore_plan::Actor::Person, fore_plan::ModeReason::Chosen).unwrap().unwrap();
    session.record(change).map(|_| ())
}

/// Everything acknowledged is there; at most one step more.
/// Whether something that had been saved is gone. An interrupted write is not: nobody was told that it was saved.
pub(crate) fn has_lost_entries(report: &FoldReport) -> bool {
    report.broken > 0 || report.torn.is_some_and(|torn| torn.damaged)
}

pub(crate) fn check_steps(session: &Session, resumed: &Resumed, acknowledged: &[String]) {
    let steps: Vec<usize> = acknowledged.iter().filter_map(|line| line.strip_suffix('.')?.parse().ok()).collect();
    let Some(&last) = steps.last() else { return };
    let count = |kind| (0..=last).filter(|step| step % 4 == kind).count();

    let messages = session.conversation().len();
    assert!((count(0)..=count(0) + 1).contains(&messages), "{messages} messages after step {last}");

    let toggles = count(2);
    let planning = |toggles: usize| toggles % 2 == 1;
    let is_planning = session.state().pre_plan_mode().is_some();
    // Only a toggle that may have been under way at the end leaves a doubt.
    let next_is_toggle = (last + 1) % 4 == 2;
    assert!(is_planning == planning(toggles) || next_is_toggle, "planning: {is_planning} after step {last}");
    assert_eq!(*session.state().openings(), Openings::TRUSTED);

    let plan = session.state().plan().unwrap();
    if let Some(saved) = (0..=last).rev().find(|step| step % 4 == 1) {
        let expected = Hash::of(plan_text(saved).as_bytes());
        let next = Hash::of(plan_text(saved + 4).as_bytes());
        let newest = plan.revision.as_ref().unwrap().hash;
        assert!(newest == expected || newest == next, "revision after step {last}");
        assert_eq!(session.plan_text(expected), Some(plan_text(saved)));
        let on_disk = std::fs::read(&plan.path).unwrap();
        let on_disk = Hash::of(&on_disk);
        assert!(on_disk == expected || on_disk == next, "the plan file is torn after step {last}");
        match resumed.plan {
            PlanOnResume::AsRecorded => assert_eq!(on_disk, newest),
            // Killed between the file and its entry: the file is ahead, and the difference is seen.
            PlanOnResume::ChangedOutside => assert_eq!(on_disk, next),
            ref other => panic!("{other:?} after step {last}"),
        }
    }
}

fn claim_on_command(home: &str, project: &str) {
    let places = places(Path::new(home), Path::new(project));
    let mut held = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let round: u64 = line.unwrap().parse().unwrap();
        let mut session = Session::create(&places, Path::new(project), start(true)).unwrap();
        let first = round * NAMES;
        let seeds = first..first + NAMES;
        let path = session.name_plan(seeds.map(Slug::from_seed)).unwrap();
        acknowledge(path.file_name().unwrap().to_str().unwrap());
        held.push(session);
    }
}

fn open(home: &str, project: &str, session: &str) {
    let places = places(Path::new(home), Path::new(project));
    let session: SessionId = session.parse().unwrap();
    match resume(&places, session) {
        Ok(_) => acknowledge("opened"),
        Err(error) => acknowledge(&error.to_string()),
    }
    let folded = Session::read(&places.home, session).unwrap();
    acknowledge(&format!("read only: {} message", folded.conversation.len()));
}

fn limit_file_size(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    // SAFETY: plain calls about this process alone, with a valid limit; a write beyond it fails instead of killing us.
    unsafe {
        assert_ne!(libc::signal(libc::SIGXFSZ, libc::SIG_IGN), libc::SIG_ERR);
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
}
