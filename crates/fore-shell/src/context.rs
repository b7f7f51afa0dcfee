//! Where in a text the judge is: working folder, nesting, and the facts.

use crate::{
    facts::{Partner, ShellFacts},
    finding::Reach,
};
use std::{
    cell::{Cell, RefCell},
    path::{Path, PathBuf},
    rc::Rc,
};

/// Nesting of substitutions, wrappers and inner scripts beyond which the whole text is unknown.
pub(crate) const MAX_NESTING: usize = 16;

/// Where the judge stands in a text: what it was told, and what earlier commands have changed.
#[derive(Clone, Debug)]
pub struct JudgeContext<'a> {
    /// What is known of the machine.
    pub facts: &'a ShellFacts<'a>,
    /// The working folder at this point; `None` after a `cd` to an unknown place.
    pub cwd: Option<PathBuf>,
    /// How deep in substitutions, wrappers and inner scripts; bounded by `MAX_NESTING`.
    pub depth: usize,
    /// What standard input is fed with, in plain words; `None` for what the caller gives.
    pub input: Option<Rc<str>>,
    /// Simple commands seen so far, shared by the whole text and all texts inside it.
    pub commands: Rc<Cell<usize>>,
    /// Their words, for rules about commands.
    pub met: Rc<RefCell<Vec<Vec<Option<String>>>>>,
}

impl<'a> JudgeContext<'a> {
    /// At the start of a text.
    pub fn new(facts: &'a ShellFacts<'a>) -> JudgeContext<'a> {
        JudgeContext {
            facts,
            cwd: Some(facts.cwd.to_path_buf()),
            depth: 0,
            input: None,
            commands: Rc::new(Cell::new(0)),
            met: Rc::default(),
        }
    }

    /// Whom the configuration in a folder names; any host where that cannot be known.
    pub fn hosts(&self, partner: Partner<'_>, folder: Option<&Path>) -> Vec<Reach> {
        let named = folder.map(|folder| self.facts.repositories.hosts(partner, folder)).unwrap_or_default();
        if named.is_empty() { vec![Reach::AnyHost] } else { named }
    }

    /// One level further in; `None` when that is too deep to judge.
    pub fn deeper(&self) -> Option<JudgeContext<'a>> {
        (self.depth < MAX_NESTING).then(|| JudgeContext { depth: self.depth + 1, ..self.clone() })
    }
}
