//! A publisher's file, as damaged as may be, through the whole of `procure normalize`.
//!
//! A first byte that is a fixture's number stands for what the fixture is recognized by, so that mutations reach every
//! source's rows; any other input is the file as it is. `tests/fuzz/seeds` makes inputs of both sorts.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../normalize/promises.rs"]
mod promises;

fuzz_target!(|bytes: &[u8]| {
    let fixture = bytes.first().and_then(|number| promises::FIXTURES.get(usize::from(*number)));
    match fixture {
        Some(fixture) => promises::hold(&[&fixture.bytes[..fixture.head], &bytes[1..]].concat()),
        None => promises::hold(bytes),
    };
});
