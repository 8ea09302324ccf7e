//! A publisher's file, however damaged, through the whole of `procure normalize`.
//!
//! If the first byte is the number of a fixture, it is replaced by the part of the fixture that its
//! source is recognized by, so that mutations reach the rows of every source. Any other input is a
//! whole file. `tests/fuzz/seeds` makes inputs of both forms.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../normalize/promises.rs"]
mod promises;

fuzz_target!(|bytes: &[u8]| {
    let fixture = bytes.first().and_then(|number| promises::FIXTURES.get(usize::from(*number)));
    match fixture {
        Some(fixture) => promises::check(&[&fixture.bytes[..fixture.head], &bytes[1..]].concat()),
        None => promises::check(bytes),
    };
});
