//! The layers of the code, and the modules that may use each dependency. The tests check both
//! against the code, and the layers against `docs/architecture.md`.

/// A folder or file at the top of `src`, and its layer. A module imports only from itself and from
/// modules of lower layers.
pub struct Module {
    pub layer: usize,
    /// As the architecture page shows it, such as `model/` or `logging.rs`.
    pub path: &'static str,
    pub owns: &'static str,
    pub must_not_know: &'static str,
}

const fn module(layer: usize, path: &'static str, owns: &'static str, must_not_know: &'static str) -> Module {
    Module {
        layer,
        path,
        owns,
        must_not_know,
    }
}

/// Lowest layer first.
pub const MODULES: &[Module] = &[
    module(
        1,
        "model/",
        "entity types, dates, the schemas in `index-schema/`, records read by role, facets, closed lists, commodity codes, municipalities, plans, e-mail addresses, texts that mails may show, folding, stemming, similarity terms, timestamps",
        "files, indexes, HTTP",
    ),
    module(
        2,
        "storage/",
        "dumps, gzip and zip with their bounds, durable writes, regular files, file locks, hex, freed memory",
        "what a record means",
    ),
    module(
        2,
        "logging.rs",
        "log lines and the thread that writes them",
        "what is logged",
    ),
    module(
        2,
        "sample/",
        "generated records for `data/sample` and the benches",
        "everything but `model/`",
    ),
    module(
        3,
        "sources/",
        "publishers' formats and the readers for CSV, JSON and XML; the only folder that knows upstream column names",
        "the engine, the index, HTTP",
    ),
    module(
        4,
        "normalize/",
        "`procure normalize`: from inputs to dumps, and the report of every row",
        "the engine, HTTP",
    ),
    module(
        4,
        "fetch/",
        "`procure fetch`: downloads; with the cluster client and the health check the only user of `ureq`",
        "what the files contain",
    ),
    module(
        5,
        "query/",
        "`SearchQuery`, the `q` language and its translation, keywords, cursors",
        "how a query is executed",
    ),
    module(
        6,
        "engine/",
        "the `Engine` trait, aggregation, similarity, relevance, near words, names; `engine/tantivy/` is the only folder that uses `tantivy`, `engine/opensearch/` the only one that knows the cluster",
        "what clients request, plans, keys",
    ),
    module(
        7,
        "catalog/",
        "generations, `procure index`, which notices are one tender, the feed, estimates and comparables (`catalog/estimates/`), which names are one supplier or one body (`catalog/suppliers/`), what typed words may mean (`catalog/suggest/`)",
        "HTTP, SQLite",
    ),
    module(
        8,
        "state/",
        "the state database: keys, usage, subscriptions, deliveries; the only folder that uses `rusqlite`",
        "HTTP, records",
    ),
    module(
        9,
        "alerts/",
        "which new tenders match which subscription, digests, confirmation mails, sending; the only folder that uses `lettre`",
        "HTTP",
    ),
    module(
        10,
        "http/",
        "what all requests share: errors, keys, limits, middleware, the search pool, budgets of bytes, percent-encoding",
        "endpoints, pages, Tantivy, SQLite",
    ),
    module(
        11,
        "api/",
        "the endpoints: routes, parameters, handlers, the API description, and what is computed for a search (`api/analysis/`)",
        "pages and their templates, Tantivy, SQLite",
    ),
    module(
        12,
        "question/",
        "what a typed text asks for, and the words that are left",
        "addresses, messages",
    ),
    module(
        13,
        "pages/",
        "the pages for people: templates, texts in both languages, charts, sessions",
        "how a search is executed, Tantivy, SQLite",
    ),
    module(
        14,
        "server/",
        "assembly, listener, connections, the HTTP/1 request framer, the pipeline from a request to its response, background workers, reload, metrics, the admin address, systemd",
        "what an endpoint or a page does",
    ),
    module(
        15,
        "cli/",
        "all configuration: one file per command",
        "everything that a command does not call",
    ),
    module(16, "main.rs", "parse, run, exit code", "everything else"),
];

/// A dependency and its homes: the only modules that may use it. [`ANYWHERE`] allows all modules.
pub struct Dependency {
    pub name: &'static str,
    pub homes: &'static [&'static str],
}

pub const ANYWHERE: &[&str] = &[];

const fn dependency(name: &'static str, homes: &'static [&'static str]) -> Dependency {
    Dependency { name, homes }
}

impl Module {
    pub fn name(&self) -> &'static str {
        self.path.trim_end_matches('/').trim_end_matches(".rs")
    }
}

