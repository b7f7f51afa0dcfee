//! Which files belong to a named one: its tests, its package's manifest, the same text in other languages. Names only.

use super::word_set::WordSet;

/// Who a manifest belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Family {
    Rust,
    Node,
    Python,
    Go,
    Ruby,
    Php,
    Jvm,
    DotNet,
    Elixir,
    Dart,
    Swift,
    Native,
}

/// The folder a path lies in; empty for the project folder.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// All folders a path lies in, the innermost first, the project folder (empty) last.
pub(super) fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder(path)), |above| (!above.is_empty()).then(|| folder(above)))
}

fn name(path: &str) -> &str {
    super::ground::last_name(path)
}

/// `cart` of `src/cart.rs` and of `cart.service.ts`? No: `cart.service`. Only the last ending goes.
pub(super) fn stem(path: &str) -> &str {
    let name = name(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        Some(_) | None => name,
    }
}

/// Names that every folder has: a test of one of them belongs to its own folder alone.
static COMMON_STEMS: WordSet = WordSet::new("mod lib main index init __init__ types utils app page route config");
static TEST_FOLDERS: WordSet = WordSet::new("tests test __tests__ spec specs e2e unit integration");

/// The stem of the file that this one tests; none if it is no test.
pub(super) fn tested_stem(path: &str) -> Option<&str> {
    let stem = stem(path);
    let by_name = ["test_", "test-"].iter().find_map(|begin| stem.strip_prefix(begin)).or_else(|| {
        [
            "_test", "_tests", "-test", ".test", ".tests", "_spec", ".spec", "-spec", "Test", "Tests", "Spec", ".e2e",
            ".cy",
        ]
        .iter()
        .find_map(|end| stem.strip_suffix(end))
    });
    let is_in_tests = || folder(path).split('/').any(|part| TEST_FOLDERS.contains(part));
    by_name.filter(|stem| !stem.is_empty()).or_else(|| is_in_tests().then_some(stem))
}

/// Whether a test is one of a file in this folder: anywhere, unless its name says too little.
pub(super) fn is_beside(test: &str, named_folder: &str) -> bool {
    let is_common = tested_stem(test).is_some_and(|stem| COMMON_STEMS.contains(stem));
    let folder = folder(test);
    let own =
        folder.rsplit_once('/').filter(|(_, last)| TEST_FOLDERS.contains(last)).map_or(folder, |(above, _)| above);
    !is_common || own == named_folder || folder == named_folder
}

/// The folder beside which a kept output lies: `src` of `src/snapshots/cart.snap`.
pub(super) fn snapshot_folder(path: &str) -> Option<&str> {
    let above = folder(path).rsplit_once('/');
    above.filter(|(_, last)| matches!(*last, "snapshots" | "__snapshots__")).map(|(above, _)| above)
}

/// The family that a source file's package has its manifest in.
pub(super) fn family_of_source(path: &str) -> Option<Family> {
    let ending = name(path).rsplit_once('.').map(|(_, ending)| ending)?;
    Some(match ending {
        "rs" => Family::Rust,
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" | "astro" | "css" | "scss" => {
            Family::Node
        }
        "py" | "pyi" => Family::Python,
        "go" => Family::Go,
        "rb" | "erb" | "rake" => Family::Ruby,
        "php" => Family::Php,
        "java" | "kt" | "kts" | "scala" | "groovy" => Family::Jvm,
        "cs" | "fs" | "vb" | "razor" => Family::DotNet,
        "ex" | "exs" | "heex" => Family::Elixir,
        "dart" => Family::Dart,
        "swift" => Family::Swift,
        "c" | "h" | "cc" | "cpp" | "hpp" | "cxx" => Family::Native,
        _ => return None,
    })
}

