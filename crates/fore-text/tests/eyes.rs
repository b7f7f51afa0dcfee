//! What eyes are shown of texts that steer, hide or turn around.

use fore_text::{
    ProgramOutput, TextKind, TextPiece, exact, first_mark, json, line, marks, notice, output, pieces, prose, styled,
};

#[test]
fn what_steers_or_hides_is_written_out() {
    let page = [
        ("plain\ntext, grün, 漢字", "plain\ntext, grün, 漢字"),
        ("4. OVERWRITE push force to main\r4. Run the tests.", r"4. OVERWRITE push force to main\r4. Run the tests."),
        ("a\tb\r\nc\rd", "a\tb\nc\\rd"),
        ("\u{1b}[8mhidden\u{1b}[0m", r"\u{1b}[8mhidden\u{1b}[0m"),
        ("\u{1b}[30;40mx \u{1b}]52;c;eA==\u{7}", r"\u{1b}[30;40mx \u{1b}]52;c;eA==\u{7}"),
        ("\u{1b}P1q\u{1b}\\ \u{1b}_x\u{1b}\\ \u{9b}6n\0", r"\u{1b}P1q\u{1b}\ \u{1b}_x\u{1b}\ \u{9b}6n\u{0}"),
        ("rm -rf /\u{8}\u{8}\u{8}\u{7f}", r"rm -rf /\u{8}\u{8}\u{8}\u{7f}"),
        ("abc\u{202e}fed\u{2066}x\u{61c}\u{200f}", r"abc\u{202e}fed\u{2066}x\u{61c}\u{200f}"),
        ("ad\u{200b}min a\u{200d}b а\u{200d}б", r"ad\u{200b}min a\u{200d}b а\u{200d}б"),
        ("\u{e0041}\u{e0042} x\u{e0100}", r"\u{e0041}\u{e0042} x\u{e0100}"),
        ("\u{feff}begin\u{ad}\u{2800}\u{3164}\u{115f}", r"\u{feff}begin\u{ad}\u{2800}\u{3164}\u{115f}"),
        ("a\u{2028}b\u{2029}c\u{85}d", r"a\u{2028}b\u{2029}c\u{85}d"),
        ("icon \u{e0b0} \u{10fffd} \u{ffff}", r"icon \u{e0b0} \u{10fffd} \u{ffff}"),
        ("a\u{2003}b \u{1680}", r"a\u{2003}b \u{1680}"),
        ("Étape\u{a0}1\u{202f}: 日本\u{3000}語", "Étape\u{a0}1\u{202f}: 日本\u{3000}語"),
    ];
    for (text, expected) in page {
        assert_eq!(prose(text), expected, "{text:?}");
    }
}

#[test]
fn joiners_stay_where_a_sign_or_a_script_needs_them_and_nowhere_else() {
    let stays = [
        "👨\u{200d}👩\u{200d}👧",
        "⚠\u{fe0f} ok",
        "1\u{fe0f}\u{20e3}",
        "👁\u{fe0f}\u{200d}🗨\u{fe0f}",
        "👩🏽\u{200d}💻",
        "🇩🇪",
        "می\u{200c}خواهم",
        "کار\u{200c}ها",
        "क्\u{200d}ष",
        "শ্\u{200c}য",
        "e\u{301}\u{302}",
    ];
    for text in stays {
        assert_eq!((prose(text), exact(text), line(text)), (text.into(), text.into(), text.into()));
    }
    let page = [
        ("👩\u{200d}\u{200d}👧", r"👩\u{200d}\u{200d}👧"),
        ("👩\u{200d}x", r"👩\u{200d}x"),
        ("⚠\u{fe0f}\u{fe0f}\u{fe0e}", "⚠\u{fe0f}\\u{fe0f}\\u{fe0e}"),
        ("1\u{fe0f}2", r"1\u{fe0f}2"),
        ("می\u{200c}\u{200c}خ", r"می\u{200c}\u{200c}خ"),
        ("漢\u{200c}字", r"漢\u{200c}字"),
        ("🏴\u{e0067}\u{e007f}", r"🏴\u{e0067}\u{e007f}"),
    ];
    for (text, expected) in page {
        assert_eq!(prose(text), expected, "{text:?}");
    }
}

#[test]
fn a_letter_wears_only_so_many_marks() {
    let tower = format!("x{} y\u{301}", "\u{489}".repeat(10));
    assert_eq!(prose(&tower), format!("x{}\\u{{489}}\\u{{489}} y\u{301}", "\u{489}".repeat(8)));
}

