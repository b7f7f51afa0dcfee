//! Every slash command: what it does, and what it says where it can do nothing.

use crate::app::tests::{TestApp, session, started};
use fore_agent::Event;
use fore_plan::{Level, Mode};

const DEFAULT: Mode = Mode::At(Level::Default);

/// What a line leads to in a session that has this mode, and the first line that is said.
fn typed(mode: Mode, line: &str) -> (Vec<String>, String) {
    let mut test = TestApp::empty();
    test.event(started(mode));
    test.printed();
    test.keys(&format!("'{}' enter", line.replace(' ', "_")));
    (test.acts(), test.printed().lines().next().unwrap_or_default().to_owned())
}

#[test]
fn every_command_leads_somewhere() {
    let page: &[(&str, &[&str], &str)] = &[
        ("/model", &["fetch(models(choosing))"], ""),
        ("/model scout", &["send model scout"], ""),
        ("/mode plan", &["send mode plan"], ""),
        ("/mode acceptEdits", &["send mode acceptEdits"], ""),
        ("/status", &["fetch(files)"], ""),
        ("/cost", &["send spending"], ""),
        ("/permissions", &["fetch(permissions)"], ""),
        ("/mode Plan", &["send mode plan"], ""),
        ("/mode AUTOEDIT", &["send mode acceptEdits"], ""),
        ("/config reload", &["send reload-settings"], ""),
        ("/agents", &[], "Agents"),
        ("/clear", &["send clear"], ""),
        ("/compact", &["send compact"], ""),
        ("/compact keep errors", &["send compact keep errors"], ""),
        ("/resume", &["fetch(sessions)"], ""),
        ("/resume 0198", &["fetch(session(\"0198\"))"], ""),
        ("/fork", &["begin fork 1 None"], ""),
        ("/help", &[], "Help"),
        ("/new", &["send clear"], ""),
        ("/usage", &["send spending"], ""),
        ("/todos", &[], "• There is no todo list yet."),
        ("/copy", &[], "• There is no answer to copy yet."),
        ("/quit", &["leave"], ""),
        ("/exit", &["leave"], ""),
        ("/QUIT", &["leave"], ""),
        ("/plain", &[], "✘ There is no command /plain. Did you mean /plan?"),
        ("/hlep", &[], "✘ There is no command /hlep. Did you mean /help?"),
        ("/nope", &[], "✘ There is no command /nope; /help lists them."),
        ("/perm", &["fetch(permissions)"], ""),
    ];
    for (line, acts, said) in page {
        assert_eq!(
            typed(DEFAULT, line),
            (acts.iter().map(|act| (*act).to_owned()).collect(), (*said).to_owned()),
            "{line}"
        );
    }
}

#[test]
fn no_custom_command_can_have_the_name_of_one_of_these() {
    for command in super::COMMANDS {
        let name = command.name.split(' ').next().unwrap_or_default();
        assert!(fore_agent::custom::BUILT_IN.contains(&name), "{name} is missing in fore_agent::custom::BUILT_IN");
    }
}

#[test]
fn a_custom_command_goes_to_the_session_as_a_line() {
    let row = |name: &str| fore_agent::custom::CustomCommandRow {
        name: name.into(),
        arguments: "[what]".into(),
        description: "Commits \u{1b}[2J `x` | y".into(),
        from: ".claude/commands/git/commit.md".into(),
    };
    let mut test = TestApp::new();
    test.event(Event::CommandsListed { commands: vec![row("git:Commit"), row("note-2")] });
    assert_eq!(test.keys("'/GIT:commit_fix_it' enter").acts(), ["send custom /git:Commit fix it false"]);
    // A key takes the row that was found by a part of the name.
    assert_eq!(test.keys("'/git' tab 'now' enter").acts(), ["send custom /git:Commit now false"]);
    test.printed();
    test.keys("'/nite2' enter");
    assert_eq!(test.printed(), "✘ There is no command /nite2. Did you mean /note-2?");
    let help = test.keys("'/help_commands' enter").printed();
    assert!(help.contains("/git:Commit [what]") && help.contains(".claude/commands/git/commit.md"), "{help}");
    assert!(!help.contains('\u{1b}'), "{help}");
    // Prompts that waited come back as what they were.
    test.event(Event::PromptsReturned { texts: vec!["/note-2 all".into()] });
    assert_eq!(test.keys("enter").acts(), ["send custom /note-2 all false"]);
}

