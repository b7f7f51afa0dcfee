//! What the program does for its terminal, in a home and a project of its own.
#![expect(clippy::disallowed_methods, reason = "puts settings, editors and projects in place")]

use super::*;
use crate::settings::SettingsFolders;
use fore_plan::{
    Applied, Change, Level, Openings, SessionRole,
    approval::{Approver, Proposal, RequestId},
    plan::Author,
};
use fore_store::{
    PlanFolder, Session, SessionFolders, SessionStart,
    entry::{Speaker, StoredMessage},
    session,
};
use std::os::unix::fs::PermissionsExt;

/// A person's home and a project.
struct Ground {
    folder: tempfile::TempDir,
    home: Arc<Home>,
}

impl Ground {
    fn new() -> Ground {
        let folder = tempfile::tempdir().unwrap();
        for name in ["user", "shop/.git", "shop/.forethought"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let home = Arc::new(Home::open(&folder.path().join("user/.forethought")).unwrap());
        Ground { folder, home }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn settings(&self) -> Settings {
        let user = self.path("user");
        let around =
            SettingsFolders { folder: Some(user.join(".forethought")), home: Some(user), cwd: self.path("shop") };
        Settings::read(around, None, &|_| None).unwrap()
    }

    fn program(&self, asked: Option<Mode>) -> HostProgram {
        let run = RunArgs { model: Some("scout".into()), ..RunArgs::default() };
        HostProgram::new(self.path("shop"), Arc::clone(&self.home), self.settings(), run, asked, None)
    }

    fn launch(&self, program: &HostProgram, begin: Begin) -> Result<Launched, String> {
        in_words(program.launch(Arc::new(self.settings()), begin))
    }

    /// A session that is left open; with a prompt something was said in it.
    fn session(&self, prompt: Option<&str>) -> Session {
        let start = SessionStart {
            level: Level::Default,
            planning: true,
            openings: Openings::TRUSTED,
            role: SessionRole::Main,
        };
        let places = SessionFolders { home: Arc::clone(&self.home), plans: PlanFolder::of_home(&self.home) };
        let mut session = Session::create(&places, &self.path("shop"), start).unwrap();
        if let Some(prompt) = prompt {
            session.append_message(StoredMessage::text(Speaker::Human, prompt).unwrap()).unwrap();
            assert_eq!(session.record(Change::HumanTurn).unwrap(), Applied::Yes);
        }
        session
    }
}

fn propose(session: &mut Session) {
    session.name_plan(session::random_slugs()).unwrap();
    session.save_plan(Author::Model, "# Faster login\n").unwrap();
    let plan = session.state().plan().unwrap().clone();
    let revision = plan.revision.unwrap();
    let proposal = Proposal {
        request: RequestId("1".into()),
        plan: plan.id,
        path: plan.path,
        revision: revision.number,
        hash: revision.hash,
        text: "# Faster login\n".into(),
        approver: Approver::Person,
    };
    assert_eq!(session.record(Change::Proposed(proposal)).unwrap(), Applied::Yes);
}

const FRESH: Begin = Begin::Fresh { mode: Mode::At(Level::Default) };
const WAITS: &str = "a plan waits for your approval in your last session: fore --continue";

#[test]
fn a_fresh_start_says_once_that_a_plan_waits_in_the_last_session() {
    let ground = Ground::new();
    let program = ground.program(None);
    assert_eq!(ground.launch(&program, FRESH).unwrap().notices, [""; 0]);
    let mut session = ground.session(Some("Why is login slow?"));
    propose(&mut session);
    // One that was only opened and left is not the last session for anybody.
    drop(ground.session(None));
    let launched = ground.launch(&program, FRESH).unwrap();
    assert_eq!(launched.notices, [WAITS]);
    assert_eq!((launched.launch.via.as_str(), launched.launch.folder), ("terminal", ground.path("shop")));
    assert_eq!(ground.launch(&program, FRESH).unwrap().notices, [""; 0]);
    let resume = Begin::Resume { session: session.id(), mode: None };
    assert_eq!(ground.launch(&ground.program(None), resume).unwrap().notices, [""; 0]);
}

#[test]
fn a_mode_that_was_asked_for_must_be_open_and_that_of_the_settings_gives_way() {
    let ground = Ground::new();
    std::fs::write(ground.home.path().join("settings.json"), r#"{"permissions": {"defaultMode": "acceptEdits"}}"#)
        .unwrap();
    let accept = Mode::At(Level::AcceptEdits);
    let launched = ground.launch(&ground.program(None), Begin::Fresh { mode: accept }).unwrap();
    assert!(matches!(launched.launch.begin, Begin::Fresh { mode: Mode::At(Level::Default) }));
    assert!(launched.notices[0].starts_with("starting in default: the mode acceptEdits"), "{:?}", launched.notices);
    let refused = ground.launch(&ground.program(Some(accept)), Begin::Fresh { mode: accept }).unwrap_err();
    assert!(refused.contains("this folder is not trusted"), "{refused}");
    let program = ground.program(None);
    let launched = ground.launch(&program, Begin::Fresh { mode: Mode::Plan }).unwrap();
    assert!(matches!(launched.launch.begin, Begin::Fresh { mode: Mode::Plan }));
    assert!(
        program
            .trust(true)
            .unwrap()
            .ends_with("is trusted now, with everything in it. Take it back with: fore trust --remove")
    );
    let launched = ground.launch(&program, Begin::Fresh { mode: accept }).unwrap();
    assert!(matches!(launched.launch.begin, Begin::Fresh { mode } if mode == accept));
    assert_eq!(launched.notices, [""; 0]);
}

#[test]
fn sessions_are_those_in_which_something_was_said() {
    let ground = Ground::new();
    let mut first = ground.session(Some("Why is\nlogin \u{1b}[2Jslow?"));
    propose(&mut first);
    drop(ground.session(None));
    let rows = ground.program(None).sessions().unwrap();
    let row = SessionRow {
        id: first.id(),
        about: r"Why is login \u{1b}[2Jslow?".into(),
        age: rows[0].age.clone(),
        mode: "plan".into(),
        awaits_approval: true,
    };
    assert_eq!(rows, [row]);
    assert!(rows[0].age.ends_with("s ago"), "{}", rows[0].age);
    let program = ground.program(None);
    let names: Vec<String> = program.files(first.id()).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["transcript", "plan"]);
    assert!(program.files(first.id()).iter().all(|(_, path)| path.is_file()));
}

#[test]
fn rules_are_shown_with_where_they_come_from_and_why_they_do_not_hold() {
    let ground = Ground::new();
    std::fs::write(
        ground.home.path().join("settings.json"),
        "{\"permissions\": {\n\"allow\": [\"Bash(cargo test:*)\"],\n\"deny\": [\"Read(~/.netrc)\"]}}",
    )
    .unwrap();
    std::fs::write(
        ground.path("shop/.forethought/settings.json"),
        r#"{"permissions": {"allow": ["Edit"], "ask": ["Bash(git push:*)"]}}"#,
    )
    .unwrap();
    assert_eq!(
        ground.program(None).permissions(),
        [
            "deny    Read(~/.netrc)      ~/.forethought/settings.json:3",
            "ask     Bash(git push:*)    .forethought/settings.json:1",
            "allow   Bash(cargo test:*)  ~/.forethought/settings.json:2",
            "allow   Edit                .forethought/settings.json:1, refused until you trust this folder (`fore trust`)",
        ]
    );
}

#[test]
fn a_chosen_model_is_written_into_the_persons_settings() {
    let ground = Ground::new();
    let program = ground.program(None);
    TerminalHost::choose_model(&program, "anthropic/claude-sonnet-5-5").unwrap();
    let written = ground.settings().written.model;
    assert_eq!(written.act.as_deref(), Some("anthropic/claude-sonnet-5-5"));
    assert_eq!(written.small.as_deref(), Some("anthropic/claude-haiku-5-5"));
    let program = ground.program(None);
    TerminalHost::choose_model(&program, "scout").unwrap();
    assert_eq!(ground.settings().written.model.act.as_deref(), Some("scout"));
    assert!(TerminalHost::choose_model(&program, "nowhere/x").is_err());
    std::fs::write(ground.home.path().join("settings.json"), "{ broken").unwrap();
    let words = TerminalHost::choose_model(&program, "scout").unwrap_err();
    assert!(words.contains("settings.json cannot be changed: it is not JSON"), "{words}");
    assert_eq!(std::fs::read_to_string(ground.home.path().join("settings.json")).unwrap(), "{ broken");
}

#[test]
fn a_copy_is_saved_where_the_person_says_and_never_over_another_file() {
    let ground = Ground::new();
    let program = ground.program(None);
    let path = TerminalHost::export(&program, Path::new("plan.md"), "# Faster login\n").unwrap();
    assert_eq!(
        (path.clone(), std::fs::read_to_string(path).unwrap()),
        (ground.path("shop/plan.md"), "# Faster login\n".into())
    );
    let words = TerminalHost::export(&program, Path::new("plan.md"), "other").unwrap_err();
    assert!(words.ends_with("already exists; choose another name, nothing is overwritten"), "{words}");
    let words = TerminalHost::export(&program, Path::new("no/such/plan.md"), "other").unwrap_err();
    assert_eq!(words, format!("there is no folder `{}`; create it first", ground.path("shop/no/such").display()));
}

#[test]
fn an_editor_gives_back_what_it_left_or_the_reason_why_not() {
    let ground = Ground::new();
    let program = ground.program(None);
    let edit = |script: &str| {
        let path = ground.path("editor");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
        let editor = Editor::of_the_person(&|name| (name == "EDITOR").then(|| path.clone().into())).unwrap();
        in_words(program.edit(&editor, "brave-quiet-fox", "old\n"))
    };
    let page = [
        ("exit 0", Ok("old\n")),
        (r#"case $1 in */brave-quiet-fox.md) echo new >> "$1";; esac"#, Ok("old\nnew\n")),
        ("exit 3", Err("the editor editor ended with exit code 3, so nothing was changed")),
        (
            r#"printf '\377' > "$1""#,
            Err(
                "what editor left cannot be used, so nothing was changed\nbecause: the text is not in UTF-8; save it as UTF-8",
            ),
        ),
    ];
    for (script, expected) in page {
        assert_eq!(edit(script), expected.map(str::to_owned).map_err(str::to_owned), "{script}");
    }
    assert_eq!(std::fs::read_dir(ground.home.path().join("scratch")).unwrap().count(), 0);
}

#[test]
fn prompts_and_tips_are_remembered() {
    let ground = Ground::new();
    let program = ground.program(None);
    program.remember("Why is login slow?");
    assert_eq!(ground.program(None).history(), ["Why is login slow?"]);
    let (first, second) = (program.tip(), program.tip());
    assert!(first.is_some() && second.is_some() && first != second);
    std::fs::write(ground.home.path().join("settings.json"), r#"{"tips": false}"#).unwrap();
    assert_eq!(ground.program(None).tip(), None);
}

#[test]
fn a_resumed_session_shows_what_was_said_before() {
    let ground = Ground::new();
    let session = ground.session(Some("Why is login slow?"));
    let shown = format!("{:?}", ground.program(None).past(session.id()));
    assert!(shown.contains("Why is login slow?"), "{shown}");
    let gone = ground.program(None).past(SessionId::fresh());
    assert!(matches!(gone.as_slice(), [Event::Notice { level: NoticeLevel::Warning, .. }]), "{gone:?}");
}

#[test]
fn what_is_written_about_a_plan_is_kept_with_its_session_until_it_is_taken_away() {
    let ground = Ground::new();
    let program = ground.program(None);
    let session = SessionId::fresh();
    let draft = UnsentReview {
        plan: fore_plan::plan::Hash::of(b"# Faster login\n"),
        remarks: Vec::new(),
        note: "Smaller steps".into(),
        meant: fore_store::unsent_review::NotePurpose::Reason,
        edited: None,
        grants: Default::default(),
    };
    assert_eq!(TerminalHost::draft(&program, session), Ok(None));
    program.keep(session, Some(&draft)).unwrap();
    assert_eq!(TerminalHost::draft(&program, session), Ok(Some(draft)));
    program.keep(session, None).unwrap();
    assert_eq!(TerminalHost::draft(&program, session), Ok(None));
}

#[test]
fn m5_an_edited_plan_is_checked_against_the_files_of_the_project_and_its_settings() {
    let ground = Ground::new();
    std::fs::write(ground.path("shop/login.rs"), "").unwrap();
    std::fs::write(ground.path("shop/.forethought/settings.json"), r#"{"plan": {"length": "cap"}}"#).unwrap();
    let plan =
        format!("# Faster login\n\nChange `./login.rs` and `src/gone.rs`.\n{}\nVerify: run it.\n", "\n".repeat(40));
    let notes = ground.program(None).check(&plan);
    let page: Vec<String> = notes.iter().map(|note| format!("{:?} {}", note.line, note.sentence)).collect();
    insta::assert_snapshot!(page.join("\n"), @"
    None The plan has 45 lines; the chosen length asks for at most 40.
    Some(3) src/gone.rs does not exist, and the plan does not say that it is new.
    ");
}
