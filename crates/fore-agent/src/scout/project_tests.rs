//! Manifests, and the commands that follow from them.

use super::super::evidence::ScoutEvidence;
use super::{commands, language, projects};
use std::collections::BTreeSet;

/// What a project with these files and manifest is called, and how it is verified.
fn page(top: &[&str], manifests: &[(&str, &str)], file: &str, tests: &[&str]) -> (Vec<String>, Vec<String>) {
    let known: BTreeSet<String> =
        top.iter().copied().chain(manifests.iter().map(|(path, _)| *path)).map(str::to_owned).collect();
    let top = top.iter().map(|&name| name.to_owned()).collect();
    let evidence = ScoutEvidence { top, known: known.clone(), ..ScoutEvidence::default() };
    let found = projects(&known, Some(file));
    let tests: Vec<String> = tests.iter().map(|&test| test.to_owned()).collect();
    let names = found.iter().map(|project| format!("{} {}", project.ecosystem.name, project.manifest)).collect();
    let text = |wanted: &str| {
        let text = manifests.iter().find(|(path, _)| *path == wanted).map(|(_, text)| *text);
        text.unwrap_or_default().to_owned()
    };
    (names, commands(&found, &tests, &evidence, &text))
}

#[test]
fn a_folder_without_a_manifest_is_known_by_its_files() {
    let of = |paths: &[&str]| language(&paths.iter().map(|&path| path.to_owned()).collect());
    assert_eq!(of(&["a.py"]), Some("Python"));
    assert_eq!(of(&["a.go", "b.go", "c.py", "node_modules/x.js", "node_modules/y.js"]), Some("Go"));
    assert_eq!(of(&["photo.jpg"]), None);
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
