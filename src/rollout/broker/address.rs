//! The address of the broker, with user and password. Secrets are never shown.

use crate::{Error, Result};
use redis::{Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo};
use std::fmt;

/// The environment variable that holds the broker's password, so that it does not have to appear on a command line.
pub const PASSWORD: &str = "LOCOMOTION_REDIS_PASSWORD";

/// A broker's address. Shown without user and password.
#[derive(Clone)]
pub struct Address {
    info: ConnectionInfo,
    shown: String,
}

impl Address {
    /// Parses `redis://[USER[:PASSWORD]@]HOST[:PORT][/DB]`, `rediss://…` for TLS, or `unix:///PATH`. If the URL has no password,
    /// the one in the environment variable [`PASSWORD`] is used.
    ///
    /// # Errors
    /// If the URL cannot be parsed. The error does not repeat the URL, because it may contain a password.
    pub fn parse(url: &str) -> Result<Self> {
        let wrong = |what: &str| {
            Error::usage(format!("the address of the broker {what}"))
                .hint("write it as redis://HOST:PORT, or rediss://HOST:PORT for TLS")
        };
        let scheme = url.split_once("://").map_or("", |(scheme, _)| scheme);
        if !["redis", "rediss", "valkey", "valkeys", "unix", "redis+unix"].contains(&scheme) {
            return Err(wrong("does not begin with redis:// or rediss://"));
        }
        let mut info = url.into_connection_info().map_err(|_| wrong("cannot be read"))?;
        let settings = info.redis_settings().clone();
        if settings.password().is_none()
            && let Ok(password) = std::env::var(PASSWORD)
            && !password.is_empty()
        {
            info = info.set_redis_settings(settings.clone().set_password(password));
        }
        let database = if settings.db() == 0 { String::new() } else { format!("/{}", settings.db()) };
        let shown = match info.addr() {
            ConnectionAddr::Tcp(host, port) => format!("redis://{host}:{port}{database}"),
            ConnectionAddr::TcpTls { host, port, .. } => format!("rediss://{host}:{port}{database}"),
            ConnectionAddr::Unix(path) => format!("unix://{}", path.display()),
            _ => return Err(wrong("is of a kind that this program does not support")),
        };
        Ok(Self { info, shown })
    }

    pub(super) fn client(&self) -> Result<Client> {
        if matches!(self.info.addr(), ConnectionAddr::TcpTls { .. }) {
            // This fails only if a provider is already installed.
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        Client::open(self.info.clone()).map_err(|_| Error::usage(format!("cannot use the address {self}")))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn neither_an_address_nor_an_error_shows_a_secret() {
        let address = Address::parse("rediss://ann:secret@node-1:6380/2").unwrap();
        assert_eq!(address.to_string(), "rediss://node-1:6380/2");
        assert!(!format!("{address:?}").contains("secret"));
        assert_eq!(Address::parse("redis://node-1").unwrap().to_string(), "redis://node-1:6379");
        for wrong in ["secret@node", "http://ann:secret@node", "redis://ann:secret@node:99999", "redis://:secret@"] {
            let error = Address::parse(wrong).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
    }
}
