//! The difference between two pages, for a person to read.

/// Lines around a difference.
const AROUND: usize = 2;
/// Lines of a difference at most.
const MAX_LINES: usize = 120;

/// What is different, line by line: `-` was expected, `+` was found.
pub(crate) fn difference(expected: &str, found: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let marked = marked(&old, &new);
    let is_near = |index: usize| {
        let from = index.saturating_sub(AROUND);
        marked.iter().skip(from).take(index - from + AROUND + 1).any(|(mark, _)| *mark != ' ')
    };
    let mut lines: Vec<String> = Vec::new();
    let mut was_near = true;
    for (index, (mark, line)) in marked.iter().enumerate() {
        let near = is_near(index);
        if near {
            lines.push(format!("{mark} {line}"));
        } else if was_near {
            lines.push("  …".to_owned());
        }
        was_near = near;
    }
    if lines.len() > MAX_LINES {
        lines.truncate(MAX_LINES);
        lines.push("  … and more".to_owned());
    }
    lines.join("\n")
}

/// Every line with its mark, by the longest common subsequence.
fn marked<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<(char, &'a str)> {
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    let at = |common: &[u32], row: usize, column: usize| common.get(row * width + column).copied().unwrap_or_default();
    for (row, left) in old.iter().enumerate().rev() {
        for (column, right) in new.iter().enumerate().rev() {
            let value = if left == right {
                at(&common, row + 1, column + 1) + 1
            } else {
                at(&common, row + 1, column).max(at(&common, row, column + 1))
            };
            if let Some(cell) = common.get_mut(row * width + column) {
                *cell = value;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut lines = Vec::new();
    loop {
        match (old.get(row), new.get(column)) {
            (None, None) => return lines,
            (Some(left), Some(right)) if left == right => {
                lines.push((' ', *left));
                (row, column) = (row + 1, column + 1);
            }
            (Some(left), right) if right.is_none() || at(&common, row + 1, column) >= at(&common, row, column + 1) => {
                lines.push(('-', *left));
                row += 1;
            }
            (_, Some(right)) => {
                lines.push(('+', *right));
                column += 1;
            }
            (Some(left), None) => {
                lines.push(('-', *left));
                row += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_the_lines_around_it() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh";
        let new = "a\nb\nc\nd\nE\nf\ng\nh";
        assert_eq!(difference(old, new), "  …\n  c\n  d\n- e\n+ E\n  f\n  g\n  …");
        assert_eq!(difference("a", "a\nb"), "  a\n+ b");
    }
}
