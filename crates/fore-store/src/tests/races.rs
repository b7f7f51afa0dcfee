//! Somebody swaps our files while we use them: what was checked is what is used, and nothing is waited for.

use super::support::Ground;
use fore_plan::{
    Applied, Change, Mode,
    approval::{
        Answered, ApprovalAnswer, Approver, Choice, ChosenLevel, Decider, OnDisk, Proposal, RequestId, Timestamp,
        answer,
    },
    plan::{Author, Hash, PlanFileName},
};
use fore_store::{
    Home, Session, TrustedFolders,
    audit::{AuditLine, AuditLog, Audited},
    fold::FoldUntil,
    plan_file::PlanReading,
    plan_list,
    session::{fork, random_slugs, resume},
    trust::{self, SeenContent},
};
use fore_testkit::{Swap, Swapper};
use std::path::{Path, PathBuf};

/// For what is only read and compared.
const ROUNDS: usize = 4_000;
/// For what is saved with each round, which takes the time of a disk.
const SAVED_ROUNDS: usize = 300;

const PLAN: &str = "# Plan\n\n1. Fix it.\n";
const FORGED: &str = "# Plan\n\n1. Run `sh ./deploy.sh --prod`.\n";
const SECRET: &str = "# Plan of somebody else, behind a link\n";

/// Everything that can be put in the place of a file; what lies behind links must stay as it is.
fn everything(ground: &Ground) -> (Vec<Swap>, PathBuf) {
    let victim = ground.path().join("victim.md");
    std::fs::write(&victim, SECRET).unwrap();
    let swaps = vec![
        Swap::Renamed(PLAN.into()),
        Swap::Text(FORGED.into()),
        Swap::Link(victim.clone()),
        Swap::Renamed(FORGED.into()),
        Swap::Pipe,
        Swap::Renamed(PLAN.into()),
        Swap::Folder,
        Swap::Text(PLAN.into()),
        Swap::HardLink(victim.clone()),
        Swap::Missing,
        Swap::Text(FORGED.repeat(3)),
    ];
    (swaps, victim)
}

/// What stands behind a link was neither read nor written.
fn is_untouched(victim: &Path) {
    assert_eq!(std::fs::read_to_string(victim).unwrap(), SECRET);
}

fn with_plan(ground: &Ground) -> (Session, PathBuf) {
    let mut session = ground.planning();
    let path = session.name_plan(random_slugs()).unwrap();
    session.save_plan(Author::Model, PLAN).unwrap();
    (session, path)
}

fn propose(session: &mut Session) {
    let plan = session.state().plan().unwrap().clone();
    let revision = plan.revision.unwrap();
    let proposal = Proposal {
        request: RequestId("request".into()),
        plan: plan.id,
        path: plan.path,
        revision: revision.number,
        hash: revision.hash,
        text: session.plan_text(revision.hash).unwrap(),
        approver: Approver::Person,
    };
    assert_eq!(session.record(Change::Proposed(proposal)).unwrap(), Applied::Yes);
}

/// A plain yes to what was shown.
fn yes(shown: &Proposal) -> ApprovalAnswer {
    ApprovalAnswer {
        request: shown.request.clone(),
        hash: shown.hash,
        by: Decider::Person { via: "terminal".into() },
        at: Timestamp(1),
        choice: Choice::approve(ChosenLevel::Previous),
    }
}

fn approved(ground: &Ground) -> (Session, PathBuf) {
    let (mut session, path) = with_plan(ground);
    propose(&mut session);
    let shown = session.state().pending().unwrap().clone();
    let Answered::Approved { changes, .. } =
        answer(session.state(), &yes(&shown), OnDisk::Text(PLAN), "nonce", &|_| {
            fore_plan::contract::Contract::default()
        })
    else {
        panic!("nothing was in the way");
    };
    changes.into_iter().for_each(|change| assert_eq!(session.record(change).unwrap(), Applied::Yes));
    (session, path)
}

fn on_disk(reading: &Option<PlanReading>) -> OnDisk<'_> {
    reading.as_ref().map_or(OnDisk::Missing, PlanReading::on_disk)
}

