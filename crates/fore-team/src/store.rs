//! Where teams are kept, and the ways in: starting one, opening a place in one, looking at one.

use crate::{
    error::TeamResult,
    local,
    membership::{MemberPlace, Membership},
    name::{MemberName, TeamName},
    roster::TeamOverview,
    server::{self, ServerUrl},
};
use fore_store::Home;
use std::sync::Arc;

/// Where teams are kept.
#[derive(Clone, Debug)]
pub struct TeamStore {
    kind: StoreKind,
}

#[derive(Clone, Debug)]
enum StoreKind {
    Local(Arc<Home>),
    Server(Box<ServerUrl>),
}

impl TeamStore {
    /// Teams of this machine, in the person's home.
    pub fn one_machine(home: Arc<Home>) -> TeamStore {
        TeamStore { kind: StoreKind::Local(home) }
    }

    /// Teams that a PostgreSQL server keeps, for several machines.
    pub fn on_server(url: ServerUrl) -> TeamStore {
        TeamStore { kind: StoreKind::Server(Box::new(url)) }
    }

    /// The teams that are here, by name; ended ones too.
    pub async fn teams(&self) -> TeamResult<Vec<TeamName>> {
        match &self.kind {
            StoreKind::Local(home) => local::teams(home).await,
            StoreKind::Server(url) => server::teams(url).await,
        }
    }

    /// Starts a team and opens its lead's place.
    pub async fn start(&self, team: &TeamName, lead: &MemberName) -> TeamResult<Membership> {
        let place = match &self.kind {
            StoreKind::Local(home) => MemberPlace::Local(local::start(home, team, lead).await?),
            StoreKind::Server(url) => MemberPlace::Server(Box::new(server::start(url, team, lead).await?)),
        };
        Ok(Membership::new(place))
    }

    /// Opens a member's place. Only one process has it at a time; on one machine it is free as soon as that process is gone, on a server some
    /// seconds later.
    pub async fn open(&self, team: &TeamName, member: &MemberName) -> TeamResult<Membership> {
        let place = match &self.kind {
            StoreKind::Local(home) => MemberPlace::Local(local::open(home, team, member).await?),
            StoreKind::Server(url) => MemberPlace::Server(Box::new(server::open(url, team, member).await?)),
        };
        Ok(Membership::new(place))
    }

    /// What is to be seen of a team, without a place in it.
    pub async fn overview(&self, team: &TeamName) -> TeamResult<TeamOverview> {
        match &self.kind {
            StoreKind::Local(home) => local::overview(home, team).await,
            StoreKind::Server(url) => server::overview(url, team).await,
        }
    }
}
