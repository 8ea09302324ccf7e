//! The HTTP server on its listener: framework workers, guarded connections, and a graceful stop
//! that loses no request.
//!
//! The framework's `HttpServer` accepts bare sockets only. So its parts are assembled here as it
//! does, with a [`GuardedStream`] around each socket.

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
use actix_web::{
    App,
    dev::{AppConfig, Extensions},
    rt::net::TcpStream,
    web,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::{
    http::{call::AppState, pipeline},
    server::connection::{ConnectionLimits, GuardedStream},
};

/// Decision D-120: how long the server still accepts connections after a stop was requested, and
/// answers each request with a 503. A client between two requests learns of the stop from that
/// response instead of a connection that closes during its next request.
const DRAIN_TIME: Duration = Duration::from_millis(500);

/// How long requests in flight may take after that, in seconds.
const SHUTDOWN_SECONDS: u64 = 30;

/// How long a connection may take to close. Longer than a guarded stream lingers.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// The framework accepts no larger number.
const MAX_WORKERS: usize = 512;

/// File descriptors that are not client connections: the index, the state database, the runtime.
const OTHER_FILES: usize = 256;

/// Serves until `stop` resolves and the requests in flight are answered. Counts the `open`
/// connections.
pub(crate) fn start(
    listener: TcpListener,
    state: Arc<AppState>,
    limits: ConnectionLimits,
    open: Arc<AtomicUsize>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<Server> {
    let limits = ConnectionLimits {
        connections: connections_permitted(limits.connections),
        ..limits
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_WORKERS);
    let drained_state = Arc::clone(&state);
    let builder = Server::build();
    let shutdown = builder.graceful_shutdown_signal();
    let service = move || {
        let shared = web::Data::from(Arc::clone(&state));
        let app = App::new().app_data(shared).default_service(web::to(pipeline::answer));
        let app = app.into_factory().map_err(|error| error.error_response());
        let (open, shutdown) = (Arc::clone(&open), shutdown.clone());
        let http = HttpService::build()
            .keep_alive(limits.idle)
            // The guarded stream has time limits for every request, not only for the first one.
            .client_request_timeout(Duration::ZERO)
            .client_disconnect_timeout(DISCONNECT_TIMEOUT)
            // A client that closes its side no longer waits for the response, so its search is
            // cancelled.
            .h1_allow_half_closed(false)
            .graceful_shutdown_signal(move || {
                let shutdown = shutdown.clone();
                async move { shutdown.notified().await }
            })
            .on_connect_ext(|stream: &GuardedStream<TcpStream>, data: &mut Extensions| {
                data.insert(stream.refusal());
            })
            .finish(map_config(app, |()| AppConfig::default()));
        let guard = move |stream: TcpStream| {
            // Without it a connection is only slower.
            let _ = stream.set_nodelay(true);
            let peer = stream.peer_addr().ok();
            let stream = GuardedStream::new(stream, limits, &open);
            async move { Ok((stream, Protocol::Http1, peer)) }
        };
        fn_service(guard).and_then(http)
    };
    let drained = async move {
        stop.await;
        drained_state.draining.store(true, Ordering::Relaxed);
        log::info!("draining: requests in flight are completed, new ones get a 503");
        tokio::time::sleep(DRAIN_TIME).await;
    };
    let builder = builder
        .listen("procure", listener, service)?
        .workers(workers)
        // A connection beyond the limit gets a 503, so it has to be accepted. Beyond twice the
        // limit, connections wait in the system's queue.
        .max_concurrent_connections(limits.connections.saturating_mul(2).div_ceil(workers))
        .shutdown_timeout(SHUTDOWN_SECONDS)
        .shutdown_signal(drained);
    Ok(builder.run())
}

/// The wanted number of connections, or fewer if the system permits this process fewer open files.
fn connections_permitted(wanted: usize) -> usize {
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
    let permitted = (files.saturating_sub(OTHER_FILES) / 2).max(1);
    if permitted < wanted {
        log::warn!(
            "only {files} files may be open, so {permitted} connections are served instead of {wanted}; raise `ulimit -n`"
        );
    }
    permitted.min(wanted)
}
