//! The values that `lists/records.txt` names: of the project, its buyer, its topic and the supplier.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::{
    coined_word::CoinedWord,
    generator::Generator,
    lists::{Phrase, number},
    project::LAST,
    random::scatter,
    suppliers::spelled,
};
use crate::model::{Date, Language::*, fold::fold};

/// The amounts of a project without one, in cents: some federal sources require an amount.
const AWARD_VALUE: i64 = 2_500_000;
const DISCLOSED_VALUE: i64 = 1_234_567;

/// In cents; a larger contract needs a call for tenders or another reason.
const CALL_THRESHOLD: i64 = 10_000_000;

impl Generator {
    /// Appends a value; nothing for a variable that is not set.
    pub(super) fn push_value(&mut self, name: &str, out: &mut String) {
        if let Some(value) = self.variables.get(name) {
            return out.push_str(value);
        }
        let (subject, topics) = (&self.project.subject, &self.choices.topics);
        let trade = &topics.trades[self.supplier.trade];
        match name {
            "title.en" => subject.push_title(English, topics, out),
            "title.fr" => subject.push_title(French, topics, out),
            "description.en" => subject.push_description(English, topics, out),
            "description.fr" => subject.push_description(French, topics, out),
            "trade-word.en" => out.push_str(self.random.choose(&trade.words_en)),
            "trade-word.fr" => out.push_str(self.random.choose(&trade.words_fr)),
            "spelled-supplier" => out.push_str(&spelled(&self.value("supplier"), &mut self.random)),
            "spelled-province" => {
                let province = &self.choices.places.provinces[self.supplier.city.province];
                let spellings = [province.code, province.name.en, province.name.en, province.name.fr];
                out.push_str(self.random.choose(&spellings));
            }
            _ => match name.split_once(' ') {
                Some(("any", texts)) => {
                    let texts: Vec<&str> = texts.split(';').collect();
                    out.push_str(self.random.choose(&texts));
                }
                Some(("upper", name)) => out.push_str(&self.value(name).to_uppercase()),
                Some(("folded", name)) => out.push_str(&fold(&self.value(name))),
                _ => out.push_str(&self.drawn(name).unwrap_or_default()),
            },
        }
    }

    /// A number of a range such as `0-99`, or `1-400:3` with three digits; `None` for another name.
    fn drawn(&mut self, range: &str) -> Option<String> {
        let (range, width) = range.split_once(':').unwrap_or((range, "0"));
        let (first, last) = range.split_once('-')?;
        let drawn = self.random.between(first.parse().ok()?, last.parse().ok()?);
        Some(format!("{drawn:0width$}", width = number::<usize>(width)))
    }

