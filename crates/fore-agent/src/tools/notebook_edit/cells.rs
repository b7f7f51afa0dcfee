//! The cells of a notebook as stretches of its text, so that changing one leaves every other byte alone.

use crate::tools::input;
use fore_sandbox::edit::fingerprint;
use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{fmt, ops::Range};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = input::without_type)]
pub(crate) enum CellType {
    Code,
    Markdown,
    Raw,
}

/// What happens to a cell.
pub(super) enum CellEdit<'a> {
    Replace {
        /// None: as it was.
        kind: Option<CellType>,
        source: &'a str,
    },
    /// A new cell that has this number afterwards.
    Insert {
        kind: CellType,
        source: &'a str,
    },
    Delete,
}

pub(super) struct Cells<'a> {
    text: &'a str,
    list: Range<usize>,
    cells: Vec<NotebookCell<'a>>,
    has_ids: bool,
}

struct NotebookCell<'a> {
    range: Range<usize>,
    fields: Vec<(String, &'a RawValue)>,
}

#[derive(Deserialize)]
struct Notebook<'a> {
    #[serde(borrow)]
    cells: &'a RawValue,
    nbformat: Option<u64>,
    nbformat_minor: Option<u64>,
}

impl CellType {
    /// The word that a notebook itself has for it.
    fn of_notebook(word: &str) -> Option<CellType> {
        [CellType::Code, CellType::Markdown, CellType::Raw].into_iter().find(|kind| kind.name() == word)
    }

    fn name(self) -> &'static str {
        match self {
            CellType::Code => "code",
            CellType::Markdown => "markdown",
            CellType::Raw => "raw",
        }
    }
}

impl<'a> Cells<'a> {
    pub(super) fn read(text: &'a str) -> Result<Cells<'a>, String> {
        let wrong = |error: serde_json::Error| error.to_string();
        let notebook: Notebook<'a> = serde_json::from_str(text).map_err(wrong)?;
        let cells: Vec<&'a RawValue> = serde_json::from_str(notebook.cells.get()).map_err(wrong)?;
        let cell = |raw: &'a RawValue| {
            let ObjectFields(fields) = serde_json::from_str(raw.get()).map_err(wrong)?;
            Ok(NotebookCell { range: range(text, raw.get()), fields })
        };
        Ok(Cells {
            text,
            list: range(text, notebook.cells.get()),
            cells: cells.into_iter().map(cell).collect::<Result<_, String>>()?,
            // Ids came with format 4.5; older readers refuse them.
            has_ids: (notebook.nbformat, notebook.nbformat_minor) >= (Some(4), Some(5)),
        })
    }

    /// The number of a cell that is named by its id or its number.
    pub(super) fn find(&self, name: &str) -> Result<usize, String> {
        let ids = self.cells.iter().map(NotebookCell::id);
        let same: Vec<usize> =
            ids.enumerate().filter(|(_, id)| id.as_deref() == Some(name)).map(|(place, _)| place).collect();
        match (same.as_slice(), name.parse::<usize>()) {
            ([place], _) => Ok(*place),
            ([], Ok(place)) if place < self.cells.len() => Ok(place),
            ([], _) => Err(format!("There is no cell `{name}`; the notebook has {} cells, from 0.", self.cells.len())),
            (several, _) => {
                Err(format!("{} cells have the id `{name}`; name the one you mean by its number.", several.len()))
            }
        }
    }

    /// The notebook with the edit made.
    pub(super) fn edited(&self, place: usize, edit: &CellEdit<'_>) -> Result<String, String> {
        let gone = || format!("There is no cell {place}.");
        let own = |place: usize| self.cells.get(place).map(|cell| cell.range.clone());
        let (range, text) = match edit {
            CellEdit::Replace { kind, source } => {
                let cell = self.cells.get(place).ok_or_else(gone)?;
                (cell.range.clone(), self.written(&cell.replaced(*kind, source, self)))
            }
            CellEdit::Insert { kind, source } => {
                let cell = self.written(&self.new_cell(*kind, source));
                let between = self.between();
                match (place.checked_sub(1).and_then(own), own(0)) {
                    (Some(before), _) => (before.end..before.end, format!(",{between}{cell}")),
                    (None, Some(first)) => (first.start..first.start, format!("{cell},{between}")),
                    (None, None) => (self.list.clone(), format!("[{between}{cell}{}]", self.line(1))),
                }
            }
            CellEdit::Delete => {
                match (own(place).ok_or_else(gone)?, own(place.saturating_add(1)), place.checked_sub(1).and_then(own)) {
                    (cell, Some(next), _) => (cell.start..next.start, String::new()),
                    (cell, None, Some(before)) => (before.end..cell.end, String::new()),
                    (_, None, None) => (self.list.clone(), "[]".to_owned()),
                }
            }
        };
        let (before, after) = (self.text.get(..range.start), self.text.get(range.end..));
        Ok(format!("{}{text}{}", before.unwrap_or_default(), after.unwrap_or_default()))
    }

