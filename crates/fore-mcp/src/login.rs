//! Logging in to servers over HTTP: tokens are kept by the caller, pages are shown by the caller, everything between is here.

use crate::connection::web::install_tls;
use crate::fault::{McpFault, McpFaultKind};
use futures_util::future::BoxFuture;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationRequest, AuthorizationSession, CredentialRefreshGuard,
    CredentialStore, StoredCredentials,
};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// How long the person may take.
const MAX_VISIT: Duration = Duration::from_secs(10 * 60);
/// How long another one who renews is waited for, and how often that is looked at.
const MAX_HOLD: Duration = Duration::from_secs(20);
const HOLD_PAUSE: Duration = Duration::from_millis(100);

/// What a server gave after a login; opaque, secret, and to be kept where nobody else reads it.
#[derive(Clone, PartialEq, Eq)]
pub struct LoginTokens(pub String);

impl fmt::Debug for LoginTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LoginTokens([set])")
    }
}

/// Keeps tokens. One store is for one server, by its address: tokens never go to another. It may take its time: it is asked on a
/// thread where that keeps nobody.
pub trait TokenStore: Send + Sync {
    /// What is kept; the error says why that cannot be said.
    fn load(&self) -> Result<Option<LoginTokens>, String>;
    /// Keeps them instead of what was kept; says why it could not.
    fn save(&self, tokens: &LoginTokens) -> Result<(), String>;
    /// Forgets them.
    fn clear(&self);
    /// Keeps everybody else from renewing them as long as what it gives lives; none where somebody does that now. A token that renews
    /// counts once: of two who use it one would be logged out.
    fn hold(&self) -> Option<Box<dyn Send>> {
        Some(Box::new(()))
    }
}

/// How we are known where the login is made. Without anything of it we register ourselves.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct LoginClient {
    /// A number that the person got for this.
    pub id: Option<String>,
    /// The secret that belongs to it.
    pub secret: Option<String>,
    /// An address under which it says who we are, for servers that look there.
    pub metadata_url: Option<String>,
}

impl fmt::Debug for LoginClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginClient").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Takes the person through a login.
pub trait LoginHandler: Send + Sync {
    /// How we are known there.
    fn client(&self) -> LoginClient {
        LoginClient::default()
    }
    /// Where the person's browser is sent back to: an address of this machine that the caller listens on.
    fn redirect_uri(&self) -> String;
    /// Shows the page and waits until the browser comes back; gives the whole address it came back to, or none if the person did not.
    fn visit(&self, page: String) -> BoxFuture<'_, Option<String>>;
}

/// The library's view of a store.
#[derive(Clone)]
struct KeptCredentials(Arc<dyn TokenStore>);

type Kept<'a, T> = Pin<Box<dyn Future<Output = Result<T, AuthError>> + Send + 'a>>;

impl CredentialStore for KeptCredentials {
    fn load<'s, 'a>(&'s self) -> Kept<'a, Option<StoredCredentials>>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async {
            let tokens = aside(&self.0, |store| store.load()).await?;
            // What is not understood is as good as nothing: the person logs in again.
            Ok(tokens.and_then(|tokens| serde_json::from_str(&tokens.0).ok()))
        })
    }

    fn save<'s, 'a>(&'s self, credentials: StoredCredentials) -> Kept<'a, ()>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async move {
            let text = serde_json::to_string(&credentials);
            let tokens = LoginTokens(text.map_err(|error| AuthError::CredentialStoreError(error.to_string()))?);
            aside(&self.0, move |store| store.save(&tokens)).await
        })
    }

    fn acquire_refresh_guard<'s, 'a>(&'s self) -> Kept<'a, Option<CredentialRefreshGuard>>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(async {
            let until = tokio::time::Instant::now() + MAX_HOLD;
            loop {
                if let Some(held) = self.0.hold() {
                    return Ok(Some(CredentialRefreshGuard::new(held)));
                }
                if tokio::time::Instant::now() >= until {
                    // Whoever holds it hangs; renewing beside it is better than not at all.
                    return Ok(None);
                }
                tokio::time::sleep(HOLD_PAUSE).await;
            }
        })
    }

    fn clear<'s, 'a>(&'s self) -> Kept<'a, ()>
    where
        's: 'a,
        Self: 'a,
    {
        Box::pin(aside(&self.0, |store| {
            store.clear();
            Ok(())
        }))
    }
}

