//! A PostgreSQL server of the test's own, in a temp folder, as somebody who is not root; and a proxy that cuts lines.
#![allow(clippy::expect_used, reason = "says which program is missing")]
#![allow(dead_code, reason = "each test program uses its part")]

use fore_team::{ServerUrl, set_up_server};
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Who a server runs as where the tests are root.
const NOBODY: u32 = 65_534;

/// Where the programs of the newest server are, or a clear word.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort();
    folders.reverse();
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let is_whole = |folder: &PathBuf| folder.join("initdb").exists() && folder.join("postgres").exists();
    let found = folders.into_iter().find(is_whole);
    found
        .expect("PostgreSQL is needed for these tests: install Debian's `postgresql`, as `./test` does when it is root")
}

pub(crate) struct PostgresServer {
    folder: tempfile::TempDir,
    programs: PathBuf,
    pub(crate) port: u16,
    running: Mutex<Option<Child>>,
}

impl PostgresServer {
    pub(crate) fn start() -> PostgresServer {
        let folder = tempfile::Builder::new().prefix("pg").tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        let port = free_port();
        let server = PostgresServer { folder, programs: programs(), port, running: Mutex::new(None) };
        let data = server.data();
        let made = server
            .as_nobody("initdb")
            .args(["-A", "trust", "-U", "admin", "--no-sync", "-E", "UTF8", "--locale=C", "-D"])
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        server.run();
        server
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn as_nobody(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C").current_dir("/");
        command
    }

    /// Starts it, and waits until it answers.
    pub(crate) fn run(&self) {
        let started = Instant::now();
        let mut child = self.spawn();
        while !self.answers() {
            let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(started.elapsed() < Duration::from_secs(60), "PostgreSQL does not start: {log}");
            std::thread::sleep(Duration::from_millis(20));
            // Processes of the one that was killed take a moment to notice, and until then none starts.
            if child.try_wait().unwrap().is_some() {
                child = self.spawn();
            }
        }
        *self.running.lock().unwrap() = Some(child);
    }

    fn spawn(&self) -> Child {
        let port = self.port.to_string();
        let mut command = self.as_nobody("postgres");
        command.arg("-D").arg(self.data()).args(["-h", "127.0.0.1", "-p", &port, "-k", ""]);
        command.args(["-c", "max_connections=300", "-c", "shared_buffers=32MB", "-c", "log_min_messages=fatal"]);
        let log = std::fs::File::create(self.folder.path().join("log")).unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap()
    }

    fn answers(&self) -> bool {
        let Ok(mut line) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        // A start-up packet; whoever is still recovering answers with an error.
        let body = b"\0\x03\0\0user\0admin\0database\0postgres\0\0";
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        let sent = line.write_all(&length).and_then(|()| line.write_all(body));
        let mut first = [0];
        sent.and_then(|()| line.read_exact(&mut first)).is_ok() && first[0] == b'R'
    }

    /// Makes an authority, and a certificate of it for `localhost` alone; the server speaks TLS from its next start. Gives the authority's file.
    pub(crate) fn secure(&self) -> PathBuf {
        let openssl = |arguments: &[&str]| {
            let mut command = Command::new("openssl");
            command.args(arguments).current_dir(self.folder.path());
            let output =
                command.output().expect("`openssl` makes the certificates; it comes with Debian's `postgresql`");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        let new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
        let authority = ["req", "-x509", "-subj", "/CN=authority", "-keyout", "authority.key", "-out", "authority.pem"];
        openssl(&[&authority[..], &new_key].concat());
        let server =
            ["req", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", "server.key"];
        let signed = ["-x509", "-CA", "authority.pem", "-CAkey", "authority.key", "-out", "server.crt"];
        openssl(&[&server[..], &signed, &new_key, &["-addext", "basicConstraints=critical,CA:FALSE"]].concat());
        for name in ["server.key", "server.crt"] {
            std::fs::copy(self.folder.path().join(name), self.data().join(name)).unwrap();
            std::fs::set_permissions(self.data().join(name), std::fs::Permissions::from_mode(0o600)).unwrap();
            if rustix::process::geteuid().is_root() {
                std::os::unix::fs::chown(self.data().join(name), Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        let mut settings = std::fs::OpenOptions::new().append(true).open(self.data().join("postgresql.conf")).unwrap();
        settings.write_all(b"\nssl = on\n").unwrap();
        self.folder.path().join("authority.pem")
    }

    /// `kill -9`; its other processes end with it.
    pub(crate) fn kill(&self) {
        if let Some(mut child) = self.running.lock().unwrap().take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(crate) fn url(&self, login: &str) -> String {
        self.url_at(login, self.port)
    }

    pub(crate) fn url_at(&self, login: &str, port: u16) -> String {
        format!("postgres://{login}@127.0.0.1:{port}/postgres")
    }

    pub(crate) fn parsed(&self, login: &str) -> ServerUrl {
        ServerUrl::parse(&self.url(login)).unwrap()
    }

    /// The schema, and these logins.
    pub(crate) async fn set_up(&self, logins: &[&str]) {
        set_up_server(&self.parsed("admin"), logins).await.unwrap();
    }

    /// Runs SQL with a login, and gives the first value or the words of its error.
    pub(crate) async fn sql(&self, login: &str, sql: &str) -> Result<String, String> {
        let (client, line) = tokio_postgres::connect(&self.url(login), tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(line);
        let told = |error: tokio_postgres::Error| {
            error.as_db_error().map_or_else(|| error.to_string(), |told| told.message().to_owned())
        };
        let messages = client.simple_query(sql).await.map_err(told)?;
        let first = messages.iter().find_map(|message| match message {
            tokio_postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        });
        Ok(first.unwrap_or_default())
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.kill();
    }
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// Lies between somebody and the server, until it is cut.
pub(crate) struct CutProxy {
    pub(crate) port: u16,
    is_cut: Arc<AtomicBool>,
    lines: Arc<Mutex<Vec<TcpStream>>>,
}

impl CutProxy {
    pub(crate) fn to(port: u16) -> CutProxy {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let (is_cut, lines) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let proxy = CutProxy { port: listener.local_addr().unwrap().port(), is_cut, lines };
        let (is_cut, lines) = (Arc::clone(&proxy.is_cut), Arc::clone(&proxy.lines));
        std::thread::spawn(move || {
            for line in listener.incoming().flatten() {
                if is_cut.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                let mut kept = lines.lock().unwrap();
                kept.extend([line.try_clone().unwrap(), server.try_clone().unwrap()]);
                for (mut from, mut to) in [(line.try_clone().unwrap(), server.try_clone().unwrap()), (server, line)] {
                    std::thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(std::net::Shutdown::Both);
                    });
                }
            }
        });
        proxy
    }

    /// Ends every line, and lets none through until it is mended.
    pub(crate) fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
        for line in self.lines.lock().unwrap().drain(..) {
            let _ = line.shutdown(std::net::Shutdown::Both);
        }
    }

    pub(crate) fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}
