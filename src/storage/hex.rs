//! Bytes as lower-case hexadecimal text.

use std::fmt::Write;

/// Two digits for each byte, as in `00ff`.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(text, "{byte:02x}").expect("writing into a string does not fail");
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn writes_two_lower_case_digits_for_each_byte() {
        assert_eq!(super::encode(&[0, 0x0f, 0xa0, 0xff]), "000fa0ff");
    }
}
