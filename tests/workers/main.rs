//! Workers on other machines: the same bytes as on threads, whatever happens to workers, broker and coordinator. A real
//! redis-server runs on loopback.

#[path = "../common/mod.rs"]
mod common;

mod bytes;
mod crew;
mod faults;
mod garbage;
mod trouble;
