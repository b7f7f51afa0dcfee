//! Fetches one page from the host that the permit names, and from no other. It sends nothing but the address.

mod cache;
mod fetch;
mod host;
mod page;
#[cfg(test)]
mod tests;

use super::{ToolContext, TypedTool};
use crate::{event::ShownCall, output::Output};
use cache::PageCache;
use fetch::Fetched;
use fore_plan::{
    ToolName,
    gate::{Action, Presented},
};
use host::PermittedHost;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Instant;

/// Text that the model gets.
const MAX_TEXT_BYTES: usize = 60_000;
const MAX_SHOWN_BYTES: usize = 4_000;
const MAX_PROMPT_CHARS: usize = 500;
const MAX_LINE_CHARS: usize = 160;

/// The tool `WebFetch`.
#[derive(Debug, Default)]
pub(crate) struct WebFetch {
    pages: PageCache,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct WebFetchInput {
    /// A whole http or https address
    url: String,
    /// What you look for
    prompt: Option<String>,
}

impl TypedTool for WebFetch {
    type Input = WebFetchInput;

    const NAME: ToolName = ToolName::WebFetch;

    const UNSAID: &'static str = "";

    fn description(&self) -> &str {
        include_str!("web_fetch.md").trim_ascii_end()
    }

    fn line(&self, input: &WebFetchInput) -> String {
        input.url.chars().take(MAX_LINE_CHARS).collect()
    }

    fn run(&self, permit: Presented, input: WebFetchInput, context: &ToolContext) -> Output {
        let host = if let Action::Fetch { host } = permit.action() { host.as_deref() } else { None };
        let host = host.and_then(PermittedHost::new).map(|host| host.permitted(&permit));
        let Some(host) = host else {
            return Output::error("the permit of this call is not for a page");
        };
        match self.fetch(&input.url, &host, context) {
            Ok(text) => page_output(input.prompt.as_deref(), &text),
            Err(why) => Output::error(why),
        }
    }
}

impl WebFetch {
    /// The page as the model reads it.
    fn fetch(&self, asked: &str, host: &PermittedHost, context: &ToolContext) -> Result<String, String> {
        let url = fetch::address(asked, host)?;
        if let Some(text) = self.pages.get(url.as_str(), Instant::now()) {
            return Ok(text);
        }
        let got = context.runtime.block_on(async {
            tokio::select! {
                got = tokio::time::timeout(fetch::MAX_TOTAL_TIME, fetch::get(url.clone(), host, &context.cages)) => {
                    got.unwrap_or_else(|_| Err(format!("{url} took longer than {} s", fetch::MAX_TOTAL_TIME.as_secs())))
                }
                () = context.cancel.cancelled() => Err("interrupted".to_owned()),
            }
        })?;
        let text = match got {
            Fetched::Moved { to } => {
                return Ok(format!("{url} moved to {to}, which is another host; call again with that address"));
            }
            Fetched::Page { url: last, content_type, body, is_cut } => {
                let (text, is_shortened) = page::text(content_type.as_deref(), &body, &context.cancel)
                    .map_err(|why| format!("{last} is not shown: {why}"))?;
                let note = if is_cut || is_shortened { "\n[the page goes on; the rest was not read]" } else { "" };
                let from = if last == url { String::new() } else { format!("(from {last})\n\n") };
                bounded(format!("{from}{text}{note}"), context)
            }
        };
        self.pages.keep(url.as_str(), Instant::now(), &text);
        Ok(text)
    }
}

fn page_output(prompt: Option<&str>, text: &str) -> Output {
    let note = prompt.map(str::trim).filter(|prompt| !prompt.is_empty());
    let note = note.map(|prompt| prompt.chars().take(MAX_PROMPT_CHARS).collect::<String>());
    let note = note.map(|prompt| format!("looked for: {prompt}\n\n")).unwrap_or_default();
    let text = if text.is_empty() { "(the page has no text)" } else { text };
    let line = fore_text::count(text.lines().count(), "line");
    let shown = fore_text::cut::bytes(text, MAX_SHOWN_BYTES);
    Output::text(format!("{note}{text}"), ShownCall::text(line, shown))
}

/// The start of a long text, and where all of it is.
fn bounded(text: String, context: &ToolContext) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text;
    }
    let kept = context.outputs.new_file().and_then(|mut file| {
        file.write(text.as_bytes())?;
        let path = file.path().to_owned();
        context.outputs.done(file);
        Ok(path)
    });
    let place = match kept {
        Ok(path) => format!("the full text is in {}", path.display()),
        Err(error) => format!("the full text could not be kept: {error}"),
    };
    let start = fore_text::cut::bytes(&text, MAX_TEXT_BYTES);
    format!("{start}\n[{} bytes left out here; {place}]", text.len() - start.len())
}
