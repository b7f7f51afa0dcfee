//! A plan as one file to send to somebody: it loads nothing, and what they write about it comes back as a small file of comments. That file
//! never approves anything.

use crate::{draft::SharedDraft, markdown, markup};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use fore_plan::{
    approval::{Comment, quote},
    plan::Hash,
};
use fore_store::UnsentReview;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("../web/page.css");
const SCRIPT: &str = include_str!("../web/export.js");
/// What a file of comments calls itself.
const FORMAT: &str = "fore-comments";
/// Bytes of such a file.
pub const MAX_COMMENT_FILE_BYTES: usize = 4 << 20;

/// What somebody wrote in an exported plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentFile {
    format: String,
    /// The bytes that the comments are about.
    pub plan: Hash,
    /// Who wrote them, as they call themselves.
    #[serde(default)]
    pub by: String,
    comments: Vec<WrittenComment>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenComment {
    first_line: u32,
    last_line: u32,
    remark: String,
}

impl CommentFile {
    /// Reads such a file; the error is for people.
    pub fn read(text: &str) -> Result<CommentFile, String> {
        let file: CommentFile =
            serde_json::from_str(text).map_err(|error| format!("this is not a file of comments: {error}"))?;
        match file.format == FORMAT {
            true => Ok(file),
            false => Err("this is not a file of comments".to_owned()),
        }
    }

    /// Puts the comments beside those that were written before about this text; gives all of them, and how many are new. `about` is the
    /// text that they were written about.
    pub fn into_draft(self, about: &str, text: &str, before: Option<UnsentReview>) -> (UnsentReview, usize) {
        let mut draft = SharedDraft::new(text, Hash::of(text.as_bytes()), before);
        let new = draft.import(self.into_comments(about));
        (draft.review().clone(), new)
    }

    /// The comments, each with the name of who wrote it. What they quote is taken from the text that they are about, whatever the file says.
    pub(crate) fn into_comments(self, about: &str) -> Vec<Comment> {
        let by = fore_text::cut::ellipsis(fore_text::line(self.by.trim()).trim(), 60).into_owned();
        let count = u32::try_from(about.lines().count()).unwrap_or(u32::MAX).max(1);
        let comment = |written: WrittenComment| {
            let WrittenComment { first_line, last_line, remark } = written;
            let is_there = (1..=last_line).contains(&first_line) && last_line <= count;
            let remark = match (by.is_empty() || remark.trim().is_empty(), remark.starts_with("```")) {
                (true, _) => remark,
                // A suggestion begins a line.
                (false, true) => format!("{by}:\n{remark}"),
                (false, false) => format!("{by}: {remark}"),
            };
            let quote = quote(about, first_line, last_line);
            is_there.then_some(Comment { first_line, last_line, quote, remark })
        };
        self.comments.into_iter().filter_map(comment).collect()
    }
}

/// What the script of the file is told.
#[derive(Serialize)]
struct ExportedPlan<'a> {
    format: &'static str,
    plan: Hash,
    name: &'a str,
    lines: Vec<&'a str>,
}

/// The whole file.
pub fn export_html(name: &str, label: &str, text: &str) -> String {
    let hash = Hash::of(text.as_bytes());
    let rendered = markdown::render(text);
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name);
    let told = ExportedPlan { format: FORMAT, plan: hash, name, lines: text.lines().collect() };
    // A tag cannot end what has none.
    let told = serde_json::to_string(&told).unwrap_or_default().replace('<', "\\u003c");
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        source(SCRIPT),
        source(STYLE)
    );
    let (title, label) = (markup::text(&fore_text::line(title)), markup::text(label));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header id=\"head\"><h1 id=\"title\">{title}</h1><p id=\"about\">{label} · {short} · a copy to comment on; nothing can be approved here</p></header>\n\
         <div id=\"columns\"><main><article id=\"plan\" aria-label=\"The plan\">{html}</article>\
         <button type=\"button\" id=\"plus\" hidden>+</button></main></div>\n\
         <footer id=\"foot\"><label for=\"by\">Your name</label><input id=\"by\" autocomplete=\"off\"><span id=\"pending\"></span>\
         <button type=\"button\" id=\"save\" class=\"primary\">Save comments</button></footer>\n\
         <p id=\"live\" class=\"spoken\" role=\"status\" aria-live=\"polite\"></p>\n\
         <script type=\"application/json\" id=\"told\">{told}</script>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        short = hash.short(),
        html = rendered.html,
    )
}

/// What a policy calls a script or a style that stands in the file.
fn source(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_store::unsent_review::CommentState;

    const PLAN: &str = "# A </script><b>\n\n<script>alert(1)</script>\n\n1. Read\n";

    #[test]
    fn an_exported_plan_loads_nothing_and_runs_only_our_script() {
        let html = export_html("a-plan", "revision 1", PLAN);
        assert_eq!(html.matches("<script").count(), 2, "{html}");
        assert_eq!(html.matches("</script>").count(), 2, "{html}");
        for never in [" src=", "<link", "@import", "url(", "<iframe", "<img"] {
            assert!(!html.contains(never), "{never}");
        }
        assert!(html.contains(&Hash::of(PLAN.as_bytes()).to_string()));
        assert!(html.contains("default-src 'none'; script-src 'sha256-"), "{html}");
    }

    #[test]
    fn comments_come_back_as_comments_of_somebody() {
        let plan = Hash::of(PLAN.as_bytes());
        let file = format!(
            r#"{{"format": "fore-comments", "plan": "{plan}", "by": "Ada\u0007", "comments": [
                {{"firstLine": 5, "lastLine": 5, "quote": "Approved.", "remark": "All?"}},
                {{"firstLine": 9, "lastLine": 9, "quote": "nowhere", "remark": "x"}},
                {{"firstLine": 4294967295, "lastLine": 4294967295, "quote": "", "remark": "x"}},
                {{"firstLine": 0, "lastLine": 0, "quote": "", "remark": "x"}},
                {{"firstLine": 1, "lastLine": 1, "quote": "gone", "remark": " "}}]}}"#
        );
        let file = CommentFile::read(&file).unwrap();
        let (draft, new) = file.clone().into_draft(PLAN, PLAN, None);
        let comment = &draft.remarks[0].comment;
        assert_eq!((new, draft.remarks.len(), comment.first_line), (1, 1, 5));
        assert_eq!(
            (comment.remark.as_str(), comment.quote.as_str()),
            ("Ada\\u{7}: All?", "1. Read"),
            "its own quote is not believed"
        );
        assert_eq!(file.clone().into_draft(PLAN, PLAN, Some(draft)).1, 0, "they come in once");
        let mut own = SharedDraft::new(PLAN, plan, None);
        own.comment((5, 5), "Mine", CommentState::Saved).unwrap();
        let (draft, new) = file.clone().into_draft(PLAN, PLAN, Some(own.review().clone()));
        assert_eq!((new, draft.remarks[0].comment.remark.as_str()), (1, "Mine\nAda\\u{7}: All?"));
        assert_eq!(file.clone().into_draft(PLAN, PLAN, Some(draft)).1, 0, "also beside a comment of one's own");
        let moved = PLAN.replace("1. Read", "Before\n\n1. Read");
        assert_eq!(
            file.into_draft(PLAN, &moved, None).0.remarks[0].comment.first_line,
            7,
            "they go where their lines stand"
        );
        for text in ["", "{}", "[]", r#"{"format": "x", "plan": 1, "comments": []}"#] {
            assert!(CommentFile::read(text).is_err(), "{text}");
        }
    }
}
