//! The input of a call as a type: the schema that the model gets and the reading of what it sent both come from it.
//!
//! Some models write numbers and choices as text, and null for nothing; that is read. Nothing else is guessed.

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde::{
    Deserializer,
    de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor},
    forward_to_deserialize_any,
};
use serde_json::{Map, Value};
use std::fmt;

/// Other names of a field, by which other agents call it.
pub(crate) type FieldAlias = (&'static str, &'static [&'static str]);

/// The order of words in a schema, as one would write them.
const SCHEMA_WORDS: [&str; 11] = [
    "type",
    "enum",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "properties",
    "items",
    "required",
    "additionalProperties",
    "description",
];

/// The JSON Schema of an input, with nothing in it that a model does not need.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = plain(settings.into_generator().into_root_schema_for::<T>().to_value());
    if let Some(words) = schema.as_object_mut() {
        // What the type is for is not what the tool is for.
        words.remove("description");
    }
    schema
}

/// Without names, defaults and widths of numbers, and without null: what is not said is left out.
fn plain(schema: Value) -> Value {
    let Value::Object(mut words) = schema else { return schema };
    if let Some(Value::Array(types)) = words.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [kind] = types.as_slice() {
            let kind = kind.clone();
            words.insert("type".into(), kind);
        }
    }
    if let Some(Value::Array(values)) = words.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let mut tidy = Map::new();
    for word in SCHEMA_WORDS {
        let Some(value) = words.remove(word) else {
            if word == "properties" && tidy.get("type").is_some_and(|kind| kind == "object") {
                tidy.insert(word.into(), Value::Object(Map::new()));
            }
            continue;
        };
        let value = match (word, value) {
            ("properties", Value::Object(fields)) => {
                Value::Object(fields.into_iter().map(|(name, field)| (name, plain(field))).collect())
            }
            ("items", items) => plain(items),
            (_, value) => value,
        };
        tidy.insert(word.into(), value);
    }
    Value::Object(tidy)
}

/// For a word out of a few: that it is a string is plain from these.
pub(crate) fn without_type(schema: &mut Schema) {
    schema.remove("type");
}

/// For a type that refuses further fields, where its tool never said so to the model.
pub(crate) fn without_closing(schema: &mut Schema) {
    schema.remove("additionalProperties");
}

/// What a call says. The error is for the model: which field is wrong, and what would be right.
pub(crate) fn read<T: DeserializeOwned>(input: &Value, aliases: &[FieldAlias]) -> Result<T, UnreadableInput> {
    T::deserialize(InputValue { value: input, aliases, missing: &[], unread: &[] })
}

/// What can be read of a call, whether it works or not, for the line that people see. `unsaid` stands for what is missing.
pub(crate) fn readable<T: DeserializeOwned>(input: &Value, aliases: &[FieldAlias], unsaid: &str) -> Option<T> {
    let (mut missing, mut unread): (Vec<(String, Value)>, Vec<String>) = Default::default();
    loop {
        match T::deserialize(InputValue { value: input, aliases, missing: &missing, unread: &unread }) {
            Ok(read) => return Some(read),
            Err(UnreadableInput::Missing(name)) if missing.iter().all(|(known, _)| *known != name) => {
                missing.push((name, unsaid.into()));
            }
            Err(UnreadableInput::Field { name, .. }) if !unread.contains(&name) => unread.push(name),
            Err(_) => return None,
        }
    }
}

/// Why an input cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnreadableInput {
    /// What is wrong with a value, as the end of a sentence.
    Value(String),
    /// A word that is none of those that there are.
    Word {
        word: String,
        known: String,
    },
    /// A field that has to be there.
    Missing(String),
    Field {
        name: String,
        sentence: String,
    },
    Item {
        number: usize,
        why: Box<UnreadableInput>,
    },
}

impl UnreadableInput {
    fn of_value(what: impl Into<String>) -> UnreadableInput {
        UnreadableInput::Value(what.into())
    }

    fn in_field(self, name: &str) -> UnreadableInput {
        let sentence = match self {
            UnreadableInput::Value(what) => format!("`{name}` {what}"),
            UnreadableInput::Word { word, known } => format!("{name} `{word}` is not known; it is {known}."),
            UnreadableInput::Item { number, why } => match *why {
                UnreadableInput::Value(what) => format!("item {number} of `{name}` {what}"),
                why @ (UnreadableInput::Word { .. }
                | UnreadableInput::Missing(_)
                | UnreadableInput::Field { .. }
                | UnreadableInput::Item { .. }) => format!("item {number} of `{name}`: {why}"),
            },
            why @ (UnreadableInput::Missing(_) | UnreadableInput::Field { .. }) => format!("`{name}`: {why}"),
        };
        UnreadableInput::Field { name: name.to_owned(), sentence }
    }
}

