//! What a page says, read from its HTML.

/// The text of a page without tags and with plain blanks.
pub fn text(html: &str) -> String {
    let parts = html
        .split('<')
        .map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    let text = parts.collect::<Vec<_>>().join(" ").replace(['\u{a0}', '\u{202f}'], " ");
    let text = text.replace("&#39;", "'").replace("&#34;", "\"").replace("&#38;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
pub fn assert_shows(html: &str, parts: &[&str]) {
    let text = text(html);
    for part in parts {
        assert!(text.contains(part), "the page lacks {part}: {text}");
    }
}

/// The parts of a page between two marks, in their order.
pub fn between<'a>(html: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    let parts = html.split(start).skip(1);
    parts.map(|part| part.split(end).next().unwrap()).collect()
}
