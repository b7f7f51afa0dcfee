//! What a source file is made of, read by the grammar of its language: definitions, prose, and what it takes from elsewhere.

use std::{
    ops::{ControlFlow, RangeInclusive},
    time::{Duration, Instant},
};
use tree_sitter::{Language, Node, ParseOptions, Parser, Tree};

/// Most that one file may take.
const MAX_TIME: Duration = Duration::from_millis(150);
/// A longer file is not parsed.
const MAX_BYTES: usize = 1 << 20;
/// Nodes that are looked at, and how deep they may lie.
const MAX_NODES: usize = 400_000;
const MAX_DEPTH: usize = 400;

/// Lines count from 1.
#[derive(Debug, Default, Clone, PartialEq)]
pub(in crate::scout) struct Structure {
    pub(in crate::scout) definitions: Vec<DefinedRange>,
    /// What each line is, from the first on; what is missing is code.
    lines: Vec<SourceLineKind>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum SourceLineKind {
    #[default]
    Code,
    /// Comments and documentation.
    Prose,
    /// Imports and re-exports.
    Import,
}

/// Something with a name, and the lines that it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::scout) struct DefinedRange {
    pub(in crate::scout) name: String,
    pub(in crate::scout) first: usize,
    pub(in crate::scout) last: usize,
    /// Holds other definitions, as a class does.
    pub(in crate::scout) is_container: bool,
}

/// The grammar for files with this ending.
fn language(path: &str) -> Option<Language> {
    let (_, ending) = path.rsplit_once('.')?;
    Some(match ending {
        "rs" => tree_sitter_rust::LANGUAGE.into(),
        "py" | "pyi" => tree_sitter_python::LANGUAGE.into(),
        "js" | "jsx" | "mjs" | "cjs" => tree_sitter_javascript::LANGUAGE.into(),
        "ts" | "tsx" | "mts" | "cts" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "c" | "h" => tree_sitter_c::LANGUAGE.into(),
        "php" => tree_sitter_php::LANGUAGE_PHP.into(),
        _ => return None,
    })
}

impl Structure {
    /// None where no grammar knows the file, or reading it takes too long.
    pub(in crate::scout) fn of(path: &str, text: &str) -> Option<Structure> {
        let language = language(path).filter(|_| text.len() <= MAX_BYTES)?;
        let mut parser = Parser::new();
        parser.set_language(&language).ok()?;
        let tree = parse(&mut parser, text.as_bytes())?;
        let mut structure = Structure::default();
        structure.collect(&tree, text);
        Some(structure)
    }

    fn collect(&mut self, tree: &Tree, text: &str) {
        let mut cursor = tree.walk();
        let (mut nodes, mut depth) = (0_usize, 0_usize);
        loop {
            nodes += 1;
            let enters = self.take(cursor.node(), text) && depth < MAX_DEPTH && nodes < MAX_NODES;
            if enters && cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                depth = depth.saturating_sub(1);
            }
        }
    }

    /// Takes a node; whether to look inside.
    fn take(&mut self, node: Node<'_>, text: &str) -> bool {
        if !node.is_named() {
            return false;
        }
        let lines = node.start_position().row + 1..=node.end_position().row + 1;
        match node.kind() {
            "variable_declarator" if takes_from_elsewhere(node, text) => {
                self.mark(lines, SourceLineKind::Import, node, text);
                false
            }
            "comment" | "line_comment" | "block_comment" => {
                self.mark(lines, SourceLineKind::Prose, node, text);
                false
            }
            // A string that stands alone is documentation.
            "expression_statement" if node.named_child(0).is_some_and(|only| only.kind() == "string") => {
                self.mark(lines, SourceLineKind::Prose, node, text);
                false
            }
            "use_declaration"
            | "import_statement"
            | "import_from_statement"
            | "import_declaration"
            | "import_spec"
            | "package_declaration"
            | "preproc_include"
            | "namespace_use_declaration" => {
                self.mark(lines, SourceLineKind::Import, node, text);
                false
            }
            "export_statement" if node.child_by_field_name("source").is_some() => {
                self.mark(lines, SourceLineKind::Import, node, text);
                false
            }
            "string" | "string_literal" | "template_string" | "raw_string_literal" => false,
            kind => {
                if let Some((name, is_container)) = defined_by(kind, node, text) {
                    self.definitions.push(DefinedRange {
                        name: name.to_owned(),
                        first: *lines.start(),
                        last: *lines.end(),
                        is_container,
                    });
                }
                true
            }
        }
    }

    /// Marks lines; a comment behind code leaves its line code.
    fn mark(&mut self, lines: RangeInclusive<usize>, kind: SourceLineKind, node: Node<'_>, text: &str) {
        let before = text.get(..node.start_byte()).and_then(|before| before.rsplit('\n').next());
        let is_first = |before: &str| matches!(before.trim(), "" | "const" | "let" | "var");
        let first = lines.start() - usize::from(before.is_none_or(is_first));
        // A node that ends with its line break ends on the line before.
        let last = lines.end() - usize::from(node.end_position().column == 0);
        if self.lines.len() < last {
            self.lines.resize(last, SourceLineKind::Code);
        }
        for line in self.lines.iter_mut().take(last).skip(first) {
            *line = kind;
        }
    }

    /// Whether a line is nothing but prose.
    pub(in crate::scout) fn is_prose(&self, line: usize) -> bool {
        self.kind(line) == SourceLineKind::Prose
    }

    pub(in crate::scout) fn is_import(&self, line: usize) -> bool {
        self.kind(line) == SourceLineKind::Import
    }

    /// Whether a definition is a test, or stands among tests: in Rust they are in the file that they test.
    pub(in crate::scout) fn is_within_tests(&self, held: &DefinedRange) -> bool {
        let is_test = |name: &str| {
            let name = name.to_lowercase();
            matches!(name.as_str(), "test" | "tests") || name.ends_with("_tests") || name.starts_with("test_")
        };
        let holds = |outer: &&DefinedRange| outer.first <= held.first && held.last <= outer.last;
        self.definitions.iter().filter(holds).any(|outer| is_test(&outer.name))
    }

    fn kind(&self, line: usize) -> SourceLineKind {
        line.checked_sub(1).and_then(|at| self.lines.get(at)).copied().unwrap_or_default()
    }
}

