//! Settings and facts, and where plans then go.

use super::*;

fn read(setting: &str) -> Result<String, String> {
    let shown = |candidate: DirectoryCandidate| candidate.under(Path::new("/p")).display().to_string();
    DirectoryCandidate::read(OsStr::new(setting)).map(shown).map_err(|refused| refused.to_string())
}

#[test]
fn b1_a_path_downwards_is_sound() {
    for (setting, path) in [
        ("plans", "/p/plans"),
        ("./docs//plans/", "/p/docs/plans"),
        ("docs/agents-and-plans", "/p/docs/agents-and-plans"),
        ("a..b/c", "/p/a..b/c"),
        ("Pläne und mehr", "/p/Pläne und mehr"),
        (".github", "/p/.github"),
    ] {
        assert_eq!(read(setting), Ok(path.to_owned()));
    }
}

#[test]
fn b1_every_other_text_is_refused_with_its_reason() {
    let page: Vec<String> = [
        "",
        "  ",
        "/etc",
        "//x",
        "..",
        "a/../b",
        "../a",
        "a/..",
        "..\\a",
        "~/plans",
        "C:\\plans",
        "c:plans",
        "\\\\server\\share",
        "a\\b",
        "a\0b",
        "a\nb",
        ".git",
        "sub/.GIT/hooks",
        ".claude/agents",
        "./.Claude//Agents/",
        ".forethought/skills/x",
        "packages/web/.forethought/plans",
        ".github/workflows",
        ".husky",
        ".",
        "./",
        "node_modules/.bin",
        "web/Node_Modules/x",
        "bin",
        "scripts/plans",
        ".venv/bin",
        "plugin/agents",
        "skills",
        "plugin/commands/x",
        ".github/prompts",
        "tools/hooks",
    ]
    .iter()
    .map(|setting| format!("{setting:?}: {}", read(setting).unwrap_err()))
    .collect();
    insta::assert_snapshot!("refused_settings", page.join("\n"));
    assert_eq!(DirectoryCandidate::read(OsStr::new(&"a/".repeat(600))), Err(DirectoryRefusal::TooLong));
}

#[test]
#[cfg(unix)]
fn b1_a_setting_that_is_not_utf8_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    assert_eq!(DirectoryCandidate::read(OsStr::from_bytes(b"pl\xffans")), Err(DirectoryRefusal::NotUtf8));
}

fn decide(setting: &OsStr, facts: &DirectoryFacts<'_>) -> Result<PathBuf, DirectoryRefusal> {
    DirectoryCandidate::read(setting)?.decide(facts)
}

fn with(setting: &str, found: FoundDirectory<'_>, link: Option<&str>) -> Result<PathBuf, DirectoryRefusal> {
    let facts = DirectoryFacts { root: Path::new("/home/a/p"), found, link: link.map(Path::new) };
    decide(OsStr::new(setting), &facts)
}

fn inside(path: &str) -> Result<PathBuf, DirectoryRefusal> {
    Ok(path.into())
}

fn refused(reason: DirectoryRefusal) -> Result<PathBuf, DirectoryRefusal> {
    Err(reason)
}

#[test]
fn b1_what_resolves_inside_the_project_is_followed() {
    assert_eq!(with("plans", FoundDirectory::Folder(Path::new("/home/a/p/plans")), None), inside("/home/a/p/plans"));
    let missing = FoundDirectory::Missing { existing: Path::new("/home/a/p/docs"), missing: 2 };
    assert_eq!(with("docs/plans/new", missing, None), inside("/home/a/p/docs/plans/new"));
    let linked = FoundDirectory::Folder(Path::new("/home/a/p/real"));
    assert_eq!(with("plans", linked, Some("plans")), inside("/home/a/p/real"));
}

