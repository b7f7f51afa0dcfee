//! Logins of servers elsewhere: what they gave is kept in the home, by address, and goes to no other.

use fore_mcp::{LoginHandler, LoginTokens, McpFault, McpFaultKind, ServerEntry, ServerTransport, TokenStore};
use fore_store::{Home, server_logins};
use std::sync::Arc;

/// Where the logins of one connection are, and who takes the person through one.
pub(super) struct ServerLogins {
    pub(super) home: Arc<Home>,
    /// None where nobody logs in now.
    pub(super) handler: Option<Arc<dyn LoginHandler>>,
}

/// What is kept for one address.
struct KeptLogin {
    home: Arc<Home>,
    address: String,
}

impl TokenStore for KeptLogin {
    fn load(&self) -> Option<LoginTokens> {
        server_logins::get(&self.home, &self.address).ok().flatten().map(LoginTokens)
    }

    fn save(&self, tokens: &LoginTokens) -> Result<(), String> {
        server_logins::put(&self.home, &self.address, Some(&tokens.0)).map(drop).map_err(|error| error.to_string())
    }

    fn hold(&self) -> Option<Box<dyn Send>> {
        match server_logins::hold_renewal(&self.home) {
            Ok(held) => held.map(|file| Box::new(file) as Box<dyn Send>),
            // Where nothing can be locked nobody is waited for.
            Err(_) => Some(Box::new(())),
        }
    }

    fn clear(&self) {
        // What cannot be forgotten is refused by the server all the same.
        let _ = server_logins::put(&self.home, &self.address, None);
    }
}

impl ServerLogins {
    /// The store for a server whose variables are filled in.
    pub(super) fn of(&self, filled: &ServerEntry) -> Option<Arc<dyn TokenStore>> {
        let address = match &filled.transport {
            ServerTransport::Http { url, .. } | ServerTransport::Sse { url, .. } => url.clone(),
            ServerTransport::Stdio { .. } => return None,
        };
        Some(Arc::new(KeptLogin { home: Arc::clone(&self.home), address }))
    }
}

/// A fault in words, with what to do about a login that is missing.
pub(super) fn with_way_in(fault: &McpFault, server: &str) -> String {
    match fault.kind == McpFaultKind::NeedsLogin {
        true => format!("{fault}: `fore mcp login {server}`, then /mcp restart {server}"),
        false => fault.to_string(),
    }
}
