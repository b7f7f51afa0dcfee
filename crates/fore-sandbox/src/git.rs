//! Asks git, from inside a read-only cage, what a repository's own settings could make it do and what the person has set up, and
//! remembers the answer.

mod blobs;
mod blocking_files;
mod fresh;
mod harmless;
pub(crate) mod includes;
pub(crate) mod orders;
mod pending;
mod pointers;
mod reading;
mod remotes;

pub use reading::GitReading;
pub(crate) use reading::{CONFIG_PLACE, CONFIG_VARIABLE};

use crate::cages::Cages;
use crate::environment::{self, Environment, EnvironmentPurpose, Variables};
use crate::job::{Job, JobCommand, RunLimits};
use crate::network::configured;
use crate::person_environment;
use fore_plan::{Cage, Outside};
use fore_shell::git::{INDEX_HOOK, hardening, probe};
use fore_shell::{GitFacts, Partner, Reach, RemoteDirection, Repositories};
use harmless::Submodules;
use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// More submodules than this are not looked through; the repository then counts as unprobed.
const MAX_SUBMODULES: usize = 64;
/// More folders than this are not remembered at the same time.
const MAX_FOLDERS: usize = 256;

/// More names in a folder than this are not looked through for one that starts with a dash.
const MAX_NAMES: usize = 20_000;

/// How long all questions about one folder may take. What git would wait for is kept from it, so this is for the unforeseen.
const MAX_ASKING: Duration = Duration::from_secs(3);

/// The person's settings, as far as they hold; what is longer is nobody's.
const MAX_CONFIG_BYTES: usize = 256 << 10;
/// Files of these settings that are shown in a cage.
const MAX_FILES: usize = 64;

/// The same command, told to run no driver of the repository's; other programs are left as they are.
pub(crate) fn without_drivers(argv: Vec<OsString>) -> Vec<OsString> {
    let is_git = argv.first().is_some_and(|program| Path::new(program).file_name() == Some(OsStr::new("git")));
    let words: Option<Vec<String>> = argv.iter().map(|word| word.to_str().map(str::to_owned)).collect();
    match words {
        Some(words) if is_git => hardening::harden_argv(&words).into_iter().map(OsString::from).collect(),
        _ => argv,
    }
}

/// Probes repositories and answers from memory until one of the files that the answer came from changes.
#[derive(Debug)]
pub struct GitProbe<C> {
    cages: C,
    known: Mutex<HashMap<PathBuf, CachedProbe>>,
}

#[derive(Clone, Debug)]
struct CachedProbe {
    facts: GitFacts,
    reading: GitReading,
    stamps: Vec<(PathBuf, ChangeStamp)>,
}

/// What tells that a file or folder was changed; `None` when it is not there.
type ChangeStamp = Option<(u64, u64, i64, i64, i64, i64)>;

/// A repository, as git sees it.
struct RepositoryPaths {
    /// Where the work tree begins; the repository itself if there is none.
    top: PathBuf,
    own: PathBuf,
    common: PathBuf,
}

/// All settings that hold in a folder, in git's order.
#[derive(Default)]
struct ListedSettings {
    /// The person's and the machine's.
    person_settings: Vec<probe::Setting>,
    /// Where those are written.
    files: Vec<PathBuf>,
    /// All, by whether they can be trusted.
    all: Vec<probe::Setting>,
}

impl<C: Borrow<Cages>> GitProbe<C> {
    /// `cages` is borrowed or shared: a session keeps what was learned for as long as it lives.
    pub fn new(cages: C) -> GitProbe<C> {
        GitProbe { cages, known: Mutex::default() }
    }

    /// How git is set up for a command that reads in `folder`, for [`Job::git`].
    pub fn reading(&self, folder: &Path) -> GitReading {
        self.probe(folder).reading
    }

    fn probe(&self, folder: &Path) -> CachedProbe {
        let remembered = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(folder).cloned();
        if let Some(known) = remembered.filter(|known| known.stamps.iter().all(|(path, then)| stamp(path) == *then)) {
            return known;
        }
        let known = self.ask(folder);
        let mut all = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MAX_FOLDERS {
            all.clear();
        }
        // What failed may work the next time.
        if known.facts != GitFacts::Unprobed {
            all.insert(folder.to_owned(), known.clone());
        }
        known
    }

