//! Completion of commands and files.

use super::*;
use fore_agent::McpResourceRow;
use std::path::Path;

#[expect(clippy::disallowed_methods, reason = "a project for the test to look at")]
fn project(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for file in files {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("/"))).expect("its folder");
        std::fs::write(path, if *file == ".gitignore" { "target/\n*.log\n" } else { "" }).expect("written");
    }
    folder
}

struct Shop {
    test: TestComposer,
    folder: tempfile::TempDir,
}

impl Shop {
    fn new(files: &[&str]) -> Shop {
        let folder = project(files);
        let composer = Composer::new(vec!["earlier".into()], FileSource::new(folder.path()));
        Shop { test: TestComposer { composer, keymap: Keymap::default() }, folder }
    }

    fn usual() -> Shop {
        Shop::new(&[
            ".git/config",
            ".gitignore",
            ".github/ci.yml",
            "README.md",
            "debug.log",
            "src/main.rs",
            "src/login/session.rs",
            "src/login/my notes.md",
            "target/debug/main.rs",
        ])
    }

    /// Keys, each followed by what the background found.
    fn keys(&mut self, keys: &str) -> ComposerStep {
        let mut last = ComposerStep::Nothing;
        for key in read_keys(keys) {
            last = self.test.composer.key(key, &self.test.keymap);
            self.settle();
        }
        last
    }

    fn settle(&mut self) {
        self.test.composer.files.settle();
        if let Some(popup) = &mut self.test.composer.popup {
            popup.refresh(&self.test.composer.files, &self.test.composer.resources);
        }
    }

    fn screen(&mut self) -> String {
        self.test.screen(60, 24)
    }
}

