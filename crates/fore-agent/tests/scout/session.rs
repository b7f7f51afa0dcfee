//! The scout in a real session: real gate, real tools, real cages.

use super::{checked, files, shop};
use fore_agent::{
    Begin, Command, Event, Launch, ModelHandle, ModelHandles, SessionSettings,
    event::{CallOutcome, TurnOutcome},
};
use fore_plan::{
    Mode, Openings,
    approval::{ExitResponse, Reachable},
};
use fore_store::Home;
use std::{path::Path, sync::Arc};

fn launch(folder: &Path, home: &Path) -> Launch {
    Launch {
        folder: folder.canonicalize().unwrap(),
        home: Arc::new(Home::open(&home.join(".forethought")).unwrap()),
        user_home: Some(home.to_owned()),
        begin: Begin::Fresh { mode: Mode::Plan },
        openings: Openings::TRUSTED,
        reachable: Reachable::Approver,
        via: "test".into(),
        settings: SessionSettings::default(),
        models: ModelHandles::one(ModelHandle::Scout),
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_session_without_a_model_ends_with_a_plan_and_says_what_is_missing() {
    let (shop, home) = (shop(), tempfile::tempdir().unwrap());
    let mut handle = fore_agent::start(launch(shop.path(), home.path())).await.unwrap();
    let prompt = Command::Prompt { text: "add discounts to the cart".into(), when: Default::default() };
    assert!(handle.send(prompt).await);
    let (mut plan, mut refused, mut said) = (String::new(), Vec::new(), String::new());
    loop {
        match handle.next().await.unwrap() {
            Event::ApprovalAsked(asked) => {
                plan = asked.request.plan_content;
                let agent_id = asked.request.agent_id;
                let selected = "startEditing".into();
                let comments = Vec::new();
                let answer = ExitResponse { agent_id, selected, reason: String::new(), comments, plan: None };
                assert!(handle.send(Command::Approval(answer)).await);
            }
            Event::ToolFinished { tool, outcome: CallOutcome::Refused { refusal }, .. } => {
                refused.push(format!("{tool}: {}", refusal.reason));
            }
            Event::Asked(asked) => panic!("the scout never makes a person answer: {}", asked.text),
            Event::Said { text, .. } => said = text,
            Event::TurnEnded { outcome } => {
                assert_eq!(outcome, TurnOutcome::Done);
                break;
            }
            _ => {}
        }
    }
    checked(&plan, shop.path());
    assert_eq!(files(&plan).first(), Some(&"src/cart.rs"), "{plan}");
    // Where no cage can be built, commands are refused, and the plan comes without them.
    assert!(refused.iter().all(|line| line.starts_with("Bash: ")), "{refused:?}");
    assert!(said.contains("no language model is set up"), "{said}");
    assert!(handle.send(Command::Close).await);
}
