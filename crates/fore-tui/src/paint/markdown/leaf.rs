//! The blocks of a document as data: a leaf, and the containers around it.

use std::ops::RangeInclusive;

/// A finished leaf with what stands around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlacedLeaf {
    /// Source lines, from 1.
    pub(crate) source: RangeInclusive<u32>,
    pub(crate) containers: Vec<Container>,
    pub(crate) leaf: Leaf,
    /// Empty source lines stand before it.
    pub(crate) is_apart: bool,
}

/// A container around a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Container {
    /// The same for every leaf in the same container.
    pub(crate) id: u32,
    pub(crate) kind: ContainerKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ContainerKind {
    Quote,
    Item {
        marker: ItemMarker,
        /// This is the first leaf of the item: the marker is drawn before it.
        is_first: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemMarker {
    Bullet,
    Number(u64, char),
    Task { is_done: bool },
}

/// A block without blocks inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    /// Source lines of inline text.
    Paragraph(Vec<String>),
    Heading(usize, String),
    Rule,
    /// Begins a code block; its lines follow one by one.
    CodeBegins(String),
    Code(String),
    Table(MarkdownTable),
    /// An item without any text.
    Empty,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MarkdownTable {
    pub(crate) aligns: Vec<ColumnAlign>,
    /// Empty where the rows go on from an earlier piece.
    pub(crate) header: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
    pub(crate) first_row: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnAlign {
    Left,
    Middle,
    Right,
}
