//! Who may ask what: looked at on every request, before anything else. Whatever is missing, twice there or unknown is refused.

use crate::site::SiteState;
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use std::sync::Arc;

/// Where the token stands in a request.
const TOKEN: &str = "x-fore-token";
const SITE: &str = "sec-fetch-site";
const DESTINATION: &str = "sec-fetch-dest";
/// Nothing but our own files is loaded, nothing is framed, no form leads anywhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/// The paths that answer with words of a plan.
const DATA: &str = "/api/";

/// What the token of the library opens; everything else is the plan's.
const LIBRARY: [&str; 3] = ["/api/page", "/api/read", "/api/events"];

/// What the token of a request opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opened {
    /// The plan that waits.
    Review,
    /// What there is to read of the project.
    Library,
}

/// Lets a request through, or says in one line why not.
pub(super) async fn guard(State(site): State<Arc<SiteState>>, mut request: Request, next: Next) -> Response {
    let passed = judge(&site, request.method(), request.uri(), request.headers());
    let mut response = match passed {
        Ok(opened) => {
            if let Some(opened) = opened {
                request.extensions_mut().insert(opened);
            }
            next.run(request).await
        }
        Err((status, why)) => (status, why).into_response(),
    };
    seal(response.headers_mut());
    response
}

/// The headers of every answer, refusals included.
fn seal(headers: &mut HeaderMap<HeaderValue>) {
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

type Refused = (StatusCode, &'static str);

fn judge(
    site: &SiteState,
    method: &Method,
    uri: &axum::http::Uri,
    headers: &HeaderMap,
) -> Result<Option<Opened>, Refused> {
    // An address in the request line would name a host beside the header.
    if uri.authority().is_some() || uri.query().is_some() {
        return Err((StatusCode::BAD_REQUEST, "not a request for this page\n"));
    }
    let host = only(headers, &header::HOST).map_err(|()| (StatusCode::MISDIRECTED_REQUEST, "wrong host\n"))?;
    let known = [format!("127.0.0.1:{}", site.port), format!("localhost:{}", site.port)];
    let Some(host) = host.filter(|host| known.iter().any(|known| known == host)) else {
        return Err((StatusCode::MISDIRECTED_REQUEST, "wrong host\n"));
    };
    let is_post = match *method {
        Method::GET => false,
        Method::POST => true,
        _ => return Err((StatusCode::METHOD_NOT_ALLOWED, "only GET and POST\n")),
    };
    require_origin(headers, host, is_post)?;
    let is_data = uri.path().starts_with(DATA);
    require_own_page(headers, uri.path() == "/" && !is_post)?;
    if !is_data {
        return if is_post { Err((StatusCode::METHOD_NOT_ALLOWED, "only GET here\n")) } else { Ok(None) };
    }
    let opened = require_token(site, headers)?;
    // Who may only read has no way to the plan that waits.
    if opened == Opened::Library && !LIBRARY.contains(&uri.path()) {
        return Err((StatusCode::FORBIDDEN, "this page only reads\n"));
    }
    if is_post {
        require_json(headers)?;
    }
    Ok(Some(opened))
}

/// One header of this name and no second one; the error is that there are more, or that it is not text.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, ()> {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}

fn require_origin(headers: &HeaderMap, host: &str, is_post: bool) -> Result<(), Refused> {
    let refused = (StatusCode::FORBIDDEN, "wrong origin\n");
    match only(headers, &header::ORIGIN).map_err(|()| refused)? {
        // A missing one is no sign of our own page where something is changed.
        None if is_post => Err(refused),
        None => Ok(()),
        Some(origin) if origin.strip_prefix("http://") == Some(host) => Ok(()),
        Some(_) => Err(refused),
    }
}

/// Browsers say who asks. The page itself may be opened from anywhere, but only as a page.
fn require_own_page(headers: &HeaderMap, is_page: bool) -> Result<(), Refused> {
    let refused = (StatusCode::FORBIDDEN, "asked by another site\n");
    let site = only(headers, &HeaderName::from_static(SITE)).map_err(|()| refused)?;
    let destination = only(headers, &HeaderName::from_static(DESTINATION)).map_err(|()| refused)?;
    match (is_page, site, destination) {
        (true, None, None) | (true, _, Some("document")) => Ok(()),
        (true, _, _) => Err(refused),
        (false, None | Some("same-origin"), _) => Ok(()),
        (false, Some(_), _) => Err(refused),
    }
}

fn require_token(site: &SiteState, headers: &HeaderMap) -> Result<Opened, Refused> {
    let refused = (StatusCode::UNAUTHORIZED, "wrong token\n");
    let given = only(headers, &HeaderName::from_static(TOKEN)).map_err(|()| refused)?.ok_or(refused)?;
    let current = site.current();
    let opens_review = current.live.as_ref().map(|live| live.token.is(given.as_bytes()));
    let opens_library = site.library.as_ref().map(|access| access.token.is(given.as_bytes()));
    match (opens_review, opens_library) {
        (Some(true), _) => Ok(Opened::Review),
        (_, Some(true)) => Ok(Opened::Library),
        (None, None) => Err((StatusCode::GONE, "this page has ended\n")),
        (_, _) => Err(refused),
    }
}

fn require_json(headers: &HeaderMap) -> Result<(), Refused> {
    let refused = (StatusCode::UNSUPPORTED_MEDIA_TYPE, "not application/json\n");
    match only(headers, &header::CONTENT_TYPE).map_err(|()| refused)? {
        Some("application/json") => Ok(()),
        Some(_) | None => Err(refused),
    }
}
