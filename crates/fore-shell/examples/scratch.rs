use fore_shell::{Facts, GitFacts, judge};
use std::{io::BufRead, path::Path};
fn main() {
    let facts = Facts {
        cwd: Path::new("/work/project"),
        home: Some(Path::new("/home/ada")),
        plan_file: Some(Path::new("/work/project/plans/plan.md")),
        vouched: &[],
        repositories: &GitFacts::Quiet,
    };
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap().replace("⏎", "\n");
        let f = judge(&line, &facts);
        println!(
            "{:8} {:55} {}",
            format!("{:?}", f.kind),
            line.replace('\n', "⏎"),
            f.evidence
                .iter()
                .map(|e| format!(
                    "{}[{}]{:?}",
                    e.rule,
                    e.word,
                    e.span.map(|s| &line[s.start..s.end])
                ))
                .collect::<Vec<_>>()
                .join(" ")
        );
    }
}
