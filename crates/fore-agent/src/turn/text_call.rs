//! Recognises a call that a model wrote as text instead of making it, as small models do: `{"name": "Read", "arguments": {…}}`.

use fore_plan::ToolName;
use serde_json::Value;

/// Longer texts are texts.
const MAX_BYTES: usize = 64 * 1024;
/// What stands before such an object and says that nothing else is meant.
const MARKS: [&str; 5] = ["<tool_call>", "```json", "```tool_call", "```", "<function_call>"];

/// The tool that a text would call, if the text is a call.
pub(crate) fn tool_in_text(text: &str) -> Option<ToolName> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    let begin = MARKS.iter().find_map(|mark| text.find(mark).map(|at| at + mark.len()));
    let object = text.get(begin.unwrap_or(0)..)?.trim_start();
    if !object.starts_with(['{', '[']) {
        return None;
    }
    let first = serde_json::Deserializer::from_str(object).into_iter::<Value>().next()?.ok()?;
    let call = first.get(0).unwrap_or(&first);
    let call = call.get("function").filter(|inner| inner.is_object()).unwrap_or(call);
    let name = ["name", "tool", "tool_name", "function"].iter().find_map(|key| call.get(key)?.as_str())?;
    let has_input = ["arguments", "parameters", "input", "args"].iter().any(|key| call.get(key).is_some());
    ToolName::from_called(name).filter(|_| has_input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_in_words_is_told_from_words_about_calls() {
        let page = [
            (r#"{"name": "Read", "arguments": {"file_path": "a.rs"}}"#, Some(ToolName::Read)),
            ("```json\n{\"name\": \"Glob\", \"parameters\": {\"pattern\": \"*\"}}\n```", Some(ToolName::Glob)),
            ("I look.\n<tool_call>\n{\"name\": \"Bash\", \"arguments\": {}}\n</tool_call>", Some(ToolName::Bash)),
            (r#"[{"type": "function", "function": {"name": "Grep", "arguments": "{}"}}]"#, Some(ToolName::Grep)),
            (r#"{"name": "shop", "arguments": {}}"#, None),
            (r#"{"name": "Read"}"#, None),
            ("The settings are\n```json\n{\"name\": \"shop\"}\n```", None),
            ("Call Read with {\"file_path\": 1}.", None),
            ("", None),
        ];
        for (text, expected) in page {
            assert_eq!(tool_in_text(text), expected, "{text}");
        }
    }
}
