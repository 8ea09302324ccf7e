//! The stylesheet, the script and the icon. Their addresses contain a hash of their content, so browsers keep them for
//! a year and load a changed one at once.

use std::sync::{Arc, LazyLock};

use actix_web::http::header::{self, HeaderValue};
use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::{
    http::{
        middleware::{conditional::Validator, content_coding::KeptCodings},
        work::{Job, Reply, Work},
    },
    storage::hex::hex,
};

/// A file that pages load.
pub(crate) struct Asset {
    /// The address, with the hash.
    pub(crate) path: String,
    body: &'static str,
    content_type: HeaderValue,
    codings: Arc<KeptCodings>,
}

pub(crate) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new(
        "style",
        "css",
        "text/css; charset=utf-8",
        include_str!("assets/style.css"),
    )
});

pub(crate) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new(
        "script",
        "js",
        "text/javascript; charset=utf-8",
        include_str!("assets/script.js"),
    )
});

pub(crate) static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", "image/svg+xml", include_str!("assets/icon.svg")));

/// What a browser may keep for a year without asking again.
pub(crate) const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// How many hexadecimal digits of the hash an address has.
const HASH_DIGITS: usize = 12;

impl Asset {
    fn new(name: &str, extension: &str, content_type: &'static str, body: &'static str) -> Asset {
        let hash = hex(&Sha256::digest(body));
        Asset {
            path: format!("/assets/{name}-{}.{extension}", &hash[..HASH_DIGITS]),
            body,
            content_type: HeaderValue::from_static(content_type),
            codings: Arc::default(),
        }
    }

    /// The asset with this address.
    pub(crate) fn find(path: &str) -> Option<&'static Asset> {
        [&*STYLE, &*SCRIPT, &*ICON].into_iter().find(|asset| asset.path == path)
    }

    /// The file as a reply. The caller states how long it may be kept.
    pub(crate) fn work(&self) -> Work {
        let reply = Reply::from(Bytes::from_static(self.body.as_bytes()));
        let reply = reply.with_headers(vec![(header::CONTENT_TYPE, self.content_type.clone())]);
        let reply = reply.with_kept_codings(&self.codings);
        Work::new(Job::Ready(reply)).with_validator(Validator::None)
    }
}
