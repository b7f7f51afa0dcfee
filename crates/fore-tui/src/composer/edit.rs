//! Keys that write, move and cut, as shells have them. Keys with a meaning of their own never come here.

use super::draft::{Draft, Refused};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::{CursorMove, TextArea};

/// What a key did to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    Nothing,
    Moved,
    Changed,
}

/// Moves and cuts that the text area knows by itself.
enum Doing {
    Move(CursorMove),
    Cut(fn(&mut TextArea<'static>) -> bool),
    Type(char),
    Yank,
}

pub(super) fn edit(draft: &mut Draft, key: &KeyEvent) -> Result<Edit, Refused> {
    let Some(doing) = doing(key) else {
        return Ok(Edit::Nothing);
    };
    match doing {
        Doing::Type(letter) => draft.type_letter(letter).map(|()| Edit::Changed),
        Doing::Yank => draft.yank().map(|()| Edit::Changed),
        Doing::Move(to) => {
            select(draft, key.modifiers.contains(KeyModifiers::SHIFT));
            draft.area.move_cursor(to);
            draft.settle();
            Ok(Edit::Moved)
        }
        Doing::Cut(cut) => {
            let changed = cut(&mut draft.area);
            draft.settle();
            Ok(if changed { Edit::Changed } else { Edit::Nothing })
        }
    }
}

fn select(draft: &mut Draft, shift: bool) {
    match (shift, draft.area.is_selecting()) {
        (true, false) => draft.area.start_selection(),
        (false, true) => draft.area.cancel_selection(),
        (true, true) | (false, false) => {}
    }
}

fn doing(key: &KeyEvent) -> Option<Doing> {
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    match key.code {
        KeyCode::Char(letter) => match (ctrl, alt) {
            (false, false) => typed(letter),
            (true, false) => with_ctrl(letter),
            (false, true) => with_alt(letter),
            // AltGr of some systems is reported as both.
            (true, true) => typed(letter).filter(|_| !letter.is_ascii_alphanumeric()),
        },
        KeyCode::Backspace if ctrl || alt => Some(Doing::Cut(TextArea::delete_word)),
        KeyCode::Backspace => Some(Doing::Cut(TextArea::delete_char)),
        KeyCode::Delete if ctrl || alt => Some(Doing::Cut(TextArea::delete_next_word)),
        KeyCode::Delete => Some(Doing::Cut(TextArea::delete_next_char)),
        KeyCode::Left if ctrl || alt => Some(Doing::Move(CursorMove::WordBack)),
        KeyCode::Left => Some(Doing::Move(CursorMove::Back)),
        KeyCode::Right if ctrl || alt => Some(Doing::Move(CursorMove::WordForward)),
        KeyCode::Right => Some(Doing::Move(CursorMove::Forward)),
        KeyCode::Up => Some(Doing::Move(CursorMove::Up)),
        KeyCode::Down => Some(Doing::Move(CursorMove::Down)),
        KeyCode::Home if ctrl => Some(Doing::Move(CursorMove::Jump(0, 0))),
        KeyCode::Home => Some(Doing::Move(CursorMove::Head)),
        KeyCode::End if ctrl => Some(Doing::Move(CursorMove::Jump(u16::MAX, u16::MAX))),
        KeyCode::End => Some(Doing::Move(CursorMove::End)),
        _ => None,
    }
}

fn typed(letter: char) -> Option<Doing> {
    fore_text::may_show(letter).then_some(Doing::Type(letter))
}

fn with_ctrl(letter: char) -> Option<Doing> {
    Some(match letter.to_ascii_lowercase() {
        'a' => Doing::Move(CursorMove::Head),
        'e' => Doing::Move(CursorMove::End),
        'b' => Doing::Move(CursorMove::Back),
        'f' => Doing::Move(CursorMove::Forward),
        'h' => Doing::Cut(TextArea::delete_char),
        'd' => Doing::Cut(TextArea::delete_next_char),
        'k' => Doing::Cut(TextArea::delete_line_by_end),
        'u' => Doing::Cut(TextArea::delete_line_by_head),
        'w' => Doing::Cut(TextArea::delete_word),
        'x' => Doing::Cut(TextArea::cut),
        'y' => Doing::Yank,
        _ => return None,
    })
}

fn with_alt(letter: char) -> Option<Doing> {
    Some(match letter.to_ascii_lowercase() {
        'b' => Doing::Move(CursorMove::WordBack),
        'f' => Doing::Move(CursorMove::WordForward),
        'd' => Doing::Cut(TextArea::delete_next_word),
        '<' => Doing::Move(CursorMove::Jump(0, 0)),
        '>' => Doing::Move(CursorMove::Jump(u16::MAX, u16::MAX)),
        _ => return None,
    })
}