/// Asks a store on a thread that may wait.
async fn aside<T: Send + 'static>(
    store: &Arc<dyn TokenStore>,
    ask: impl FnOnce(&dyn TokenStore) -> Result<T, String> + Send + 'static,
) -> Result<T, AuthError> {
    let store = Arc::clone(store);
    let asked = tokio::task::spawn_blocking(move || ask(&*store)).await;
    asked.unwrap_or_else(|error| Err(error.to_string())).map_err(AuthError::CredentialStoreError)
}

fn fault(error: &AuthError) -> McpFault {
    McpFault::new(McpFaultKind::NeedsLogin, format!("the login failed: {error}"))
}

/// What sends kept tokens along, and gets new ones when they are too old.
pub(crate) async fn with_kept_tokens(url: &str, store: &Arc<dyn TokenStore>) -> Result<AuthorizationManager, McpFault> {
    let mut manager = manager(url, store).await?;
    // Where they cannot be read the manager says so when it needs them.
    if aside(store, |store| store.load()).await.is_ok_and(|tokens| tokens.is_some()) {
        // Without its metadata the server is asked without tokens, and says what it wants.
        let _ = manager.initialize_from_store().await;
    }
    Ok(manager)
}

async fn manager(url: &str, store: &Arc<dyn TokenStore>) -> Result<AuthorizationManager, McpFault> {
    install_tls();
    let mut manager = AuthorizationManager::new(url).await.map_err(|error| fault(&error))?;
    manager.set_credential_store(KeptCredentials(Arc::clone(store)));
    Ok(manager)
}

/// Takes the person through the login that a server asked for.
pub(crate) async fn log_in(
    url: &str,
    store: &Arc<dyn TokenStore>,
    handler: &Arc<dyn LoginHandler>,
    challenge: &str,
) -> Result<AuthorizationManager, McpFault> {
    let mut manager = manager(url, store).await?;
    let challenge = Some(challenge).filter(|challenge| !challenge.is_empty());
    let resolved = manager.resolve_metadata_from_challenge(challenge).await.map_err(|error| fault(&error))?;
    manager.set_metadata(resolved.metadata);
    let kept = KeptCredentials(Arc::clone(store)).load().await.ok().flatten();
    let mut request = AuthorizationRequest::new(handler.redirect_uri()).with_client_name("Forethought");
    let LoginClient { id, secret, metadata_url } = handler.client();
    (request.client_id, request.client_secret, request.client_metadata_url) = (id, secret, metadata_url);
    match kept {
        // A server that wants more than it gave gets asked for both.
        Some(kept) if !kept.granted_scopes.is_empty() => {
            let mut scopes = kept.granted_scopes;
            for scope in manager.select_scopes(None, &[]) {
                if !scopes.contains(&scope) {
                    scopes.push(scope);
                }
            }
            request = request.with_scopes(scopes);
        }
        Some(_) | None => request = request.with_initial_scope_selection(),
    }
    let session = AuthorizationSession::new(manager, request).await.map_err(|(_, error)| fault(&error))?;
    let visit = handler.visit(session.get_authorization_url().to_owned());
    let back = tokio::time::timeout(MAX_VISIT, visit).await.ok().flatten();
    let back = back.ok_or_else(|| McpFault::new(McpFaultKind::NeedsLogin, "nobody logged in"))?;
    session.handle_callback_url(&back).await.map_err(|error| fault(&error))?;
    Ok(session.auth_manager)
}
