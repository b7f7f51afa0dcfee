//! Which tests belong to which file, by their names and places.

use super::request::parts;
use super::source::{FileKind, subject};

/// How closely a test belongs to a file; nothing where it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TestRelation {
    /// The same name and nothing more: `cart.rs` and `tests/cart.rs`, `cart_test.go`, `Cart.test.tsx`.
    ByName,
    /// The name among others: `tests/cart_totals.rs`.
    ByPart,
}

/// Whether the test belongs to the file.
pub(super) fn belongs(test: &str, file: &str) -> Option<TestRelation> {
    if FileKind::of(test) != FileKind::Test || test == file || !same_family(test, file) {
        return None;
    }
    let about = parts(subject(file));
    if about.is_empty() || about.iter().all(|part| part.len() < 2) {
        return None;
    }
    let own: Vec<String> = parts(without_ending(test)).into_iter().filter(|part| !is_mark(part)).collect();
    let own = if own.is_empty() { parts(subject_of_folder(test)) } else { own };
    // `tests/time_interval.rs` belongs to `src/time/interval.rs`.
    let place: Vec<String> =
        file.rsplit_once('.').map_or(file, |(place, _)| place).split('/').flat_map(parts).collect();
    if own == about || (own.len() > about.len() && place.ends_with(&own)) {
        return Some(TestRelation::ByName);
    }
    own.windows(about.len()).any(|window| window == about).then_some(TestRelation::ByPart)
}

fn is_mark(part: &str) -> bool {
    matches!(part, "test" | "tests" | "spec" | "specs" | "it" | "unit" | "integration" | "e2e")
}

fn without_ending(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// `src/cart/tests.rs` is about `cart`.
fn subject_of_folder(test: &str) -> &str {
    let folders = test.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.rsplit('/').find(|folder| !is_mark(folder) && !matches!(*folder, "src" | "__tests__")).unwrap_or_default()
}

/// A Python test does not belong to a TypeScript file.
fn same_family(test: &str, file: &str) -> bool {
    let family = |path: &str| match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => "js".to_owned(),
        "c" | "h" | "cc" | "cpp" | "hpp" | "cxx" | "hh" => "c".to_owned(),
        "kt" | "java" | "scala" | "groovy" => "jvm".to_owned(),
        "py" | "pyi" | "pyx" => "py".to_owned(),
        "ex" | "exs" => "ex".to_owned(),
        other => other.to_owned(),
    };
    family(test) == family(file)
}

#[cfg(test)]
mod tests {
    use super::{TestRelation, belongs};

    #[test]
    fn a_test_belongs_to_the_file_it_is_named_after() {
        for (test, file) in [
            ("tests/cart.rs", "src/cart.rs"),
            ("tests/test_cart.py", "shop/cart.py"),
            ("shop/cart_test.go", "shop/cart.go"),
            ("web/Cart.test.tsx", "web/Cart.tsx"),
            ("web/__tests__/cart.js", "web/cart.ts"),
            ("src/test/java/shop/CartTest.java", "src/main/java/shop/Cart.java"),
            ("spec/models/cart_spec.rb", "app/models/cart.rb"),
            ("src/cart/tests.rs", "src/cart/mod.rs"),
            ("src/price_list_tests.rs", "src/price_list.rs"),
            ("test/PriceListTest.php", "src/PriceList.php"),
        ] {
            assert_eq!(belongs(test, file), Some(TestRelation::ByName), "{test} {file}");
        }
        for (test, file) in [("tests/cart_totals.rs", "src/cart.rs"), ("tests/test_cart_discount.py", "shop/cart.py")] {
            assert_eq!(belongs(test, file), Some(TestRelation::ByPart), "{test} {file}");
        }
    }

    #[test]
    fn a_test_of_something_else_does_not_belong() {
        for (test, file) in [
            ("tests/order.rs", "src/cart.rs"),
            ("tests/cartesian.rs", "src/cart.rs"),
            ("tests/test_cart.py", "web/cart.ts"),
            ("src/cart.rs", "src/cart.rs"),
            ("tests/cart.rs", "tests/cart.rs"),
            ("src/lib.rs", "src/cart.rs"),
            ("tests/x.rs", "src/x.rs"),
        ] {
            assert_eq!(belongs(test, file), None, "{test} {file}");
        }
    }
}
