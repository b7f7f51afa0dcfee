//! Who answers: a language model over the network, or the built-in scout. One stream of events from both.

use crate::scout;
use fore_model::{Chosen, Client, Duty, Error, Event, EventKind, Events, ModelName, Request};
use std::{collections::VecDeque, fmt, sync::Arc};

/// One that answers requests.
#[derive(Clone, Debug)]
pub enum Brain {
    Remote(Box<Remote>),
    /// No language model: searches and writes a scoping plan.
    Scout,
}

/// A language model and the way to it.
#[derive(Clone, Debug)]
pub struct Remote {
    pub client: Client,
    pub chosen: Chosen,
}

/// An answer as it comes in.
#[derive(Debug)]
pub enum Answering {
    Remote(Box<Events>),
    Scout { model: ModelName, events: VecDeque<EventKind> },
}

impl Brain {
    pub fn name(&self) -> ModelName {
        match self {
            Brain::Remote(remote) => remote.chosen.name.clone(),
            Brain::Scout => scout::name(),
        }
    }

    /// The size of the context, where it is known.
    pub fn window(&self) -> Option<u64> {
        match self {
            Brain::Remote(remote) => remote.chosen.facts.and_then(|facts| facts.context_tokens),
            Brain::Scout => None,
        }
    }

    pub async fn stream(&self, request: &Request, duty: Duty) -> Result<Answering, Error> {
        match self {
            Brain::Remote(remote) => {
                Ok(Answering::Remote(Box::new(remote.client.stream(&remote.chosen, request).await?)))
            }
            Brain::Scout => {
                let events = scout::answer(&request.history, duty).into();
                Ok(Answering::Scout { model: scout::name(), events })
            }
        }
    }
}

impl Answering {
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        match self {
            Answering::Remote(events) => events.next().await,
            Answering::Scout { model, events } => {
                events.pop_front().map(|kind| Ok(Event { model: model.clone(), kind }))
            }
        }
    }
}

/// Finds a brain by the name a person gives.
pub type Chooser = Arc<dyn Fn(&str) -> Result<Brain, String> + Send + Sync>;

/// The brains of a session, by duty.
#[derive(Clone)]
pub struct Brains {
    pub plan: Brain,
    pub act: Brain,
    pub small: Brain,
    /// For a change of model while the session runs.
    pub choose: Chooser,
}

impl fmt::Debug for Brains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = (self.plan.name(), self.act.name(), self.small.name());
        f.debug_tuple("Brains").field(&names).finish()
    }
}

impl Brains {
    /// One brain for everything, and no other to change to.
    pub fn one(brain: Brain) -> Brains {
        let choose: Chooser = Arc::new(|name: &str| Err(format!("no other model is set up, so not `{name}`")));
        Brains { plan: brain.clone(), act: brain.clone(), small: brain, choose }
    }

    pub fn of(&self, duty: Duty) -> &Brain {
        match duty {
            Duty::Plan => &self.plan,
            Duty::Act => &self.act,
            Duty::Small => &self.small,
        }
    }

    /// Puts another brain in place, for one duty or for all.
    pub fn replace(&mut self, brain: Brain, duty: Option<Duty>) {
        match duty {
            Some(Duty::Plan) => self.plan = brain,
            Some(Duty::Act) => self.act = brain,
            Some(Duty::Small) => self.small = brain,
            None => (self.plan, self.act, self.small) = (brain.clone(), brain.clone(), brain),
        }
    }
}
