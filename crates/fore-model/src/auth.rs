//! How a key is sent. Always in a header: addresses end up in logs, headers do not.

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use crate::secret::{KeySource, Secret};

/// The header that carries a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Auth {
    /// `authorization: Bearer …`
    Bearer,
    /// A header of the provider's own that holds nothing but the key.
    Header(&'static str),
}

#[derive(Clone, Debug)]
pub(crate) struct AuthKey {
    pub(crate) secret: Secret,
    pub(crate) source: KeySource,
    pub(crate) auth: Auth,
}

/// A key or header that cannot be sent. Its text is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unsendable;

impl AuthKey {
    pub(crate) fn apply(&self, headers: &mut HeaderMap) -> Result<(), Unsendable> {
        match self.auth {
            Auth::Bearer => {
                let value = sensitive(&format!("Bearer {}", self.secret.reveal()))?;
                headers.insert(AUTHORIZATION, value);
            }
            Auth::Header(name) => {
                headers.insert(HeaderName::from_static(name), sensitive(self.secret.reveal())?);
            }
        }
        Ok(())
    }
}

/// Extra headers of the settings; they may replace ours.
pub(crate) fn apply_extra(headers: &mut HeaderMap, extra: &[(String, Secret)]) -> Result<(), Unsendable> {
    for (name, value) in extra {
        let name = HeaderName::try_from(name.as_str()).map_err(|_| Unsendable)?;
        headers.insert(name, sensitive(value.reveal())?);
    }
    Ok(())
}

fn sensitive(text: &str) -> Result<HeaderValue, Unsendable> {
    let mut value = HeaderValue::try_from(text).map_err(|_| Unsendable)?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_travel_in_headers_that_do_not_print_them() {
        let mut headers = HeaderMap::new();
        let key = |auth| AuthKey { secret: Secret::new("sk-0123456789"), source: KeySource::Command, auth };
        key(Auth::Bearer).apply(&mut headers).unwrap();
        key(Auth::Header("x-goog-api-key")).apply(&mut headers).unwrap();
        assert_eq!(headers["authorization"], "Bearer sk-0123456789");
        assert_eq!(headers["x-goog-api-key"], "sk-0123456789");
        assert!(!format!("{headers:?}").contains("0123456789"));
    }

    #[test]
    fn a_key_with_a_line_break_is_refused() {
        let key = AuthKey { secret: Secret::new("a\nb"), source: KeySource::Command, auth: Auth::Bearer };
        assert_eq!(key.apply(&mut HeaderMap::new()), Err(Unsendable));
    }
}
