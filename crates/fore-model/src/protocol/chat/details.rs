//! Puts streamed pieces of `reasoning_details` together again, so that they can go back as one list.

use serde_json::Value;

/// Fields whose pieces are appended; any other field keeps its last value.
const STREAMED: [&str; 3] = ["text", "summary", "data"];

pub(super) fn merge(held: &mut Vec<Value>, pieces: Vec<Value>) {
    for piece in pieces {
        let same = |other: &&mut Value| {
            let equal = |field: &str| other.get(field) == piece.get(field);
            piece.get("index").is_some() && equal("index") && equal("type")
        };
        let Some(entry) = held.iter_mut().find(same) else {
            held.push(piece);
            continue;
        };
        let (Some(entry), Value::Object(piece)) = (entry.as_object_mut(), piece) else { continue };
        for (field, value) in piece {
            match (entry.get_mut(&field), value) {
                (Some(Value::String(old)), Value::String(new)) if STREAMED.contains(&field.as_str()) => {
                    old.push_str(&new);
                }
                (Some(_), Value::Null) => {}
                (_, value) => {
                    entry.insert(field, value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_of_one_entry_are_joined_and_entries_stay_in_order() {
        let mut held = Vec::new();
        merge(&mut held, vec![json!({"type": "reasoning.text", "index": 0, "text": "a", "signature": null})]);
        merge(&mut held, vec![json!({"type": "reasoning.text", "index": 0, "text": "b"})]);
        merge(&mut held, vec![json!({"type": "reasoning.text", "index": 0, "signature": "s"})]);
        merge(&mut held, vec![json!({"type": "reasoning.encrypted", "index": 1, "data": "x"})]);
        assert_eq!(
            held,
            [
                json!({"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s"}),
                json!({"type": "reasoning.encrypted", "index": 1, "data": "x"}),
            ]
        );
    }
}
