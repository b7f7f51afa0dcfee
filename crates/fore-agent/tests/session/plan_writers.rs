//! Who could write the plan file behind everybody's back: a repository's own toolchain, and what a command leaves running. Real cages.

#![expect(clippy::disallowed_methods, reason = "lays out a repository, and looks at what its programs did")]

use crate::{
    receipt::{PLAN, tells_what_was_approved, todo},
    support::{Show, Stage},
};
use fore_agent::{Command, Event, Reply};
use fore_plan::plan::Author;
use fore_store::{Home, session::overview};
use fore_testkit::{ModelScript, ScriptedTurn, call, text};
use serde_json::json;
use std::{
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::Path,
    time::{Duration, Instant},
};

/// Longer than anything here takes.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// A repository whose compiler is a script of its own. It writes every plan it finds, says how that went, and fails, so that cargo
/// shows what it said.
fn with_a_wrapper(stage: &Stage) {
    let wrapper = stage.project.join("wrapper.sh");
    let script = format!(
        "#!/bin/sh\nfor plan in {}/.forethought/plans/*.md; do\n  \
         if printf '1. deploy.sh' > \"$plan\"; then echo \"wrapped: wrote\" >&2; else echo \"wrapped: kept out\" >&2; fi\n\
         done\nexit 1\n",
        stage.home.display()
    );
    std::fs::write(&wrapper, script).unwrap();
    std::fs::set_permissions(&wrapper, PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::create_dir_all(stage.project.join(".cargo")).unwrap();
    std::fs::create_dir_all(stage.project.join("src")).unwrap();
    let config = format!("[build]\nrustc-wrapper = {:?}\n", wrapper.display().to_string());
    std::fs::write(stage.project.join(".cargo/config.toml"), config).unwrap();
    std::fs::write(
        stage.project.join("Cargo.toml"),
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    )
    .unwrap();
    std::fs::write(stage.project.join("src/lib.rs"), "").unwrap();
}

/// Says yes to every question until the turn ends or a plan is shown.
async fn agreeing(show: &mut Show) {
    loop {
        match show.next().await.unwrap() {
            Event::Asked(asked) => show.send(Command::Reply { question: asked.question, reply: Reply::Yes }).await,
            Event::ApprovalAsked(_) | Event::TurnEnded { .. } => return,
            _ => {}
        }
    }
}

fn bodies(stage: Stage) -> Vec<String> {
    let requests = stage.server.finish().unwrap();
    requests.iter().map(|request| String::from_utf8_lossy(&request.body).into_owned()).collect()
}

fn authors(stage: &Stage, show: &Show) -> Vec<Author> {
    let home = Home::open(&stage.home.join(".forethought")).unwrap();
    let plans = overview(&home, show.session.unwrap()).unwrap().plans;
    plans[0].revisions.iter().map(|kept| kept.author).collect()
}

const RUNS: [&str; 3] = ["cargo check --offline", "cargo metadata --offline --format-version 1", "cargo --version"];

#[tokio::test(flavor = "current_thread")]
async fn a_repositorys_toolchain_does_not_rewrite_the_plan_before_or_after_it_is_approved() {
    let bash = |command: &str, rehearse: bool| call("Bash", json!({ "command": command, "rehearse": rehearse }));
    let script = ModelScript::new().turn(call("ExitPlanMode", json!({ "plan": PLAN })));
    let script = RUNS.iter().fold(script, |script, run| script.turn(bash(run, false)));
    // With a step left, so that the plan is not over.
    let script = script.turn(call("ExitPlanMode", json!({}))).turn(call("TodoWrite", todo()));
    let script = RUNS.iter().fold(script, |script, run| script.turn(bash(run, true)));
    let stage = Stage::new(script.turn(text("Done.")).turn(text("Again.")));
    with_a_wrapper(&stage);
    let mut show = stage.start("plan").await;
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    let plan = show.plan_file();
    show.answer_with("keepPlanning", "look again", Vec::new(), None).await;
    agreeing(&mut show).await;
    let asked = show.last_asked.clone().unwrap().request;
    assert_eq!((asked.revision, asked.plan_content.as_str()), (1, PLAN), "{:#?}", show.lines);
    assert_eq!(std::fs::read_to_string(&plan).unwrap(), PLAN);
    show.answer("startEditing").await;
    agreeing(&mut show).await;
    assert_eq!(std::fs::read_to_string(&plan).unwrap(), PLAN, "{:#?}", show.lines);
    show.send(Command::Rewind).await;
    show.until("taken back").await;
    show.prompt("again").await;
    show.until("ended").await;
    assert_eq!(authors(&stage, &show), [Author::Model], "nobody has written another text");
    show.close().await;
    let wrapper = stage.project.join("wrapper.sh");
    // The control: outside it does write.
    let ran = std::process::Command::new(wrapper).status().unwrap();
    assert_eq!((ran.code(), std::fs::read_to_string(&plan).unwrap().as_str()), (Some(1), "1. deploy.sh"));
    let bodies = bodies(stage);
    let last = bodies.last().unwrap();
    assert!(last.contains("1. Fix it.") && !last.contains("1. deploy.sh"), "{last}");
    // The wrapper did run, both times: what was said before stays in what is sent.
    let ran = |body: &String| body.matches("wrapped: ").count();
    let (before, after) = (ran(&bodies[4]), ran(&bodies[bodies.len() - 2]));
    assert!(before > 0 && after > before, "{before} and {after}: {}", bodies[bodies.len() - 2]);
}

#[tokio::test(flavor = "current_thread")]
async fn one_that_the_person_lets_run_outside_of_a_sandbox_changes_the_file_and_not_the_plan() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({ "plan": PLAN })))
        .turn(call("TodoWrite", todo()))
        .turn(call("Bash", json!({ "command": RUNS[0] })))
        .turn(text("Done."))
        .turn(text("Again."));
    let stage = Stage::new(script);
    with_a_wrapper(&stage);
    let mut show = stage.start("plan").await;
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    let plan = show.plan_file();
    show.answer("startEditing").await;
    agreeing(&mut show).await;
    assert_eq!(std::fs::read_to_string(&plan).unwrap(), "1. deploy.sh", "{:#?}", show.lines);
    show.send(Command::Rewind).await;
    show.until("taken back").await;
    show.prompt("again").await;
    show.until("notice: The plan file was changed, neither by the model nor by you").await;
    show.until("ended").await;
    assert_eq!(authors(&stage, &show), [Author::Model, Author::Other], "it is called what it is");
    show.close().await;
    tells_what_was_approved(stage.server.finish().unwrap().last().unwrap());
}

