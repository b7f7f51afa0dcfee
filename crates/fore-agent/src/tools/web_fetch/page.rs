//! Turns what a server sent into text: its letters as it wrote them, HTML as Markdown. What is no text is refused.

use crate::cancel::Cancel;
use encoding_rs::{Encoding, UTF_8};
use htmd::{HtmlToMarkdown, Node};
use std::{rc::Rc, sync::mpsc, time::Duration};

/// HTML that is taken apart: far more than the text of a page that anybody reads.
const MAX_HTML_BYTES: usize = 1 << 20;
/// Elements inside each other; a page that needs more is made to hurt.
const MAX_DEPTH: usize = 256;
/// How long a page may take.
const MAX_TIME: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Enough for [`MAX_DEPTH`], which the usual stack of a thread is not in a debug build.
const STACK_BYTES: usize = 16 << 20;
/// Where a page says how it is written.
const META_BYTES: usize = 1024;
/// What is not the text of a page.
const DROPPED: [&str; 13] = [
    "script", "style", "noscript", "template", "nav", "footer", "button", "svg", "iframe", "object", "canvas",
    "dialog", "head",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageKind {
    Html,
    Text,
}

/// The text of an answer, and whether its end is missing.
pub(super) fn text(content_type: Option<&str>, body: &[u8], cancel: &Cancel) -> Result<(String, bool), String> {
    let kind = kind(content_type, body)?;
    let text = decode(content_type, kind, body);
    match kind {
        PageKind::Text => Ok((text, false)),
        PageKind::Html => {
            let kept = fore_text::cut::bytes(&text, MAX_HTML_BYTES);
            Ok((markdown(kept.to_owned(), cancel)?, kept.len() < text.len()))
        }
    }
}

fn kind(content_type: Option<&str>, body: &[u8]) -> Result<PageKind, String> {
    let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (family, name) = essence.split_once('/').unwrap_or((&essence, ""));
    let is_structured = ["+json", "+xml", "+yaml"].iter().any(|end| name.ends_with(end));
    match (family, name) {
        ("text", "html") | ("application", "xhtml+xml") => Ok(PageKind::Html),
        ("text", _) => Ok(PageKind::Text),
        (
            "application",
            "json" | "xml" | "javascript" | "yaml" | "x-yaml" | "toml" | "x-ndjson" | "ld+json" | "sql" | "x-sh",
        ) => Ok(PageKind::Text),
        ("application", _) if is_structured => Ok(PageKind::Text),
        ("", _) => unnamed(body),
        _ => Err(format!("it is `{}`, which is not text", essence.chars().take(80).collect::<String>())),
    }
}

/// A server that does not say what it sends.
fn unnamed(body: &[u8]) -> Result<PageKind, String> {
    let start = body.get(..body.len().min(META_BYTES)).unwrap_or_default();
    let start = String::from_utf8_lossy(start).trim_start().to_ascii_lowercase();
    if start.contains('\0') || std::str::from_utf8(body).is_err() {
        return Err("it has no content type and is not text".to_owned());
    }
    let is_html = start.starts_with("<!doctype html") || start.starts_with("<html");
    Ok(if is_html { PageKind::Html } else { PageKind::Text })
}

/// By the mark at the start of the text, by the header, by the page's own word; else UTF-8.
fn decode(content_type: Option<&str>, kind: PageKind, body: &[u8]) -> String {
    let named = content_type.and_then(charset);
    let own = || {
        let start = body.get(..body.len().min(META_BYTES)).unwrap_or_default();
        charset(&String::from_utf8_lossy(start)).filter(|_| kind == PageKind::Html)
    };
    let encoding = named.or_else(own).and_then(|label| Encoding::for_label(label.as_bytes())).unwrap_or(UTF_8);
    // A mark at the start of the text wins over all of them.
    encoding.decode(body).0.into_owned()
}

/// The value behind `charset=`.
fn charset(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let (_, rest) = lower.split_once("charset")?;
    let value = rest.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let is_label = |letter: char| letter.is_ascii_alphanumeric() || "-_:.".contains(letter);
    let label: String = value.chars().take_while(|letter| is_label(*letter)).take(40).collect();
    (!label.is_empty()).then_some(label)
}

/// On a thread of its own: some pages are written so that reading them takes ages.
fn markdown(html: String, cancel: &Cancel) -> Result<String, String> {
    let (sender, receiver) = mpsc::channel();
    let reader = move || drop(sender.send(convert(&html)));
    let thread = std::thread::Builder::new().name("page".into()).stack_size(STACK_BYTES).spawn(reader);
    thread.map_err(|error| format!("it could not be read: {error}"))?;
    let mut waited = Duration::ZERO;
    loop {
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(converted) => return converted,
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err("its HTML could not be read".to_owned()),
            Err(mpsc::RecvTimeoutError::Timeout) if cancel.is_cancelled() => return Err("interrupted".to_owned()),
            Err(mpsc::RecvTimeoutError::Timeout) if waited > MAX_TIME => {
                return Err("its HTML takes too long to read".to_owned());
            }
            Err(mpsc::RecvTimeoutError::Timeout) => waited += POLL_INTERVAL,
        }
    }
}

