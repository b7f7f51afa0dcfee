//! Custom commands in a session: files and `!` commands by ordinary calls, all or nothing, and what a file may say to the program.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need")]

use crate::support::{Show, Stage};
use fore_agent::{Begin, Command};
use fore_plan::{approval::Reachable, gate::Reply, plan::Hash};
use fore_testkit::{ModelScript, call, text};
use serde_json::json;

/// With these files, and a call of a command that is over.
async fn run(stage: &Stage, mode: &str, line: &str) -> Show {
    let mut show = stage.start(mode).await;
    custom(&mut show, line).await;
    show.until("ended").await;
    show
}

async fn custom(show: &mut Show, line: &str) {
    show.send(Command::Custom { line: line.to_owned(), or_words: false }).await;
}

fn stage(script: ModelScript, files: &[(&str, &str)]) -> Stage {
    let stage = Stage::new(script);
    for (name, text) in files {
        stage.write(name, text);
    }
    stage
}

fn not_sent(show: &Show) -> String {
    let outcome = show.events.iter().rev().find_map(|event| match event {
        fore_agent::Event::TurnEnded { outcome: fore_agent::TurnOutcome::NotSent { why } } => Some(why.clone()),
        _ => None,
    });
    outcome.unwrap_or_else(|| panic!("it was sent: {:#?}", show.lines))
}

const COMMIT: &str =
    "---\ndescription: Commits.\n---\nState: !`cat state.txt`\n\nRules: @rules.md\n\nCommit $1, for $ARGUMENTS.\n";

