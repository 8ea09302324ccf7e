//! The texts of digests in each language: one table for both the plain text and the HTML.

use chrono::{Datelike, NaiveDate};

use crate::{
    alerts::{
        bilingual_texts::bilingual_texts,
        digest::{Digest, ListedValue, Listing, SubscriptionSummary, truncate},
    },
    model::{Date, digit_groups::grouped},
    state::subscription::Frequency,
};

bilingual_texts! {
    /// The texts of a digest in one language. `{n}`, `{date}` and `{name}` are placeholders. Of two forms
    /// the first is the singular.
    pub(crate) struct DigestTexts;

    /// Separated by blanks.
    months: &'static str =
        "January February March April May June July August September October November December",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre";
    first_of_month: &'static str = "1", "1er";
    date: &'static str = "{month} {day}, {year}", "{day} {month} {year}";
    one_title: &'static str = "New tender: {name}", "Nouvel appel d’offres\u{a0}: {name}";
    many: &'static str = "{n} new tenders", "{n} nouveaux appels d’offres";
    matches: [&'static str; 2] =
        ["{n} new tender matches your alerts.", "{n} new tenders match your alerts."],
        ["{n} nouvel appel d’offres correspond à vos alertes.", "{n} nouveaux appels d’offres correspondent à vos alertes."];
    closes: &'static str = "Closes {date}", "Ferme le {date}";
    days_left: [&'static str; 2] = ["{n} day left", "{n} days left"], ["il reste {n} jour", "il reste {n} jours"];
    today: &'static str = "today", "aujourd’hui";
    no_closing: &'static str = "No closing date is given", "Aucune date de fermeture n’est indiquée";
    thousands: char = ',', NO_BREAK;
    dollars: &'static str = "${name}", "{name}\u{a0}$";
    value: &'static str = "Value: {name}", "Valeur\u{a0}: {name}";
    estimate: &'static str = "Estimated value: {name}", "Valeur estimée\u{a0}: {name}";
    matched: &'static str = "Matches {name}", "Correspond à {name}";
    number: &'static str = "Solicitation number: {name}", "Numéro de l’appel d’offres\u{a0}: {name}";
    more: [&'static str; 2] =
        ["And {n} more, which your next digest will list.", "And {n} more, which your next digests will list."],
        ["Et {n} autre, que votre prochain courriel présentera.", "Et {n} autres, que vos prochains courriels présenteront."];
    untitled: &'static str = "Untitled notice", "Avis sans titre";
    alerts: &'static str = "Alerts that found these", "Alertes qui ont trouvé ces avis";
    stop_one: &'static str = "Stop this alert", "Arrêter cette alerte";
    stop_all: &'static str = "Stop all alerts to this address", "Arrêter toutes les alertes à cette adresse";
    daily: &'static str = "daily", "chaque jour";
    weekly: &'static str = "weekly", "chaque semaine";
    everything: &'static str = "every new tender", "tout nouvel appel d’offres";
    /// For conditions that are not shown.
    other_words: &'static str = "other words", "d’autres mots";
    in_department: &'static str = "department {name}", "ministère ou organisme {name}";
    in_municipality: &'static str = "municipality {name}", "municipalité {name}";
    in_category: &'static str = "category {name}", "catégorie {name}";
    sent_by: &'static str = "Sent by {name}", "Envoyé par {name}";
    why: &'static str =
        "You receive this because alerts about public tenders were requested for this address.",
        "Vous recevez ce courriel parce que des alertes sur les appels d’offres publics ont été demandées pour cette adresse.";
    quotes: [&'static str; 2] = ["“", "”"], ["«\u{a0}", "\u{a0}»"];
    colon: &'static str = ":", "\u{a0}:";
}

/// Announces the second part at the start of a mail in both languages.
pub(crate) const FRENCH_FOLLOWS: &str = "Le français suit.";

/// Keeps a number and its unit on one line.
const NO_BREAK: char = '\u{a0}';

/// The maximum length of a title in a subject line, in characters.
const MAX_SUBJECT_TITLE: usize = 80;

/// The subject line of a mail.
pub(crate) fn subject(digest: &Digest) -> String {
    let subjects = digest.parts.iter().map(|part| {
        let texts = DigestTexts::of(part.locale);
        match part.listings.as_slice() {
            [listing] => put(
                texts.one_title,
                "{name}",
                &truncate(texts.title(listing), MAX_SUBJECT_TITLE),
            ),
            listings => put(texts.many, "{n}", &listings.len().to_string()),
        }
    });
    subjects.collect::<Vec<_>>().join(" / ")
}

impl DigestTexts {
    /// `June 3, 2026`, `3 juin 2026`.
    fn day(&self, date: Date) -> String {
        let Some(day) = NaiveDate::from_epoch_days(date.days()) else {
            return date.to_string();
        };
        let of_month = match day.day() {
            1 => self.first_of_month.to_owned(),
            other => other.to_string(),
        };
        let month = self.months.split(' ').nth(day.month0() as usize);
        let month = month.expect("there are twelve months");
        let date = self.date.replace("{day}", &of_month).replace("{month}", month);
        date.replace("{year}", &day.year().to_string())
    }

    /// When bids close, and the days left.
    pub(crate) fn closing(&self, closing: Option<Date>, today: Date) -> String {
        let Some(closing) = closing else {
            return self.no_closing.to_owned();
        };
        let closes = put(self.closes, "{date}", &self.day(closing));
        match usize::try_from(closing.days().saturating_sub(today.days())) {
            Ok(0) => format!("{closes} ({})", self.today),
            Ok(left) => format!("{closes} ({})", count(&self.days_left, left)),
            Err(_) => closes,
        }
    }

    pub(crate) fn value(&self, value: &ListedValue) -> String {
        let sentence = if value.is_estimated { self.estimate } else { self.value };
        put(sentence, "{name}", &self.money(value))
    }

    /// Rounded to the dollar: `$1,234,567`, `1 234 567 $`.
    fn money(&self, value: &ListedValue) -> String {
        let amount = grouped(&format!("{:.0}", value.amount.abs()), self.thousands);
        let sign = if value.amount <= -0.5 { "−" } else { "" };
        match &value.currency {
            Some(currency) => format!("{sign}{amount}{NO_BREAK}{currency}"),
            None => format!("{sign}{}", put(self.dollars, "{name}", &amount)),
        }
    }

    pub(crate) fn matched(&self, keywords: &[String]) -> String {
        put(self.matched, "{name}", &self.quoted(keywords))
    }

    pub(crate) fn number(&self, number: &str) -> String {
        put(self.number, "{name}", number)
    }

    fn quoted(&self, texts: &[String]) -> String {
        let [opening, closing] = self.quotes;
        let quoted: Vec<String> = texts.iter().map(|text| format!("{opening}{text}{closing}")).collect();
        quoted.join(", ")
    }

    pub(crate) fn matches(&self, tenders: usize) -> String {
        count(&self.matches, tenders)
    }

    pub(crate) fn more(&self, tenders: usize) -> String {
        count(&self.more, tenders)
    }

    pub(crate) fn title<'a>(&'a self, listing: &'a Listing) -> &'a str {
        listing.title.as_deref().unwrap_or(self.untitled)
    }

    /// The conditions of a subscription, and how often it is mailed.
    pub(crate) fn subscription(&self, subscription: &SubscriptionSummary) -> String {
        let conditions = [
            (self.in_department, &subscription.department),
            (self.in_municipality, &subscription.municipality),
            (self.in_category, &subscription.category),
        ];
        let mut parts = Vec::new();
        if !subscription.keywords.is_empty() {
            parts.push(self.quoted(&subscription.keywords));
        }
        for (text, name) in conditions {
            parts.extend(name.iter().map(|name| put(text, "{name}", name)));
        }
        if subscription.hides_words {
            parts.push(self.other_words.to_owned());
        }
        if parts.is_empty() {
            parts.push(self.everything.to_owned());
        }
        let frequency = match subscription.frequency {
            Frequency::Daily => self.daily,
            Frequency::Weekly => self.weekly,
        };
        format!("{} ({frequency})", parts.join(", "))
    }

    /// Why the mail was sent, and by whom, as anti-spam law (CASL) requires.
    pub(crate) fn sender(&self, name: &str, postal: &str) -> [String; 2] {
        let sender = format!("{name}, {postal}");
        [self.why.to_owned(), put(self.sent_by, "{name}", &sender)]
    }

    /// A label with the colon of the language.
    pub(crate) fn label(&self, label: &str) -> String {
        format!("{label}{}", self.colon)
    }
}

/// Replaces a placeholder.
fn put(text: &str, placeholder: &str, value: &str) -> String {
    text.replacen(placeholder, value, 1)
}

/// French uses the singular for zero. English would not, but never formats zero here.
fn count([one, many]: &[&str; 2], number: usize) -> String {
    put(if number <= 1 { one } else { many }, "{n}", &number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::subscription::Locale;

    fn value(amount: f64, currency: Option<&str>) -> ListedValue {
        ListedValue {
            amount,
            currency: currency.map(str::to_owned),
            is_estimated: false,
        }
    }

    #[test]
    fn money_and_dates_follow_each_language() {
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
            assert_eq!(DigestTexts::of(Locale::En).value(&value), english);
            assert_eq!(DigestTexts::of(Locale::Fr).value(&value), french);
        }
        let day = |text: &str| Date::parse(text).unwrap();
        let closing =
            |locale: Locale, closing: &str| DigestTexts::of(locale).closing(Some(day(closing)), day("2026-05-30"));
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
