//! One message of the conversation. Its content is kept byte for byte; only what recovery needs is looked at.

use fore_plan::ToolName;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::fmt;

/// The tool whose input holds a plan.
const EXIT_TOOL: &str = ToolName::ExitPlanMode.name();
/// How a block for the model alone begins.
const REMINDER: &str = "<system-reminder>";

/// Something said by somebody.
#[derive(Clone, Debug, Serialize)]
pub struct StoredMessage {
    /// Who said it.
    pub speaker: Speaker,
    /// For the model only: a reminder. People are not shown it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub meta: bool,
    /// Set when this message holds the plan, so that a lost plan file is found again without reading every message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanMark>,
    /// Which model spoke, as people call it. Entries of older programs do not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The content blocks, verbatim.
    pub content: Box<RawValue>,
    /// What a person was shown of it, where its content does not say that. Whoever showed it reads it; entries of older
    /// programs do not have it, and no conversation in memory does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown: Option<Box<RawValue>>,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Speaker {
    /// The person.
    Human,
    /// The model.
    Model,
    /// The result of a tool call.
    Tool,
    /// This program.
    Program,
}

/// How a message holds the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanMark {
    /// As the input of the tool that asks for approval.
    ExitInput,
    /// As the first message after the context was cleared.
    FirstMessage,
    /// As a reminder after the history was cut.
    Reference,
}

/// Whether the content of messages is wanted, or only what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptContent {
    Content,
    /// Content is skipped unless the message is marked to hold the plan. Skipped bytes are not checked to be text.
    Marked,
}

/// A message in the line buffer, not copied yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageRef<'line> {
    speaker: Speaker,
    meta: bool,
    pub plan: Option<PlanMark>,
    /// Not read yet: what is no text says nothing, and costs nobody the message.
    model: Option<&'line RawValue>,
    /// None when it was not wanted.
    pub content: Option<&'line RawValue>,
    shown: Option<&'line RawValue>,
}

