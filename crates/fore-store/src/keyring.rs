//! The keyring of the person's desktop (the Secret Service on its session bus): keeps a secret by name, gives it back and forgets it.
//!
//! Only a bus that is a socket of this machine is spoken to, nothing is started for it, and nothing is waited for without a bound.

use crate::error::{Result, StoreError};
use futures_util::StreamExt as _;
use std::{collections::HashMap, thread, time::Duration};
use zbus::{
    Connection, DynamicType, OwnedObjectPath, OwnedVariant, Proxy, Variant, connection::Builder,
    export::serde::Serialize, wire::DynamicDeserialize,
};

const SERVICE: &str = "org.freedesktop.secrets";
const ROOT: &str = "/org/freedesktop/secrets";
/// What the service says where an object is meant and there is none.
const NO_OBJECT: &str = "/";
/// How long one answer may take, and how long the person may take to unlock it.
const MAX_ANSWER: Duration = Duration::from_secs(5);
const MAX_UNLOCK: Duration = Duration::from_secs(60);
const MAX_ALL: Duration = Duration::from_secs(75);
/// What the person reads in the list of their keyring.
const LABEL: &str = "Forethought: login of an MCP server";

/// Where the keyring is.
#[derive(Debug)]
pub(crate) struct Keyring {
    address: String,
}

/// An open connection with a session in which secrets are handed over.
struct OpenKeyring {
    connection: Connection,
    session: OwnedObjectPath,
}

/// Session, parameters, value and kind of a secret, as the service has it.
type HandedSecret = (OwnedObjectPath, Vec<u8>, Vec<u8>, String);

impl Keyring {
    /// The one behind a bus; none where that is no socket of this machine.
    pub(crate) fn behind(bus: &str) -> Option<Keyring> {
        let is_socket = |part: &&str| part.starts_with("unix:path=/") || part.starts_with("unix:abstract=");
        bus.split(';').find(is_socket).map(|address| Keyring { address: address.to_owned() })
    }

    /// Keeps a secret under a name, instead of what was kept there.
    pub(crate) fn put(&self, name: &str, secret: &str) -> Result<()> {
        self.run(async |keyring| keyring.put(name, secret).await)
    }

    /// What is kept under a name.
    pub(crate) fn get(&self, name: &str) -> Result<Option<String>> {
        self.run(async |keyring| keyring.get(name).await)
    }

    /// Forgets it.
    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        self.run(async |keyring| keyring.remove(name).await)
    }

    /// On a thread of its own: whoever asks may be in the middle of other waiting.
    fn run<T: Send>(&self, work: impl AsyncFnOnce(OpenKeyring) -> Result<T, String> + Send) -> Result<T> {
        let address = &self.address;
        let wait = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            let all = async { work(OpenKeyring::open(address).await?).await };
            let late = || Err("it did not answer in time".to_owned());
            runtime.block_on(async { tokio::time::timeout(MAX_ALL, all).await.unwrap_or_else(|_| late()) })
        };
        let done = thread::scope(|scope| {
            let thread = thread::Builder::new().name("keyring".into()).spawn_scoped(scope, wait);
            match thread {
                Ok(thread) => thread.join().unwrap_or_else(|_| Err("asking it failed".to_owned())),
                Err(error) => Err(error.to_string()),
            }
        });
        done.map_err(|why| StoreError::Refused(format!("your keyring cannot be used: {why}")))
    }
}

impl OpenKeyring {
    async fn open(address: &str) -> Result<OpenKeyring, String> {
        let connection = Builder::address(address).method_timeout(MAX_ANSWER).build().await.map_err(said)?;
        // Whoever could listen on the socket is the person; it needs no second secret between the two.
        let plain = ("plain", Variant::from(""));
        let asked = call(&connection, ROOT, "Service", "OpenSession", &plain).await;
        let (_, session): (OwnedVariant, OwnedObjectPath) = asked?;
        Ok(OpenKeyring { connection, session })
    }

    async fn put(&self, name: &str, secret: &str) -> Result<(), String> {
        let (collection,): (OwnedObjectPath,) =
            call(&self.connection, ROOT, "Service", "ReadAlias", &("default",)).await?;
        if collection.as_str() == NO_OBJECT {
            return Err("it has no place for new secrets".to_owned());
        }
        self.unlock(&collection).await?;
        let label = ("org.freedesktop.Secret.Item.Label", Variant::from(LABEL));
        let about = ("org.freedesktop.Secret.Item.Attributes", Variant::from(attributes(name)));
        let properties: HashMap<&str, Variant<'_>> = HashMap::from([label, about]);
        let handed = (&self.session, Vec::<u8>::new(), secret.as_bytes(), "text/plain");
        let (_, prompt): (OwnedObjectPath, OwnedObjectPath) =
            call(&self.connection, collection.as_str(), "Collection", "CreateItem", &(properties, handed, true))
                .await?;
        self.answered(&prompt).await
    }

