//! Words that a scripted model repeats from what it was told, as a real one repeats a path; only in the arguments of calls.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::received::{Received, ReceivedBlock};
use crate::script::{Learn, ScriptedTurn, TurnPart};

/// Marks that surround a word in running text without being part of it.
const AROUND: &[char] = &['`', '"', '\'', '(', ')', '<', '>', ',', ';', ':', '.', '[', ']'];

/// The turn with every `{{name}}` replaced by the word that was learned; what was never told stays as it is.
pub(crate) fn fill(mut turn: ScriptedTurn, learn: &BTreeMap<String, Learn>, received: &Received) -> ScriptedTurn {
    for (name, learn) in learn {
        let Some(word) = last_word(learn, received) else { continue };
        let mark = format!("{{{{{name}}}}}");
        for part in &mut turn.say {
            match part {
                TurnPart::Call(call) => {
                    if let Some(arguments) = &mut call.arguments {
                        replace(arguments, &mark, &word);
                    }
                    if let Some(raw) = &mut call.raw_arguments {
                        *raw = raw.replace(&mark, &word);
                    }
                }
                TurnPart::Text(text) => *text = text.replace(&mark, &word),
                TurnPart::Reasoning(_) => {}
            }
        }
    }
    turn
}

fn replace(value: &mut Value, mark: &str, word: &str) {
    match value {
        Value::String(text) => *text = text.replace(mark, word),
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, mark, word)),
        Value::Object(fields) => fields.values_mut().for_each(|field| replace(field, mark, word)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn last_word(learn: &Learn, received: &Received) -> Option<String> {
    let texts = received.entries.iter().flat_map(|entry| &entry.blocks).filter_map(|block| match block {
        ReceivedBlock::Text(text) | ReceivedBlock::Result { text, .. } => Some(text),
        ReceivedBlock::Image | ReceivedBlock::Reasoning { .. } | ReceivedBlock::Call { .. } => None,
    });
    let mut words = texts.flat_map(|text| text.split(char::is_whitespace)).map(|word| word.trim_matches(AROUND));
    words.rfind(|word| word.contains(&learn.contains) && word.ends_with(&learn.ends)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::author::call;
    use crate::received::ReceivedRole;
    use serde_json::json;

    #[test]
    fn a_call_repeats_the_last_path_it_was_told() {
        let mut received = Received::default();
        let text = "Old: /home/ada/plans/one.md. The plan file is `/home/ada/plans/two.md`; no other.".to_owned();
        received.extend("$", ReceivedRole::User, vec![ReceivedBlock::Text(text)]);
        let learn = Learn { contains: "/plans/".to_owned(), ends: ".md".to_owned() };
        let turn = call("Write", json!({"file_path": "{{plan}}", "content": "for {{other}}"}));
        let filled = fill(turn, &BTreeMap::from([("plan".to_owned(), learn)]), &received);
        assert_eq!(filled, call("Write", json!({"file_path": "/home/ada/plans/two.md", "content": "for {{other}}"})));
    }
}
