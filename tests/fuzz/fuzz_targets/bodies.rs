//! JSON bodies of requests, e-mail addresses and keywords: each is parsed within its limits, or
//! refused without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use procure::{catalog::estimates::limits::{MAX_COMPARABLES, MAX_ITEMS, MAX_YEARS_BACK}, http::error::ApiError, api::{json::{self, MAX_ELEMENTS}, params::{alerts::SubscribeBody, estimates::{Batch, CompsRequest, EstimateRequest}}}, model::{email::EmailAddress, stem::Language}, query::keyword::Keyword};

fuzz_target!(|bytes: &[u8]| {
    let Some((selector, body)) = bytes.split_first() else { return };
    match selector % 4 {
        0 => check_batch(json::parse::<EstimateRequest>(body).and_then(Batch::try_from)),
        1 => check_batch(json::parse::<CompsRequest>(body).and_then(Batch::try_from)),
        2 => drop(json::parse::<SubscribeBody>(body)),
        _ => check_text(body),
    }
});

fn check_batch(parsed: Result<Batch, ApiError>) {
    let Ok(batch) = parsed else { return };
    assert!((1..=MAX_ITEMS).contains(&batch.items.len()));
    assert!((1..=MAX_YEARS_BACK).contains(&batch.years_back));
    assert!((1..=MAX_COMPARABLES).contains(&batch.limit));
    assert!(batch.exclude.len() <= MAX_ELEMENTS);
}

fn check_text(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(address) = EmailAddress::parse(text) {
        let normalized = address.as_str();
        assert!(normalized.bytes().all(|b| b.is_ascii_graphic() && !b"<>,;:\"".contains(&b)));
        assert_eq!(EmailAddress::parse(normalized), Ok(address.clone()));
    }
    if let Ok(keyword) = Keyword::parse(text) {
        assert_eq!(keyword.text(), text.trim());
        // A keyword without a token could match nothing.
        assert!(keyword.tokens(&Language::ALL).next().is_some());
    }
}