    /// The values that depend on the project and the supplier alone. What does not hold, or is not known, is empty.
    pub(super) fn values(&self) -> FxHashMap<Cow<'static, str>, String> {
        let numbers = &self.numbers;
        let (project, part) = (numbers.project, numbers.part);
        let values = [
            ("number", numbers.record.to_string()),
            ("project", project.to_string()),
            ("position", (part + 1).to_string()),
            ("place", (project + part).to_string()),
            ("amendment", format!("{part:03}")),
            ("serial", format!("{:05}", project + 1)),
            ("scattered", format!("{:08}", scatter(project))),
            ("scattered-hex", format!("{:08x}", scatter(project))),
            ("scattered-document", format!("{:08}", scatter(project * 3 + 1))),
            ("notice", (10_000_000 + scatter(project)).to_string()),
            ("officials-file", (600_000 + project % 900_000).to_string()),
            ("has-amendments", flag(numbers.has_parts())),
            ("amended", flag(part > 0)),
            ("early", flag(numbers.is_early())),
        ];
        let values = values.into_iter().chain(self.parties()).chain(self.topic_values());
        let values = values.chain(self.days()).chain(self.amounts());
        values.map(|(name, value)| (name.into(), value)).collect()
    }

    /// The buyer and the supplier.
    fn parties(&self) -> impl IntoIterator<Item = (&'static str, String)> {
        let (buyer, supplier) = (self.buyer(), &self.supplier);
        let province = &self.choices.places.provinces[supplier.city.province];
        let scattered = scatter(u64::from(supplier.number));
        let neq = format!("11{scattered:08}");
        let company = scattered + 1;
        let (first, last) = (9000 + company / 10_000 % 600, company % 10_000);
        let coined = supplier.number + 1;
        let level = if buyer.is_municipal() {
            "municipal"
        } else {
            "provincial"
        };
        [
            ("buyer", buyer.name.clone()),
            ("buyer.fr", buyer.name_fr.to_owned()),
            ("buyer.code", buyer.code.to_owned()),
            (
                "buyer-id",
                (scatter(self.project.buyer as u64 + 1) % 100_000).to_string(),
            ),
            ("municipality", buyer.municipality.clone()),
            ("municipal", flag(buyer.is_municipal())),
            ("level", level.to_owned()),
            ("checksum", format!("{:08x}", crc32fast::hash(neq.as_bytes()))),
            ("neq", neq),
            ("company-number", format!("{company:08}")),
            ("numbered-company", format!("{first:04}-{last:04}")),
            ("coined", CoinedWord(coined).to_string()),
            ("partner", CoinedWord(coined.wrapping_mul(31)).to_string()),
            ("in-quebec", flag(supplier.city.province == 0)),
            ("city", supplier.city.name.to_owned()),
            ("province.en", province.name.en.to_owned()),
            ("country", province.country.to_owned()),
            ("postal-code", supplier.postal_code.clone()),
            (
                "half-postal-code",
                supplier.postal_code.get(..3).unwrap_or("NA").to_owned(),
            ),
        ]
    }

    /// What is bought.
    fn topic_values(&self) -> impl IntoIterator<Item = (&'static str, String)> {
        let topics = &self.choices.topics;
        let topic = self.project.subject.topic(topics);
        let (trade, purchase) = (&topics.trades[topic.trade], &topics.purchases[topic.purchase]);
        let values = [
            ("topic.en", topic.name.en),
            ("topic.fr", topic.name.fr),
            ("unspsc", topic.unspsc),
            ("gsin", trade.gsin),
            ("economic-object", trade.economic_object),
            ("category", self.project.category),
            ("topic-category", purchase.category),
            ("toronto-category", purchase.toronto_category),
            ("toronto-code", purchase.toronto_code),
        ];
        values.map(|(name, value)| (name, value.to_owned()))
    }

    fn days(&self) -> impl IntoIterator<Item = (&'static str, String)> {
        let (project, part) = (&self.project, self.numbers.part as i32);
        let date =
            |day: i32| Date::from_days(self.choices.last_day.days() - LAST + day).unwrap_or(self.choices.last_day);
        let day = |day: i32| date(day).to_string();
        // An amendment gives bidders more time.
        let closes = project.closes + 14 * part;
        let awarded = day(project.awarded);
        let (year, month) = (number::<u32>(&awarded[..4]), number::<u32>(&awarded[5..7]));
        // Fiscal years begin in April.
        let fiscal = if month < 4 { year - 1 } else { year };
        let quarter = (month + 8) % 12 / 3 + 1;
        [
            ("published-year", date(project.published).year().to_string()),
            ("published", day(project.published)),
            ("notice-amended", day((project.published + 9 * part).min(LAST))),
            ("closes", day(closes)),
            ("open", flag(closes >= LAST)),
            ("awarded-short-year", format!("{:02}", year % 100)),
            ("reporting-period", format!("{fiscal}-{}-Q{quarter}", fiscal + 1)),
            ("awarded", awarded),
            ("award-published", day((project.awarded + 5 + 120 * part).min(LAST))),
            ("contract-published", day((project.awarded + 10).min(LAST))),
            ("ends", day(project.ends)),
            ("extended", day(project.ends + 90 * part)),
            ("running", flag(project.ends > LAST)),
            ("listed", day(LAST - 5)),
            ("fetched", format!("{}T06:00:00Z", self.choices.last_day)),
        ]
    }

    fn amounts(&self) -> impl IntoIterator<Item = (&'static str, String)> {
        let (value, part) = (self.project.value, self.numbers.part as i64);
        let (awarded, disclosed) = (value.unwrap_or(AWARD_VALUE), value.unwrap_or(DISCLOSED_VALUE));
        [
            ("value", value.map(dollars).unwrap_or_default()),
            (
                "shared-value",
                value.map(|value| dollars(value / (part + 1))).unwrap_or_default(),
            ),
            ("cheap", flag(value.is_some_and(|cents| cents < CALL_THRESHOLD))),
            ("award-value", dollars(awarded)),
            ("award-total", dollars(awarded + awarded / 10 * part)),
            ("award-added", dollars(if part == 0 { awarded } else { awarded / 10 })),
            ("disclosed", dollars(disclosed)),
            ("disclosed-half", dollars(disclosed / 2)),
            ("disclosed-rest", dollars(disclosed - disclosed / 2)),
        ]
    }

    /// The region where the project is carried out, as federal notices name it: a drawn one if the title names no city.
    pub(super) fn region(&mut self) -> Phrase {
        let drawn = self.choices.phrases.choose("region", &mut self.random);
        let Some(city) = self.project.subject.city else {
            return drawn;
        };
        let (regions, province) = (
            self.choices.phrases.list("region"),
            &self.choices.places.provinces[city.province],
        );
        match (city.name, province.code) {
            ("Ottawa" | "Kanata", _) => regions[0],
            (_, "ON") => regions[1],
            _ => Phrase {
                code: "",
                text: province.name,
            },
        }
    }
}

fn flag(holds: bool) -> String {
    if holds { "yes".to_owned() } else { String::new() }
}

/// `1234.5` for 123450 cents: the shortest form, with at least one decimal, as parsers of floats write it back.
fn dollars(cents: i64) -> String {
    let (sign, cents) = (if cents < 0 { "-" } else { "" }, cents.unsigned_abs());
    let (dollars, cents) = (cents / 100, cents % 100);
    if cents.is_multiple_of(10) {
        format!("{sign}{dollars}.{}", cents / 10)
    } else {
        format!("{sign}{dollars}.{cents:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_the_shortest_form() {
        for (cents, text) in [
            (0, "0.0"),
            (5, "0.05"),
            (50, "0.5"),
            (100, "1.0"),
            (-250, "-2.5"),
            (-123_405, "-1234.05"),
        ] {
            assert_eq!(dollars(cents), text);
            assert_eq!(serde_json::to_string(&(cents as f64 / 100.0)).unwrap(), text);
        }
    }
}
