//! An argument while it is put together from its pieces: texts as long as they are certain, then how it may go on.

use super::{expand::ExpandedField, limits::MAX_COMBINATIONS};
use crate::word::{Opaque, Value};

/// An argument under construction.
pub(super) struct PartialWord {
    /// All texts it may start with; complete as long as `rest` is `None`.
    pub(super) texts: Vec<String>,
    pub(super) rest: Option<UnknownRest>,
    pub(super) quoted: bool,
}

#[derive(Clone, Copy)]
pub(super) struct UnknownRest {
    vanishes: bool,
    pub(super) splits: bool,
    dashes: bool,
}

impl PartialWord {
    pub(super) fn new() -> PartialWord {
        PartialWord { texts: vec![String::new()], rest: None, quoted: false }
    }

    pub(super) fn push(&mut self, text: &str) {
        match &mut self.rest {
            None => self.texts.iter_mut().for_each(|known| known.push_str(text)),
            Some(rest) => {
                rest.dashes |= rest.vanishes && text.starts_with('-');
                rest.vanishes &= text.is_empty();
            }
        }
    }

    /// Appends something unknown. `dashes`: it, or a part split from it, may start with a dash.
    pub(super) fn unknown(&mut self, vanishes: bool, splits: bool, dashes: bool) {
        let started = self.texts.iter().all(|text| !text.is_empty());
        let rest = self.rest.get_or_insert(UnknownRest { vanishes: !started, splits: false, dashes: false });
        let first = !started && rest.vanishes;
        rest.dashes |= dashes && (splits || first);
        rest.vanishes &= vanishes;
        rest.splits |= splits;
    }

    pub(super) fn one_of(&mut self, values: &[String]) {
        if self.rest.is_some() {
            let may_be_empty = values.iter().any(String::is_empty);
            let dashes = values.iter().any(|value| value.starts_with('-'));
            self.unknown(may_be_empty, false, dashes);
        } else if self.texts.len() * values.len() > MAX_COMBINATIONS {
            self.unknown(true, false, true);
        } else {
            self.texts =
                self.texts.iter().flat_map(|text| values.iter().map(move |value| format!("{text}{value}"))).collect();
        }
    }

    pub(super) fn finish(self) -> Option<ExpandedField> {
        let dashed = self.texts.iter().any(|text| text.starts_with('-'));
        match self.rest {
            None if self.quoted || self.texts.iter().all(|text| !text.is_empty()) => {
                Some(self.texts.into_iter().map(Value::Literal).collect())
            }
            None if self.texts.iter().all(String::is_empty) => None,
            None => Some(vec![Value::Opaque(Opaque {
                prefix: String::new(),
                may_be_empty: true,
                may_split: false,
                may_be_option: dashed,
            })]),
            Some(rest) => {
                let prefix = if self.texts.len() == 1 {
                    self.texts.into_iter().next().unwrap_or_default()
                } else {
                    String::new()
                };
                Some(vec![Value::Opaque(Opaque {
                    prefix,
                    may_be_empty: rest.vanishes && !self.quoted,
                    may_split: rest.splits,
                    may_be_option: rest.dashes || dashed,
                })])
            }
        }
    }
}
