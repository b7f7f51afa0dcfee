//! The terminal with small programs in it: what people would see, and that nothing is left behind.

use super::*;
use insta::assert_snapshot;

const SMALL: TerminalSize = TerminalSize { columns: 20, rows: 5 };

fn start(program: &str, arguments: &[&str]) -> Terminal {
    start_as(program, arguments, Habits::MODERN)
}

fn start_as(program: &str, arguments: &[&str], habits: Habits) -> Terminal {
    Terminal::start(&TerminalProgram::new(program, arguments, Path::new("/")), SMALL, habits)
}

/// A program in Python that first puts the terminal into raw mode and then shows what it reads, byte by byte.
fn raw(before: &str, habits: Habits) -> Terminal {
    let program = format!(
        "import os, sys, tty\n\
         tty.setraw(0)\n\
         def say(text): sys.stdout.write(text); sys.stdout.flush()\n\
         {before}\n\
         say('ready\\r\\n')\n\
         while True:\n\
         \x20   read = os.read(0, 100)\n\
         \x20   if read == b'q': break\n\
         \x20   say(repr(read)[2:-1] + '\\r\\n')\n"
    );
    let terminal = start_as("python3", &["-c", &program], habits);
    terminal.wait_for("ready");
    terminal
}

#[test]
fn a_program_writes_and_ends_with_a_code() {
    let terminal = start("sh", &["-c", "echo hello; exit 3"]);
    assert_eq!(terminal.wait_exit(), Exit::Code(3));
    assert_eq!(terminal.screen().text(), "hello");
}

#[test]
fn what_is_typed_is_read_as_lines_and_echoed_by_the_terminal_itself() {
    let mut terminal = start("cat", &[]);
    terminal.keys("two\n");
    assert_eq!(terminal.wait_until("twice", |screen| screen.text() == "two\ntwo").text(), "two\ntwo");
    assert!(terminal.is_cooked());
    terminal.key(TerminalKey::Ctrl('d'));
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
}

#[test]
fn control_c_is_a_signal_from_the_kernel() {
    let mut terminal = start("sh", &["-c", "trap 'echo caught; exit 4' INT; echo up; while :; do read -r line; done"]);
    terminal.wait_for("up");
    terminal.key(TerminalKey::Ctrl('c'));
    assert_eq!(terminal.wait_exit(), Exit::Code(4));
    assert!(terminal.screen().contains("caught"));
}

#[test]
fn the_program_is_told_a_new_size() {
    let program = "trap 'stty size' WINCH; stty size; while :; do read -r line; done";
    let mut terminal = start("sh", &["-c", program]);
    terminal.wait_for("5 20");
    terminal.resize(TerminalSize { columns: 33, rows: 7 });
    assert_eq!(terminal.wait_for("7 33").size, TerminalSize { columns: 33, rows: 7 });
}

#[test]
fn a_closed_window_hangs_up_on_the_program_and_types_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("note");
    let program = format!("trap 'echo hung up >> {0}; exit 5' HUP; echo up; cat >> {0}; cat", note.display());
    let mut terminal = start("bash", &["-c", &program]);
    terminal.wait_for("up");
    terminal.close();
    assert_eq!(terminal.wait_exit(), Exit::Code(5));
    assert_eq!(std::fs::read_to_string(note).unwrap(), "hung up\n");
}

#[test]
fn a_dropped_terminal_ends_every_process_of_its_session() {
    // One in the group of the leader, and one in a group of its own, as jobs are; both deaf to a hang-up.
    let terminal =
        start("bash", &["-c", "trap '' HUP; set -m; sleep 1000 & echo $!; set +m; sleep 1000 & echo $!; wait"]);
    let screen =
        terminal.wait_until("two numbers", |screen| screen.rows().iter().filter(|row| !row.is_empty()).count() == 2);
    let ids: Vec<String> = screen.text().lines().map(str::to_owned).collect();
    // The state of a process follows its name, which stands in brackets; Z has ended and is not waited for yet.
    let is_alive = |id: &str| {
        let state = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        state.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    };
    assert!(ids.iter().all(|id| is_alive(id)), "{ids:?}");
    drop(terminal);
    assert!(!ids.iter().any(|id| is_alive(id)), "{ids:?}");
}

#[test]
fn a_killed_program_has_ended_by_a_signal() {
    let mut terminal = start("cat", &[]);
    terminal.kill();
    assert_eq!(terminal.wait_exit(), Exit::Signal(libc::SIGKILL));
}

