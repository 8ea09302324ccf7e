//! Quality flags in words: what is doubtful about a record, and how much of a total doubtful records hold.

use crate::{
    api::analysis::{currencies::CurrencySum, quality::Quality},
    model::{Record, vocabulary::QUALITY_FLAG_VALUES},
    pages::{format, messages::Texts},
};

/// What is doubtful about a record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Doubt {
    /// In two or three words.
    pub(crate) name: String,
    /// Why, in a sentence.
    pub(crate) about: String,
}

/// The name of a flag; `None` for another text.
pub(crate) fn name(t: Texts, flag: &str) -> Option<String> {
    QUALITY_FLAG_VALUES
        .contains(&flag)
        .then(|| t.keyed("search-quality_flag-", flag))
}

/// What is doubtful about a record, in the order of the closed list; then what the publisher wrote as an amount and is
/// none.
pub(crate) fn doubts(t: Texts, record: &Record) -> Vec<Doubt> {
    let doubt = |flag: &'static str| Doubt {
        name: t.keyed("search-quality_flag-", flag),
        about: t.keyed("quality-about-", flag),
    };
    record
        .quality_flags()
        .map(doubt)
        .chain(not_an_amount(t, record))
        .collect()
}

/// Why the text in `value_as_published` is not counted; `None` if the record has no such text or has a value.
fn not_an_amount(t: Texts, record: &Record) -> Option<Doubt> {
    let published = record.text("value_as_published").filter(|_| record.value().is_none())?;
    let about = match telephone_number(published) {
        Some(number) => t.with("quality-telephone", &[("published", &published), ("number", &number)]),
        None => t.with("quality-unclear-amount", &[("published", &published)]),
    };
    Some(Doubt {
        name: t.text("quality-not-an-amount"),
        about,
    })
}

/// `905-451-0208` for ten digits in the form of a North American telephone number: area code and exchange begin with 2
/// to 9.
fn telephone_number(text: &str) -> Option<String> {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let is_plain = text.chars().all(|c| c.is_ascii_digit() || " -.()$".contains(c));
    let starts_well = |at: usize| digits.as_bytes().get(at).is_some_and(|digit| *digit >= b'2');
    let is_number = digits.len() == 10 && is_plain && starts_well(0) && starts_well(3);
    is_number.then(|| format!("{}-{}-{}", &digits[..3], &digits[3..6], &digits[6..]))
}

/// How much of the records or of their value is doubtful, in a sentence; `None` if nothing is.
fn sentence(t: Texts, quality: &Quality) -> Option<String> {
    if quality.flagged_records == 0 {
        return None;
    }
    let count = quality.flagged_records;
    Some(match (quality.flagged_value, quality.share_of_value) {
        // A share that is rounded to nothing says less than the number.
        (Some(value), Some(share)) if share >= 0.005 => {
            let (value, share) = (t.money_rounded(value.dollars()), t.percent(share));
            t.with(
                "quality-share",
                &[("count", &count), ("value", &value), ("share", &share)],
            )
        }
        _ => t.with("quality-number", &[("count", &count)]),
    })
}

/// The share of a sum above which records in doubt make its differences from other sums uncertain.
pub(crate) const MUCH_OF_SUM: f64 = 0.1;

/// Whether records in doubt are too much of a total to say which of its parts are the largest.
pub(crate) fn is_much_in_doubt(quality: &Quality) -> bool {
    let has_value = || quality.flagged_value.is_some_and(|value| value.dollars() != 0.0);
    quality
        .share_of_value
        .map_or_else(has_value, |share| share > MUCH_OF_SUM)
}

/// How much of a total is of records with quality flags.
#[derive(Debug, PartialEq)]
pub(crate) struct TotalDoubt {
    pub(crate) sentence: String,
    /// Each flag with the number of its records.
    pub(crate) flags: Vec<String>,
    /// The search without these records.
    pub(crate) without: Option<String>,
}

/// How much of a total is doubtful; `None` if nothing is.
pub(crate) fn total_doubt(t: Texts, quality: &Quality, without: Option<String>) -> Option<TotalDoubt> {
    Some(TotalDoubt {
        sentence: sentence(t, quality)?,
        flags: flags(t, quality),
        without,
    })
}

/// The flags that occur, with the number of records of each.
fn flags(t: Texts, quality: &Quality) -> Vec<String> {
    let counted = quality.flags.iter().filter_map(|counted| {
        let name = name(t, &counted.flag)?;
        Some(t.with("quality-counted", &[("name", &name), ("count", &counted.records)]))
    });
    counted.collect()
}

