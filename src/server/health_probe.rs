//! `procure health`: the health check of a container image that contains no other program.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use anyhow::{anyhow, ensure};
use ureq::{Agent, http::StatusCode};

const TIMEOUT: Duration = Duration::from_secs(3);

/// Fails unless the server that was started with this `--bind` address answers `/health` with 200.
pub(crate) fn check(bind: SocketAddr) -> anyhow::Result<()> {
    let url = format!("http://{}/health", reachable(bind));
    let config = Agent::config_builder()
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
        // A proxy for other hosts is of no use on this one.
        .proxy(None)
        .build();
    let response = Agent::new_with_config(config)
        .get(&url)
        .call()
        .map_err(|error| {
            anyhow!("requesting {url}: {error}; is `procure serve` running, and does it listen on the address in --bind or PROCURE_BIND?")
        })?;
    ensure!(
        response.status() == StatusCode::OK,
        "{url} returned status {}; expected 200",
        response.status()
    );
    Ok(())
}

/// A server that listens on all addresses is reached on the loopback one.
fn reachable(bind: SocketAddr) -> SocketAddr {
    let ip = match bind.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, bind.port())
}
