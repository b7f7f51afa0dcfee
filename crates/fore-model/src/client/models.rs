//! What a server offers: its list of models with their sizes, near names for one it does not have, and the size of the one that is asked.

use std::time::Duration;

use reqwest::{RequestBuilder, Url};
use serde_json::{Value, json};

use super::send::describe;
use super::{Client, Wait};
use crate::error::Error;
use crate::fault;
use crate::provider::{ChosenModel, Price, known_names};
use fore_text::spelling::nearest;

/// It is a courtesy; nobody waits long for it.
const LIST_TIMEOUT: Duration = Duration::from_secs(4);
const MAX_LIST_BYTES: usize = 4 * 1024 * 1024;
const MAX_SUGGESTIONS: usize = 5;

/// A model that a server says it has.
#[derive(Clone, Debug, PartialEq)]
pub struct OfferedModel {
    /// What the server calls it.
    pub name: String,
    /// How much it can read and write in one request, where the server says so.
    pub window: Option<u64>,
    /// What it costs, where the server says so.
    pub price: Option<Price>,
}

impl Client {
    pub(super) async fn near_names(&self, model: &ChosenModel) -> Vec<String> {
        let listed = self.list_models(model).await;
        let mut names: Vec<String> = match &listed {
            Ok(offered) => offered.iter().map(|offered| offered.name.clone()).collect(),
            Err(_) => known_names(model.name.provider()).map(str::to_owned).collect(),
        };
        // The server has just refused this one, whatever its list says.
        names.retain(|name| name != model.name.name());
        let near = nearest(model.name.name(), names.iter().map(String::as_str), MAX_SUGGESTIONS);
        if near.is_empty() && listed.is_ok() { names.into_iter().take(MAX_SUGGESTIONS).collect() } else { near }
    }

    /// The models the server says it has, or why it does not say so within a few seconds.
    pub async fn list_models(&self, model: &ChosenModel) -> Result<Vec<OfferedModel>, Error> {
        Ok(self.known(model).await?.1)
    }

    /// The list as it came, and what is known of each model: gateways tell prices on a page of their own.
    async fn known(&self, model: &ChosenModel) -> Result<(Value, Vec<OfferedModel>), Error> {
        let listed = self.listed(model).await;
        let mut all = listed.as_ref().map(offered).unwrap_or_default();
        let is_silent = matches!(listed, Err(Error::Network { .. } | Error::Auth { .. } | Error::Timeout { .. }));
        let may_tell_more = model.is_moved && !model.is_runtime() && !is_silent;
        if may_tell_more && all.iter().all(|offered| offered.price.is_none()) && !listed.as_ref().is_ok_and(is_llamacpp)
        {
            let told = self.beside(model, "/model/info", None).await;
            complete(&mut all, told.as_ref().map(offered).unwrap_or_default());
        }
        match listed {
            Err(error) if all.is_empty() => Err(error),
            listed => Ok((listed.unwrap_or_default(), all)),
        }
    }

    async fn listed(&self, model: &ChosenModel) -> Result<Value, Error> {
        let request = self.http(model).get(model.endpoint.models()).headers(self.key_headers(model)?);
        self.document(model, request).await
    }

    /// A JSON document of a server.
    async fn document(&self, model: &ChosenModel, request: RequestBuilder) -> Result<Value, Error> {
        tokio::select! {
            biased;
            document = self.fetch(model, request) => document,
            () = self.clock.sleep(LIST_TIMEOUT, Wait::Silence) => Err(Error::Timeout {
                model: model.name.clone(),
                after: LIST_TIMEOUT,
                phase: crate::error::FailurePhase::BeforeAnswering,
                so_far: Box::default(),
            }),
        }
    }

    async fn fetch(&self, model: &ChosenModel, request: RequestBuilder) -> Result<Value, Error> {
        let unreached = |error: reqwest::Error| {
            let message = super::send::unreached(model, &describe(error));
            Error::Network {
                model: model.name.clone(),
                address: model.place(),
                attempts: 1,
                message: model.scrub(&message),
            }
        };
        let mut response = request.send().await.map_err(unreached)?;
        let status = response.status();
        let mut text = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(unreached)? {
            if text.len() + chunk.len() > MAX_LIST_BYTES {
                return Err(Error::TooLarge {
                    model: model.name.clone(),
                    limit: MAX_LIST_BYTES,
                    so_far: Box::default(),
                });
            }
            text.extend_from_slice(&chunk);
        }
        let code = status.as_u16();
        if !status.is_success() {
            let mut fault = fault::of_response(model.protocol, code, &text);
            fault.message = model.scrub(&fault.message);
            return Err(super::send::refused(model, Some(code), fault, 1, None));
        }
        serde_json::from_slice(&text).map_err(|_| {
            let message = format!("its answer is not JSON: {}", fault::gist(&text));
            Error::BadRequest { model: model.name.clone(), status: code, message }
        })
    }

