//! Logins of servers elsewhere: what they gave is kept by address, in the person's keyring or their home, and goes to no other.

use crate::lock::lock;
use fore_mcp::{LoginHandler, LoginTokens, McpFault, McpFaultKind, ServerEntry, ServerTransport, TokenStore};
use fore_store::{Home, server_logins};
use std::sync::{Arc, Mutex};

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
    /// The person logs in anew, so what cannot be read is as good as nothing.
    logs_in: bool,
    /// Why it could not be read: nobody is asked twice to unlock something.
    trouble: Mutex<Option<String>>,
}

impl TokenStore for KeptLogin {
    fn load(&self) -> Result<Option<LoginTokens>, String> {
        let mut trouble = lock(&self.trouble);
        if trouble.is_none() {
            match server_logins::get(&self.home, &self.address) {
                Ok(kept) => return Ok(kept.map(LoginTokens)),
                Err(why) => *trouble = Some(why.to_string()),
            }
        }
        match &*trouble {
            Some(why) if !self.logs_in => Err(why.clone()),
            Some(_) | None => Ok(None),
        }
    }

    fn save(&self, tokens: &LoginTokens) -> Result<(), String> {
        server_logins::put(&self.home, &self.address, &tokens.0).map_err(|error| error.to_string())?;
        *lock(&self.trouble) = None;
        Ok(())
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
        let _ = server_logins::forget(&self.home, &self.address);
    }
}

impl ServerLogins {
    /// The store for a server whose variables are filled in.
    pub(super) fn of(&self, filled: &ServerEntry) -> Option<Arc<dyn TokenStore>> {
        let address = match &filled.transport {
            ServerTransport::Http { url, .. } | ServerTransport::Sse { url, .. } => url.clone(),
            ServerTransport::Stdio { .. } => return None,
        };
        let (home, logs_in) = (Arc::clone(&self.home), self.handler.is_some());
        Some(Arc::new(KeptLogin { home, address, logs_in, trouble: Mutex::default() }))
    }
}

/// A fault in words, with what to do about a login that is missing.
pub(super) fn with_way_in(fault: &McpFault, server: &str) -> String {
    match fault.kind == McpFaultKind::NeedsLogin {
        true => format!("{fault}: `fore mcp login {server}`, then /mcp restart {server}"),
        false => fault.to_string(),
    }
}
