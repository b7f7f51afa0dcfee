//! What a tool gives back: one channel for the model, one for the person.

use crate::event::ShownCall;
use fore_model::ResultPart;

/// The result of a call. The loop defuses and bounds the model's part; a tool need not.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    pub model: Vec<ResultPart>,
    pub is_error: bool,
    pub shown: ShownCall,
}

impl Output {
    pub fn text(model: impl Into<String>, shown: ShownCall) -> Output {
        Output { model: vec![ResultPart::Text(model.into())], is_error: false, shown }
    }

    /// It went wrong; both are told why.
    pub fn error(why: impl Into<String>) -> Output {
        let why = why.into();
        let line = why.lines().next().unwrap_or_default().chars().take(200).collect::<String>();
        Output { model: vec![ResultPart::Text(why)], is_error: true, shown: ShownCall::line(line) }
    }
}
