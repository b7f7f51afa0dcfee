//! Keys that write, move and cut, as shells have them. Keys with a meaning of their own never come here.

use super::text::{ComposerText, InputRefusal};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::{CursorMove, TextArea};

/// What a key did to the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EditStep {
    Nothing,
    Moved,
    Changed,
}

/// Moves and cuts that the text area knows by itself.
enum EditCommand {
    Move(CursorMove),
    Cut(fn(&mut TextArea<'static>) -> bool),
    Type(char),
    Yank,
}

pub(super) fn edit(draft: &mut ComposerText, key: &KeyEvent) -> Result<EditStep, InputRefusal> {
    let Some(doing) = edit_command(key) else {
        return Ok(EditStep::Nothing);
    };
    match doing {
        EditCommand::Type(letter) => draft.type_letter(letter).map(|()| EditStep::Changed),
        EditCommand::Yank => draft.yank().map(|()| EditStep::Changed),
        EditCommand::Move(to) => {
            select(draft, key.modifiers.contains(KeyModifiers::SHIFT));
            draft.area.move_cursor(to);
            draft.settle();
            Ok(EditStep::Moved)
        }
        EditCommand::Cut(cut) => {
            let changed = cut(&mut draft.area);
            draft.settle();
            Ok(if changed { EditStep::Changed } else { EditStep::Nothing })
        }
    }
}

fn select(draft: &mut ComposerText, shift: bool) {
    match (shift, draft.area.is_selecting()) {
        (true, false) => draft.area.start_selection(),
        (false, true) => draft.area.cancel_selection(),
        (true, true) | (false, false) => {}
    }
}

fn edit_command(key: &KeyEvent) -> Option<EditCommand> {
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
        KeyCode::Backspace if ctrl || alt => Some(EditCommand::Cut(TextArea::delete_word)),
        KeyCode::Backspace => Some(EditCommand::Cut(TextArea::delete_char)),
        KeyCode::Delete if ctrl || alt => Some(EditCommand::Cut(TextArea::delete_next_word)),
        KeyCode::Delete => Some(EditCommand::Cut(TextArea::delete_next_char)),
        KeyCode::Left if ctrl || alt => Some(EditCommand::Move(CursorMove::WordBack)),
        KeyCode::Left => Some(EditCommand::Move(CursorMove::Back)),
        KeyCode::Right if ctrl || alt => Some(EditCommand::Move(CursorMove::WordForward)),
        KeyCode::Right => Some(EditCommand::Move(CursorMove::Forward)),
        KeyCode::Up => Some(EditCommand::Move(CursorMove::Up)),
        KeyCode::Down => Some(EditCommand::Move(CursorMove::Down)),
        KeyCode::Home if ctrl => Some(EditCommand::Move(CursorMove::Jump(0, 0))),
        KeyCode::Home => Some(EditCommand::Move(CursorMove::Head)),
        KeyCode::End if ctrl => Some(EditCommand::Move(CursorMove::Jump(u16::MAX, u16::MAX))),
        KeyCode::End => Some(EditCommand::Move(CursorMove::End)),
        _ => None,
    }
}

fn typed(letter: char) -> Option<EditCommand> {
    fore_text::may_show(letter).then_some(EditCommand::Type(letter))
}

fn with_ctrl(letter: char) -> Option<EditCommand> {
    Some(match letter.to_ascii_lowercase() {
        'a' => EditCommand::Move(CursorMove::Head),
        'e' => EditCommand::Move(CursorMove::End),
        'b' => EditCommand::Move(CursorMove::Back),
        'f' => EditCommand::Move(CursorMove::Forward),
        'h' => EditCommand::Cut(TextArea::delete_char),
        'd' => EditCommand::Cut(TextArea::delete_next_char),
        'k' => EditCommand::Cut(TextArea::delete_line_by_end),
        'u' => EditCommand::Cut(TextArea::delete_line_by_head),
        'w' => EditCommand::Cut(TextArea::delete_word),
        'x' => EditCommand::Cut(TextArea::cut),
        'y' => EditCommand::Yank,
        _ => return None,
    })
}

fn with_alt(letter: char) -> Option<EditCommand> {
    Some(match letter.to_ascii_lowercase() {
        'b' => EditCommand::Move(CursorMove::WordBack),
        'f' => EditCommand::Move(CursorMove::WordForward),
        'd' => EditCommand::Cut(TextArea::delete_next_word),
        '<' => EditCommand::Move(CursorMove::Jump(0, 0)),
        '>' => EditCommand::Move(CursorMove::Jump(u16::MAX, u16::MAX)),
        _ => return None,
    })
}
