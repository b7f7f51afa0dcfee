//! What a heading or label says about the lines beneath it: leave alone, only a reference, to be made, to be run.

use super::NotGrantedReason;
use super::word_set::WordSet;
use crate::plan::names_verification;

/// A longer text is a sentence, and no label.
const MAX_LABEL_BYTES: usize = 80;

/// What the lines beneath a heading or label are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SectionKind {
    NotGranted(NotGrantedReason),
    /// Files to make or change.
    Changes,
    /// Files to make.
    NewFiles,
    /// Files that go.
    Deletions,
    /// Commands to run.
    Commands,
}

impl SectionKind {
    /// What is beneath stays as it is.
    pub(super) fn leaves_alone(self) -> bool {
        self == SectionKind::NotGranted(NotGrantedReason::OutOfScope)
    }
}

/// Whether a line has anything on it that can be seen: letters that are drawn, and no remark.
pub(super) fn is_seen(text: &str) -> bool {
    let bare = text.trim();
    let is_remark = bare.starts_with("<!--") && bare.ends_with("-->");
    !is_remark && text.chars().any(|letter| !letter.is_whitespace() && fore_text::hidden(letter).is_none())
}

/// Anywhere in a heading they say that something stays as it is.
const LEFT_ALONE: &str = "out of scope, not in scope, outside scope, outside the scope, outside of scope, beyond scope, beyond the scope, \
    non goal, non goals, nongoals, not a goal, not goals, unchanged, untouched, not changed, not change, not \
    changing, not touch, not touched, not touching, not modify, not modified, not edit, not edited, no change, no \
    changes, not affected, unaffected, not included, not doing, not approved, not planned, off limits, leave alone, left alone, as is, not part \
    of, hands off, these alone, this alone, them alone, must stay, read only, protected files, frozen files";
/// One of them is in each of these phrases.
static SIGNS: WordSet = WordSet::new(
    "scope goal goals nongoals non unchanged untouched unaffected not no off alone as stay only protected frozen",
);
/// The same in other languages that plans are written in.
const LEFT_ALONE_ABROAD: &str = "nicht im umfang, außerhalb des umfangs, nicht geändert, nicht ändern, unverändert, nicht anfassen, nicht angefasst, ausserhalb des umfangs, bleibt wie, bleiben wie, \
    hors périmètre, hors scope, inchangé, ne pas modifier, fuera de alcance, fuera del alcance, sin cambios, no modificar, \
    fora de escopo, fora do escopo, fuori ambito, вне рамок, без изменений, не менять, 不在范围, 范围外, 超出范围, 不修改, 不改动, 範囲外, 対象外, \
    変更しない, 범위 외, 변경 없음";
/// One of them is in each of these phrases that has no letter but plain ones.
static SIGNS_ABROAD: WordSet = WordSet::new("nicht hors ne fuera sin no fora fuori ausserhalb bleibt bleiben");
const REFERENCES_ABROAD: &str = "hintergrund, kontext, ausgangslage, contexte, contexto, contesto, referencias, références, referenzen, \
    контекст, 背景, 参考, 上下文, 参考资料, 배경, 참고";
/// Alone, or with words that say nothing, they mean the same.
static LEFT_ALONE_ALONE: WordSet = WordSet::new(
    "deferred later future followup followups excluded exclusions exclude postponed skipped follow up ups work frozen \
     untouchable protected",
);
/// Alone, or with words that say nothing of what it is that they deny, they mean the same.
static DENIALS: WordSet = WordSet::new("not never leave leaving keep keeping kept wont");
/// May stand with them.
static BESIDE_DENIALS: WordSet = WordSet::new(
    "we i will do does did would should must now yet here change changes it them they these those pr release version task",
);
/// Alone, or with words that say nothing, they mean that a file is only pointed to.
static REFERENCES: WordSet = WordSet::new(
    "alternative alternatives analysis also assumption assumptions background caveats cause considered context \
     current diagnosis existing exploration explored findings follow glossary investigation links mirror mitigation \
     mitigations motivation options prior art problem read reading reference references rejected related research \
     resources reusable reuse reused reusing review risk risks root see situation statement symptom symptoms today \
     tradeoff tradeoffs understanding why copy learned reviewed inspected found asked",
);
static CHANGES: WordSet = WordSet::new(
    "add added adds additions affected change changed changes create created creates edit edited edits extend \
     modification modifications modified modifies modify move moved new rename renamed renames touch touched update \
     updated updates",
);
static NEW_FILES: WordSet = WordSet::new("add added adds additions create created creates new");
static DELETIONS: WordSet =
    WordSet::new("delete deleted deletes deletion deletions remove removed removes removal removals");
