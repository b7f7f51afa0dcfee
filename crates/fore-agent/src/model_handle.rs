//! Who answers: a language model over the network, or the built-in scout. One stream of events from both.

use crate::scout;
use fore_model::{ChosenModel, Client, Duty, Error, EventKind, Events, ModelEvent, ModelName, ModelRequest};
use std::{collections::VecDeque, fmt, sync::Arc};

/// One that answers requests.
#[derive(Clone, Debug)]
pub enum ModelHandle {
    Remote(Box<RemoteModel>),
    /// No language model: searches and writes a scoping plan.
    Scout,
}

/// A language model and the way to it.
#[derive(Clone, Debug)]
pub struct RemoteModel {
    pub client: Client,
    pub chosen: ChosenModel,
}

/// An answer as it comes in.
#[derive(Debug)]
pub enum AnswerStream {
    Remote(Box<Events>),
    Scout { model: ModelName, events: VecDeque<EventKind> },
}

impl ModelHandle {
    pub fn name(&self) -> ModelName {
        match self {
            ModelHandle::Remote(remote) => remote.chosen.name.clone(),
            ModelHandle::Scout => scout::name(),
        }
    }

    /// The size of the context, where it is known.
    pub fn window(&self) -> Option<u64> {
        match self {
            ModelHandle::Remote(remote) => remote.chosen.facts.and_then(|facts| facts.context_tokens),
            ModelHandle::Scout => None,
        }
    }

    pub async fn stream(&self, request: &ModelRequest, duty: Duty) -> Result<AnswerStream, Error> {
        match self {
            ModelHandle::Remote(remote) => {
                Ok(AnswerStream::Remote(Box::new(remote.client.stream(&remote.chosen, request).await?)))
            }
            ModelHandle::Scout => {
                let events = scout::answer(&request.history, duty).into();
                Ok(AnswerStream::Scout { model: scout::name(), events })
            }
        }
    }
}

impl AnswerStream {
    pub async fn next(&mut self) -> Option<Result<ModelEvent, Error>> {
        match self {
            AnswerStream::Remote(events) => events.next().await,
            AnswerStream::Scout { model, events } => {
                events.pop_front().map(|kind| Ok(ModelEvent { model: model.clone(), kind }))
            }
        }
    }
}

/// Finds a model by the name a person gives.
pub type ModelChooser = Arc<dyn Fn(&str) -> Result<ModelHandle, String> + Send + Sync>;

/// The models of a session, by duty.
#[derive(Clone)]
pub struct ModelHandles {
    pub plan: ModelHandle,
    pub act: ModelHandle,
    pub small: ModelHandle,
    /// For a change of model while the session runs.
    pub choose: ModelChooser,
}

impl fmt::Debug for ModelHandles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = (self.plan.name(), self.act.name(), self.small.name());
        f.debug_tuple("ModelHandles").field(&names).finish()
    }
}

impl ModelHandles {
    /// One model for everything, and no other to change to.
    pub fn one(model: ModelHandle) -> ModelHandles {
        let choose: ModelChooser = Arc::new(|name: &str| Err(format!("no other model is set up, so not `{name}`")));
        ModelHandles { plan: model.clone(), act: model.clone(), small: model, choose }
    }

    pub fn of(&self, duty: Duty) -> &ModelHandle {
        match duty {
            Duty::Plan => &self.plan,
            Duty::Act => &self.act,
            Duty::Small => &self.small,
        }
    }

    /// Puts another model in place, for one duty or for all.
    pub fn replace(&mut self, model: ModelHandle, duty: Option<Duty>) {
        match duty {
            Some(Duty::Plan) => self.plan = model,
            Some(Duty::Act) => self.act = model,
            Some(Duty::Small) => self.small = model,
            None => (self.plan, self.act, self.small) = (model.clone(), model.clone(), model),
        }
    }
}
