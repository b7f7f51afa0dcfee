//! What this program keeps from the other processes of the same person: its memory, and the keys in its environment.
#![expect(clippy::disallowed_methods, reason = "takes the keys out of the environment")]

use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use std::ffi::{CStr, c_char};

unsafe extern "C" {
    static environ: *const *mut c_char;
}

/// Call it at the start of `main`, before there is a second thread: nobody may look into this process any more, and the named
/// variables are taken out of its environment, so that no child gets them. Gives the values of those that were set.
pub fn protect(names: &[&str]) -> Vec<(String, String)> {
    // It cannot fail with this value; were it to, the keys are still taken out below.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let taken =
        names.iter().filter_map(|name| Some(((*name).to_owned(), crate::person_environment::text(name)?))).collect();
    for name in names {
        wipe(name);
        // SAFETY: the caller is the only thread.
        unsafe { std::env::remove_var(name) };
    }
    taken
}

/// Overwrites the value where the kernel put it: a variable that is only unset stays readable in `/proc/PID/environ`.
fn wipe(name: &str) {
    // SAFETY: the caller is the only thread; the list ends with a null pointer, and each text in it with a zero.
    unsafe {
        let mut at = environ;
        while !at.is_null() && !(*at).is_null() {
            let entry = *at;
            let text = CStr::from_ptr(entry).to_bytes();
            if text.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"=")) {
                for place in name.len() + 1..text.len() {
                    entry.add(place).write_volatile(0);
                }
            }
            at = at.add(1);
        }
    }
}
