//! What can be asked of the page. Everything under `/api/` has passed the token; what changes something is a POST with a JSON body.

use super::{
    page_error::PageError,
    request_check::{self, Opened},
    stream,
};
use crate::{
    answer::{self, NotSent, PageAnswer},
    difference,
    draft::NotDone,
    export::CommentFile,
    markdown,
    site::{LiveReview, SiteState},
    view,
};
use axum::{
    Extension, Router,
    body::Body,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    middleware,
    response::Response,
    routing::{get, post},
};
use fore_plan::{
    approval::GrantChanges,
    plan::{Hash, MAX_PLAN_BYTES},
};
use fore_store::unsent_review::{CommentState, NotePurpose};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{sync::Arc, time::Duration};

/// Bytes of a body: a whole plan, in which every letter may be written out as JSON.
const MAX_BODY_BYTES: usize = MAX_PLAN_BYTES * 6 + 64 * 1024;
/// How long a body may take.
const MAX_BODY_WAIT: Duration = Duration::from_secs(20);

type Site = State<Arc<SiteState>>;
type PageAnswered = Result<Response, PageError>;

/// The files of the page, compiled in.
const FILES: [(&str, &str, &str); 7] = [
    ("/page.css", "text/css; charset=utf-8", include_str!("../../web/page.css")),
    ("/page.js", JAVASCRIPT, include_str!("../../web/page.js")),
    ("/site.js", JAVASCRIPT, include_str!("../../web/site.js")),
    ("/rows.js", JAVASCRIPT, include_str!("../../web/rows.js")),
    ("/panels.js", JAVASCRIPT, include_str!("../../web/panels.js")),
    ("/decide.js", JAVASCRIPT, include_str!("../../web/decide.js")),
    ("/reading.js", JAVASCRIPT, include_str!("../../web/reading.js")),
];
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const PAGE: &str = include_str!("../../web/index.html");

pub(super) fn router(site: Arc<SiteState>) -> Router {
    let mut router = Router::new().route("/", get(shell));
    for (path, kind, text) in FILES {
        router = router.route(path, get(move || async move { typed(kind, text) }));
    }
    router
        .route("/api/page", get(page))
        .route("/api/draft", get(draft))
        .route("/api/contract", get(contract))
        .route("/api/notes", get(notes))
        .route("/api/source", get(source))
        .route("/api/events", get(events))
        .route("/api/comment", post(comment))
        .route("/api/suggestion", post(suggestion))
        .route("/api/import", post(import))
        .route("/api/note", post(note))
        .route("/api/edit", post(edit))
        .route("/api/preview", post(preview))
        .route("/api/grants", post(grants))
        .route("/api/steps", post(steps))
        .route("/api/difference", post(compare))
        .route("/api/answer", post(answer))
        .route("/api/read", post(read))
        .fallback(|| async { PageError::new(StatusCode::NOT_FOUND, "There is nothing here.") })
        .layer(middleware::from_fn_with_state(Arc::clone(&site), request_check::guard))
        .with_state(site)
}

/// The page without a plan. Browsers keep no history of what is said not to be there, and the address that led here holds the token.
async fn shell() -> Response {
    let mut response = html(PAGE.to_owned());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

fn typed(kind: &'static str, text: impl Into<Body>) -> Response {
    let mut response = Response::new(text.into());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn json(value: &impl Serialize) -> Response {
    typed("application/json", serde_json::to_vec(value).unwrap_or_default())
}

fn html(text: String) -> Response {
    typed("text/html; charset=utf-8", text)
}

/// The whole body, within its bounds and in time.
async fn read_body<T: DeserializeOwned>(body: Body) -> Result<T, PageError> {
    let read = tokio::time::timeout(MAX_BODY_WAIT, axum::body::to_bytes(body, MAX_BODY_BYTES)).await;
    let bytes = read
        .map_err(|_| PageError::new(StatusCode::REQUEST_TIMEOUT, "That took too long."))?
        .map_err(|_| PageError::new(StatusCode::PAYLOAD_TOO_LARGE, "That is too long."))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        PageError::new(StatusCode::BAD_REQUEST, format!("The page sent something that cannot be read: {error}"))
    })
}

/// Looks at the plan that waits.
fn with_live<T>(site: &SiteState, look: impl FnOnce(&mut LiveReview) -> T) -> Result<T, PageError> {
    let mut current = site.current();
    let live = current.live.as_mut();
    live.map(look).ok_or_else(|| PageError::new(StatusCode::GONE, "No plan waits here any more."))
}