static COMMANDS: WordSet =
    WordSet::new("run command commands execute shell terminal verify check build lint validate try");
/// Say nothing about what is beneath.
static FILLERS: WordSet = WordSet::new(
    "a all an and any application architecture are area areas at be behavior behaviour by code codebase component \
     was what components explicitly design docs documentation file files first folders for from function functions helper helpers how \
     implementation important in info information it items key likely list module modules notes of on or other \
     pattern patterns plan project relevant repo section state system technical that the this to utilities we while with working",
);

/// What a heading or label says; none if it says nothing of the kind.
pub(super) fn section(text: &str) -> Option<SectionKind> {
    let text = match text.contains("n't ") || text.contains("n’t ") {
        true => text.replace("n't ", " not ").replace("n’t ", " not "),
        false => text.to_owned(),
    };
    let folded: String = text.chars().filter_map(plain_letter).collect();
    let words: Vec<&str> =
        folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && !is_number(word)).collect();
    let line = format!(" {} ", words.join(" "));
    let consist_of = |known: &WordSet| {
        words.iter().any(|word| known.contains(word))
            && words.iter().all(|word| known.contains(word) || FILLERS.contains(word))
    };
    let is_left_alone =
        words.iter().any(|word| SIGNS.contains(word)) && LEFT_ALONE.split(", ").any(|phrase| has_words(&line, phrase));
    let abroad = if text.is_ascii() { text.to_ascii_lowercase() } else { text.to_lowercase() };
    let may_be_abroad = !text.is_ascii() || words.iter().any(|word| SIGNS_ABROAD.contains(word));
    let is_left_alone =
        is_left_alone || may_be_abroad && LEFT_ALONE_ABROAD.split(", ").any(|phrase| abroad.contains(phrase));
    let is_denial = words.iter().any(|word| DENIALS.contains(word))
        && words.iter().all(|word| DENIALS.contains(word) || BESIDE_DENIALS.contains(word) || FILLERS.contains(word));
    if is_left_alone || is_denial || consist_of(&LEFT_ALONE_ALONE) || looks_like(&text, LEFT_ALONE) {
        return Some(SectionKind::NotGranted(NotGrantedReason::OutOfScope));
    }
    let bare = abroad.trim_matches(|c: char| !c.is_alphabetic());
    let is_abroad = REFERENCES_ABROAD.split(", ").any(|word| word == bare);
    if is_abroad || consist_of(&REFERENCES) || looks_like(&text, "background, context, references, reuse, alternatives")
    {
        return Some(SectionKind::NotGranted(NotGrantedReason::Reference));
    }
    if consist_of(&NEW_FILES) {
        return Some(SectionKind::NewFiles);
    }
    if consist_of(&DELETIONS) {
        return Some(SectionKind::Deletions);
    }
    if names_verification(&folded) || words.iter().any(|word| matches!(*word, "command" | "commands")) {
        return Some(SectionKind::Commands);
    }
    if consist_of(&COMMANDS) {
        return Some(SectionKind::Commands);
    }
    let changes = words.iter().any(|word| CHANGES.contains(word) || matches!(*word, "file" | "files"));
    changes.then_some(SectionKind::Changes)
}

