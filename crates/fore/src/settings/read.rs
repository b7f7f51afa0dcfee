//! Reads one text of settings: JSON with comments, checked against the schema, with the place of everything. Never touches the disk.

use super::{
    entry::{Fate, ProblemWeight, SettingEntry, SettingOrigin, SettingsProblem, SettingsSource},
    schema::{KeyNames, SchemaType, Shape},
};
use fore_text::cut;
use fore_text::spelling::nearest;
use jsonc_parser::{
    CollectOptions, ParseOptions,
    ast::{Object, Value as Node},
    common::Ranged,
    parse_to_ast,
};
use serde_json::Value;
use std::borrow::Cow;

/// What a value means beyond its type: says what is wrong with it.
pub(super) type ValueCheck<'a> = &'a dyn Fn(&[String], &Value) -> Result<(), String>;

/// Longest text of the person's that an error repeats.
const MAX_REPEATED_LETTERS: usize = 40;

pub(super) const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// All values of a text, and everything that is wrong in it.
pub(super) fn read(
    text: &str,
    source: &SettingsSource,
    schema: &Value,
    sense: ValueCheck<'_>,
) -> (Vec<SettingEntry>, Vec<SettingsProblem>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader =
        SettingsTextReader { text, source, shape: Shape::of(schema), sense, entries: Vec::new(), problems: Vec::new() };
    match parse_to_ast(text, &CollectOptions::default(), &OPTIONS) {
        Ok(parsed) => match &parsed.value {
            // An empty file says nothing.
            None => {}
            Some(Node::Object(object)) => reader.walk_top(object),
            Some(other) => reader.wrong(other.start(), format!("the settings must be an object, not {}", kind(other))),
        },
        Err(error) => {
            reader.wrong(error.range().start, format!("this is not JSON: {}", lower(&error.kind().to_string())))
        }
    }
    (reader.entries, reader.problems)
}

struct SettingsTextReader<'a> {
    text: &'a str,
    source: &'a SettingsSource,
    shape: Shape<'a>,
    sense: ValueCheck<'a>,
    entries: Vec<SettingEntry>,
    problems: Vec<SettingsProblem>,
}

impl<'a> SettingsTextReader<'a> {
    fn walk_top(&mut self, object: &Object<'_>) {
        let shape = self.shape;
        if let SchemaType::Group(keys) = shape.wanted() {
            self.group(object, &keys, &[]);
        }
    }

    fn walk(&mut self, node: &Node<'_>, shape: Shape<'a>, path: &[String]) {
        match (shape.wanted(), node) {
            (SchemaType::Group(keys), Node::Object(object)) => self.group(object, &keys, path),
            (SchemaType::Map { values, names }, Node::Object(object)) => self.map(object, values, names, path),
            (SchemaType::List(items), Node::Array(array)) => {
                array.elements.iter().for_each(|item| self.walk(item, items, path));
            }
            (wanted, node) => match fits(&wanted, node) {
                Ok(value) => self.value(node.start(), path, value),
                Err(why) => self.wrong(node.start(), format!("`{}` {why}", shown(&path.join(".")))),
            },
        }
    }

    fn group(&mut self, object: &Object<'_>, keys: &[(&'a str, Shape<'a>)], path: &[String]) {
        self.duplicates(object, path);
        for property in &object.properties {
            let name = property.name.as_str();
            let inside: Vec<String> = path.iter().cloned().chain([name.to_owned()]).collect();
            match keys.iter().find(|(key, _)| *key == name) {
                Some((_, shape)) => self.walk(&property.value, *shape, &inside),
                None => {
                    let near = self.near(name, keys, path);
                    let what = format!("unknown key `{}`{near}", shown(&inside.join(".")));
                    self.problem(property.start(), what, ProblemWeight::UnknownKey);
                }
            }
        }
    }