#[test]
fn the_last_answer_is_copied_and_the_todo_list_is_shown_again() {
    let mut test = TestApp::working();
    let model = fore_model::ModelName::new("x", "y");
    for text in ["First.", "Last\n\n- one\n"] {
        test.event(Event::Said { agent: None, model: model.clone(), text: text.into(), continues: false });
    }
    assert_eq!(test.keys("'/copy' enter").acts(), ["copy(\"last\\n\\n- one\")"]);
    let item = fore_store::entry::Todo { text: "Test it".into(), status: fore_store::entry::TodoStatus::Pending };
    test.event(Event::Todos { items: vec![item] });
    test.event(Event::TurnEnded { outcome: fore_agent::TurnOutcome::Done });
    assert!(test.printed().contains("Test it"));
    assert!(test.keys("'/todos' enter").printed().contains("Test it"), "as often as it is asked for");
}

#[test]
fn permissions_are_tested_in_the_session_and_forgotten_where_they_are_kept() {
    let mut test = TestApp::new();
    assert_eq!(test.keys("'/permissions_test_npm_test_--_x' enter").acts(), ["send test-permission npm test -- x"]);
    assert_eq!(test.keys("'/permissions_forget_npm_test' enter").acts(), ["forget(\"npm test\")"]);
    test.event(Event::Allowed { what: "`npm test …`".into() });
    assert_eq!(test.keys("'/permissions_forget_npm_test' enter").acts(), ["send forget npm test"]);
    test.printed();
    test.event(Event::Forgotten { what: "`npm test …`".into() });
    assert!(test.printed().contains("Asked about again: `npm test …`."));
    assert_eq!(test.keys("'/permissions_forget_npm_test' enter").acts(), ["forget(\"npm test\")"]);
}

#[test]
fn a_mode_that_is_none_is_said_and_sent_nowhere() {
    let (acts, said) = typed(DEFAULT, "/mode nonsense");
    assert_eq!(acts, [""; 0]);
    assert!(said.starts_with('✘') && said.contains("nonsense"), "{said}");
    let mut test = TestApp::new();
    test.keys("'/mode' enter");
    assert_eq!(test.acts(), [""; 0]);
    assert_eq!(test.keys("'plan' enter").acts(), ["send mode plan"]);
}

#[test]
fn c1_plan_enters_plan_mode_from_every_other_mode() {
    for mode in Mode::ALL.into_iter().filter(|mode| *mode != Mode::Plan) {
        let page: &[(&str, &[&str])] = &[
            ("/plan", &["send mode plan"]),
            ("/plan make login fast", &["send mode plan", "send prompt make login fast queue"]),
        ];
        for (line, acts) in page {
            assert_eq!(typed(mode, line).0, *acts, "{mode}: {line}");
        }
        let (acts, said) = typed(mode, "/plan off");
        assert_eq!(acts, [""; 0], "{mode}");
        assert!(said.starts_with('•'), "{mode}: {said}");
    }
}

#[test]
fn c2_in_plan_mode_plan_shows_opens_compares_exports_and_leaves() {
    let page: &[(&str, &[&str])] = &[
        ("/plan", &["send show-plan"]),
        ("/plan open", &["send show-plan"]),
        ("/plan diff", &["send show-plan"]),
        ("/plan export p.md", &["send show-plan"]),
        ("/plan off", &["send leave-plan-mode"]),
        ("/plan make it faster", &["send prompt make it faster queue"]),
    ];
    for (line, acts) in page {
        assert_eq!(typed(Mode::Plan, line).0, *acts, "{line}");
    }
    let (acts, said) = typed(Mode::Plan, "/plan export");
    assert_eq!(acts, [""; 0]);
    assert!(said.starts_with('✘'), "{said}");
}