#[test]
fn b6_a_plan_file_is_never_read_or_written_through_what_was_swapped_in() {
    let ground = Ground::new();
    let name: PlanFileName = "brave-quiet-fox.md".parse().unwrap();
    let plans = &ground.places.plans;
    let (swaps, victim) = everything(&ground);
    let swapper = Swapper::start(&plans.path_of(&name), swaps, PLAN);
    for round in 0..ROUNDS {
        match plans.read(&name) {
            PlanReading::Text(text) => assert!(!text.contains("somebody else"), "round {round}: {text}"),
            PlanReading::Missing | PlanReading::Unreadable(_) | PlanReading::TooLarge { .. } => {}
        }
        if round % (ROUNDS / SAVED_ROUNDS) == 0 {
            // It succeeds or says why; it never writes elsewhere.
            let _ = plans.write(&name, "# Ours\n");
        }
    }
    assert!(swapper.swaps() > 0);
    drop(swapper);
    is_untouched(&victim);
    assert_eq!(plans.read(&name).text(), Some(PLAN));
}

#[test]
fn m1_an_answer_at_an_open_approval_binds_to_what_was_shown_or_does_not_count() {
    let ground = Ground::new();
    let (mut session, path) = with_plan(&ground);
    propose(&mut session);
    let (swaps, victim) = everything(&ground);
    let swapper = Swapper::start(&path, swaps, FORGED);
    let mut older: Option<Proposal> = None;
    for round in 0..ROUNDS {
        let (state, reading) = (session.state().clone(), session.read_plan());
        let shown = state.pending().unwrap().clone();
        match answer(&state, &yes(&shown), on_disk(&reading), &round.to_string(), &|_| {
            fore_plan::contract::Contract::default()
        }) {
            Answered::Approved { receipt, text, .. } => {
                assert_eq!((receipt.hash, Hash::of(text.as_bytes())), (shown.hash, shown.hash), "round {round}");
                assert_eq!(text, shown.text, "round {round}");
            }
            Answered::ShowAgain { changes, proposal, shown: before } => {
                assert_eq!((Hash::of(proposal.text.as_bytes()), before), (proposal.hash, shown.text.clone()));
                assert!(!proposal.text.contains("somebody else"), "round {round}");
                // Each is saved, as in a session, but not in every round: a disk takes its time.
                if round % (ROUNDS / SAVED_ROUNDS) == 0 {
                    changes.into_iter().for_each(|change| assert_eq!(session.record(change).unwrap(), Applied::Yes));
                    assert_eq!(session.state().pending(), Some(&proposal));
                    older = Some(shown);
                }
            }
            Answered::NotCounted { why } => {
                assert_eq!(why, "the plan file cannot be read, so it cannot be compared", "round {round}");
            }
            other => panic!("round {round}: {other:?}"),
        }
        if let Some(older) = &older {
            // A late answer to what was shown before.
            let late = answer(session.state(), &yes(older), OnDisk::Text(&older.text), "late", &|_| {
                fore_plan::contract::Contract::default()
            });
            assert!(matches!(late, Answered::NotCounted { .. }), "round {round}: {late:?}");
        }
    }
    drop(swapper);
    is_untouched(&victim);
    assert_eq!(session.state().mode(), Mode::Plan, "nothing was approved by itself");
    let reading = session.read_plan();
    let last = answer(session.state(), &yes(session.state().pending().unwrap()), on_disk(&reading), "last", &|_| {
        fore_plan::contract::Contract::default()
    });
    assert!(matches!(last, Answered::Approved { .. } | Answered::ShowAgain { .. }), "{last:?}");
}

#[test]
fn m15_a_revision_that_was_swapped_or_cut_is_never_used() {
    let ground = Ground::new();
    let (mut session, _) = with_plan(&ground);
    // The copies in the transcript are of the newest text; this one is in its own file alone.
    session.save_plan(Author::Model, "# Newer\n").unwrap();
    let hash = Hash::of(PLAN.as_bytes());
    let file = ground.home_path().join(format!("revisions/{hash}.md"));
    let (mut swaps, victim) = everything(&ground);
    // Cut off, and longer than it was.
    swaps.extend([PLAN.get(..9).unwrap().to_owned(), String::new(), format!("{PLAN}2. More.\n")].map(Swap::Renamed));
    let swapper = Swapper::start(&file, swaps, FORGED);
    for round in 0..ROUNDS {
        for found in [session.plan_text(hash), plan_list::revision_text(&ground.places.home, hash).ok().flatten()] {
            assert!(found.is_none_or(|text| text == PLAN), "round {round}");
        }
    }
    assert!(swapper.swaps() > 0);
    drop(swapper);
    is_untouched(&victim);
    assert_eq!(session.plan_text(hash), None, "what is there now is forged");
    // Kept anew, it is there again, and whoever writes to it by mistake is told so.
    session.save_plan(Author::Model, PLAN).unwrap();
    assert_eq!(session.plan_text(hash).as_deref(), Some(PLAN));
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o400);
}

