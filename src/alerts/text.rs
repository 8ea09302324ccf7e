//! A digest as plain text, for those who read no HTML: short lines, links on lines of their own.

use textwrap::{Options, WordSplitter};

use crate::alerts::{
    digest::{Digest, Listing, Part},
    words::{FRENCH_FOLLOWS, Words},
};

/// What fits where lines are quoted once or twice.
const WIDTH: usize = 72;
const RULE: &str = "----------------------------------------";

pub fn write(digest: &Digest) -> String {
    let mut text = String::new();
    for (number, part) in digest.parts.iter().enumerate() {
        let words = Words::of(part.locale);
        if number > 0 {
            text.push_str(&format!("\n\n{}\n\n", "=".repeat(RULE.len())));
        } else if digest.parts.len() > 1 {
            text.push_str(&format!("{}\n\n", FRENCH_FOLLOWS));
        }
        write_part(&mut text, digest, part, words);
    }
    text
}

fn write_part(text: &mut String, digest: &Digest, part: &Part, words: &Words) {
    text.push_str(&wrapped(&words.matches(part.listings.len()), "", ""));
    for (number, listing) in part.listings.iter().enumerate() {
        text.push('\n');
        write_listing(text, digest, listing, words, number + 1);
    }
    if digest.more > 0 {
        text.push('\n');
        text.push_str(&wrapped(&words.more(digest.more), "", ""));
    }
    text.push_str(&format!("\n{RULE}\n{}\n\n", words.alerts));
    for named in digest.named_in(part) {
        text.push_str(&wrapped(&words.subscription(named), "- ", "  "));
        text.push_str(&format!("  {}\n  {}\n", words.label(words.stop_one), named.unsubscribe));
    }
    text.push_str(&format!(
        "\n{}\n{}\n\n",
        words.label(words.stop_all),
        digest.unsubscribe
    ));
    for sentence in words.sender(&digest.sender, &digest.postal) {
        text.push_str(&wrapped(&sentence, "", ""));
    }
}

fn write_listing(text: &mut String, digest: &Digest, listing: &Listing, words: &Words, number: usize) {
    let number = format!("{number}. ");
    let indent = " ".repeat(number.len());
    text.push_str(&wrapped(&listing.title, &number, &indent));
    let mut lines: Vec<String> = listing.buyer.iter().cloned().collect();
    lines.push(words.closing(listing.closing, digest.today));
    lines.extend(listing.value.iter().map(|value| words.value(value)));
    lines.extend(listing.number.iter().map(|number| words.number(number)));
    if !listing.matched.is_empty() {
        lines.push(words.matched(&listing.matched));
    }
    for line in lines {
        text.push_str(&wrapped(&line, &indent, &indent));
    }
    if let Some(link) = &listing.link {
        text.push_str(&format!("{indent}{link}\n"));
    }
}

fn wrapped(text: &str, first: &str, rest: &str) -> String {
    let options = Options::new(WIDTH)
        .initial_indent(first)
        .subsequent_indent(rest)
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(text, options) + "\n"
}