#[test]
fn rows_that_scroll_off_are_kept() {
    let terminal = start("seq", &["1", "12"]);
    terminal.wait_exit();
    assert_eq!(terminal.screen().text(), "9\n10\n11\n12");
    assert_eq!(terminal.scrollback_text(), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12");
}

#[test]
fn questions_are_answered_as_the_terminal_has_the_habit_to() {
    let program = "import os, sys, tty\n\
        tty.setraw(0)\n\
        def say(text): sys.stdout.write(text); sys.stdout.flush()\n\
        say('ab\\x1b[6n\\x1b[c\\x1b]11;?\\x07\\x1b[?u\\x1b[?2026$p asked\\r\\n')\n\
        read = b''\n\
        while not read.endswith(b'!'): read += os.read(0, 100)\n\
        say(repr(read)[2:-1])\n";
    let answers = |habits| {
        let program = TerminalProgram::new("python3", &["-c", program], Path::new("/"));
        let mut terminal = Terminal::start(&program, TerminalSize { columns: 100, rows: 4 }, habits);
        terminal.wait_for("asked");
        terminal.send(b"!");
        terminal.wait_exit();
        terminal.screen().rows()[1..].concat()
    };
    assert_snapshot!(answers(Habits::MODERN), @r"\x1b[1;3R\x1b[?62;22c\x1b]11;rgb:1616/1919/2020\x1b\\\x1b[?0u\x1b[?2026;2$y!");
    assert_snapshot!(answers(Habits::OLD), @r"\x1b[1;3R\x1b[?62;22c\x1b[?2026;0$y!");
    assert_snapshot!(answers(Habits::SILENT), @r"!");
}

#[test]
fn keys_reach_a_program_one_by_one_so_that_escape_is_never_half_of_another_key() {
    let mut terminal = raw("", Habits::OLD);
    terminal.key(TerminalKey::Esc);
    terminal.key(TerminalKey::Enter);
    terminal.key(TerminalKey::ShiftTab);
    terminal.keys("ä");
    terminal.key(TerminalKey::Char('q'));
    terminal.wait_exit();
    assert_eq!(terminal.scrollback_text(), "ready\n\\x1b\n\\r\n\\x1b[Z\n\\xc3\\xa4");
}

#[test]
fn keys_follow_the_keyboard_protocol_while_the_program_has_it_on() {
    let mut terminal = raw("say('\\x1b[>1u')", Habits::MODERN);
    assert_eq!(terminal.screen().modes, ScreenModes { keyboard_flags: 1, ..ScreenModes::default() });
    terminal.key(TerminalKey::ShiftEnter);
    terminal.key(TerminalKey::Esc);
    let screen = terminal.wait_for("27u");
    assert_eq!(screen.text(), "ready\n\\x1b[13;2u\n\\x1b[27u");
}

#[test]
fn a_paste_is_marked_only_for_a_program_that_asked_for_it() {
    let mut plain = raw("", Habits::MODERN);
    plain.paste("a\nb");
    plain.wait_for(r"a\rb");
    let mut marked = raw("say('\\x1b[?2004h')", Habits::MODERN);
    marked.paste("a\nb");
    assert_eq!(marked.wait_for("1~").rows()[1..3].concat(), r"\x1b[200~a\rb\x1b[201~");
}

#[test]
fn half_a_picture_is_not_shown() {
    let program = "printf '\\033[?2026hhalf'; read -r line; printf ' whole\\033[?2026l'; read -r line";
    let mut terminal = start("sh", &["-c", program]);
    assert_eq!(terminal.frames(), 0);
    terminal.send(b"\n");
    let screen = terminal.wait_for("half");
    assert_eq!((screen.contains("whole"), terminal.frames()), (true, 1));
}

#[test]
fn a_program_that_tidies_up_leaves_the_terminal_as_it_was() {
    let set = "printf '\\033[?1007s\\033[?1007h\\033[?1049h\\033[?2004h\\033[?1000h\\033[?1004h\\033[?25l\\033[>1uon'; stty raw -echo";
    let unset = "stty sane; printf '\\033[<1u\\033[?25h\\033[?1004l\\033[?1000l\\033[?2004l\\033[?1049l\\033[?1007r'";
    let mut terminal =
        start("sh", &["-c", &format!("{set}; read -r line; printf up; head -c 1; {unset}; read -r line")]);
    let before = terminal.wait_for("on").modes;
    let all = ScreenModes {
        alternate: true,
        alternate_scroll: true,
        bracketed_paste: true,
        mouse: true,
        focus: true,
        hidden_cursor: true,
        ..ScreenModes::default()
    };
    assert_eq!(before, ScreenModes { keyboard_flags: 1, ..all });
    terminal.send(b"\n");
    terminal.wait_for("up");
    assert!(!terminal.is_cooked());
    terminal.send(b"x");
    let after =
        terminal.wait_until("the usual screen", |screen| !screen.modes.alternate && !screen.modes.alternate_scroll);
    assert!(after.modes.are_at_rest(), "{:?}", after.modes);
    assert!(terminal.is_cooked());
}

#[test]
fn colours_and_attributes_can_be_read() {
    let text = "\\033[1;31mred\\033[0m and \\033[2;3mfaint\\033[0m\\n\
                \\033[38;2;124;196;255;48;5;236mblue\\033[0m \\033[4;7;92mturned\\033[0m\\n日本";
    let terminal = start("printf", &[text]);
    terminal.wait_exit();
    assert_snapshot!(terminal.screen().styled(), @r"
    [bold red]red[/] and [dim italic]faint[/]
    [#7cc4ff on colour-236]blue[/] [underline reverse bright-green]turned[/]
    日本
    ");
}

#[test]
fn words_that_differ_from_run_to_run_are_exchanged_and_the_rest_stays_in_its_column() {
    let terminal = start("printf", &["│ abc.md    │ abc\n│ abc │\n日abc"]);
    terminal.wait_exit();
    let words = |to: &str| terminal.screen().with_words(&[("abc".to_owned(), to.to_owned())]).text();
    assert_eq!(words("x"), "│ x.md      │ x\n│ x │\n日x");
    assert_eq!(words("longer"), "│ longer.md │ longer\n│ longer │\n日longer");
    assert_eq!(words("much-longer"), "│ much-longer.md │ m\n│ much-longer │\n日much-longer");
}

#[test]
#[should_panic(expected = "waited in vain for \"never\" on the screen; the program ended with code 0")]
fn a_wait_in_vain_shows_how_the_program_ended() {
    let terminal = start("echo", &["something else"]);
    terminal.wait_exit();
    terminal.wait_for("never");
}

#[test]
fn a_wait_in_vain_shows_the_whole_screen() {
    let terminal = start("seq", &["1", "7"]);
    terminal.wait_exit();
    let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| terminal.wait_for("8"))).unwrap_err();
    assert_snapshot!(told.downcast_ref::<String>().unwrap(), @r#"
    waited in vain for "8" on the screen; the program ended with code 0

    1
    2
    3
    ┌────────────────────┐
    │4                   │
    │5                   │
    │6                   │
    │7                   │
    │                    │
    └────────────────────┘
    "#);
}

#[test]
fn a_screen_becomes_a_picture_with_every_piece_in_its_column() {
    let text = "\\033[1mPlan\\033[0m  a <b>\\n\\033[36m│\\033[0m 日本 \\033[7mok\\033[0m";
    let terminal = start("printf", &[text]);
    terminal.wait_exit();
    assert_snapshot!(terminal.screen().svg("fore", WindowTheme::Dark), @r##"
    <svg xmlns="http://www.w3.org/2000/svg" width="216.6" height="108" viewBox="0 0 216.6 108" role="img">
    <title>fore</title>
    <clipPath id="window"><rect x="8" y="8" width="200.6" height="92" rx="10"/></clipPath>
    <rect x="8" y="8" width="200.6" height="92" rx="10" fill="#161920"/>
    <rect x="8" y="8" width="200.6" height="28" fill="#20242d" clip-path="url(#window)"/>
    <rect x="8" y="8" width="200.6" height="92" rx="10" fill="none" stroke="#333945"/>
    <circle cx="29" cy="22" r="6" fill="#ff5f57"/>
    <circle cx="49" cy="22" r="6" fill="#febc2e"/>
    <circle cx="69" cy="22" r="6" fill="#28c840"/>
    <text x="50%" y="26.4" text-anchor="middle" font-family="system-ui,sans-serif" font-size="13" fill="#80858e">fore</text>
    <g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace" font-size="14" style="white-space:pre">
    <text x="24" y="58.5" fill="#d8dee9" font-weight="bold" textLength="33.72">Plan</text>
    <text x="74.58" y="58.5" fill="#d8dee9" textLength="42.15">a &lt;b&gt;</text>
    <path transform="translate(24,64)" d="M4.2 0V20" fill="none" stroke="#56c8d8"/>
    <text x="40.86" y="78.5" fill="#d8dee9">日</text>
    <text x="57.72" y="78.5" fill="#d8dee9">本</text>
    <rect x="83.01" y="64" width="16.86" height="20" fill="#d8dee9"/>
    <text x="83.01" y="78.5" fill="#161920" textLength="16.86">ok</text>
    <rect x="99.87" y="65.5" width="8.43" height="17" fill="#d8dee9" opacity=".6"/>
    </g>
    </svg>
    "##);
}
