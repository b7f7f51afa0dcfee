//! Pages of skills: what lies on disk, what is listed, and what loading one gives.

use super::*;
use crate::tools::test_support::opener;
use fore_testkit::Workspace;

fn page(files: &[(&str, &str)]) -> (Workspace, Skills, Vec<String>) {
    let made = files.iter().fold(Workspace::new().unwrap(), |made, (path, text)| made.file(path, text).unwrap());
    let root = made.path().canonicalize().unwrap();
    let (skills, warnings) = Skills::find(&opener(&root.join("shop")), &root.join("shop"), Some(&root.join("home")));
    let short = |text: String| text.replace(&format!("{}/", root.display()), "");
    (made, skills, warnings.into_iter().map(short).collect())
}

const RELEASE: &str = "---\nname: release\ndescription: Makes a release.\n---\n\nRun `make $ARGUMENTS`.\n";

#[test]
fn skills_are_found_in_all_folders_and_the_persons_come_first() {
    let (_made, skills, warnings) = page(&[
        ("home/skills/mine/SKILL.md", "---\ndescription: Mine.\n---\nText"),
        ("shop/.forethought/skills/release/SKILL.md", RELEASE),
        ("shop/.claude/skills/review/SKILL.md", "---\nname: review\ndescription: >\n  Reviews\n  a change.\n---\nText"),
        ("shop/.claude/skills/release/SKILL.md", RELEASE),
        ("shop/.claude/skills/bad/SKILL.md", "---\nname: bad\n---\nText"),
        ("shop/.claude/skills/empty/README.md", "no skill"),
        ("shop/.claude/skills/file.md", "no skill"),
    ]);
    assert_eq!(skills.listing(), "- mine: Mine.\n- release: Makes a release.\n- review: Reviews a change.\n");
    assert_eq!(
        warnings,
        [
            "shop/.claude/skills/bad/SKILL.md, line 1: `description` is missing",
            "shop/.claude/skills/release/SKILL.md: `release` is left out, shop/.forethought/skills/release/SKILL.md has that name",
        ]
    );
}

#[test]
fn loading_gives_text_folder_and_files() {
    let (made, skills, _) = page(&[
        ("shop/.claude/skills/release/SKILL.md", RELEASE),
        ("shop/.claude/skills/release/check.sh", "exit 1"),
        ("shop/.claude/skills/release/notes/old.md", "x"),
        ("shop/.claude/skills/release/a/b/c/deep.md", "x"),
        ("shop/.claude/skills/release/.env", "x"),
    ]);
    let folder = made.path().canonicalize().unwrap().join("shop/.claude/skills/release");
    let loaded = skills.load("release", "v1.2", &opener(Path::new("/"))).unwrap();
    assert_eq!(
        loaded.model_text(),
        format!(
            "Skill `release`, in `{}`\n\nRun `make v1.2`.\n\nFiles of this skill, relative to its folder:\n- check.sh\n- notes/old.md\n",
            folder.display()
        )
    );
    assert_eq!(skills.load("release", "", &opener(Path::new("/"))).unwrap().text, "Run `make `.");
}

#[test]
fn arguments_without_a_place_come_last() {
    let (_made, skills, _) = page(&[("home/skills/mine/SKILL.md", "---\ndescription: d\n---\nText")]);
    assert_eq!(skills.load("mine", " fast ", &opener(Path::new("/"))).unwrap().text, "Text\n\nArguments: fast");
    assert_eq!(skills.load("mine", "", &opener(Path::new("/"))).unwrap().text, "Text");
}

#[test]
fn an_unknown_denied_or_vanished_skill_is_refused() {
    let (made, skills, _) = page(&[("home/skills/mine/SKILL.md", "---\ndescription: d\n---\nText")]);
    assert_eq!(
        skills.load("other", "", &opener(Path::new("/"))),
        Err(NotLoaded::Unknown { known: vec!["mine".to_owned()] })
    );
    let path = made.path().canonicalize().unwrap().join("home/skills/mine/SKILL.md");
    let refused = |why: &str| Err(NotLoaded::Refused(format!("{} {why}", path.display())));
    assert_eq!(
        skills.load(
            "mine",
            "",
            &opener(Path::new("/")).denying(std::sync::Arc::new(|path| path.ends_with("SKILL.md")))
        ),
        refused("may not be read: a rule denies it")
    );
    drop(made);
    assert_eq!(skills.load("mine", "", &opener(Path::new("/"))), refused("is no longer there"));
}

#[test]
fn a_skill_that_is_a_link_out_of_the_project_is_none() {
    let made = Workspace::new().unwrap().file("secret/SKILL.md", RELEASE).unwrap();
    let made =
        made.directory("shop/.claude/skills").unwrap().link("shop/.claude/skills/release", "../../../secret").unwrap();
    let root = made.path().canonicalize().unwrap();
    let (skills, warnings) = Skills::find(&opener(&root.join("shop")), &root.join("shop"), None);
    assert!(skills.is_empty());
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("leads out of"), "{warnings:?}");
}

#[test]
fn a_skill_is_never_a_secret_under_another_name() {
    let made = Workspace::new().unwrap().file("shop/.env", RELEASE).unwrap().file("shop/keys/.netrc", RELEASE).unwrap();
    let made = made.directory("shop/.claude/skills/one").unwrap().directory("shop/.claude/skills/two").unwrap();
    let made = made.link("shop/.claude/skills/one/SKILL.md", "../../../.env").unwrap();
    let made = made.link("shop/.claude/skills/two/SKILL.md", "../../../keys/.netrc").unwrap();
    let root = made.path().canonicalize().unwrap();
    let (skills, warnings) = Skills::find(&opener(&root.join("shop")), &root.join("shop"), None);
    let expected =
        ["one", "two"].map(|name| format!("{}/shop/.claude/skills/{name}/SKILL.md is kept secret", root.display()));
    assert_eq!((skills.is_empty(), warnings), (true, expected.to_vec()));
}