    fn ask(&self, folder: &Path) -> CachedProbe {
        // Before the questions: what changes while they are asked must count as changed.
        let mut stamps: Vec<(PathBuf, ChangeStamp)> = Vec::new();
        let mut watch = |path: PathBuf| stamps.push((path.clone(), stamp(&path)));
        folder.ancestors().for_each(|ancestor| watch(ancestor.join(".git")));
        let person = PersonGitConfig::of_this_process();
        let looked = BlockingFiles::at(folder, &person);
        looked.watched.into_iter().for_each(&mut watch);
        let asking = ProbeRound { until: Instant::now() + MAX_ASKING, person, blank: looked.blank };
        // A repository with pipes in the place of its files is not asked about.
        let answers = looked.is_clear.then(|| self.answers(folder, &asking, &mut watch)).flatten();
        let (facts, reading) = answers.unwrap_or((GitFacts::Unprobed, None));
        let reading = reading.unwrap_or_else(|| GitReading {
            notes: reading::blank_notes(&asking.blank),
            blank: asking.blank,
            ..GitReading::default()
        });
        CachedProbe { facts, reading, stamps }
    }

    /// What git says; `None` when a part of it could not be heard.
    fn answers(
        &self,
        folder: &Path,
        asking: &ProbeRound,
        watch: &mut dyn FnMut(PathBuf),
    ) -> Option<(GitFacts, Option<GitReading>)> {
        let place = match self.repository(folder, asking)? {
            Ok(place) => place,
            Err(facts) => {
                let listed = ListedSettings { all: Vec::new(), ..self.listed(folder, asking, watch)? };
                return Some((facts, self.reading_of(&listed, false, asking, Submodules::Quiet)));
            }
        };
        let modules = submodules(&place.common);
        if modules.len() > MAX_SUBMODULES {
            return None;
        }
        for name in ["config", "hooks", "modules"] {
            watch(place.common.join(name));
        }
        for name in ["config.worktree", "info/attributes", "HEAD", "index"] {
            watch(place.own.join(name));
        }
        modules.iter().for_each(|config| watch(config.clone()));
        let mut listed = self.listed(folder, asking, watch)?;
        let hooks = hooks(&listed.all, &place);
        let (mut submodules, strays) = self.strays(&place, asking);
        for config in modules.iter().chain(&strays) {
            watch(config.clone());
            let inside = self.listed_in(folder, config, asking)?;
            if inside.iter().any(|setting| harmless::is_armed(&setting.key, setting.value.as_deref())) {
                submodules = Submodules::Armed;
            }
            listed.all.extend(inside);
        }
        if let Some(hooks) = &hooks {
            watch(hooks.clone());
        }
        let hooks = hooks.map(|hooks| executables(&hooks));
        let facts = probe::probe(&probe::GitFound { settings: listed.all.clone(), hooks, attributes: None });
        let index_hook = matches!(&facts, GitFacts::Armed(keys) if keys.iter().any(|key| key == INDEX_HOOK));
        let mut reading = self.reading_of(&listed, index_hook, asking, submodules);
        if let Some(reading) = &mut reading {
            let attributes = [place.top.join(".gitattributes"), place.common.join("info/attributes")];
            attributes.iter().for_each(|file| watch(file.clone()));
            let text: String = attributes.iter().map(|file| includes::text(file) + "\n").collect();
            reading.notes.extend(reading::filter_note(&listed.person_settings, &text));
        }
        Some((facts, reading))
    }

    /// Where the repository of a folder is, or what is true without one; `None` when git could not say.
    fn repository(&self, folder: &Path, asking: &ProbeRound) -> Option<Result<RepositoryPaths, GitFacts>> {
        let question = ["rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-toplevel"];
        let (code, places, trouble) = self.git(folder, &question, asking)?;
        // A repository without a work tree answers the first two questions and then fails.
        if code != 0 && places.lines().count() < 2 {
            return trouble.contains("not a git repository").then_some(Err(GitFacts::NoRepository));
        }
        let mut lines = places.lines().map(|line| folder.join(line));
        let (own, common) = (lines.next()?, lines.next()?);
        let top = lines.next().unwrap_or_else(|| own.clone());
        Some(Ok(RepositoryPaths { top, own, common }))
    }

