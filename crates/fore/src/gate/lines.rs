//! Tool calls as JSON lines: one answer a line, in order, flushed per line. No line can stop the ones after it.

use super::{answer::GateAnswer, context::GateContext};
use fore_agent::Disk;
use fore_plan::gate::Action;
use serde::Deserialize;
use serde_json::Value;
use std::{
    io::{self, BufRead, Read, Write},
    path::{Path, PathBuf},
};

/// The longest line that is read; a longer one is answered with a refusal and skipped.
const MAX_LINE_BYTES: u64 = 4 << 20;

/// One call, in our form or in the form that other agents hand to their hooks.
#[derive(Debug, Deserialize)]
struct GateCall {
    #[serde(default)]
    id: Option<Value>,
    #[serde(alias = "tool_name")]
    tool: String,
    #[serde(default, alias = "tool_input")]
    input: Value,
    #[serde(default)]
    cwd: Option<PathBuf>,
}

/// Answers every line until the input ends.
pub(crate) fn judge_all(
    context: &GateContext<'_>,
    cwd: &Path,
    mut from: impl BufRead,
    mut to: impl Write,
) -> anyhow::Result<()> {
    let mut line = Vec::new();
    while let Some(is_whole) = next_line(&mut from, &mut line)? {
        if is_whole && line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let (id, answer) = if is_whole {
            judge_line(context, cwd, &line)
        } else {
            (None, GateAnswer::unreadable(format!("the line is longer than {MAX_LINE_BYTES} bytes")))
        };
        let line = serde_json::to_string(&answer.to_line(id))?;
        writeln!(to, "{}", fore_text::json(&line))?;
        to.flush()?;
    }
    Ok(())
}

/// Reads one line without its end; `Some(false)` when it was too long and was skipped, `None` at the end of the input.
fn next_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let read = from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line)?;
    if read == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') || (read as u64) < MAX_LINE_BYTES {
        return Ok(Some(true));
    }
    skip_line(from)?;
    Ok(Some(false))
}

fn skip_line(from: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = from.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(buffer.len(), |end| end + 1);
        from.consume(used);
        if end.is_some() {
            return Ok(());
        }
    }
}

fn judge_line(context: &GateContext<'_>, cwd: &Path, line: &[u8]) -> (Option<Value>, GateAnswer) {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(error) => return (None, GateAnswer::unreadable(format!("the line is not JSON: {error}"))),
    };
    let id = value.get("id").cloned();
    let call: GateCall = match serde_json::from_value(value) {
        Ok(call) => call,
        Err(error) => return (id, GateAnswer::unreadable(format!("the line is not a tool call: {error}"))),
    };
    let cwd = match &call.cwd {
        None => cwd.to_path_buf(),
        Some(folder) => match cwd.join(folder).canonicalize() {
            Ok(folder) => folder,
            Err(error) => {
                let reason = format!("the folder {} cannot be used: {error}", folder.display());
                return (call.id, GateAnswer::unreadable(reason));
            }
        },
    };
    let action = Action::from_call(&call.tool, &call.input, &Disk::new(&cwd, context.home()));
    (call.id, GateAnswer::of(context.judge(action)))
}