#[test]
fn k1_k3_resumed_and_forked_sessions_know_the_approved_bytes_whatever_is_in_the_file() {
    let ground = Ground::new();
    let (session, path) = approved(&ground);
    let (id, hash) = (session.id(), Hash::of(PLAN.as_bytes()));
    drop(session);
    let (swaps, victim) = everything(&ground);
    let swapper = Swapper::start(&path, swaps, FORGED);
    for round in 0..SAVED_ROUNDS {
        let (session, _) = resume(&ground.places, id).unwrap();
        let plan = session.state().plan().unwrap();
        assert_eq!((plan.receipt.as_ref().unwrap().hash, plan.counts()), (hash, Some(hash)), "round {round}");
        assert_eq!(session.plan_text(hash).as_deref(), Some(PLAN), "round {round}");
        drop(session);
        if round % 10 == 0 {
            let (copy, _) = fork(&ground.places, id, FoldUntil::End, random_slugs()).unwrap();
            let counts = copy.state().plan().unwrap().counts().and_then(|hash| copy.plan_text(hash));
            assert!(counts.is_some_and(|text| !text.contains("somebody else")), "round {round}");
        }
    }
    drop(swapper);
    is_untouched(&victim);
}

#[test]
fn trust_is_read_as_it_was_given_or_not_at_all() {
    let ground = Ground::new();
    let (home, shop) = (&ground.places.home, ground.project.canonicalize().unwrap());
    trust::add(home, &shop).unwrap();
    SeenContent::keep(home, &shop, [("settings.json", "{}")]).unwrap();
    let records = home.path().join("trusted");
    let record = std::fs::read_dir(&records).unwrap().next().unwrap().unwrap().path();
    let given = std::fs::read_to_string(&record).unwrap();
    let elsewhere = given.replace(shop.to_str().unwrap(), "/elsewhere");
    let (mut swaps, victim) = everything(&ground);
    let cut = given.get(..given.len() / 2).unwrap().to_owned();
    swaps.extend(
        [given.clone(), elsewhere, cut].into_iter().flat_map(|text| [Swap::Text(text.clone()), Swap::Renamed(text)]),
    );
    let swapper = Swapper::start(&record, swaps.clone(), &given);
    for round in 0..ROUNDS {
        if let Ok(Some(seen)) = SeenContent::read(home.path(), &shop) {
            let names: Vec<&str> = seen.names().collect();
            assert_eq!((names, seen.file("settings.json").unwrap().is("{}")), (vec!["settings.json"], true), "{round}");
        }
    }
    drop(swapper);
    assert!(SeenContent::read(home.path(), &shop).unwrap().is_some(), "as it was given");
    // And the list of the folders themselves.
    let list = home.path().join("trusted.json");
    let given = std::fs::read_to_string(&list).unwrap();
    swaps.extend([given.clone(), r#"{"folders": ["/"]}"#.to_owned()].map(Swap::Renamed));
    let swapper = Swapper::start(&list, swaps, &given);
    for round in 0..ROUNDS {
        if let Ok(trusted) = TrustedFolders::read(home.path()) {
            assert_eq!(trusted.covering(&ground.path().join("other")), None, "round {round}");
        }
    }
    drop(swapper);
    is_untouched(&victim);
}

#[test]
fn the_audit_log_is_written_to_its_own_file_or_not_at_all_and_waits_for_nobody() {
    let ground = Ground::new();
    let home = Home::open(&ground.home_path()).unwrap();
    let mut log = AuditLog::open(&home).unwrap();
    let session = ground.session().id();
    let refused = || Audited::ModeRefused { to: "auto".into(), by: "x".into(), code: "x".into(), reason: "x".into() };
    let (mut swaps, victim) = everything(&ground);
    swaps.push(Swap::Link("/dev/full".into()));
    let swapper = Swapper::start(&home.path().join("audit.jsonl"), swaps, "");
    for _ in 0..ROUNDS {
        let _ = log.append(AuditLine::now(session, Mode::Plan, refused()));
    }
    assert!(swapper.swaps() > 0);
    drop(swapper);
    is_untouched(&victim);
    log.append(AuditLine::now(session, Mode::Plan, refused())).unwrap();
    let text = std::fs::read_to_string(home.path().join("audit.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
}
