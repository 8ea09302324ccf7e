//! Decompression of gzip files.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// Reads all members of a gzip file, one after the other.
///
/// Zeros after the last member are ignored, as `gzip` does: tapes and some servers add them as
/// padding. Anything else there is an error.
pub(crate) struct GzipReader<R> {
    /// The member that is being read; `None` after the last one.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> GzipReader<R> {
    pub(crate) fn new(file: R) -> GzipReader<R> {
        GzipReader {
            member: Some(GzDecoder::new(file)),
        }
    }
}

impl<R: BufRead> Read for GzipReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let is_last = is_padding(member.get_mut())?;
            let rest = self.member.take().map(GzDecoder::into_inner);
            if !is_last {
                self.member = rest.map(GzDecoder::new);
            }
        }
        Ok(0)
    }
}

/// Whether nothing or only zeros follow, instead of another member.
fn is_padding(rest: &mut impl BufRead) -> io::Result<bool> {
    if rest.fill_buf()?.first().is_some_and(|byte| *byte != 0) {
        return Ok(false);
    }
    loop {
        let padding = rest.fill_buf()?;
        let length = padding.len();
        if padding.iter().any(|byte| *byte != 0) {
            let reason = "data that is not gzip follows the last member";
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        if length == 0 {
            return Ok(true);
        }
        rest.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn packed(text: &str) -> Vec<u8> {
        let mut gz = GzEncoder::new(Vec::new(), Compression::default());
        gz.write_all(text.as_bytes()).unwrap();
        gz.finish().unwrap()
    }

    #[test]
    fn members_are_joined_and_only_zeros_may_follow_them() {
        let two = [packed("one "), packed("two")].concat();
        let read = |bytes: &[u8]| {
            let mut text = String::new();
            GzipReader::new(bytes).read_to_string(&mut text).map(|_| text).ok()
        };
        assert_eq!(read(&two).as_deref(), Some("one two"));
        assert_eq!(read(&[&two[..], &[0; 512]].concat()).as_deref(), Some("one two"));
        assert_eq!(read(&[&two[..], b"\0x"].concat()), None);
        assert_eq!(read(&[&two[..], b"x"].concat()), None);
        assert_eq!(read(&two[..two.len() - 1]), None, "cut");
    }
}