fn convert(html: &str) -> Result<String, String> {
    let converter = HtmlToMarkdown::builder().skip_tags(DROPPED.to_vec()).build();
    let tree = converter.html_to_tree(html).map_err(|error| format!("its HTML could not be read: {error}"))?;
    if is_too_deep(&tree) {
        return Err("its HTML is nested too deeply to be read".to_owned());
    }
    Ok(without_gaps(&converter.tree_to_markdown(&tree)))
}

/// Looked at without recursion, which is what a deep page would turn against us.
fn is_too_deep(tree: &Rc<Node>) -> bool {
    let mut level = vec![Rc::clone(tree)];
    for _ in 0..MAX_DEPTH {
        level = level.iter().flat_map(|node| node.children.borrow().clone()).collect();
        if level.is_empty() {
            return false;
        }
    }
    true
}

/// At most one empty line at a time, and none of the spaces that layouts leave.
fn without_gaps(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines().map(str::trim_end) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content_type: &str, body: &[u8]) -> Result<String, String> {
        text(Some(content_type).filter(|given| !given.is_empty()), body, &Cancel::default()).map(|(text, _)| text)
    }

    #[test]
    fn html_comes_as_markdown_without_scripts_and_navigation() {
        let html = "<!doctype html><html><head><title>Shop</title><style>p{}</style></head><body><nav><a href=/>Home</a></nav>\
            <h1>Carts</h1><p>A <b>cart</b> holds <a href='/items'>items</a>.</p><script>alert(1)</script>\
            <ul><li>one<li>two</ul><pre><code>let a = 1;\n</code></pre><footer>2024</footer></body></html>";
        assert_eq!(
            read("text/html; charset=utf-8", html.as_bytes()).unwrap(),
            "# Carts\n\nA **cart** holds [items](/items).\n\n*   one\n*   two\n\n```\nlet a = 1;\n```"
        );
    }

    #[test]
    fn text_stays_as_it_is_and_what_is_no_text_is_refused() {
        let page: [(&str, &[u8], Result<&str, &str>); 9] = [
            ("text/plain", b"<b>plain</b>\n", Ok("<b>plain</b>\n")),
            ("application/json", b"{\"a\":1}", Ok("{\"a\":1}")),
            ("application/problem+json", b"{}", Ok("{}")),
            ("text/markdown", b"# Hi", Ok("# Hi")),
            ("", b"just text", Ok("just text")),
            ("", b"\n<!DOCTYPE HTML><p>hi", Ok("hi")),
            ("", b"\x7fELF\0\xff", Err("it has no content type and is not text")),
            ("image/png", b"x", Err("it is `image/png`, which is not text")),
            ("application/octet-stream", b"x", Err("it is `application/octet-stream`, which is not text")),
        ];
        for (content_type, body, expected) in page {
            let found = read(content_type, body);
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{content_type}");
        }
    }

    #[test]
    fn letters_are_read_as_they_were_written() {
        let page: [(&str, &[u8], &str); 5] = [
            ("text/plain; charset=iso-8859-1", b"gr\xfcn", "grün"),
            ("text/plain; charset=\"Shift_JIS\"", b"\x83J\x81[\x83g", "カート"),
            ("text/html", b"<meta charset=windows-1252><p>\x80 5", "€ 5"),
            ("text/plain", b"\xef\xbb\xbfgr\xc3\xbcn", "grün"),
            ("text/plain; charset=nonsense", b"gr\xc3\xbcn", "grün"),
        ];
        for (content_type, body, expected) in page {
            assert_eq!(read(content_type, body).as_deref(), Ok(expected), "{content_type}");
        }
    }

    #[test]
    fn a_page_made_to_hurt_is_refused_and_not_a_crash() {
        let deep = "<div>".repeat(5_000);
        assert_eq!(read("text/html", deep.as_bytes()), Err("its HTML is nested too deeply to be read".to_owned()));
        let nested = "<blockquote>".repeat(200) + "deep";
        assert!(read("text/html", nested.as_bytes()).unwrap().ends_with("deep"));
    }
}
