//! Pages of Markdown and the HTML that comes of them.

use super::*;

/// Without what every row has besides its lines.
fn short(html: &str) -> String {
    html.replace(" tabindex=\"-1\"", "").replace("data-", "")
}

#[test]
fn every_row_knows_its_lines() {
    let page = [
        (
            "# A *b*\n\ntwo\nlines\n",
            r#"<h2 id="L1" l="1" e="1">A <em>b</em></h2><p id="L3" l="3" e="4">two
lines</p>"#,
        ),
        (
            "1. one\n   - in\n2. two\n   more\n",
            r#"<ol start="1"><li id="L1" l="1" e="1">one<ul><li id="L2" l="2" e="2">in</li></ul></li><li id="L3" l="3" e="4">two
more</li></ol>"#,
        ),
        ("- a\n\n- b\n", r#"<ul><li><p id="L1" l="1" e="1">a</p></li><li><p id="L3" l="3" e="3">b</p></li></ul>"#),
        (
            "x\n\n```sh\ncargo test\n\nls\n```\n",
            r#"<p id="L1" l="1" e="1">x</p><div class="code" role="group" aria-label="code: sh"><div class="line" id="L4" l="4" e="4"><code>cargo test</code></div><div class="line" id="L5" l="5" e="5"><code></code></div><div class="line" id="L6" l="6" e="6"><code>ls</code></div></div>"#,
        ),
        (
            "| a | b |\n|--|-:|\n| 1 | 2 |\n",
            r#"<div class="table" role="region" aria-label="table" tabindex="0"><table><thead><tr id="L1" l="1" e="1"><th>a</th><th class="right">b</th></tr></thead><tbody><tr id="L3" l="3" e="3"><td>1</td><td class="right">2</td></tr></tbody></table></div>"#,
        ),
    ];
    for (text, expected) in page {
        assert_eq!(short(&render(text).html), expected, "{text}");
    }
}

#[test]
fn nothing_is_fetched_run_or_left_unseen() {
    let page = [
        ("![a](https://x.example/p.png)", "[image, not loaded: a (https://x.example/p.png)]"),
        ("<script>alert(1)</script>", "<code>&lt;script&gt;alert(1)&lt;/script&gt;</code>"),
        ("a <img src=x onerror=alert(1)> b", "&lt;img src=x onerror=alert(1)&gt;"),
        ("[a](javascript:alert(1))", ">a</p>"),
        ("[a](JavaScript:alert(1))", ">a</p>"),
        ("[a](data:text/html,x)", ">a</p>"),
        ("[a](//host.example/x)", ">a</p>"),
        ("[a](file:///etc/passwd)", ">a</p>"),
        ("[a](HTTPS://x.example/\"onclick=\"y)", "href=\"HTTPS://x.example/&quot;onclick=&quot;y\""),
        ("`a\u{200b}b`", "a<span class=\"mark\" title=\"a hidden character\">\\u{200b}</span>b"),
    ];
    for (text, expected) in page {
        let html = render(text).html;
        assert!(html.contains(expected), "{text}: {html}");
        for never in ["<script", "<img", "href=\"j", "href=\"J", "href=\"data", "href=\"file", "href=\"//"] {
            assert!(!html.contains(never), "{text}: {html}");
        }
    }
    assert!(!render_comment("# a\n\n- b").contains("id="));
}

#[test]
fn the_outline_names_headings_with_their_lines() {
    let outline = render("# A `b`\n\ntext\n\n## C\n").outline;
    let found: Vec<(u8, &str, u32)> =
        outline.iter().map(|entry| (entry.level, entry.text.as_str(), entry.line)).collect();
    assert_eq!(found, [(1, "A b", 1), (2, "C", 5)]);
}

#[test]
fn a_deep_plan_is_a_page_too() {
    let deep = format!("{}x", "> ".repeat(5_000));
    let html = render(&deep).html;
    assert!(html.matches("<blockquote>").count() <= MAX_DEPTH, "{}", html.len());
    assert_eq!(html.matches("<blockquote>").count(), html.matches("</blockquote>").count());
    render(&"- ".repeat(20_000));
}

#[test]
fn the_source_has_a_row_for_each_line() {
    let html = render_source("# A\n\n<b>\n");
    assert_eq!(html.matches("class=\"line\"").count(), 3);
    assert!(html.contains("&lt;b&gt;"), "{html}");
}
