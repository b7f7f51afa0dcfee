//! The plan-mode domain: modes, gate, permits, plans, approvals, reminders.
