//! What the gate says where a cage is missing, and which file a permit opens in one.

use super::*;

#[test]
fn g4_without_a_kernel_cage_no_command_runs_and_the_refusal_says_why() {
    let state = Story::planning(Level::BypassPermissions, "").state;
    let found = |command: &str| {
        let action = Action::from_call("Bash", &bash(command), &Disk);
        with_ground(&Rules::default(), &CageSupport::NONE, |ground| word(&judge(&state, ground, action).verdict))
    };
    assert_eq!(found("ls -la"), "cage.unavailable");
    assert_eq!(found("cat ~/.ssh/id_rsa .env"), "cage.unavailable");
    assert_eq!(found("curl https://example.org"), "cage.unavailable");
    assert_eq!(found("docker ps"), "cage.unavailable");
    assert_eq!(found("cargo test"), "plan.shell-unproven");
    assert_eq!(found("$cmd"), "plan.shell-unproven");
    assert_eq!(found("rm x"), "plan.shell-writes");
    let lack = Lack { reason: "namespaces are switched off".into(), remedy: "Switch them on.".into() };
    let kernel = CageSupport {
        read_only: CageStanding::Missing(lack.clone()),
        rehearsal: CageStanding::Missing(lack.clone()),
        network: CageStanding::Missing(lack),
    };
    let refused = |command: &str| {
        let action = Action::from_call("Bash", &bash(command), &Disk);
        match with_ground(&Rules::default(), &kernel, |ground| judge(&state, ground, action)).verdict {
            Verdict::Block(refusal) => refusal.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        refused("ls -la"),
        "Plan mode: no command runs without a sandbox, and there is none: namespaces are switched off. Switch them on. \
         Read, Grep and Glob work without one. [cage.unavailable; rule shell-reads]"
    );
    let unproved = refused("cargo test");
    assert!(unproved.contains("It cannot be rehearsed: namespaces are switched off. Switch them on."), "{unproved}");
}

#[test]
fn without_namespaces_a_command_with_network_is_refused_before_anybody_is_asked() {
    let lack = Lack { reason: "there are no namespaces".into(), remedy: "Switch them on.".into() };
    let kernel = CageSupport { network: CageStanding::Missing(lack), ..CageSupport::FULL };
    let judged = |state: &State, command: &str| {
        let action = Action::from_call("Bash", &bash(command), &Disk);
        with_ground(&Rules::default(), &kernel, |ground| judge(state, ground, action)).verdict
    };
    let planning = Story::planning(Level::Default, "").state;
    for command in ["curl https://docs.rs", "docker ps", "git ls-remote", "xargs -I{} curl https://docs.rs/{}"] {
        assert_eq!(word(&judged(&planning, command)), "cage.unavailable", "{command}");
        assert_eq!(word(&judged(&Story::at(Level::Auto).state, command)), "cage.unavailable", "{command}");
        // A person's yes is to the exact command, without a cage.
        assert_eq!(word(&judged(&Story::at(Level::Default).state, command)), "ask", "{command}");
    }
    assert_eq!(word(&judged(&planning, "ls")), "allow read-only");
    let auto = Story::at(Level::Auto).state;
    assert_eq!(word(&judged(&auto, "git push")), "cage.unavailable");
    match judged(&auto, "make") {
        Verdict::Ask(question) => assert_eq!(question.cage(), &Cage::Workspace { outside: Outside::Closed }),
        other => panic!("{other:?}"),
    }
    match judged(&planning, "curl https://docs.rs") {
        Verdict::Block(refusal) => assert_eq!(
            refusal.to_string(),
            "Plan mode: no command reaches a network or a service here: there are no namespaces. Switch them on. \
             WebFetch works without it. [cage.unavailable; rule curl]"
        ),
        other => panic!("{other:?}"),
    }
}

#[test]
fn g4_outside_of_planning_a_read_without_a_cage_is_a_command_like_any_other() {
    let found = |level, command: &str| {
        let action = Action::from_call("Bash", &bash(command), &Disk);
        let state = Story::at(level).state;
        with_ground(&Rules::default(), &CageSupport::NONE, |ground| word(&judge(&state, ground, action).verdict))
    };
    let page = [
        (Level::Default, "ask"),
        (Level::AcceptEdits, "ask"),
        (Level::Auto, "cage.unavailable"),
        (Level::BypassPermissions, "allow free"),
    ];
    for (level, expected) in page {
        assert_eq!(found(level, "ls -la"), expected, "{level}");
        assert_eq!(found(level, "make"), expected, "{level}");
    }
}

#[test]
fn g4_the_permit_names_the_plan_file_for_its_judged_redirection_and_for_nothing_else() {
    let planning = Story::planning(Level::Default, "# Plan\n").state;
    let named = |state: &State, input: Value| match verdict(state, &Rules::default(), "Bash", input) {
        Verdict::Allow(permit) => permit.plan_file().map(str::to_owned),
        Verdict::Ask(question) => {
            let granted = question.answer(Reply::Yes, state).unwrap();
            granted.permit.plan_file().map(str::to_owned)
        }
        Verdict::Block(_) => None,
    };
    let at = |command: &str| bash(&command.replace("PLAN", PLAN_PATH));
    for command in [
        "printf '# Plan' > PLAN",
        "cat notes.txt >> PLAN",
        "{ echo a; echo b; } > PLAN",
        "ls | tee PLAN",
        "sort -o PLAN a",
        "curl -s https://docs.rs/x > PLAN",
        "curl -s -o PLAN https://docs.rs/x",
    ] {
        assert_eq!(named(&planning, at(command)).as_deref(), Some(PLAN_PATH), "{command}");
    }
    for command in [
        "ls",
        "cat PLAN",
        "cat < PLAN",
        "git status",
        "echo x > /dev/null",
        "echo PLAN",
        "echo x > PLAN.bak",
        "make > PLAN",
        "sh x.sh; echo x > PLAN",
        "$TOOL > PLAN",
        "echo x > PLAN; rm a",
        "echo x > /home/ada/../ada/.forethought/plans/brave-quiet-fox.md",
    ] {
        assert_eq!(named(&planning, at(command)), None, "{command}");
    }
    let rehearsed = json!({"command": format!("echo x > {PLAN_PATH}"), "rehearse": true});
    assert_eq!(named(&planning, rehearsed), None, "a rehearsal keeps nothing");

    let mut approved = Story::planning(Level::Default, "# Plan\n");
    let proposal = approved.propose();
    assert_eq!(named(&approved.state, at("echo x > PLAN")).as_deref(), Some(PLAN_PATH), "it is still planned");
    approved.answer(&proposal, approve(crate::approval::ChosenLevel::Previous));
    assert_eq!(named(&approved.state, at("echo x > PLAN")), None, "what was approved is not written by a cage");
    approved.enter();
    assert_eq!(named(&approved.state, at("echo x > PLAN")), None, "nor when planning again");
}