#[test]
fn files_are_offered_as_git_sees_them_and_hidden_ones_where_a_dot_is_typed() {
    let mut shop = Shop::usual();
    shop.keys("see @");
    insta::assert_snapshot!(shop.screen(), @"
    ────────────────────────────────────────────────────────────
    ❯ see @‸
    ────────────────────────────────────────────────────────────
        README.md
        src/
    ");
    shop.keys("main");
    insta::assert_snapshot!(shop.screen(), @"
    ────────────────────────────────────────────────────────────
    ❯ see @main‸
    ────────────────────────────────────────────────────────────
      ❯ src/main.rs
    ");
    shop.keys("<ctrl+u>see @.g");
    insta::assert_snapshot!(shop.screen(), @"
    ────────────────────────────────────────────────────────────
    ❯ see @.g‸
    ────────────────────────────────────────────────────────────
      ❯ .github/
        .gitignore
        .github/ci.yml
    ");
}

#[test]
fn resources_of_servers_stand_behind_the_files_and_are_put_in_whole() {
    let resource =
        |uri: &str| McpResourceRow { server: "notes".into(), uri: uri.into(), name: "a \u{202e}note".into() };
    let page = [
        ("@note://o<tab>", "@notes:note://one "),
        ("@notes:dir<tab>", "@notes:dir://all/ "),
        ("@notes:odd<tab>", "@\"notes:odd://a b\" "),
        ("@readme<tab>", "@README.md "),
    ];
    for (keys, expected) in page {
        let mut shop = Shop::usual();
        let hidden = "note://\u{202e}x";
        let all = ["note://one", "dir://all/", "odd://a b", "odd://\"", hidden].map(resource);
        shop.test.composer.set_resources(all.to_vec());
        shop.keys(keys);
        assert_eq!(shop.test.composer.text(), expected, "{keys}");
    }
    let mut shop = Shop::usual();
    shop.test.composer.set_resources(vec![resource("note://one"), resource("note://\u{202e}x")]);
    shop.keys("see @note:");
    let screen = shop.screen();
    assert!(screen.contains("notes:note://one") && screen.contains("a \\u{202e}note (MCP server)"), "{screen}");
    assert_eq!(screen.matches("notes:").count(), 1, "no address that a terminal would obey:\n{screen}");
}

#[test]
fn a_chosen_file_is_put_in_and_enter_does_not_send() {
    let page = [
        ("see @main<enter>", "see @src/main.rs "),
        ("see @main<tab>", "see @src/main.rs "),
        ("(@main<tab>", "(@src/main.rs "),
        ("@session<tab>and @read<tab>", "@src/login/session.rs and @README.md "),
        ("@notes<tab>", "@\"src/login/my notes.md\" "),
        ("@\"my no<tab>", "@\"src/login/my notes.md\" "),
        ("@login<tab>", "@src/login/"),
        ("@login<tab>sess<tab>", "@src/login/session.rs "),
        ("@src<down><enter>", "@src/login/"),
        ("@src<up><enter>", "@\"src/login/my notes.md\" "),
    ];
    for (keys, expected) in page {
        let mut shop = Shop::usual();
        assert_eq!(shop.keys(keys), ComposerStep::Changed, "{keys}");
        assert_eq!(shop.test.text(), expected, "{keys}");
    }
}

#[test]
fn enter_sends_when_no_row_is_chosen() {
    let page = [
        ("mail me @<enter>", "mail me @"),
        ("@src/main.rs<enter>", "@src/main.rs"),
        ("@main<tab>is odd<enter>", "@src/main.rs is odd"),
        ("ada@main<enter>", "ada@main"),
        ("@nothing-like-it<enter>", "@nothing-like-it"),
        ("see @main<esc><enter>", "see @main"),
    ];
    for (keys, expected) in page {
        assert_eq!(Shop::usual().keys(keys), prompt(expected), "{keys}");
    }
}

#[test]
fn esc_closes_the_popup_and_only_that() {
    let mut shop = Shop::usual();
    assert_eq!(shop.keys("@ma<esc>"), ComposerStep::Changed);
    insta::assert_snapshot!(shop.screen(), @"
    ────────────────────────────────────────────────────────────
    ❯ @ma‸
    ────────────────────────────────────────────────────────────
    ");
    shop.keys("in");
    assert!(shop.test.composer.popup.is_none());
    assert_eq!(shop.keys("<esc>"), ComposerStep::Act(KeyAction::Interrupt));
    shop.keys(" @ma");
    assert!(shop.test.composer.popup.is_some());
}

#[test]
fn a_key_does_not_wait_for_files_and_they_show_when_they_are_there() {
    let mut shop = Shop::usual();
    assert_eq!(shop.test.keys("@"), ComposerStep::Changed);
    let popup = shop.test.composer.popup.as_mut().expect("a popup");
    (popup.rows, popup.waits) = (Vec::new(), true);
    insta::assert_snapshot!(shop.screen(), @"
    ────────────────────────────────────────────────────────────
    ❯ @‸
    ────────────────────────────────────────────────────────────
        looking for files
    ");
    shop.settle();
    assert!(!shop.test.composer.is_waiting());
    insta::assert_snapshot!(shop.screen(), @"
    ────────────────────────────────────────────────────────────
    ❯ @‸
    ────────────────────────────────────────────────────────────
        README.md
        src/
    ");
}

#[test]
fn rows_fit_into_every_width_and_height() {
    let mut shop = Shop::new(&["a/very/long/way/down/to/日本語の名前/file.rs", "b.rs"]);
    for keys in ["@file", "<ctrl+u>/", "<ctrl+u>/plan exp"] {
        shop.keys(keys);
        for (width, height) in (0..50).flat_map(|width| (0..14).map(move |height| (width, height))) {
            let view = shop.test.composer.view(Space { width, height, theme: PLAIN }, ComposerFocus::Focused);
            assert!(view.lines.len() <= usize::from(height), "{keys} {width} {height}");
            assert!(view.lines.iter().all(|line| line.width() <= usize::from(width)), "{keys} {width} {height}");
        }
    }
    shop.keys("<ctrl+u>@file");
    insta::assert_snapshot!(shop.test.screen(30, 12), @"
    ──────────────────────────────
    ❯ @file‸
    ──────────────────────────────
      ❯ …n/to/日本語の名前/file.rs
    ");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a project for the test to look at")]
fn a_file_that_is_new_is_found_when_the_list_is_old() {
    let mut shop = Shop::new(&["old.rs"]);
    shop.test.composer.files = FileSource::new(shop.folder.path()).never_fresh();
    shop.keys("@new");
    assert_eq!(shop.test.composer.popup.as_ref().map(|popup| popup.rows.len()), Some(0));
    std::fs::write(shop.folder.path().join("new.rs"), "").expect("written");
    shop.keys(".<tab>");
    assert_eq!(shop.test.text(), "@new.rs ");
}

#[test]
fn rows_found_for_a_shorter_word_are_offered_only_where_they_fit() {
    let mut shop = Shop::usual();
    shop.keys("@s");
    let typed = shop.test.keys("ession<enter>");
    assert_eq!((typed, shop.test.text().as_str()), (ComposerStep::Changed, "@src/login/session.rs "));
}

#[test]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "a project for the test to look at")]
fn links_that_lead_out_of_the_project_are_not_offered() {
    let outside = project(&["secret.txt"]);
    let mut shop = Shop::new(&["inside.txt"]);
    let home = shop.folder.path();
    std::os::unix::fs::symlink(outside.path().join("secret.txt"), home.join("secret-link.txt")).expect("a link");
    std::os::unix::fs::symlink(outside.path(), home.join("secret-folder")).expect("a link");
    std::os::unix::fs::symlink(home.join("inside.txt"), home.join("secret-inside.txt")).expect("a link");
    shop.keys("@secret");
    insta::assert_snapshot!(shop.screen(), @"
    ────────────────────────────────────────────────────────────
    ❯ @secret‸
    ────────────────────────────────────────────────────────────
      ❯ secret-inside.txt
    ");
    shop.keys("<ctrl+u>@../");
    insta::assert_snapshot!(shop.screen(), @"
    ────────────────────────────────────────────────────────────
    ❯ @../‸
    ────────────────────────────────────────────────────────────
    ");
}

#[test]
#[cfg(unix)]
fn names_that_a_terminal_would_obey_are_not_offered() {
    let mut shop = Shop::new(&["evil\u{1b}[2J.txt", "evil\nname.txt", "evil\u{202e}txt.exe", "evil.txt"]);
    shop.keys("@evil");
    insta::assert_snapshot!(shop.screen(), @"
    ────────────────────────────────────────────────────────────
    ❯ @evil‸
    ────────────────────────────────────────────────────────────
      ❯ evil.txt
    ");
}

#[test]
fn commands_are_offered_with_what_they_are_for() {
    let mut test = TestComposer::new();
    test.keys("/");
    insta::assert_snapshot!(test.screen(80, 24), @r"
    ────────────────────────────────────────────────────────────────────────────────
    ❯ /‸
    ─────────────────────────────────────────────────────────────────── 1-8 of 35 ──
        /plan [task]               plan first: nothing changes until you approve
        /plan open                 open the plan in your editor
        /plan diff                 what changed since you last saw the plan
        /plan export PATH          save a copy of the plan; nothing is overwritten
        /plan off                  leave plan mode without approving
        /report                    what became of the approved plan so far
        /mode [MODE]               show or switch the mode
        /model [NAME]              show or choose the model
    ");
    test.keys("pl");
    insta::assert_snapshot!(test.screen(80, 24), @"
    ────────────────────────────────────────────────────────────────────────────────
    ❯ /pl‸
    ────────────────────────────────────────────────────────────────────────────────
      ❯ /plan [task]       plan first: nothing changes until you approve
        /plan open         open the plan in your editor
        /plan diff         what changed since you last saw the plan
        /plan export PATH  save a copy of the plan; nothing is overwritten
        /plan off          leave plan mode without approving
    ");
    insta::assert_snapshot!(test.screen(40, 24), @"
    ────────────────────────────────────────
    ❯ /pl‸
    ────────────────────────────────────────
      ❯ /plan [task]       plan first: noth…
        /plan open         open the plan in…
        /plan diff         what changed sin…
        /plan export PATH  save a copy of t…
        /plan off          leave plan mode…
    ");
}

#[test]
fn a_chosen_command_is_put_in_with_a_space_if_words_may_follow() {
    let page = [
        ("/sta<tab>", "/status"),
        ("/exp<enter>", "/export "),
        ("/pl<enter>", "/plan "),
        ("/plan o<tab>", "/plan open"),
        ("/plan of<tab>", "/plan off"),
        ("/plan<down><down><tab>", "/plan open"),
        ("/prm<tab>", "/permissions"),
        ("/pldf<tab>", "/plan diff"),
    ];
    for (keys, expected) in page {
        let mut test = TestComposer::new();
        test.keys(keys);
        assert_eq!(test.text(), expected, "{keys}");
    }
}

#[test]
fn a_whole_command_is_sent_by_one_enter() {
    let slash =
        |name: &str, words: &str| ComposerStep::Submit(Submission::Slash { name: name.into(), words: words.into() });
    let page = [
        ("/plan<enter>", slash("plan", "")),
        ("/plan <enter>", slash("plan", "")),
        ("/plan off<enter>", slash("plan", "off")),
        ("/plan optimise it<enter>", slash("plan", "optimise it")),
        ("/quit<enter>", slash("quit", "")),
        ("/sta<enter>", slash("status", "")),
        ("/perm<enter>", slash("permissions", "")),
        ("/plan o<enter>", slash("plan", "open")),
        ("/plan<down><down><enter>", slash("plan", "open")),
        ("/nope<enter>", slash("nope", "")),
        ("/prm<enter>", slash("prm", "")),
        ("/mode plan<enter>", slash("mode", "plan")),
        ("/nonsense<enter>", slash("nonsense", "")),
    ];
    for (keys, expected) in page {
        assert_eq!(TestComposer::new().keys(keys), expected, "{keys}");
    }
}

#[test]
fn nothing_is_offered_inside_the_persons_own_command_or_a_later_line() {
    for keys in ["!ls @ma", "!/pl", "first<ctrl+j>/pl"] {
        let mut test = TestComposer::new();
        test.keys(keys);
        assert!(test.composer.popup.is_none(), "{keys}");
    }
}

#[test]
fn the_keys_of_a_popup_stay_when_others_are_rebound() {
    let rebound = [("submit", "alt+enter"), ("newLine", "enter"), ("interrupt", "f2"), ("historyBack", "ctrl+p")];
    let settings = rebound.iter().map(|(name, key)| ((*name).into(), vec![(*key).into()])).collect();
    let page = [
        ("/sta<enter>", ComposerStep::Changed, "/status"),
        ("/pl<up><enter>", ComposerStep::Changed, "/plan off"),
        ("/sta<esc><enter>", ComposerStep::Changed, "/sta\n"),
        ("/sta<esc><esc>", ComposerStep::Nothing, "/sta"),
        ("/status<enter>", ComposerStep::Changed, "/status\n"),
    ];
    for (keys, typed, text) in page {
        let mut test = TestComposer { keymap: Keymap::with(&settings).expect("readable"), ..TestComposer::new() };
        assert_eq!((test.keys(keys), test.text().as_str()), (typed, text), "{keys}");
    }
}