    /// Looks once for the size and the price of a model, where its server can tell more than the table. Asking the model does that too.
    pub async fn prepare(&self, model: &ChosenModel) {
        let is_known = !model.is_at_own_server() && model.facts.is_some_and(|facts| facts.context_tokens.is_some());
        if is_known || model.options.context_tokens.is_some() || !self.notes.asks_first(model) {
            return;
        }
        let (listed, all) = self.known(model).await.unwrap_or_default();
        if is_llamacpp(&listed) {
            self.notes.keep_progress(model);
        }
        let offered = one_of(&all, model.name.name());
        if let Some(price) = offered.and_then(|offered| offered.price) {
            self.notes.keep_price(model, price);
        }
        let mut window = offered.and_then(|offered| offered.window);
        if window.is_none() && model.provider.keyless {
            window = match model.name.provider() {
                "ollama" => self.ollama_window(model).await,
                _ if listed.is_null() => None,
                _ => self.props_window(model).await,
            };
        }
        if let Some(window) = window {
            self.notes.keep_window(model, window);
        }
    }

    /// llama.cpp's own page.
    async fn props_window(&self, model: &ChosenModel) -> Option<u64> {
        let props = self.beside(model, "/props", None).await?;
        props.pointer("/default_generation_settings/n_ctx").or_else(|| props.get("n_ctx"))?.as_u64()
    }

    /// Ollama's own pages: what is loaded now, else what the model was made for.
    async fn ollama_window(&self, model: &ChosenModel) -> Option<u64> {
        let name = model.name.name();
        let loaded = self.beside(model, "/api/ps", None).await;
        if let Some(window) = loaded.as_ref().and_then(|loaded| entry_of(loaded, name)).and_then(window) {
            return Some(window);
        }
        let shown = self.beside(model, "/api/show", Some(json!({ "model": name }))).await?;
        ollama_shown(&shown)
    }

    async fn beside(&self, model: &ChosenModel, path: &str, body: Option<Value>) -> Option<Value> {
        let url: Url = model.endpoint.beside(path);
        let request = match body {
            Some(body) => self.http(model).post(url).body(body.to_string()),
            None => self.http(model).get(url),
        };
        let headers = self.key_headers(model).ok()?;
        self.document(model, request.headers(headers)).await.ok()
    }
}

/// What a model file of Ollama sets, else what the model was trained for.
fn ollama_shown(shown: &Value) -> Option<u64> {
    let set = shown.get("parameters").and_then(Value::as_str).and_then(|parameters| {
        let line = parameters.lines().find_map(|line| line.trim().strip_prefix("num_ctx"))?;
        line.trim().parse().ok()
    });
    let made_for = || {
        let facts = shown.get("model_info")?.as_object()?;
        facts.iter().find(|(key, _)| key.ends_with(".context_length"))?.1.as_u64()
    };
    set.or_else(made_for)
}

fn entries(list: &Value) -> impl Iterator<Item = &Value> {
    list.get("data").or_else(|| list.get("models")).unwrap_or(list).as_array().into_iter().flatten()
}

fn name_of(entry: &Value) -> Option<&str> {
    let name = ["id", "name", "model_name"].iter().find_map(|field| entry.get(field)?.as_str())?;
    Some(name.strip_prefix("models/").unwrap_or(name))
}

fn is_llamacpp(list: &Value) -> bool {
    entries(list).any(|entry| entry.get("owned_by").is_some_and(|owner| owner == "llamacpp"))
}

/// What is known of a model; of a server that has only one model, of that one: such servers answer to any name.
fn one_of<'l>(all: &'l [OfferedModel], name: &str) -> Option<&'l OfferedModel> {
    let only = || if let [only] = all { Some(only) } else { None };
    all.iter().find(|offered| offered.name == name).or_else(only)
}

/// Adds what a second page says; models that only it has are offered too.
fn complete(all: &mut Vec<OfferedModel>, told: Vec<OfferedModel>) {
    for more in told {
        match all.iter_mut().find(|offered| offered.name == more.name) {
            Some(offered) => {
                offered.window = offered.window.or(more.window);
                offered.price = offered.price.or(more.price);
            }
            None => all.push(more),
        }
    }
}

/// The entry of a model; of a server that has only one model, that one: such servers answer to any name.
fn entry_of<'l>(list: &'l Value, name: &str) -> Option<&'l Value> {
    let only = || if entries(list).count() == 1 { entries(list).next() } else { None };
    entries(list).find(|entry| name_of(entry) == Some(name)).or_else(only)
}

