//! What the agent tells the set-up program about one run, and what that answers. Travels over a private socket, never by argv or environment.

use crate::capture::OutputStreams;
use crate::job::Ending;
use crate::orders::Orders;
use crate::protection::{Layer, Protection};
use crate::report::RehearsalReport;
use fore_plan::gate::table::{CageStanding, Lack};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Longest message in either direction; the report's own bounds keep far below.
const MAX_MESSAGE_BYTES: u64 = 64 << 20;
const MAX_AT_ONCE: u64 = 256 << 10;

/// A path as bytes: `PathBuf` itself refuses to serialize names that are not UTF-8.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct RawPath(#[serde(with = "text")] OsString);

/// For `#[serde(with)]`: what the system takes for text, as text where it is some. Lists of numbers are long, and to read them takes time.
mod text {
    use super::OsString;
    use serde::de::{Deserializer, Error, SeqAccess, Visitor};
    use serde::ser::{Serialize, Serializer};
    use std::ffi::OsStr;
    use std::fmt;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};

    pub(super) fn serialize<S: Serializer>(text: &OsStr, to: S) -> Result<S::Ok, S::Error> {
        match text.to_str() {
            Some(text) => to.serialize_str(text),
            None => text.as_bytes().serialize(to),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<OsString, D::Error> {
        from.deserialize_any(Reader)
    }

    struct Reader;

    impl<'de> Visitor<'de> for Reader {
        type Value = OsString;

        fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
            to.write_str("text, or its bytes")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<OsString, E> {
            Ok(text.into())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<OsString, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = numbers.next_element()? {
                bytes.push(byte);
            }
            Ok(OsString::from_vec(bytes))
        }
    }
}

/// For `#[serde(with)]`: arguments.
mod words {
    use super::{Deserialize, OsString, RawPath};

    pub(super) fn serialize<S: serde::Serializer>(list: &[OsString], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(list.iter().cloned().map(RawPath))
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<OsString>, D::Error> {
        Ok(Vec::<RawPath>::deserialize(from)?.into_iter().map(|word| word.0).collect())
    }
}

/// For `#[serde(with)]`: variables.
mod pairs {
    use super::{Deserialize, OsString, RawPath};

    pub(super) fn serialize<S: serde::Serializer>(list: &[(OsString, OsString)], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(list.iter().cloned().map(|(name, value)| (RawPath(name), RawPath(value))))
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<(OsString, OsString)>, D::Error> {
        let pairs = Vec::<(RawPath, RawPath)>::deserialize(from)?;
        Ok(pairs.into_iter().map(|(name, value)| (name.0, value.0)).collect())
    }
}

impl RawPath {
    pub(crate) fn path(&self) -> &Path {
        Path::new(&self.0)
    }
}

impl From<PathBuf> for RawPath {
    fn from(path: PathBuf) -> RawPath {
        RawPath(path.into_os_string())
    }
}

impl From<&Path> for RawPath {
    fn from(path: &Path) -> RawPath {
        RawPath(path.as_os_str().to_owned())
    }
}

/// Everything the set-up program needs; it looks up nothing in the environment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Blueprint {
    pub(crate) build: CageBuild,
    #[serde(with = "words")]
    pub(crate) argv: Vec<OsString>,
    #[serde(with = "pairs")]
    pub(crate) environment: Vec<(OsString, OsString)>,
    /// The person's settings of git, for a file in the private `/dev`.
    pub(crate) git_config: Option<String>,
    pub(crate) cwd: RawPath,
    /// What the command reads.
    pub(crate) stdin: StdinSource,
    pub(crate) streams: OutputStreams,
    pub(crate) plan_file: Option<RawPath>,
    pub(crate) writable: Vec<RawPath>,
    /// Kept read-only although they lie in a writable path: our own programs.
    pub(crate) protected: Vec<RawPath>,
    /// What gives orders in a workspace that is writable: kept as it is, and looked at again when the run is over.
    pub(crate) orders: Option<Orders>,
    /// Folders that get a throw-away layer; the first one is the workspace.
    pub(crate) overlays: Vec<RawPath>,
    pub(crate) masked: Vec<RawPath>,
    /// Pipes and devices that are to look like empty files.
    pub(crate) blank: Vec<RawPath>,
    /// Folders full of the machine's sockets, and what of them stays visible.
    pub(crate) emptied: Vec<RawPath>,
    pub(crate) kept: Vec<RawPath>,
    /// Places where people keep their things: they look empty but for what is kept and the links that lead to it.
    pub(crate) personal: Vec<RawPath>,
    pub(crate) links: Vec<(RawPath, RawPath)>,
    /// Folders for everybody that are only seen through a layer: reading a pipe takes something away from whoever waits for it.
    pub(crate) quiet: Vec<RawPath>,
    /// Places whose present content must stay visible although they lie in a temp folder.
    pub(crate) shown: Vec<RawPath>,
    /// The private temp folder; with namespaces it is a layer inside, without it is a real folder of this run.
    pub(crate) temps: Vec<RawPath>,
    pub(crate) reach: CageReach,
    /// Sockets of services, or folders of them, that stay in sight.
    pub(crate) sockets: Vec<RawPath>,
    /// Where the proxy listens on the cage's own loopback; its socket is made inside and handed to the agent.
    pub(crate) proxy_port: Option<u16>,
    pub(crate) bounds: Bounds,
    pub(crate) diff: bool,
    /// The command is a script for bash, which tells where it stood when it ended.
    pub(crate) report_folder: bool,
    /// Without walls: the guard stays with what the command leaves running, and ends it when the agent hangs up.
    pub(crate) ends_leftovers: bool,
}

/// What the command reads, and how that follows the blueprint on the socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StdinSource {
    Nothing,
    /// So many bytes.
    Bytes(u64),
    /// A descriptor: the end of a pipe that the agent writes to while the command runs.
    Pipe,
}

/// How thick the cage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CageBuild {
    /// Namespaces, mounts, Landlock, system call filter.
    Full,
    /// Namespaces, mounts, system call filter; a layer over every folder stands in for Landlock.
    WithoutLandlock,
    /// Landlock and the system call filter, for machines without user namespaces.
    LandlockOnly,
    /// None: the person's own shell, only guarded in time and as a group.
    None,
}