#[tokio::test(flavor = "current_thread")]
async fn a_command_becomes_a_prompt_with_its_files_and_outputs_and_is_shown_as_it_was_typed() {
    let script = ModelScript::new()
        .turn(
            text("Done.")
                .expect_user("/git:commit cart fast\n\n(The person ran this command. What follows is its text, from .claude/commands/git/commit.md.)")
                .expect_user("State: two files changed\n\nRules: @rules.md\n\nCommit cart, for cart fast.\n\n<file path=\"rules.md\">\n")
                .expect_user("Write short messages."),
        )
        .turn(text("Again."));
    let files = [
        (".claude/commands/git/commit.md", COMMIT),
        ("state.txt", "two files changed\n"),
        ("rules.md", "Write short messages.\n"),
    ];
    let stage = stage(script, &files);
    let mut show = run(&stage, "plan", "/git:commit cart fast").await;
    let session = show.session.unwrap();
    assert_eq!(
        show.lines[1..],
        ["person: /git:commit cart fast", "call Bash", "done Bash", "call Read", "done Read", "model: Done.", "ended"]
    );
    show.send(Command::Rewind).await;
    assert_eq!(show.until("taken back").await, "taken back: /git:commit cart fast");
    custom(&mut show, "/git:commit cart fast").await;
    show.until("ended").await;
    show.close().await;
    let home = fore_store::Home::open(&stage.home.join(".forethought")).unwrap();
    let past = fore_agent::replay::events(&home, session, 100).unwrap();
    let typed = fore_agent::Event::PromptTaken { text: "/git:commit cart fast".into() };
    assert!(past.contains(&typed), "{past:#?}");
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn what_is_refused_is_said_and_nothing_is_sent() {
    let files = [
        (".claude/commands/write.md", "!`cat state.txt` !`touch made.txt`\nGo on."),
        (".claude/commands/secret.md", "Use @.env."),
        (".claude/commands/outside.md", "!`cat .env`\nUse it."),
        (".claude/commands/named.md", "Read @$1."),
        (".claude/commands/broken.md", "---\ndescription: [a\n---\n"),
        ("state.txt", "x"),
        (".env", "KEY=1"),
    ];
    let stage = stage(ModelScript::new(), &files);
    for (line, expected) in [
        ("/write", "/write was not sent: `touch made.txt` was refused. `touch` makes files."),
        ("/secret", "/secret was not sent: "),
        ("/named gone.rs", "/named was not sent: `@gone.rs` is not there."),
        ("/nothing", "There is no command /nothing."),
        ("/secre", "There is no command /secre. Did you mean /secret?"),
        ("/plan", "There is no command /plan."),
    ] {
        let show = run(&stage, "plan", line).await;
        let why = not_sent(&show);
        assert!(why.starts_with(expected), "{line}: {why}");
        assert!(!why.contains("KEY"), "{why}");
        show.close().await;
    }
    assert!(!stage.project.join("made.txt").exists());
    assert!(stage.server.finish().unwrap().is_empty(), "no model was asked");
}

#[tokio::test(flavor = "current_thread")]
async fn a_secret_that_a_command_names_is_not_there_for_it() {
    let files = [(".claude/commands/leak.md", "It says !`cat .env; true`."), (".env", "KEY=very-hidden")];
    let stage = stage(ModelScript::new().turn(text("I see nothing.")), &files);
    let show = run(&stage, "plan", "/leak").await;
    show.close().await;
    for request in stage.server.finish().unwrap() {
        assert!(!String::from_utf8_lossy(&request.body).contains("very-hidden"));
    }
}

#[tokio::test(flavor = "current_thread")]
async fn outside_of_planning_a_command_is_asked_about_like_the_models_and_a_no_sends_nothing() {
    let files = [(".claude/commands/write.md", "!`touch made.txt`\nGo on.")];
    let stage = stage(ModelScript::new().turn(text("On.").expect_user("Go on.")), &files);
    let mut show = stage.start("default").await;
    for (reply, is_made) in [(Reply::No { reason: String::new() }, false), (Reply::Yes, true)] {
        custom(&mut show, "/write").await;
        show.until("asks: Bash").await;
        let question = show.last_question.clone().unwrap();
        show.send(Command::Reply { question, reply }).await;
        show.until("ended").await;
        assert_eq!(stage.project.join("made.txt").exists(), is_made);
    }
    assert!(not_sent(&show).contains("You declined"), "the first one");
    show.close().await;
    stage.server.finish().unwrap();
}

const GRANTS: &str = "---\nallowed-tools: Bash(touch:*)\nmode: acceptEdits\n---\n!`touch one.txt`\nGo on.";

#[tokio::test(flavor = "current_thread")]
async fn what_a_repositorys_command_grants_counts_for_trusted_bytes_and_ends_with_its_turn() {
    let files = [(".claude/commands/touch.md", GRANTS)];
    let touch = |name: &str| call("Bash", json!({"command": format!("touch {name}.txt")}));
    let script = ModelScript::new()
        .turn(touch("two").expect_user("Go on."))
        .turn(text("Done."))
        .turn(touch("three"))
        .turn(text("Done."));
    let stage = stage(script, &files);
    let mut launch = stage.launch(Begin::Fresh { mode: "default".parse().unwrap() }, Reachable::Nobody);
    launch.settings.trusted_files = vec![Hash::of(GRANTS.as_bytes())];
    let mut show = stage.go(launch).await;
    custom(&mut show, "/touch").await;
    show.until("ended").await;
    assert!(show.lines.contains(&"mode default → acceptEdits by person".to_owned()), "{:#?}", show.lines);
    show.prompt("once more").await;
    show.until("ended").await;
    show.close().await;
    let made = |name: &str| stage.project.join(format!("{name}.txt")).exists();
    assert_eq!([made("one"), made("two"), made("three")], [true, true, false]);
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn other_bytes_grant_nothing_and_that_is_said() {
    let files = [(".claude/commands/touch.md", GRANTS)];
    let stage = stage(ModelScript::new(), &files);
    let mut launch = stage.launch(Begin::Fresh { mode: "default".parse().unwrap() }, Reachable::Nobody);
    launch.settings.trusted_files = vec![Hash::of(GRANTS.replace("touch:", "git:").as_bytes())];
    let mut show = stage.go(launch).await;
    custom(&mut show, "/touch").await;
    show.until("ended").await;
    let notices: Vec<&String> = show.lines.iter().filter(|line| line.starts_with("notice")).collect();
    assert_eq!(
        notices,
        [
            "notice: .claude/commands/touch.md asks for the mode acceptEdits, which does not count until you trust this file (`fore trust`)",
            "notice: .claude/commands/touch.md asks for calls without a question (Bash(touch:*)), which does not count until you trust this file (`fore trust`)",
        ]
    );
    assert!(not_sent(&show).contains("obody can answer in this run"), "{}", not_sent(&show));
    show.close().await;
    assert!(!stage.project.join("one.txt").exists());
}

#[tokio::test(flavor = "current_thread")]
async fn a_stricter_mode_needs_no_trust_and_none_ends_planning() {
    let files = [
        (".claude/commands/think.md", "---\nmode: plan\n---\nThink."),
        (".claude/commands/ask.md", "---\nmode: default\n---\nAsk."),
    ];
    let script = ModelScript::new().turn(text("1")).turn(text("2"));
    let stage = stage(script, &files);
    let mut show = run(&stage, "acceptEdits", "/think").await;
    assert_eq!(show.mode.unwrap().name(), "plan");
    custom(&mut show, "/ask").await;
    show.until("ended").await;
    assert_eq!(show.mode.unwrap().name(), "plan", "a command does not end it");
    show.close().await;
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn allowed_tools_never_speak_while_planning() {
    let files = [(".forethought/commands/touch.md", GRANTS)];
    let stage = stage(ModelScript::new(), &files);
    let mut launch = stage.launch(Begin::Fresh { mode: "plan".parse().unwrap() }, Reachable::Approver);
    launch.settings.trusted_files = vec![Hash::of(GRANTS.as_bytes())];
    let mut show = stage.go(launch).await;
    custom(&mut show, "/touch").await;
    show.until("ended").await;
    assert!(not_sent(&show).starts_with("/touch was not sent: `touch one.txt` was refused."), "{}", not_sent(&show));
    assert_eq!(show.mode.unwrap().name(), "plan");
    show.close().await;
    assert!(!stage.project.join("one.txt").exists());
}

#[tokio::test(flavor = "current_thread")]
async fn a_skill_is_a_command_a_line_may_be_words_and_new_files_are_listed() {
    let files = [(".claude/skills/release/SKILL.md", "---\ndescription: Releases.\n---\nMake $ARGUMENTS.\n")];
    let script = ModelScript::new()
        .turn(text("1").expect_user("Make v2.").expect_user("from a skill"))
        .turn(
            call("Write", json!({"file_path": ".claude/commands/later.md", "content": "New."}))
                .expect_user("/etc is odd"),
        )
        .turn(text("2"));
    let stage = stage(script, &files);
    let mut show = stage.start("bypassPermissions").await;
    let names = |show: &Show| -> Vec<String> {
        show.started.as_ref().unwrap().commands.iter().map(|row| row.name.clone()).collect()
    };
    show.send(Command::Custom { line: "/release v2".into(), or_words: true }).await;
    show.until("ended").await;
    assert_eq!(names(&show), ["release"]);
    show.send(Command::Custom { line: "/etc is odd".into(), or_words: true }).await;
    show.until("ended").await;
    let listed = show.events.iter().find_map(|event| match event {
        fore_agent::Event::CommandsListed { commands } => Some(commands.iter().map(|row| row.name.clone()).collect()),
        _ => None,
    });
    assert_eq!(listed, Some(vec!["later".to_owned(), "release".to_owned()]), "{:#?}", show.lines);
    show.close().await;
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_persons_own_command_grants_by_itself_unless_work_could_have_written_it() {
    let own = "---\nallowed-tools: Bash(touch:*)\n---\n!`touch made.txt`\nGo on.";
    let stage = stage(ModelScript::new().turn(text("On.").expect_user("Go on.")), &[("linked.md", own)]);
    let home = stage.project.parent().unwrap().to_owned();
    let commands = home.join(".claude/commands");
    std::fs::create_dir_all(&commands).unwrap();
    std::os::unix::fs::symlink(stage.project.join("linked.md"), commands.join("linked.md")).unwrap();
    stage.write("../.claude/commands/own.md", own);
    for (line, is_made) in [("/linked", false), ("/own", true)] {
        let mut launch = stage.launch(Begin::Fresh { mode: "default".parse().unwrap() }, Reachable::Nobody);
        launch.user_home = Some(home.clone());
        let mut show = stage.go(launch).await;
        custom(&mut show, line).await;
        show.until("ended").await;
        let is_untrusted = show.lines.iter().any(|line| line.contains("asks for calls without a question"));
        let is_there = stage.project.join("made.txt").exists();
        assert_eq!((is_there, is_untrusted), (is_made, !is_made), "{line}: {:#?}", show.lines);
        show.close().await;
    }
    stage.server.finish().unwrap();
}