#[test]
fn b1_what_resolves_outside_the_project_is_refused() {
    let link_outside =
        |path: &str| refused(DirectoryRefusal::LinkOutside { link: "plans".into(), resolved: path.into() });
    assert_eq!(with("plans", FoundDirectory::Folder(Path::new("/etc")), Some("plans")), link_outside("/etc"));
    let missing = FoundDirectory::Missing { existing: Path::new("/tmp"), missing: 1 };
    assert_eq!(with("plans/x", missing, Some("plans")), link_outside("/tmp"));
    // A neighbour whose name begins like the root is outside.
    assert_eq!(
        with("x", FoundDirectory::Folder(Path::new("/home/a/pp")), None),
        refused(DirectoryRefusal::Outside("/home/a/pp".into()))
    );
    assert_eq!(
        with("x", FoundDirectory::Folder(Path::new("/home/a/p/../q")), None),
        refused(DirectoryRefusal::Outside("/home/a/p/../q".into()))
    );
    assert_eq!(
        with("x", FoundDirectory::Folder(Path::new("plans")), None),
        refused(DirectoryRefusal::Outside("plans".into()))
    );
}

#[test]
fn b1_odd_facts_are_refused() {
    assert_eq!(
        with("x", FoundDirectory::NotAFolder(Path::new("/home/a/p/x")), None),
        refused(DirectoryRefusal::NotAFolder("/home/a/p/x".into()))
    );
    assert_eq!(
        with("x", FoundDirectory::Unknown("permission denied"), None),
        refused(DirectoryRefusal::Unresolved("permission denied".into()))
    );
    let git = FoundDirectory::Folder(Path::new("/home/a/p/.git/refs"));
    assert_eq!(with("x", git, Some("x")), refused(DirectoryRefusal::GitFolder("/home/a/p/.git/refs".into())));
    let too_many = FoundDirectory::Missing { existing: Path::new("/home/a/p"), missing: 3 };
    let reason = DirectoryRefusal::Unresolved("3 parts are said to be missing, it has 1".into());
    assert_eq!(with("x", too_many, None), refused(reason));
    let facts = DirectoryFacts { root: Path::new("p"), found: FoundDirectory::Folder(Path::new("/p/x")), link: None };
    assert!(matches!(decide(OsStr::new("x"), &facts), Err(DirectoryRefusal::Unresolved(_))));
}

#[test]
fn b1_no_link_leads_plans_to_where_orders_are_taken_from() {
    let root = Path::new("/p");
    let page = [
        ("plans", FoundDirectory::Folder(Path::new("/p/.claude/agents")), "/p/.claude/agents"),
        ("plans/mine", FoundDirectory::Missing { existing: Path::new("/p/.claude"), missing: 1 }, "/p/.claude/mine"),
        ("ci/actions", FoundDirectory::Missing { existing: Path::new("/p/.github"), missing: 1 }, "/p/.github/actions"),
        ("docs", FoundDirectory::Folder(Path::new("/p/vendor/lib/.FORETHOUGHT")), "/p/vendor/lib/.FORETHOUGHT"),
    ];
    let page = page.map(|(setting, found, led)| (setting, found, DirectoryRefusal::GivesOrders(led.into())));
    let by_place = [
        ("plans", FoundDirectory::Folder(Path::new("/p")), DirectoryRefusal::ProjectItself("/p".into())),
        (
            "plans",
            FoundDirectory::Folder(Path::new("/p/node_modules/.bin")),
            DirectoryRefusal::ReadByPlace("/p/node_modules/.bin".into()),
        ),
        (
            "x/y",
            FoundDirectory::Missing { existing: Path::new("/p/bin"), missing: 1 },
            DirectoryRefusal::ReadByPlace("/p/bin/y".into()),
        ),
    ];
    for (setting, found, reason) in page.into_iter().chain(by_place) {
        let facts = DirectoryFacts { root, found, link: Some(Path::new(setting)) };
        assert_eq!(decide(OsStr::new(setting), &facts), Err(reason), "{setting}");
    }
}