impl CageBuild {
    pub(crate) fn has_namespaces(self) -> bool {
        match self {
            CageBuild::Full | CageBuild::WithoutLandlock => true,
            CageBuild::LandlockOnly | CageBuild::None => false,
        }
    }

    pub(crate) fn has_landlock(self) -> bool {
        match self {
            CageBuild::Full | CageBuild::LandlockOnly => true,
            CageBuild::WithoutLandlock | CageBuild::None => false,
        }
    }

    /// What is said of a cage with these walls.
    pub(crate) fn standing(self) -> CageStanding {
        match self {
            CageBuild::Full => CageStanding::Full,
            CageBuild::WithoutLandlock => CageStanding::Without(Layer::Landlock.name().to_owned()),
            CageBuild::LandlockOnly => CageStanding::Without(Layer::Namespaces.name().to_owned()),
            CageBuild::None => CageStanding::Missing(Lack { reason: "none was asked for".into(), remedy: "".into() }),
        }
    }
}

/// Whom the command may talk to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CageReach {
    Nobody,
    /// Itself, over an empty network with only a loopback.
    Loopback,
    /// Itself, and the sockets of the services that the blueprint names.
    Services,
    /// Whoever the person may talk to; only without walls.
    Anybody,
}

impl CageReach {
    /// Where sockets can be made they belong to an empty network with only a loopback.
    pub(crate) fn has_own_network(self) -> bool {
        match self {
            CageReach::Loopback | CageReach::Services => true,
            CageReach::Nobody | CageReach::Anybody => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bounds {
    pub(crate) time_ms: u64,
    pub(crate) processes: u64,
    pub(crate) memory_bytes: u64,
    pub(crate) file_bytes: u64,
    pub(crate) open_files: u64,
    pub(crate) layer_bytes: u64,
}

/// What the set-up program says back, in this order: at most one `Failed`, or `Standing` and then `Ended`. `Listening` comes first, `Gone` last.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum SetupMessage {
    Failed {
        layer: Layer,
        errno: Option<i32>,
        reason: String,
    },
    /// The cage stood, the program did not start.
    NotStarted {
        #[serde(default)]
        errno: Option<i32>,
        reason: String,
    },
    /// A descriptor follows: the socket at which the proxy listens.
    Listening,
    Standing {
        protections: Vec<Protection>,
    },
    Ended {
        status: i32,
        ending: Ending,
        report: Option<RehearsalReport>,
        /// Where the shell stood when it ended, if it was asked and could tell.
        folder: Option<RawPath>,
        /// Processes that the command has left running; its guard lives as long as they do.
        left: u64,
    },
    /// Everybody in the cage is gone; without a word if nothing came before this.
    Gone,
}

/// What the agent says first: what the set-up program is to prepare while the blueprint is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Prelude {
    pub(crate) namespaces: Namespaces,
    /// As in the bounds of the blueprint.
    pub(crate) layer_bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Namespaces {
    /// Without a network that anything could be sent to.
    Closed,
    /// With an empty network of their own.
    Network,
    /// There are to be none.
    Missing,
}

impl Namespaces {
    pub(crate) fn of(build: CageBuild, reach: CageReach) -> Namespaces {
        match (build.has_namespaces(), reach.has_own_network()) {
            (true, false) => Namespaces::Closed,
            (true, true) => Namespaces::Network,
            (false, _) => Namespaces::Missing,
        }
    }

    fn byte(self) -> u8 {
        match self {
            Namespaces::Closed => b'c',
            Namespaces::Network => b'n',
            Namespaces::Missing => b'm',
        }
    }
}

impl Prelude {
    pub(crate) fn send(self, to: &mut impl Write) -> io::Result<()> {
        let mut message = [0; 9];
        let [namespaces, layer_bytes @ ..] = &mut message;
        *namespaces = self.namespaces.byte();
        *layer_bytes = self.layer_bytes.to_le_bytes();
        to.write_all(&message)
    }

    /// `None` when the other side has closed before it said anything.
    pub(crate) fn receive(from: &mut impl Read) -> io::Result<Option<Prelude>> {
        let mut message = [0; 9];
        match from.read_exact(&mut message) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let [byte, layer_bytes @ ..] = message;
        let known = [Namespaces::Closed, Namespaces::Network, Namespaces::Missing].into_iter();
        let namespaces = known.into_iter().find(|known| known.byte() == byte);
        let namespaces =
            namespaces.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "an unknown first word"))?;
        Ok(Some(Prelude { namespaces, layer_bytes: u64::from_le_bytes(layer_bytes) }))
    }
}

