//! Subagents: they share the session's gate at every moment, and nothing else of its place.

use crate::support::Stage;
use fore_agent::{Begin, Command, QuestionId, Reply};
use fore_plan::approval::Reachable;
use fore_testkit::{ModelScript, call, text};
use serde_json::json;

fn agent(kind: &str, prompt: &str) -> fore_testkit::ScriptedTurn {
    call("Agent", json!({"subagent_type": kind, "description": "child", "prompt": prompt}))
}

#[tokio::test(flavor = "current_thread")]
async fn m13_a_child_writes_nothing_while_the_session_plans_however_often_the_mode_changed() {
    let write = |name: &str| call("Write", json!({"file_path": name, "content": "x"}));
    let child = [
        write("one.txt"),
        write("two.txt").expect_result("Write", "the mode changed after this was allowed"),
        write("three.txt").expect_result("Write", "the mode changed after this was allowed"),
        text("I could not.").expect_result("Write", "Plan mode"),
    ];
    let script = ModelScript::new()
        .turn(agent("general", "CHILD: write them"))
        .turn(text("Then not.").expect_result("Agent", "I could not."))
        .conversation("child", "CHILD: write them", child);
    let stage = Stage::new(script);
    let mut show = stage.start("default").await;
    let mode = |name: &str| Command::Mode { to: name.parse().unwrap() };
    let yes = |call: u32| Command::Reply { question: QuestionId(format!("question-call-{call}")), reply: Reply::Yes };
    show.prompt("write").await;
    show.until("asks: Write").await;
    for command in [mode("plan"), mode("default"), yes(2)] {
        show.send(command).await;
    }
    show.until("refused Write: permit.stale").await;
    show.until("asks: Write").await;
    for command in [mode("plan"), yes(3)] {
        show.send(command).await;
    }
    show.until("refused Write: permit.stale").await;
    show.until("refused Write: plan.edit").await;
    show.until("ended").await;
    show.close().await;
    for name in ["one.txt", "two.txt", "three.txt"] {
        assert!(!stage.project.join(name).exists(), "{name}");
    }
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn h3_a_child_that_goes_elsewhere_moves_nobody_else() {
    let bash = |command: &str| call("Bash", json!({"command": command}));
    let child = [
        bash("touch seen; cd /usr"),
        bash("touch /tmp; pwd").expect_result("Bash", "the working folder is now /usr"),
        text("I was in /usr.").expect_result("Bash", "/usr"),
    ];
    let script = ModelScript::new()
        .turn(agent("general", "CHILD: look around"))
        .turn(bash("touch here; pwd").expect_result("Agent", "I was in /usr."))
        .turn(text("Home.").expect_result("Bash", "/shop"))
        .conversation("child", "CHILD: look around", child);
    let stage = Stage::new(script);
    let mut show = stage.start("bypassPermissions").await;
    show.prompt("look").await;
    show.until("ended").await;
    show.close().await;
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn b3_what_a_child_found_while_planning_is_kept_in_our_own_home_and_not_in_the_project() {
    let script = ModelScript::new()
        .turn(agent("Explore", "CHILD: look"))
        .turn(text("Seen.").expect_result("Agent", "It is in lib.rs."))
        .conversation("child", "CHILD: look", [text("It is in lib.rs.")]);
    let stage = Stage::new(script);
    let begin = Begin::Fresh { mode: "plan".parse().unwrap() };
    let mut launch = stage.launch(begin, Reachable::Approver);
    launch.settings.plans_directory = Some("docs/plans".into());
    let mut show = stage.go(launch).await;
    show.prompt("plan").await;
    show.until("ended").await;
    show.close().await;
    let names = |folder: std::path::PathBuf| -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let inside = names(stage.project.join("docs/plans"));
    assert!(inside.iter().all(|name| !name.contains("-agent-")), "{inside:?}");
    let kept = names(stage.home.join(".forethought/plans"));
    assert!(kept.iter().any(|name| name.contains("-agent-")), "{kept:?}");
    stage.server.finish().unwrap();
}