    fn listed(&self, folder: &Path, asking: &ProbeRound, watch: &mut dyn FnMut(PathBuf)) -> Option<ListedSettings> {
        let question = ["config", "--list", "--includes", "-z", "--show-scope", "--show-origin"];
        let (0, listing, _) = self.git(folder, &question, asking)? else { return None };
        let mut listed = ListedSettings::default();
        let mut fields = listing.split('\0');
        while let (Some(scope), Some(origin), Some(pair)) = (fields.next(), fields.next(), fields.next()) {
            let file = origin.strip_prefix("file:").map(|file| folder.join(file));
            file.iter().for_each(|file| watch(file.clone()));
            let entry = format!("{scope}\0{pair}\0");
            let settings = probe::settings(&entry);
            if matches!(scope, "system" | "global") {
                listed.person_settings.extend(settings.clone());
                listed.files.extend(file.filter(|file| !listed.files.contains(file)));
            }
            listed.all.extend(settings);
        }
        Some(listed)
    }

    /// The settings of one file, which belongs to a submodule.
    fn listed_in(&self, folder: &Path, config: &Path, asking: &ProbeRound) -> Option<Vec<probe::Setting>> {
        let question = ["config", "--file", config.to_str()?, "--list", "--includes", "-z"];
        let (0, listing, _) = self.git(folder, &question, asking)? else { return None };
        Some(listing.split('\0').filter(|entry| !entry.is_empty()).map(of_submodule).collect())
    }

    /// Whether git knows all submodules under its own roof; settings of those that have a repository elsewhere.
    fn strays(&self, place: &RepositoryPaths, asking: &ProbeRound) -> (Submodules, Vec<PathBuf>) {
        let text = "git ls-files --full-name --stage | grep -a '^160000 '; exit 0";
        let Some((0, links, _)) = self.run(&place.top, JobCommand::Script(text.to_owned()), asking) else {
            return (Submodules::Armed, Vec::new());
        };
        let mut strays = Vec::new();
        let mut is_quoted = false;
        let roof = place.common.canonicalize().unwrap_or_default().join("modules");
        for path in links.lines().filter_map(|line| line.split_once('\t')).map(|(_, path)| path) {
            is_quoted |= path.starts_with('"');
            let folder = place.top.join(path);
            let Some(inside) = includes::git_folder(&folder) else { continue };
            let is_known = inside.canonicalize().is_ok_and(|real| real.starts_with(&roof)) && inside != folder;
            if !is_known && strays.len() < MAX_SUBMODULES {
                strays.push(inside.join("config"));
            }
        }
        let submodules = if is_quoted || !strays.is_empty() { Submodules::Armed } else { Submodules::Quiet };
        (submodules, strays.into_iter().filter(|config| config.is_file()).collect())
    }

    fn reading_of(
        &self,
        listed: &ListedSettings,
        index_hook: bool,
        asking: &ProbeRound,
        submodules: Submodules,
    ) -> Option<GitReading> {
        let own = &listed.all;
        let mut settings = asking.person.defaults(&listed.person_settings);
        settings.extend(listed.person_settings.iter().cloned());
        let text = reading::file(&settings, submodules);
        if text.len() > MAX_CONFIG_BYTES {
            return None;
        }
        let home = asking.person.home.as_deref();
        let named = settings.iter().filter_map(|setting| harmless::named_file(setting, home));
        let files = listed.files.iter().cloned().chain(named).take(MAX_FILES).collect();
        let overrides = reading::overrides(own, index_hook, submodules);
        let notes = reading::notes(&overrides, &asking.blank, submodules);
        let filters = hardening::filters(own.iter().map(|setting| setting.key.as_str()));
        Some(GitReading { config: Some(text), overrides, filters, blank: asking.blank.clone(), files, notes })
    }

    /// Runs git where it can change nothing and reach nobody; `None` when that failed.
    fn git(&self, folder: &Path, arguments: &[&str], asking: &ProbeRound) -> Option<(i32, String, String)> {
        let argv = std::iter::once("git").chain(arguments.iter().copied()).map(OsString::from).collect();
        self.run(folder, JobCommand::Program(argv), asking)
    }

