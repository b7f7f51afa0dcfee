//! Why something was not done, in words for the page.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

/// A status, and the reason for people.
#[derive(Debug)]
pub(super) struct PageError {
    status: StatusCode,
    why: String,
}

impl PageError {
    pub(super) fn new(status: StatusCode, why: impl Into<String>) -> PageError {
        PageError { status, why: why.into() }
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let body = serde_json::json!({ "error": self.why }).to_string();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}
