//! The admin server: metrics, readiness and liveness. For the operator's own network, never on the
//! public port.

use std::{
    net::{SocketAddr, TcpListener},
    sync::Arc,
};

use actix_web::{App, HttpResponse, HttpServer, dev::ServerHandle, web};
use anyhow::ensure;

use crate::{
    http::call::AppState,
    server::{bind_error, connection_slots::ConnectionSlots, metrics::MetricsPage, readiness},
};

/// Binds the admin address, which must differ from the public one: the admin pages need no key.
pub(crate) fn listen(admin: SocketAddr, public: SocketAddr) -> anyhow::Result<TcpListener> {
    let is_any_address = admin.ip().is_unspecified() || public.ip().is_unspecified();
    let is_same = admin.port() == public.port() && (admin.ip() == public.ip() || is_any_address);
    ensure!(
        !is_same,
        "the admin address {admin} overlaps the public address {public}; give --admin-bind another port, one that clients cannot reach"
    );
    if !admin.ip().is_loopback() {
        log::warn!("metrics and readiness on {admin} need no key, and other machines may reach that address");
    }
    let explain = |error| bind_error::explain(error, format!("listening on the admin address {admin}"), "--admin-bind");
    TcpListener::bind(admin).map_err(explain)
}

/// Starts the admin server, on a thread of its own.
pub(crate) fn start(
    listener: TcpListener,
    state: &Arc<AppState>,
    slots: &Arc<ConnectionSlots>,
) -> std::io::Result<ServerHandle> {
    log::info!("metrics and readiness on http://{}", listener.local_addr()?);
    let page = web::Data::new(MetricsPage::new(Arc::clone(state), Arc::clone(slots)));
    let shared = web::Data::from(Arc::clone(state));
    let server = HttpServer::new(move || {
        App::new()
            .app_data(page.clone())
            .app_data(shared.clone())
            .route("/metrics", web::get().to(metrics))
            .route("/ready", web::get().to(ready))
            .route("/live", web::get().to(|| async { "alive\n" }))
    });
    let server = server.workers(1).disable_signals().listen(listener)?.run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    Ok(handle)
}

async fn metrics(page: web::Data<MetricsPage>) -> HttpResponse {
    match page.render() {
        Ok(text) => HttpResponse::Ok().content_type(MetricsPage::CONTENT_TYPE).body(text),
        Err(error) => {
            log::error!("cannot render the metrics: {error}");
            HttpResponse::InternalServerError().finish()
        }
    }
}

async fn ready(state: web::Data<AppState>) -> HttpResponse {
    match readiness::obstacle(&state) {
        Some(obstacle) => HttpResponse::ServiceUnavailable().body(obstacle + "\n"),
        None => HttpResponse::Ok().body("ready\n"),
    }
}
