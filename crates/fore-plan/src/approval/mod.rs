//! Approvals: what the model is told about the decision on its plan.

pub mod text;
