//! What a cage hides: secrets, and of personal places all that a command does not need. Nothing is hidden here; it is listed.

use super::{KERNEL, is_project, reads_nothing, real_home};
use crate::blueprint::{Blueprint, RawPath};
use crate::cages::CageSettings;
use crate::error::CageError;
use crate::job::{Job, JobCommand};
use crate::personal::{self, Personal};
use crate::secrets::{
    Exceptions, IndexOwner, Indexes, ListedSecrets, RunWatch, in_home, in_order, judged_by_content, names_above,
};
use fore_shell::Catalogue;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What the cage shows of the places where people keep their things.
pub(super) fn personal(
    (settings, catalogue): (&CageSettings, &Catalogue),
    (workspace, cwd): (&Path, &Path),
    listed: &ListedSecrets,
    draft: &Blueprint,
    job: &Job<'_>,
) -> Result<Personal, CageError> {
    if reads_nothing(job) {
        return Ok(Personal::default());
    }
    let home = settings.home.as_deref();
    let words = personal::JobWords::of(job, home, catalogue);
    if let Some(word) = words.git_secret() {
        return Err(CageError::CommittedSecret { word });
    }
    let (named, environment) = (words.paths(job, cwd, home), &draft.environment);
    let programs = match &job.command {
        JobCommand::Program(_) => named.as_slice(),
        JobCommand::Script(_) => &[],
    };
    let about = personal::RunSubject {
        workspace,
        cwd,
        written_cwd: &job.cwd,
        environment,
        named: &named,
        programs,
        of_git: &job.git.files,
        there: &listed.there,
    };
    let found = Personal::find(settings, &settings.secrets_among(workspace, listed, &job.session), about);
    Ok(Personal { missing: words.missing_secrets(job, cwd, home), ..found })
}

/// Every path that nobody in the cage may read: by its place, by its name at any depth of the folders that are searched, and
/// whatever else is another name of one of them.
pub(super) fn secrets(
    settings: &CageSettings,
    indexes: &Indexes,
    ([workspace, cwd], listed): ([&Path; 2], ListedSecrets),
    personal: &Personal,
    job: &Job<'_>,
    watch: &mut RunWatch,
) -> Result<Vec<RawPath>, CageError> {
    let mut found = Vec::new();
    // What the command itself waits for, where no index would hear of it.
    let above = [workspace, cwd].into_iter().flat_map(|folder| folder.ancestors().skip(1)).collect::<BTreeSet<&Path>>();
    let seen = above.into_iter().filter(|folder| !personal.hides(&folder.join(".env")));
    let missing = seen.flat_map(names_above).filter(|path| !path.exists());
    let named = personal.secret.iter().chain(&personal.missing).cloned();
    missing.chain(named).filter(|path| !path.starts_with(workspace)).for_each(|path| watch.expect(path));
    let exceptions = Exceptions::of(settings, workspace);
    for (path, content) in judged_by_content(settings, &listed.there) {
        // By their letters, in which they are in order.
        let is_listed = listed.all.binary_search_by(|known| known.as_os_str().cmp(path.as_os_str())).is_ok();
        if !is_listed && !exceptions.hold(&path) {
            watch.doubt(path, content);
        }
    }
    if is_project(settings, workspace) && !reads_nothing(job) {
        found.extend(indexes.hide(settings, (workspace, IndexOwner::Project), &listed, watch)?);
        found.extend(other_names(settings, indexes, workspace, &listed, personal)?);
    }
    for folder in &personal.searched {
        found.extend(indexes.hide(settings, (folder, IndexOwner::Others), &listed, watch)?);
    }
    let mut list = listed.all;
    // What a link leads to is as secret as the link; the place of the link may look empty by then.
    let leads_on = listed.found.into_iter().filter(|(path, real)| path != real).map(|(_, real)| real);
    list.extend(leads_on.filter(|real| may_be_hidden(settings, real, [workspace, cwd])));
    list.extend(found);
    if real_home(settings).is_none_or(|home| !personal.hides(&home)) {
        list.extend(in_home(settings));
    }
    list.extend(personal.secret.iter().cloned());
    in_order(&mut list);
    Ok(list.into_iter().map(RawPath::from).collect())
}