#[test]
fn a_command_is_exact_and_a_name_is_one_line() {
    assert_eq!(exact("ls\r\n\tx\u{a0}y\u{3000}"), "ls\\r\n\tx\\u{a0}y\\u{3000}");
    assert_eq!(line("a\nb\tc\r\nd\u{a0}e"), r"a\nb\tc\r\nd\u{a0}e");
    assert_eq!((marks("a\r\nb\rc\u{a0}", TextKind::Prose), marks("a\r\nb\rc\u{a0}", TextKind::Exact)), (1, 3));
    assert_eq!(first_mark("é\u{202e}x\u{7}", TextKind::Exact), Some((2, '\u{202e}')));
    assert_eq!(
        pieces("ls \u{200b}x\r\n", TextKind::Prose),
        [TextPiece::Plain("ls "), TextPiece::Mark(r"\u{200b}".into()), TextPiece::Plain("x"), TextPiece::Plain("\n")]
    );
}

#[test]
fn a_face_says_how_many_characters_are_hidden() {
    assert_eq!(notice(0), None);
    assert_eq!(notice(1).as_deref(), Some(r"contains 1 hidden character, shown as a mark like \u{200b}"));
    assert_eq!(notice(3).as_deref(), Some(r"contains 3 hidden characters, shown as marks like \u{200b}"));
}

#[test]
fn only_our_own_colours_pass_to_a_screen() {
    let ours = "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m text\nnext";
    assert_eq!(styled(ours), ours);
    let page = [
        ("\u{1b}[8mx\u{1b}[30mx\u{1b}[40mx\u{1b}[1;8mx\u{1b}[", r"\u{1b}[8mx\u{1b}[30mx\u{1b}[40mx\u{1b}[1;8mx\u{1b}["),
        ("\u{1b}[2J\u{1b}]0;t\u{7}a\rb", r"\u{1b}[2J\u{1b}]0;t\u{7}a\rb"),
        ("\u{1b}[32m\u{200b}\u{1b}[0m", "\u{1b}[32m\\u{200b}\u{1b}[0m"),
    ];
    for (text, expected) in page {
        assert_eq!(styled(text), expected);
    }
}

#[test]
fn json_means_the_same_and_steers_nothing() {
    assert_eq!(
        json("{\n \"a\": \"x\u{202e}\u{7f}\u{9b}\u{e0041} é\u{a0}\"\n}"),
        "{\n \"a\": \"x\\u202e\\u007f\\u009b\\udb40\\udc41 é\u{a0}\"\n}"
    );
}

#[test]
fn output_of_commands_loses_its_sequences_and_never_a_letter() {
    let page = [
        ("plain\ntext\tand grün\n", "plain\ntext\tand grün\n"),
        ("\u{1b}[1;31mred\u{1b}[0m and \u{1b}[2Jgone", "red and gone"),
        ("\u{1b}]0;title\u{7}text\u{1b}(B \u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "text link"),
        ("10%\r20%\r100%\r\ndone\r\n", "10%\n20%\n100%\ndone\n"),
        ("\u{1b}c\u{1b}[", "\\u{1b}c\\u{1b}["),
        ("\u{1b}[\u{1b}[0m \u{1b}]never ends", "\\u{1b}[ \\u{1b}]never ends"),
        ("\u{1b}[é", "\\u{1b}[é"),
        ("bell\u{7} \u{202e}turned a\u{8}b", "bell\\u{7} \\u{202e}turned a\\u{8}b"),
    ];
    for (text, expected) in page {
        assert_eq!(output(text), expected, "{text:?}");
    }
}

#[test]
fn a_programs_colours_pass_and_everything_else_that_steers_is_shown() {
    let page: [(&[u8], &str); 11] = [
        ("é \u{1b}[1;31mred\u{1b}[0m\r\n\t".as_bytes(), "é \u{1b}[1;31mred\u{1b}[0m\r\n\t"),
        (b"\x1b]52;c;ZXZpbA==\x07", r"\u{1b}]52;c;ZXZpbA==\u{7}"),
        (b"\x1b[6n\x1b[2J", r"\u{1b}[6n\u{1b}[2J"),
        (b"\x1b\x1b[c\x1b[>0q", r"\u{1b}\u{1b}[c\u{1b}[>0q"),
        ("\u{9b}6n".as_bytes(), "\\u{9b}6n"),
        (b"\x9b6n\xff", "\u{fffd}6n\u{fffd}"),
        (b"end\x1b[1", r"end\u{1b}[1"),
        (b"end\xc3", "end\u{fffd}"),
        (b"\x1b[8mhidden\x1b[0m", "\\u{1b}[8mhidden\u{1b}[0m"),
        (b"\x1b[1;08mx\x1b[8:1mx\x1b[38:5:8mx", "\\u{1b}[1;08mx\\u{1b}[8:1mx\u{1b}[38:5:8mx"),
        (b"\x1b[38;5;8mgrey\x1b[48;2;8;8;8mdark", "\u{1b}[38;5;8mgrey\u{1b}[48;2;8;8;8mdark"),
    ];
    for (bytes, expected) in page {
        let mut whole = ProgramOutput::default();
        assert_eq!(whole.push(bytes) + &whole.finish(), expected);
        let mut parts = ProgramOutput::default();
        let mut out: String = bytes.iter().map(|byte| parts.push(&[*byte])).collect();
        out.push_str(&parts.finish());
        assert_eq!(out, expected);
    }
}
