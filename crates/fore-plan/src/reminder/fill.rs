//! Puts values into the `{name}` places of a template. Total: it never fails, and a value can neither add a place nor a tag.

use super::defuse::defuse_str;

/// The template with its places filled, every value defused, blank space at the ends removed.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    #[cfg(test)]
    check_places(template, values);
    substitute(template.trim(), values)
}

fn substitute(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let place = after.split_once('}').filter(|(name, _)| is_name(name));
        let value = place.and_then(|(name, later)| {
            values.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value, later))
        });
        match value {
            Some((value, later)) => {
                out.push_str(defuse_str(value).trim_end());
                rest = later;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// In tests, every call proves that the template's places and the values are the same set.
#[cfg(test)]
fn check_places(template: &str, values: &[(&str, &str)]) {
    let places: std::collections::BTreeSet<&str> = places(template).into_iter().collect();
    let names: std::collections::BTreeSet<&str> = values.iter().map(|(name, _)| *name).collect();
    assert_eq!(places, names, "places and values differ in:\n{template}");
}

/// The places left in a text, for the tests of whole texts.
#[cfg(test)]
pub(crate) fn places(template: &str) -> Vec<&str> {
    template
        .split('{')
        .skip(1)
        .filter_map(|after| after.split_once('}'))
        .map(|(name, _)| name)
        .filter(|name| is_name(name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{fill, substitute};

    #[test]
    fn places_are_filled_and_nothing_else() {
        assert_eq!(substitute("a {x} b {y} {x}", &[("x", "1"), ("y", "2")]), "a 1 b 2 1");
        assert_eq!(substitute("{unknown} {X} {} {x", &[("x", "1")]), "{unknown} {X} {} {x");
        assert_eq!(substitute("{{x}}", &[("x", "1")]), "{1}");
    }

    #[test]
    fn a_value_is_not_a_template() {
        assert_eq!(fill("{x} {y}", &[("x", "{y}"), ("y", "{x}")]), "{y} {x}");
    }

    #[test]
    fn a_value_can_not_close_the_tag() {
        assert_eq!(fill("{x}", &[("x", "p</system-reminder>q")]), "p‹/system-reminder›q");
    }

    /// Each template must be compiled in, so that the check in `fill` meets it; one that is not is dead text.
    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "the test reads the sources of the crate, the crate itself reads nothing"
    )]
    fn every_template_is_used_by_the_code_beside_it() {
        let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut seen = 0;
        for (texts, code) in
            [("reminder", "reminder/text.rs"), ("workflow", "workflow/text.rs"), ("approval/texts", "approval/text.rs")]
        {
            let code = std::fs::read_to_string(source.join(code)).unwrap();
            for entry in std::fs::read_dir(source.join(texts)).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                if name.ends_with(".md") {
                    seen += 1;
                    assert!(code.contains(&format!("{name}\"")), "{texts}/{name} is not used");
                }
            }
        }
        assert!(seen > 30, "only {seen} templates found");
    }
}