    fn map(&mut self, object: &Object<'_>, values: Shape<'a>, names: KeyNames, path: &[String]) {
        self.duplicates(object, path);
        for property in &object.properties {
            let name = property.name.as_str();
            let inside: Vec<String> = path.iter().cloned().chain([name.to_owned()]).collect();
            if names == KeyNames::Servers && !is_server_name(name) {
                let what = if fore_model::provider(name).is_some() {
                    format!("`{name}` is a provider's name; set it in `model.providers.{name}`")
                } else {
                    format!(
                        "`{}` is not a name for a server: lower case letters, digits, `-`, `_` and `.`",
                        shown(name)
                    )
                };
                self.wrong(property.start(), what);
            } else if names == KeyNames::Variables && !is_variable(name) {
                let what = format!("`{}` is not a name of a variable: letters, digits and `_`", shown(name));
                self.wrong(property.start(), what);
            } else {
                self.walk(&property.value, values, &inside);
            }
        }
    }

    fn value(&mut self, start: usize, path: &[String], value: Value) {
        match (self.sense)(path, &value) {
            Ok(()) => {
                let (line, column) = self.place(start);
                let origin = SettingOrigin::Written { source: self.source.clone(), line, column };
                self.entries.push(SettingEntry { path: path.to_vec(), value, origin, fate: Fate::Taken });
            }
            Err(why) => self.wrong(start, format!("`{}`: {why}", shown(&path.join(".")))),
        }
    }

    fn duplicates(&mut self, object: &Object<'_>, path: &[String]) {
        let mut seen = std::collections::BTreeMap::new();
        for property in &object.properties {
            let name = property.name.as_str().to_owned();
            if let Some(first) = seen.get(&name) {
                let key = path.iter().cloned().chain([name]).collect::<Vec<_>>().join(".");
                let (line, _) = self.place(*first);
                self.wrong(
                    property.start(),
                    format!("`{}` is there twice; the first one is in line {line}", shown(&key)),
                );
            } else {
                seen.insert(name, property.start());
            }
        }
    }

    /// The nearest name in the same group; else the place where a key of exactly this name belongs.
    fn near(&self, name: &str, keys: &[(&str, Shape<'_>)], path: &[String]) -> String {
        let full = |name: &str| path.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join(".");
        let near = near_one(name, keys.iter().map(|(key, _)| *key));
        let elsewhere = || self.shape.keys().into_iter().find(|key| key.rsplit('.').next() == Some(name));
        match near.map(|near| full(&near)).or_else(elsewhere) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => {
                let mut names: Vec<String> = keys.iter().map(|(key, _)| format!("`{key}`")).collect();
                names.sort();
                format!("; the keys here are {}", names.join(", "))
            }
        }
    }

    fn wrong(&mut self, start: usize, what: String) {
        self.problem(start, what, ProblemWeight::Wrong);
    }

    fn problem(&mut self, start: usize, what: String, weight: ProblemWeight) {
        let place = Some(self.place(start));
        self.problems.push(SettingsProblem { source: self.source.clone(), place, what, weight });
    }

    /// Line and column of a byte, counted from 1; a column is a character.
    fn place(&self, start: usize) -> (usize, usize) {
        let before = self.text.get(..start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        (before.matches('\n').count() + 1, before.get(line_start..).unwrap_or_default().chars().count() + 1)
    }
}

/// The value of a node if it is what belongs there, else the words for why not.
fn fits(wanted: &SchemaType<'_>, node: &Node<'_>) -> Result<Value, String> {
    let not = |should: &str| Err(format!("must be {should}, not {}", kind(node)));
    match (wanted, node) {
        (SchemaType::Text | SchemaType::TextOrTexts, Node::StringLit(text)) => Ok(Value::from(text.value.as_ref())),
        (SchemaType::TextOrTexts, Node::Array(array)) => {
            let texts: Option<Vec<&str>> =
                array.elements.iter().map(|item| Some(item.as_string_lit()?.value.as_ref())).collect();
            texts.map_or_else(|| Err("must be a text or a list of texts".into()), |texts| Ok(Value::from(texts)))
        }
        (SchemaType::Switch, Node::BooleanLit(switch)) => Ok(Value::from(switch.value)),
        (SchemaType::Word { offered, also }, Node::StringLit(word)) => {
            let word = word.value.as_ref();
            if let Some(known) = offered.iter().chain(also).find(|known| known.eq_ignore_ascii_case(word)) {
                return Ok(Value::from(*known));
            }
            let near = near_one(word, offered.iter().copied());
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            Err(format!("must be {}, not `{}`{near}", list(offered), shown(word)))
        }
        (SchemaType::Number { least, most }, Node::NumberLit(number)) => match number.value.parse::<i64>() {
            Ok(number) if (*least..=*most).contains(&number) => Ok(Value::from(number)),
            _ => Err(format!("must be a whole number from {least} to {most}, not {}", shown(number.value))),
        },
        (SchemaType::Decimal { least, most }, Node::NumberLit(number)) => match number.value.parse::<f64>() {
            Ok(number) if (*least..=*most).contains(&number) => Ok(Value::from(number)),
            _ => Err(format!("must be a number from {least} to {most}, not {}", shown(number.value))),
        },
        (SchemaType::Json, Node::Object(_)) => json(node, 0),
        (SchemaType::Decimal { least, most }, _) => not(&format!("a number from {least} to {most}")),
        (SchemaType::Group(_) | SchemaType::Map { .. } | SchemaType::Json, _) => not("an object"),
        (SchemaType::List(_), _) => not("a list"),
        (SchemaType::Text, _) => not("a text"),
        (SchemaType::TextOrTexts, _) => not("a text or a list of texts"),
        (SchemaType::Switch, _) => not("true or false"),
        (SchemaType::Word { offered, .. }, _) => not(&list(offered)),
        (SchemaType::Number { least, most }, _) => not(&format!("a whole number from {least} to {most}")),
    }
}

/// One or two letters are like anything.
fn near_one<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let word = cut::chars(word, MAX_REPEATED_LETTERS);
    if word.chars().count() < 3 { None } else { nearest(word, names, 1).into_iter().next() }
}

fn list(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [first, last] => format!("{first} or {last}"),
        words => format!("one of {}", words.join(", ")),
    }
}

