//! Paths and lines, and what they are.

use super::{FileKind, defined, subject};

#[test]
fn a_path_tells_what_a_file_is_for() {
    for (path, kind) in [
        ("src/cart.rs", FileKind::Source),
        ("bin/shop", FileKind::Source),
        ("tests/cart.rs", FileKind::Test),
        ("shop/test_cart.py", FileKind::Test),
        ("web/cart.spec.ts", FileKind::Test),
        ("src/main/java/CartTest.java", FileKind::Test),
        ("src/contest.rs", FileKind::Source),
        ("lib/commands/install-test.js", FileKind::Source),
        ("test/lib/install-test.js", FileKind::Test),
        ("src/cart_test.ts", FileKind::Test),
        ("tests/data.json", FileKind::TestData),
        ("src/snapshots/a.snap", FileKind::TestData),
        ("examples/cart.rs", FileKind::Example),
        ("benches/cart.rs", FileKind::Benchmark),
        ("README.md", FileKind::Documentation),
        ("docs/cart.html", FileKind::Documentation),
        ("CHANGELOG.md", FileKind::Paper),
        ("Cargo.toml", FileKind::Settings),
        ("Cargo.lock", FileKind::Generated),
        ("package-lock.json", FileKind::Generated),
        ("web/cart.min.js", FileKind::Generated),
        ("node_modules/cart/index.js", FileKind::Generated),
        ("api/cart_pb2.py", FileKind::Generated),
    ] {
        assert_eq!(FileKind::of(path), kind, "{path}");
    }
}

#[test]
fn a_file_with_a_name_of_its_kind_is_about_its_folder() {
    for (path, about) in [
        ("src/cart.rs", "cart"),
        ("src/cart/mod.rs", "cart"),
        ("web/cart/index.test.ts", "cart"),
        ("shop/cart/__init__.py", "cart"),
        ("src/lib.rs", "lib"),
        ("main.go", "main"),
        (".env", ".env"),
    ] {
        assert_eq!(subject(path), about, "{path}");
    }
}

#[test]
fn a_line_defines_a_name() {
    for (line, name) in [
        ("pub(crate) async fn total(&self) -> u64 {", Some("total")),
        ("    def total(self):", Some("total")),
        ("class Cart(Base):", Some("Cart")),
        ("export default class Cart {", Some("Cart")),
        ("export const applyDiscount = (cart) => {", Some("applyDiscount")),
        ("func (c *Cart) Total() int {", Some("Total")),
        ("public static int total(Cart cart) {", Some("total")),
        ("public final class Cart {", Some("Cart")),
        ("CREATE TABLE carts (", Some("carts")),
        ("pub const fn limit() -> u8 {", Some("limit")),
        ("macro_rules! cart {", Some("cart")),
        ("pub mod cart;", None),
        ("mod cart {", Some("cart")),
        ("// fn total", None),
        ("# class Cart", None),
        ("let total = cart.total();", None),
        ("return function", None),
        ("", None),
    ] {
        assert_eq!(defined(line), name, "{line}");
    }
}
