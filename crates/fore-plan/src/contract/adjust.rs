//! What becomes of a contract at and after an approval: narrowed, struck, added to. Nothing here reads a plan.

use super::{CommandGrant, Contract, FileGrant};

impl Contract {
    /// Whether it grants all that the other one does.
    pub(crate) fn includes(&self, other: &Contract) -> bool {
        other.files.iter().all(|file| self.files.contains(file))
            && other.commands.iter().all(|command| self.commands.contains(command))
    }

    /// The same, wherever that stands in the plan.
    pub(crate) fn names_all_of(&self, other: &Contract) -> bool {
        let mut rest = other.clone();
        rest.narrow_to(self);
        rest.files.len() == other.files.len() && rest.commands.len() == other.commands.len()
    }

    /// Takes away what the other one does not grant, wherever that stands in it.
    pub(crate) fn narrow_to(&mut self, shown: &Contract) {
        let is_same_file = |one: &FileGrant, other: &FileGrant| {
            (&one.path, one.shape, &one.change) == (&other.path, other.shape, &other.change)
        };
        let is_same_command =
            |one: &CommandGrant, other: &CommandGrant| (&one.command, &one.hosts) == (&other.command, &other.hosts);
        self.files.retain(|file| shown.files.iter().any(|other| is_same_file(file, other)));
        self.commands.retain(|command| shown.commands.iter().any(|other| is_same_command(command, other)));
    }

    /// Grants what the other one does, too.
    pub(crate) fn add(&mut self, more: &Contract) {
        let files = more.files.iter().filter(|file| !self.files.contains(file));
        let files: Vec<FileGrant> = files.cloned().collect();
        self.files.extend(files);
        let commands = more.commands.iter().filter(|command| !self.commands.contains(command));
        let commands: Vec<CommandGrant> = commands.cloned().collect();
        self.commands.extend(commands);
    }

    /// Each line stands so many lines further below.
    pub(crate) fn shift_lines(&mut self, by: u32) {
        self.lines().for_each(|line| *line = line.saturating_add(by));
    }

    /// No line of the plan names it: the person added it by hand.
    pub(crate) fn forget_lines(&mut self) {
        self.lines().for_each(|line| *line = 0);
    }

    fn lines(&mut self) -> impl Iterator<Item = &mut u32> {
        let files = self.files.iter_mut().map(|file| &mut file.line);
        files.chain(self.commands.iter_mut().map(|command| &mut command.line))
    }
}