fn kind(node: &Node<'_>) -> &'static str {
    match node {
        Node::StringLit(_) => "a text",
        Node::NumberLit(_) => "a number",
        Node::BooleanLit(_) => "true or false",
        Node::Object(_) => "an object",
        Node::Array(_) => "a list",
        Node::NullKeyword(_) => "null; leave the key out instead",
    }
}

/// How deep a value of the person's own may go.
const MAX_DEPTH: usize = 32;

/// A value as it is written, whatever it is.
fn json(node: &Node<'_>, depth: usize) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err(format!("goes deeper than {MAX_DEPTH} levels"));
    }
    Ok(match node {
        Node::StringLit(text) => Value::from(text.value.as_ref()),
        Node::NumberLit(number) => serde_json::from_str(number.value)
            .map_err(|_| format!("holds {}, which is not a number", shown(number.value)))?,
        Node::BooleanLit(switch) => Value::from(switch.value),
        Node::NullKeyword(_) => Value::Null,
        Node::Array(array) => {
            Value::Array(array.elements.iter().map(|item| json(item, depth + 1)).collect::<Result<_, _>>()?)
        }
        Node::Object(object) => {
            let pair = |property: &jsonc_parser::ast::ObjectProp<'_>| {
                Ok((property.name.as_str().to_owned(), json(&property.value, depth + 1)?))
            };
            Value::Object(object.properties.iter().map(pair).collect::<Result<_, String>>()?)
        }
    })
}

fn is_server_name(name: &str) -> bool {
    let letter = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-_.".contains(letter);
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(letter)
        && name.len() <= 64
        && name != "scout"
        && fore_model::provider(name).is_none()
}

pub(super) fn is_variable(name: &str) -> bool {
    let letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.is_empty() && name.chars().all(letter) && !name.starts_with(|first: char| first.is_ascii_digit())
}

fn shown(text: &str) -> Cow<'_, str> {
    cut::ellipsis(text, MAX_REPEATED_LETTERS)
}

fn lower(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