    fn new_cell(&self, kind: CellType, source: &str) -> Vec<(String, String)> {
        let field = |name: &str, value: String| (name.to_owned(), value);
        let mut fields = vec![field("cell_type", quoted(kind.name()))];
        if kind == CellType::Code {
            fields.push(field("execution_count", "null".into()));
        }
        if self.has_ids {
            fields.push(field("id", quoted(&self.free_id(source))));
        }
        fields.push(field("metadata", "{}".into()));
        if kind == CellType::Code {
            fields.push(field("outputs", "[]".into()));
        }
        fields.push(field("source", self.source(source)));
        fields
    }

    /// An id that no cell has: made of the contents, so that the same edit gives the same file.
    fn free_id(&self, source: &str) -> String {
        let taken: Vec<String> = self.cells.iter().filter_map(NotebookCell::id).collect();
        let ids = (0..=taken.len()).map(|round| {
            let number = fingerprint(format!("{round} {source} {}", self.text.len()).as_bytes());
            format!("{:08x}", number & 0xffff_ffff)
        });
        ids.into_iter().find(|id| !taken.contains(id)).unwrap_or_default()
    }

    /// The lines of a source as notebooks keep them: each with its line end, in a list.
    fn source(&self, source: &str) -> String {
        let lines: Vec<String> =
            source.split_inclusive('\n').map(|line| format!("{}{}", self.line(4), quoted(line))).collect();
        if lines.is_empty() { "[]".into() } else { format!("[{}{}]", lines.join(","), self.line(3)) }
    }

    /// A cell in the layout of this notebook.
    fn written(&self, fields: &[(String, String)]) -> String {
        let colon = if self.unit().is_some() { ": " } else { ":" };
        let fields: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}{}{colon}{value}", self.line(3), quoted(name))).collect();
        format!("{{{}{}}}", fields.join(","), self.line(2))
    }

    /// What stands between two cells behind the comma.
    fn between(&self) -> String {
        self.line(2)
    }

    /// A line end and the indentation of this depth; nothing in a notebook that is written in one line.
    fn line(&self, depth: usize) -> String {
        self.unit().map_or_else(String::new, |unit| format!("\n{}", unit.repeat(depth)))
    }

    /// One step of indentation: that of the list's own key, which is one deep.
    fn unit(&self) -> Option<&'a str> {
        let before = self.text.get(..self.list.start)?;
        let line = before.rsplit_once('\n')?.1;
        Some(line.get(..line.len().saturating_sub(line.trim_start().len())).unwrap_or_default())
    }
}

impl NotebookCell<'_> {
    fn id(&self) -> Option<String> {
        let (_, id) = self.fields.iter().find(|(name, _)| name == "id")?;
        serde_json::from_str(id.get()).ok()
    }

    /// The fields with a new source; what a code cell has given out no longer belongs to it.
    fn replaced(&self, kind: Option<CellType>, source: &str, cells: &Cells<'_>) -> Vec<(String, String)> {
        let was = self.fields.iter().find(|(name, _)| name == "cell_type");
        let was = was.and_then(|(_, kind)| serde_json::from_str::<String>(kind.get()).ok());
        let kind = kind.or_else(|| CellType::of_notebook(was.as_deref()?));
        let mut fields: Vec<(String, String)> =
            self.fields.iter().map(|(name, value)| (name.clone(), value.get().to_owned())).collect();
        let mut set = |name: &str, value: String| match fields.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = value,
            None => fields.push((name.to_owned(), value)),
        };
        set("source", cells.source(source));
        if let Some(kind) = kind {
            set("cell_type", quoted(kind.name()));
            if kind == CellType::Code {
                set("execution_count", "null".into());
                set("outputs", "[]".into());
            } else {
                fields.retain(|(name, _)| name != "execution_count" && name != "outputs");
            }
        }
        fields
    }
}

/// A string as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Where a part that was borrowed from a text stands in it.
fn range(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    start..start.saturating_add(part.len())
}

/// The fields of an object in their order.
struct ObjectFields<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for ObjectFields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ObjectFields<'a>, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a cell, which is an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(ObjectVisitor).map(ObjectFields)
    }
}
