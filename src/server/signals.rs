//! SIGTERM and SIGINT: the first one requests a stop, a second one ends the process immediately.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use actix_web::rt;
use anyhow::Context;

use crate::logging;

/// Resolves at the first signal.
pub(crate) async fn stop_requested() {
    let name = next_signal().await;
    log::info!("{name}: stopping; a second signal stops at once");
    rt::spawn(async {
        let name = next_signal().await;
        log::warn!("{name}: stopped at once");
        logging::flush();
        std::process::exit(1);
    });
}

/// Returns a check whether a stop was requested, for work without an async runtime.
pub(crate) fn stop_flag() -> anyhow::Result<impl Fn() -> bool> {
    let is_requested = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_requested);
    let wait = move || {
        rt::System::new().block_on(async move {
            stop_requested().await;
            flag.store(true, Ordering::Relaxed);
            // Keeps the runtime alive, which waits for the second signal.
            std::future::pending::<()>().await;
        });
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait)
        .context("starting the signal thread")?;
    Ok(move || is_requested.load(Ordering::Relaxed))
}

/// Waits for a signal and returns its name. A signal that cannot be registered never arrives.
async fn next_signal() -> &'static str {
    use tokio::signal::unix::{SignalKind, signal};
    let wait = async |kind: SignalKind| match signal(kind) {
        Ok(mut signal) => {
            signal.recv().await;
        }
        Err(error) => {
            log::error!("cannot listen to a signal: {error}");
            std::future::pending().await
        }
    };
    tokio::select! {
        () = wait(SignalKind::terminate()) => "SIGTERM",
        () = wait(SignalKind::interrupt()) => "SIGINT",
    }
}
