//! The headers that every response of the pages has.

use actix_web::{
    HttpResponse,
    http::header::{self, HeaderName, HeaderValue},
};

use crate::{
    http::middleware::conditional::STORED,
    pages::{asset, routes::Place, settings::PagesState},
};

/// Nothing is loaded from another host, no script and no style is in the page itself, forms and scripts ask this server
/// only, and no other site can frame a page.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// A page may be kept, but is asked for each time: signing in and out changes it.
const REVALIDATED: HeaderValue = HeaderValue::from_static("private, no-cache");

const ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Adds the headers. Scripts of other sites may read no page, so there is none for CORS.
pub(crate) fn add(response: &mut HttpResponse, place: &Place, pages: &PagesState, key_header: &HeaderName) {
    let is_asset = matches!(place, Place::Asset(Some(_))) && response.status().is_success();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    if !pages.is_indexed {
        headers.insert(ROBOTS_TAG, HeaderValue::from_static("noindex"));
    }
    if is_asset {
        headers.insert(header::CACHE_CONTROL, asset::IMMUTABLE);
        return;
    }
    if headers.get(header::CACHE_CONTROL) == Some(&STORED) {
        headers.insert(header::CACHE_CONTROL, REVALIDATED);
    }
    headers.append(header::VARY, HeaderValue::from_static("cookie"));
    headers.append(header::VARY, HeaderValue::from(key_header.clone()));
    if matches!(place, Place::Root) {
        headers.append(header::VARY, HeaderValue::from_static("accept-language"));
    }
}
