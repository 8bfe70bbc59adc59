//! The flags of a run in which workers on other machines take part.

use super::number;
use crate::rollout::broker::{Address, Board, Broker};
use crate::{Error, Result, threads};
use clap::Args;
use std::sync::Arc;
use std::time::Duration;

#[derive(Args)]
pub struct WorkersArgs {
    /// Let workers take part that reach this broker (redis://HOST:PORT, or rediss:// for TLS): `locomotion worker URL`
    /// starts one on any machine. Results do not depend on it. A password may come from LOCOMOTION_REDIS_PASSWORD
    #[arg(long, value_name = "URL")]
    workers: Option<String>,
    /// With --workers: a task that is not answered for this long goes to another worker; the broker may be unreachable
    /// for five times as long
    #[arg(long, value_name = "TIME", default_value = "60s")]
    task_timeout: humantime::Duration,
    /// Threads [default: one per core]; with --workers, 0 means that this process only coordinates. Results do not depend
    /// on it
    #[arg(long, allow_negative_numbers = true, value_parser = super::threads())]
    threads: Option<usize>,
}

impl WorkersArgs {
    /// The number of threads of this process that take part: 0 means one per core, or none if there are workers.
    pub fn threads(&self) -> usize {
        match (&self.workers, self.threads) {
            (Some(_), None) => threads::count(0),
            (_, requested) => number::threads(requested.unwrap_or(0)),
        }
    }

    /// The broker, if there is one. `hear` receives messages for the user as they arrive.
    pub fn broker(&self, hear: fn(&str)) -> Result<Option<Broker>> {
        let Some(url) = &self.workers else { return Ok(None) };
        let task_timeout: Duration = self.task_timeout.into();
        if task_timeout < Duration::from_millis(100) {
            return Err(Error::usage("--task-timeout must be at least 100ms"));
        }
        Ok(Some(Broker { address: Address::parse(url)?, task_timeout, board: Arc::new(Board::new(hear)) }))
    }
}
