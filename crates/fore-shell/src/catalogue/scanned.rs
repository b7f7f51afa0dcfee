//! What was met in an argument list, and the options that could be met.

use crate::{
    finding::{CommandKind, Finding},
    word::Word,
};

use super::grammar::{OptionGroup, ValueType};

/// Options that hold for everything below: those of the verbs on the way.
#[derive(Clone, Copy, Debug)]
pub struct OptionScope<'s> {
    /// Of this verb.
    pub options: &'s [&'static [OptionGroup]],
    /// Of the verbs before it.
    pub outer: Option<&'s OptionScope<'s>>,
}

impl OptionScope<'_> {
    /// No options from above.
    pub const NONE: OptionScope<'static> = OptionScope { options: &[], outer: None };

    /// The listed option of exactly this name.
    pub(super) fn find(&self, name: &str) -> Option<(&'static OptionGroup, &'static str)> {
        self.options.iter().find_map(|list| find(list, name)).or_else(|| self.outer.and_then(|outer| outer.find(name)))
    }

    /// The worst listed option that `name` could be short for.
    pub(super) fn abbreviated(&self, name: &str) -> Option<(&'static OptionGroup, &'static str)> {
        let here = self
            .options
            .iter()
            .copied()
            .flatten()
            .filter(|group| is_dangerous(group))
            .flat_map(|group| group.names.split(' ').map(move |full| (group, full)))
            .find(|(_, full)| full.starts_with("--") && full.starts_with(name));
        here.or_else(|| self.outer.and_then(|outer| outer.abbreviated(name)))
    }
}

/// The value an option was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenValue<'w> {
    /// It takes none, or none was given.
    Nothing,
    /// Exactly this.
    Text(&'w str),
    /// Decided at run time.
    Something,
}

/// An option that was met.
#[derive(Clone, Copy, Debug)]
pub struct SeenOption<'w> {
    /// As the table lists it.
    pub name: &'static str,
    /// What it was given.
    pub value: GivenValue<'w>,
}

/// Everything met in an argument list.
#[derive(Debug)]
pub struct ArgumentScan<'w> {
    /// As in rules: `sort`, `docker.ps`.
    pub name: &'w str,
    /// The first word, for messages.
    pub program: &'w Word,
    /// What the arguments so far have shown.
    pub finding: Finding,
    /// In their order.
    pub options: Vec<SeenOption<'w>>,
    /// In their order.
    pub operands: Vec<&'w Word>,
    /// Index of the first word that was not looked at: where a wrapped command starts.
    pub stop: usize,
    /// How many options stood before the first operand.
    pub early: usize,
}

impl<'w> ArgumentScan<'w> {
    /// Whether one of these options (separated by spaces) was met.
    pub fn has(&self, names: &str) -> bool {
        self.options.iter().any(|seen| names.split(' ').any(|name| name == seen.name))
    }

    /// The same, before the first operand: behind it some implementations take options for operands.
    pub fn has_early(&self, names: &str) -> bool {
        self.options.iter().take(self.early).any(|seen| names.split(' ').any(|name| name == seen.name))
    }

    /// The value of the last of these options (separated by spaces).
    pub fn value(&self, names: &str) -> Option<GivenValue<'w>> {
        self.options.iter().rev().find(|seen| names.split(' ').any(|name| name == seen.name)).map(|seen| seen.value)
    }

    /// `@file`: many programs read more arguments from that file, wherever the word stands.
    pub fn argument_file(&self) -> Option<Finding> {
        let values = self.options.iter().filter_map(|seen| match seen.value {
            GivenValue::Text(text) => Some(text),
            GivenValue::Nothing | GivenValue::Something => None,
        });
        let operands = self.operands.iter().filter_map(|word| word.as_literal());
        values
            .chain(operands)
            .any(|text| text.starts_with('@'))
            .then(|| self.unknown("@", "takes more arguments from a file that was not read"))
    }

    /// An unknown finding about the whole command.
    pub fn unknown(&self, rule: &str, why: &str) -> Finding {
        self.verdict(CommandKind::Unknown, rule, why)
    }

    /// A finding about the whole command; `why` completes "`NAME` …".
    pub fn verdict(&self, kind: CommandKind, rule: &str, why: &str) -> Finding {
        let spoken = self.name.replace('.', " ");
        Finding::shown(kind, format!("{}.{rule}", self.name), self.program, format!("`{spoken}` {why}"))
    }

    /// The name of a rule about this command.
    pub fn rule(&self, what: &str) -> String {
        format!("{}.{what}", self.name)
    }

    pub(super) fn note(&mut self, finding: Finding) {
        let says_more = !finding.reach.is_empty() || !finding.paths.is_empty() || finding.writes_plan;
        if finding.kind != CommandKind::Reads || says_more {
            let so_far = std::mem::replace(&mut self.finding, Finding::reads());
            self.finding = so_far.and(finding);
        }
    }
}

fn find(options: &'static [OptionGroup], name: &str) -> Option<(&'static OptionGroup, &'static str)> {
    options.iter().find_map(|group| group.names.split(' ').find(|one| *one == name).map(|one| (group, one)))
}

fn is_dangerous(group: &OptionGroup) -> bool {
    group.kind != CommandKind::Reads || matches!(group.value, ValueType::OutPath | ValueType::Exec)
}
