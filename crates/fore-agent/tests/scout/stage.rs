//! Plays prompts in a real session without a language model: real gate, real tools, real cages.
#![expect(clippy::disallowed_methods, reason = "cages protect the home of whoever runs this")]

use fore_agent::{
    Begin, CallOutcome, Command, Event, Handle, Launch, ModelHandle, ModelHandles, SessionSettings, TurnOutcome,
};
use fore_plan::{
    Mode, ModeReason, Openings,
    approval::{ExitResponse, Reachable},
    gate::{PatternRoots, RuleEffect},
};
use fore_store::Home;
use std::{path::Path, sync::Arc};
use tempfile::TempDir;

/// What one prompt led to.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// What was handed in, in its order.
    pub plans: Vec<String>,
    /// The last words.
    pub said: String,
    /// The lines of the calls.
    pub calls: Vec<String>,
    pub refused: Vec<String>,
    /// Why the mode changed.
    pub switches: Vec<ModeReason>,
}

/// A session that stays open.
pub(crate) struct Stage {
    handle: Handle,
    _home: TempDir,
}

/// Whether commands run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commands {
    Run,
    /// Every one is denied: a page then depends on nothing that is installed here.
    Denied,
}

impl Stage {
    pub(crate) async fn open(folder: &Path, mode: Mode, commands: Commands, denied: &[&str]) -> Stage {
        let home = tempfile::tempdir().unwrap();
        let folder = folder.canonicalize().unwrap();
        let mut settings =
            SessionSettings::new(fore_sandbox::CageSettings::new(std::env::home_dir(), |name| std::env::var_os(name)));
        let roots = PatternRoots { project: &folder, home: None };
        let bash = if commands == Commands::Denied { &["Bash"][..] } else { &[] };
        for rule in bash.iter().chain(denied) {
            settings.rules.add(RuleEffect::Deny, rule, roots).unwrap();
        }
        let launch = Launch {
            folder: folder.clone(),
            home: Arc::new(Home::open(&home.path().join(".forethought")).unwrap()),
            user_home: Some(home.path().to_owned()),
            begin: Begin::Fresh { mode },
            openings: Openings::TRUSTED,
            reachable: Reachable::Approver,
            via: "test".into(),
            settings,
            unsaved: None,
            settings_reader: None,
            catalogue: &fore_commands::CATALOGUE,
            models: ModelHandles::one(ModelHandle::Scout),
        };
        Stage { handle: fore_agent::start(launch).await.unwrap(), _home: home }
    }

    /// Sends a prompt; each plan gets the next of these answers: a choice and a reason. Without one the window is closed.
    pub(crate) async fn prompt(&mut self, text: &str, answers: &[(&str, &str)]) -> Played {
        let mut answers = answers.iter();
        let mut played = Played::default();
        let prompt = Command::Prompt { text: text.into(), when: Default::default() };
        assert!(self.handle.send(prompt).await);
        loop {
            match self.handle.next().await.unwrap() {
                Event::ApprovalAsked(asked) => {
                    played.plans.push(asked.request.plan_content);
                    let (selected, reason) = answers.next().copied().unwrap_or(("keepPlanning", ""));
                    let (agent_id, comments) = (asked.request.agent_id, Vec::new());
                    let (selected, reason) = (selected.into(), reason.into());
                    let answer = ExitResponse {
                        contract_hash: None,
                        grants: Default::default(),
                        through: None,
                        agent_id,
                        selected,
                        reason,
                        comments,
                        plan: None,
                        steps: None,
                    };
                    assert!(self.handle.send(Command::Approval(answer)).await);
                }
                Event::ToolStarted { line, .. } => played.calls.push(line),
                Event::ToolFinished { tool, outcome: CallOutcome::Refused { refusal }, .. } => {
                    played.refused.push(format!("{tool}: {}", refusal.reason));
                }
                Event::Asked(asked) => panic!("the scout never makes a person answer: {}", asked.text),
                Event::EnterPlanAsked { .. } => panic!("the scout does not ask whether to plan"),
                Event::ModeChanged(change) => played.switches.push(change.why),
                Event::Said { text, .. } => played.said = text,
                Event::TurnEnded { outcome } => {
                    assert_eq!(outcome, TurnOutcome::Done);
                    return played;
                }
                _ => {}
            }
        }
    }
}

/// One prompt in plan mode.
pub(crate) fn play(folder: &Path, prompt: &str, commands: Commands) -> Played {
    on_runtime(async {
        let mut stage = Stage::open(folder, Mode::Plan, commands, &[]).await;
        stage.prompt(prompt, &[]).await
    })
}

pub(crate) fn on_runtime<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}
