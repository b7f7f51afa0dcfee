//! What the terminal knows of the session: a fold over events. What it shows as the mode is the mode that is enforced.

use crate::options::FolderTrust;
use fore_agent::{ContextUse, DutyName, Event, SessionStarted, Spent, custom::CustomCommandRow};
use fore_plan::Mode;

/// What you allowed is listed up to here.
const MAX_GRANTS: usize = 256;
/// Subagents at work that are listed.
const MAX_AGENTS: usize = 100;

/// The session as its events tell it.
#[derive(Debug, Default)]
pub(crate) struct SessionFacts {
    pub started: Option<SessionStarted>,
    /// None until the session has said in which mode it is.
    pub mode: Option<Mode>,
    pub spent: Spent,
    pub context: ContextUse,
    pub activity: Activity,
    /// What the person is not asked about again in this session.
    pub granted: Vec<String>,
    /// Subagents at work: kind and task.
    pub agents: Vec<(fore_agent::AgentId, String)>,
    pub plan_path: Option<String>,
    /// Commands that run in the background.
    pub background: Vec<String>,
    /// The status line says what the session cost.
    pub shows_cost: bool,
    /// The person has asked for the list of them.
    pub is_listing_tasks: bool,
    /// The same for the team.
    pub is_listing_team: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Activity {
    /// The session is being opened.
    #[default]
    Starting,
    Idle,
    Working,
    /// It could not be opened, or has ended.
    Over,
}

impl SessionFacts {
    pub(crate) fn event(&mut self, event: &Event) {
        match event {
            Event::Started(started) => {
                self.mode = Some(started.mode);
                self.context = started.context;
                self.granted = started.allowed.iter().take(MAX_GRANTS).cloned().collect();
                self.started = Some(started.clone());
                self.activity = Activity::Idle;
            }
            Event::CommandsListed { commands } => {
                if let Some(started) = &mut self.started {
                    started.commands.clone_from(commands);
                }
            }
            Event::ModeChanged(change) => self.mode = Some(change.to),
            Event::ModelChanged { model, duty } => {
                let Some(models) = self.started.as_mut().map(|started| &mut started.models) else { return };
                let duties = [
                    (DutyName::Plan, &mut models.plan),
                    (DutyName::Act, &mut models.act),
                    (DutyName::Small, &mut models.small),
                ];
                for (one, of) in duties {
                    if duty.is_none_or(|duty| duty == one) {
                        *of = model.clone();
                    }
                }
            }
            Event::Usage { model, answer, context, price, .. } => {
                self.spent.add(model, answer.as_ref(), *price);
                self.context = *context;
            }
            Event::Allowed { what } if self.granted.len() < MAX_GRANTS && !self.granted.contains(what) => {
                self.granted.push(what.clone());
            }
            Event::Forgotten { what } => self.granted.retain(|granted| granted != what),
            Event::SettingsRead { trusted, allowed_hosts, .. } => {
                let Some(started) = &mut self.started else { return };
                (started.trusted, started.allowed_hosts) = (*trusted, allowed_hosts.clone());
            }
            Event::TurnStarted => self.activity = Activity::Working,
            Event::TurnEnded { .. } => {
                self.activity = Activity::Idle;
                self.agents.clear();
            }
            Event::Closed => self.activity = Activity::Over,
            Event::AgentStarted { agent, kind, task, .. } if self.agents.len() < MAX_AGENTS => {
                self.agents.push((agent.clone(), format!("{kind}: {task}")));
            }
            Event::AgentFinished { agent, .. } => self.agents.retain(|(known, _)| known != agent),
            Event::ApprovalAsked(asked) => self.plan_path = Some(asked.request.plan_file_path.clone()),
            Event::Background { running } => self.background.clone_from(running),
            Event::Plan { path: Some(path), .. } => self.plan_path = Some(path.clone()),
            _ => {}
        }
    }

    /// Whether the modes that ask less are open here.
    pub(crate) fn folder(&self) -> FolderTrust {
        match self.started.as_ref().is_some_and(|started| started.trusted) {
            true => FolderTrust::Trusted,
            false => FolderTrust::NotTrusted,
        }
    }

    /// The commands of files, as the session listed them.
    pub(crate) fn custom_commands(&self) -> &[CustomCommandRow] {
        self.started.as_ref().map(|started| started.commands.as_slice()).unwrap_or_default()
    }

    /// The one of this name, in any case of its letters.
    pub(crate) fn custom_command(&self, name: &str) -> Option<&CustomCommandRow> {
        self.custom_commands().iter().find(|command| command.name.eq_ignore_ascii_case(name))
    }

    /// The model that answers in the mode that holds.
    pub(crate) fn answering(&self) -> Option<String> {
        let models = &self.started.as_ref()?.models;
        let model = match self.mode? {
            Mode::Plan => &models.plan,
            Mode::At(_) => &models.act,
        };
        Some(model.to_string())
    }
}
