//! Read: one file as text with line numbers, a picture, or a notebook. It never changes anything and never waits for a pipe.

mod content_kind;
mod lines;
mod notebook;
mod unsaved;

use super::{ToolContext, TypedTool, input::FieldAlias, suggestions};
use crate::{event::ShownCall, output::Output};
use content_kind::ContentKind;
use fore_model::{Image, ResultPart};
use fore_plan::{
    ToolName,
    gate::{Action, Presented},
};
use fore_sandbox::{
    edit,
    open::{Links, NotOpened, SpecialFile},
};
use lines::LineWindow;
use schemars::JsonSchema;
use serde::Deserialize;
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

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct ReadInput {
    file_path: String,
    /// First line, from 1
    #[schemars(range(min = 1))]
    offset: Option<usize>,
    /// How many lines; 2000 if not given
    #[schemars(range(min = 1))]
    limit: Option<usize>,
}

impl TypedTool for Read {
    type Input = ReadInput;

    const NAME: ToolName = ToolName::Read;
    const ALIASES: &'static [FieldAlias] = &[("file_path", &["path", "absolute_path", "notebook_path"])];

    fn description(&self) -> &str {
        include_str!("read.md").trim_ascii_end()
    }

    fn line(&self, input: &ReadInput) -> String {
        let path = &input.file_path;
        match (input.offset, input.limit) {
            (None, None) => path.clone(),
            (Some(first), None) => format!("{path}, from line {first}"),
            (first, Some(limit)) => {
                let first = first.unwrap_or(1).max(1);
                format!("{path}, lines {first} to {}", first.saturating_add(limit).saturating_sub(1))
            }
        }
    }

    fn run(&self, permit: Presented, input: ReadInput, context: &ToolContext) -> Output {
        let Action::Read { path, .. } = permit.action() else {
            return Output::error("The permit is not for reading a file.");
        };
        read(Path::new(path), &input, context).unwrap_or_else(Output::error)
    }
}

fn read(path: &Path, input: &ReadInput, context: &ToolContext) -> Result<Output, String> {
    let window = LineWindow::of(input.offset, input.limit);
    let bytes = bytes(path, context)?;
    let output = match ContentKind::of(path, &bytes) {
        ContentKind::Empty => {
            let empty = Output::text("The file is there and is empty.", ShownCall::line("empty"));
            unsaved::told(path, "", empty, context)
        }
        ContentKind::Picture { media_type } => picture(path, media_type, &bytes)?,
        ContentKind::Binary { what, instead } => {
            return Err(format!("{} is {what}, not text. {instead}", path.display()));
        }
        ContentKind::Notebook => match notebook::text(&bytes) {
            Ok(text) => shown(window.plain(&text)?),
            // What no longer parses has to be read as it is to be mended.
            Err(why) => {
                shown(window.numbered(&content_kind::text(&bytes).0, Some(&format!("Not a valid notebook: {why}")))?)
            }
        },
        ContentKind::Text => {
            let (text, trouble) = content_kind::text(&bytes);
            unsaved::told(path, &text, shown(window.numbered(&text, trouble.as_deref())?), context)
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
    let line = fore_text::count(text.lines, "line");
    let mut body = fore_text::cut::bytes(&text.text, MAX_SHOWN_BYTES).to_owned();
    if body.len() < text.text.len() {
        body.push_str(&format!("\n[{} more bytes were read]", text.text.len() - body.len()));
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
    Ok(Output { model, is_error: false, shown: ShownCall::line(line), fact: None })
}

/// The whole file, or why there is none to read and what to do instead.
fn bytes(path: &Path, context: &ToolContext) -> Result<Vec<u8>, String> {
    let name = path.display();
    let opened = context.opener().open(path, Links::Refused).map_err(|error| match error {
        NotOpened::Secret => secret(path),
        NotOpened::Missing => suggestions::missing(path, context),
        NotOpened::NotAFile(SpecialFile::Folder) => {
            format!("{name} is a folder. List it with Glob, such as the pattern `{name}/*`.")
        }
        NotOpened::NotAFile(SpecialFile::Pipe) => {
            format!("{name} is a pipe; reading it would wait for somebody to write.")
        }
        NotOpened::NotAFile(SpecialFile::MadeByKernel) => {
            format!("{name} is made by the kernel, not an ordinary file. Read it with a command.")
        }
        NotOpened::NotAFile(what @ (SpecialFile::Socket | SpecialFile::Device)) => {
            format!("{name} is {what}, not a file.")
        }
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
