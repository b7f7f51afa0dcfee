//! Values of a request together with where they stand in it, and the small path language that names such places.

use serde_json::Value;

/// A JSON value and its path, for example `$.messages[2].content`.
#[derive(Debug, Clone)]
pub(crate) struct JsonPlace<'a> {
    pub(crate) value: &'a Value,
    pub(crate) path: String,
}

impl<'a> JsonPlace<'a> {
    pub(crate) fn root(value: &'a Value) -> JsonPlace<'a> {
        JsonPlace { value, path: "$".to_owned() }
    }

    /// The member with this name, unless it is missing or null.
    pub(crate) fn get(&self, name: &str) -> Option<JsonPlace<'a>> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(JsonPlace { value, path: format!("{}.{name}", self.path) })
    }

    /// The text of the member with this name.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.value.get(name)?.as_str()
    }

    /// The elements of an array; nothing for any other value.
    pub(crate) fn items(&self) -> Vec<JsonPlace<'a>> {
        let array = self.value.as_array().map(Vec::as_slice).unwrap_or_default();
        let element = |(index, value)| JsonPlace { value, path: format!("{}[{index}]", self.path) };
        array.iter().enumerate().map(element).collect()
    }

    /// The members of an object; nothing for any other value.
    pub(crate) fn members(&self) -> Vec<(&'a str, JsonPlace<'a>)> {
        let Some(object) = self.value.as_object() else { return Vec::new() };
        let member = |(name, value): (&'a String, &'a Value)| {
            (name.as_str(), JsonPlace { value, path: format!("{}.{name}", self.path) })
        };
        object.iter().map(member).collect()
    }

    /// The value, shortened for a report.
    pub(crate) fn shown(&self) -> String {
        shorten(&self.value.to_string())
    }
}

/// Text cut to what a reader of a report can take in.
pub(crate) fn shorten(text: &str) -> String {
    const MAX_SHOWN: usize = 300;
    let kept = fore_text::cut::chars(text, MAX_SHOWN);
    if kept.len() < text.len() { format!("{kept}… ({} bytes)", text.len()) } else { text.to_owned() }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum JsonStep {
    Member(String),
    Element(usize),
    FromEnd(usize),
    Every,
}

/// All values at a path such as `$.messages[-1].content[*].text`; the error says what is wrong with the path.
pub(crate) fn find<'a>(root: &'a Value, path: &str) -> Result<Vec<&'a Value>, String> {
    let mut found = vec![root];
    for step in parse(path)? {
        found = found.into_iter().flat_map(|value| follow(value, &step)).collect();
    }
    Ok(found)
}

fn follow<'a>(value: &'a Value, step: &JsonStep) -> Vec<&'a Value> {
    match step {
        JsonStep::Member(name) => value.get(name).into_iter().collect(),
        JsonStep::Element(index) => value.get(index).into_iter().collect(),
        JsonStep::FromEnd(back) => value
            .as_array()
            .and_then(|array| array.len().checked_sub(*back).and_then(|index| array.get(index)))
            .into_iter()
            .collect(),
        JsonStep::Every => match value {
            Value::Array(array) => array.iter().collect(),
            Value::Object(object) => object.values().collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        },
    }
}

fn parse(path: &str) -> Result<Vec<JsonStep>, String> {
    let wrong = |why: &str| format!("{why} in the path `{path}` (write for example $.messages[-1].content[*].text)");
    let mut rest = path.strip_prefix('$').ok_or_else(|| wrong("no $ at the start"))?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (name, tail) = after.split_at(end);
            if name.is_empty() {
                return Err(wrong("an empty name"));
            }
            steps.push(JsonStep::Member(name.to_owned()));
            rest = tail;
        } else if let Some((inside, tail)) = rest.strip_prefix('[').and_then(|after| after.split_once(']')) {
            let step = match (inside, inside.strip_prefix('-')) {
                ("*", _) => Some(JsonStep::Every),
                (_, Some(back)) => back.parse().ok().filter(|back| *back > 0).map(JsonStep::FromEnd),
                (index, None) => index.parse().ok().map(JsonStep::Element),
            };
            steps.push(step.ok_or_else(|| wrong("a bad index"))?);
            rest = tail;
        } else {
            return Err(wrong("an unexpected character"));
        }
    }
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_path_reaches_members_elements_ends_and_all() {
        let value = json!({"a": [{"b": 1}, {"b": 2}]});
        let at = |path: &str| find(&value, path).map(|found| found.into_iter().cloned().collect::<Vec<_>>());
        assert_eq!(at("$"), Ok(vec![value.clone()]));
        assert_eq!(at("$.a[0].b"), Ok(vec![json!(1)]));
        assert_eq!(at("$.a[-1].b"), Ok(vec![json!(2)]));
        assert_eq!(at("$.a[*].b"), Ok(vec![json!(1), json!(2)]));
        assert_eq!(at("$.a[7]"), Ok(vec![]));
        assert_eq!(at("$.missing.b"), Ok(vec![]));
    }

    #[test]
    fn a_wrong_path_is_refused_with_the_reason() {
        let value = json!({});
        for (path, why) in [("a", "no $"), ("$..a", "empty name"), ("$[x]", "bad index"), ("$a", "unexpected")] {
            let error = find(&value, path).unwrap_err();
            assert!(error.contains(why), "{path}: {error}");
        }
    }
}
