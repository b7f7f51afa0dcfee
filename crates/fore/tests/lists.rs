//! `fore sessions` and `fore plans` over a home that was prepared by hand.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "prepares the workspace of the program under test")]

mod support;

use fore_plan::{
    Change, Level, Openings, SessionRole,
    plan::{Author, Hash},
};
use fore_store::{
    Home, PlanFolder, Session, SessionFolders, SessionStart,
    entry::{Speaker, StoredMessage},
};
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc};
use support::{Place, Ran};

fn places(place: &Place) -> SessionFolders {
    let home = Arc::new(Home::open(&place.folder("home")).unwrap());
    SessionFolders { plans: PlanFolder::of_home(&home), home }
}

/// A session of this folder in which somebody asked something and a plan was made.
fn lived(place: &Place, asked: &str, versions: &[&str]) -> (Session, PathBuf) {
    let start =
        SessionStart { level: Level::Default, planning: true, openings: Openings::TRUSTED, role: SessionRole::Main };
    let folder = place.project().canonicalize().unwrap();
    let mut session = Session::create(&places(place), &folder, start).unwrap();
    session.append_message(StoredMessage::text(Speaker::Human, asked).unwrap()).unwrap();
    let _ = session.record(Change::HumanTurn).unwrap();
    let path = session.name_plan([format!("{}-quiet-fox", asked.split(' ').next().unwrap()).parse().unwrap()]).unwrap();
    for text in versions {
        session.save_plan(Author::Model, text).unwrap();
    }
    (session, path)
}

fn ok(ran: Ran) -> String {
    assert_eq!(ran.code, Some(0), "{} {}", ran.out, ran.err);
    ran.out
}

fn json_of(ran: Ran) -> Value {
    serde_json::from_str(&ok(ran)).unwrap()
}

#[test]
fn without_any_session_or_plan_the_lists_say_so() {
    let place = Place::new();
    assert_eq!(ok(place.fore(&["sessions"])), "No session of PROJECT yet; --all lists those of other folders.\n");
    assert_eq!(ok(place.fore(&["sessions", "--all"])), "No session yet.\n");
    assert_eq!(ok(place.fore(&["plans"])), "No plan yet. `fore plan \"what to do\"` makes one.\n");
    assert_eq!(json_of(place.fore(&["plans", "--json"])), json!([]));
}

#[test]
fn k1_sessions_are_listed_newest_first_with_mode_and_first_prompt() {
    let place = Place::new();
    let (first, _) = lived(&place, "brave \u{1b}[2Jquestion\nof two lines", &["# A\n"]);
    drop(first);
    let (second, _) = lived(&place, "calm question", &[]);
    let table = ok(place.fore(&["sessions"]));
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].starts_with("SESSION") && rows[0].ends_with("FIRST PROMPT"), "{table}");
    assert!(rows[1].contains("plan") && rows[1].ends_with("calm question"), "{table}");
    assert!(rows[2].ends_with(r"brave \u{1b}[2Jquestion of two lines"), "{table}");

    let all = json_of(place.fore(&["sessions", "--json", "--limit", "1"]));
    assert_eq!(all.as_array().unwrap().len(), 1);
    assert_eq!(all[0]["session"], json!(second.id()));
    assert_eq!((&all[0]["mode"], &all[0]["firstPrompt"]), (&json!("plan"), &json!("calm question")));

    let elsewhere = place.folder("elsewhere");
    let other = place.command(&["sessions"]).current_dir(elsewhere).output().unwrap();
    assert!(String::from_utf8(other.stdout).unwrap().starts_with("No session of "));
}

#[test]
fn k1_one_session_is_shown_closer_and_its_id_may_be_short() {
    let place = Place::new();
    let (session, path) = lived(&place, "brave question", &["# A\n", "# B\n"]);
    let id = session.id().to_string();
    let shown = ok(place.fore(&["sessions", "show", &id[..10]]));
    for part in
        [&format!("session   {id}"), "folder    PROJECT", "mode      plan", "prompts   1", "asked     brave question"]
    {
        assert!(shown.contains(part), "{part} is missing in\n{shown}");
    }
    assert!(shown.contains(&format!("{} (draft, 2 revisions)", path.display())), "{shown}");
    assert!(shown.ends_with(&format!("Resume it with: fore --resume {id}\n")), "{shown}");
}