    async fn get(&self, name: &str) -> Result<Option<String>, String> {
        let Some(item) = self.items(name).await?.into_iter().next() else { return Ok(None) };
        self.unlock(&item).await?;
        let (handed,): (HandedSecret,) =
            call(&self.connection, item.as_str(), "Item", "GetSecret", &(&self.session,)).await?;
        String::from_utf8(handed.2).map(Some).map_err(|_| "what it kept is not text".to_owned())
    }

    async fn remove(&self, name: &str) -> Result<(), String> {
        for item in self.items(name).await? {
            self.unlock(&item).await?;
            let (prompt,): (OwnedObjectPath,) = call(&self.connection, item.as_str(), "Item", "Delete", &()).await?;
            self.answered(&prompt).await?;
        }
        Ok(())
    }

    async fn items(&self, name: &str) -> Result<Vec<OwnedObjectPath>, String> {
        let (open, locked): (Vec<OwnedObjectPath>, Vec<OwnedObjectPath>) =
            call(&self.connection, ROOT, "Service", "SearchItems", &(attributes(name),)).await?;
        Ok(open.into_iter().chain(locked).collect())
    }

    /// The desktop asks the person, where that is needed.
    async fn unlock(&self, object: &OwnedObjectPath) -> Result<(), String> {
        let (_, prompt): (Vec<OwnedObjectPath>, OwnedObjectPath) =
            call(&self.connection, ROOT, "Service", "Unlock", &(vec![object],)).await?;
        self.answered(&prompt).await
    }

    /// Waits until the person answered what the desktop asks them.
    async fn answered(&self, prompt: &OwnedObjectPath) -> Result<(), String> {
        if prompt.as_str() == NO_OBJECT {
            return Ok(());
        }
        let interface = interface("Prompt");
        let proxy = Proxy::new(&self.connection, SERVICE, prompt.as_str(), interface.as_str()).await.map_err(said)?;
        let mut ends = proxy.receive_signal("Completed").await.map_err(said)?;
        let () = call(&self.connection, prompt.as_str(), "Prompt", "Prompt", &("",)).await?;
        let end = tokio::time::timeout(MAX_UNLOCK, ends.next()).await.ok().flatten();
        let end = end.ok_or("it is locked, and nobody unlocked it")?;
        let (dismissed, _): (bool, OwnedVariant) = end.body().deserialize().map_err(said)?;
        if dismissed { Err("it is locked, and stays so".to_owned()) } else { Ok(()) }
    }
}

/// By what a secret is found again.
fn attributes(name: &str) -> HashMap<&str, &str> {
    HashMap::from([("application", "forethought"), ("login", name)])
}

fn interface(short: &str) -> String {
    format!("org.freedesktop.Secret.{short}")
}

async fn call<T>(
    connection: &Connection,
    path: &str,
    of: &str,
    method: &str,
    body: &(impl Serialize + DynamicType),
) -> Result<T, String>
where
    T: for<'d> DynamicDeserialize<'d>,
{
    let answer = connection.call_method(Some(SERVICE), path, Some(interface(of).as_str()), method, body).await;
    answer.map_err(said)?.body().deserialize().map_err(said)
}

/// What went wrong, in a line.
fn said(error: zbus::Error) -> String {
    fore_text::line(&fore_text::cut::ellipsis(&fore_text::cut::one_line(&error.to_string()), 300)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_socket_of_this_machine_is_a_way_to_a_keyring() {
        let page = [
            ("unix:path=/run/user/1000/bus", Some("unix:path=/run/user/1000/bus")),
            ("tcp:host=evil,port=1;unix:path=/run/bus,guid=00", Some("unix:path=/run/bus,guid=00")),
            ("unix:abstract=/tmp/dbus-1", Some("unix:abstract=/tmp/dbus-1")),
            ("tcp:host=localhost,port=1", None),
            ("unixexec:path=/bin/sh", None),
            ("autolaunch:", None),
            ("", None),
        ];
        for (bus, expected) in page {
            assert_eq!(Keyring::behind(bus).map(|keyring| keyring.address).as_deref(), expected, "{bus}");
        }
    }

    #[test]
    fn where_nobody_is_there_it_is_said_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::behind(&format!("unix:path={}/bus", folder.path().display())).unwrap();
        let why = keyring.get("x").unwrap_err().to_string();
        assert!(why.starts_with("your keyring cannot be used: "), "{why}");
    }
}
