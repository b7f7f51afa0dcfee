//! What Read shows of files and what it refuses, through the real gate.

#![expect(clippy::disallowed_methods, reason = "makes the links and folders that the tests need")]

use super::{MAX_SHOWN_BYTES, Read};
use crate::{
    event::{ShownBody, ShownCall},
    tools::{
        Tool,
        test_support::{Workplace, text_of},
    },
    unsaved::UnsavedText,
};
use fore_model::ResultPart;
use serde_json::json;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect()
}

#[test]
fn a_text_comes_with_line_numbers_and_counts_as_seen() {
    let place = Workplace::with(&[("src/cart.rs", "fn total() {\n\t1\r\n}\n")]);
    assert_eq!(place.told(&Read, json!({"file_path": "src/cart.rs"})), "     1\tfn total() {\n     2\t\t1\n     3\t}");
    let bytes = std::fs::read(place.at("src/cart.rs")).unwrap();
    let seen = place.context.seen.fingerprint(&place.at("src/cart.rs"));
    assert_eq!(seen, Some(fore_sandbox::edit::fingerprint(&bytes)));
}

#[test]
fn a_part_says_where_to_go_on() {
    let place = Workplace::with(&[("long", &numbered(2500))]);
    let page = [
        (
            json!({"file_path": "long", "offset": 3, "limit": 2}),
            "     3\tline 3",
            "[Lines 3 to 4 of 2500. Go on with offset 5.]",
        ),
        (json!({"file_path": "long"}), "     1\tline 1", "[Lines 1 to 2000 of 2500. Go on with offset 2001.]"),
        (json!({"file_path": "long", "offset": "2499"}), "  2499\tline 2499", "  2500\tline 2500"),
    ];
    for (input, first, last) in page {
        let text = place.told(&Read, input);
        assert_eq!((text.lines().next(), text.lines().last()), (Some(first), Some(last)));
    }
    let beyond = place.trouble(&Read, json!({"file_path": "long", "offset": 2501}));
    assert_eq!(beyond, "There is no line 2501: the file has 2500 lines.");
    assert!(place.context.seen.fingerprint(&place.at("long")).is_some());
}

#[test]
fn long_lines_and_many_bytes_are_cut_with_a_note() {
    let place = Workplace::with(&[("wide", &format!("{}\nshort\n", "ä".repeat(2_100)))]);
    let expected = format!("     1\t{}… [100 more characters in this line]\n     2\tshort", "ä".repeat(2_000));
    assert_eq!(place.told(&Read, json!({"file_path": "wide"})), expected);

    place.put("heavy", format!("{}\n", "x".repeat(1_000)).repeat(500));
    let text = place.told(&Read, json!({"file_path": "heavy"}));
    assert_eq!(text.lines().last(), Some("[Lines 1 to 100 of 500. Go on with offset 101.]"));
}

#[test]
fn an_empty_file_is_said_to_be_empty() {
    let place = Workplace::with(&[("empty", "")]);
    assert_eq!(place.told(&Read, json!({"file_path": "empty"})), "The file is there and is empty.");
}

#[test]
fn pictures_are_known_by_their_bytes_and_bounded() {
    let place = Workplace::new();
    let page: [(&[u8], &str); 4] = [
        (b"\x89PNG\r\n\x1a\n0000", "image/png"),
        (b"\xff\xd8\xff\xe0000", "image/jpeg"),
        (b"GIF89a000", "image/gif"),
        (b"RIFF0000WEBPVP8 ", "image/webp"),
    ];
    for (bytes, media_type) in page {
        place.put("picture.txt", bytes);
        let output = place.call(&Read, json!({"file_path": "picture.txt"})).unwrap();
        let [ResultPart::Text(_), ResultPart::Image(image)] = output.model.as_slice() else { panic!("{output:?}") };
        assert_eq!(*image, fore_model::Image::from_bytes(media_type, bytes));
    }
    place.put("huge.png", [b"\x89PNG\r\n\x1a\n".as_slice(), &vec![0; 4_000_000]].concat());
    assert_eq!(
        place.trouble(&Read, json!({"file_path": "huge.png"})),
        "/t/shop/huge.png is a picture of 4000 kB; at most 3750 kB can be shown to you. Make a smaller copy of it first."
    );
}

