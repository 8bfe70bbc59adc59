//! A connection that survives restarts of the broker, and the meaning of its errors.

use super::Address;
use crate::error::Kind;
use crate::{Error, Result};
use redis::{Client, Connection, RedisError, RedisResult};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const CONNECT: Duration = Duration::from_secs(5);
/// Longer than any command that waits on purpose.
const ANSWER: Duration = Duration::from_secs(15);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A connection to the broker.
pub struct Link {
    address: Address,
    client: Client,
    connection: Option<Connection>,
    /// How long the broker may be unreachable.
    patience: Duration,
}

/// Why a call failed.
pub enum Trouble {
    /// The broker is unreachable or restarting. Call [`Link::recover`], and expect that it has lost everything.
    Unreachable(RedisError),
    /// The broker answers, but a stream or its group no longer exists.
    Gone,
    /// A permanent error. Trying again does not help.
    Broken(Error),
}

impl Link {
    /// Connects, and checks at once whether the broker can be written to.
    ///
    /// # Errors
    /// If the broker cannot be reached, or refuses the user or a command.
    pub fn open(address: &Address, patience: Duration) -> Result<Self> {
        let mut link = Self { client: address.client()?, address: address.clone(), connection: None, patience };
        match link.connect() {
            Ok(_) => Ok(link),
            Err(e) => Err(explain(address, &e)),
        }
    }

    /// Opens another connection to the same broker.
    ///
    /// # Errors
    /// As for [`Link::open`].
    pub fn another(&self) -> Result<Self> {
        Self::open(&self.address, self.patience)
    }

    /// Calls `work` with the connection, which is opened first if necessary.
    ///
    /// # Errors
    /// If the connection or the command fails.
    pub fn call<T>(&mut self, work: impl FnOnce(&mut Connection) -> RedisResult<T>) -> Result<T, Trouble> {
        let done = match &mut self.connection {
            Some(connection) => work(connection),
            None => self.connect().and_then(work),
        };
        done.map_err(|error| self.trouble(error))
    }

    /// Sorts an error of the broker by what to do about it.
    pub fn trouble(&mut self, error: RedisError) -> Trouble {
        if is_passing(&error) {
            self.connection = None;
            return Trouble::Unreachable(error);
        }
        match code(&error) {
            "NOGROUP" | "UNBLOCKED" => Trouble::Gone,
            _ => Trouble::Broken(explain(&self.address, &error)),
        }
    }

    /// Waits until the broker answers again, with growing pauses. Returns `false` if one of the `leave` flags was set.
    ///
    /// # Errors
    /// If the broker stays unreachable for too long, or refuses the connection.
    pub fn recover(&mut self, leave: &[&AtomicBool]) -> Result<bool> {
        let (began, mut pause) = (Instant::now(), FIRST_PAUSE);
        let mut last;
        loop {
            let until = Instant::now() + pause.mul_f64(0.5 + 0.5 * rand::random::<f64>());
            while Instant::now() < until {
                if leave.iter().any(|flag| flag.load(Ordering::Relaxed)) {
                    return Ok(false);
                }
                std::thread::sleep(Duration::from_millis(20).min(pause));
            }
            match self.connect() {
                Ok(_) => return Ok(true),
                Err(e) if is_passing(&e) => last = explain(&self.address, &e),
                Err(e) => return Err(explain(&self.address, &e)),
            }
            if began.elapsed() > self.patience {
                let time = humantime::format_duration(Duration::from_secs(self.patience.as_secs().max(1)));
                return Err(Error {
                    message: format!("the broker was unreachable for {time}: {}", last.message),
                    ..last
                });
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn connect(&mut self) -> RedisResult<&mut Connection> {
        self.connection = None;
        let mut connection = self.client.get_connection_with_timeout(CONNECT)?;
        connection.set_read_timeout(Some(ANSWER))?;
        connection.set_write_timeout(Some(ANSWER))?;
        // This changes nothing, but fails if the broker does not accept writes.
        redis::cmd("SREM").arg(super::keys::RUNS).arg("").exec(&mut connection)?;
        Ok(self.connection.insert(connection))
    }
}

/// Whether the error may go away by itself.
fn is_passing(error: &RedisError) -> bool {
    let passing = ["LOADING", "BUSY", "TRYAGAIN", "MASTERDOWN", "CLUSTERDOWN", "OOM", "MISCONF"];
    error.is_io_error() || error.is_connection_dropped() || error.is_timeout() || passing.contains(&code(error))
}

fn code(error: &RedisError) -> &str {
    error.code().unwrap_or_default()
}

/// The error in words for the user.
fn explain(address: &Address, error: &RedisError) -> Error {
    let say = |kind: Kind, what: &str, hint: &str| {
        Error { kind, ..Error::failed(format!("the broker at {address} {what}")) }.hint(hint)
    };
    let detail = error.detail().unwrap_or_default();
    let password = format!("write it as redis://USER:PASSWORD@HOST, or set {}", super::PASSWORD);
    let words = format!("{error}");
    match code(error) {
        "WRONGPASS" => say(Kind::Usage, "refuses this user and password", &password),
        _ if error.kind() == redis::ErrorKind::AuthenticationFailed => {
            let missing = words.contains("NOAUTH") || detail.contains("NOAUTH");
            say(Kind::Usage, if missing { "requires a password" } else { "refuses this user and password" }, &password)
        }
        "NOAUTH" => say(Kind::Usage, "requires a password", &password),
        "NOPERM" => {
            let hint = "the user needs to read and write streams, sets and strings under locomotion:*";
            say(Kind::Usage, &format!("does not allow this user to run a command: {detail}"), hint)
        }
        "READONLY" => say(Kind::Output, "is a read-only replica", "use the address of its primary"),
        "OOM" => say(Kind::Output, "has no memory left", "raise its maxmemory, or remove what fills it"),
        "MISCONF" => say(Kind::Output, "cannot store its data", "its own log says why"),
        "LOADING" => say(Kind::Output, "is still loading its data", "try again in a moment"),
        _ if error.is_io_error() || error.is_timeout() || error.is_connection_dropped() => {
            let hint = "is redis-server running there, and is the port open?";
            let hint = if words.contains("ertificate") {
                "the certificate must be valid for this name; SSL_CERT_FILE names authorities of your own"
            } else {
                hint
            };
            say(Kind::Output, &format!("cannot be reached: {words}"), hint)
        }
        _ => say(Kind::Failed, &format!("answers: {words}"), "it has to be Redis 6.2 or later, or Valkey"),
    }
}
