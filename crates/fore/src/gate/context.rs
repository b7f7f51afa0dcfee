//! What the gate is told about this machine: folders, files behind paths, git settings, the kernel. It only looks.

use crate::settings::Settings;
use anyhow::{Context, bail};
use fore_agent::{Disk, project_of};
use fore_plan::{
    Change, Level, Mode, Openings, Refusal, SessionRole, State,
    gate::{
        Action, Drift, Explanation, Ground, Judgement, Paths, Permit, Presented, Rules, explain, judge,
        table::CageSupport,
    },
    plan::PlanId,
};
use fore_sandbox::{Cages, GitProbe};
use std::path::{Path, PathBuf};

/// Whether the folder counts as trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GateTrust {
    /// Whoever names a mode on the command line has chosen it; nothing runs here.
    ByTheMode,
    /// As for a session here.
    AsItIs,
}

/// Everything that stays the same for all calls of one run.
#[derive(Debug)]
pub(crate) struct GateContext<'a> {
    state: State,
    rules: Rules,
    settings: &'a Settings,
    kernel: CageSupport,
    project: PathBuf,
    probe: GitProbe<&'a Cages>,
}

impl<'a> GateContext<'a> {
    pub(crate) fn new(
        mode: Mode,
        cwd: &Path,
        plan_file: Option<&Path>,
        settings: &'a Settings,
        cages: &'a Cages,
        trust: GateTrust,
    ) -> anyhow::Result<GateContext<'a>> {
        let project = project_of(cwd);
        let (level, planning) = match mode {
            Mode::Plan => (Level::Default, true),
            Mode::At(level) => (level, false),
        };
        let folder_trusted = match trust {
            GateTrust::ByTheMode => true,
            GateTrust::AsItIs => settings.is_trusted(),
        };
        let openings = Openings { folder_trusted, auto_opted_in: true, auto_gate_open: true, bypass_permitted: true };
        let disk = Disk::new(cwd, settings.home.as_deref());
        let mut changes = vec![Change::Started { level, planning, openings, role: SessionRole::Main }];
        if let Some(path) = plan_file {
            let target = disk.resolve(path.to_str().context("the plan file's path is not text")?);
            if !target.is_plain() {
                bail!("the plan file {} is a link or has another name; name the file itself", path.display());
            }
            let path = target.real;
            changes.push(Change::PlanNamed { plan: PlanId { session: "gate".into(), ordinal: 1 }, path });
        }
        Ok(GateContext {
            state: State::fold_all(&changes),
            rules: settings.rules(&project)?,
            settings,
            kernel: cages.kernel(&project),
            project,
            probe: GitProbe::new(cages),
        })
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.settings.home.as_deref()
    }

    /// Uses a permit of [`GateContext::judge`] up.
    pub(crate) fn present(&self, permit: Permit) -> Result<Presented, Refusal> {
        permit.present(&self.state)
    }

    pub(crate) fn judge(&self, action: Action) -> Judgement {
        judge(&self.state, &self.ground(), action)
    }

    /// Why it would run, ask or be refused.
    pub(crate) fn explain(&self, action: Action) -> Explanation {
        explain(&self.state, &self.ground(), action)
    }

    fn ground(&self) -> Ground<'_> {
        Ground {
            rules: &self.rules,
            settings: &self.settings.table,
            kernel: &self.kernel,
            project: &self.project,
            home: self.settings.home.as_deref(),
            vouched: &self.settings.read_only_commands,
            repositories: &self.probe,
            catalogue: &fore_commands::CATALOGUE,
            servers: &self.settings.servers,
            vouched_tool: &|_, _, _| false,
            drift: Drift::Asked,
            is_secret: &|_| true,
        }
    }
}