impl fmt::Display for UnreadableInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnreadableInput::Value(what) => write!(f, "the input {what}"),
            UnreadableInput::Word { word, known } => write!(f, "`{word}` is not known; it is {known}."),
            UnreadableInput::Missing(name) => write!(f, "`{name}` is missing."),
            UnreadableInput::Field { sentence, .. } => f.write_str(sentence),
            UnreadableInput::Item { number, why } => write!(f, "item {number}: {why}"),
        }
    }
}

impl std::error::Error for UnreadableInput {}

impl de::Error for UnreadableInput {
    fn custom<T: fmt::Display>(why: T) -> UnreadableInput {
        UnreadableInput::of_value(format!("cannot be read: {why}."))
    }

    fn missing_field(name: &'static str) -> UnreadableInput {
        UnreadableInput::Missing(name.to_owned())
    }

    fn unknown_variant(word: &str, known: &'static [&'static str]) -> UnreadableInput {
        let known = match known {
            [] => "nothing".to_owned(),
            [one] => (*one).to_owned(),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
        };
        UnreadableInput::Word { word: word.chars().take(40).collect(), known }
    }

    fn unknown_field(name: &str, _known: &'static [&'static str]) -> UnreadableInput {
        let name: String = name.chars().take(40).collect();
        UnreadableInput::Field { sentence: format!("`{name}` is not known here."), name }
    }
}

/// A value of a call while it is read.
#[derive(Clone, Copy)]
struct InputValue<'a> {
    value: &'a Value,
    /// For the fields of an object, as all that follows.
    aliases: &'a [FieldAlias],
    /// What is read for fields that are not there.
    missing: &'a [(String, Value)],
    /// Fields that are passed over.
    unread: &'a [String],
}

