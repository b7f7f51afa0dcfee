//! What a server asks the person: a form or a page to visit. It is a server's question, never an approval.

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

const MAX_MESSAGE: usize = 4 << 10;
const MAX_FIELDS: usize = 32;
const MAX_OPTIONS: usize = 200;
const MAX_LABEL: usize = 200;
const MAX_ADDRESS: usize = 4 << 10;
/// Words that ask for what no form may ask for.
const SECRETS: [&str; 10] = [
    "password",
    "passphrase",
    "passwort",
    "secret",
    "api key",
    "apikey",
    "access token",
    "private key",
    "credential",
    "credit card",
];

/// A server's question.
#[derive(Clone, Debug, PartialEq)]
pub enum Elicitation {
    /// Some values.
    Form {
        /// What for; hidden characters are marks.
        message: String,
        /// Which, in the server's order.
        fields: Vec<FormField>,
    },
    /// A page that the person is to visit; what happens there is between them and the page.
    Url {
        /// What for.
        message: String,
        /// The page: http or https. It is to be shown whole and never opened unasked.
        url: String,
    },
}

/// One value that a form asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct FormField {
    /// Its key in the answer.
    pub name: String,
    /// What it is called for people.
    pub title: String,
    /// What it means.
    pub description: String,
    /// Whether it must be there.
    pub required: bool,
    /// What can be filled in.
    pub kind: FormFieldKind,
    /// What is filled in already.
    pub default: Option<Value>,
}

/// What can be filled in.
#[derive(Clone, Debug, PartialEq)]
pub enum FormFieldKind {
    /// Words.
    Text {
        /// At least so many characters.
        min: Option<u64>,
        /// At most so many.
        max: Option<u64>,
        /// `email`, `uri`, `date` or `date-time`.
        format: Option<String>,
    },
    /// A number.
    Number {
        /// Without a fraction.
        whole: bool,
        /// At least this.
        min: Option<f64>,
        /// At most this.
        max: Option<f64>,
    },
    /// Yes or no.
    Boolean,
    /// One of some values, or some of them.
    Choice {
        /// Value and words for it.
        options: Vec<(String, String)>,
        /// Whether several can be chosen.
        several: bool,
        /// At least so many.
        min: Option<u64>,
        /// At most so many.
        max: Option<u64>,
    },
}

/// What becomes of a server's question.
#[derive(Clone, Debug, PartialEq)]
pub enum ElicitationAnswer {
    /// The person filled it in, or agreed to visit the page; values by the names of the fields.
    Accept(Map<String, Value>),
    /// The person said no.
    Decline,
    /// Nobody saw it, or it was closed.
    Cancel,
}

/// Brings a server's question to the person.
pub trait ElicitationHandler: Send + Sync {
    /// Asks. When the future is dropped nobody waits for the answer any more.
    fn ask(&self, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer>;
}

impl Elicitation {
    /// A form from the server's message and schema, or why it is not shown to anybody.
    pub(crate) fn form(message: &str, schema: &Value) -> Result<Elicitation, String> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let properties = properties.ok_or("its form has no fields")?;
        if properties.len() > MAX_FIELDS {
            return Err(format!("its form has more than {MAX_FIELDS} fields"));
        }
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .map(|list| list.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let field =
            |(name, schema): (&String, &Value)| FormField::read(name, schema, required.contains(&name.as_str()));
        let fields = properties.iter().map(field).collect::<Result<Vec<_>, _>>()?;
        Ok(Elicitation::Form { message: words(message, MAX_MESSAGE), fields })
    }

    pub(crate) fn url(message: &str, url: &str) -> Result<Elicitation, String> {
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        let is_fit = url.len() <= MAX_ADDRESS && !url.chars().any(|letter| fore_text::hidden(letter).is_some());
        if !is_web || !is_fit {
            return Err("the page it names is not a web address".to_owned());
        }
        Ok(Elicitation::Url { message: words(message, MAX_MESSAGE), url: url.to_owned() })
    }

