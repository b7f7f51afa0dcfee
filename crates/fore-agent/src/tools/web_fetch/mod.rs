//! Fetches one page from the host that the permit names, and from no other. It sends nothing but the address.

mod cache;
mod get;
mod page;
mod place;
#[cfg(test)]
mod tests;

use super::{Hands, Tool, fields};
use crate::{event::Shown, output::Output};
use cache::Cache;
use fore_plan::gate::{Action, Presented};
use get::Got;
use place::Host;
use serde_json::{Value, json};
use std::time::Instant;

/// Text that the model gets.
const MOST_TEXT_BYTES: usize = 60_000;
const MOST_SHOWN_BYTES: usize = 4_000;
const MOST_PROMPT_LETTERS: usize = 500;
const MOST_LINE_LETTERS: usize = 160;

/// The tool `WebFetch`.
#[derive(Debug, Default)]
pub(crate) struct WebFetch {
    pages: Cache,
}

impl Tool for WebFetch {
    fn name(&self) -> &'static str {
        "WebFetch"
    }

    fn description(&self) -> &'static str {
        include_str!("web_fetch.md").trim_ascii_end()
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "url": { "type": "string", "description": "A whole http or https address" },
                "prompt": { "type": "string", "description": "What you look for" },
            },
            "required": ["url"],
            "additionalProperties": false,
        })
    }

    fn line(&self, input: &Value) -> String {
        let url = input.get("url").and_then(Value::as_str).unwrap_or_default();
        url.chars().take(MOST_LINE_LETTERS).collect()
    }

    fn run(&self, permit: Presented, input: &Value, hands: &Hands) -> Output {
        let host = match permit.action() {
            Action::Fetch { host: Some(host) } => Host::new(host).map(|host| host.permitted(&permit)),
            _ => None,
        };
        let Some(host) = host else {
            return Output::error("the permit of this call is not for a page");
        };
        let read = || Ok::<_, String>((fields::required(input, "url")?, fields::text(input, "prompt")?));
        let fetched = read().and_then(|(url, prompt)| Ok((prompt, self.fetch(url, &host, hands)?)));
        match fetched {
            Ok((prompt, text)) => told(prompt, &text),
            Err(why) => Output::error(why),
        }
    }
}

impl WebFetch {
    /// The page as the model reads it.
    fn fetch(&self, asked: &str, host: &Host, hands: &Hands) -> Result<String, String> {
        let url = get::address(asked, host)?;
        if let Some(text) = self.pages.get(url.as_str(), Instant::now()) {
            return Ok(text);
        }
        let got = hands.runtime.block_on(async {
            tokio::select! {
                got = tokio::time::timeout(get::WHOLE_TIME, get::get(url.clone(), host, &hands.cages)) => {
                    got.unwrap_or_else(|_| Err(format!("{url} took longer than {} s", get::WHOLE_TIME.as_secs())))
                }
                () = hands.cancel.cancelled() => Err("interrupted".to_owned()),
            }
        })?;
        let text = match got {
            Got::Moved { to } => {
                return Ok(format!("{url} moved to {to}, which is another host; call again with that address"));
            }
            Got::Page { url: last, content_type, body, is_cut } => {
                let (text, is_shortened) = page::text(content_type.as_deref(), &body, &hands.cancel)
                    .map_err(|why| format!("{last} is not shown: {why}"))?;
                let note = if is_cut || is_shortened { "\n[the page goes on; the rest was not read]" } else { "" };
                let from = if last == url { String::new() } else { format!("(from {last})\n\n") };
                bounded(format!("{from}{text}{note}"), hands)
            }
        };
        self.pages.keep(url.as_str(), Instant::now(), &text);
        Ok(text)
    }
}

fn told(prompt: Option<&str>, text: &str) -> Output {
    let note = prompt.map(str::trim).filter(|prompt| !prompt.is_empty());
    let note = note.map(|prompt| prompt.chars().take(MOST_PROMPT_LETTERS).collect::<String>());
    let note = note.map(|prompt| format!("looked for: {prompt}\n\n")).unwrap_or_default();
    let text = if text.is_empty() { "(the page has no text)" } else { text };
    let lines = text.lines().count();
    let line = format!("{lines} {}", if lines == 1 { "line" } else { "lines" });
    let shown = text.get(..text.floor_char_boundary(MOST_SHOWN_BYTES)).unwrap_or_default();
    Output::text(format!("{note}{text}"), Shown::text(line, shown))
}

/// The start of a long text, and where all of it is.
fn bounded(text: String, hands: &Hands) -> String {
    if text.len() <= MOST_TEXT_BYTES {
        return text;
    }
    let kept = hands.outputs.new_file().and_then(|mut file| {
        file.write(text.as_bytes())?;
        let path = file.path().to_owned();
        hands.outputs.done(file);
        Ok(path)
    });
    let place = match kept {
        Ok(path) => format!("the full text is in {}", path.display()),
        Err(error) => format!("the full text could not be kept: {error}"),
    };
    let start = text.get(..text.floor_char_boundary(MOST_TEXT_BYTES)).unwrap_or_default();
    format!("{start}\n[{} bytes left out here; {place}]", text.len() - start.len())
}
