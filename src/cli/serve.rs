//! `procure serve`: serves the published generation over HTTP.

use std::{
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    sync::Arc,
};

use clap::{Args, builder::NonEmptyStringValueParser};

use crate::{
    cli::{
        engine_options::EngineOptions,
        mail_options::MailOptions,
        options::{Bind, Seconds, StateFile, parse_address},
        pages_options::PagesOptions,
    },
    logging::Format,
    model::timestamp,
    server,
    storage::freed_memory,
};

#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    index: EngineOptions,
    /// Refuse to start if the current generation is damaged, instead of serving the newest whole one
    #[arg(long, env = "PROCURE_STRICT_GENERATION")]
    strict_generation: bool,
    #[command(flatten)]
    state: StateFile,
    #[command(flatten)]
    bind: Bind,
    /// Private address for metrics and readiness; without it, neither is served
    #[arg(long, value_name = "ADDRESS", env = "PROCURE_ADMIN_BIND", value_parser = parse_address)]
    admin_bind: Option<SocketAddr>,
    /// Format of log lines: text or json
    #[arg(
        long,
        value_name = "FORMAT",
        env = "PROCURE_LOG_FORMAT",
        default_value = "text",
        value_parser = parse_log_format
    )]
    pub(crate) log_format: Format,
    /// TOML file that overrides the limits of the plans
    #[arg(long, value_name = "FILE", env = "PROCURE_PLANS")]
    plans: Option<PathBuf>,
    /// Prefix of the two gateway headers, PREFIX-key and PREFIX-host
    #[arg(
        long,
        value_name = "PREFIX",
        env = "PROCURE_GATEWAY_PREFIX",
        default_value = server::config::GATEWAY_PREFIX,
        value_parser = NonEmptyStringValueParser::new()
    )]
    gateway_prefix: String,
    /// Required value of the gateway host header; without it, the header is not checked
    #[arg(long, value_name = "HOST", env = "PROCURE_GATEWAY_HOST", value_parser = NonEmptyStringValueParser::new())]
    gateway_host: Option<String>,
    /// Maximum duration of a search
    #[arg(long, value_name = "SECONDS", env = "PROCURE_QUERY_TIMEOUT", default_value_t = Seconds(server::config::QUERY_TIMEOUT))]
    query_timeout: Seconds,
    /// Address where a key's plan can be upgraded, for the error of a Pro endpoint; by default
    /// /docs#plans of this service
    #[arg(long, value_name = "URL", env = "PROCURE_UPGRADE_URL", value_parser = parse_web_address)]
    upgrade_url: Option<String>,
    /// Folder that `procure export` has written, whose files are offered under /exports/
    #[arg(long, value_name = "DIR", env = "PROCURE_EXPORTS")]
    exports: Option<PathBuf>,
    #[command(flatten)]
    pages: PagesOptions,
    #[command(flatten)]
    mail: MailOptions,
}

pub(crate) fn run(args: Serve) -> anyhow::Result<()> {
    freed_memory::share_between_threads();
    if args.index.is_embedded() {
        server::bus_error::install(&args.index.index_dir, args.log_format);
    }
    let bind = args.bind.bind;
    let explain = |error| server::bind_error::explain(error, format!("listening on {bind}"), "--bind");
    let listener = TcpListener::bind(bind).map_err(explain)?;
    let config = server::Config {
        store: args.index.store()?,
        strict_generation: args.strict_generation,
        state: args.state.state,
        max_state_age: server::config::MAX_STATE_AGE,
        plans: args.plans,
        gateway_prefix: args.gateway_prefix,
        gateway_host: args.gateway_host,
        query_timeout: args.query_timeout.0,
        upgrade_url: args.upgrade_url,
        exports: args.exports,
        pages: args.pages.settings(args.mail.public_url()),
        admin_bind: args.admin_bind,
        mail: args.mail.settings()?.map(Arc::new),
        limits: server::connection_limits::ConnectionLimits::default(),
        now: timestamp::now,
    };
    server::run(&config, listener, server::signals::stop_requested())
}

fn parse_web_address(text: &str) -> Result<String, String> {
    let has_scheme = ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme));
    if has_scheme && !text.contains(char::is_whitespace) {
        Ok(text.to_owned())
    } else {
        Err("use an address that begins with https:// or http://".to_owned())
    }
}

fn parse_log_format(name: &str) -> Result<Format, String> {
    match name {
        "text" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        _ => Err("use text or json".to_owned()),
    }
}