/// How much a model can read, wherever a server puts it; what was loaded counts before what the model was made for.
fn window(entry: &Value) -> Option<u64> {
    const PLACES: [&str; 10] = [
        "/meta/n_ctx",
        "/loaded_context_length",
        "/max_model_len",
        "/context_length",
        "/context_window",
        "/max_context_length",
        "/inputTokenLimit",
        "/max_input_tokens",
        "/model_info/max_input_tokens",
        "/meta/n_ctx_train",
    ];
    PLACES.iter().find_map(|place| entry.pointer(place)?.as_u64()).filter(|tokens| *tokens > 0)
}

/// US dollars for a million tokens, where a server names dollars for one: OpenRouter under `pricing`, LiteLLM under `model_info`.
fn price(entry: &Value) -> Option<Price> {
    let each = |places: [&str; 2]| -> Option<f64> {
        let value = places.iter().find_map(|place| entry.pointer(place).filter(|value| !value.is_null()))?;
        let dollars = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
        (dollars >= 0.0).then_some(dollars * 1e6)
    };
    let input = each(["/pricing/prompt", "/model_info/input_cost_per_token"])?;
    let output = each(["/pricing/completion", "/model_info/output_cost_per_token"])?;
    let read = each(["/pricing/input_cache_read", "/model_info/cache_read_input_token_cost"]);
    let write = each(["/pricing/input_cache_write", "/model_info/cache_creation_input_token_cost"]);
    Some(Price { input, output, cached_read: read.unwrap_or(input), cached_write: write.unwrap_or(input) })
}

fn offered(list: &Value) -> Vec<OfferedModel> {
    let one = |entry: &Value| {
        let name = name_of(entry)?.to_owned();
        Some(OfferedModel { name, window: window(entry), price: price(entry) })
    };
    entries(list).filter_map(one).collect()
}

/// The names in a list: `data` with `id`, and `models` with `name`.
pub(crate) fn names(list: &Value) -> Vec<String> {
    entries(list).filter_map(name_of).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_says_the_size_of_its_window_in_its_own_place() {
        let page = [
            (json!({"data": [{"id": "q", "meta": {"n_ctx": 4096, "n_ctx_train": 32768}}]}), Some(4096)),
            (json!({"data": [{"id": "q", "max_model_len": 16384}]}), Some(16384)),
            (
                json!({"data": [{"id": "q", "context_length": 131072, "pricing": {"prompt": "0.000001", "completion": "0"}}]}),
                Some(131072),
            ),
            (json!({"models": [{"name": "models/q", "inputTokenLimit": 1048576}]}), Some(1048576)),
            (json!({"data": [{"id": "q"}]}), None),
        ];
        for (list, expected) in page {
            let offered = offered(&list);
            assert_eq!((offered[0].name.as_str(), offered[0].window), ("q", expected), "{list}");
        }
        let priced = json!({"data": [{"id": "q", "pricing": {"prompt": "0.000001", "completion": "0.000004"}}]});
        assert_eq!(offered(&priced)[0].price.map(|price| (price.input, price.output)), Some((1.0, 4.0)));
    }

    #[test]
    fn a_gateway_tells_prices_and_names_on_a_page_of_its_own() {
        let page = json!({"data": [
            {"model_name": "a", "model_info": {"max_input_tokens": 8192, "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6,
                "cache_read_input_token_cost": null}},
            {"model_name": "b", "model_info": {"max_input_tokens": null, "input_cost_per_token": null}},
        ]});
        let mut all = offered(&json!({"data": [{"id": "a"}]}));
        complete(&mut all, offered(&page));
        let said = |offered: &OfferedModel| {
            let price = offered.price.map(|price| (price.input, price.output, price.cached_read));
            (offered.name.clone(), offered.window, price)
        };
        let expected = [("a".to_owned(), Some(8192), Some((1.0, 2.0, 1.0))), ("b".to_owned(), None, None)];
        assert_eq!(all.iter().map(said).collect::<Vec<_>>(), expected);
        assert_eq!(one_of(&all, "c"), None, "one of two is not meant");
        assert_eq!(one_of(&all[..1], "c").map(|offered| offered.name.as_str()), Some("a"));
    }

    #[test]
    fn what_a_model_file_sets_counts_before_what_the_model_was_made_for() {
        let facts = json!({"model_info": {"qwen2.context_length": 32768}, "parameters": "stop \"x\"\nnum_ctx   8192"});
        assert_eq!(ollama_shown(&facts), Some(8192));
        assert_eq!(ollama_shown(&json!({"model_info": {"qwen2.context_length": 32768}})), Some(32768));
        assert_eq!(ollama_shown(&json!({})), None);
    }
}
