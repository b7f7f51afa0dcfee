//! Read: one file as text with line numbers, a picture, or a notebook. It never changes anything and never waits for a pipe.

mod content_kind;
mod lines;
mod notebook;

use super::{Tool, ToolContext, fields, suggestions};
use crate::{event::ShownCall, output::Output};
use content_kind::ContentKind;
use fore_model::{Image, ResultPart};
use fore_plan::gate::{Action, Presented};
use fore_sandbox::{
    edit,
    open::{Links, NotOpened},
};
use lines::LineWindow;
use serde_json::{Value, json};
use std::{
    io::{self, Read as _},
    path::Path,
};

/// Larger files are not read whole.
const MAX_BYTES: u64 = 64 << 20;
/// The largest picture that model servers take, before it is encoded.
const MAX_IMAGE_BYTES: usize = 3_750_000;
/// Bytes of a text that a person can open.
const MAX_SHOWN_BYTES: usize = 10_000;

#[derive(Debug)]
pub(crate) struct Read;

impl Tool for Read {
    fn name(&self) -> &'static str {
        "Read"
    }

    fn description(&self) -> &'static str {
        include_str!("read.md").trim_ascii_end()
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string"},
                "offset": {"type": "integer", "minimum": 1, "description": "First line, from 1"},
                "limit": {"type": "integer", "minimum": 1, "description": "How many lines; 2000 if not given"}
            },
            "required": ["file_path"],
            "additionalProperties": false
        })
    }

    fn line(&self, input: &Value) -> String {
        let path = fields::path(input, &["file_path", "path", "absolute_path", "notebook_path"]);
        let (offset, limit) = (fields::number(input, "offset"), fields::number(input, "limit"));
        match (offset.ok().flatten(), limit.ok().flatten()) {
            (None, None) => path.to_owned(),
            (Some(first), None) => format!("{path}, from line {first}"),
            (first, Some(limit)) => {
                let first = first.unwrap_or(1).max(1);
                format!("{path}, lines {first} to {}", first.saturating_add(limit).saturating_sub(1))
            }
        }
    }

    fn run(&self, permit: Presented, input: &Value, context: &ToolContext) -> Output {
        let Action::Read { path, .. } = permit.action() else {
            return Output::error("The permit is not for reading a file.");
        };
        read(Path::new(path), input, context).unwrap_or_else(Output::error)
    }
}

fn read(path: &Path, input: &Value, context: &ToolContext) -> Result<Output, String> {
    let window = LineWindow::of(fields::number(input, "offset")?, fields::number(input, "limit")?);
    let bytes = bytes(path, context)?;
    let output = match ContentKind::of(path, &bytes) {
        ContentKind::Empty => Output::text("The file is there and is empty.", ShownCall::line("empty")),
        ContentKind::Picture { media_type } => picture(path, media_type, &bytes)?,
        ContentKind::Binary { what, instead } => {
            return Err(format!("{} is {what}, not text. {instead}", path.display()));
        }
        ContentKind::Notebook => match notebook::text(&bytes) {
            Ok(text) => shown(window.plain(&text)?),
            // What no longer parses has to be read as it is to be mended.
            Err(why) => {
                shown(window.numbered(&content_kind::text(&bytes).0, Some(&format!("No valid notebook: {why}")))?)
            }
        },
        ContentKind::Text => {
            let (text, trouble) = content_kind::text(&bytes);
            shown(window.numbered(&text, trouble.as_deref())?)
        }
    };
    context.seen.note(path, edit::fingerprint(&bytes));
    Ok(output)
}

/// Why a secret is not read, for Read and Grep.
pub(super) fn secret(path: &Path) -> String {
    format!(
        "{} is kept secret (setting `cage.secrets`): no tool reads it, and no command in a sandbox. Work without its content; \
         if you need to know something about it, ask the person.",
        path.display()
    )
}

fn shown(text: lines::TextExcerpt) -> Output {
    let line = match text.lines {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    };
    let end = text.text.floor_char_boundary(MAX_SHOWN_BYTES);
    let mut body = text.text.get(..end).unwrap_or_default().to_owned();
    if end < text.text.len() {
        body.push_str(&format!("\n[{} more bytes were read]", text.text.len() - end));
    }
    Output::text(text.text, ShownCall::text(line, body))
}

fn picture(path: &Path, media_type: &str, bytes: &[u8]) -> Result<Output, String> {
    if bytes.len() > MAX_IMAGE_BYTES {
        return Err(format!(
            "{} is a picture of {} kB; at most {} kB can be shown to you. Make a smaller copy of it first.",
            path.display(),
            bytes.len() / 1000,
            MAX_IMAGE_BYTES / 1000
        ));
    }
    let line = format!("{media_type}, {} kB", bytes.len().div_ceil(1000));
    let model = vec![
        ResultPart::Text(format!("{} ({line})", path.display())),
        ResultPart::Image(Image::from_bytes(media_type, bytes)),
    ];
    Ok(Output { model, is_error: false, shown: ShownCall::line(line) })
}

/// The whole file, or why there is none to read and what to do instead.
fn bytes(path: &Path, context: &ToolContext) -> Result<Vec<u8>, String> {
    let name = path.display();
    let opened = context.opener().open(path, Links::Refused).map_err(|error| match error {
        NotOpened::Secret => secret(path),
        NotOpened::Missing => suggestions::missing(path, context),
        NotOpened::NotAFile("a folder") => {
            format!("{name} is a folder. List it with Glob, such as the pattern `{name}/*`.")
        }
        NotOpened::NotAFile("a pipe") => {
            format!("{name} is a pipe; reading it would wait for somebody to write.")
        }
        NotOpened::NotAFile("made by the kernel") => {
            format!("{name} is made by the kernel, not an ordinary file. Read it with a command.")
        }
        NotOpened::NotAFile(what) => format!("{name} is {what}, not a file."),
        NotOpened::Link => format!("{name} leads through a symbolic link; name the file by its true path."),
        NotOpened::Denied | NotOpened::Io(_) => format!("{name} {error}."),
    })?;
    let trouble = |error: io::Error| format!("{name} cannot be read: {error}.");
    let mut bytes = Vec::new();
    opened.file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(trouble)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!(
            "{name} is larger than {} MB. Find the part you need with Grep, or cut it out with a command such as `sed -n`.",
            MAX_BYTES >> 20
        ));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
