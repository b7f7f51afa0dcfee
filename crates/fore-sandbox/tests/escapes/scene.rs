//! What an attack can aim at: files, sockets, a process, shared memory and a terminal, all outside the cage.

use std::fs::File;
use std::io::{self, Read};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Child;

/// In the environment of the judge, never to be seen in a cage.
pub(crate) const MARKER: &str = "FORE_TEST_CREDENTIAL";
pub(crate) const MARKER_VALUE: &str = "swordfish-in-the-environment";

/// Where the attacker finds everything; travels as arguments.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    pub(crate) folder: PathBuf,
    pub(crate) tcp: u16,
    pub(crate) udp: u16,
    pub(crate) abstract_name: String,
    pub(crate) victim: i32,
    pub(crate) shared_key: i32,
    pub(crate) shared_name: String,
    pub(crate) terminal: String,
}

impl Targets {
    pub(crate) fn arguments(&self) -> Vec<String> {
        vec![
            self.folder.to_str().unwrap().to_owned(),
            self.tcp.to_string(),
            self.udp.to_string(),
            self.abstract_name.clone(),
            self.victim.to_string(),
            self.shared_key.to_string(),
            self.shared_name.clone(),
            self.terminal.clone(),
        ]
    }

    pub(crate) fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Targets {
        let mut next = || arguments.next().unwrap();
        Targets {
            folder: PathBuf::from(next()),
            tcp: next().parse().unwrap(),
            udp: next().parse().unwrap(),
            abstract_name: next(),
            victim: next().parse().unwrap(),
            shared_key: next().parse().unwrap(),
            shared_name: next(),
            terminal: next(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

pub(crate) struct Scene {
    pub(crate) targets: Targets,
    pub(crate) workspace: PathBuf,
    _folder: tempfile::TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    stream: UnixListener,
    datagram: UnixDatagram,
    abstract_stream: UnixListener,
    pipe: File,
    victim: Child,
    shared_id: i32,
    terminal: OwnedFd,
    /// Inherited by children on purpose: a careless program leaks such descriptors.
    _leak: File,
}

impl Scene {
    pub(crate) fn new(place: &Path) -> Scene {
        let folder = tempfile::Builder::new().prefix("escape-").tempdir_in(place).unwrap();
        let target = folder.path().join("target");
        let workspace = folder.path().join("workspace");
        for new in [&target, &workspace, &target.join("folder"), &target.join("secret-folder")] {
            std::fs::create_dir(new).unwrap();
        }
        for name in ["file", "other", "folder/inner", "secret-file", "secret-folder/key", "leak"] {
            std::fs::write(target.join(name), format!("content of {name}\n")).unwrap();
        }
        std::os::unix::fs::symlink("file", target.join("link")).unwrap();
        make_nodes(&target);
        let stream = UnixListener::bind(target.join("stream")).unwrap();
        stream.set_nonblocking(true).unwrap();
        let datagram = UnixDatagram::bind(target.join("datagram")).unwrap();
        datagram.set_nonblocking(true).unwrap();
        let abstract_name = folder.path().file_name().unwrap().to_str().unwrap().to_owned();
        let abstract_stream =
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_name).unwrap()).unwrap();
        abstract_stream.set_nonblocking(true).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        udp.set_nonblocking(true).unwrap();
        let pipe = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(target.join("pipe")).unwrap();
        let victim = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let shared_key = 0x0f0f_0000 + (victim.id() as i32 & 0xffff);
        let shared_name = format!("/{abstract_name}");
        std::fs::write(Path::new("/dev/shm").join(&abstract_name), "shared").unwrap();
        // SAFETY: plain numbers; creates a segment that `drop` removes.
        let shared_id = unsafe { libc::shmget(shared_key, 4096, libc::IPC_CREAT | 0o600) };
        assert!(shared_id >= 0);
        let (terminal, terminal_path) = terminal();
        let leak = File::options().append(true).open(target.join("leak")).unwrap();
        // SAFETY: clears close-on-exec of our own descriptor.
        assert!(unsafe { libc::fcntl(leak.as_raw_fd(), libc::F_SETFD, 0) } == 0);
        let targets = Targets {
            folder: target,
            tcp: tcp.local_addr().unwrap().port(),
            udp: udp.local_addr().unwrap().port(),
            abstract_name,
            victim: victim.id() as i32,
            shared_key,
            shared_name,
            terminal: terminal_path,
        };
        Scene {
            targets,
            workspace,
            _folder: folder,
            tcp,
            udp,
            stream,
            datagram,
            abstract_stream,
            pipe,
            victim,
            shared_id,
            terminal,
            _leak: leak,
        }
    }

    /// What has reached the outside since the last look.
    pub(crate) fn arrivals(&mut self) -> Vec<&'static str> {
        let mut buffer = [0; 256];
        let mut seen = Vec::new();
        let mut note = |arrived: bool, what| {
            if arrived {
                seen.push(what)
            }
        };
        note(self.tcp.accept().is_ok(), "TCP");
        note(self.udp.recv(&mut buffer).is_ok(), "UDP");
        note(self.stream.accept().is_ok(), "Unix stream");
        note(self.datagram.recv(&mut buffer).is_ok(), "Unix datagram");
        note(self.abstract_stream.accept().is_ok(), "abstract Unix stream");
        note(self.pipe.read(&mut buffer).is_ok_and(|count| count > 0), "pipe");
        note(self.victim.try_wait().unwrap().is_some(), "a killed process");
        // SAFETY: reads from our own terminal into a buffer of that size.
        let typed = unsafe { libc::read(self.terminal.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) };
        note(typed > 0, "terminal");
        seen
    }

    /// Everything about the files that an attack could change; not access times, which reading changes.
    pub(crate) fn tree(&self) -> Vec<String> {
        let mut lines = Vec::new();
        describe(&self.targets.folder, &mut lines);
        lines.sort();
        lines
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        let _ = std::fs::remove_file(Path::new("/dev/shm").join(&self.targets.abstract_name));
        // SAFETY: removes the segment made for this scene.
        unsafe { libc::shmctl(self.shared_id, libc::IPC_RMID, std::ptr::null_mut()) };
    }
}

fn describe(path: &Path, lines: &mut Vec<String>) {
    let metadata = std::fs::symlink_metadata(path).unwrap();
    let content = if metadata.is_file() {
        std::fs::read(path).unwrap()
    } else {
        std::fs::read_link(path).map(|to| to.into_os_string().into_encoded_bytes()).unwrap_or_default()
    };
    lines.push(format!(
        "{} {:o} {}:{} {} links, changed {}.{} modified {}.{} {:?}",
        path.display(),
        metadata.mode(),
        metadata.uid(),
        metadata.gid(),
        metadata.nlink(),
        metadata.ctime(),
        metadata.ctime_nsec(),
        metadata.mtime(),
        metadata.mtime_nsec(),
        String::from_utf8_lossy(&content)
    ));
    if metadata.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            describe(&entry.unwrap().path(), lines);
        }
    }
}

