//! Numbers in as few bytes as they need: seven bits a byte, the lowest first; the highest bit of a byte means that more
//! follow.

use std::io;

pub(super) fn write(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number from the start of `bytes` and removes it from them.
#[inline]
pub(super) fn read(bytes: &mut &[u8]) -> io::Result<u32> {
    let (mut number, mut shift) = (0_u32, 0);
    loop {
        let (byte, rest) = bytes.split_first().ok_or_else(damaged)?;
        *bytes = rest;
        number |= u32::from(byte & 0x7f).checked_shl(shift).ok_or_else(damaged)?;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
        shift += 7;
    }
}

pub(super) fn damaged() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "a temporary file of the build is not as it was written",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let numbers = [0, 1, 127, 128, 300, 16_383, 16_384, u32::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| write(*number, &mut bytes));
        let mut rest = bytes.as_slice();
        for number in numbers {
            assert_eq!(read(&mut rest).unwrap(), number);
        }
        assert!(rest.is_empty() && read(&mut rest).is_err());
        assert!(read(&mut [0xff; 9].as_slice()).is_err());
    }
}
