//! What the gate is told about this machine: folders, files behind paths, git settings, the kernel. It only looks.

use crate::settings::Settings;
use anyhow::{Context, bail};
use fore_plan::{
    Change, Level, Mode, Openings, Role, State,
    gate::{Action, FileTarget, Ground, Judgement, Paths, Rules, judge, table::Kernel},
    plan::PlanId,
};
use fore_sandbox::{Cages, Probe};
use std::{
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// Everything that stays the same for all calls of one run.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    state: State,
    rules: Rules,
    settings: &'a Settings,
    kernel: Kernel,
    project: PathBuf,
    probe: Probe<'a>,
}

impl<'a> Place<'a> {
    pub(crate) fn new(
        mode: Mode,
        cwd: &Path,
        plan_file: Option<&Path>,
        settings: &'a Settings,
        cages: &'a Cages,
    ) -> anyhow::Result<Place<'a>> {
        let project = project_of(cwd);
        let (level, planning) = match mode {
            Mode::Plan => (Level::Default, true),
            Mode::At(level) => (level, false),
        };
        // Whoever names a mode on the command line has chosen it; nothing runs here.
        let openings =
            Openings { folder_trusted: true, auto_opted_in: true, auto_gate_open: true, bypass_permitted: true };
        let disk = Disk::new(cwd, settings.home.as_deref());
        let mut changes = vec![Change::Started { level, planning, openings, role: Role::Main }];
        if let Some(path) = plan_file {
            let target = disk.resolve(path.to_str().context("the plan file's path is not text")?);
            if !target.is_plain() {
                bail!("the plan file {} is a link or has another name; name the file itself", path.display());
            }
            let path = target.real;
            changes.push(Change::PlanNamed { plan: PlanId { session: "gate".into(), ordinal: 1 }, path });
        }
        Ok(Place {
            state: State::fold_all(&changes),
            rules: settings.rules(&project)?,
            settings,
            kernel: cages.kernel(),
            project,
            probe: Probe::new(cages),
        })
    }

    pub(crate) fn home(&self) -> Option<&Path> {
        self.settings.home.as_deref()
    }

    pub(crate) fn judge(&self, action: Action) -> Judgement {
        let ground = Ground {
            rules: &self.rules,
            settings: &self.settings.table,
            kernel: self.kernel,
            project: &self.project,
            home: self.settings.home.as_deref(),
            vouched: &self.settings.read_only_commands,
            repositories: &self.probe,
            servers: &self.settings.servers,
        };
        judge(&self.state, &ground, action)
    }
}

/// The repository that a folder belongs to, else the folder itself.
pub(crate) fn project_of(cwd: &Path) -> PathBuf {
    let root = cwd.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
    root.unwrap_or(cwd).to_path_buf()
}

/// Looks up what is behind the paths that calls name.
#[derive(Debug)]
pub(crate) struct Disk<'a> {
    cwd: &'a Path,
    home: Option<&'a Path>,
}

impl<'a> Disk<'a> {
    pub(crate) fn new(cwd: &'a Path, home: Option<&'a Path>) -> Disk<'a> {
        Disk { cwd, home }
    }

    /// Where a call's words lead. Some tools take `~/` for the home folder, so it is that here.
    fn whole(&self, asked: &str) -> PathBuf {
        let in_home = asked.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let path = match (in_home, self.home) {
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
            _ => self.cwd.join(asked),
        };
        // Without a slash at the end, which would make the disk follow a link there.
        path.components().collect()
    }

    pub(crate) fn text(&self) -> String {
        self.cwd.to_string_lossy().into_owned()
    }
}

impl Paths for Disk<'_> {
    fn resolve(&self, asked: &str) -> FileTarget {
        let path = self.whole(asked);
        let found = path.symlink_metadata();
        let real = real_path(&path);
        // A path that is not text cannot be told from others: it is as little trusted as a link.
        let is_unclear = real.to_str().is_none();
        FileTarget {
            asked: asked.to_owned(),
            real: real.to_string_lossy().into_owned(),
            is_link: is_unclear || found.as_ref().is_ok_and(std::fs::Metadata::is_symlink),
            names: found.map_or(0, |found| if found.is_dir() { 1 } else { found.nlink() }),
        }
    }

    fn cwd(&self) -> String {
        self.text()
    }

    fn is_read_only_agent(&self, name: &str) -> bool {
        matches!(name, "Explore" | "Plan")
    }

    /// No server is connected here, so none has marked anything.
    fn says_read_only(&self, _server: &str, _tool: &str) -> bool {
        false
    }
}

/// The path without links: as far as it exists by the disk, the rest by its letters.
fn real_path(path: &Path) -> PathBuf {
    for folder in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (folder.canonicalize(), path.strip_prefix(folder)) {
            let mut whole = real;
            for part in rest.components() {
                match part {
                    std::path::Component::ParentDir => {
                        whole.pop();
                    }
                    std::path::Component::CurDir => {}
                    part => whole.push(part),
                }
            }
            return whole;
        }
    }
    path.to_path_buf()
}