impl<'a> InputValue<'a> {
    fn inner(value: &'a Value) -> InputValue<'a> {
        InputValue { value, aliases: &[], missing: &[], unread: &[] }
    }

    /// The fields that say something. A field that goes by another name has its own here.
    fn fields(self, object: &'a Map<String, Value>) -> Vec<(&'a str, &'a Value)> {
        let is_alias = |name: &str| self.aliases.iter().any(|(_, others)| others.contains(&name));
        let said = object.iter().filter(|(name, value)| !value.is_null() && !is_alias(name));
        let mut fields: Vec<(&str, &Value)> = said.map(|(name, value)| (name.as_str(), value)).collect();
        for (name, others) in self.aliases {
            let is_text = fields.iter().any(|(given, value)| given == name && value.is_string());
            let other = others.iter().find_map(|other| object.get(*other).filter(|value| value.is_string()));
            if let (false, Some(value)) = (is_text, other) {
                fields.retain(|(given, _)| given != name);
                fields.push((name, value));
            }
        }
        fields.retain(|(name, _)| !self.unread.iter().any(|unread| unread == name));
        fields.extend(self.missing.iter().map(|(name, value)| (name.as_str(), value)));
        fields
    }
}

impl<'de> Deserializer<'de> for InputValue<'_> {
    type Error = UnreadableInput;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableInput> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), _, _) => visitor.visit_u64(number),
                (None, Some(number), _) => visitor.visit_i64(number),
                (None, None, number) => visitor.visit_f64(number.unwrap_or_default()),
            },
            Value::String(text) => visitor.visit_str(text),
            Value::Array(_) => self.deserialize_seq(visitor),
            Value::Object(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableInput> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableInput> {
        match self.value {
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::String(text) if text == "true" => visitor.visit_bool(true),
            Value::String(text) if text == "false" => visitor.visit_bool(false),
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
                Err(UnreadableInput::of_value("has to be true or false."))
            }
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableInput> {
        let number = match self.value.as_str() {
            Some(text) => text.trim().parse().ok(),
            None => self.value.as_u64(),
        };
        let wrong = || UnreadableInput::of_value("has to be a whole number, 0 or more.");
        visitor.visit_u64(number.ok_or_else(wrong)?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableInput> {
        let Some(text) = self.value.as_str() else { return Err(UnreadableInput::of_value("has to be a string.")) };
        visitor.visit_str(text)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableInput> {
        self.deserialize_str(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, UnreadableInput> {
        let Some(word) = self.value.as_str() else { return Err(UnreadableInput::of_value("has to be a string.")) };
        visitor.visit_enum(word.trim().into_deserializer())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableInput> {
        let Some(items) = self.value.as_array() else { return Err(UnreadableInput::of_value("has to be a list.")) };
        visitor.visit_seq(InputItems { items, number: 0 })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableInput> {
        let Some(object) = self.value.as_object() else {
            return Err(UnreadableInput::of_value("has to be an object."));
        };
        visitor.visit_map(InputFields { fields: self.fields(object).into_iter(), next: None })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, UnreadableInput> {
        self.deserialize_map(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableInput> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u128 f32 f64 char bytes byte_buf unit unit_struct newtype_struct tuple tuple_struct
        identifier
    }
}

/// The items of a list, counted from 1.
struct InputItems<'a> {
    items: &'a [Value],
    number: usize,
}

impl<'de> SeqAccess<'de> for InputItems<'_> {
    type Error = UnreadableInput;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, UnreadableInput> {
        let Some(item) = self.items.get(self.number) else { return Ok(None) };
        self.number += 1;
        let wrong = |why| UnreadableInput::Item { number: self.number, why: Box::new(why) };
        seed.deserialize(InputValue::inner(item)).map(Some).map_err(wrong)
    }
}

/// The fields of an object, one after the other.
struct InputFields<'a> {
    fields: std::vec::IntoIter<(&'a str, &'a Value)>,
    next: Option<(&'a str, &'a Value)>,
}

impl<'de> MapAccess<'de> for InputFields<'_> {
    type Error = UnreadableInput;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, UnreadableInput> {
        self.next = self.fields.next();
        self.next.map(|(name, _)| seed.deserialize(name.into_deserializer())).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, UnreadableInput> {
        let Some((name, value)) = self.next.take() else { return Err(de::Error::custom("a value without a name")) };
        seed.deserialize(InputValue::inner(value)).map_err(|why| why.in_field(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    /// What this type is for is not told.
    #[derive(Debug, Default, PartialEq, Deserialize, JsonSchema)]
    #[schemars(deny_unknown_fields)]
    struct EveryKind {
        text: String,
        /// How many
        #[schemars(range(min = 1))]
        number: Option<usize>,
        choice: Option<bool>,
        word: Option<Word>,
        #[serde(default)]
        list: Vec<Inner>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Inner {
        text: String,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Word {
        One,
        AndTwo,
    }

    fn text(input: Value) -> Result<EveryKind, String> {
        read(&input, &[("text", &["words"])]).map_err(|why| why.to_string())
    }

    #[test]
    fn a_schema_says_what_is_read_and_nothing_else() {
        let expected = r#"{"type":"object","properties":{"text":{"type":"string"},"number":{"type":"integer","minimum":1,"description":"How many"},"choice":{"type":"boolean"},"word":{"type":"string","enum":["one","and_two"]},"list":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}},"required":["text"],"additionalProperties":false}"#;
        assert_eq!(schema::<EveryKind>().to_string(), expected);
    }

    #[test]
    fn numbers_and_choices_are_taken_as_text_too_and_nothing_else_is_guessed() {
        let whole = EveryKind { text: "a".into(), number: Some(4), choice: Some(false), ..EveryKind::default() };
        assert_eq!(text(json!({"text": "a", "number": " 4", "choice": "false", "word": null, "more": 1})), Ok(whole));
        let page = [
            (json!({}), "`text` is missing."),
            (json!({"text": null}), "`text` is missing."),
            (json!({"text": 1}), "`text` has to be a string."),
            (json!({"text": "", "number": -1}), "`number` has to be a whole number, 0 or more."),
            (json!({"text": "", "number": 1.5}), "`number` has to be a whole number, 0 or more."),
            (json!({"text": "", "number": "x"}), "`number` has to be a whole number, 0 or more."),
            (json!({"text": "", "choice": 1}), "`choice` has to be true or false."),
            (json!({"text": "", "word": "three"}), "word `three` is not known; it is one or and_two."),
            (json!({"text": "", "word": 1}), "`word` has to be a string."),
            (json!({"text": "", "list": "x"}), "`list` has to be a list."),
            (json!({"text": "", "list": [{"text": ""}, 2]}), "item 2 of `list` has to be an object."),
            (json!({"text": "", "list": [{}]}), "item 1 of `list`: `text` is missing."),
            (json!([]), "the input has to be an object."),
        ];
        for (input, why) in page {
            assert_eq!(text(input), Err(why.to_owned()));
        }
    }

    #[test]
    fn a_field_may_go_by_another_name() {
        let called = |input: Value| text(input).map(|read| read.text);
        assert_eq!(called(json!({"words": "b"})), Ok("b".into()));
        assert_eq!(called(json!({"text": "a", "words": "b"})), Ok("a".into()));
        assert_eq!(called(json!({"words": 1})), Err("`text` is missing.".into()));
    }

    #[test]
    fn of_a_call_that_is_wrong_people_see_what_can_be_read() {
        let read: EveryKind = readable(&json!({"number": "x", "choice": true}), &[], "?").unwrap();
        assert_eq!(read, EveryKind { text: "?".into(), choice: Some(true), ..EveryKind::default() });
        assert_eq!(readable::<EveryKind>(&json!("x"), &[], "?"), None);
    }
}