    fn run(&self, folder: &Path, command: JobCommand, asking: &ProbeRound) -> Option<(i32, String, String)> {
        let time = asking.until.saturating_duration_since(Instant::now());
        let limits = RunLimits { time, output_bytes: 4 << 20, ..RunLimits::default() };
        let environment = Environment::Exactly(asking.person.environment(folder));
        let git = GitReading { blank: asking.blank.clone(), ..GitReading::default() };
        let mut job = Job { limits, environment, git, ..Job::new(command, folder) };
        let outcome = self.cages.borrow().run_in(&Cage::ReadOnly { outside: Outside::Closed }, &mut job).ok()?;
        let text = String::from_utf8(outcome.stdout.bytes()).ok().filter(|_| !outcome.stdout.truncated())?;
        Some((outcome.status.code(), text, outcome.stderr.text()))
    }
}

/// What there is to wait for before git is started in a folder.
struct BlockingFiles {
    blank: Vec<PathBuf>,
    /// When one of these changes, another look is due.
    watched: Vec<PathBuf>,
    /// Whether everything that git opens by name is an ordinary file, and its configuration could be looked through.
    is_clear: bool,
}

impl BlockingFiles {
    fn at(folder: &Path, person: &PersonGitConfig) -> BlockingFiles {
        let home = person.home.as_deref();
        let named = includes::scan(includes::roots(folder, home, &person.files()), home);
        let opened = match includes::repository(folder) {
            Some((top, own, common)) => blocking_files::scan(&top, &[own, common]),
            None => blocking_files::RepositoryScan::default(),
        };
        let is_clear = opened.odd.is_empty() && !named.unread;
        let blank: BTreeSet<PathBuf> = named.odd.into_iter().chain(opened.odd).collect();
        let watched = named.files.into_iter().chain(opened.watched).collect();
        BlockingFiles { blank: blank.into_iter().collect(), watched, is_clear }
    }
}

/// One round of questions.
struct ProbeRound {
    until: Instant,
    person: PersonGitConfig,
    blank: Vec<PathBuf>,
}

/// Where the person keeps git's configuration, as their environment says.
struct PersonGitConfig {
    home: Option<PathBuf>,
    /// The folder that holds `git/config`, `git/ignore` and `git/attributes`, where it is not the usual one.
    config_home: Option<PathBuf>,
    /// Variables that name other files, for git itself to follow.
    named: Variables,
}

impl PersonGitConfig {
    fn of_this_process() -> PersonGitConfig {
        let folder =
            |name: &str| person_environment::variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let names = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "XDG_CONFIG_HOME"];
        let named =
            names.iter().filter_map(|name| Some((OsString::from(name), person_environment::variable(name)?))).collect();
        PersonGitConfig { home: folder("HOME"), config_home: folder("XDG_CONFIG_HOME"), named }
    }

    /// Files that git would read besides those in the home folder.
    fn files(&self) -> Vec<PathBuf> {
        let is_file = |name: &OsString| name == "GIT_CONFIG_GLOBAL" || name == "GIT_CONFIG_SYSTEM";
        let named = self.named.iter().filter(|(name, _)| is_file(name)).map(|(_, path)| PathBuf::from(path));
        let usual = self.config_home.iter().map(|folder| folder.join("git/config"));
        named.chain(usual).chain([PathBuf::from("/etc/gitconfig")]).collect()
    }

    /// Of the whole environment only what git needs to find its configuration; nothing of it starts a program.
    fn environment(&self, folder: &Path) -> Variables {
        let purpose = EnvironmentPurpose::Reading(GitReading::default());
        let mut variables = environment::of_this_process(folder, &purpose);
        variables.retain(|(name, _)| !name.as_bytes().starts_with(b"GIT_CONFIG"));
        let none = OsString::from("GIT_CONFIG_NOSYSTEM");
        let asked = [("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null"), ("safe.directory", "*")];
        for (index, (key, value)) in asked.into_iter().enumerate() {
            variables.push((format!("GIT_CONFIG_KEY_{index}").into(), key.into()));
            variables.push((format!("GIT_CONFIG_VALUE_{index}").into(), value.into()));
        }
        variables.push(("GIT_CONFIG_COUNT".into(), asked.len().to_string().into()));
        variables.retain(|(name, _)| name != "LC_ALL" && *name != none);
        // Answers are read, so they come in one language.
        variables.push(("LC_ALL".into(), "C".into()));
        variables.extend(self.named.iter().cloned());
        variables
    }

    /// Files that git finds by a variable which a cage does not have.
    fn defaults(&self, persons: &[probe::Setting]) -> Vec<probe::Setting> {
        let Some(folder) = &self.config_home else { return Vec::new() };
        let usual = [("core.excludesfile", "git/ignore"), ("core.attributesfile", "git/attributes")];
        let unset =
            usual.into_iter().filter(|(key, _)| !persons.iter().any(|setting| setting.key.eq_ignore_ascii_case(key)));
        let settings = unset.filter_map(|(key, name)| {
            let value = Some(folder.join(name).to_str()?.to_owned());
            Some(probe::Setting { scope: probe::SettingScope::Trusted, key: key.to_owned(), value })
        });
        settings.collect()
    }
}

