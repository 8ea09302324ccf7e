//! Positions in a line of JSON, for changes that must leave all other bytes as they are and for reading without
//! parsing.

/// Where a string of JSON ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StringEnd {
    /// The position after it.
    pub(crate) at: usize,
    pub(crate) has_escapes: bool,
}

/// The end of a string of JSON that begins with the quotation mark at `start`, if it ends.
#[inline]
pub(crate) fn string_end(line: &[u8], start: usize) -> Option<StringEnd> {
    let (mut at, mut has_escapes) = (start + 1, false);
    loop {
        at += memchr::memchr2(b'"', b'\\', line.get(at..)?)?;
        if line[at] == b'"' {
            return Some(StringEnd {
                at: at + 1,
                has_escapes,
            });
        }
        has_escapes = true;
        at += 2;
    }
}

/// The position after a string of JSON that begins with the quotation mark at `start`; the length of the line if the
/// string does not end.
pub(crate) fn end_of_string(line: &[u8], start: usize) -> usize {
    string_end(line, start).map_or(line.len(), |end| end.at)
}

/// How many objects and arrays are inside of one another at most, the outermost included. `line` is valid JSON.
pub(crate) fn depth(line: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        match byte {
            b'"' => {
                at = end_of_string(line, at);
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_have_no_depth() {
        for (line, expected) in [
            ("1", 0),
            ("{}", 1),
            (r#"{"a[[[":"]{{{","b":[1,{"c":[]}],"d\"{":{}}"#, 4),
            ("[[],[[]],[]]", 3),
        ] {
            assert_eq!(depth(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn an_escaped_quotation_mark_does_not_end_a_string() {
        for (line, start, end) in [
            (r#""ab","#, 0, 4),
            (r#"{"a\"b":1}"#, 1, 7),
            (r#""a\\"b"#, 0, 5),
            (r#""ab"#, 0, 3),
            (r#""ab\"#, 0, 4),
        ] {
            assert_eq!(end_of_string(line.as_bytes(), start), end, "{line}");
        }
    }
}