/// A pipe for everybody, and for root a device file on the disk.
fn make_nodes(target: &Path) {
    let name = |name: &str| std::ffi::CString::new(target.join(name).into_os_string().into_encoded_bytes()).unwrap();
    // SAFETY: valid C strings.
    unsafe {
        assert!(libc::mkfifo(name("pipe").as_ptr(), 0o600) == 0);
        if libc::geteuid() == 0 {
            assert!(libc::mknod(name("device").as_ptr(), libc::S_IFCHR | 0o600, libc::makedev(1, 3)) == 0);
        }
    }
}

/// A terminal that nobody sits at: the side we keep, and the path of the other.
fn terminal() -> (OwnedFd, String) {
    // SAFETY: the usual steps for a pseudo terminal, on a descriptor that is ours.
    unsafe {
        let fd = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY | libc::O_CLOEXEC | libc::O_NONBLOCK);
        assert!(fd >= 0 && libc::grantpt(fd) == 0 && libc::unlockpt(fd) == 0, "{}", io::Error::last_os_error());
        let mut name = [0; 64];
        assert!(libc::ptsname_r(fd, name.as_mut_ptr(), name.len()) == 0);
        let path = std::ffi::CStr::from_ptr(name.as_ptr()).to_str().unwrap().to_owned();
        (OwnedFd::from_raw_fd(fd), path)
    }
}
