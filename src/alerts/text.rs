//! Renders a digest as plain text: short lines, links on lines of their own.

use textwrap::{Options, WordSplitter};

use crate::alerts::{
    digest::{Digest, DigestPart, Listing},
    texts::{DigestTexts, FRENCH_FOLLOWS},
};

/// Leaves room for the marks of quoted lines.
const WIDTH: usize = 72;
const RULE: &str = "----------------------------------------";

/// Between two parts in different languages, as wide as [`RULE`].
pub(super) const PART_RULE: &str = "========================================";

pub fn render(digest: &Digest) -> String {
    let mut text = String::new();
    for (number, part) in digest.parts.iter().enumerate() {
        let texts = DigestTexts::of(part.locale);
        if number > 0 {
            text.push_str(&format!("\n\n{PART_RULE}\n\n"));
        } else if digest.parts.len() > 1 {
            text.push_str(&format!("{FRENCH_FOLLOWS}\n\n"));
        }
        write_part(&mut text, digest, part, texts);
    }
    text
}

fn write_part(text: &mut String, digest: &Digest, part: &DigestPart, texts: &DigestTexts) {
    text.push_str(&wrapped(&texts.matches(part.listings.len()), "", ""));
    for (number, listing) in part.listings.iter().enumerate() {
        text.push('\n');
        write_listing(text, digest, listing, texts, number + 1);
    }
    if digest.more > 0 {
        text.push('\n');
        text.push_str(&wrapped(&texts.more(digest.more), "", ""));
    }
    text.push_str(&format!("\n{RULE}\n{}\n\n", texts.alerts));
    for subscription in digest.subscriptions_of(part) {
        text.push_str(&wrapped(&texts.subscription(subscription), "- ", "  "));
        let label = texts.label(texts.stop_one);
        text.push_str(&format!("  {label}\n  {}\n", subscription.unsubscribe));
    }
    text.push_str(&format!(
        "\n{}\n{}\n\n",
        texts.label(texts.stop_all),
        digest.unsubscribe
    ));
    for sentence in texts.sender(&digest.sender, &digest.postal) {
        text.push_str(&wrapped(&sentence, "", ""));
    }
}

fn write_listing(text: &mut String, digest: &Digest, listing: &Listing, texts: &DigestTexts, number: usize) {
    let number = format!("{number}. ");
    let indent = " ".repeat(number.len());
    text.push_str(&wrapped(texts.title(listing), &number, &indent));
    let mut lines: Vec<String> = listing.buyer.iter().cloned().collect();
    lines.push(texts.closing(listing.closing, digest.today));
    lines.extend(listing.value.iter().map(|value| texts.value(value)));
    lines.extend(listing.number.iter().map(|number| texts.number(number)));
    if !listing.matched.is_empty() {
        lines.push(texts.matched(&listing.matched));
    }
    for line in lines {
        text.push_str(&wrapped(&line, &indent, &indent));
    }
    if let Some(link) = &listing.link {
        text.push_str(&format!("{indent}{link}\n"));
    }
}

/// The text in short lines, the first and the other lines indented.
pub(super) fn wrapped(text: &str, first: &str, rest: &str) -> String {
    let options = Options::new(WIDTH)
        .initial_indent(first)
        .subsequent_indent(rest)
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(text, options) + "\n"
}
