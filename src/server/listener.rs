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
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use actix_http::{HttpService, KeepAlive, Protocol};
use actix_server::Server;
use actix_service::{IntoServiceFactory, ServiceFactoryExt, fn_service, map_config};
use actix_web::{
    App,
    dev::{AppConfig, Extensions},
    rt::net::TcpStream,
    web,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::oneshot;

use crate::{
    http::{call::AppState, sending},
    server::{
        client_socket::bound_unsent, connection::GuardedStream, connection_limits::ConnectionLimits,
        connection_slots::ConnectionSlots, late_connections::LateConnections, pipeline, service::Service,
        watchdog::AsyncWorkers,
    },
};

/// Decision D-120: how long the server still accepts connections after a stop was requested, and
/// answers each request with a 503. A client between two requests learns of the stop from that
/// response instead of a connection that closes during its next request.
const DRAIN_TIME: Duration = Duration::from_millis(500);

/// How long requests in flight may take after that, in seconds. Each connection limits how long it still waits for its
/// client.
const SHUTDOWN_SECONDS: u64 = 30;

/// How long a connection may take to close. Longer than a guarded stream lingers.
///
/// It is also how long the framework goes on reading the body of a request that was answered before its body had
/// arrived, such as one without a key. The client has the response at once, with `connection: close`. Closing the
/// connection then would reset it while the client sends, and the client could lose the response.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(3);

/// The framework accepts no larger number.
const MAX_WORKERS: usize = 512;

/// File descriptors that are not client connections: the index, the state database, the runtime.
const OTHER_FILES: usize = 256;

/// Serves until `stop` resolves and the requests in flight are answered.
pub(crate) fn start(
    listener: TcpListener,
    service: Service,
    limits: ConnectionLimits,
    slots: Arc<ConnectionSlots>,
    async_workers: AsyncWorkers,
    stop: impl Future<Output = ()> + Send + 'static,
) -> io::Result<impl Future<Output = io::Result<()>>> {
    let late = LateConnections::of(&listener)?;
    let (stopping, stopped) = oneshot::channel();
    let accepted = slots.accepted();
    let workers = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_WORKERS);
    let (drained_state, shared) = (Arc::clone(&service.app), web::Data::new(service));
    let builder = Server::build();
    let shutdown = builder.graceful_shutdown_signal();
    // Called once on each async worker.
    let factory = move || {
        async_workers.watch_this_one();
        let app = App::new()
            .app_data(shared.clone())
            .default_service(web::to(pipeline::answer));
        let app = app.into_factory().map_err(|error| error.error_response());
        let (slots, shutdown, is_stopping) = (Arc::clone(&slots), shutdown.clone(), Arc::clone(&shared.app.draining));
        let http = HttpService::build()
            // The guarded stream has time limits for every request and between them. The framework's own are off.
            .keep_alive(KeepAlive::Os)
            .client_request_timeout(Duration::ZERO)
            .client_disconnect_timeout(DISCONNECT_TIMEOUT)
            // As large as the parts of a response, so that no more of it waits in the buffer.
            .h1_write_buffer_size(sending::PART_BYTES)
            // A client that closes its side no longer waits for the response, so its search is cancelled.
            .h1_allow_half_closed(false)
            .graceful_shutdown_signal(move || {
                let shutdown = shutdown.clone();
                async move { shutdown.notified().await }
            })
            .on_connect_ext(|stream: &GuardedStream<TcpStream>, data: &mut Extensions| {
                data.insert(stream.state());
            })
            .finish(map_config(app, |()| AppConfig::default()));
        let guard = move |stream: TcpStream| {
            let peer = stream.peer_addr().ok();
            let stream = guarded(stream, limits, &slots, &is_stopping);
            async move { Ok((stream, Protocol::Http1, peer)) }
        };
        fn_service(guard).and_then(http)
    };
    let builder = builder
        .listen("procure", listener, factory)?
        .workers(workers)
        // Further connections wait in the system's queue.
        .max_concurrent_connections(accepted.div_ceil(workers))
        .shutdown_timeout(SHUTDOWN_SECONDS)
        .shutdown_signal(async move {
            drain(stop, drained_state).await;
            // The receiver only ends with the server.
            let _ = stopping.send(());
        });
    Ok(with_late_connections(builder.run(), late, stopped))
}

fn guarded(
    stream: TcpStream,
    limits: ConnectionLimits,
    slots: &Arc<ConnectionSlots>,
    is_stopping: &Arc<AtomicBool>,
) -> GuardedStream<TcpStream> {
    // Without it a connection is only slower.
    let _ = stream.set_nodelay(true);
    bound_unsent(&stream, limits.write_window);
    let slot = slots.take(is_local(&stream));
    GuardedStream::new(stream, limits, slot, Arc::clone(is_stopping))
}

/// Waits for the server. Once it accepts no more, what waits to be accepted is answered.
fn with_late_connections(
    server: Server,
    late: LateConnections,
    stopped: oneshot::Receiver<()>,
) -> impl Future<Output = io::Result<()>> {
    let answered = actix_web::rt::spawn(async move {
        // An error: the server ended without a stop.
        if stopped.await.is_ok() {
            // A panic is logged where it happens.
            let _ = tokio::task::spawn_blocking(|| late.answer()).await;
        }
    });
    async move {
        let served = server.await;
        // The task is never cancelled.
        let _ = answered.await;
        served
    }
}

/// Ends when `stop` has resolved and clients had time to learn of it.
async fn drain(stop: impl Future<Output = ()>, state: Arc<AppState>) {
    stop.await;
    state.draining.store(true, Ordering::Relaxed);
    log::info!("draining: requests in flight are completed, new ones get a 503");
    tokio::time::sleep(DRAIN_TIME).await;
}

/// Whether a client runs on the server's own machine.
fn is_local(stream: &TcpStream) -> bool {
    let Ok(client) = stream.peer_addr() else { return false };
    client.ip().to_canonical().is_loopback() || stream.local_addr().is_ok_and(|own| own.ip() == client.ip())
}

/// The wanted number of connections, or fewer if the system permits this process fewer open files.
pub(crate) fn connections_permitted(wanted: usize) -> usize {
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