/// Whether the words of a phrase stand in a line that begins and ends with a blank.
fn has_words(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let end = at.saturating_add(phrase.len());
        line.get(..at).is_some_and(|before| before.ends_with(' '))
            && line.get(end..).is_some_and(|rest| rest.starts_with(' '))
    })
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A letter as it is compared: small, and of the alphabet that it looks like. Characters that nobody sees are none.
fn plain_letter(c: char) -> Option<char> {
    if c.is_ascii() {
        return Some(c.to_ascii_lowercase());
    }
    if fore_text::hidden(c).is_some_and(|hidden| hidden != fore_text::Hidden::Blank) {
        return None;
    }
    let code = u32::from(c);
    let place = match code {
        0xff21..=0xff3a => Some(code - 0xff21),
        0xff41..=0xff5a => Some(code - 0xff41),
        0x1d400..=0x1d6a3 => Some((code - 0x1d400) % 26),
        0x24b6..=0x24e9 => Some((code - 0x24b6) % 26),
        0x1f110..=0x1f129 => Some(code - 0x1f110),
        0x1f130..=0x1f149 => Some(code - 0x1f130),
        0x1f150..=0x1f169 => Some(code - 0x1f150),
        0x1f170..=0x1f189 => Some(code - 0x1f170),
        _ => None,
    };
    let styled = place.and_then(|place| u8::try_from(place).ok()).map(|place| char::from(b'a'.saturating_add(place)));
    Some(styled.unwrap_or_else(|| drawn_alike(c)))
}

/// Letters of other scripts that cannot be told from a Latin one.
fn drawn_alike(c: char) -> char {
    match c {
        'а' | 'А' | 'α' | 'Α' | 'ᴀ' => 'a',
        'В' | 'в' | 'Β' | 'ʙ' => 'b',
        'с' | 'С' | 'ϲ' | 'Ϲ' | 'ᴄ' => 'c',
        'ԁ' | 'ᴅ' => 'd',
        'е' | 'Е' | 'Ε' | 'ε' | 'ᴇ' => 'e',
        'ƒ' | 'ꜰ' => 'f',
        'ɡ' | 'ɢ' => 'g',
        'һ' | 'Н' | 'н' | 'Η' | 'ʜ' => 'h',
        'і' | 'І' | 'Ι' | 'ι' | 'ı' | 'ɪ' => 'i',
        'ј' | 'Ј' => 'j',
        'к' | 'К' | 'κ' | 'Κ' | 'ᴋ' => 'k',
        'ʟ' | 'ⅼ' | 'ӏ' => 'l',
        'м' | 'М' | 'Μ' | 'ᴍ' => 'm',
        'п' | 'η' | 'Ν' | 'ɴ' => 'n',
        'о' | 'О' | 'ο' | 'Ο' | 'օ' | 'ᴏ' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' | 'ᴘ' => 'p',
        'ԛ' => 'q',
        'г' | 'ʀ' => 'r',
        'ѕ' | 'Ѕ' | 'ꜱ' => 's',
        'т' | 'Т' | 'τ' | 'Τ' | 'ᴛ' => 't',
        'υ' | 'ս' | 'ц' | 'ᴜ' => 'u',
        'ν' | 'ѵ' | 'ᴠ' => 'v',
        'ԝ' | 'ω' | 'ᴡ' => 'w',
        'х' | 'Х' | 'χ' | 'Χ' => 'x',
        'у' | 'У' | 'γ' | 'Υ' | 'ʏ' => 'y',
        'ᴢ' | 'Ζ' => 'z',
        other => other.to_lowercase().next().unwrap_or(other),
    }
}

/// Whether a text with odd letters in it could be read as one of the phrases: an odd letter may stand for any. Half of the
/// letters must be the phrase's own, so that a heading in another script is none of them.
fn looks_like(text: &str, phrases: &str) -> bool {
    if text.is_ascii() || text.len() > MAX_LABEL_BYTES.saturating_mul(2) {
        return false;
    }
    let letters: Vec<char> = text.chars().filter_map(plain_letter).filter(|c| c.is_alphanumeric()).collect();
    let is_odd = |c: char| !c.is_ascii_alphabetic();
    phrases.split(", ").any(|phrase| {
        let wanted: Vec<char> = phrase.chars().filter(|c| *c != ' ').collect();
        letters.windows(wanted.len()).any(|found| {
            let pairs = || found.iter().zip(&wanted);
            let own = pairs().filter(|(found, wanted)| found == wanted).count();
            pairs().all(|(found, wanted)| found == wanted || is_odd(*found)) && own.saturating_mul(2) >= wanted.len()
        })
    })
}

