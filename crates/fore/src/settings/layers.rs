//! Puts the layers of settings on top of each other: files, environment, command line. It only reads.

use super::{
    content::Repository,
    entry::{Fate, SettingEntry, SettingOrigin, SettingsLayer, SettingsProblem, SettingsSource},
    guard::{GuardRefusal, Trust, judge},
    read::{ValueCheck, read},
};
use crate::regular_file;
use fore_plan::workflow::{WorkflowKind, agent_count, interview_switch};
use serde_json::Value;
use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// The largest settings file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// Unknown keys of one file that are told.
const MAX_WARNINGS: usize = 10;

/// Looks into the environment.
pub(crate) type EnvironmentLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A place where settings may be.
#[derive(Clone, Debug)]
pub(crate) struct SettingsLocation {
    pub(crate) source: SettingsSource,
    /// None for a text that was given on the command line.
    pub(crate) path: Option<PathBuf>,
    pub(crate) found: LocationState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocationState {
    Nothing,
    Settings,
}

/// What all layers together say.
#[derive(Debug, Default)]
pub(super) struct SettingsLayers {
    pub(super) entries: Vec<SettingEntry>,
    pub(super) problems: Vec<SettingsProblem>,
    pub(super) refusals: Vec<String>,
    pub(super) warnings: Vec<String>,
    pub(super) unknown_keys: Vec<String>,
    pub(super) places: Vec<SettingsLocation>,
    /// The texts of the repository's files, as they were read.
    pub(super) texts: Vec<(SettingsLayer, String, String)>,
    /// What the repository's files would grant, in words.
    pub(super) grants: Vec<String>,
}

impl SettingsLayers {
    /// Reads one file; a missing one says nothing.
    pub(super) fn file(
        &mut self,
        source: SettingsSource,
        path: &Path,
        inside: Option<&Path>,
        schema: &Value,
        sense: ValueCheck<'_>,
    ) {
        let text = text_of(path, inside);
        let found = if matches!(text, Ok(None)) { LocationState::Nothing } else { LocationState::Settings };
        self.places.push(SettingsLocation { source: source.clone(), path: Some(path.to_owned()), found });
        match text {
            Ok(None) => {}
            Ok(Some(text)) => {
                self.text(&text, &source, schema, sense);
                // The bytes that were parsed are the bytes that are compared with what was trusted: they are read once.
                if source.layer.is_of_the_repository() {
                    self.texts.push((source.layer, source.name.to_string(), text));
                }
            }
            Err(what) => self.problems.push(SettingsProblem::wrong(source, what)),
        }
    }

    /// What the command line gives: a file that must be there, or the settings themselves.
    pub(super) fn given(&mut self, given: &str, folder: &Path, schema: &Value, sense: ValueCheck<'_>) {
        let named = |name: &str| SettingsSource { layer: SettingsLayer::CommandLine, name: name.into() };
        if given.trim_start().starts_with('{') {
            let source = named("--settings");
            self.places.push(SettingsLocation { source: source.clone(), path: None, found: LocationState::Settings });
            return self.text(given, &source, schema, sense);
        }
        let (source, path) = (named(given), folder.join(given));
        if path.symlink_metadata().is_err() {
            let what = "there is no such file; --settings takes a file, or settings as JSON in braces".into();
            return self.problems.push(SettingsProblem::wrong(source, what));
        }
        self.file(source, &path, None, schema, sense);
    }

    pub(super) fn text(&mut self, text: &str, source: &SettingsSource, schema: &Value, sense: ValueCheck<'_>) {
        let (entries, problems) = read(text, source, schema, sense);
        self.entries.extend(entries);
        let (warnings, problems): (Vec<_>, Vec<_>) = problems.into_iter().partition(SettingsProblem::is_only_a_warning);
        let unused = warnings.iter().take(MAX_WARNINGS).map(|problem| format!("{problem} (ignored)"));
        self.unknown_keys.extend(unused);
        self.problems.extend(problems);
    }

    /// Takes out every file that something is wrong in, whole: half of what somebody means is not what they mean.
    pub(super) fn leave_out_broken(&mut self) -> Vec<SettingsProblem> {
        let problems = std::mem::take(&mut self.problems);
        let is_broken = |source: &SettingsSource| problems.iter().any(|problem| problem.source == *source);
        self.entries.retain(|entry| match &entry.origin {
            SettingOrigin::Written { source, .. } => !is_broken(source),
            SettingOrigin::Variable(_) => true,
        });
        // What could not be read was not seen by whoever trusts the folder.
        self.texts.retain(|(layer, name, _)| {
            !problems.iter().any(|problem| problem.source.layer == *layer && *problem.source.name == **name)
        });
        problems
    }

