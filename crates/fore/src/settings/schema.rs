//! The JSON schema of the settings: published for editors, and what a settings file is checked against.

use super::written::WrittenSettings;
use serde_json::{Map, Value};

/// The schema as it is published.
pub(crate) fn schema() -> Value {
    let mut schema = schemars::schema_for!(WrittenSettings).to_value();
    without_null(&mut schema);
    schema
}

/// Every key there is, whole: `plan.unproven`. Providers stand as one, `model.providers.*.baseUrl`.
pub(crate) fn keys() -> Vec<String> {
    Shape::of(&schema()).keys()
}

/// Takes out that a setting may be `null`: what is not set is left out.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|one| one != "null");
                if let [one] = types.as_slice() {
                    let one = one.clone();
                    object.insert("type".into(), one);
                }
            }
            object.iter_mut().filter(|(key, _)| *key != "default").for_each(|(_, inside)| without_null(inside));
        }
        Value::Array(list) => list.iter_mut().for_each(without_null),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// One place in a schema, with references followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<'a> {
    root: &'a Value,
    here: &'a Value,
}

/// What belongs at a place.
#[derive(Clone, Debug)]
pub(super) enum SchemaType<'a> {
    /// Only these keys.
    Group(Vec<(&'a str, Shape<'a>)>),
    /// Names of the person's choice, each with one of these.
    Map {
        values: Shape<'a>,
        names: KeyNames,
    },
    List(Shape<'a>),
    /// One of these words; the second list is understood too, but not offered.
    Word {
        offered: Vec<&'a str>,
        also: Vec<&'a str>,
    },
    Text,
    Switch,
    Number {
        least: i64,
        most: i64,
    },
    /// A number that need not be whole.
    Decimal {
        least: f64,
        most: f64,
    },
    /// An object with anything in it.
    Json,
    /// A text, or a list of texts.
    TextOrTexts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyNames {
    Any,
    /// Letters, digits and `_`, as variables have them.
    Variables,
    /// Lower case letters, digits, `-`, `_` and `.`, and no provider's name.
    Servers,
}

impl<'a> Shape<'a> {
    pub(super) fn of(root: &'a Value) -> Shape<'a> {
        Shape { root, here: root }
    }

    fn at(self, here: &'a Value) -> Shape<'a> {
        let target =
            here.get("$ref").and_then(Value::as_str).and_then(|to| self.root.pointer(to.trim_start_matches('#')));
        Shape { root: self.root, here: target.unwrap_or(here) }
    }

    fn object(self, key: &str) -> Option<&'a Map<String, Value>> {
        self.here.get(key).and_then(Value::as_object)
    }

    /// The keys from here on.
    pub(super) fn keys(self) -> Vec<String> {
        match self.wanted() {
            SchemaType::Group(keys) => keys
                .iter()
                .flat_map(|(key, shape)| match (*key, shape.wanted()) {
                    ("providers", SchemaType::Group(all)) => {
                        all.first().map(|(_, one)| prefixed("providers.*", one.keys())).unwrap_or_default()
                    }
                    _ => prefixed(key, shape.keys()),
                })
                .collect(),
            SchemaType::Map { .. }
            | SchemaType::List(_)
            | SchemaType::Word { .. }
            | SchemaType::Text
            | SchemaType::Switch
            | SchemaType::Number { .. }
            | SchemaType::Decimal { .. }
            | SchemaType::Json
            | SchemaType::TextOrTexts => vec![String::new()],
        }
    }

    pub(super) fn wanted(self) -> SchemaType<'a> {
        if let Some(keys) = self.object("properties") {
            return SchemaType::Group(keys.iter().map(|(key, shape)| (key.as_str(), self.at(shape))).collect());
        }
        if let Some(values) = self.here.get("additionalProperties").filter(|values| values.is_object()) {
            let names = match self.here.pointer("/propertyNames/pattern").and_then(Value::as_str) {
                None => KeyNames::Any,
                Some(super::allowed_values::SERVER_NAMES) => KeyNames::Servers,
                Some(_) => KeyNames::Variables,
            };
            return SchemaType::Map { values: self.at(values), names };
        }
        if let Some(words) = self.here.get("oneOf").and_then(Value::as_array) {
            let is_also = |word: &&Value| word.get("deprecated").is_some();
            let named = |word: &'a Value| word.get("const").and_then(Value::as_str);
            let (also, offered): (Vec<&Value>, Vec<&Value>) = words.iter().partition(is_also);
            let names = |list: Vec<&'a Value>| list.into_iter().filter_map(named).collect();
            return SchemaType::Word { offered: names(offered), also: names(also) };
        }
        if self.here.get("anyOf").is_some() {
            return SchemaType::TextOrTexts;
        }
        let bound = |key: &str| self.here.get(key).and_then(Value::as_i64);
        match (self.here.get("type").and_then(Value::as_str), self.here.get("items")) {
            (Some("array"), Some(items)) => SchemaType::List(self.at(items)),
            (Some("boolean"), _) => SchemaType::Switch,
            (Some("object"), _) => SchemaType::Json,
            (Some("number"), _) => {
                let bound = |key: &str| self.here.get(key).and_then(Value::as_f64);
                SchemaType::Decimal {
                    least: bound("minimum").unwrap_or(0.0),
                    most: bound("maximum").unwrap_or(f64::MAX),
                }
            }
            (Some("integer"), _) => {
                SchemaType::Number { least: bound("minimum").unwrap_or(0), most: bound("maximum").unwrap_or(i64::MAX) }
            }
            _ => SchemaType::Text,
        }
    }
}

fn prefixed(name: &str, keys: Vec<String>) -> Vec<String> {
    keys.into_iter().map(|key| if key.is_empty() { name.to_owned() } else { format!("{name}.{key}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_schema_is_the_one_of_this_program() {
        let published: Value = serde_json::from_str(include_str!("../../../../settings.schema.json")).unwrap();
        assert!(
            published == schema(),
            "settings.schema.json is old: run `fore config --schema > settings.schema.json`"
        );
    }
}
