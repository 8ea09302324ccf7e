//! What a digest says in each language: one table, walked by the text and by the HTML.

use chrono::{Datelike, NaiveDate};

use crate::{
    alerts::digest::{Named, Value},
    model::date::Date,
    state::subscription::{Frequency, Locale},
};

/// A language's sentences. `{n}`, `{date}`, `{name}` stand for what is put in; of two forms the first is the singular.
pub struct Words {
    /// As in `Content-Language` and `lang`.
    pub code: &'static str,
    months: [&'static str; 12],
    first_of_month: &'static str,
    date: &'static str,
    one_title: &'static str,
    many: &'static str,
    matches: [&'static str; 2],
    closes: &'static str,
    days_left: [&'static str; 2],
    today: &'static str,
    no_closing: &'static str,
    value: &'static str,
    estimate: &'static str,
    matched: &'static str,
    number: &'static str,
    more: [&'static str; 2],
    pub untitled: &'static str,
    pub alerts: &'static str,
    pub stop_one: &'static str,
    pub stop_all: &'static str,
    daily: &'static str,
    weekly: &'static str,
    everything: &'static str,
    in_department: &'static str,
    in_municipality: &'static str,
    in_category: &'static str,
    sent_by: &'static str,
    why: &'static str,
    quotes: [&'static str; 2],
    colon: &'static str,
}

static ENGLISH: Words = Words {
    code: "en",
    months: [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    first_of_month: "1",
    date: "{month} {day}, {year}",
    one_title: "New tender: {name}",
    many: "{n} new tenders",
    matches: [
        "{n} new tender matches your alerts.",
        "{n} new tenders match your alerts.",
    ],
    closes: "Closes {date}",
    days_left: ["{n} day left", "{n} days left"],
    today: "today",
    no_closing: "No closing date is stated",
    value: "Value: {name}",
    estimate: "Estimated value: {name}",
    matched: "Matches {name}",
    number: "Number at the buyer: {name}",
    more: [
        "And {n} more, which your next digest will list.",
        "And {n} more, which your next digests will list.",
    ],
    untitled: "Untitled notice",
    alerts: "Your alerts",
    stop_one: "Stop this alert",
    stop_all: "Stop all alerts to this address",
    daily: "daily",
    weekly: "weekly",
    everything: "every new tender",
    in_department: "department {name}",
    in_municipality: "municipality {name}",
    in_category: "category {name}",
    sent_by: "Sent by {name}",
    why: "You receive this because alerts about public tenders were requested for this address.",
    quotes: ["“", "”"],
    colon: ":",
};

static FRENCH: Words = Words {
    code: "fr",
    months: [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    first_of_month: "1er",
    date: "{day} {month} {year}",
    one_title: "Nouvel appel d’offres\u{a0}: {name}",
    many: "{n} nouveaux appels d’offres",
    matches: [
        "{n} nouvel appel d’offres correspond à vos alertes.",
        "{n} nouveaux appels d’offres correspondent à vos alertes.",
    ],
    closes: "Ferme le {date}",
    days_left: ["il reste {n} jour", "il reste {n} jours"],
    today: "aujourd’hui",
    no_closing: "Aucune date de fermeture n’est indiquée",
    value: "Valeur\u{a0}: {name}",
    estimate: "Valeur estimée\u{a0}: {name}",
    matched: "Correspond à {name}",
    number: "Numéro chez l’acheteur\u{a0}: {name}",
    more: [
        "Et {n} autre, que votre prochain courriel présentera.",
        "Et {n} autres, que vos prochains courriels présenteront.",
    ],
    untitled: "Avis sans titre",
    alerts: "Vos alertes",
    stop_one: "Arrêter cette alerte",
    stop_all: "Arrêter toutes les alertes à cette adresse",
    daily: "chaque jour",
    weekly: "chaque semaine",
    everything: "tout nouvel appel d’offres",
    in_department: "ministère ou organisme {name}",
    in_municipality: "municipalité {name}",
    in_category: "catégorie {name}",
    sent_by: "Envoyé par {name}",
    why: "Vous recevez ce courriel parce que des alertes sur les appels d’offres publics ont été demandées pour cette adresse.",
    quotes: ["«\u{a0}", "\u{a0}»"],
    colon: "\u{a0}:",
};

/// Says at the head of a mail in both languages that there is a second part.
pub const FRENCH_FOLLOWS: &str = "Le français suit.";

/// Keeps a number, or a sign, with what it belongs to.
const NO_BREAK: char = '\u{a0}';

impl Words {
    pub fn of(locale: Locale) -> &'static Words {
        match locale {
            Locale::En => &ENGLISH,
            Locale::Fr => &FRENCH,
        }
    }

    /// `June 3, 2026`, `3 juin 2026`.
    pub fn day(&self, date: Date) -> String {
        let Some(day) = NaiveDate::from_epoch_days(date.days()) else {
            return date.to_string();
        };
        let of_month = match day.day() {
            1 => self.first_of_month.to_owned(),
            other => other.to_string(),
        };
        let month = self.months.get(day.month0() as usize).copied().unwrap_or_default();
        let date = self.date.replace("{day}", &of_month).replace("{month}", month);
        date.replace("{year}", &day.year().to_string())
    }

    /// When bids close, and how long that is from today.
    pub fn closing(&self, closing: Option<Date>, today: Date) -> String {
        let Some(closing) = closing else {
            return self.no_closing.to_owned();
        };
        let left = closing.days().saturating_sub(today.days());
        let left = match usize::try_from(left) {
            Ok(0) => self.today.to_owned(),
            Ok(left) => count(&self.days_left, left),
            Err(_) => return put(self.closes, "{date}", &self.day(closing)),
        };
        format!("{} ({left})", put(self.closes, "{date}", &self.day(closing)))
    }

    pub fn value(&self, value: &Value) -> String {
        let sentence = if value.is_estimated { self.estimate } else { self.value };
        put(sentence, "{name}", &self.money(value))
    }

    /// To the dollar: `$1,234,567`, `1 234 567 $`.
    fn money(&self, value: &Value) -> String {
        let is_french = self.code == FRENCH.code;
        let digits = format!("{:.0}", value.amount.abs());
        let mut amount = String::new();
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                amount.push(if is_french { NO_BREAK } else { ',' });
            }
            amount.push(digit);
        }
        let sign = if value.amount <= -0.5 { "−" } else { "" };
        match (&value.currency, is_french) {
            (Some(currency), _) => format!("{sign}{amount}{NO_BREAK}{currency}"),
            (None, true) => format!("{sign}{amount}{NO_BREAK}$"),
            (None, false) => format!("{sign}${amount}"),
        }
    }

    pub fn matched(&self, keywords: &[String]) -> String {
        put(self.matched, "{name}", &self.quoted(keywords))
    }

    pub fn number(&self, number: &str) -> String {
        put(self.number, "{name}", number)
    }

    fn quoted(&self, texts: &[String]) -> String {
        let [opening, closing] = self.quotes;
        let quoted: Vec<String> = texts.iter().map(|text| format!("{opening}{text}{closing}")).collect();
        quoted.join(", ")
    }

    pub fn matches(&self, tenders: usize) -> String {
        count(&self.matches, tenders)
    }

    pub fn more(&self, tenders: usize) -> String {
        count(&self.more, tenders)
    }

    /// What the mail is called: by its one tender, or by their number.
    pub fn subject(&self, titles: &[&str]) -> String {
        match titles {
            [title] => put(self.one_title, "{name}", title),
            _ => put(self.many, "{n}", &titles.len().to_string()),
        }
    }

    /// What a subscription asks for, and how often.
    pub fn subscription(&self, named: &Named) -> String {
        let narrowed = [
            (self.in_department, &named.department),
            (self.in_municipality, &named.municipality),
            (self.in_category, &named.category),
        ];
        let mut parts = Vec::new();
        if !named.keywords.is_empty() {
            parts.push(self.quoted(&named.keywords));
        }
        parts.extend(
            narrowed
                .iter()
                .filter_map(|(words, name)| Some(put(words, "{name}", name.as_ref()?))),
        );
        if parts.is_empty() {
            parts.push(self.everything.to_owned());
        }
        let pace = match named.frequency {
            Frequency::Daily => self.daily,
            Frequency::Weekly => self.weekly,
        };
        format!("{} ({pace})", parts.join(", "))
    }

    /// Who sends this and why, as the law wants to know.
    pub fn sender(&self, name: &str, postal: &str) -> [String; 2] {
        let sender = format!("{name}, {postal}");
        [self.why.to_owned(), put(self.sent_by, "{name}", &sender)]
    }

    /// A label with what the language puts behind one.
    pub fn label(&self, label: &str) -> String {
        format!("{label}{}", self.colon)
    }
}

fn put(sentence: &str, place: &str, what: &str) -> String {
    sentence.replacen(place, what, 1)
}

/// French counts none as one; English does not, and is never asked to.
fn count([one, many]: &[&str; 2], number: usize) -> String {
    put(if number <= 1 { one } else { many }, "{n}", &number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(amount: f64, currency: Option<&str>) -> Value {
        Value {
            amount,
            currency: currency.map(str::to_owned),
            is_estimated: false,
        }
    }

    #[test]
    fn money_and_days_are_written_as_each_language_writes_them() {
        for (amount, currency, english, french) in [
            (
                1_234_567.4,
                None,
                "Value: $1,234,567",
                "Valeur\u{a0}: 1\u{a0}234\u{a0}567\u{a0}$",
            ),
            (999.5, None, "Value: $1,000", "Valeur\u{a0}: 1\u{a0}000\u{a0}$"),
            (0.0, None, "Value: $0", "Valeur\u{a0}: 0\u{a0}$"),
            (-1200.0, None, "Value: −$1,200", "Valeur\u{a0}: −1\u{a0}200\u{a0}$"),
            (
                5e4,
                Some("USD"),
                "Value: 50,000\u{a0}USD",
                "Valeur\u{a0}: 50\u{a0}000\u{a0}USD",
            ),
        ] {
            let value = value(amount, currency);
            assert_eq!(Words::of(Locale::En).value(&value), english);
            assert_eq!(Words::of(Locale::Fr).value(&value), french);
        }
        let day = |text: &str| Date::parse(text).unwrap();
        let closing = |locale: Locale, closing: &str| Words::of(locale).closing(Some(day(closing)), day("2026-05-30"));
        assert_eq!(closing(Locale::En, "2026-06-01"), "Closes June 1, 2026 (2 days left)");
        assert_eq!(
            closing(Locale::Fr, "2026-06-01"),
            "Ferme le 1er juin 2026 (il reste 2 jours)"
        );
        assert_eq!(closing(Locale::En, "2026-05-31"), "Closes May 31, 2026 (1 day left)");
        assert_eq!(closing(Locale::Fr, "2026-05-30"), "Ferme le 30 mai 2026 (aujourd’hui)");
        assert_eq!(closing(Locale::En, "2026-05-29"), "Closes May 29, 2026");
    }
}
