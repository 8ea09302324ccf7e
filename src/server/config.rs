//! What an operator can set, and the defaults.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};

use crate::{
    alerts::mailer::MailSettings, catalog::generation::GenerationStore, model::timestamp,
    pages::settings::PagesSettings, server::connection_limits::ConnectionLimits,
};

#[derive(Clone, Debug)]
pub struct Config {
    /// Where the generations are.
    pub store: GenerationStore,
    /// Whether the server refuses to start if the generation that should be served is damaged,
    /// instead of serving another one.
    pub strict_generation: bool,
    /// The state database.
    pub state: PathBuf,
    /// How long the state database may be unreadable or unwritable before the service is no longer
    /// ready.
    pub max_state_age: Duration,
    /// A file that overrides the figures of the plans.
    pub plans: Option<PathBuf>,
    /// The first part of the names of the gateway's headers.
    pub gateway_prefix: String,
    /// The value that the gateway's host header must have. Not checked if `None`.
    pub gateway_host: Option<String>,
    /// The maximum time of one search.
    pub query_timeout: Duration,
    /// Where a client can change its plan; the service's own page if `None`.
    pub upgrade_url: Option<String>,
    /// A folder with a dump of `procure export`, whose files are offered; none are without it.
    pub exports: Option<PathBuf>,
    /// The pages for people.
    pub pages: PagesSettings,
    /// Where metrics and readiness are served; nowhere if `None`.
    pub admin_bind: Option<SocketAddr>,
    /// How alerts are mailed; they are not if `None`.
    pub mail: Option<Arc<MailSettings>>,
    pub limits: ConnectionLimits,
    /// The clock. A field so that a test can set it.
    pub now: fn() -> DateTime<Utc>,
}

/// The default address to listen on.
pub(crate) const BIND: &str = "127.0.0.1:8080";

pub(crate) const GATEWAY_PREFIX: &str = "x-gateway";

pub(crate) const QUERY_TIMEOUT: Duration = Duration::from_secs(5);

/// Decision D-175: long enough for a backup or another program that holds the lock, short enough for
/// a revocation that must arrive.
pub(crate) const MAX_STATE_AGE: Duration = Duration::from_secs(180);

impl Config {
    /// The defaults for an index of the embedded engine and a state database.
    pub fn new(index_dir: PathBuf, state: PathBuf) -> Config {
        Config {
            store: GenerationStore::Folder(index_dir),
            strict_generation: false,
            state,
            max_state_age: MAX_STATE_AGE,
            plans: None,
            gateway_prefix: GATEWAY_PREFIX.to_owned(),
            gateway_host: None,
            query_timeout: QUERY_TIMEOUT,
            upgrade_url: None,
            exports: None,
            pages: PagesSettings::default(),
            admin_bind: None,
            mail: None,
            limits: ConnectionLimits::default(),
            now: timestamp::now,
        }
    }
}
