//! What a client sends as a body, and the texts an alert is made of: taken apart, or refused in a sentence.
#![no_main]

use libfuzzer_sys::fuzz_target;
use procure::{http::{body::{MOST_VALUES, Object}, params::{alerts::{BODY, SubscribeParams}, market::{COMPS, ESTIMATE, MarketBody}}}, model::{email::EmailAddress, stem::Language}, catalog::market::{MOST_ITEMS, MOST_SHOWN, MOST_YEARS}, query::keyword::Keyword};

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, body)) = bytes.split_first() else { return };
    let batch = |object: Object, table| {
        let Ok(mut said) = object.read::<MarketBody>(table) else { return };
        assert!((1..=MOST_YEARS).contains(&said.years_back()));
        assert!((1..=MOST_SHOWN).contains(&said.show().limit));
        assert!(said.show().exclude.len() <= MOST_VALUES);
        if let Ok(asked) = said.asked() {
            assert!((1..=MOST_ITEMS).contains(&asked.len()));
        }
    };
    match kind % 4 {
        0 => drop(Object::parse(body).map(|object| batch(object, ESTIMATE))),
        1 => drop(Object::parse(body).map(|object| batch(object, COMPS))),
        2 => drop(Object::parse(body).and_then(|object| object.read::<SubscribeParams>(BODY))),
        _ => texts(body),
    }
});

fn texts(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(address) = EmailAddress::parse(text) {
        let plain = address.as_str();
        assert!(plain.bytes().all(|b| b.is_ascii_graphic() && !b"<>,;:\"".contains(&b)));
        assert_eq!(EmailAddress::parse(plain), Ok(address.clone()));
    }
    if let Ok(keyword) = Keyword::parse(text) {
        assert_eq!(keyword.text(), text.trim());
        // Without one it would be found by nothing.
        assert!(keyword.tokens(&Language::ALL).next().is_some());
    }
}