#[test]
fn binaries_are_refused_with_a_reason_and_a_way() {
    let place = Workplace::new();
    let page: [(&[u8], &str); 4] = [
        (b"\x7fELF\x02\x01\x01\0\0\0", "is a program, not text. Use `file`, `nm` or `strings`."),
        (
            b"%PDF-1.7\nplain",
            "is a PDF document, not text. Turn it into text with a command such as `pdftotext FILE -`.",
        ),
        (b"ab\0cd", "is binary, not text. Use a command that knows its format, or `file` to learn what it is."),
        (
            b"\x80\x81\x82\x83ab",
            "is binary, not text. Use a command that knows its format, or `file` to learn what it is.",
        ),
    ];
    for (bytes, why) in page {
        place.put("thing", bytes);
        assert_eq!(place.trouble(&Read, json!({"file_path": "thing"})), format!("/t/shop/thing {why}"));
    }
    assert_eq!(place.context.seen.fingerprint(&place.at("thing")), None);
}

#[test]
fn folders_pipes_sockets_and_devices_are_refused_at_once() {
    let place = Workplace::with(&[("src/cart.rs", "")]);
    let _socket = std::os::unix::net::UnixListener::bind(place.at("socket")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(place.at("pipe")).status().unwrap();
    assert!(pipe.success());
    let page = [
        ("src", "/t/shop/src is a folder. List it with Glob, such as the pattern `/t/shop/src/*`."),
        ("socket", "/t/shop/socket is a socket, not a file."),
        ("pipe", "/t/shop/pipe is a pipe; reading it would wait for somebody to write."),
        ("/dev/zero", "/dev/zero is a device, not a file."),
    ];
    for (path, why) in page {
        assert_eq!(place.trouble(&Read, json!({"file_path": path})), why);
    }
}

#[test]
fn a_missing_file_gets_near_names_that_no_rule_denies() {
    let files = [
        ("src/cart.rs", ""),
        ("src/carts.rs", ""),
        ("src/cart.test.rs", ""),
        ("src/Cart.ts", ""),
        ("src/other.md", ""),
    ];
    let place = Workplace::with(&files).denying("Read(src/carts.rs)");
    let page = [
        (
            "src/cart.js",
            "/t/shop/src/cart.js does not exist. Near names in the same folder: Cart.ts, cart.rs, cart.test.rs.",
        ),
        ("src/zzz", "/t/shop/src/zzz does not exist. Nothing in its folder has a name like that; search with Glob."),
        ("lib/x/cart.rs", "/t/shop/lib/x/cart.rs does not exist. Its folder does not exist either; /t/shop does."),
        ("src/cart.rs/x", "/t/shop/src/cart.rs/x does not exist. Its folder does not exist either; /t/shop/src does."),
    ];
    for (path, why) in page {
        assert_eq!(place.trouble(&Read, json!({"file_path": path})), why);
    }
}

#[test]
fn other_encodings_lose_nothing_and_are_named() {
    let place = Workplace::new();
    place.put("latin", b"ok\ncaf\xe9 \xe9t\xe9\n and much more text that is plain\n");
    assert_eq!(
        place.told(&Read, json!({"file_path": "latin"})),
        "     1\tok\n     2\tcaf\\xe9 \\xe9t\\xe9\n     3\t and much more text that is plain\n\n[The file is not UTF-8: 3 bytes are not, \
         the first in line 2, shown as \\xNN. An edit of other places leaves them as they are.]"
    );
    let wide: Vec<u8> = "\u{feff}hä\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    place.put("wide", wide);
    assert_eq!(
        place.told(&Read, json!({"file_path": "wide"})),
        "     1\thä\n\n[The file is UTF-16 (little endian), shown here as text. Edit and Write keep to UTF-8: change it with a command.]"
    );
    place.put("marked", b"\xef\xbb\xbfhi\n");
    assert_eq!(place.told(&Read, json!({"file_path": "marked"})), "     1\thi");
}

#[test]
fn a_file_with_several_names_is_read_and_one_behind_a_link_by_its_true_path() {
    let place = Workplace::with(&[("one", "same\n")]);
    std::fs::hard_link(place.at("one"), place.at("two")).unwrap();
    std::os::unix::fs::symlink(place.at("one"), place.at("three")).unwrap();
    for path in ["two", "three"] {
        assert_eq!(place.told(&Read, json!({"file_path": path})), "     1\tsame");
    }
    assert_eq!(place.context.seen.fingerprint(&place.at("three")), None);
    assert!(place.context.seen.fingerprint(&place.at("one")).is_some());
}

#[test]
fn secrets_are_refused_as_cages_refuse_them() {
    let place =
        Workplace::with(&[(".env", "KEY=1"), (".env.example", "KEY=\n"), ("api/.env", "KEY=2"), ("real", "KEY=3")]);
    place.put(place.home().join(".ssh/id_ed25519"), "key");
    std::os::unix::fs::symlink(place.home().join(".ssh"), place.at("keys")).unwrap();
    std::os::unix::fs::symlink(place.at("real"), place.at(".env.local")).unwrap();
    let reason = "is kept secret (setting `cage.secrets`): no tool reads it, and no command in a sandbox. Work without its content; if you \
                  need to know something about it, ask the person.";
    let page = [
        (".env", "/t/shop/.env"),
        ("api/.env", "/t/shop/api/.env"),
        ("~/.ssh/id_ed25519", "/t/home/.ssh/id_ed25519"),
        ("keys/id_ed25519", "/t/home/.ssh/id_ed25519"),
        (".env.local", "/t/shop/real"),
        ("real", "/t/shop/real"),
    ];
    for (path, real) in page {
        assert_eq!(place.trouble(&Read, json!({"file_path": path})), format!("{real} {reason}"));
    }
    assert_eq!(place.told(&Read, json!({"file_path": ".env.example"})), "     1\tKEY=");
}

#[test]
fn the_environment_of_this_program_cannot_be_read() {
    let place = Workplace::new();
    std::os::unix::fs::symlink("/proc/self/environ", place.at("innocent")).unwrap();
    let why = format!(
        "/proc/{}/environ is made by the kernel, not an ordinary file. Read it with a command.",
        std::process::id()
    );
    for path in ["/proc/self/environ", "innocent"] {
        assert_eq!(place.trouble(&Read, json!({"file_path": path})), why);
    }
}

#[test]
fn g8_a_deny_rule_holds_before_the_tool_is_asked() {
    let place = Workplace::with(&[("private/a.txt", "x")]).denying("Read(private/**)").planning();
    assert!(place.call(&Read, json!({"file_path": "private/a.txt"})).is_err());
}

#[test]
fn notebooks_come_as_cells_with_bounded_outputs() {
    let notebook = json!({
        "cells": [
            {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Sales\n", "by month"]},
            {"cell_type": "code", "id": "a1", "metadata": {}, "execution_count": 1, "source": "plot()", "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["hello\n"]},
                {"output_type": "display_data", "data": {"image/png": "AAAA", "text/plain": ["<Figure>"]}, "metadata": {}},
                {"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["\u{1b}[31mline 1\u{1b}[0m"]}
            ]},
            {"cell_type": "code", "metadata": {}, "execution_count": null, "source": [], "outputs": [
                {"output_type": "stream", "name": "stdout", "text": "y".repeat(10_099) + "\n"}
            ]}
        ],
        "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4, "nbformat_minor": 5
    });
    let place = Workplace::new();
    place.put("sales.ipynb", notebook.to_string());
    let text = place.told(&Read, json!({"file_path": "sales.ipynb", "limit": 17}));
    assert_eq!(
        text,
        "Notebook with 3 cells, python\n\n[cell 0 id intro, markdown]\n# Sales\nby month\n\n[cell 1 id a1, code]\nplot()\n\
         [output of cell 1]\nhello\n<Figure>\n[image/png left out]\nValueError: bad\nline 1\n\n[cell 2, code]\n[output of cell 2]\n\n\
         [Lines 1 to 17 of 19. Go on with offset 18.]"
    );
    let rest = place.told(&Read, json!({"file_path": "sales.ipynb", "offset": 19}));
    assert_eq!(rest, "[100 more bytes of output left out]");
    place.put("broken.ipynb", "{\n");
    let broken = place.told(&Read, json!({"file_path": "broken.ipynb"}));
    assert!(broken.starts_with("     1\t{\n\n[Not a valid notebook: EOF"), "{broken}");
}

#[test]
fn the_line_for_people_names_file_and_lines() {
    let page = [
        (json!({"file_path": "a.rs"}), "a.rs"),
        (json!({"file_path": "a.rs", "offset": 10, "limit": 31}), "a.rs, lines 10 to 40"),
        (json!({"file_path": "a.rs", "offset": 10}), "a.rs, from line 10"),
        (json!({"path": "a.rs", "limit": 5}), "a.rs, lines 1 to 5"),
        (json!({}), "?"),
    ];
    for (input, line) in page {
        assert_eq!(Read.line(&input), line);
    }
    let place = Workplace::with(&[("a", "x\ny\n")]);
    let output = place.call(&Read, json!({"file_path": "a"})).unwrap();
    assert_eq!((output.shown.line.as_str(), text_of(&output).as_str()), ("2 lines", "     1\tx\n     2\ty"));
}

#[test]
fn a_person_can_open_what_was_read_up_to_a_bound() {
    let long = "ä line\n".repeat(2_000);
    let place = Workplace::with(&[("cart.rs", "mod cart;\nmod shop;\n"), ("long.txt", &long)]);
    let shown = |file: &str| place.call(&Read, json!({ "file_path": file })).unwrap().shown;
    assert_eq!(shown("cart.rs"), ShownCall::text("2 lines", "     1\tmod cart;\n     2\tmod shop;"));
    let ShownCall { line, body: ShownBody::Text { text } } = shown("long.txt") else { panic!("a text") };
    assert_eq!(line, "2000 lines");
    assert!(text.len() < MAX_SHOWN_BYTES + 100 && text.ends_with(" more bytes were read]"), "{}", text.len());
}

/// An editor that shows these texts.
#[derive(Debug)]
struct ShownElsewhere(Vec<(PathBuf, String)>, Mutex<Vec<PathBuf>>);

impl UnsavedText for ShownElsewhere {
    fn text(&self, path: &Path) -> Option<String> {
        self.1.lock().unwrap().push(path.to_owned());
        self.0.iter().find(|(open, _)| open == path).map(|(_, text)| text.clone())
    }
}

#[test]
fn changes_that_are_not_saved_stand_beside_the_file_that_may_be_read() {
    let mut place =
        Workplace::with(&[("cart.rs", "one\ntwo\n"), ("same.rs", "one\r\n"), (".env", "KEY=1"), ("private/a", "x")])
            .denying("Read(private/**)");
    let open = |name: &str, text: &str| (place.at(name), text.to_owned());
    let texts =
        vec![open("cart.rs", "one\n2\n"), open("same.rs", "one"), open(".env", "KEY=2"), open("private/a", "y")];
    let editor = Arc::new(ShownElsewhere(texts, Mutex::default()));
    place.context.unsaved = Some(Arc::clone(&editor) as Arc<dyn UnsavedText>);
    let output = place.call(&Read, json!({"file_path": "cart.rs"})).unwrap();
    let [ResultPart::Text(read), ResultPart::Text(more)] = output.model.as_slice() else { panic!("{output:?}") };
    assert_eq!(read, "     1\tone\n     2\ttwo");
    assert!(more.starts_with("[The person has changes in this file that are not saved."), "{more}");
    assert!(more.ends_with("@@ -1,2 +1,2 @@\n one\n-two\n+2\n"), "{more}");
    assert_eq!(output.shown.line, "2 lines, with changes that are not saved");
    let bytes = std::fs::read(place.at("cart.rs")).unwrap();
    assert_eq!(place.context.seen.fingerprint(&place.at("cart.rs")), Some(fore_sandbox::edit::fingerprint(&bytes)));
    assert_eq!(place.told(&Read, json!({"file_path": "same.rs"})), "     1\tone", "line ends are no change");
    place.trouble(&Read, json!({"file_path": ".env"}));
    assert!(place.call(&Read, json!({"file_path": "private/a"})).is_err());
    assert_eq!(*editor.1.lock().unwrap(), [place.at("cart.rs"), place.at("same.rs")], "nothing else is asked for");
}