impl<'de> DeserializeSeed<'de> for KeptContent {
    type Value = MessageRef<'de>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<MessageRef<'de>, D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for KeptContent {
    type Value = MessageRef<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MessageRef<'de>, A::Error> {
        #[derive(Deserialize)]
        #[serde(field_identifier, rename_all = "lowercase")]
        enum MessageField {
            Speaker,
            Meta,
            Plan,
            Model,
            Content,
            Shown,
            #[serde(other)]
            Other,
        }
        let (mut speaker, mut meta, mut plan, mut model, mut content) = (None, false, None, None, None);
        let mut shown = None;
        let mut has_content = false;
        while let Some(field) = map.next_key()? {
            match field {
                MessageField::Speaker => speaker = Some(map.next_value()?),
                MessageField::Meta => meta = map.next_value()?,
                MessageField::Plan if has_content && self == KeptContent::Marked => {
                    return Err(A::Error::custom("the mark comes too late"));
                }
                MessageField::Plan => plan = map.next_value()?,
                MessageField::Model if self == KeptContent::Content => model = Some(map.next_value()?),
                MessageField::Content => {
                    has_content = true;
                    if self == KeptContent::Content || plan.is_some() {
                        content = Some(map.next_value()?);
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                MessageField::Shown if self == KeptContent::Content => shown = Some(map.next_value()?),
                MessageField::Model | MessageField::Shown | MessageField::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        match (speaker, has_content) {
            (Some(speaker), true) => Ok(MessageRef { speaker, meta, plan, model, content, shown }),
            (None, _) => Err(A::Error::missing_field("speaker")),
            (Some(_), false) => Err(A::Error::missing_field("content")),
        }
    }
}

impl StoredMessage {
    /// Marks itself when the model asks for approval in it.
    pub fn new(speaker: Speaker, content: Box<RawValue>) -> StoredMessage {
        let asks = speaker == Speaker::Model && content.get().contains(EXIT_TOOL) && exit_input(&content).is_some();
        StoredMessage {
            speaker,
            meta: false,
            plan: asks.then_some(PlanMark::ExitInput),
            model: None,
            content,
            shown: None,
        }
    }

    /// One block of text.
    pub fn text(speaker: Speaker, text: &str) -> serde_json::Result<StoredMessage> {
        let blocks = serde_json::json!([{ "type": "text", "text": text }]);
        let content = serde_json::value::to_raw_value(&blocks)?;
        Ok(StoredMessage { speaker, meta: false, plan: None, model: None, content, shown: None })
    }

    /// Whether a person said it.
    pub fn is_prompt(&self) -> bool {
        self.speaker == Speaker::Human && !self.meta
    }

    /// The message as a conversation keeps it: the model sees nothing of what was shown. That of a prompt stays, which may be taken back.
    pub(crate) fn for_the_model(self) -> StoredMessage {
        let is_prompt = self.is_prompt();
        StoredMessage { shown: self.shown.filter(|_| is_prompt), ..self }
    }
}

impl MessageRef<'_> {
    /// What a person said, without the reminders that went with it.
    pub(crate) fn prompt(&self) -> Option<String> {
        let content = self.content.filter(|_| self.speaker == Speaker::Human && !self.meta)?;
        if let Ok(text) = serde_json::from_str::<String>(content.get()) {
            return Some(text);
        }
        let texts = blocks(content).into_iter().filter_map(|block| block.text);
        let said: Vec<String> = texts.filter(|text| !text.starts_with(REMINDER)).collect();
        (!said.is_empty()).then(|| said.join("\n"))
    }

    pub(crate) fn to_message(self) -> Option<StoredMessage> {
        let content = self.content?.to_owned();
        let model = self.model.and_then(|model| serde_json::from_str(model.get()).ok());
        let shown = self.shown.map(ToOwned::to_owned);
        Some(StoredMessage { speaker: self.speaker, meta: self.meta, plan: self.plan, model, content, shown })
    }
}

/// The plan that a marked message holds: the plan itself, never the words around it.
pub(crate) fn plan_text(mark: PlanMark, content: &RawValue) -> Option<String> {
    let inside = |find: fn(&str) -> Option<&str>| texts(content).iter().find_map(|text| find(text).map(str::to_owned));
    let text = match mark {
        PlanMark::ExitInput => exit_input(content),
        PlanMark::FirstMessage => inside(fore_plan::approval::plan_in_start),
        PlanMark::Reference => inside(fore_plan::reminder::plan_in_reference),
    };
    text.filter(|text| !text.trim().is_empty())
}

impl PartialEq for StoredMessage {
    fn eq(&self, other: &StoredMessage) -> bool {
        let shown = |message: &StoredMessage| message.shown.as_ref().map(|shown| shown.get().to_owned());
        (self.speaker, self.meta, self.plan, &self.model, self.content.get(), shown(self))
            == (other.speaker, other.meta, other.plan, &other.model, other.content.get(), shown(other))
    }
}

#[derive(Deserialize)]
struct StoredBlock {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    input: Option<serde_json::Value>,
    #[serde(default)]
    arguments: Option<serde_json::Value>,
}

fn blocks(content: &RawValue) -> Vec<StoredBlock> {
    serde_json::from_str(content.get()).unwrap_or_default()
}

/// The plan in the last call of the tool that asks for approval.
fn exit_input(content: &RawValue) -> Option<String> {
    let is_exit = |block: &StoredBlock| block.name.as_deref() == Some(EXIT_TOOL);
    let call = blocks(content).into_iter().rfind(is_exit)?;
    // Wire formats call it `input`; a model's call is kept with arguments that were read (`ok`) or are broken.
    let input = call.input.or_else(|| call.arguments?.get("ok").cloned())?;
    input.get("plan")?.as_str().map(str::to_owned)
}

/// All texts of a message: a string, or the text blocks.
fn texts(content: &RawValue) -> Vec<String> {
    match serde_json::from_str::<String>(content.get()) {
        Ok(text) => vec![text],
        Err(_) => blocks(content).into_iter().filter_map(|block| block.text).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k2_a_request_for_approval_is_marked_with_the_plan_it_holds() {
        let page = [
            (r#"[{"type":"tool_use","name":"ExitPlanMode","input":{"plan":"p"}}]"#, Some("p")),
            (r#"[{"type":"tool_use","name":"ExitPlanMode","arguments":{"ok":{"plan":"p"}}}]"#, Some("p")),
            (r#"[{"type":"tool_use","name":"ExitPlanMode","arguments":{"ok":{}}}]"#, None),
            (r#"[{"type":"tool_use","name":"ExitPlanMode","arguments":{"broken":{"raw":"{"}}}]"#, None),
            (r#"[{"type":"tool_use","name":"Read","arguments":{"ok":{"plan":"p"}}}]"#, None),
        ];
        for (content, plan) in page {
            let content = RawValue::from_string(content.to_owned()).unwrap();
            let message = StoredMessage::new(Speaker::Model, content);
            assert_eq!(message.plan, plan.map(|_| PlanMark::ExitInput), "{}", message.content.get());
            assert_eq!(plan_text(PlanMark::ExitInput, &message.content).as_deref(), plan);
        }
    }
}
