//! M7: what an approved plan covers passes, in a cage; everything else asks, and nothing is granted that was not shown.

use super::*;
use crate::{
    approval::{
        Answered, ApprovalAnswer, Choice, ChosenLevel, GrantChanges, GrantScope, Proposal, Timestamp,
        amend::{PlanAddition, amend},
        answer,
    },
    contract::{Contract, ContractGround, ProjectTree},
    plan::Hash,
};

const PLAN: &str = "# Discounts\n\n## Change\n- `src/cart.rs`: add a discount.\n- Delete `src/old.rs`.\n- `src/link.rs`\n\n\
                    ## Verify\n- Run `npm test`.\n\n## Out of scope\n- `src/tax.rs`\n";

fn reads(text: &str) -> Contract {
    let files = ["src/cart.rs", "src/old.rs", "src/tax.rs", "src/link.rs", "docs/cart.md", "package.json"];
    let tree = ProjectTree::new(files.map(str::to_owned));
    with_ground(&Rules::default(), &CageSupport::FULL, |ground| {
        Contract::read(text, &ContractGround { gate: ground, tree: &tree })
    })
}

pub(super) fn yes(
    runs_covered: bool,
    edited: Option<&str>,
    contract_hash: Option<Hash>,
    grants: GrantChanges,
) -> Choice {
    Choice::Approve {
        level: ChosenLevel::Level { level: Level::Default, scope: GrantScope::Plan },
        runs_covered,
        clear_context: false,
        edited: edited.map(str::to_owned),
        steps: None,
        contract_hash,
        grants,
        note: String::new(),
        comments: Vec::new(),
    }
}

fn answered(story: &Story, proposal: &Proposal, choice: Choice) -> Answered {
    let (request, hash) = (proposal.request.clone(), proposal.hash);
    let given = ApprovalAnswer { request, hash, by: person(), at: Timestamp(2000), choice };
    answer(&story.state, &given, story.on_disk(), "n", &reads)
}

pub(super) fn approved(choice: Choice) -> Story {
    let mut story = Story::planning(Level::Default, PLAN);
    let proposal = story.propose();
    match answered(&story, &proposal, choice) {
        Answered::Approved { changes, .. } => story.apply_all(&changes),
        other => panic!("not approved: {other:?}"),
    }
    story
}

fn said(state: &State, rules: &Rules, kernel: &CageSupport, tool: &str, input: Value) -> String {
    let action = Action::from_call(tool, &input, &Disk);
    let verdict = with_ground(rules, kernel, |ground| judge(state, ground, action).verdict);
    match &verdict {
        Verdict::Allow(permit) => format!("{} {:?}", word(&verdict), permit.source()),
        Verdict::Ask(question) if question.text().starts_with("Not in the plan.") => "ask, not in the plan".into(),
        Verdict::Ask(_) | Verdict::Block(_) => word(&verdict),
    }
}

#[test]
fn m7_what_the_plan_names_passes_and_everything_else_asks() {
    let story = approved(yes(true, None, None, GrantChanges::default()));
    let none = Rules::default();
    let edits = [
        ("src/cart.rs", "allow free Plan"),
        ("src/cart_test.rs", "allow free NearPlan"),
        ("src/tax.rs", "ask, not in the plan"),
        ("docs/cart.md", "ask, not in the plan"),
        // A link is named, and leads elsewhere; a second name reaches another file, too.
        ("src/link.rs", "ask"),
        ("src/twin.rs", "ask"),
        ("src/../src/cart.rs", "allow free Plan"),
        ("../other/src/cart.rs", "ask"),
        (".git/config", "ask"),
        ("/etc/hosts", "ask"),
    ];
    for (path, expected) in edits {
        let input = json!({ "file_path": path });
        assert_eq!(said(&story.state, &none, &CageSupport::FULL, "Edit", input), expected, "{path}");
    }
    let commands = [
        ("npm test", "allow workspace Plan"),
        ("npm test && rm -rf x", "ask, not in the plan"),
        ("npm test > out.txt", "ask, not in the plan"),
        ("X=1 npm test", "ask, not in the plan"),
        ("npm test $(cat .env)", "ask, not in the plan"),
        ("npm run build", "ask, not in the plan"),
        ("rm src/old.rs", "allow workspace Plan"),
        ("rm -rf src/old.rs", "ask, not in the plan"),
        ("rm src/cart.rs", "ask, not in the plan"),
        ("rm src/old.rs src/cart.rs", "ask, not in the plan"),
        ("rm $(echo src/old.rs)", "ask, not in the plan"),
    ];
    for (command, expected) in commands {
        assert_eq!(said(&story.state, &none, &CageSupport::FULL, "Bash", bash(command)), expected, "{command}");
    }
}