pub const DEPENDENCIES: &[Dependency] = &[
    dependency("actix_http", &["server"]),
    dependency("actix_server", &["server"]),
    dependency("actix_service", &["server"]),
    dependency("actix_web", &["api", "http", "pages", "server"]),
    dependency("anyhow", ANYWHERE),
    dependency("arc_swap", &["http", "server", "state/sync"]),
    dependency("askama", &["pages"]),
    dependency("base64", &["alerts/mail", "engine/opensearch/settings", "query/cursor"]),
    dependency("bincode", &["query/cursor"]),
    dependency("brotli", &["http/middleware/content_coding"]),
    dependency("bytes", ANYWHERE),
    dependency("chrono", ANYWHERE),
    dependency("chrono_tz", &["model/date"]),
    dependency("clap", &["cli"]),
    dependency("clap_complete", &["cli/print"]),
    dependency("clap_mangen", &["cli/print"]),
    dependency("crc32fast", ANYWHERE),
    dependency(
        "csv",
        &[
            "catalog/suppliers/claims",
            "cli/suppliers",
            "fetch/validate",
            "api/export/csv_rows",
            "model/body_names",
            "model/commodity_table",
            "model/countries",
            "model/municipality",
            "sources",
        ],
    ),
    dependency("email_address", &["model/email"]),
    dependency("encoding_rs", &["sources/reading/decode"]),
    dependency("env_logger", &["logging"]),
    dependency(
        "flate2",
        &[
            "engine/opensearch/bulk",
            "http/middleware/content_coding",
            "storage/gzip",
        ],
    ),
    dependency("fluent_bundle", &["pages/messages"]),
    dependency("fst", &["engine/tantivy/stem_tables"]),
    dependency("getrandom", ANYWHERE),
    dependency("governor", &["state/account"]),
    dependency("hmac", &["pages/session", "state/tokens"]),
    dependency(
        "html_escape",
        &[
            "alerts/html",
            "api/handlers/confirmation_page",
            "api/handlers/reconcile",
            "sources/reading/html",
        ],
    ),
    dependency("httparse", &["server/http1"]),
    dependency("idna", &["model/email"]),
    dependency("indicatif", &["catalog/indexing", "fetch/progress", "normalize"]),
    dependency("lettre", &["alerts"]),
    dependency("libc", &["server/bus_error", "storage/freed_memory"]),
    dependency("log", ANYWHERE),
    dependency(
        "memchr",
        &[
            "catalog/indexing/null_members",
            "catalog/indexing/read_dumps",
            "engine/name_words",
            "engine/tantivy",
            "model/record_id",
            "sources/reading",
            "storage/json_text",
        ],
    ),
    dependency("memmap2", &["engine/tantivy"]),
    dependency("parquet", &["api/export/parquet_file", "api/export/parquet_values"]),
    dependency("percent_encoding", &["alerts", "http/encoding"]),
    dependency("prometheus_client", &["http/metrics", "server/metrics"]),
    dependency("quick_xml", &["sources/reading/xml"]),
    dependency("rand_chacha", &["sample/random"]),
    // Nothing that a request runs: a thread of the search pool that waited for its parts would run other requests in
    // the meantime.
    dependency(
        "rayon",
        &[
            "catalog/generation/build",
            "catalog/generation/checksums",
            "catalog/indexing",
            "catalog/estimates/backtest",
            "catalog/estimates/baselines",
            "catalog/estimates/holdout",
            "catalog/notices",
            "catalog/suppliers/clusters",
            "catalog/suppliers/look_up",
            "catalog/suppliers/made",
            "catalog/suppliers/names",
            "catalog/suppliers/suggested",
            "engine/tantivy/build",
            "normalize",
            "sources",
        ],
    ),
    dependency("rustix", &["http/search_pool/lane", "server", "storage/regular_file"]),
    dependency("rusqlite", &["state"]),
    dependency(
        "rustc_hash",
        &[
            "api/export/parquet_rows",
            "api/export/row_members",
            "catalog/bids",
            "catalog/estimates",
            "catalog/indexing/supplier_names",
            "catalog/suppliers/carried",
            "catalog/suppliers/made",
            "catalog/suppliers/names",
            "engine/name_words",
            "engine/tantivy/build",
            "model",
            "sample",
            "sources",
        ],
    ),
    dependency("rust_stemmers", &["model/stem"]),
    dependency("schemars", ANYWHERE),
    dependency("sd_notify", &["server/systemd"]),
    dependency("serde", ANYWHERE),
    dependency("serde_json", ANYWHERE),
    dependency("serde_path_to_error", &["api/json"]),
    dependency("sha2", ANYWHERE),
    dependency(
        "simdutf8",
        &["model/record", "sources/reading/decode", "api/export/row_members"],
    ),
    dependency("socket2", &["server/client_socket"]),
    dependency(
        "strsim",
        &[
            "api/params/nearest",
            "catalog/suppliers",
            "engine/near_words",
            "engine/similar_names",
        ],
    ),
    dependency("tantivy", &["engine/tantivy"]),
    dependency(
        "tempfile",
        &[
            "catalog/indexing/read_dumps",
            "engine/tantivy/build",
            "sources/reading/spool/file",
        ],
    ),
    dependency("textwrap", &["alerts/text"]),
    dependency("tokio", &["api", "http", "server"]),
    dependency("toml", &["model/plans"]),
    dependency("unicode_normalization", &["model/fold", "model/mail_safe_text"]),
    dependency(
        "ureq",
        &[
            "engine/opensearch/client",
            "engine/opensearch/connect_error",
            "engine/opensearch/settings",
            "fetch",
            "server/health_probe",
        ],
    ),
    dependency("url", &["alerts"]),
    dependency("zip", &["fetch/validate", "normalize/input", "storage/zip_archive"]),
    dependency(
        "zstd",
        &["http/middleware/content_coding", "storage/dump", "api/export/whole"],
    ),
];