    /// Variables come after files and before the command line. A bad value is ignored with a warning.
    pub(super) fn environment(&mut self, variable: EnvironmentLookup<'_>) {
        let set = |name| variable(name).filter(|value: &String| !value.trim().is_empty());
        for (name, key) in [("FORETHOUGHT_PLAN_AGENTS", "agents"), ("FORETHOUGHT_EXPLORE_AGENTS", "exploreAgents")] {
            match set(name).map(|text| agent_count(name, &text)) {
                Some(Ok(count)) => self.variable(name, &["plan", key], Value::from(count.get())),
                Some(Err(warning)) => self.warnings.push(warning.to_string()),
                None => {}
            }
        }
        const INTERVIEW: &str = "FORETHOUGHT_PLAN_INTERVIEW";
        match set(INTERVIEW).map(|text| interview_switch(INTERVIEW, &text)) {
            Some(Ok(Some(WorkflowKind::Interview))) => {
                self.variable(INTERVIEW, &["plan", "workflow"], "interview".into())
            }
            Some(Ok(Some(WorkflowKind::FivePhases))) => {
                self.variable(INTERVIEW, &["plan", "workflow"], "five-phases".into());
            }
            Some(Err(warning)) => self.warnings.push(warning.to_string()),
            Some(Ok(None)) | None => {}
        }
        // One model for everything, as `--model` is. Whether it can be used is found out when it is needed: no other
        // one is put in its place.
        const MODEL: &str = "FORETHOUGHT_MODEL";
        if let Some(name) = set(MODEL) {
            for duty in ["act", "plan", "small"] {
                self.variable(MODEL, &["model", duty], Value::from(name.trim()));
            }
        }
    }

    fn variable(&mut self, name: &'static str, path: &[&str], value: Value) {
        let path = path.iter().map(|part| (*part).to_owned()).collect();
        self.entries.push(SettingEntry { path, value, origin: SettingOrigin::Variable(name), fate: Fate::Taken });
    }

    /// Decides what is taken, and gives all values that hold, as one JSON value. `held` begins with the defaults.
    pub(super) fn settle(&mut self, mut held: Value, trust: &Trust, repository: &Repository) -> Value {
        let mut warned: Vec<(Vec<String>, SettingsSource)> = Vec::new();
        let defaults = held.clone();
        for entry in &mut self.entries {
            let below = at(&held, &entry.path).filter(|below| !below.is_array());
            let trust = entry.layer().map_or(Trust::NotTrusted, |layer| repository.trust_in(layer, trust));
            entry.fate = judge(entry, below, &trust);
            if judge(entry, below, &Trust::NotTrusted) == Fate::Refused(GuardRefusal::UntilTrusted) {
                self.grants.push(format!("{}: {}", entry.origin, entry.in_words()));
            }
            match (&entry.fate, &entry.origin) {
                (Fate::Taken, _) => {
                    let how = match is_list(&defaults, &entry.path) {
                        // A program gets its words as often as they are written.
                        true if entry.path.last().is_some_and(|last| last == "args") => Put::Appends,
                        true => Put::Joins,
                        false => Put::Replaces,
                    };
                    put(&mut held, &entry.path, entry.value.clone(), how);
                }
                (Fate::Refused(why), SettingOrigin::Written { source, .. }) => {
                    let this = (entry.path.clone(), source.clone());
                    if !warned.contains(&this) {
                        self.refusals.push(format!("{}: `{}` is {why}", entry.origin, entry.path.join(".")));
                        warned.push(this);
                    }
                }
                (Fate::Refused(_), SettingOrigin::Variable(_)) => {}
            }
        }
        held
    }
}

/// Whether a key holds a list. What is beneath a name of the person's choice has no default that would say so.
pub(crate) fn is_list(defaults: &Value, path: &[String]) -> bool {
    let path_words: Vec<&str> = path.iter().map(String::as_str).collect();
    let of_mcp =
        matches!(path_words.as_slice(), ["mcp", "servers", _, "args" | "hosts" | "enabledTools" | "disabledTools"]);
    of_mcp || at(defaults, path).is_some_and(Value::is_array)
}

/// The text of a file, none if it is not there. A file of a repository must lie in it.
pub(super) fn text_of(path: &Path, inside: Option<&Path>) -> Result<Option<String>, String> {
    let failed = |error: io::Error| format!("it cannot be read: {error}");
    let file = match regular_file::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            return Err("it is not a file; put a file there or remove it".into());
        }
        opened => opened.map_err(failed)?,
    };
    if let Some(project) = inside {
        let real = path.canonicalize().map_err(failed)?;
        if !real.starts_with(project) {
            return Err("it is a link that leads out of the project; put the file itself there".into());
        }
        // The name was looked at after the file was opened: it may lead elsewhere by now.
        if !regular_file::is_same(&real, &file).map_err(failed)? {
            return Err("it was replaced while it was read; try again".into());
        }
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err("it is larger than 1 MiB".into());
    }
    String::from_utf8(bytes).map(Some).map_err(|_| "it is not UTF-8 text".into())
}

/// The value at a path, if there is one.
pub(crate) fn at<'a>(values: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(values, |value, name| value.get(name)).filter(|value| !value.is_null())
}

/// What a value does to the one below it: lists grow, everything else is replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Put {
    Joins,
    Replaces,
    /// At the end of a list, also what is there already.
    Appends,
}

fn put(values: &mut Value, path: &[String], value: Value, how: Put) {
    let mut here = values;
    for name in path {
        if !here.is_object() {
            *here = Value::Object(serde_json::Map::new());
        }
        let Some(object) = here.as_object_mut() else { return };
        here = object.entry(name.clone()).or_insert(Value::Null);
    }
    if how != Put::Replaces && here.is_null() {
        *here = Value::Array(Vec::new());
    }
    match (here, how) {
        (Value::Array(list), Put::Appends) => list.push(value),
        (Value::Array(list), Put::Joins) if !list.contains(&value) => list.push(value),
        (Value::Array(_), Put::Joins) => {}
        (other, _) => *other = value,
    }
}