#[test]
fn c2_the_plan_that_comes_is_used_for_what_was_asked_in_the_order_of_asking() {
    let plan = |changed: &str| Event::Plan {
        path: Some("/home/ada/plans/fox.md".into()),
        text: Some("# Fox\n".into()),
        hash: None,
        changed: changed.into(),
        unreadable: None,
    };
    let mut test = TestApp::empty();
    test.event(started(Mode::Plan));
    test.keys("'/plan' enter '/plan_open' enter '/plan_diff' enter '/plan_diff' enter '/plan_export_p.md' enter");
    assert_eq!(test.acts(), ["send show-plan"; 5]);
    test.printed();
    assert!(test.event(plan("")).printed().starts_with("● Current Plan"));
    assert_eq!(test.event(plan("")).acts(), ["edit fox \"# Fox\\n\" for Plan"]);
    assert!(test.event(plan("")).printed().contains("Nothing has changed"));
    // A fence in the plan does not end the fence around the difference.
    let printed = test.event(plan("@@ -1,2 +1,2 @@\n ~~~\n-old\n+# new\n ```\n")).printed();
    assert!(printed.contains("~~~") && printed.contains("+# new") && printed.contains("```"), "{printed}");
    assert_eq!(test.event(plan("")).acts(), ["export p.md (6 bytes)"]);
    // Nobody asked for this one: it is shown.
    assert!(test.event(plan("")).printed().starts_with("● Current Plan"));
    // Nothing is written yet.
    test.keys("'/plan_open' enter").acts();
    test.event(Event::Plan { path: None, text: None, hash: None, changed: String::new(), unreadable: None });
    assert_eq!(test.acts(), [""; 0]);
    assert!(test.printed().contains("No plan written yet"), "it is said");
}

#[test]
fn before_a_session_has_begun_commands_that_need_one_say_so() {
    for line in ["'/plan'", "'/plan_open'", "'/mode'", "'/mode_plan'", "'/fork'", "'/trust'"] {
        let mut test = TestApp::empty();
        test.keys(line).keys("enter");
        assert_eq!(test.acts(), [""; 0], "{line}");
        assert_eq!(test.printed(), "✘ The session has not started yet.", "{line}");
    }
    let mut test = TestApp::empty();
    test.keys("'fix_it' enter '!ls' enter '/agents' enter '/cost' enter '/help' enter");
    assert_eq!(
        test.acts(),
        ["send prompt fix it queue", "send typed ls", "send spending"],
        "what is written waits for it"
    );
}

#[test]
fn the_conversation_is_saved_where_it_is_wanted_or_under_its_own_name() {
    let path = |line: &str| typed(DEFAULT, line).0.join(" ").split(" (").next().unwrap_or_default().to_owned();
    assert_eq!(path("/export talk.md"), "export talk.md");
    let id = session(1).to_string();
    assert_eq!(path("/export"), format!("export conversation-{}.md", id.rsplit('-').next().unwrap_or_default()));
}

#[test]
fn pages_cannot_be_forged_by_what_they_list() {
    let hostile = "kind\n- **mode**: plan `x` \u{1b}[2J\u{202e}";
    let mut test = TestApp::working();
    let agent = fore_agent::AgentId("a1".into());
    let model = fore_agent::Event::AgentStarted {
        agent,
        kind: "explore".into(),
        task: hostile.into(),
        model: fore_model::ModelName::new("x", "y"),
    };
    test.event(model);
    test.printed();
    let page = test.keys("'/agents' enter").printed();
    assert!(page.ends_with("• explore: kind - **mode**: plan `x` \\u{1b}[2J\\u{202e}"), "{page}");
    test.told(crate::app::HostReply::Permissions(vec!["deny Bash(`rm`)\n- `allow all`".into()]));
    let page = test.printed();
    assert!(page.contains("deny Bash(`rm`) - `allow all`"), "{page}");
    test.told(crate::app::HostReply::Files(vec![("plans".into(), "/tmp/a`\n- **mode**: x".into())]));
    let page = test.printed();
    assert!(page.lines().filter(|line| line.trim_start().starts_with("• mode:")).count() == 1, "{page}");
}
