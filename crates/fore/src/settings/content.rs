//! What a repository's files said when the person trusted the folder, and what they say now: settings, agents that ask for a model, commands that
//! ask for calls without a question.
//! Only the same bytes are trusted.

use super::{Trust, entry::SettingsLayer, wishing_files::WishingFile};
use fore_plan::plan::{Hash, diff};
use fore_store::trust::{SeenContent, SeenFile};
use std::path::Path;

/// Lines of a difference that are shown.
const MAX_LINES: usize = 40;

/// The files of the repository that may grant something, each as it was read, once.
#[derive(Clone, Default)]
pub(crate) struct Repository {
    files: Vec<RepositoryFile>,
    /// Names that were trusted and are gone.
    gone: Vec<String>,
}

#[derive(Clone)]
struct RepositoryFile {
    /// None for an agent or a command.
    layer: Option<SettingsLayer>,
    name: String,
    text: String,
    before: TrustedVersion,
}

/// What was known of a file when the folder was trusted.
#[derive(Clone, PartialEq, Eq)]
enum TrustedVersion {
    /// These very bytes.
    Same,
    /// Other ones; none if they were too long to keep.
    Other(Option<String>),
    /// It was not there.
    NotThere,
    /// Nothing was kept of the folder: it was trusted as part of another one, or by an older version.
    NotKept,
}

/// A file whose content is not the one that was trusted.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct UntrustedFile {
    /// What is the matter, in a sentence.
    pub(crate) words: String,
    /// What changed, line by line.
    pub(crate) difference: String,
}

impl std::fmt::Debug for Repository {
    /// The texts may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.files.iter().map(|file| &file.name)).finish()
    }
}

impl std::fmt::Debug for UntrustedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words)
    }
}

impl Repository {
    /// Compares what was read with what was trusted.
    pub(super) fn new(
        folder: Option<&Path>,
        project: &Path,
        texts: Vec<(SettingsLayer, String, String)>,
        wishing: Vec<WishingFile>,
    ) -> Result<Repository, String> {
        let seen =
            folder.map_or(Ok(None), |folder| SeenContent::read(folder, project)).map_err(|error| error.to_string())?;
        let before = |name: &str, text: &str| match seen.as_ref().map(|seen| seen.file(name)) {
            None => TrustedVersion::NotKept,
            Some(None) => TrustedVersion::NotThere,
            Some(Some(file)) if file.is(text) => TrustedVersion::Same,
            Some(Some(file)) => TrustedVersion::Other(SeenFile::text(file).map(str::to_owned)),
        };
        let file = |(layer, name, text): (Option<SettingsLayer>, String, String)| {
            let before = before(&name, &text);
            RepositoryFile { layer, name, text, before }
        };
        let texts = texts.into_iter().map(|(layer, name, text)| (Some(layer), name, text));
        let wishing = wishing.into_iter().map(|file| (None, file.name, file.text));
        let files: Vec<RepositoryFile> = texts.chain(wishing).map(file).collect();
        // Settings restrict; an agent or a command that is gone, or asks for nothing any more, takes nothing away.
        let is_gone = |name: &&str| !name.ends_with(".md") && files.iter().all(|file| file.name != **name);
        let gone = seen.iter().flat_map(SeenContent::names).filter(is_gone).map(str::to_owned).collect();
        Ok(Repository { files, gone })
    }

    /// What the trust in the folder means for a file of it.
    pub(super) fn trust_in(&self, layer: SettingsLayer, folder: &Trust) -> Trust {
        let is_same = self.files.iter().all(|file| file.layer != Some(layer) || file.before == TrustedVersion::Same);
        match folder {
            Trust::Trusted(by) if !is_same => Trust::Changed(by.clone()),
            Trust::Trusted(_) | Trust::Changed(_) | Trust::NotTrusted => folder.clone(),
        }
    }

    /// The file of a layer, if it is not the one that was trusted.
    pub(super) fn untrusted(&self, layer: SettingsLayer) -> Option<UntrustedFile> {
        self.files.iter().find(|file| file.layer == Some(layer))?.untrusted()
    }

    /// The agents and commands that wish something of the program and are not the ones that were trusted.
    pub(super) fn untrusted_words(&self) -> impl Iterator<Item = UntrustedFile> {
        self.files.iter().filter(|file| file.layer.is_none()).filter_map(RepositoryFile::untrusted)
    }

    /// The hashes of those that are trusted as they are.
    pub(super) fn trusted_words(&self) -> impl Iterator<Item = Hash> {
        let is_trusted = |file: &&RepositoryFile| file.layer.is_none() && file.before == TrustedVersion::Same;
        self.files.iter().filter(is_trusted).map(|file| Hash::of(file.text.as_bytes()))
    }

    /// What is gone since the folder was trusted: what it restricted is gone too.
    pub(super) fn gone(&self) -> impl Iterator<Item = String> {
        self.gone
            .iter()
            .map(|name| format!("{name} is gone since you trusted this folder, and what it forbade with it"))
    }

    /// Names and texts, as they were read: these bytes and no others are trusted when the person says so.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (file.name.as_str(), file.text.as_str()))
    }
}

impl RepositoryFile {
    /// What is the matter with it, unless it is the one that was trusted.
    fn untrusted(&self) -> Option<UntrustedFile> {
        let what = match &self.before {
            TrustedVersion::Same => return None,
            TrustedVersion::Other(_) => "changed since you trusted this folder",
            TrustedVersion::NotThere if self.layer.is_none() => "did not ask for that when you trusted this folder",
            TrustedVersion::NotThere => "was not there when you trusted this folder",
            TrustedVersion::NotKept => "was not looked at when you trusted this folder",
        };
        let difference = match &self.before {
            TrustedVersion::Other(None) => "what it said before was too long to keep\n".to_owned(),
            TrustedVersion::Other(Some(old)) => diff(old, &self.text).unified(MAX_LINES),
            TrustedVersion::Same | TrustedVersion::NotThere | TrustedVersion::NotKept => {
                diff("", &self.text).unified(MAX_LINES)
            }
        };
        let words = format!(
            "{} {what}, so what it grants is not in force; look at it with `fore trust --review`, then trust it with /trust or `fore trust`",
            self.name
        );
        Some(UntrustedFile { words, difference })
    }
}
