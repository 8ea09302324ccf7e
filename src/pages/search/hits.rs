//! The records of a page of results, as a person reads them.

use crate::{
    http::error::ApiError,
    model::{Date, EntityType, Facet, Language, Record, Role, Schema, fold::fold, vocabulary},
    pages::{
        address,
        bilingual::{self, Shown, bilingual},
        format::{self, CAD},
        page::other,
        quality::{self, Doubt},
        search::{
            context::{SearchContext, category, status},
            growth::is_of_amended,
            highlight::{Highlighter, Piece},
        },
    },
};

/// A record of the page.
#[derive(Debug)]
pub(crate) struct Hit {
    pub(crate) href: String,
    pub(crate) title: Headline,
    /// The part of the description that matches, if the title does not.
    pub(crate) excerpt: Option<Marked>,
    pub(crate) supplier: Option<Party>,
    pub(crate) buyer: Option<Party>,
    /// The name of the city, unless the buyer's name contains it; without a buyer, also that of the government.
    pub(crate) place: Option<String>,
    /// `None` if it is not published.
    pub(crate) value: Option<String>,
    /// The value before amendments, where the search asks for amended contracts.
    pub(crate) before: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) closing: Option<Closing>,
    /// The last day of a contract or an agreement.
    pub(crate) end: Option<String>,
    /// The status, for records that accept bids.
    pub(crate) status: Option<String>,
    pub(crate) category: Option<String>,
    pub(crate) number: Option<Marked>,
    /// What is doubtful about the record.
    pub(crate) doubts: Vec<Doubt>,
}

/// What a record is called.
#[derive(Debug)]
pub(crate) struct Headline {
    pub(crate) marked: Marked,
    /// The message that states where the text comes from, if it is not a title.
    pub(crate) origin: Option<&'static str>,
}

/// A text of a record with the words of `q` marked.
#[derive(Debug)]
pub(crate) struct Marked {
    pub(crate) pieces: Vec<Piece>,
    /// The language, if it is not that of the page.
    pub(crate) lang: Option<&'static str>,
}

/// A supplier or a buyer.
#[derive(Debug)]
pub(crate) struct Party {
    pub(crate) marked: Marked,
    /// The page of the name.
    pub(crate) href: String,
}

#[derive(Debug)]
pub(crate) struct Closing {
    pub(crate) date: String,
    pub(crate) is_over: bool,
}

/// Makes hits of records.
pub(crate) struct HitWriter<'a> {
    pub(crate) context: &'a SearchContext<'a>,
    pub(crate) highlighter: &'a Highlighter,
}

/// The maximum number of characters of a title or name; a longer one is cut.
const MAX_NAME_CHARS: usize = 200;

/// The length of an excerpt in bytes.
const EXCERPT_BYTES: usize = 240;

/// Fields that are called a title, and where they come from otherwise; the best first.
const TITLES: [(&str, &str, Option<&str>); 6] = [
    ("title_en", "title_fr", None),
    ("sosa_description_en", "sosa_description_fr", None),
    (
        "commodity_description_en",
        "commodity_description_fr",
        Some("search-hit-from-commodity"),
    ),
    (
        "unspsc_description_en",
        "unspsc_description_fr",
        Some("search-hit-from-commodity"),
    ),
    (
        "gsin_description_en",
        "gsin_description_fr",
        Some("search-hit-from-commodity"),
    ),
    ("description_en", "description_fr", Some("search-hit-from-description")),
];

/// The slug of all federal bodies, which is not a place.
const FEDERAL: &str = "federal";

/// The ends of the slugs of provincial bodies, and of municipal bodies whose city is not known.
const GOVERNMENTS: [&str; 2] = ["-provincial", "-municipal"];

/// The status of what accepts bids.
const OPEN: &str = "Open";

/// The source's own words for the category.
const CATEGORY_WORDS: [&str; 2] = ["activity", "category"];

