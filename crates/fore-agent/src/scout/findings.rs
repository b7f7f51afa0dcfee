//! What a look at the project brought to light: every file counted, the likely ones read closely.

use super::index::{CloserLook, FileAccess, FileCount, FileCounts, Query};
use super::project::{self, Project};
use super::request::TaskRequest;
use super::score::{Rarity, WEIGHTS, coarse, fine, piece_score, share};
use std::collections::{BTreeMap, BTreeSet};

/// How many files are read closely.
const MAX_LOOKS: usize = 60;
/// What is kept of a manifest or a README.
const MAX_TEXT_BYTES: usize = 32 << 10;

/// Everything that is known about the project, as far as a task goes.
#[derive(Debug)]
pub(crate) struct ScoutFindings {
    /// The task and the remarks on it that this is about.
    pub(super) messages: Vec<String>,
    pub(super) request: TaskRequest,
    pub(super) query: Query,
    pub(super) rarity: Rarity,
    pub(super) counts: FileCounts,
    pub(super) looks: BTreeMap<String, CloserLook>,
    /// Every path that was seen.
    pub(super) known: BTreeSet<String>,
    /// Manifests and the README.
    texts: BTreeMap<String, String>,
    /// Some files were not looked at.
    pub(super) is_cut: bool,
}

impl ScoutFindings {
    /// Looks at the project. Blocks, for two seconds in a project of ten thousand files.
    pub(super) fn look(messages: &[String], paths: &[String], is_cut: bool, files: &dyn FileAccess) -> ScoutFindings {
        let request = TaskRequest::read(messages);
        let query = Query::of(&request);
        let counts = FileCounts::count(&query, paths, files, crate::walk::threads());
        let rarity = Rarity::of(&query, &counts, &WEIGHTS);
        let known: BTreeSet<String> = counts.files.iter().map(|file| file.path.clone()).collect();
        let is_cut = is_cut || counts.files.len() < paths.len();
        let messages = messages.to_vec();
        let (looks, texts) = (BTreeMap::new(), BTreeMap::new());
        let mut findings = ScoutFindings { messages, request, query, rarity, counts, looks, known, texts, is_cut };
        findings.look_closer(files);
        findings.rarity.learn(&findings.query, findings.looks.values(), &WEIGHTS);
        let manifests = findings.projects().into_iter().map(|project| project.manifest);
        for path in manifests.chain(findings.readme()) {
            if let Some(text) = files.read(&path) {
                findings.texts.insert(path, fore_text::cut::bytes(&text, MAX_TEXT_BYTES).to_owned());
            }
        }
        findings
    }

    fn look_closer(&mut self, files: &dyn FileAccess) {
        let mut first: Vec<(f64, &FileCount)> =
            self.counts.files.iter().map(|file| (self.coarse(file), file)).collect();
        first.retain(|(score, _)| *score > 0.0);
        first.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
        let paths: Vec<String> = first.into_iter().take(MAX_LOOKS).map(|(_, file)| file.path.clone()).collect();
        for path in paths {
            if files.is_over() {
                self.is_cut = true;
                return;
            }
            if let Some(text) = files.read(&path) {
                let look = CloserLook::at(&path, &text, &self.query);
                self.looks.insert(path, look);
            }
        }
    }

    fn coarse(&self, file: &FileCount) -> f64 {
        share(file, &self.request, &WEIGHTS) * coarse(&self.query, &self.rarity, file, &WEIGHTS)
    }

    /// How well a file fits, with everything that is known about it.
    pub(super) fn score(&self, file: &FileCount) -> f64 {
        let whole = coarse(&self.query, &self.rarity, file, &WEIGHTS);
        let look = self.looks.get(&file.path);
        let close = look.map_or(0.0, |look| fine(&self.query, &self.rarity, look, &file.path, &WEIGHTS));
        share(file, &self.request, &WEIGHTS) * (whole + close)
    }

    /// The function of a file whose words fit best.
    pub(super) fn closest(&self, look: &CloserLook) -> Option<(String, u64)> {
        let scored = look.pieces.iter().map(|piece| (piece_score(&self.query, &self.rarity, piece, &WEIGHTS), piece));
        let (score, best) = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
        // One word alone is a chance.
        let is_telling = score > 0.0 && best.found.len() > 1;
        Some((best.name.clone().filter(|_| is_telling)?, best.first as u64))
    }

    pub(super) fn projects(&self) -> Vec<Project> {
        let best = self.counts.files.iter().map(|file| (self.score(file), &file.path));
        let best = best.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(score, _)| *score > 0.0);
        project::projects(&self.known, best.map(|(_, path)| path.as_str()))
    }

    pub(super) fn readme(&self) -> Option<String> {
        let is_readme = |name: &&String| !name.contains('/') && name.to_lowercase().starts_with("readme.");
        self.known.iter().find(is_readme).cloned()
    }

    /// The text of a manifest or the README.
    pub(super) fn text(&self, path: &str) -> &str {
        self.texts.get(path).map(String::as_str).unwrap_or_default()
    }
}