/// The sums of other currencies, which a total leaves out, in a sentence; `None` if there are none.
pub(crate) fn other_currencies(t: Texts, sums: &[CurrencySum]) -> Option<String> {
    if sums.is_empty() {
        return None;
    }
    let sum = |sum: &CurrencySum| {
        let value = format::money_rounded(t.language(), sum.total_value.dollars(), &sum.currency);
        t.with("quality-currency", &[("value", &value), ("count", &sum.records)])
    };
    let sums: Vec<String> = sums.iter().take(MAX_CURRENCIES).map(sum).collect();
    Some(t.with("quality-currencies", &[("sums", &sums.join(", "))]))
}

/// How many other currencies are listed.
const MAX_CURRENCIES: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        api::analysis::quality::FlagCount,
        engine::aggregation::Money,
        model::{
            EntityType, Language, Schema,
            vocabulary::{NO_QUALITY_FLAG, QUALITY_FLAGS},
        },
    };

    #[test]
    fn every_flag_is_explained_in_both_languages() {
        for t in Language::ALL.map(Texts::of) {
            for flag in QUALITY_FLAGS {
                assert!(
                    t.has("search-quality_flag-", flag) && t.has("quality-about-", flag),
                    "{flag}"
                );
            }
            assert!(name(t, NO_QUALITY_FLAG).is_some());
            assert_eq!(name(t, "else"), None);
        }
    }

    #[test]
    fn a_record_states_its_doubts() {
        let json = r#"{"record_id":"1","quality_flags":["no_vendor","unknown"]}"#;
        let record = Record::parse(Schema::of(EntityType::Contract), json.as_bytes()).unwrap();
        let doubts = doubts(Texts::of(Language::English), &record);
        assert_eq!(doubts.len(), 1);
        assert_eq!(doubts[0].name, "no supplier named");
    }

    #[test]
    fn a_number_that_is_no_amount_is_explained() {
        let about = |json: &str| {
            let record = Record::parse(Schema::of(EntityType::Contract), json.as_bytes()).unwrap();
            let doubts = doubts(Texts::of(Language::English), &record);
            doubts.into_iter().map(|doubt| doubt.about).collect::<String>()
        };
        let telephone = about(r#"{"record_id":"1","value_as_published":"9054510208"}"#);
        assert!(
            telephone.contains("9054510208 looks like the telephone number 905-451-0208"),
            "{telephone}"
        );
        let unclear = about(r#"{"record_id":"1","value_as_published":"1045671111"}"#);
        assert!(
            unclear.contains("“1045671111”") && unclear.contains("not counted"),
            "{unclear}"
        );
        assert_eq!(
            about(r#"{"record_id":"1","value_as_published":"9054510208","contract_value":2.0}"#),
            ""
        );
    }

    #[test]
    fn a_total_names_the_share_that_is_doubtful() {
        let english = Texts::of(Language::English);
        let quality = Quality {
            flagged_records: 3,
            flagged_value: Some(Money::of(2e6)),
            share_of_value: Some(0.25),
            flags: vec![FlagCount {
                flag: "no_vendor".to_owned(),
                records: 3,
                total_value: None,
            }],
            ..Quality::default()
        };
        assert_eq!(
            sentence(english, &quality).unwrap(),
            "25% of this value ($2\u{a0}million) is of 3 records with a doubt."
        );
        assert_eq!(flags(english, &quality), ["no supplier named (3)"]);
        let without_value = Quality {
            share_of_value: None,
            ..quality
        };
        assert_eq!(
            sentence(english, &without_value).unwrap(),
            "3 of these records have a doubt."
        );
        assert_eq!(sentence(english, &Quality::default()), None);
    }

    #[test]
    fn other_currencies_are_named_next_to_a_total() {
        let sum = |currency: &str, dollars: f64| CurrencySum {
            currency: currency.to_owned(),
            records: 2,
            total_value: Money::of(dollars),
        };
        let english = Texts::of(Language::English);
        assert_eq!(other_currencies(english, &[]), None);
        assert_eq!(
            other_currencies(english, &[sum("USD", 1.2e6), sum("EUR", 50.0)]).unwrap(),
            "Not in this total: US$1.2\u{a0}million (2 records), 50\u{a0}EUR (2 records)."
        );
    }
}