impl HitWriter<'_> {
    /// A record that was found. Its bytes are the JSON that it was indexed from.
    pub(crate) fn hit(&self, bytes: &[u8]) -> Result<Hit, ApiError> {
        let (entity_type, lang) = (self.context.asked.entity_type, self.context.asked.lang);
        let schema = Schema::of(entity_type);
        let record = Record::parse(schema, bytes).map_err(|error| ApiError::internal(format!("{error:?}")))?;
        let date = |date: Option<Date>| date.map(|date| format::date(lang, date));
        let money = |value: f64| format::money(lang, value, record.text("currency").unwrap_or(CAD));
        let title = self.headline(&record);
        let buyer = bilingual::buyer(&record, lang);
        Ok(Hit {
            href: address::record(lang, entity_type, record.id()),
            excerpt: self.excerpt(&record, &title),
            supplier: bilingual::supplier(&record).map(|name| self.party(Facet::Vendor, name)),
            place: self.place(&record, buyer.as_ref()),
            buyer: buyer.map(|name| self.party(Facet::NamedDepartment, name)),
            value: record.value().map(money),
            before: record
                .original_value()
                .filter(|_| is_of_amended(self.context.asked))
                .map(money),
            date: date(record.date(Role::Date)),
            closing: record.date(Role::ClosingDate).map(|day| Closing {
                date: format::date(lang, day),
                is_over: day < self.context.today,
            }),
            end: date(end(&record)),
            status: self.status(&record),
            category: self.category(&record),
            number: self.number(&record, &title),
            doubts: quality::doubts(self.context.t, &record),
            title,
        })
    }

    /// The title; without one, the words of a commodity code, the description, the category or the number, marked.
    fn headline(&self, record: &Record) -> Headline {
        let (t, lang) = (self.context.t, self.context.asked.lang);
        // The description takes the place of the title in entity types that have none.
        let has_title = Schema::of(self.context.asked.entity_type)
            .field_number(TITLES[0].0)
            .is_some();
        for (english, french, origin) in TITLES {
            if let Some(shown) = bilingual(record, english, french, lang) {
                let origin = origin.filter(|_| has_title);
                return self.called(shown, origin);
            }
        }
        let texts = CATEGORY_WORDS.into_iter().filter_map(|field| record.text(field));
        let words = texts.map(str::trim).find(|text| !text.is_empty()).map(str::to_owned);
        if let Some(words) = words.or_else(|| self.category(record)) {
            return self.called(Shown::plain(words), Some("search-hit-from-category"));
        }
        match numbers(record).next() {
            Some(number) => self.called(Shown::plain(number), Some("search-hit-from-number")),
            None => self.called(Shown::plain(t.text("search-hit-no-title")), None),
        }
    }

    fn called(&self, shown: Shown, origin: Option<&'static str>) -> Headline {
        Headline {
            marked: self.marked(&shown),
            origin,
        }
    }

    /// The words of `q` in the description. Not where the title has them: the page is to be skimmed.
    fn excerpt(&self, record: &Record, title: &Headline) -> Option<Marked> {
        if title.marked.pieces.iter().any(|piece| piece.is_match) {
            return None;
        }
        let lang = self.context.asked.lang;
        [lang, other(lang)].into_iter().find_map(|of| {
            let field = match of {
                Language::English => "description_en",
                Language::French => "description_fr",
            };
            let text = record.text(field)?;
            let pieces = self.highlighter.excerpt(text, EXCERPT_BYTES)?;
            Some(Marked {
                pieces,
                lang: (of != lang).then(|| of.code()),
            })
        })
    }

    /// A title or name; a very long one is cut.
    fn marked(&self, shown: &Shown) -> Marked {
        let pieces = match shown.text.char_indices().nth(MAX_NAME_CHARS) {
            Some((end, _)) => self.highlighter.pieces(&format!("{}…", &shown.text[..end])),
            None => self.highlighter.pieces(&shown.text),
        };
        Marked {
            pieces,
            lang: shown.lang_code(),
        }
    }

    fn party(&self, facet: Facet, name: Shown) -> Party {
        Party {
            href: self.context.party_href(facet, &name.text),
            marked: self.marked(&name),
        }
    }

    fn place(&self, record: &Record, buyer: Option<&Shown>) -> Option<String> {
        let slug = record.texts(Role::Municipality).next()?;
        let is_government = slug == FEDERAL || GOVERNMENTS.iter().any(|end| slug.ends_with(end));
        if is_government && buyer.is_some() {
            return None;
        }
        let name = self.context.place(slug);
        let is_named = buyer.is_some_and(|buyer| fold(&buyer.text).contains(&fold(&name)));
        (!is_named).then_some(name)
    }

    /// The status, as the filter names it; of a tender that has closed and is still published as open, that
    /// it has closed. A contract's status says little, because most publishers state none.
    fn status(&self, record: &Record) -> Option<String> {
        if !matches!(
            self.context.asked.entity_type,
            EntityType::Tender | EntityType::PreSolicitation
        ) {
            return None;
        }
        let keys = record.keys(Role::Status);
        let key = keys.first()?;
        let is_over = record
            .date(Role::ClosingDate)
            .is_some_and(|day| day < self.context.today);
        if is_over && *key == OPEN {
            return Some(self.context.t.text("search-hit-still-open"));
        }
        status(self.context.t, key)
    }

    /// The categories of the record, joined by commas.
    fn category(&self, record: &Record) -> Option<String> {
        let codes = record.texts(Role::Category).next().into_iter();
        let codes = codes.flat_map(vocabulary::categories);
        let words: Vec<String> = codes.filter_map(|code| category(self.context.t, code)).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// The number of the record, unless it is its headline.
    fn number(&self, record: &Record, title: &Headline) -> Option<Marked> {
        if title.origin == Some("search-hit-from-number") {
            return None;
        }
        let number = numbers(record).next()?;
        Some(self.marked(&Shown::plain(number)))
    }
}

fn numbers<'r>(record: &'r Record) -> impl Iterator<Item = &'r str> {
    [Role::ReferenceNumber, Role::SolicitationNumber]
        .into_iter()
        .flat_map(|role| record.texts(role))
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

fn end(record: &Record) -> Option<Date> {
    ["end_date", "expiry_date"]
        .into_iter()
        .find_map(|field| Date::parse_prefix(record.text(field)?).ok())
}

/// What the date of a hit is called.
pub(crate) fn date_label(entity_type: EntityType) -> &'static str {
    match entity_type {
        EntityType::Tender | EntityType::PreSolicitation => "search-hit-published",
        _ => "search-hit-awarded",
    }
}
