//! Holds every table row to its own examples.

use std::path::Path;

use fore_shell::{Facts, Finding, GitFacts, Kind, judge, tables};

fn verdict(text: &str) -> Finding {
    let facts = Facts {
        cwd: Path::new("/home/ada/project"),
        home: Some(Path::new("/home/someone")),
        plan_file: Some(Path::new("/plans/one.md")),
        vouched: &[],
        repositories: &GitFacts::Quiet,
    };
    judge(text, &facts)
}

fn shown(text: &str, finding: &Finding) -> String {
    let first = finding.evidence.first();
    let rule = first.map_or("", |evidence| &evidence.rule);
    let why = first.map_or("", |evidence| &evidence.why);
    format!("{:?}  {text}  [{rule}: {why}]", finding.kind)
}

#[test]
fn every_row_reads_what_it_says_it_reads_and_nothing_that_it_says_it_does_not() {
    let mut wrong = Vec::new();
    for row in tables::rows() {
        for text in row.reads {
            let finding = verdict(text);
            if finding.kind > Kind::Network {
                wrong.push(format!("should read: {}", shown(text, &finding)));
            }
        }
        for text in row.not {
            let finding = verdict(text);
            if finding.kind <= Kind::Network {
                wrong.push(format!("should not:  {}", shown(text, &finding)));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn no_program_has_two_rows() {
    let mut names: Vec<&str> = tables::rows().flat_map(|row| row.names.split(' ')).collect();
    names.sort_unstable();
    let twice: Vec<&str> = names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    assert_eq!(twice, Vec::<&str>::new());
}

#[test]
fn every_row_names_what_it_does_not_read() {
    let silent: Vec<&str> = tables::rows().filter(|row| row.not.is_empty()).map(|row| row.names).collect();
    assert_eq!(silent, Vec::<&str>::new());
}