    /// Whether the answer is what the form asks for; otherwise it is not sent.
    pub(crate) fn fits(&self, values: &Map<String, Value>) -> bool {
        let Elicitation::Form { fields, .. } = self else { return values.is_empty() };
        let is_known = values.keys().all(|key| fields.iter().any(|field| field.name == *key));
        let has_all = fields.iter().all(|field| match values.get(&field.name) {
            Some(value) => field.kind.takes(value),
            None => !field.required,
        });
        is_known && has_all
    }
}

impl FormField {
    fn read(name: &str, schema: &Value, required: bool) -> Result<FormField, String> {
        let is_fit =
            !name.is_empty() && name.len() <= 128 && !name.chars().any(|letter| fore_text::hidden(letter).is_some());
        if !is_fit {
            return Err("a field of its form has a name that cannot be shown".to_owned());
        }
        let text = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        let title = if text("title").is_empty() { name } else { text("title") };
        let (title, description) = (words(title, MAX_LABEL), words(text("description"), MAX_MESSAGE));
        if asks_for_secret(&format!("{name} {title} {description}")) {
            return Err(format!("its form asks for a secret ({})", fore_text::line(name)));
        }
        let kind =
            FormFieldKind::read(schema).ok_or_else(|| format!("the field {name} of its form is of an unknown kind"))?;
        let default = schema.get("default").filter(|value| kind.takes(value)).cloned();
        Ok(FormField { name: name.to_owned(), title, description, required, kind, default })
    }
}

impl FormFieldKind {
    fn read(schema: &Value) -> Option<FormFieldKind> {
        let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
        match schema.get("type").and_then(Value::as_str)? {
            "boolean" => Some(FormFieldKind::Boolean),
            kind @ ("number" | "integer") => Some(FormFieldKind::Number {
                whole: kind == "integer",
                min: schema.get("minimum").and_then(Value::as_f64),
                max: schema.get("maximum").and_then(Value::as_f64),
            }),
            "string" => match options(schema)? {
                options if !options.is_empty() => {
                    Some(FormFieldKind::Choice { options, several: false, min: None, max: None })
                }
                _ => Some(FormFieldKind::Text {
                    min: bound("minLength"),
                    max: bound("maxLength"),
                    format: schema.get("format").and_then(Value::as_str).map(|format| words(format, 32)),
                }),
            },
            "array" => {
                let options = options(schema.get("items")?)?;
                let (min, max) = (bound("minItems"), bound("maxItems"));
                (!options.is_empty()).then_some(FormFieldKind::Choice { options, several: true, min, max })
            }
            _ => None,
        }
    }

    fn takes(&self, value: &Value) -> bool {
        match self {
            FormFieldKind::Text { min, max, format: _ } => value.as_str().is_some_and(|text| {
                let length = text.chars().count() as u64;
                min.is_none_or(|min| length >= min) && max.is_none_or(|max| length <= max)
            }),
            FormFieldKind::Number { whole, min, max } => value.as_f64().is_some_and(|number| {
                (!whole || number.fract() == 0.0)
                    && min.is_none_or(|min| number >= min)
                    && max.is_none_or(|max| number <= max)
            }),
            FormFieldKind::Boolean => value.is_boolean(),
            FormFieldKind::Choice { options, several: false, .. } => is_option(options, value),
            FormFieldKind::Choice { options, several: true, min, max } => value.as_array().is_some_and(|chosen| {
                let count = chosen.len() as u64;
                chosen.iter().all(|value| is_option(options, value))
                    && min.is_none_or(|min| count >= min)
                    && max.is_none_or(|max| count <= max)
            }),
        }
    }
}

fn is_option(options: &[(String, String)], value: &Value) -> bool {
    value.as_str().is_some_and(|value| options.iter().any(|(option, _)| option == value))
}

/// The values of `enum` with `enumNames`, or of `oneOf`/`anyOf` with `const` and `title`; empty where there are none.
fn options(schema: &Value) -> Option<Vec<(String, String)>> {
    let list = |name: &str| schema.get(name).and_then(Value::as_array);
    let mut found = Vec::new();
    if let Some(values) = list("enum") {
        let names = list("enumNames");
        for (at, value) in values.iter().enumerate() {
            let value = value.as_str()?;
            let name = names.and_then(|names| names.get(at)).and_then(Value::as_str).unwrap_or(value);
            found.push((value.to_owned(), words(name, MAX_LABEL)));
        }
    } else if let Some(values) = list("oneOf").or_else(|| list("anyOf")) {
        for option in values {
            let value = option.get("const").and_then(Value::as_str)?;
            let name = option.get("title").and_then(Value::as_str).unwrap_or(value);
            found.push((value.to_owned(), words(name, MAX_LABEL)));
        }
    }
    (found.len() <= MAX_OPTIONS).then_some(found)
}

fn words(text: &str, most: usize) -> String {
    fore_text::prose(fore_text::cut::bytes(text, most)).into_owned()
}

/// `api_key`, `apiKey` and `API key` are the same words.
fn asks_for_secret(text: &str) -> bool {
    let mut plain = String::with_capacity(text.len() + 8);
    let mut was_small = false;
    for letter in text.chars() {
        if letter.is_uppercase() && was_small {
            plain.push(' ');
        }
        was_small = letter.is_lowercase();
        plain.extend(if matches!(letter, '_' | '-') { ' ' } else { letter }.to_lowercase());
    }
    SECRETS.iter().any(|word| plain.contains(word))
}
