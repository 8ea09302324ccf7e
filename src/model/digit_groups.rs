//! The digits of a number in groups of three, as pages and mails write numbers.

/// `1234567` as `1,234,567`. A text without digits, such as `inf`, stays as it is.
pub(crate) fn grouped(digits: &str, separator: char) -> String {
    let mut text = String::with_capacity(digits.len() * 2);
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) && digit.is_ascii_digit() {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_in_groups_of_three() {
        for (digits, expected) in [
            ("", ""),
            ("999", "999"),
            ("1000", "1,000"),
            ("1234567", "1,234,567"),
            ("inf", "inf"),
        ] {
            assert_eq!(grouped(digits, ','), expected);
        }
    }
}
