//! Reads the fields of a call, with words for the model where one is missing or wrong. It never guesses.

use serde_json::Value;

pub(super) fn text<'a>(input: &'a Value, name: &str) -> Result<Option<&'a str>, String> {
    match input.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` has to be a string.")),
    }
}

pub(super) fn required<'a>(input: &'a Value, name: &str) -> Result<&'a str, String> {
    text(input, name)?.ok_or_else(|| format!("`{name}` is missing."))
}

/// A whole number; some models write it as text.
pub(super) fn number(input: &Value, name: &str) -> Result<Option<usize>, String> {
    let wrong = || format!("`{name}` has to be a whole number, 0 or more.");
    let number = match input.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.trim().parse().map_err(|_| wrong())?,
        Some(value) => value.as_u64().ok_or_else(wrong)?,
    };
    Ok(Some(usize::try_from(number).unwrap_or(usize::MAX)))
}

/// Yes or no; none when it was not said.
pub(super) fn choice(input: &Value, name: &str) -> Result<Option<bool>, String> {
    match input.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(value)) => Ok(Some(*value)),
        Some(Value::String(text)) if text == "true" => Ok(Some(true)),
        Some(Value::String(text)) if text == "false" => Ok(Some(false)),
        Some(_) => Err(format!("`{name}` has to be true or false.")),
    }
}

/// The path of a call as it was written, for the one line that people see.
pub(super) fn path<'a>(input: &'a Value, names: &[&str]) -> &'a str {
    names.iter().find_map(|name| input.get(*name)?.as_str()).unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_and_choices_are_taken_as_text_too_and_nothing_else_is_guessed() {
        let input = json!({"a": 3, "b": "4", "c": -1, "d": "x", "e": true, "f": "false", "g": null, "h": 1.5});
        assert_eq!(
            ["a", "b", "g", "z"].map(|name| number(&input, name)),
            [Ok(Some(3)), Ok(Some(4)), Ok(None), Ok(None)]
        );
        assert!(["c", "d", "e", "h"].iter().all(|name| number(&input, name).is_err()));
        assert_eq!(["e", "f", "g"].map(|name| choice(&input, name)), [Ok(Some(true)), Ok(Some(false)), Ok(None)]);
        assert_eq!(choice(&input, "a"), Err("`a` has to be true or false.".into()));
        assert_eq!(required(&input, "z"), Err("`z` is missing.".into()));
        assert_eq!(text(&input, "a"), Err("`a` has to be a string.".into()));
    }
}
