//! The plan core in a toy agent: modes, gate, reminder, approval. No files, no network: a script stands in for the model.

use fore_plan::approval::{Answered, ApprovalAnswer, Caller, Choice, ChosenLevel, Decider, ExitCall, Exiting, OnDisk};
use fore_plan::approval::{Reachable, Timestamp, answer, exit};
use fore_plan::gate::{Action, FileTarget, Ground, Rules, Verdict, judge, table::CageSupport, table::TableSettings};
use fore_plan::{
    Actor, Change, Level, ModeReason, ModeTarget, Openings, SessionRole, State, ToolName, contract::Contract,
};
use fore_plan::{plan::PlanId, transition};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A session in a trusted folder; the person switches to plan mode and the plan gets its file.
    let (mut state, path, text) = (State::default(), "/tmp/plans/brave-quiet-fox.md", "# Plan\n1. Fix the login.\n");
    let plan = PlanId { session: "toy".into(), ordinal: 1 };
    state.apply_all(&[
        Change::Started {
            level: Level::Default,
            planning: false,
            openings: Openings::TRUSTED,
            role: SessionRole::Main,
        },
        Change::PlanNamed { plan, path: path.into() },
    ]);
    state.apply_all(&transition(&state, ModeTarget::Plan, Actor::Person, ModeReason::Cycled)?);

    // A prompt arrives: tell the model what is due, once.
    state.apply_all(&[Change::HumanTurn]);
    let notices = state.notices_due(false);
    println!("mode {}; the model is told {notices:?}", state.mode());
    state.apply_all(&[Change::Told { notices }]);

    // The model acts; every act passes the gate.
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let ground = Ground::new(
        &rules,
        &settings,
        Path::new("/tmp/shop"),
        &fore_shell::GitFacts::NoRepository,
        &fore_commands::CATALOGUE,
    );
    let ground = Ground { kernel: &CageSupport::FULL, ..ground };
    let run = |command: &str| Action::Run { command: command.into(), cwd: "/tmp/shop".into(), rehearse: false };
    let file = FileTarget { asked: path.into(), real: path.into(), is_link: false, names: 0 };
    for action in [run("git log -5 | head"), run("rm -rf src"), Action::Edit { tool: ToolName::Write, target: file }] {
        match judge(&state, &ground, action).verdict {
            Verdict::Allow(permit) => {
                let permit = permit.present(&state)?;
                println!("runs in {:?}: {:?}", permit.cage(), permit.action());
            }
            Verdict::Ask(question) => println!("asks: {}", question.text()),
            Verdict::Block(refusal) => println!("refused: {refusal}"),
        }
    }

    // The model asks for approval; the person says yes to exactly these bytes.
    let (input, now) = (serde_json::json!({}), Timestamp(0));
    let call = ExitCall {
        input: &input,
        caller: &Caller::Main,
        reachable: Reachable::Approver,
        on_disk: OnDisk::Text(text),
        nonce: "1",
        now,
    };
    let Exiting::AskPerson(asking) = exit(&state, &call) else { return Err("nothing to approve".into()) };
    state.apply_all(&asking.changes);
    let choice = Choice::approve(ChosenLevel::Previous);
    let (request, by) = (asking.proposal.request, Decider::Person { via: "toy".into() });
    let yes = ApprovalAnswer { request, hash: asking.proposal.hash, by, at: now, choice };
    if let Answered::Approved { changes, receipt, .. } =
        answer(&state, &yes, OnDisk::Text(text), "2", &|_| Contract::default())
    {
        state.apply_all(&changes);
        println!("approved {} revision {}; mode {}", receipt.plan, receipt.revision, state.mode());
    }
    Ok(())
}
