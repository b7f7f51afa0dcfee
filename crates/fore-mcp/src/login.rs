//! Logging in to servers over HTTP: tokens are kept by the caller, pages are shown by the caller, everything between is here.

use futures_util::future::BoxFuture;
use std::fmt;

/// What a server gave after a login; opaque, secret, and to be kept where nobody else reads it.
#[derive(Clone, PartialEq, Eq)]
pub struct LoginTokens(pub String);

impl fmt::Debug for LoginTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoginTokens([set])")
    }
}

/// Keeps tokens. One store is for one server, by its address: tokens never go to another.
pub trait TokenStore: Send + Sync {
    /// What is kept.
    fn load(&self) -> Option<LoginTokens>;
    /// Keeps them instead of what was kept; says why it could not.
    fn save(&self, tokens: &LoginTokens) -> Result<(), String>;
    /// Forgets them.
    fn clear(&self);
}

/// Takes the person through a login.
pub trait LoginHandler: Send + Sync {
    /// Where the person's browser is sent back to: an address of this machine that the caller listens on.
    fn redirect_uri(&self) -> String;
    /// Shows the page and waits until the browser comes back; gives the whole address it came back to, or none if the person did not.
    fn visit(&self, page: String) -> BoxFuture<'_, Option<String>>;
}
