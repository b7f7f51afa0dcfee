//! Long texts that stand in the draft as one short word each, and are whole when the draft is sent.

/// Stands in front of each chip in the text. Nobody can type or paste it: control characters are made visible before they get here.
pub(super) const MARK: char = '\u{1}';

/// Most bytes of long texts that one draft keeps, counting those that an undo could bring back.
const MAX_KEPT_BYTES: usize = 4 * 1024 * 1024;

/// Most long texts that one draft keeps.
const MAX_CHIPS: usize = 64;

/// The long texts of one draft.
#[derive(Debug, Default)]
pub(super) struct Chips {
    kept: Vec<Chip>,
}

#[derive(Debug)]
struct Chip {
    /// What the draft shows instead, unique in the draft.
    label: String,
    text: String,
}

impl Chips {
    /// Keeps a text and gives what stands for it in the draft.
    pub(super) fn keep(&mut self, text: String, origin: &str) -> Result<String, String> {
        if let Some(chip) = self.kept.iter().find(|chip| chip.text == text) {
            return Ok(format!("{MARK}{}", chip.label));
        }
        let bytes: usize = self.kept.iter().map(|chip| chip.text.len()).sum();
        if self.kept.len() >= MAX_CHIPS || bytes + text.len() > MAX_KEPT_BYTES {
            return Err("Not taken: this prompt has held too many long texts. Send or empty it first.".into());
        }
        let label = self.label(&text, origin);
        let shown = format!("{MARK}{label}");
        self.kept.push(Chip { label, text });
        Ok(shown)
    }

    fn label(&self, text: &str, origin: &str) -> String {
        let size = match text.lines().count() {
            0 | 1 => format!("{} letters", text.chars().count()),
            lines => format!("{lines} lines"),
        };
        let plain = format!("[{origin} {size}]");
        let taken = |label: &str| self.kept.iter().any(|chip| chip.label == label);
        (2..=MAX_CHIPS + 1)
            .map(|number| format!("[{origin} {size}, #{number}]"))
            .fold(plain, |label, next| if taken(&label) { next } else { label })
    }

    /// The text with every chip whole.
    pub(super) fn expand(&self, shown: &str) -> String {
        let mut pieces = shown.split(MARK);
        let mut whole = String::from(pieces.next().unwrap_or_default());
        for piece in pieces {
            match self.at(piece) {
                Some(chip) => {
                    whole.push_str(&chip.text);
                    whole.push_str(piece.get(chip.label.len()..).unwrap_or_default());
                }
                None => whole.push_str(piece),
            }
        }
        whole
    }

    /// Where chips stand in a line, as byte ranges that include the mark.
    pub(super) fn ranges(&self, line: &str) -> Vec<std::ops::Range<usize>> {
        line.match_indices(MARK)
            .filter_map(|(start, mark)| {
                let chip = self.at(line.get(start + mark.len()..)?)?;
                Some(start..start + mark.len() + chip.label.len())
            })
            .collect()
    }

    fn at(&self, rest: &str) -> Option<&Chip> {
        self.kept.iter().find(|chip| rest.starts_with(&chip.label))
    }

    pub(super) fn clear(&mut self) {
        self.kept.clear();
    }
}
