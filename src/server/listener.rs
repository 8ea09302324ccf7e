//! The HTTP server on its listener: workers, connections through [`Wire`], and a stop that loses no request.
//!
//! The framework's `HttpServer` speaks to bare sockets only, so its parts are put together here as it does, with a [`Wire`] around each.

use std::{
    io,
    net::TcpListener,
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use actix_http::{HttpService, Protocol};
use actix_server::Server;
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::{App, dev::AppConfig, rt::net::TcpStream, web};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{
    http::{self, AppState},
    server::connection::{Limits, Wire},
};

/// Spec silent: how long, once told to stop, the service goes on accepting, each request being told to go elsewhere. Whoever is between two requests learns
/// of the stop by an answer instead of a connection that closes under the next one.
const LAST_CALL: Duration = Duration::from_millis(500);

/// How long requests in flight may take to end after that.
const SHUTDOWN_SECONDS: u64 = 30;

/// How long a connection may take to close; longer than it lingers.
const DISCONNECT: Duration = Duration::from_secs(3);

/// More than this the framework refuses.
const MOST_WORKERS: usize = 512;

/// Files that are not connections: the index, the state, what the system takes.
const OTHER_FILES: usize = 256;

/// Serves until `stop` comes to its end and the requests in flight to theirs; counts the `open` connections.
pub fn server(
    listener: TcpListener,
    state: Arc<AppState>,
    limits: Limits,
    open: Arc<AtomicUsize>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<Server> {
    let limits = Limits {
        most: most(limits.most),
        ..limits
    };
    let workers = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(MOST_WORKERS);
    let stopped = Arc::clone(&state);
    let builder = Server::build();
    let closing = builder.graceful_shutdown_signal();
    let service = move || {
        let shared = web::Data::from(Arc::clone(&state));
        let app = App::new().app_data(shared).default_service(web::to(http::answer));
        let app = app.into_factory().map_err(|error| error.error_response());
        let (open, closing) = (Arc::clone(&open), closing.clone());
        let http = HttpService::build()
            .keep_alive(limits.idle)
            // The wire has timers of its own, which see more.
            .client_request_timeout(Duration::ZERO)
            .client_disconnect_timeout(DISCONNECT)
            // Who closes its side has given up, and its search is not worth going on with.
            .h1_allow_half_closed(false)
            .graceful_shutdown_signal(move || {
                let closing = closing.clone();
                async move { closing.notified().await }
            })
            .finish(map_config(app, |()| AppConfig::default()));
        let wire = move |stream: TcpStream| {
            // A socket that cannot be told so is only slower.
            let _ = stream.set_nodelay(true);
            let peer = stream.peer_addr().ok();
            let wire = Wire::new(stream, limits, &open);
            async move { Ok((wire, Protocol::Http1, peer)) }
        };
        fn_service(wire).and_then(http)
    };
    let last_call = async move {
        stop.await;
        stopped.draining.store(true, Ordering::Relaxed);
        log::info!("draining: requests in flight end, new ones are sent away");
        tokio::time::sleep(LAST_CALL).await;
    };
    let builder = builder
        .listen("procure", listener, service)?
        .workers(workers)
        // Past the bound a connection is told so, which takes accepting it; past twice as many the system keeps them waiting.
        .max_concurrent_connections(limits.most.saturating_mul(2).div_ceil(workers))
        .shutdown_timeout(SHUTDOWN_SECONDS)
        .shutdown_signal(last_call);
    Ok(builder.run())
}

/// So many connections, or as many as the system lets this process have files for.
fn most(wanted: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    let files = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    let files = files.map_or(usize::MAX, |files| usize::try_from(files).unwrap_or(usize::MAX));
    let most = (files.saturating_sub(OTHER_FILES) / 2).max(1);
    if most < wanted {
        log::warn!(
            "only {files} files may be open, so {most} connections are served instead of {wanted}; raise `ulimit -n`"
        );
    }
    most.min(wanted)
}
