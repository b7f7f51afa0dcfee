//! What a tool, a resource or a prompt gives: texts, images and links, within bounds.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use serde_json::Value;

/// Parts of one result; the rest is counted.
const MAX_PARTS: usize = 256;
/// Bytes of all texts of one result. What a model gets of it is its caller's business.
const MAX_TEXT: usize = 8 << 20;
/// Bytes of one image, and of all of a result.
const MAX_IMAGE: usize = 8 << 20;
const MAX_IMAGES: usize = 24 << 20;
const MAX_STRUCTURED: usize = 8 << 20;
/// Of an address or a name.
const MAX_ADDRESS: usize = 2 << 10;

/// One part of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum McpContent {
    /// A text, byte for byte; it is not yet fit for eyes.
    Text(String),
    /// An image.
    Image {
        /// Its type, such as `image/png`.
        mime: String,
        /// Its bytes.
        data: Vec<u8>,
    },
    /// The text of a resource.
    Resource {
        /// Its address.
        uri: String,
        /// Its text, byte for byte.
        text: String,
    },
    /// A resource that can be read.
    Link {
        /// Its address.
        uri: String,
        /// What it is called.
        name: String,
    },
    /// Something that is not handed on: sound, bytes, what is unknown or too much. Says what it was.
    NotShown(String),
}

/// What a tool answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpResult {
    /// Its parts.
    pub content: Vec<McpContent>,
    /// The same for programs, if the tool gave it.
    pub structured: Option<Value>,
    /// The tool says that it failed.
    pub is_error: bool,
}

/// How far a call is, in the server's words.
#[derive(Clone, Debug, PartialEq)]
pub struct McpProgress {
    /// How much is done.
    pub done: f64,
    /// Of how much, if it is known.
    pub total: Option<f64>,
    /// What it is doing; one line, hidden characters are marks.
    pub message: Option<String>,
}

impl McpResult {
    pub(crate) fn read(value: &Value) -> McpResult {
        let mut room = ResultRoom::new();
        let parts = value.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let structured = value.get("structuredContent").filter(|value| !value.is_null());
        let structured = structured.filter(|value| value.to_string().len() <= MAX_STRUCTURED).cloned();
        McpResult {
            content: room.read_all(parts),
            structured,
            is_error: value.get("isError").and_then(Value::as_bool).unwrap_or(false),
        }
    }
}

/// How much more of a result is taken.
pub(crate) struct ResultRoom {
    text: usize,
    images: usize,
}

impl ResultRoom {
    pub(crate) fn new() -> ResultRoom {
        ResultRoom { text: MAX_TEXT, images: MAX_IMAGES }
    }

    pub(crate) fn read_all(&mut self, parts: &[Value]) -> Vec<McpContent> {
        let mut content: Vec<McpContent> = parts.iter().take(MAX_PARTS).map(|part| self.read(part)).collect();
        if let Some(more) = parts.len().checked_sub(MAX_PARTS).filter(|more| *more > 0) {
            content.push(McpContent::NotShown(format!("{more} more parts")));
        }
        content
    }

    /// One part of a result or a message.
    pub(crate) fn read(&mut self, part: &Value) -> McpContent {
        let field = |name: &str| part.get(name).and_then(Value::as_str).unwrap_or_default();
        match field("type") {
            "text" => McpContent::Text(self.text(field("text"))),
            "image" => self.image(field("mimeType"), field("data")),
            "audio" => McpContent::NotShown(format!("sound ({})", name(field("mimeType")))),
            "resource" => part.get("resource").map_or_else(|| unknown("resource"), |resource| self.resource(resource)),
            "resource_link" => McpContent::Link { uri: address(field("uri")), name: name(field("name")) },
            other => unknown(other),
        }
    }

    /// The contents of a resource, part by part.
    pub(crate) fn resources(&mut self, parts: &[Value]) -> Vec<McpContent> {
        parts.iter().take(MAX_PARTS).map(|part| self.resource(part)).collect()
    }

    /// The contents of a resource.
    fn resource(&mut self, resource: &Value) -> McpContent {
        let field = |name: &str| resource.get(name).and_then(Value::as_str);
        let (uri, mime) = (address(field("uri").unwrap_or_default()), field("mimeType").unwrap_or_default());
        match (field("text"), field("blob")) {
            (Some(text), _) => McpContent::Resource { uri, text: self.text(text) },
            (None, Some(blob)) if mime.starts_with("image/") => self.image(mime, blob),
            (None, Some(blob)) => McpContent::NotShown(format!(
                "{} of {uri} ({})",
                fore_text::count(blob.len() * 3 / 4, "byte"),
                name(mime)
            )),
            (None, None) => unknown("resource"),
        }
    }

    fn text(&mut self, text: &str) -> String {
        let (kept, rest) = fore_text::cut::split_bytes(text, self.text);
        self.text -= kept.len();
        if rest.is_empty() { kept.to_owned() } else { format!("{kept}\n[{} more bytes left out]", rest.len()) }
    }

    fn image(&mut self, mime: &str, data: &str) -> McpContent {
        let mime = name(mime);
        if data.len() / 4 * 3 > MAX_IMAGE.min(self.images) {
            return McpContent::NotShown(format!("an image that is too large ({mime})"));
        }
        let data: String = data.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
        match STANDARD.decode(&data).or_else(|_| STANDARD_NO_PAD.decode(&data)) {
            Ok(data) => {
                self.images = self.images.saturating_sub(data.len());
                McpContent::Image { mime, data }
            }
            Err(_) => McpContent::NotShown(format!("an image that cannot be read ({mime})")),
        }
    }
}

fn unknown(kind: &str) -> McpContent {
    McpContent::NotShown(format!("a part of an unknown kind ({})", name(kind)))
}

fn address(text: &str) -> String {
    fore_text::line(fore_text::cut::bytes(text, MAX_ADDRESS)).into_owned()
}

fn name(text: &str) -> String {
    fore_text::line(fore_text::cut::chars(text, 128)).into_owned()
}

impl McpProgress {
    pub(crate) fn new(done: f64, total: Option<f64>, message: Option<&str>) -> McpProgress {
        let message = message.map(crate::fault::shown).filter(|message| !message.is_empty());
        McpProgress { done, total: total.filter(|total| *total > 0.0), message }
    }
}
