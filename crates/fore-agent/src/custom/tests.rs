//! Pages of commands: what lies on disk and is listed, what a head says, and how a text is cut and filled.

use super::*;
use crate::tools::test_support::opener;
use fore_plan::Mode;
use fore_testkit::Workspace;

fn page(files: &[(&str, &str)]) -> (Workspace, Vec<String>, Vec<String>) {
    let made = files.iter().fold(Workspace::new().unwrap(), |made, (path, text)| made.file(path, text).unwrap());
    let root = made.path().canonicalize().unwrap();
    let (project, own, user_home) = (root.join("shop"), root.join("ada/.forethought"), root.join("ada"));
    let opener = opener(&project);
    let (skills, _) = Skills::find(&opener, &project, Some(&own));
    let places = CommandPlaces { project: &project, own: &own, user_home: Some(&user_home) };
    let (commands, warnings) = CustomCommands::find(&opener, &places, &skills);
    let row = |command: &CustomCommand| {
        let CustomCommandRow { name, arguments, description, from } = &command.row;
        format!("/{name} {arguments}| {description} | {from}")
    };
    (made, commands.commands.iter().map(row).collect(), warnings)
}

#[test]
fn commands_are_found_in_all_folders_and_the_persons_come_first() {
    let (_made, rows, warnings) = page(&[
        ("ada/.forethought/commands/note.md", "Write a note about $ARGUMENTS."),
        ("ada/.claude/commands/review.md", "---\ndescription: Mine.\n---\nReview."),
        ("shop/.forethought/commands/git/commit.md", "---\nargument-hint: [what] [why]\n---\n# Commit it\n"),
        ("shop/.claude/commands/review.md", "---\ndescription: Theirs.\n---\nReview."),
        ("shop/.claude/commands/plan.md", "Plan."),
        ("shop/.claude/commands/two words.md", "x"),
        ("shop/.claude/commands/notes.txt", "x"),
        ("shop/.claude/commands/.hidden.md", "x"),
        ("shop/.claude/commands/a/b/c/d/deep.md", "x"),
        ("shop/.claude/commands/bad.md", "---\ndescription: [a\n---\n"),
        ("shop/.claude/skills/release/SKILL.md", "---\ndescription: Makes a release.\n---\nText"),
        ("shop/.claude/skills/help/SKILL.md", "---\ndescription: Takes no name of the program.\n---\nText"),
    ]);
    assert_eq!(
        rows,
        [
            "/note | Write a note about $ARGUMENTS. | ~/.forethought/commands/note.md",
            "/review | Mine. | ~/.claude/commands/review.md",
            "/git:commit [what] [why]| Commit it | .forethought/commands/git/commit.md",
            "/release | Makes a release. | a skill",
        ]
    );
    let expected = [
        ".claude/commands/bad.md, line 2: the head is not YAML",
        ".claude/commands/plan.md is left out: /plan is a command of the program; rename the file",
        ".claude/commands/review.md is left out: /review is ~/.claude/commands/review.md already",
        ".claude/commands/two words.md is left out: the name of a command has letters, digits, `-` and `_`",
    ];
    assert_eq!(warnings.len(), expected.len(), "{warnings:?}");
    for (warning, expected) in warnings.iter().zip(expected) {
        assert!(warning.starts_with(expected), "{warning}");
    }
}

#[test]
fn a_command_is_never_a_secret_and_no_link_leads_out() {
    let made = Workspace::new().unwrap().file("shop/.env", "KEY=1").unwrap().file("out/x.md", "x").unwrap();
    let made = made.directory("shop/.claude/commands").unwrap();
    let made = made.link("shop/.claude/commands/one.md", "../../.env").unwrap();
    let made = made.link("shop/.claude/commands/two.md", "../../../out/x.md").unwrap();
    let made = made.link("shop/.claude/commands/three", "../../../out").unwrap();
    let root = made.path().canonicalize().unwrap();
    let (project, own) = (root.join("shop"), root.join("home"));
    let places = CommandPlaces { project: &project, own: &own, user_home: None };
    let (commands, warnings) = CustomCommands::find(&opener(&project), &places, &Skills::default());
    assert_eq!(commands, CustomCommands::default());
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].ends_with("one.md is kept secret") && warnings[1].contains("leads out of"), "{warnings:?}");
}

