//! A real redis-server on loopback. Where none is on the path, Debian's package is fetched into the ignored folder `.redis`.

use super::root;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A server of one test; it ends with the test.
pub struct Server {
    child: Child,
    pub port: u16,
    folder: tempfile::TempDir,
    options: Vec<String>,
}

impl Server {
    /// Starts one at a free port; nothing is stored unless the options say so.
    pub fn start(options: &[&str]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self::launched(port, options.iter().map(|option| (*option).to_string()).collect())
    }

    fn launched(port: u16, options: Vec<String>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let child = launch(port, folder.path(), &options);
        let server = Self { child, port, folder, options };
        server.wait();
        server
    }

    /// One that speaks nothing but TLS, with a certificate that only `tests/data/tls/authority.pem` vouches for.
    pub fn start_tls() -> Self {
        let file = |name: &str| root().join("tests/data/tls").join(name).display().to_string();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let options = [
            ("--port", "0".to_string()),
            ("--tls-port", port.to_string()),
            ("--tls-cert-file", file("server.pem")),
            ("--tls-key-file", file("server.key")),
            ("--tls-ca-cert-file", file("authority.pem")),
            ("--tls-auth-clients", "no".to_string()),
        ];
        let options = options.into_iter().flat_map(|(name, value)| [name.to_string(), value]).collect();
        Self::launched(port, options)
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub fn connection(&self) -> redis::Connection {
        redis::Client::open(self.url()).unwrap().get_connection().unwrap()
    }

    /// Ends it at once, as a crash would.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again at the same port, with what it has stored.
    pub fn revive(&mut self) {
        self.child = launch(self.port, self.folder.path(), &self.options);
        self.wait();
    }

    fn wait(&self) {
        let began = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(began.elapsed() < Duration::from_secs(20), "redis-server does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn launch(port: u16, folder: &Path, options: &[String]) -> Child {
    let (program, libraries) = program();
    Command::new(program)
        .args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", "", "--dir"])
        .arg(folder)
        .args(options)
        .env("LD_LIBRARY_PATH", libraries)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|e| panic!("{}: {e}", program.display()))
}

/// The program, and the folder of the libraries that came with it.
fn program() -> &'static (PathBuf, PathBuf) {
    static PROGRAM: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        if Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().is_ok_and(|s| s.success()) {
            return ("redis-server".into(), PathBuf::new());
        }
        let store = root().join(".redis");
        let program = store.join("usr/bin/redis-server");
        if !program.exists() {
            fetch(&store).unwrap_or_else(|why| {
                panic!("redis-server is not on the path, and Debian's package cannot be fetched: {why}; install it")
            });
        }
        (program, store.join("usr/lib/x86_64-linux-gnu"))
    })
}

/// Downloads Debian's packages and unpacks them; nothing is installed.
fn fetch(store: &Path) -> Result<(), String> {
    let work = tempfile::tempdir_in(root()).map_err(|e| e.to_string())?;
    let packages = ["redis-server", "redis-tools", "liblzf1", "libjemalloc2", "libatomic1"];
    let download = || run(Command::new("apt-get").arg("download").args(packages).current_dir(&work));
    // A fresh machine may not know its packages yet.
    download().or_else(|_| run(Command::new("apt-get").arg("update")).and_then(|()| download()))?;
    let unpacked = work.path().join("unpacked");
    for entry in std::fs::read_dir(&work).map_err(|e| e.to_string())?.flatten() {
        if entry.path().extension().is_some_and(|ending| ending == "deb") {
            run(Command::new("dpkg-deb").arg("-x").arg(entry.path()).arg(&unpacked))?;
        }
    }
    std::fs::rename(&unpacked, store).map_err(|e| e.to_string())
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
