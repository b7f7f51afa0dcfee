//! Loops: judged again until going round once more changes nothing that is known.

use super::{
    doubt::Doubt,
    script::{RawWord, Script},
    state::{Binding, ShellState},
    walk::{ScriptWalk, join},
};

impl<'t> ScriptWalk<'t> {
    /// Judges a loop until going round once more changes nothing that is known.
    pub(super) fn repeat<'a>(
        &mut self,
        state: &mut ShellState<'a>,
        mut round: impl FnMut(&mut ScriptWalk<'t>, &mut ShellState<'a>) -> Result<(), Doubt>,
    ) -> Result<(), Doubt> {
        let jumped_before = std::mem::replace(&mut self.jumped, false);
        let commands = state.context.commands.clone();
        let count = commands.get();
        self.loops += 1;
        let mut settled = false;
        for _ in 0..2 {
            // An inner loop would multiply the rounds of the outer one.
            if self.loops > 2 {
                break;
            }
            commands.set(count);
            let mut next = state.clone();
            round(self, &mut next)?;
            next.join(state.clone());
            settled = next.knows_the_same(state);
            *state = next;
            if settled {
                break;
            }
        }
        if !settled || self.jumped {
            state.forget();
            commands.set(count);
            let mut next = state.clone();
            round(self, &mut next)?;
            // What was set for the first time inside is not known either.
            next.forget();
            *state = next;
        }
        self.loops -= 1;
        self.jumped = jumped_before;
        Ok(())
    }

    pub(super) fn each<'a>(
        &mut self,
        state: &mut ShellState<'a>,
        name: RawWord<'t>,
        values: Option<&[RawWord<'t>]>,
        body: &Script<'t>,
    ) -> Result<(), Doubt> {
        if !super::scan::is_name(name.text) {
            let doubt = Doubt::new("syntax.name", "a loop variable that is not a name").at(name.start, name.end());
            return self.absorb(Err(doubt)).map(|_: Option<()>| ());
        }
        let named = super::environment::check_name(name.text).map_err(|doubt| doubt.at(name.start, name.end()));
        self.absorb(named)?;
        let binding = match values {
            None => Binding::anything(),
            Some(values) => self.listed(state, values)?,
        };
        self.repeat(state, |walk, state| {
            let before = state.clone();
            state.set(name.text, binding.clone());
            let failed = walk.script(state, body)?;
            join(state, failed);
            state.join(before);
            Ok(())
        })
    }
}