#[test]
fn a_persons_own_may_be_a_link_inside_of_their_home() {
    let made = Workspace::new().unwrap().file("ada/dotfiles/note.md", "A note.").unwrap();
    let made = made.file("out/x.md", "x").unwrap().directory("ada/.claude/commands").unwrap();
    let made = made.link("ada/.claude/commands/note.md", "../../dotfiles/note.md").unwrap();
    let made = made.link("ada/.claude/commands/x.md", "../../../out/x.md").unwrap();
    let root = made.path().canonicalize().unwrap();
    let (project, own, user_home) = (root.join("ada/shop"), root.join("ada/.forethought"), root.join("ada"));
    let places = CommandPlaces { project: &project, own: &own, user_home: Some(&user_home) };
    let (commands, warnings) = CustomCommands::find(&opener(&project), &places, &Skills::default());
    assert!(commands.get("note").is_some() && commands.get("x").is_none());
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn a_head_says_what_it_wishes_and_only_that_needs_trust() {
    let head = |text: &str| CommandHead::read(&format!("---\n{text}\n---\nBody")).unwrap().0;
    let both = head("allowed-tools: Bash(git add:*), Bash(git status:*, -s) Read\nmodel: opus\nmode: plan");
    assert_eq!(both.allowed, ["Bash(git add:*)", "Bash(git status:*, -s)", "Read"]);
    assert_eq!((both.model, both.mode), (None, Some(Mode::Plan)));
    assert_eq!(head("allowed-tools:\n  - Read\n  - Bash(ls:*)").allowed, ["Read", "Bash(ls:*)"]);
    assert_eq!(head("model: haiku").model, Some(CommandModel::Small));
    assert_eq!(head("mode: fast").notes, ["line 2: `fast` is not a mode, so the mode stays as it is"]);
    assert_eq!(head("cats: 1").notes, ["line 2: `cats` is not known here and has no effect"]);
    let page: &[(&str, &[&str])] = &[
        ("Body", &[]),
        ("---\ndescription: d\nmode: plan\nmodel: haiku\n---\nBody", &[]),
        (
            "---\nallowed-tools: Read, Edit\nmodel: openai/gpt-5\nmode: acceptEdits\n---\nBody",
            &["allow Read", "allow Edit", "model openai/gpt-5", "mode acceptEdits"],
        ),
        ("---\nallowed-tools: [\n---\nBody", &[]),
    ];
    for (text, expected) in page {
        assert_eq!(wishes(text), *expected, "{text}");
    }
}

#[test]
fn a_text_is_cut_into_words_files_and_commands() {
    let words = |text: &str| TemplatePiece::Words(text.to_owned());
    let file = |text: &str| TemplatePiece::File(text.to_owned());
    let shell = |text: &str| TemplatePiece::Shell(text.to_owned());
    let page = [
        ("Only words.", vec![words("Only words.")]),
        ("Status: !`git status`.", vec![words("Status: "), shell("git status"), words(".")]),
        ("!`git log -1`\n", vec![shell("git log -1"), words("\n")]),
        ("See @src/cart.rs.", vec![words("See "), file("src/cart.rs"), words(".")]),
        ("(@a.md) @\"b c.md\"", vec![words("("), file("a.md"), words(") "), file("b c.md")]),
        ("@$1", vec![file("$1")]),
        ("ada@example.org and a!`b`", vec![words("ada@example.org and a!`b`")]),
        ("`@dataclass` and `!x`", vec![words("`@dataclass` and `!x`")]),
        ("```\n@a.md !`ls`\n```\n@b.md", vec![words("```\n@a.md !`ls`\n```\n"), file("b.md")]),
        ("```!\ngit status\ngit diff\n```\nok", vec![shell("git status\ngit diff"), words("ok")]),
        ("```\nno end @a.md", vec![words("```\nno end "), file("a.md")]),
        ("!`` ! `x` @ @@x", vec![words("!`` ! `x` @ @@x")]),
        ("größe @größe.rs ü", vec![words("größe "), file("größe.rs"), words(" ü")]),
    ];
    for (text, pieces) in page {
        assert_eq!(CommandTemplate::read(text).pieces, pieces, "{text:?}");
    }
}

#[test]
fn arguments_are_put_into_their_places_and_mean_nothing_else() {
    let arguments = CommandArguments::new(" fix \"the cart\" @x !`rm` ").unwrap();
    let page = [
        ("$ARGUMENTS!", "fix \"the cart\" @x !`rm`!"),
        ("$1|$2|$3|$9|", "fix|the cart|@x||"),
        ("\\$1 costs \\$ARGUMENTS", "$1 costs $ARGUMENTS"),
        ("$10 $ARGUMENTS_X $0 $", "$10 $ARGUMENTS_X $0 $"),
        ("größe $1ü", "größe $1ü"),
    ];
    for (text, expected) in page {
        let expected = expected.replace("$ARGUMENTS_X", "fix \"the cart\" @x !`rm`_X");
        assert_eq!(arguments.put_into(text), expected, "{text:?}");
    }
    assert!(CommandArguments::new(&"x".repeat(300 * 1024)).is_err());
    let takes = |text: &str| CommandTemplate::read(text).takes_arguments();
    assert_eq!(
        [takes("a $1"), takes("@$2"), takes("!`x $ARGUMENTS`"), takes("\\$1"), takes("x")],
        [true, true, true, false, false]
    );
}

#[test]
fn a_line_calls_a_command_by_a_name_and_not_by_a_path() {
    assert_eq!(called("/git:commit fix it "), Some(("git:commit", "fix it")));
    assert_eq!(called("/review"), Some(("review", "")));
    assert_eq!(called("/review\nall"), Some(("review", "all")));
    for text in ["/usr/bin is odd", "/", "/8", "/a::b", "review", "/git:", "/größe"] {
        assert_eq!(called(text), None, "{text}");
    }
}
