//! Programs in a workspace that stand in for those of the machine, because the person's PATH leads through it.

use std::path::{Path, PathBuf};

/// Folders of a PATH, and programs in one, that are looked at.
const MAX_FOLDERS: usize = 256;
const MAX_PROGRAMS: usize = 20_000;

/// Those whose names are programs elsewhere on the path as well. A link to that very program changes nothing.
pub(super) fn standing_in(workspace: &Path, path: &[&Path]) -> Vec<PathBuf> {
    // A relative folder is looked for wherever somebody stands.
    let folders = path.iter().take(MAX_FOLDERS).map(|folder| workspace.join(folder));
    let real = folders.map(|folder| folder.canonicalize().unwrap_or(folder));
    let (inside, outside): (Vec<PathBuf>, Vec<PathBuf>) = real.partition(|folder| folder.starts_with(workspace));
    let stands_in = |program: &PathBuf| {
        let Some(name) = program.file_name() else { return false };
        let real = program.canonicalize().ok();
        let meant = outside.iter().filter_map(|folder| folder.join(name).canonicalize().ok());
        meant.filter(|meant| meant.is_file()).any(|meant| real.as_ref() != Some(&meant))
    };
    let listed = |folder: &PathBuf| std::fs::read_dir(folder).into_iter().flatten().take(MAX_PROGRAMS);
    inside.iter().flat_map(listed).flatten().map(|entry| entry.path()).filter(stands_in).collect()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the programs that are looked at")]
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_program_stands_in_for_another_one_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (shop, machine) = (top.join("shop"), top.join("machine"));
        let environment = shop.join(".venv/bin");
        for made in [&machine, &environment, &shop.join("node_modules/.bin"), &shop.join("src")] {
            std::fs::create_dir_all(made).unwrap();
        }
        for program in ["git", "ls", "python3"] {
            std::fs::write(machine.join(program), "").unwrap();
        }
        for program in [".venv/bin/git", ".venv/bin/black", "node_modules/.bin/ls", "src/git"] {
            std::fs::write(shop.join(program), "").unwrap();
        }
        symlink(machine.join("python3"), environment.join("python3")).unwrap();
        symlink("python3", environment.join("python")).unwrap();
        symlink("black", environment.join("ls")).unwrap();
        let path = [environment.as_path(), Path::new("./node_modules/.bin"), &machine, Path::new("gone")];
        let mut found = standing_in(&shop, &path);
        found.sort();
        let expected = [".venv/bin/git", ".venv/bin/ls", "node_modules/.bin/ls"].map(|path| shop.join(path));
        assert_eq!(found, expected);
        assert_eq!(standing_in(&shop, &[&machine]), Vec::<PathBuf>::new());
    }
}
