//! What cages, rehearsals, edits, the git probe and the doctor promise, as root and as an ordinary person.
#![expect(clippy::disallowed_methods, reason = "prepares and inspects workspaces")]
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod cages;
mod corpora;
mod doctor;
mod edits;
mod folder;
mod git;
mod later;
mod live;
mod network;
#[path = "../support/permitted.rs"]
mod permitted;
mod personal;
mod planted;
mod planted_git;
mod planting;
mod rehearsal;
mod secrets;
mod waiting;
mod workspaces;

#[test]
fn all_of_this_holds_for_an_ordinary_person_too() {
    workspaces::again_as_an_ordinary_person("all_of_this_holds_for_an_ordinary_person_too");
}