/// Changes the draft, keeps it, tells the other tabs, and gives the draft as it is now.
fn change(site: &SiteState, change: impl FnOnce(&mut LiveReview) -> Result<(), NotDone>) -> PageAnswered {
    let changed = with_live(site, |live| {
        if live.is_sent {
            return Err("Your answer is on its way.".to_owned());
        }
        let before = live.draft.hash();
        change(live)?;
        let text = (live.draft.hash() != before).then(|| live.draft.text().to_owned());
        if text.is_some() {
            live.notes = None;
        }
        Ok((live.draft.review().clone(), view::draft(live), text))
    })?;
    let (review, shown, text) = changed.map_err(|why| PageError::new(StatusCode::CONFLICT, why))?;
    site.drafted(&review, shown.version);
    if let Some(text) = text {
        site.text_changed(&text);
    }
    Ok(json(&shown))
}

async fn page(State(site): Site, Extension(opened): Extension<Opened>) -> PageAnswered {
    match (opened, &site.library) {
        (Opened::Library, Some(access)) => Ok(json(&access.library.page())),
        (Opened::Library, None) => Err(PageError::new(StatusCode::GONE, "There is nothing to read here.")),
        (Opened::Review, _) => {
            let path = with_live(&site, |live| live.asked.request.plan_file_path.clone())?;
            let revisions = site.host.revisions(&path);
            with_live(&site, |live| json(&view::page(live, &revisions)))
        }
    }
}

async fn draft(State(site): Site) -> PageAnswered {
    with_live(&site, |live| json(&view::draft(live)))
}

async fn contract(State(site): Site) -> PageAnswered {
    with_live(&site, |live| json(&view::contract(live)))
}

async fn notes(State(site): Site) -> PageAnswered {
    with_live(&site, |live| json(&view::notes(live)))
}

async fn source(State(site): Site) -> PageAnswered {
    with_live(&site, |live| html(markdown::render_source(live.draft.text())))
}

