//! The admin address: metrics, readiness and liveness, for the operator's own network and never on the public port.

use std::{
    net::{SocketAddr, TcpListener},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use actix_web::{App, HttpResponse, HttpServer, dev::ServerHandle, web};
use anyhow::{Context, ensure};

use crate::{http::AppState, server::metrics::Page};

/// Binds the admin address, which must not be the public one: its pages are for nobody else.
pub fn listen(admin: SocketAddr, public: SocketAddr) -> anyhow::Result<TcpListener> {
    let is_everywhere = admin.ip().is_unspecified() || public.ip().is_unspecified();
    let is_same = admin.port() == public.port() && (admin.ip() == public.ip() || is_everywhere);
    ensure!(
        !is_same,
        "the admin address {admin} is the public one, {public}; give --admin-bind another port, one that only you can reach"
    );
    if !admin.ip().is_loopback() {
        log::warn!(
            "metrics and readiness on {admin} ask for no key, and others than this machine may reach that address"
        );
    }
    TcpListener::bind(admin).with_context(|| format!("listening on the admin address {admin}"))
}

/// Serves the admin pages from now on, beside the public server and on a thread of its own.
pub fn start(listener: TcpListener, state: &Arc<AppState>, open: &Arc<AtomicUsize>) -> std::io::Result<ServerHandle> {
    log::info!("metrics and readiness on http://{}", listener.local_addr()?);
    let page = web::Data::new(Page::new(Arc::clone(state), Arc::clone(open)));
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

async fn metrics(page: web::Data<Page>) -> HttpResponse {
    match page.text() {
        Ok(text) => HttpResponse::Ok().content_type(Page::CONTENT_TYPE).body(text),
        Err(error) => {
            log::error!("the metrics cannot be written: {error}");
            HttpResponse::InternalServerError().finish()
        }
    }
}

/// Whether requests should be sent here. There is a generation to answer from for as long as this is listened to: without one `serve` does not start.
async fn ready(state: web::Data<AppState>) -> HttpResponse {
    match state.draining.load(Ordering::Relaxed) {
        true => HttpResponse::ServiceUnavailable().body("stopping\n"),
        false => HttpResponse::Ok().body("ready\n"),
    }
}
