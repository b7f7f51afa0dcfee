//! The 256 colours that most terminals have: a cube of 216 and a row of greys. The first sixteen are the person's and left
//! alone.

/// How strong a colour is at each step of the cube.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
const CUBE: u8 = 16;
const GREYS: u8 = 232;

/// The number of the nearest one.
pub(super) fn nearest(wanted: [u8; 3]) -> u8 {
    (CUBE..=u8::MAX).min_by_key(|number| distance(rgb(*number), wanted)).unwrap_or(u8::MAX)
}

/// The colour with a number from sixteen on.
pub(super) fn rgb(number: u8) -> [u8; 3] {
    if number >= GREYS {
        return [8 + 10 * (number - GREYS); 3];
    }
    let place = usize::from(number.saturating_sub(CUBE));
    [STEPS[place / 36 % 6], STEPS[place / 6 % 6], STEPS[place % 6]]
}

fn distance(one: [u8; 3], other: [u8; 3]) -> u32 {
    one.iter().zip(other).map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum()
}
