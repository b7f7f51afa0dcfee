//! The head of a Markdown file, between two lines `---`: a few YAML keys. What is wrong with it has a line number.

use serde_json::Value;
use std::collections::BTreeMap;

/// The keys of a head and the text after it.
#[derive(Debug)]
pub(crate) struct FrontMatter<'a> {
    head: &'a str,
    keys: BTreeMap<String, Value>,
    pub(crate) body: &'a str,
}

/// What is wrong, and on which line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrontMatterError {
    pub(crate) line: u64,
    pub(crate) why: String,
}

/// Nesting, anchors and the like that a head may use; honest ones use next to none.
const MAX_NODES: usize = 1_000;
const MAX_DEPTH: usize = 8;

impl<'a> FrontMatter<'a> {
    pub(crate) fn read(text: &'a str) -> Result<FrontMatter<'a>, FrontMatterError> {
        let (head, body) = split(text)?;
        // Many files in the wild have a colon in a description without quotes. That is no YAML, but what is meant is plain.
        let keys = parse(head).or_else(|trouble| quoted(head).and_then(|head| parse(&head).ok()).ok_or(trouble))?;
        Ok(FrontMatter { head, keys, body })
    }

    /// A key whose value is one text; numbers and booleans count as the words they were written in.
    pub(crate) fn text(&self, key: &str) -> Result<Option<String>, FrontMatterError> {
        match self.keys.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
            Some(Value::Bool(_) | Value::Number(_)) => Ok(self.keys.get(key).map(Value::to_string)),
            Some(Value::Array(_) | Value::Object(_)) => Err(self.trouble(key, format!("`{key}` must be one text"))),
        }
    }

    /// A key whose value is a list, or one text with commas between its parts.
    pub(crate) fn list(&self, key: &str) -> Result<Option<Vec<String>>, FrontMatterError> {
        let part = |value: &Value| value.as_str().map(|text| text.trim().to_owned());
        let wrong = || self.trouble(key, format!("`{key}` must be a list of names, or names with commas between them"));
        let parts: Option<Vec<String>> = match self.keys.get(key) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => Some(text.split(',').map(|part| part.trim().to_owned()).collect()),
            Some(Value::Array(parts)) => parts.iter().map(part).collect(),
            Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => None,
        };
        let parts = parts.ok_or_else(wrong)?;
        Ok(Some(parts.into_iter().filter(|part| !part.is_empty()).collect()))
    }

    /// The keys that are not among these.
    pub(crate) fn others(&self, known: &[&str]) -> Vec<&str> {
        self.keys.keys().map(String::as_str).filter(|key| !known.contains(key)).collect()
    }

    pub(crate) fn trouble(&self, key: &str, why: String) -> FrontMatterError {
        FrontMatterError { line: self.line(key), why }
    }

    /// The line of the file on which a key stands; the first one if it is not there.
    pub(crate) fn line(&self, key: &str) -> u64 {
        let stands = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'));
        let found = self.head.lines().zip(2_u64..).find(|(line, _)| stands(line));
        found.map_or(1, |(_, number)| number)
    }
}

fn split(text: &str) -> Result<(&str, &str), FrontMatterError> {
    let none = |why: &str| FrontMatterError { line: 1, why: why.to_owned() };
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if first.trim_end() != "---" {
        return Err(none("the file does not begin with a line `---`, so it has no name and description"));
    }
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            let (head, after) = rest.split_at(at);
            return Ok((head, after.get(line.len()..).unwrap_or_default()));
        }
        at += line.len();
    }
    Err(none("the head that begins here has no end: a second line `---` is missing"))
}

