//! Addresses that a test lets a server listen on.

use std::{
    net::{Ipv4Addr, SocketAddr, TcpListener},
    process,
    sync::atomic::{AtomicU16, Ordering},
};

/// The first port of these addresses. Systems choose ports above 32,767 by themselves, also for the other tests.
const FIRST: u16 = 20_000;
/// How many ports one process has, and how many processes have their own.
const PORTS: u16 = 100;
const PROCESSES: u16 = 120;

/// An address that nothing listens on, and that neither the system nor another call chooses before it is used.
pub fn free_address() -> SocketAddr {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = FIRST + (process::id() % u32::from(PROCESSES)) as u16 * PORTS;
    let address = || {
        let port = first + NEXT.fetch_add(1, Ordering::Relaxed) % PORTS;
        SocketAddr::from((Ipv4Addr::LOCALHOST, port))
    };
    let mut tried = std::iter::repeat_with(address).take(usize::from(PORTS));
    let free = tried.find(|address| TcpListener::bind(address).is_ok());
    free.unwrap_or_else(|| panic!("no port from {first} on is free"))
}
