//! The keys that hold: the usual ones, with the person's own put over them. A map that can't be read is refused whole.

use super::KeyAction;
use super::chord::{Chord, OptionKey};
use crossterm::event::{KeyEvent, KeyEventKind, KeyModifiers};
use std::collections::{BTreeMap, HashMap};

/// Most keys one action may have.
const MAX_KEYS: usize = 8;

/// Without a key for these nobody could stop the agent, leave, or say anything.
const NEEDED: [KeyAction; 3] = [KeyAction::Interrupt, KeyAction::Leave, KeyAction::Submit];

/// Held for the system, never for us.
pub(crate) const SYSTEM: KeyModifiers = KeyModifiers::SUPER.union(KeyModifiers::HYPER).union(KeyModifiers::META);

/// Which key means what.
#[derive(Clone, Debug)]
pub struct Keymap {
    keys: BTreeMap<KeyAction, Vec<Chord>>,
    actions: HashMap<Chord, KeyAction>,
    option: OptionKey,
}

impl Default for Keymap {
    fn default() -> Keymap {
        let usual = KeyAction::ALL.iter().map(|action| {
            let keys = action.usual_keys().iter().filter_map(|key| Chord::written(key).ok()).collect();
            (*action, keys)
        });
        Keymap::of(usual.collect())
    }
}

impl Keymap {
    /// The usual keys, with those of the settings instead where there are any: `{"cycleMode": ["shift+tab", "alt+m"]}`.
    pub fn with(settings: &BTreeMap<String, Vec<String>>) -> Result<Keymap, Vec<String>> {
        let mut problems = Vec::new();
        let mut keys = Keymap::default().keys;
        for (name, written) in settings {
            let Some(action) = KeyAction::ALL.iter().find(|action| action.name() == name) else {
                problems.push(unknown(name));
                continue;
            };
            if written.len() > MAX_KEYS {
                problems.push(format!("{name} has {} keys; {MAX_KEYS} is the most", written.len()));
                continue;
            }
            let mut chords = Vec::new();
            for text in written {
                match Chord::written(text) {
                    Ok(chord) if chords.contains(&chord) => {}
                    Ok(chord) => chords.push(chord),
                    Err(problem) => problems.push(format!("{name}: {problem}")),
                }
            }
            if written.is_empty() && NEEDED.contains(action) {
                problems.push(format!("{name} needs a key: without one nobody could {}", need(*action)));
            }
            keys.insert(*action, chords);
        }
        problems.extend(twice(&keys));
        if problems.is_empty() { Ok(Keymap::of(keys)) } else { Err(problems) }
    }

    fn of(keys: BTreeMap<KeyAction, Vec<Chord>>) -> Keymap {
        let actions = keys.iter().flat_map(|(action, chords)| chords.iter().map(|chord| (*chord, *action))).collect();
        Keymap { keys, actions, option: OptionKey::here() }
    }

    /// What a key means, if it is not for typing. A key that is let go means nothing, and what is held with the key of
    /// the system (Super, Cmd) belongs to the system.
    pub(crate) fn action(&self, key: &KeyEvent) -> Option<KeyAction> {
        match key.kind {
            _ if key.modifiers.intersects(SYSTEM) => None,
            KeyEventKind::Press | KeyEventKind::Repeat => self.actions.get(&Chord::reported(key, self.option)).copied(),
            KeyEventKind::Release => None,
        }
    }

    /// The keys of an action in words, the most usual first.
    pub(crate) fn keys_of(&self, action: KeyAction) -> Vec<String> {
        self.keys.get(&action).into_iter().flatten().map(Chord::words).collect()
    }

    #[cfg(test)]
    pub(super) fn on(self, option: OptionKey) -> Keymap {
        Keymap { option, ..self }
    }
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = KeyAction::ALL.iter().map(|action| action.name()).collect();
    format!("`{name}` is not an action; there are {}", names.join(", "))
}

fn need(action: KeyAction) -> &'static str {
    match action {
        KeyAction::Interrupt => "stop the agent",
        KeyAction::Leave => "leave",
        _ => "send anything",
    }
}

fn twice(keys: &BTreeMap<KeyAction, Vec<Chord>>) -> Vec<String> {
    let mut first: HashMap<Chord, KeyAction> = HashMap::new();
    let mut problems = Vec::new();
    for (action, chords) in keys {
        for chord in chords {
            match first.get(chord) {
                Some(other) => {
                    problems.push(format!("{} can't mean {} and {}", chord.words(), other.name(), action.name()));
                }
                None => {
                    first.insert(*chord, *action);
                }
            }
        }
    }
    problems
}