fn parse(head: &str) -> Result<BTreeMap<String, Value>, FrontMatterError> {
    let budget =
        serde_saphyr::Budget { max_nodes: MAX_NODES, max_depth: MAX_DEPTH, max_aliases: 0, ..Default::default() };
    let options = serde_saphyr::Options { budget: Some(budget), with_snippet: false, ..Default::default() };
    if head.trim().is_empty() {
        return Ok(BTreeMap::new());
    }
    serde_saphyr::from_str_with_options(head, options).map_err(|error| {
        // The file has one line more at its top than the head.
        let line = error.location().map_or(1, |location| location.line().saturating_add(1));
        let words = error.to_string();
        let why = words.split(" at line ").next().unwrap_or(&words).lines().next().unwrap_or_default();
        FrontMatterError { line, why: format!("the head is not YAML: {why}") }
    })
}

/// The same head with every plain value of its own line in quotes; none if it is not made of such lines only.
fn quoted(head: &str) -> Option<String> {
    let mut whole = String::with_capacity(head.len() + 16);
    for line in head.lines().filter(|line| !line.trim().is_empty()) {
        let (key, value) = line.split_once(':')?;
        let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        let value = value.trim();
        if !is_key {
            return None;
        }
        let is_plain = !value.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '!', '#']);
        let value = if is_plain && !value.is_empty() { Value::from(value).to_string() } else { value.to_owned() };
        whole.push_str(&format!("{key}: {value}\n"));
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match FrontMatter::read(text) {
            Ok(matter) => format!("{} | {}", Value::from_iter(matter.keys.clone()), matter.body),
            Err(trouble) => format!("line {}: {}", trouble.line, trouble.why),
        }
    }

    #[test]
    fn a_head_gives_its_keys_and_the_text_after_it() {
        let page = [
            ("---\nname: docs\ntools: [Read, Grep]\n---\nBody\n", r#"{"name":"docs","tools":["Read","Grep"]} | Body"#),
            ("---\r\nname: docs\r\n---\r\nBody", r#"{"name":"docs"} | Body"#),
            ("---\n---\n", r#"{} | "#),
            ("---\ndescription: >\n  two\n  lines\n---\n", r#"{"description":"two lines\n"} | "#),
            (
                "---\ndescription: Use when: a test fails. Ask: \"why\"\n---\n",
                r#"{"description":"Use when: a test fails. Ask: \"why\""} | "#,
            ),
            ("Body", "line 1: the file does not begin with a line `---`, so it has no name and description"),
            ("---\nname: x\n", "line 1: the head that begins here has no end: a second line `---` is missing"),
        ];
        for (text, expected) in page {
            assert_eq!(shown(text).trim_end(), expected.trim_end(), "{text:?}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_head_has_a_line() {
        for (text, line) in [
            ("---\nname: [a\n---\n", 2),
            ("---\nname: a\nname: b\n---\n", 3),
            ("---\n- a\n- b\n---\n", 2),
            ("---\na: &x [1]\nb: *x\n---\n", 3),
        ] {
            let trouble = FrontMatter::read(text).unwrap_err();
            assert_eq!(trouble.line, line, "{text:?} {}", trouble.why);
            assert!(trouble.why.starts_with("the head is not YAML: "), "{}", trouble.why);
        }
    }

    #[test]
    fn a_list_is_a_list_or_names_with_commas() {
        let matter =
            FrontMatter::read("---\na: [Read, Grep]\nb: Read, Grep ,\nc:\n  - Read\nd: 1\ne: {x: 1}\n---\n").unwrap();
        let both = Some(vec!["Read".to_owned(), "Grep".to_owned()]);
        assert_eq!(matter.list("a"), Ok(both.clone()));
        assert_eq!(matter.list("b"), Ok(both));
        assert_eq!(matter.list("c"), Ok(Some(vec!["Read".to_owned()])));
        assert_eq!(matter.list("nothing"), Ok(None));
        assert_eq!(matter.list("d").unwrap_err().line, 6);
        assert_eq!(matter.text("d"), Ok(Some("1".to_owned())));
        assert_eq!(matter.text("e").unwrap_err(), FrontMatterError { line: 7, why: "`e` must be one text".to_owned() });
        assert_eq!(matter.others(&["a", "b", "c"]), ["d", "e"]);
    }
}