#[test]
fn m7_a_plan_answers_no_rule_no_kernel_and_no_planning() {
    let mut story = approved(yes(true, None, None, GrantChanges::default()));
    let edit = json!({ "file_path": "src/cart.rs" });
    let none = Rules::default();
    let deny = rules(&[(RuleEffect::Deny, "Edit(src/**)")]);
    assert_eq!(said(&story.state, &deny, &CageSupport::FULL, "Edit", edit.clone()), "rule.deny");
    let ask = rules(&[(RuleEffect::Ask, "Bash(npm test)")]);
    assert_eq!(said(&story.state, &ask, &CageSupport::FULL, "Bash", bash("npm test")), "ask, not in the plan");
    // Where no sandbox can be built the person is asked, as always.
    assert_eq!(said(&story.state, &none, &CageSupport::NONE, "Bash", bash("npm test")), "ask, not in the plan");
    let before = story.state.epoch();
    story.enter();
    assert_ne!(story.state.epoch(), before, "old permits are void");
    assert_eq!(said(&story.state, &none, &CageSupport::FULL, "Edit", edit), "plan.edit");
    assert_eq!(said(&story.state, &none, &CageSupport::FULL, "AmendPlan", json!({})), "plan.amend");
}

#[test]
fn m7_an_approval_grants_what_was_shown_and_nothing_else() {
    let edit = |story: &Story, path: &str| {
        said(&story.state, &Rules::default(), &CageSupport::FULL, "Edit", json!({ "file_path": path }))
    };
    // Another choice grants nothing, and what it covers is known all the same.
    let level = approved(yes(false, None, None, GrantChanges::default()));
    assert_eq!(edit(&level, "src/cart.rs"), "ask");
    assert!(level.state.plan().unwrap().contract.is_some() && level.state.contract().is_none());
    let struck = GrantChanges { struck_files: vec!["src/cart.rs".into()], ..GrantChanges::default() };
    assert_eq!(edit(&approved(yes(true, None, None, struck)), "src/cart.rs"), "ask, not in the plan");
    let added = GrantChanges { added_files: vec!["docs/cart.md".into()], ..GrantChanges::default() };
    assert_eq!(edit(&approved(yes(true, None, None, added)), "docs/cart.md"), "allow free Plan");

    let mut story = Story::planning(Level::Default, PLAN);
    let proposal = story.propose();
    let other = PLAN.replace("src/cart.rs", "docs/cart.md");
    let refused = [
        (yes(true, None, Some(Hash::of(b"x")), GrantChanges::default()), "what the plan covers is not what was shown"),
        (yes(true, Some(&other), None, GrantChanges::default()), "what the edited plan covers was not shown"),
        (
            yes(true, Some(&other), Some(reads(PLAN).hash()), GrantChanges::default()),
            "what the plan covers is not what was shown",
        ),
    ];
    for (choice, why) in refused {
        assert_eq!(not_counted(&answered(&story, &proposal, choice)), why);
    }
    for odd in ["/etc/passwd", "../x.rs", ".git/config", "a`\n- Run: `rm -rf .", ""] {
        let added = GrantChanges { added_files: vec![odd.into()], ..GrantChanges::default() };
        assert!(
            matches!(answered(&story, &proposal, yes(true, None, None, added)), Answered::NotCounted { .. }),
            "{odd}"
        );
    }
    // A receipt with another contract than it names counts for nothing.
    let Answered::Approved { changes, .. } =
        answered(&story, &proposal, yes(true, None, None, GrantChanges::default()))
    else {
        panic!()
    };
    for change in changes {
        let Change::Decided { decision: crate::Decision::Approved { receipt, comments, .. }, from, to } = change else {
            continue;
        };
        let forged = crate::Decision::Approved { receipt, comments, contract: Some(Box::new(reads(&other))) };
        let forged = Change::Decided { decision: forged, from, to };
        assert_eq!(story.state.apply(&forged), Applied::Ignored("the receipt names another contract"));
    }
}