fn parse(parser: &mut Parser, bytes: &[u8]) -> Option<Tree> {
    let until = Instant::now() + MAX_TIME;
    let mut in_time = |_: &tree_sitter::ParseState| {
        if Instant::now() < until { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut in_time);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// The name that a node defines, and whether it holds further definitions.
fn defined_by<'a>(kind: &str, node: Node<'_>, text: &'a str) -> Option<(&'a str, bool)> {
    let field = |name: &str| node.child_by_field_name(name).and_then(|child| text.get(child.byte_range()));
    let is_function = |name: &str| {
        node.child_by_field_name(name).is_some_and(|value| {
            matches!(
                value.kind(),
                "function" | "function_expression" | "arrow_function" | "class" | "generator_function"
            )
        })
    };
    let at_top = || {
        let parent = node.parent().and_then(|parent| parent.parent());
        parent.is_none_or(|above| matches!(above.kind(), "program" | "export_statement" | "module"))
    };
    let name = match kind {
        "function_item"
        | "function_signature_item"
        | "const_item"
        | "static_item"
        | "macro_definition"
        | "type_item"
        | "function_definition"
        | "function_declaration"
        | "generator_function_declaration"
        | "method_definition"
        | "method_declaration"
        | "constructor_declaration"
        | "type_alias_declaration"
        | "type_spec"
        | "const_spec"
        | "method"
        | "singleton_method"
        | "const_element"
        | "preproc_def"
        | "preproc_function_def" => (field("name").or_else(|| declared(node, text))?, false),
        "struct_item"
        | "enum_item"
        | "trait_item"
        | "union_item"
        | "mod_item"
        | "class_definition"
        | "class_declaration"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "struct_specifier"
        | "union_specifier"
        | "enum_specifier"
        | "class"
        | "module"
        | "trait_declaration"
        | "internal_module" => {
            // Without a body it only says that there is one.
            node.child_by_field_name("body")?;
            (field("name")?, true)
        }
        "impl_item" => (field("type")?, true),
        "variable_declarator" if is_function("value") || at_top() => (field("name")?, false),
        "assignment_expression" if is_function("right") => (field("left")?.rsplit('.').next()?, false),
        "pair" if is_function("value") => (field("key")?, false),
        "assignment" if node.parent().and_then(|it| it.parent()).is_some_and(|it| it.kind() == "module") => {
            (field("left")?, false)
        }
        _ => return None,
    };
    let is_name = |name: &str| {
        (1..=80).contains(&name.len())
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '?' | '!' | '<' | '>' | ':' | '\'' | ',' | ' '))
    };
    let (name, holds) = name;
    let name = name.split(['<', ' ']).next().unwrap_or(name);
    is_name(name).then_some((name, holds))
}

/// `const x = require('y')` is an import.
fn takes_from_elsewhere(node: Node<'_>, text: &str) -> bool {
    let value = node.child_by_field_name("value").and_then(|value| text.get(value.byte_range()));
    value.is_some_and(|value| value.starts_with("require(") || value.starts_with("import("))
}

/// The name within the declarators of C.
fn declared<'a>(node: Node<'_>, text: &'a str) -> Option<&'a str> {
    let mut inner = node.child_by_field_name("declarator")?;
    for _ in 0..8 {
        match inner.child_by_field_name("declarator") {
            Some(next) => inner = next,
            None => break,
        }
    }
    text.get(inner.byte_range())
}
