//! Finds names that look like a mistyped one.

/// Letters of a name that are compared; more are not looked at.
const MAX_COMPARED_CHARS: usize = 100;
/// A name is like each longer one that has it inside, but for a single letter.
const MIN_PART_CHARS: usize = 2;

/// Up to `count` names near to `wanted`, nearest first, never `wanted` itself; names without any likeness are left out.
pub fn nearest<'n>(wanted: &str, names: impl IntoIterator<Item = &'n str>, count: usize) -> Vec<String> {
    let lower = wanted.to_lowercase();
    let others = names.into_iter().filter(|name| *name != wanted);
    let mut near: Vec<(usize, &str)> = others.filter_map(|name| Some((likeness(&lower, name)?, name))).collect();
    near.sort();
    near.dedup();
    near.into_iter().take(count).map(|(_, name)| name.to_owned()).collect()
}

/// Whether a word is the name but for one slip of the fingers: a letter too many, one too few, another one, or two in the
/// wrong order.
pub fn is_one_slip_away(word: &str, name: &str) -> bool {
    edits(&word.to_lowercase(), name) <= 1
}

/// How many edits lie between two names that are alike.
fn likeness(wanted: &str, name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    let lengths = [wanted.chars().count(), name.chars().count()];
    let (shorter, longer) = (lengths[0].min(lengths[1]), lengths[0].max(lengths[1]));
    let is_part = shorter >= MIN_PART_CHARS && (name.contains(wanted) || wanted.contains(&name));
    let edits = edits(wanted, &name);
    // Half of the letters may be wrong; then the first must be right, as it is in most slips.
    let is_like = edits * 2 < longer || (edits * 2 == longer && wanted.chars().next() == name.chars().next());
    (is_part || is_like).then_some(edits)
}

fn edits(one: &str, other: &str) -> usize {
    let compared = |text| crate::cut::chars(text, MAX_COMPARED_CHARS);
    strsim::osa_distance(compared(one), compared(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first_and_strangers_not_at_all() {
        let names = ["claude-opus-5-5", "claude-opus-5", "gpt-5.4", "claude-sonnet-5-5"];
        assert_eq!(nearest("claude-opus-55", names, 2), ["claude-opus-5", "claude-opus-5-5"]);
        assert_eq!(nearest("zzz", names, 5), [""; 0]);
        assert_eq!(nearest("GPT-5.4", names, 5), ["gpt-5.4"]);
    }

    #[test]
    fn the_refused_name_is_not_offered() {
        assert_eq!(nearest("gpt-5", ["gpt-5", "gpt-5", "gpt-5-mini"], 5), ["gpt-5-mini"]);
    }

    #[test]
    fn a_part_is_near_but_not_a_single_letter() {
        assert_eq!(nearest("unproven", ["plan.unproven", "u"], 5), ["plan.unproven"]);
        assert_eq!(nearest("", ["a", "b"], 5), [""; 0]);
    }

    #[test]
    fn with_half_of_the_letters_wrong_the_first_one_decides() {
        assert_eq!(nearest("rst2", ["zstd", "rust", "rst", "rest-api"], 5), ["rst", "rust"]);
    }

    #[test]
    fn one_slip_of_the_fingers_is_known() {
        for word in ["plans", "plan", "planss", "plons", "palns", "Plans", "lans"] {
            assert!(is_one_slip_away(word, "plans"), "{word}");
        }
        for word in ["", "pl", "plasn5", "snalp", "planting"] {
            assert!(!is_one_slip_away(word, "plans"), "{word}");
        }
    }
}