/// What process 1 of a cage tells the guard outside.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum FromInside {
    /// The run is to have no namespaces; the blueprint has not been read.
    NotNeeded,
    /// What it has made ahead is of no use; nothing but perhaps the prelude has been read.
    Stale(Option<Prelude>),
    /// It has read all that the agent has to say about the run.
    Begins { time_ms: u64, orders: Option<Box<Orders>> },
}

/// What the agent says to the guard of a writable workspace, in one byte each, after the blueprint and the input. There hanging
/// up means that it is gone; elsewhere to be silent is to cancel.
pub(crate) const CANCEL: u8 = b'c';
/// It has looked after what the run planted.
pub(crate) const SETTLED: u8 = b's';

pub(crate) fn send<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let mut frame = Vec::with_capacity(body.len() + 8);
    frame.extend_from_slice(&(body.len() as u64).to_le_bytes());
    frame.extend_from_slice(&body);
    to.write_all(&frame)
}

/// The next message; `None` when the other side has closed between two messages.
pub(crate) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 8];
    let mut have = 0;
    while have < length.len() {
        match from.read(length.get_mut(have..).unwrap_or_default()) {
            Ok(0) if have == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => have += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let length = u64::from_le_bytes(length);
    if length > MAX_MESSAGE_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "message too long"));
    }
    // Memory for it is taken as it comes, however long it claims to be.
    let mut body = Vec::with_capacity(length.min(MAX_AT_ONCE) as usize);
    if from.take(length).read_to_end(&mut body)? as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(serde_json::from_slice(&body)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    #[test]
    fn names_that_are_no_text_survive_the_socket() {
        let path = RawPath(OsString::from_vec(b"/tmp/\xff,:\\".to_vec()));
        let mut wire = Vec::new();
        send(&mut wire, &path).unwrap();
        assert_eq!(receive::<RawPath>(&mut wire.as_slice()).unwrap(), Some(path));
    }

    #[test]
    fn a_message_that_stops_in_the_middle_is_an_error() {
        let mut wire = Vec::new();
        send(&mut wire, &"hello").unwrap();
        wire.pop();
        assert_eq!(receive::<String>(&mut wire.as_slice()).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
