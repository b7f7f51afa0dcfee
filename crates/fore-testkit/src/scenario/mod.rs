//! Scenarios: folders that tell a story about the real program, played over every protocol and compared with a page of text.
//!
//! A folder holds `scenario.json` (what is started, and what the person does), `model.json` (what the model says),
//! `workspace/` (the files to begin with) and `expected.txt` (what everybody saw, and what changed on disk).

mod call;
mod compare;
mod disk;
mod event;
mod folders;
mod format;
mod page;
mod play;
mod process;
mod stable;
mod suite;
mod told;

pub use suite::{Suite, main};

use crate::protocol::WireProtocol;
use folders::ScenarioFolders;
use format::{PageExtra, Scenario};
use page::ScenarioPage;
use play::Player;
use std::path::Path;

/// Why a scenario could not be played at all.
pub(crate) type ScenarioError = String;

/// What came of one scenario over one protocol.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) page: String,
    /// What is wrong whatever the page says.
    pub(crate) problems: Vec<String>,
}

/// Plays the scenario of a folder.
pub(crate) fn play(suite: &Suite, folder: &Path, protocol: WireProtocol) -> Result<Played, ScenarioError> {
    let scenario = Scenario::read(folder)?;
    let place = ScenarioFolders::new(&suite.scratch, folder, &scenario)?;
    let server = place.server(folder, protocol)?;
    place.settings(&scenario, protocol, &server.origin())?;
    let before = place.trees()?;
    let mut page = ScenarioPage::new(&scenario);
    let mut problems = Vec::new();
    for run in &scenario.runs {
        let mut player = Player { suite, folders: &place, server: &server, protocol, page: &mut page };
        problems.extend(player.run(&scenario, run)?);
    }
    page.title("what the model was told");
    told::write(&mut page, &server.requests(), scenario.has(PageExtra::WholeWords), scenario.has(PageExtra::Tools));
    page.title("what changed on disk");
    disk::write(&mut page, &place, &before)?;
    if scenario.has(PageExtra::Audit) {
        page.title("the audit log");
        disk::audit(&mut page, &place)?;
    }
    problems.extend(place.left_running());
    if let Err(report) = server.finish() {
        problems.push(report.to_string());
    }
    Ok(Played { page: stable::stable(&page.text(), &place), problems })
}
