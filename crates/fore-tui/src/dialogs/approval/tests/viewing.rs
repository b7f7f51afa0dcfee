//! The plan searched, read on the whole screen, and the list of keys there.

use super::*;
use crate::{
    dialogs::{
        PagerDocument,
        pager::Pager,
        test_support::{THEME, shown, text_of},
    },
    paint::Markup,
    theme::{Colours, Theme},
    view::Space,
};
use fore_agent::ShownBody;
use ratatui::{style::Modifier, text::Line};

#[test]
fn the_whole_screen_shows_the_plan_as_it_would_be_approved() {
    let mut approval = open(asked(PLAN));
    approval.edited(Ok("# Mine\n".into()));
    let title = "Plan /home/ada/.local/share/fore/plans/faster-login.md".into();
    let body = ShownBody::Markdown { text: "# Mine\n".into() };
    assert_eq!(
        typed(&mut approval, "f"),
        DialogStep::Read(PagerDocument { title, body, markup: Markup::Kept, ..PagerDocument::default() })
    );
}

#[test]
fn the_whole_screen_shows_comments_and_whatever_the_window_shows() {
    let mut approval = open(asked_again(PLAN));
    typed(&mut approval, "j j j j j j c 'Why_one?' enter G c 'When?' esc");
    let mut page = Vec::new();
    for keys in ["f", "d f", "r f"] {
        let DialogStep::Read(document) = typed(&mut approval, keys) else { panic!("{keys}") };
        let mut pager = Pager::document(document);
        page.push(text_of(&pager.view(space(60, 18))));
    }
    insta::assert_snapshot!(page.join("\n\n"), @r"
    ── Plan /home/ada/.local/share/fore/plans/faster-login.md ──
    Faster login
    ▌ note on the whole plan: The plan says nothing about how to
    ▌ check it.

    The login page asks the database three times.

    Steps

    1. Read the user and the roles in one query.
    ▌ note: `src/user.rs` does not exist.
    ▌ line 7: Why_one?
    2. Keep the session in memory.
    ▌ note: A question is open.
    3. Measure again.

    Verification
    84%  q closes • / searches • PgUp PgDn scroll • g G ends

    ── What changed in /home/ada/.local/share/fore/plans/faster…
    7   1. Read the user and the roles in one query.
    8 - 2. Use a cache.
    8 + 2. Keep the session in memory.
    9 + 3. Measure again.












    all  q closes • / searches • PgUp PgDn scroll • g G ends

    ── Earlier comments on /home/ada/.local/share/fore/plans/fa…
    line 8: these lines have changed
    2. Use a cache.
    Which cache?

    line 7: these lines are unchanged
    1. Read the user and the roles in one query.
    And the groups?









    all  q closes • / searches • PgUp PgDn scroll • g G ends
    ");
}

#[test]
#[expect(clippy::too_many_lines, reason = "one page of cases")]
fn every_key_is_listed_and_no_hint_is_without_the_way_there() {
    for (width, height) in [(120, 40), (80, 22), (40, 40), (40, 10)] {
        for keys in ["", "c 'A' enter", "tab", "d", "v", "/ 'login' enter"] {
            let mut approval = open(asked_again(PLAN));
            typed(&mut approval, keys);
            let text = shown(&mut approval, width, height);
            assert!(text.ends_with("? keys"), "{keys} at {width}x{height}:\n{text}");
        }
    }
    let mut approval = open(asked(PLAN));
    let DialogStep::Read(document) = typed(&mut approval, "?") else { panic!() };
    let mut pager = Pager::document(document);
    let page = |(width, height)| text_of(&pager.view(space(width, height)));
    insta::assert_snapshot!([(80, 30), (40, 47)].map(page).join("\n\n"), @r"
    ── Keys for a plan that waits ──────────────────────────────────────────────────
    Read
    ───────────  ───────────────────────────────────────────────────────────────────
    Up Down j k  a line up or down
    PgUp PgDn    a page; Ctrl+U and Ctrl+D half of one
    g G          the start, the end (also Home and End)
    /            search; n and N go to the next hit and the one before
    . ,          the next note of the plan check, and the one before
    d            what changed, and the plan again
    r            your earlier comments, and the plan again
    t            what was tried while planning, and the plan again
    p            what the plan covers, and the plan again; there x strikes and a
                 adds
    f            what the window shows, on the whole screen
    b            the plan in your browser; you can answer there or here

    Write
    ──────  ────────────────────────────────────────────────────────────────────────
    c       comment on this line, or open the comment that is there
    v       mark lines for a comment (also Shift+Up and Shift+Down)
    x u     remove the comment on this line, bring it back
    n       add a note that goes along with your answer
    s S     leave out the step under the cursor, bring back the last one: only the
            others are approved
    e       edit the plan in your own editor (usually Ctrl+G too)
    Ctrl+J  a new line in what you write; Enter finishes it

    Answer
    ──────  ────────────────────────────────────────────────────────────
    84%  q closes • / searches • PgUp PgDn scroll • g G ends

    ── Keys for a plan that waits ──────────
    Read
    ────────────────────────────────────────
    Up Down j k
      a line up or down
    PgUp PgDn
      a page; Ctrl+U and Ctrl+D half of one
    g G
      the start, the end (also Home and End)
    /
      search; n and N go to the next hit and
      the one before
    . ,
      the next note of the plan check, and
      the one before
    d
      what changed, and the plan again
    r
      your earlier comments, and the plan
      again
    t
      what was tried while planning, and the
      plan again
    p
      what the plan covers, and the plan
      again; there x strikes and a adds
    f
      what the window shows, on the whole
      screen
    b
      the plan in your browser; you can
      answer there or here

    Write
    ──────  ────────────────────────────────
    c       comment on this line, or open
            the comment that is there
    v       mark lines for a comment (also
            Shift+Up and Shift+Down)
    x u     remove the comment on this line,
            bring it back
    n       add a note that goes along with
            your answer
    s S     leave out the step under the
            cursor, bring back the last one:
            only the others are approved
    73%  q closes • / searches
    ");
    assert_eq!(typed(&mut approval, "c '?' enter"), DialogStep::Stay);
    assert_eq!(approval.remarks.all()[0].text, "?", "in a field it is a letter");
}

#[test]
fn what_was_found_is_marked_and_in_the_middle() {
    let plan: String = (1..=200).map(|number| format!("- step {number}\n")).collect();
    let mut approval = open(asked(&plan));
    press(&mut approval, "/ '7' enter n n n n n n n n n n");
    let theme = Theme { colours: Colours::Nothing, ..THEME };
    let view = approval.view(Space { theme, ..space(80, 30) }, Focus::Here);
    let inside: Vec<&Line<'_>> = view.lines.iter().filter(|line| line.to_string().starts_with('│')).collect();
    let marked = |line: &&Line<'_>| {
        let found = line.spans.iter().filter(|span| span.style.add_modifier.contains(Modifier::REVERSED));
        (line.to_string(), found.map(|span| span.content.to_string()).collect::<String>())
    };
    assert_eq!(marked(&inside[inside.len() / 2]), ("│❯ • step 73".to_owned(), "7".to_owned()));
}

#[test]
fn search_goes_through_what_it_finds_and_esc_ends_it() {
    let mut approval = open(asked(PLAN));
    let mut page = Vec::new();
    for keys in ["/ 'login' enter", "n", "n", "N", "esc", "/ 'nowhere' enter", "esc", "/ 'x' esc"] {
        assert_eq!(typed(&mut approval, keys), DialogStep::Stay, "{keys}");
        page.push(format!("{keys:<18} | {}", last_row(&mut approval)));
    }
    insta::assert_snapshot!(page.join("\n"), @r#"
    / 'login' enter    | n N 1 of 3 for "login"   Esc ends the search   ? keys
    n                  | n N 2 of 3 for "login"   Esc ends the search   ? keys
    n                  | n N 3 of 3 for "login"   Esc ends the search   ? keys
    N                  | n N 2 of 3 for "login"   Esc ends the search   ? keys
    esc                | s leave a step out   / search   n add a note   v range   ? keys
    / 'nowhere' enter  | n N nothing found for "nowhere"   Esc ends the search   ? keys
    esc                | s leave a step out   / search   n add a note   v range   ? keys
    / 'x' esc          | s leave a step out   / search   n add a note   v range   ? keys
    "#);
    assert_eq!(typed(&mut approval, "esc"), sent(answer("keepPlanning")));
}

#[test]
fn an_empty_plan_is_called_empty() {
    let mut request = asked(" \n");
    request.request.options.retain(|offer| ["keepPlanning", "discard"].contains(&offer.value.word()));
    insta::assert_snapshot!(shown(&mut open(request), 60, 24), @r"
    ╭─ Plan • …er-login.md • revision 1 • e16f15962018 • 1 line
    │  The plan is empty.
    ╰─ empty ───────────────────────────────────────────────────
    • The plan names no file or command that could run without
    │ asking.
    ✔ 0 files changed during planning.

      1 Keep planning           ⏸ plan
      2 Discard and start over  ⏸ plan

    Tab choices   Esc keeps planning   c comment   e edit
    f full screen   p what it covers   / search   ? keys
    ");
}

#[test]
fn without_colours_a_sign_tells_where_the_keys_go() {
    let theme = Theme { colours: Colours::Nothing, ..THEME };
    let mut page = Vec::new();
    for (keys, focus) in [("j j", Focus::Here), ("1", Focus::Here), ("tab", Focus::Here), ("", Focus::Elsewhere)] {
        let mut approval = open(asked(PLAN));
        typed(&mut approval, "j j c 'Why?' enter g");
        typed(&mut approval, keys);
        let text = text_of(&approval.view(Space { theme, ..space(40, 14) }, focus));
        let signs = ["❯", "•"]
            .map(|sign| text.lines().filter(|row| row.trim_start_matches('│').starts_with(sign)).collect::<Vec<_>>());
        page.push(format!("{keys:<4} {focus:?}: keys at {:?}, kept at {:?}", signs[0], signs[1]));
    }
    insta::assert_snapshot!(page.join("\n"), @r#"
    j j  Here: keys at ["│❯ The login page asks the database"], kept at []
    1    Here: keys at ["│❯ Faster login"], kept at ["• 1 Approve: default"]
    tab  Here: keys at ["❯ 4 Keep planning   5 Save and stop"], kept at ["│• Faster login"]
         Elsewhere: keys at [], kept at ["│• Faster login"]
    "#);
}
