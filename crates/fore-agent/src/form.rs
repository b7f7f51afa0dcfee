//! The questions of `AskUserQuestion`: one to four, each with two to four options and always a free answer.

use crate::{command::FormAnswer, tools::input::without_closing};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) const MAX_QUESTIONS: usize = 4;
pub(crate) const MIN_OPTIONS: usize = 2;
pub(crate) const MAX_OPTIONS: usize = 4;

/// A small form for the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "doc comments would go into the schema that the model reads")]
pub struct Form {
    #[schemars(length(min = 1, max = MAX_QUESTIONS))]
    pub questions: Vec<FormQuestion>,
    // The program itself offers something: to leave it is a no, and there are no words of one's own.
    #[serde(default, skip_deserializing, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub is_offer: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = without_closing)]
#[expect(missing_docs, reason = "doc comments would go into the schema that the model reads")]
pub struct FormQuestion {
    /// A word or two, for a tab.
    #[serde(default)]
    #[schemars(description = "One or two words.")]
    pub header: String,
    pub question: String,
    #[serde(default)]
    pub multi_select: bool,
    #[schemars(length(min = MIN_OPTIONS, max = MAX_OPTIONS))]
    pub options: Vec<FormOption>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = without_closing)]
#[expect(missing_docs, reason = "doc comments would go into the schema that the model reads")]
pub struct FormOption {
    pub label: String,
    #[serde(default)]
    pub description: String,
}

/// One question that the program itself asks, with what each of its options means.
#[derive(Debug)]
pub(crate) struct OfferQuestion<T> {
    asked: FormQuestion,
    meanings: Vec<T>,
}

impl<T: Copy> OfferQuestion<T> {
    /// An option is its label, what is said of it, and what it means.
    pub(crate) fn new(header: &str, question: String, options: Vec<(String, String, T)>) -> OfferQuestion<T> {
        let meanings = options.iter().map(|(_, _, meaning)| *meaning).collect();
        let option = |(label, description, _): (String, String, T)| FormOption { label, description };
        let options = options.into_iter().map(option).collect();
        let asked = FormQuestion { header: header.to_owned(), question, multi_select: false, options };
        OfferQuestion { asked, meanings }
    }

    /// As a person is asked.
    pub(crate) fn asked(&self) -> FormQuestion {
        self.asked.clone()
    }

    /// What the one option that was taken means; anything else means nothing.
    pub(crate) fn meant(&self, answer: Option<&FormAnswer>) -> Option<T> {
        let [label] = answer?.chosen.as_slice() else { return None };
        let at = self.asked.options.iter().position(|option| option.label == *label)?;
        self.meanings.get(at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_option_as_it_was_offered_means_something() {
        let options = vec![("Yes".to_owned(), String::new(), true), ("No".to_owned(), String::new(), false)];
        let offer = OfferQuestion::new("", "Go on?".to_owned(), options);
        let meant = |labels: &[&str]| {
            let chosen = labels.iter().map(|label| (*label).to_owned()).collect();
            offer.meant(Some(&FormAnswer { chosen, text: String::new() }))
        };
        assert_eq!((meant(&["Yes"]), meant(&["No"])), (Some(true), Some(false)));
        for labels in [&[][..], &["yes"], &["Yes", "No"], &["Yes", "Yes"], &["Maybe"]] {
            assert_eq!(meant(labels), None, "{labels:?}");
        }
        assert_eq!(offer.meant(None), None);
    }
}