/// Whose manifest or lock file has this name.
pub(super) fn family_of_manifest(name: &str) -> Option<Family> {
    Some(match name {
        "Cargo.toml" | "Cargo.lock" => Family::Rust,
        "package.json"
        | "package-lock.json"
        | "npm-shrinkwrap.json"
        | "yarn.lock"
        | "pnpm-lock.yaml"
        | "pnpm-workspace.yaml"
        | "bun.lock"
        | "bun.lockb"
        | "deno.json"
        | "deno.lock" => Family::Node,
        "pyproject.toml" | "setup.py" | "setup.cfg" | "Pipfile" | "Pipfile.lock" | "poetry.lock" | "uv.lock"
        | "pdm.lock" => Family::Python,
        "go.mod" | "go.sum" | "go.work" | "go.work.sum" => Family::Go,
        "Gemfile" | "Gemfile.lock" => Family::Ruby,
        "composer.json" | "composer.lock" => Family::Php,
        "pom.xml"
        | "build.gradle"
        | "build.gradle.kts"
        | "settings.gradle"
        | "settings.gradle.kts"
        | "gradle.lockfile"
        | "build.sbt" => Family::Jvm,
        "packages.lock.json" | "Directory.Packages.props" => Family::DotNet,
        "mix.exs" | "mix.lock" => Family::Elixir,
        "pubspec.yaml" | "pubspec.lock" => Family::Dart,
        "Package.swift" | "Package.resolved" | "Podfile" | "Podfile.lock" => Family::Swift,
        "CMakeLists.txt" | "meson.build" | "vcpkg.json" | "conanfile.txt" => Family::Native,
        _ if name.starts_with("requirements") && name.ends_with(".txt") => Family::Python,
        _ if name.ends_with(".csproj") || name.ends_with(".fsproj") => Family::DotNet,
        _ if name.ends_with(".gemspec") => Family::Ruby,
        _ => return None,
    })
}

static LOCALE_FOLDERS: WordSet =
    WordSet::new("i18n locale locales lang langs languages translations messages l10n intl po res");

/// The path with its language left out, if it is a text in one language; all its siblings have the same.
pub(super) fn locale_key(path: &str) -> Option<String> {
    let is_known = folder(path).split('/').any(|part| LOCALE_FOLDERS.contains(part) || part.ends_with(".lproj"))
        || [".po", ".arb", ".properties", ".resx", ".ftl"].iter().any(|end| path.ends_with(end));
    if !is_known {
        return None;
    }
    let mut has_language = false;
    let parts: Vec<String> = path
        .split('/')
        .map(|part| {
            let plain = without_language(part);
            has_language |= plain.is_some();
            plain.unwrap_or_else(|| part.to_owned())
        })
        .collect();
    has_language.then(|| parts.join("/"))
}

/// `en`, `pt-BR`, `zh_Hans`.
fn is_language(text: &str) -> bool {
    let (language, region) =
        text.split_once(['-', '_']).map_or((text, None), |(language, region)| (language, Some(region)));
    (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_lowercase())
        && region.is_none_or(|region| {
            (2..=4).contains(&region.len()) && region.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
        && !matches!(language, "src" | "app" | "lib" | "res" | "web" | "api" | "ui" | "po" | "js" | "ts" | "css")
}

/// A part of a path without the language in it; none if there is none.
fn without_language(part: &str) -> Option<String> {
    if part == "values" || part.strip_prefix("values-").is_some_and(is_language) {
        return Some("values".to_owned());
    }
    if let Some(language) = part.strip_suffix(".lproj") {
        return (language == "Base" || is_language(language)).then(|| "*.lproj".to_owned());
    }
    if is_language(part) {
        return Some("*".to_owned());
    }
    let (stem, ending) = part.split_once('.')?;
    if is_language(stem) {
        return Some(format!("*.{ending}"));
    }
    let (before, language) = part.rsplit_once('.').and_then(|(stem, _)| stem.split_once(['_', '.', '-']))?;
    is_language(language).then(|| format!("{before}*.{ending}"))
}
