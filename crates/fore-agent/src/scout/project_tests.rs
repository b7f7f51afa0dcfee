//! Manifests, and the commands that follow from them.

use super::super::calls::{ScoutCall, ScoutResults};
use super::super::evidence::ScoutEvidence;
use super::super::task_history::AnsweredCall;
use super::{commands, projects};

/// What a project with these files and manifest is called, and how it is verified.
fn page(top: &[&str], manifests: &[(&str, &str)], file: &str, tests: &[&str]) -> (Vec<String>, Vec<String>) {
    let evidence = ScoutEvidence {
        top: top.iter().map(|&name| name.to_owned()).collect(),
        manifests: manifests.iter().map(|(path, _)| (*path).to_owned()).collect(),
        ..ScoutEvidence::default()
    };
    let read = |(path, text): &(&str, &str)| {
        let (tool, input) = ScoutCall::Manifest((*path).to_owned()).call().unwrap();
        let text =
            (1..).zip(text.lines()).map(|(number, line): (u32, &str)| format!("{number:>6}\t{line}\n")).collect();
        AnsweredCall { tool: tool.to_owned(), input, text: Some(text) }
    };
    let answered: Vec<AnsweredCall> = manifests.iter().map(read).collect();
    let found = projects(&evidence, Some(file));
    let tests: Vec<String> = tests.iter().map(|&test| test.to_owned()).collect();
    let names = found.iter().map(|project| format!("{} {}", project.ecosystem.name, project.manifest)).collect();
    (names, commands(&found, &tests, &evidence, ScoutResults(&answered)))
}

fn owned(items: &[&str]) -> Vec<String> {
    items.iter().map(|&item| item.to_owned()).collect()
}

#[test]
fn the_nearest_package_of_a_workspace_is_tested_by_its_name() {
    let member = "[package]\nname = \"shop-cart\"\nversion = \"1.0.0\"\n\n[dependencies]\nname = \"no\"\n";
    let manifests = [("Cargo.toml", "[workspace]\n"), ("cart/Cargo.toml", member)];
    let (names, commands) = page(&["Cargo.toml"], &manifests, "cart/src/lib.rs", &["cart/tests/totals.rs"]);
    assert_eq!(names, ["Rust cart/Cargo.toml", "Rust Cargo.toml"]);
    assert_eq!(commands, ["cargo test -p shop-cart --test totals", "cargo test -p shop-cart", "cargo test"]);
}

#[test]
fn scripts_of_a_package_are_run_with_its_own_manager() {
    let manifest = r#"{ "scripts": { "test": "vitest", "lint": "eslint .", "start": "node ." } }"#;
    let (names, commands) =
        page(&["package.json", "pnpm-lock.yaml"], &[("package.json", manifest)], "src/cart.ts", &[]);
    assert_eq!(names, ["JavaScript or TypeScript package.json"]);
    assert_eq!(commands, ["pnpm run test", "pnpm run lint"]);
    let (_, commands) = page(&["package.json"], &[("package.json", "{ broken")], "src/cart.ts", &[]);
    assert_eq!(commands, owned(&[]));
}

#[test]
fn the_other_kinds_are_known_by_their_manifests() {
    for (top, name, command) in [
        (vec!["pyproject.toml"], "Python pyproject.toml", "python3 -m pytest"),
        (vec!["manage.py", "requirements.txt"], "Python requirements.txt", "python3 manage.py test"),
        (vec!["go.mod"], "Go go.mod", "go test ./..."),
        (vec!["pom.xml"], "Java with Maven pom.xml", "mvn test"),
        (vec!["build.gradle.kts", "gradlew"], "Gradle build.gradle.kts", "./gradlew test"),
        (vec!["Shop.sln"], ".NET Shop.sln", "dotnet test"),
        (vec!["Gemfile", ".rspec"], "Ruby Gemfile", "bundle exec rspec"),
        (vec!["composer.json"], "PHP composer.json", "composer test"),
        (vec!["mix.exs"], "Elixir mix.exs", "mix test"),
    ] {
        assert_eq!(page(&top, &[], "x", &[]), (owned(&[name]), owned(&[command])), "{top:?}");
    }
    let (names, commands) = page(&["Makefile"], &[("Makefile", "all:\n\ncheck: all\n\ttrue\n")], "x.c", &[]);
    assert_eq!((names, commands), (owned(&["Make Makefile"]), owned(&["make check"])));
    assert_eq!(page(&["notes.txt"], &[], "x", &[]), (owned(&[]), owned(&[])));
}