/// The label at the head of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineLabel<'a> {
    pub(super) text: &'a str,
    /// What stands behind it on the same line.
    pub(super) rest: &'a str,
}

/// `Out of scope`, `Files: …`, `**Files:** …`, `- **Create**: …`, `**Unchanged**`.
pub(super) fn label(line: &str) -> Option<LineLabel<'_>> {
    let line = without_marker(line);
    let (text, rest) = match line.strip_prefix("**").or_else(|| line.strip_prefix("__")) {
        Some(bold) => {
            let (text, rest) = bold.split_once("**").or_else(|| bold.split_once("__"))?;
            let is_label = text.trim_end().ends_with([':', '.'])
                || rest.trim().is_empty()
                || rest.trim_start().starts_with([':', '-', '—', '–', '(']);
            is_label.then_some((text, rest))?
        }
        None => match line.split_once(':') {
            Some((text, rest)) if is_short(text) && !rest.starts_with([':', '/', '\\']) => (text, rest),
            // A line of its own that says to leave things alone needs no sign that it is a label.
            Some(_) | None if is_short(line) && matches!(section(line), Some(SectionKind::NotGranted(_))) => (line, ""),
            Some(_) | None => return None,
        },
    };
    let text = text.trim().trim_end_matches([':', '.']).trim_matches(['*', '_', ' ']);
    let is_label = !text.is_empty() && text.len() <= MAX_LABEL_BYTES && !text.contains('`');
    is_label.then(|| LineLabel { text, rest: rest.trim_start_matches([':', ' ', '*', '_', '—', '–', '-']) })
}

/// Few words, none of them a path or code.
fn is_short(text: &str) -> bool {
    text.len() <= MAX_LABEL_BYTES
        && text.split_whitespace().count() <= 6
        && !text.contains(['`', '/', '|'])
        && !text.ends_with('.')
}

/// The line without `- `, `3. `, `[ ] ` and `> ` before it.
pub(super) fn without_marker(line: &str) -> &str {
    let mut rest = line.trim();
    // Bounded: a line cannot hold more markers than these and mean anything.
    for _ in 0..4 {
        let bare = rest.trim_start_matches('>').trim_start();
        let bare = match bare.strip_prefix(['-', '*', '+']) {
            Some(item) if item.starts_with(' ') => item.trim_start(),
            Some(_) | None => bare,
        };
        let bare = ["[ ] ", "[x] ", "[X] "].iter().find_map(|tick| bare.strip_prefix(tick)).unwrap_or(bare);
        let digits = bare.trim_start_matches(|c: char| c.is_ascii_digit());
        let bare = match digits.strip_prefix(['.', ')']) {
            Some(item) if digits.len() < bare.len() && item.starts_with(' ') => item.trim_start(),
            Some(_) | None => bare,
        };
        if bare == rest {
            break;
        }
        rest = bare;
    }
    rest
}

/// What a line begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListMarker {
    None,
    Bullet,
    /// `2.`: often a heading that is not written as one.
    Number,
}

/// Whether a line is an item of a list.
pub(super) fn marker(line: &str) -> ListMarker {
    let line = line.trim();
    match without_marker(line).len() < line.len() {
        false => ListMarker::None,
        true if line.starts_with(|c: char| c.is_ascii_digit()) => ListMarker::Number,
        true => ListMarker::Bullet,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_abroad_of_plain_letters_has_its_sign() {
        for phrase in LEFT_ALONE_ABROAD.split(", ").filter(|phrase| phrase.is_ascii()) {
            assert!(phrase.split(' ').any(|word| SIGNS_ABROAD.contains(word)), "{phrase}");
            assert!(matches!(section(phrase), Some(SectionKind::NotGranted(_))), "{phrase}");
        }
    }

    #[test]
    fn every_phrase_has_its_sign() {
        for phrase in LEFT_ALONE.split(", ") {
            assert!(phrase.split(' ').any(|word| SIGNS.contains(word)), "{phrase}");
        }
    }
}