/// Where the hooks are; `None` where nobody but git can tell.
fn hooks(settings: &[probe::Setting], place: &RepositoryPaths) -> Option<PathBuf> {
    let set = settings.iter().rev().find(|setting| {
        setting.scope == probe::SettingScope::Repository && setting.key.eq_ignore_ascii_case("core.hooksPath")
    });
    match set.map(|setting| setting.value.as_deref()) {
        None => Some(place.common.join("hooks")),
        // Relative to the top of the work tree. `~` and `%(prefix)` are git's to resolve, so nobody looked.
        Some(value) => value.filter(|path| !path.starts_with(['~', '%'])).map(|path| place.top.join(path)),
    }
}

impl<C: Borrow<Cages>> Repositories for GitProbe<C> {
    fn at(&self, folder: &Path) -> GitFacts {
        // Git cannot start in a folder that is not there, so there is nothing to obey.
        let is_missing = folder.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        if is_missing { GitFacts::NoRepository } else { self.probe(folder).facts }
    }

    fn is_shim(&self, program: &str, folder: &Path) -> bool {
        crate::shims::is_shim(program, folder, &person_environment::variable("PATH").unwrap_or_default())
    }

    fn hosts(&self, partner: Partner<'_>, folder: &Path) -> Vec<Reach> {
        let home = person_environment::home();
        let person = configured::PersonConfig { home: home.as_deref(), variable: &person_environment::text };
        let named = match partner {
            Partner::Remote { name, direction } => self.remote(folder, name, direction),
            Partner::Registry(registry) => person.registry(registry, Some(folder)),
            Partner::Forge => person.forge(&self.remote(folder, None, RemoteDirection::Fetch).unwrap_or_default()),
        };
        named.unwrap_or_default()
    }

    fn may_hold_dashed_names(&self, folder: &Path) -> bool {
        use std::os::unix::ffi::OsStrExt;
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            // Where nothing is, a pattern stays as it is written.
            Err(error) => return error.kind() != std::io::ErrorKind::NotFound,
        };
        for (number, entry) in entries.enumerate() {
            let is_plain = entry.is_ok_and(|entry| !entry.file_name().as_bytes().starts_with(b"-"));
            if !is_plain || number >= MAX_NAMES {
                return true;
            }
        }
        false
    }
}

/// `key\nvalue`, or a key alone. Git calls settings of a named file the command's own; they are the repository's.
fn of_submodule(entry: &str) -> probe::Setting {
    let (key, value) = match entry.split_once('\n') {
        Some((key, value)) => (key, Some(value.to_owned())),
        None => (entry, None),
    };
    probe::Setting { scope: probe::SettingScope::Repository, key: key.to_owned(), value }
}

/// The settings files of initialised submodules, nested ones too; one more than the most when there are more.
fn submodules(common: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![common.join("modules")];
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            looked_at += 1;
            if found.len() > MAX_SUBMODULES || looked_at > 10_000 {
                found.resize(MAX_SUBMODULES + 1, PathBuf::new());
                return found;
            }
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let path = entry.path();
            if path.join("config").is_file() {
                found.push(path.join("config"));
                folders.push(path.join("modules"));
            } else {
                // A submodule whose name holds slashes lies deeper.
                folders.push(path);
            }
        }
    }
    found
}

fn executables(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| {
            std::fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_file() && metadata.mode() & 0o111 != 0)
        })
        .map(|entry| String::from_utf8_lossy(entry.file_name().as_bytes()).into_owned())
        .collect();
    names.sort();
    names
}

fn stamp(path: &Path) -> ChangeStamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((
        metadata.ino(),
        metadata.size(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
    ))
}
