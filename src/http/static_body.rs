//! Bodies that do not depend on the index, each with its `ETag`.

use std::sync::Arc;

use actix_web::http::header::{HeaderName, HeaderValue};
use bytes::Bytes;

use crate::http::{
    middleware::{
        conditional::{Tag, Validator},
        content_coding::{KeptCodings, unpacked},
    },
    work::{Job, Reply, Work},
};

/// The OpenAPI document and the files of the documentation page. They depend on the program and its options only, so
/// they are rendered once at startup.
pub(crate) struct ApiDocs {
    pub(crate) description: StaticBody,
    pub(crate) page: StaticBody,
    pub(crate) script: StaticBody,
    pub(crate) style: StaticBody,
    pub(crate) swagger_ui_script: StaticBody,
    pub(crate) swagger_ui_style: StaticBody,
}

/// A body that does not depend on the index.
pub(crate) struct StaticBody {
    pub(crate) body: Bytes,
    tag: Tag,
    codings: Arc<KeptCodings>,
}

impl From<Bytes> for StaticBody {
    fn from(body: Bytes) -> StaticBody {
        let tag = Tag::of_content(&body);
        StaticBody {
            body,
            tag,
            codings: Arc::default(),
        }
    }
}

impl StaticBody {
    /// The body that a gzip file holds. Clients that accept gzip get the file.
    pub(crate) fn of_gzip(gzip: &'static [u8]) -> std::io::Result<StaticBody> {
        let plain = StaticBody::from(Bytes::from(unpacked(gzip)?));
        Ok(StaticBody {
            codings: Arc::new(KeptCodings::with_gzip(Bytes::from_static(gzip))),
            ..plain
        })
    }

    /// The body as a reply with these headers.
    pub(crate) fn work(&self, headers: Vec<(HeaderName, HeaderValue)>) -> Work {
        let reply = Reply::from(self.body.clone())
            .with_headers(headers)
            .with_kept_codings(&self.codings);
        Work::new(Job::Ready(reply)).with_validator(Validator::Document(self.tag.clone()))
    }
}