#[test]
fn a_session_is_removed_only_when_somebody_says_so_and_nobody_uses_it() {
    let place = Place::new();
    let (session, path) = lived(&place, "brave question", &["# A\n"]);
    let id = session.id().to_string();
    let unasked = place.fore(&["sessions", "remove", &id]);
    let words = "error: nobody can be asked here; add --yes if you mean it\n";
    assert_eq!((unasked.code, unasked.err.as_str()), (Some(2), words));
    let in_use = place.fore(&["sessions", "remove", &id, "--yes"]);
    assert!(in_use.code == Some(2) && in_use.err.contains("is in use by"), "{}", in_use.err);
    drop(session);
    ok(place.fore(&["sessions", "remove", &id, "--yes"]));
    assert!(path.exists(), "its plan stays");
    assert_eq!(ok(place.fore(&["sessions", "--all"])), "No session yet.\n");
}

#[test]
fn m4_plans_are_listed_shown_and_compared_by_revision() {
    let place = Place::new();
    let (session, path) = lived(&place, "brave question", &["# Login\n\nold\n", "# Login\n\nnew\n"]);
    let table = ok(place.fore(&["plans"]));
    let row = table.lines().nth(1).unwrap();
    assert!(row.starts_with("brave-quiet-fox") && row.contains("draft") && row.ends_with("Login"), "{table}");
    assert_eq!(ok(place.fore(&["plans", "show", "brave"])), "# Login\n\nnew\n");
    assert_eq!(ok(place.fore(&["plans", "show", "brave", "--revision", "1"])), "# Login\n\nold\n");
    let missing = place.fore(&["plans", "show", "brave", "--revision", "7"]);
    let words = "error: `brave-quiet-fox` has no revision 7; the newest is 2\n";
    assert_eq!((missing.code, missing.err.as_str()), (Some(2), words));
    let difference = "--- revision 1\n+++ revision 2 (the file)\n@@ -1,3 +1,3 @@\n # Login\n \n-old\n+new\n";
    assert_eq!(ok(place.fore(&["plans", "diff", "brave"])), difference);
    std::fs::write(&path, "# Login\n\nby hand\n").unwrap();
    let by_hand = ok(place.fore(&["plans", "diff", "brave"]));
    assert!(by_hand.starts_with("--- revision 2\n+++ the file as it is\n"), "{by_hand}");

    let all = json_of(place.fore(&["plans", "--json"]));
    assert_eq!((&all[0]["name"], &all[0]["session"]), (&json!("brave-quiet-fox"), &json!(session.id())));
    assert_eq!(all[0]["revisions"][1]["hash"], json!(Hash::of(b"# Login\n\nnew\n")));
}

#[test]
fn demand_21_a_plan_is_exported_and_nothing_is_overwritten() {
    let place = Place::new();
    let _lived = lived(&place, "brave question", &["# One\n", "# Two\n"]);
    ok(place.fore(&["plans", "export", "brave", "copy.md"]));
    assert_eq!(place.read("copy.md").as_deref(), Some("# Two\n"));
    let again = place.fore(&["plans", "export", "brave", "copy.md", "--revision", "1"]);
    let words = "error: `./copy.md` already exists; choose another name, nothing is overwritten\n";
    assert_eq!((again.code, again.err.as_str()), (Some(2), words));
    assert_eq!(place.read("copy.md").as_deref(), Some("# Two\n"));
}

#[test]
fn demand_13_a_removed_plan_leaves_its_revisions_and_a_live_one_stays() {
    let place = Place::new();
    let (session, path) = lived(&place, "brave question", &["# One\n"]);
    let live = place.fore(&["plans", "remove", "brave-quiet-fox", "--yes"]);
    assert!(live.code == Some(2) && live.err.contains("is working on the plan"), "{}", live.err);
    drop(session);
    let part = place.fore(&["plans", "remove", "brave", "--yes"]);
    assert!(part.code == Some(2) && part.err.contains("in full"), "{}", part.err);
    ok(place.fore(&["plans", "remove", "brave-quiet-fox", "--yes"]));
    assert!(!path.exists());
    assert_eq!(ok(place.fore(&["plans", "show", "brave-quiet-fox"])), "# One\n", "what was recorded is still there");
    let near = place.fore(&["plans", "show", "zebra"]);
    assert_eq!((near.code, near.err.as_str()), (Some(2), "error: there is no plan `zebra`; `fore plans` lists them\n"));
}