async fn events(State(site): Site, Extension(opened): Extension<Opened>) -> PageAnswered {
    stream::open(&site, opened)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommentRequest {
    first: u32,
    last: u32,
    text: String,
    /// It is still being written.
    #[serde(default)]
    draft: bool,
}

async fn comment(State(site): Site, sent: Body) -> PageAnswered {
    let CommentRequest { first, last, text, draft } = read_body(sent).await?;
    let state = if draft { CommentState::Draft } else { CommentState::Saved };
    change(&site, |live| live.draft.comment((first, last), &text, state))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LinesRequest {
    first: u32,
    last: u32,
}

async fn suggestion(State(site): Site, sent: Body) -> PageAnswered {
    let LinesRequest { first, last } = read_body(sent).await?;
    change(&site, |live| live.draft.apply_suggestion((first, last)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportRequest {
    /// What stands in the file.
    file: String,
}

/// Comments of somebody else, beside one's own. They answer nothing.
async fn import(State(site): Site, sent: Body) -> PageAnswered {
    let ImportRequest { file } = read_body(sent).await?;
    let refused = |why: String| PageError::new(StatusCode::CONFLICT, why);
    let file = CommentFile::read(&file).map_err(|why| refused(format!("Nothing was taken in: {why}.")))?;
    let (path, proposed) =
        with_live(&site, |live| (live.asked.request.plan_file_path.clone(), live.asked.request.plan_hash))?;
    let about = if file.plan == proposed {
        Some(with_live(&site, |live| live.draft.proposed().to_owned())?)
    } else {
        // Only texts of this plan.
        let is_kept = site.host.revisions(&path).iter().any(|kept| kept.hash == file.plan);
        is_kept.then(|| site.host.revision_text(file.plan)).flatten()
    };
    let about =
        about.ok_or_else(|| refused("Nothing was taken in: these comments are about another plan.".to_owned()))?;
    change(&site, |live| match live.draft.import(file.into_comments(&about)) {
        0 => Err("Nothing was taken in: these comments are here already.".to_owned()),
        _ => Ok(()),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoteRequest {
    text: String,
}

async fn note(State(site): Site, sent: Body) -> PageAnswered {
    let NoteRequest { text } = read_body(sent).await?;
    change(&site, |live| live.draft.note(&text, NotePurpose::Note))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EditRequest {
    /// None takes the edit back.
    text: Option<String>,
    /// The bytes that were edited.
    #[serde(rename = "textHash")]
    text_hash: Hash,
}

async fn edit(State(site): Site, sent: Body) -> PageAnswered {
    let EditRequest { text, text_hash } = read_body(sent).await?;
    change(&site, |live| match live.draft.hash() == text_hash {
        true => live.draft.edit(text.as_deref()),
        false => Err("The plan was changed elsewhere while you edited it; copy your text and look again.".to_owned()),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PreviewRequest {
    text: String,
}

async fn preview(sent: Body) -> PageAnswered {
    let PreviewRequest { text } = read_body(sent).await?;
    if text.len() > MAX_PLAN_BYTES {
        let why = format!("Too long: the most is {MAX_PLAN_BYTES} bytes.");
        return Err(PageError::new(StatusCode::PAYLOAD_TOO_LARGE, why));
    }
    Ok(html(markdown::render_comment(&text)))
}

async fn grants(State(site): Site, sent: Body) -> PageAnswered {
    let changes: GrantChanges = read_body(sent).await?;
    let before = with_live(&site, |live| live.draft.review().grants.added_as_typed())?;
    let response = change(&site, |live| live.draft.grants(changes))?;
    let (added, text, steps) = with_live(&site, |live| {
        (live.draft.review().grants.added_as_typed(), live.draft.text().to_owned(), live.contract.steps.clone())
    })?;
    if added != before {
        site.read_contract(&text, steps);
    }
    Ok(response)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepsRequest {
    /// None for all of them.
    steps: Option<Vec<u32>>,
}

async fn steps(State(site): Site, sent: Body) -> PageAnswered {
    let StepsRequest { steps } = read_body(sent).await?;
    let text = with_live(&site, |live| live.draft.text().to_owned())?;
    site.read_contract(&text, steps);
    Ok(json(&serde_json::json!({})))
}

/// A text of the plan.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PlanText {
    /// What the person saw before this request.
    Seen,
    /// What is asked about.
    Proposed,
    /// That with the person's own changes.
    Edited,
    #[serde(untagged)]
    Revision(u32),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DifferenceRequest {
    from: PlanText,
    to: PlanText,
}

async fn compare(State(site): Site, sent: Body) -> PageAnswered {
    let DifferenceRequest { from, to } = read_body(sent).await?;
    Ok(html(difference::between(&plan_text(&site, from)?, &plan_text(&site, to)?)))
}

fn plan_text(site: &SiteState, which: PlanText) -> Result<String, PageError> {
    let missing = || PageError::new(StatusCode::NOT_FOUND, "That text of the plan is not kept any more.");
    let number = match which {
        PlanText::Seen => return with_live(site, |live| live.asked.seen.clone())?.ok_or_else(missing),
        PlanText::Proposed => return with_live(site, |live| live.draft.proposed().to_owned()),
        PlanText::Edited => return with_live(site, |live| live.draft.text().to_owned()),
        PlanText::Revision(number) => number,
    };
    // Only revisions of this plan, whatever number is asked for.
    let path = with_live(site, |live| live.asked.request.plan_file_path.clone())?;
    let kept = site.host.revisions(&path).into_iter().rev().find(|kept| kept.number == number);
    kept.and_then(|kept| site.host.revision_text(kept.hash)).ok_or_else(missing)
}

async fn answer(State(site): Site, sent: Body) -> PageAnswered {
    let answer: PageAnswer = read_body(sent).await?;
    match answer::send(&site, &answer) {
        Ok(()) => Ok(json(&serde_json::json!({ "sent": true }))),
        Err(NotSent::Wrong(why)) => Err(PageError::new(StatusCode::CONFLICT, why)),
        Err(NotSent::Already) => Err(PageError::new(StatusCode::CONFLICT, "Another answer is on its way already.")),
        Err(NotSent::Unsent) => {
            let unsent = with_live(&site, |live| view::unsent_words(live))?;
            let mut response = json(&serde_json::json!({ "unsent": unsent }));
            *response.status_mut() = StatusCode::CONFLICT;
            Ok(response)
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadRequest {
    id: String,
}

async fn read(State(site): Site, Extension(opened): Extension<Opened>, sent: Body) -> PageAnswered {
    let ReadRequest { id } = read_body(sent).await?;
    let access = site.library.as_ref().filter(|_| opened == Opened::Library);
    let text = access.and_then(|access| access.library.read(&id));
    text.map(|text| json(&text.view())).ok_or_else(|| PageError::new(StatusCode::NOT_FOUND, "That is gone."))
}