/// Somebody's link may lead to a folder that everybody needs.
fn may_be_hidden(settings: &CageSettings, real: &Path, folders: [&Path; 2]) -> bool {
    let needed = folders.into_iter().chain(settings.home.as_deref());
    let is_of_the_system = KERNEL.iter().chain(&["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix"]);
    real.is_file()
        || (real.components().count() > 2
            && !needed.into_iter().any(|folder| folder.starts_with(real))
            && !is_of_the_system.into_iter().any(|folder| real.starts_with(folder)))
}

/// Files that the command names and that are other names of secrets.
fn other_names(
    settings: &CageSettings,
    indexes: &Indexes,
    workspace: &Path,
    listed: &ListedSecrets,
    personal: &Personal,
) -> Result<Vec<PathBuf>, CageError> {
    let files = personal.kept.iter().filter_map(|path| Some((path, path.metadata().ok()?)));
    let several = |facts: &std::fs::Metadata| facts.is_file() && std::os::unix::fs::MetadataExt::nlink(facts) > 1;
    let doubtful: Vec<_> = files.filter(|(_, facts)| several(facts)).collect();
    if doubtful.is_empty() {
        return Ok(Vec::new());
    }
    let secrets = indexes.ask(settings, (workspace, IndexOwner::Project), listed, |index| index.by_number())?;
    Ok(doubtful.into_iter().filter(|(_, facts)| secrets.hold(facts)).map(|(path, _)| path.clone()).collect())
}

/// What stays visible of our own folder. Through a link it would show something else, so there must be none.
pub(super) fn visible_own_files(settings: &CageSettings, own: &Path, job: &Job<'_>) -> Vec<PathBuf> {
    let meant = settings.own_open();
    let paths = meant.iter().map(PathBuf::as_path).chain(job.session.paths());
    let real = paths.filter_map(|path| Some((path, path.canonicalize().ok()?)));
    // The folder itself may be reached through a link; what is in it may not.
    let kept = real.filter(|(path, real)| real.starts_with(own) && real.file_name() == path.file_name());
    let mut kept: Vec<PathBuf> = kept.map(|(_, real)| real).collect();
    kept.sort();
    kept.dedup();
    kept
}

/// The secrets that can be seen where the mounts of a cage stand. Of a personal place that is only what belongs to something that is
/// put back there; each path that is told costs the set-up program a look.
pub(super) fn to_be_hidden(draft: &Blueprint) -> Vec<RawPath> {
    let again =
        [&draft.kept, &draft.writable, &draft.overlays, &draft.shown, &draft.temps, &draft.sockets, &draft.quiet];
    let again = again.into_iter().flatten().chain(&draft.plan_file).chain(draft.links.iter().map(|(link, _)| link));
    let again: Vec<&[u8]> = again.map(bytes).collect();
    let is_seen = |path: &&RawPath| {
        let path = bytes(path);
        let is_emptied = draft.personal.iter().any(|top| is_in(path, bytes(top)));
        !is_emptied || !is_straight(path) || again.iter().any(|shown| is_in(path, shown) || is_in(shown, path))
    };
    draft.masked.iter().filter(is_seen).cloned().collect()
}

fn bytes(path: &RawPath) -> &[u8] {
    path.path().as_os_str().as_encoded_bytes()
}

/// Whether a path is a folder or lies in it, by their letters: there are many of both.
fn is_in(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/") || folder.ends_with(b"/"))
}

/// Whether letters tell where it leads.
fn is_straight(path: &[u8]) -> bool {
    path.strip_prefix(b"/")
        .is_some_and(|path| !path.split(|byte| *byte == b'/').any(|part| matches!(part, b"" | b"." | b"..")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_tell_where_a_straight_path_lies() {
        let page: [(&str, &str, bool); 6] = [
            ("/home/x/.ssh", "/home/x", true),
            ("/home/x", "/home/x", true),
            ("/home/xy", "/home/x", false),
            ("/home", "/home/x", false),
            ("/home/x", "/", true),
            ("/", "/", true),
        ];
        assert_eq!(page.map(|(path, folder, _)| (path, folder, is_in(path.as_bytes(), folder.as_bytes()))), page);
        let straight = ["/a/b", "/a//b", "/a/./b", "/a/..", "/a/", "a"].map(|path| is_straight(path.as_bytes()));
        assert_eq!(straight, [true, false, false, false, false, false]);
    }
}
