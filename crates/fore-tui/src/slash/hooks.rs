//! `/hooks`: the hooks of this session, and a receipt for each one that ran.

use super::cost::code;
use fore_agent::HookReceipt;

/// Receipts that are shown; the audit log has all of them.
const MAX_SHOWN: usize = 40;

/// The page as Markdown.
pub(crate) fn page(hooks: &[String], ran: &[HookReceipt]) -> String {
    if hooks.is_empty() {
        return "No hooks are set up. They go into `hooks` of your settings, or into `.claude/settings.json`.".into();
    }
    let mut lines: Vec<String> = hooks.iter().map(|hook| format!("- {}", code(hook))).collect();
    lines.push(String::new());
    if ran.is_empty() {
        lines.push("None of them has run in this session.".into());
        return lines.join("\n");
    }
    lines.push("Ran in this session, the last one at the end:".into());
    lines.push(String::new());
    let left_out = ran.len().saturating_sub(MAX_SHOWN);
    if left_out > 0 {
        lines.push(format!("- {left_out} earlier ones: see the audit log"));
    }
    let receipt =
        |one: &HookReceipt| format!("- {} {}: {}, {} ms", one.on, code(&one.hook), code(&one.answer), one.duration_ms);
    lines.extend(ran.iter().skip(left_out).map(receipt));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_lists_hooks_and_what_each_run_answered() {
        let ran = |answer: &str| HookReceipt {
            on: "PreToolUse".into(),
            hook: "./guard.sh".into(),
            answer: answer.into(),
            duration_ms: 12,
        };
        assert!(page(&[], &[]).starts_with("No hooks are set up."));
        let hooks = ["PreToolUse Bash: ./guard.sh (.claude/settings.json)".to_owned()];
        assert_eq!(
            page(&hooks, &[]),
            "- `PreToolUse Bash: ./guard.sh (.claude/settings.json)`\n\nNone of them has run in this session."
        );
        assert!(page(&hooks, &[ran("deny: not here")]).ends_with("- PreToolUse `./guard.sh`: `deny: not here`, 12 ms"));
        let many = page(&hooks, &vec![ran("nothing"); 50]);
        assert!(many.contains("- 10 earlier ones: see the audit log"), "{many}");
    }
}