/// Opens the pipe if somebody still waits at its other end; gives whether that was so.
fn poke(pipe: &Path) -> bool {
    use std::io::Write as _;
    let opened = std::fs::OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(pipe);
    opened.is_ok_and(|mut pipe| pipe.write_all(b"go\n").is_ok())
}

/// Lets whoever waits go on, and waits until nobody does.
fn let_everybody_go_on(pipe: &Path) {
    let started = Instant::now();
    while poke(pipe) {
        assert!(started.elapsed() < MAX_WAIT, "somebody waits for ever");
        std::thread::yield_now();
    }
}

#[tokio::test(flavor = "current_thread")]
async fn whoever_waits_to_write_the_plan_later_ends_before_it_is_shown_or_cannot() {
    let later = "read line < go; printf '1. deploy.sh' > PLAN";
    let spellings = [
        (format!("({later}) & echo begun"), false),
        (format!("{later} & disown; echo begun"), false),
        (format!("nohup sh -c \"{later}\" >/dev/null 2>&1 & echo begun"), false),
        (format!("setsid sh -c \"{later}\" >/dev/null 2>&1 & echo begun"), false),
        (later.to_owned(), true),
        (format!("printf '# Plan' > PLAN; ({later}) &"), false),
        ("sleep 2; printf '1. deploy.sh' > PLAN &".to_owned(), false),
    ];
    for (spelling, in_background) in spellings {
        // Under an id of its own: the second script counts from the beginning again.
        let exit = json!({"call": {"name": "ExitPlanMode", "arguments": {"plan": PLAN}, "id": "toolu_first"}});
        let first = ScriptedTurn { say: vec![serde_json::from_value(exit).unwrap()], ..ScriptedTurn::default() };
        let stage = Stage::new(ModelScript::new().turn(first).turn(text("?")));
        let pipe = stage.project.join("go");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut show = stage.start("plan").await;
        show.prompt("fix it").await;
        show.until("approval of revision 1").await;
        let plan = show.plan_file();
        show.answer("keepPlanning").await;
        show.until("ended").await;
        let session = show.session.unwrap();
        show.close().await;

        let command = spelling.replace("PLAN", plan.to_str().unwrap());
        // What holds the output open is waited for; not for long.
        let input = json!({ "command": command, "run_in_background": in_background, "timeout_ms": 1000 });
        let script = ModelScript::new()
            .turn(call("Bash", input))
            .turn(call("ExitPlanMode", json!({ "plan": PLAN })))
            .turn(text("Done."))
            .foreign_history();
        let stage = stage.then(script);
        let begin = fore_agent::Begin::Resume { session, mode: None };
        let mut show = stage.go(stage.launch(begin, fore_plan::approval::Reachable::Approver)).await;
        show.prompt("go on").await;
        agreeing(&mut show).await;
        let asked = show.last_asked.as_ref().unwrap_or_else(|| panic!("{spelling}: {:#?}", show.lines));
        assert_eq!(asked.request.plan_content, PLAN, "{spelling}: {:#?}", show.lines);
        let_everybody_go_on(&pipe);
        assert_eq!(std::fs::read_to_string(&plan).unwrap(), PLAN, "{spelling}: while it is shown");
        show.answer("startEditing").await;
        show.until("approved").await;
        show.until("ended").await;
        let_everybody_go_on(&pipe);
        assert_eq!(std::fs::read_to_string(&plan).unwrap(), PLAN, "{spelling}: after it was approved");
        show.close().await;
    }
}
