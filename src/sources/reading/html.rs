//! HTML entities and line breaks in publishers' texts.

use std::borrow::Cow;

use html_escape::NAMED_ENTITIES;

/// Length of the longest named entity, `&CounterClockwiseContourIntegral;`.
const MAX_ENTITY_LENGTH: usize = 33;

/// Replaces HTML entities by their characters and `<br>` by a line break. Everything else stays as
/// it is.
pub(crate) fn unescape(raw: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'&', b'<', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr2(b'&', b'<', rest.as_bytes()) {
        let (before, after) = rest.split_at(at);
        text.push_str(before);
        rest = match entity(after).or_else(|| line_break(after)) {
            Some((c, length)) => {
                text.push(c);
                &after[length..]
            }
            None => {
                text.push_str(&after[..1]);
                &after[1..]
            }
        };
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The character of the entity at the start of `text`, and the entity's length.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(MAX_ENTITY_LENGTH).position(|b| b == b';')?;
    let c = entity_character(text.get(1..end)?)?;
    Some((c, end + 1))
}

/// The character of an entity's name: `eacute`, `#233` and `#xE9` are `é`. `None` for an unknown
/// name, and for control characters other than white space.
pub(crate) fn entity_character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| !c.is_control() || c.is_whitespace());
    }
    let index = NAMED_ENTITIES
        .binary_search_by_key(&name.as_bytes(), |(known, _)| known)
        .ok()?;
    let mut text = NAMED_ENTITIES[index].1.chars();
    // A few entities are two characters, a letter and a mark. No publisher's text has them.
    let character = text.next()?;
    if text.next().is_none() { Some(character) } else { None }
}

fn line_break(text: &str) -> Option<(char, usize)> {
    ["<br>", "<br/>", "<br />"]
        .iter()
        .find(|tag| {
            text.get(..tag.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(tag))
        })
        .map(|tag| ('\n', tag.len()))
}