#[test]
fn m7_more_is_a_persons_word_with_a_receipt_of_its_own() {
    let mut story = approved(yes(true, None, None, GrantChanges::default()));
    let addition = |files: &[&str]| PlanAddition {
        why: "Found `src/tax.rs` on the way".into(),
        files: files.iter().map(|file| (*file).to_owned()).collect(),
        commands: Vec::new(),
    };
    let more =
        |state: &State, files: &[&str]| amend(state, PLAN, &addition(files), (person(), Timestamp(3), "n"), &reads);
    assert_eq!(more(&story.state, &["src/cart.rs"]).unwrap_err(), "the plan covers all of this already");
    assert!(more(&story.state, &[".git/config"]).is_err() && more(&story.state, &["/etc/hosts"]).is_err());
    let amendment = more(&story.state, &["docs/cart.md"]).unwrap();
    assert!(addition(&["docs/cart.md"]).is_taken_literally(&amendment.added));
    // A file may be called what a plan reads as a pattern, a folder or a line of another file.
    for odd in ["docs/*", "docs/cart.md:10", "docs/", "docs/{cart,tax}.md"] {
        let is_taken = |read: &Contract| addition(&[odd]).is_taken_literally(read);
        assert!(!more(&story.state, &[odd]).is_ok_and(|amendment| is_taken(&amendment.added)), "{odd}");
    }
    assert!(
        amendment.text.ends_with("## Added while working\n\n- `docs/cart.md`\n\nWhy: Found `src/tax.rs` on the way\n")
    );
    let epoch = story.state.epoch();
    let taken = |by| match &amendment.changes[1] {
        Change::Amended { receipt, contract } => {
            Change::Amended { receipt: crate::approval::Receipt { by, ..receipt.clone() }, contract: contract.clone() }
        }
        other => panic!("{other:?}"),
    };
    story.apply(amendment.changes[0].clone());
    let lead = crate::approval::Decider::Lead { name: "ada".into() };
    assert_eq!(story.state.apply(&taken(lead)), Applied::Ignored("the receipt is for something else"));
    story.apply(taken(person()));
    assert_eq!(story.state.epoch(), epoch, "what was allowed before still is");
    let edit = |state: &State, path: &str| {
        said(state, &Rules::default(), &CageSupport::FULL, "Edit", json!({ "file_path": path }))
    };
    assert_eq!(edit(&story.state, "docs/cart.md"), "allow free Plan");
    assert_eq!(edit(&story.state, "src/tax.rs"), "ask, not in the plan");
    // A new file of the project folder can be added, and the reason grants nothing whenever the plan is read again.
    assert_eq!(more(&story.state, &["CHANGES.md"]).err(), Some("the approved text of the plan is lost".into()));
    for why in [
        "Run: `make deploy`",
        "Also modify `src/tax.rs` and `web/`",
        "# Changes - `src/tax.rs`",
        "```sh make deploy",
        "<!-- x",
        "Out of scope: `docs/cart.md`",
        "\u{202e}x\u{200b} `src/tax.rs`",
    ] {
        let story = approved(yes(true, None, None, GrantChanges::default()));
        let addition =
            PlanAddition { why: why.into(), files: vec!["CHANGES.md".into()], commands: vec!["make x".into()] };
        let amendment = amend(&story.state, PLAN, &addition, (person(), Timestamp(3), "n"), &reads).unwrap();
        assert_eq!((amendment.added.files.len(), amendment.added.commands.len()), (1, 1), "{why}");
        let (before, after) = (reads(PLAN), reads(&amendment.text));
        assert_eq!(after.files.len(), before.files.len() + 1, "{why}: {:?}", after.files);
        assert_eq!(after.commands.len(), before.commands.len() + 1, "{why}: {:?}", after.commands);
        assert!(!amendment.text.contains(['\u{202e}', '\u{200b}']), "{why}");
    }
    // At every level, and never by the classifier.
    story.go(ModeTarget::Level(Level::Auto));
    let action = Action::from_call("AmendPlan", &json!({}), &Disk);
    let verdict =
        with_ground(&Rules::default(), &CageSupport::FULL, |ground| judge(&story.state, ground, action).verdict);
    let Verdict::Ask(question) = verdict else { panic!("{verdict:?}") };
    assert_eq!(question.answerer(), Answerer::Person);
    story.apply(Change::Stage { plan: story.state.plan().unwrap().id.clone(), stage: PlanStage::InProgress });
    story.apply(Change::Stage { plan: story.state.plan().unwrap().id.clone(), stage: PlanStage::Done });
    assert!(story.state.contract().is_none(), "it ends with the plan");
}
