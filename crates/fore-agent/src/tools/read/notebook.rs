//! A notebook as text: every cell with its number, its source and what it gave out, pictures left out.

use serde_json::Value;
use std::fmt::Write as _;

/// Bytes of the outputs of one cell that are shown.
const MAX_OUTPUT_BYTES: usize = 10_000;

/// The notebook as text, or why it is none.
pub(super) fn text(bytes: &[u8]) -> Result<String, String> {
    let notebook: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let cells = notebook.get("cells").and_then(Value::as_array).ok_or("it has no list `cells`")?;
    let language =
        notebook.pointer("/metadata/kernelspec/language").or(notebook.pointer("/metadata/language_info/name"));
    let mut text = format!("Notebook with {} cells", cells.len());
    if let Some(language) = language.and_then(Value::as_str) {
        text.push_str(", ");
        text.push_str(language);
    }
    text.push('\n');
    for (index, cell) in cells.iter().enumerate() {
        let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or("unknown");
        let id = cell.get("id").and_then(Value::as_str).map(|id| format!(" id {id}")).unwrap_or_default();
        // Writing into a String can't fail.
        let _ = writeln!(text, "\n[cell {index}{id}, {kind}]");
        push(&mut text, &joined(cell.get("source")));
        push_outputs(&mut text, index, cell.get("outputs"));
    }
    Ok(text)
}

fn push_outputs(text: &mut String, index: usize, outputs: Option<&Value>) {
    let outputs = outputs.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if outputs.is_empty() {
        return;
    }
    let all: String = outputs.iter().map(output).collect();
    // Writing into a String can't fail.
    let _ = writeln!(text, "[output of cell {index}]");
    match fore_text::cut::split_bytes(&all, MAX_OUTPUT_BYTES) {
        (all, "") => push(text, all),
        (shown, left) => {
            push(text, shown);
            let _ = writeln!(text, "[{} more bytes of output left out]", left.len());
        }
    }
}

/// One output: its text if it has any, else what it is.
fn output(output: &Value) -> String {
    let mut text = String::new();
    let kind = output.get("output_type").and_then(Value::as_str).unwrap_or_default();
    match kind {
        "error" => {
            let part = |name| output.get(name).and_then(Value::as_str).unwrap_or_default();
            push(&mut text, &format!("{}: {}", part("ename"), part("evalue")));
            push(&mut text, &without_colours(&joined_lines(output.get("traceback"))));
        }
        "stream" => push(&mut text, &without_colours(&joined(output.get("text")))),
        _ => {
            let data = output.get("data").and_then(Value::as_object);
            let of = |name: &str| data.and_then(|data| data.get(name));
            match (of("text/plain"), of("text/markdown"), of("text/html")) {
                (Some(plain), ..) | (None, Some(plain), _) | (None, None, Some(plain)) => {
                    push(&mut text, &joined(Some(plain)))
                }
                (None, None, None) => {}
            }
            for name in data.into_iter().flat_map(|data| data.keys()).filter(|name| name.starts_with("image/")) {
                push(&mut text, &format!("[{name} left out]"));
            }
        }
    }
    text
}

/// Adds a text and the end of its last line.
fn push(text: &mut String, more: &str) {
    text.push_str(more);
    if !more.is_empty() && !more.ends_with('\n') {
        text.push('\n');
    }
}

/// Notebooks keep texts as one string or as a list of lines that end in a line end.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

fn joined_lines(value: Option<&Value>) -> String {
    let lines = value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    lines.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

/// Tracebacks come with the colours of a terminal: `ESC [ … m`.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
    }
    plain
}
