//! What lists of sessions and plans show, and what may be removed.

use super::support::{Ground, human, reminder};
use fore_plan::{
    Change, Mode,
    plan::{Author, Hash, PlanFileName, PlanStage},
};
use fore_store::{
    PlanFolder, Session, SessionId, StoreError,
    entry::{Speaker, StoredMessage},
    plan_file, plan_list,
    session::{KeptRevision, ids, list, overview, random_slugs, resume, summary_of},
};
use std::path::Path;

fn name_of(path: &Path) -> PlanFileName {
    path.file_name().unwrap().to_str().unwrap().parse().unwrap()
}

#[test]
fn a_glance_shows_the_first_prompt_without_reminders_the_mode_and_the_plans() {
    let ground = Ground::new();
    let mut session = ground.planning();
    session.append_message(reminder(Speaker::Human, "<system-reminder>x")).unwrap();
    let blocks = serde_json::json!([
        {"type": "text", "text": "<system-reminder>plan mode is on</system-reminder>"},
        {"type": "text", "text": "Why is login slow?"},
    ]);
    session
        .append_message(StoredMessage::new(Speaker::Human, serde_json::value::to_raw_value(&blocks).unwrap()))
        .unwrap();
    let _ = session.record(Change::HumanTurn).unwrap();
    let path = session.name_plan(random_slugs()).unwrap();
    session.save_plan(Author::Model, "# One\n").unwrap();
    session.save_plan(Author::Model, "# Two\n").unwrap();
    session.append_message(human("and then?")).unwrap();
    let _ = session.record(Change::HumanTurn).unwrap();

    let seen = overview(&ground.places.home, session.id()).unwrap();
    assert_eq!(seen.first_prompt.as_deref(), Some("Why is login slow?"));
    assert_eq!((seen.prompts, seen.mode, seen.awaits_approval), (2, Mode::Plan, false));
    assert_eq!(seen.header.unwrap().folder, ground.project.to_str().unwrap());
    let [plan] = seen.plans.as_slice() else { panic!("{:?}", seen.plans) };
    assert_eq!((plan.path.as_str(), plan.stage, plan.approved), (path.to_str().unwrap(), PlanStage::Draft, None));
    let hashes: Vec<(u32, Hash)> =
        plan.revisions.iter().map(|KeptRevision { number, hash, .. }| (*number, *hash)).collect();
    assert_eq!(hashes, [(1, Hash::of(b"# One\n")), (2, Hash::of(b"# Two\n"))]);
    assert_eq!(ids(&ground.places.home).unwrap(), [session.id()]);
    let summary = summary_of(&ground.places.home, session.id()).unwrap().unwrap();
    assert_eq!([summary], *list(&ground.places.home, None, 9).unwrap());
    assert_eq!(summary_of(&ground.places.home, SessionId::fresh()).unwrap(), None);
}

#[test]
fn a_session_in_use_stays_and_a_closed_one_goes_with_what_lies_beside_it() {
    let ground = Ground::new();
    let mut session = ground.planning();
    let id = session.id();
    session.append_message(human("hello")).unwrap();
    let home = &ground.places.home;
    assert!(matches!(Session::remove(home, id).unwrap_err(), StoreError::InUse { .. }));
    drop(session);
    let mut bytes = std::fs::read(ground.transcript(id)).unwrap();
    bytes.extend_from_slice(b"{\"v\":1,");
    std::fs::write(ground.transcript(id), bytes).unwrap();
    drop(resume(&ground.places, id).unwrap());

    Session::remove(home, id).unwrap();
    assert_eq!(std::fs::read_dir(ground.home_path().join("sessions")).unwrap().count(), 0);
    assert!(matches!(Session::remove(home, id).unwrap_err(), StoreError::NoSuchSession { .. }));
}

#[test]
fn plans_are_listed_with_title_stage_and_session_and_others_by_their_title_alone() {
    let ground = Ground::new();
    let mut session = ground.planning();
    let path = session.name_plan(random_slugs()).unwrap();
    session.save_plan(Author::Model, "\n## Faster login\n\ntext\n").unwrap();
    let home = &ground.places.home;
    let by_hand = ground.places.plans.path().join("quiet-brave-owl.md");
    std::fs::write(&by_hand, "no heading\n").unwrap();
    std::fs::write(ground.places.plans.path().join("Notes.txt"), "no plan").unwrap();

    let mut plans = plan_list::list(home, &ground.places.plans, 10).unwrap();
    plans.sort_by_key(|plan| plan.session.is_none());
    let page: Vec<_> = plans
        .iter()
        .map(|plan| (plan.path.clone(), plan.title.as_str(), plan.session, plan.history.as_ref().map(|h| h.stage)))
        .collect();
    let own = (path, "Faster login", Some(session.id()), Some(PlanStage::Draft));
    assert_eq!(page, [own, (by_hand, "no heading", None, None)]);
    assert_eq!(plans[0].folder.as_deref(), ground.project.to_str());
    assert_eq!(plan_list::list(home, &ground.places.plans, 1).unwrap().len(), 1);
}

#[test]
fn the_plan_of_a_live_session_stays_and_a_removed_plan_leaves_its_revisions() {
    let ground = Ground::new();
    let mut session = ground.planning();
    let path = session.name_plan(random_slugs()).unwrap();
    session.save_plan(Author::Model, "# One\n").unwrap();
    let (home, name) = (ground.places.home.clone(), name_of(&path));
    let plans = PlanFolder::of_home(&home);
    let refused = plan_list::remove(&home, &plans, &name).unwrap_err().to_string();
    assert!(refused.contains(&format!("session {} is working on the plan", session.id())), "{refused}");
    drop(session);

    std::fs::write(&path, "# By hand\n").unwrap();
    plan_list::remove(&home, &plans, &name).unwrap();
    assert!(!path.exists());
    for text in ["# One\n", "# By hand\n"] {
        let kept = plan_list::revision_text(&home, Hash::of(text.as_bytes())).unwrap();
        assert_eq!(kept.as_deref(), Some(text));
    }
    let left = plan_list::find(&home, &plans, &name).unwrap().unwrap();
    assert_eq!((left.file, left.history.unwrap().revisions.len()), (None, 1));
    assert!(plan_list::find(&home, &plans, &"no-such-plan.md".parse().unwrap()).unwrap().is_none());
}

#[test]
fn a_copy_is_saved_only_where_nothing_is_unless_the_person_says_so_and_never_through_a_link() {
    let ground = Ground::new();
    let target = ground.path().join("plan.md");
    plan_file::require_free(&target).unwrap();
    plan_file::export(&target, "# One\n").unwrap();
    for refused in [plan_file::require_free(&target), plan_file::export(&target, "# Two\n")] {
        assert!(matches!(refused.unwrap_err(), StoreError::Exists { .. }));
    }
    plan_file::export_replacing(&target, "# Two\n").unwrap();
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "# Two\n");
    let link = ground.path().join("link.md");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert!(matches!(plan_file::export_replacing(&link, "# Three\n").unwrap_err(), StoreError::NotPlain { .. }));
    assert!(plan_file::require_free(&ground.path().join("no/such/plan.md")).is_err());
}
