//! A whole session inside another program: starts one, sends a prompt, prints what happens, and keeps the plan without
//! approving it. `cargo run -p fore-agent --example embed -- "add discounts to the cart"`
#![expect(clippy::disallowed_methods, reason = "a program that embeds the agent reads its own environment")]

use fore_agent::{Begin, Command, Event, Launch, ModelHandle, ModelHandles, SessionSettings};
use fore_plan::{
    Mode, Openings,
    approval::{ExitResponse, Reachable},
};
use fore_sandbox::CageSettings;
use fore_store::{HOME_VARIABLE, Home};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Lets this program set up cages itself when the small set-up program is not beside it.
    fore_sandbox::become_setup_if_asked();
    let task = std::env::args().nth(1).unwrap_or_else(|| "find out what this project is about".into());
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(plan(task))
}

async fn plan(task: String) -> Result<(), Box<dyn std::error::Error>> {
    let mut session = fore_agent::start(Launch {
        folder: std::env::current_dir()?,
        home: Arc::new(Home::open(&Home::locate(std::env::var_os(HOME_VARIABLE), std::env::home_dir())?)?),
        user_home: std::env::home_dir(),
        begin: Begin::Fresh { mode: Mode::Plan },
        openings: Openings::CLOSED,
        reachable: Reachable::Approver,
        via: "embed".into(),
        settings: SessionSettings::new(CageSettings::new(std::env::home_dir(), |name| std::env::var_os(name))),
        // `ModelHandle::Remote` with a `fore_model::Client` for a language model.
        unsaved: None,
        settings_reader: None,
        catalogue: &fore_commands::CATALOGUE,
        models: ModelHandles::one(ModelHandle::Scout),
    })
    .await?;
    session.send(Command::Prompt { text: task, when: Default::default() }).await;
    while let Some(event) = session.next().await {
        match event {
            Event::ToolStarted { tool, line, .. } => println!("· {tool} {line}"),
            Event::Said { text, .. } => println!("{text}"),
            Event::ApprovalAsked(asked) => {
                println!("\n{}\n{}", asked.request.plan_content, asked.proof.line);
                // The one road out of plan mode: an answer to this request, about these bytes. Here: keep it and stop.
                let (agent_id, selected) = (asked.request.agent_id, "saveAndStop".into());
                let (reason, comments, plan) = (String::new(), Vec::new(), None);
                let answer = ExitResponse {
                    agent_id,
                    selected,
                    reason,
                    comments,
                    plan,
                    steps: None,
                    contract_hash: None,
                    grants: Default::default(),
                    through: None,
                };
                session.send(Command::Approval(answer)).await;
            }
            Event::TurnEnded { outcome } => {
                println!("\n{outcome:?}");
                session.send(Command::Close).await;
            }
            _ => {}
        }
    }
    Ok(())
}
