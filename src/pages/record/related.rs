//! What a record belongs to: the pages of its supplier, buyer and solicitation, and the other records of the latter.

use crate::{
    api::params::filters::term,
    catalog::{ask::Ask, generation::Generation},
    http::error::ApiError,
    model::{
        EntityType, Facet, Language, Record, Role, Schema,
        commodity::{self, CommodityCode},
        record::query_key,
        vocabulary,
    },
    pages::{
        address::{self, Parameters},
        bids::{BID_IDS, bids_on},
        commodity_names,
        messages::Texts,
        record::listed::{ListedRecord, parse},
    },
    query::SearchQuery,
};

/// The other records of a solicitation.
#[derive(Debug)]
pub(super) struct Related {
    /// The address of the solicitation's page.
    pub(super) href: String,
    pub(super) number: String,
    /// Up to [`MAX_OTHERS`] of each entity type.
    pub(super) others: Vec<ListedRecord>,
    /// How many bid on the notice of the same call, in a sentence, and the bids.
    pub(super) bids: Option<(String, String)>,
}

/// The maximum number of other records of an entity type that the page lists.
const MAX_OTHERS: usize = 10;

/// The maximum number of commodity codes that the page lists.
const MAX_CODES: usize = 20;

/// Fields that name a buyer.
const BUYERS: [&str; 3] = ["department_en", "department_fr", "buyer_name"];

/// The pages about texts of a record: the field, and the address. A name without a page has none.
pub(super) fn pages(
    ask: &Ask,
    entity_type: EntityType,
    record: &Record,
    lang: Language,
) -> Result<Vec<(String, String)>, ApiError> {
    let resolves = |facet: Facet, name: &str| {
        let resolved = ask.resolve_name(entity_type, facet, name);
        resolved.map(|found| found.is_some())
    };
    let mut pages = Vec::new();
    if let Some(name) = record.text("vendor_name")
        && resolves(Facet::Vendor, name)?
    {
        pages.push(("vendor_name".to_owned(), address::vendor(lang, name)));
    }
    for field in BUYERS {
        if let Some(name) = record.text(field)
            && resolves(Facet::Department, name)?
        {
            pages.push((field.to_owned(), address::department(lang, name)));
        }
    }
    for (field, number) in solicitations(record) {
        pages.push((field.to_owned(), address::solicitation(lang, number)));
    }
    if let Some(slug) = record.text("municipality") {
        let query = Parameters::default().with("municipality", slug);
        pages.push(("municipality".to_owned(), address::search(lang, entity_type, &query)));
    }
    Ok(pages)
}

/// The commodity codes of a record, each once: its words with its number, and its page.
pub(super) fn commodities(generation: &Generation, record: &Record, t: Texts) -> Vec<(String, String)> {
    let texts = record.named_texts(Role::Commodity);
    let mut codes: Vec<CommodityCode> = Vec::new();
    for code in texts.flat_map(|(field, text)| commodity::codes(field, text)) {
        if codes.len() < MAX_CODES && !codes.contains(&code) {
            codes.push(code);
        }
    }
    let link = |code: &CommodityCode| {
        let label = commodity_names::label(&generation.commodities, code, t);
        (label, address::commodity(t.language(), code))
    };
    codes.iter().map(link).collect()
}

/// The other records of the record's solicitation; `None` if it has no solicitation number.
pub(super) fn related(
    ask: &Ask,
    entity_type: EntityType,
    record: &Record,
    t: Texts,
) -> Result<Option<Related>, ApiError> {
    let Some((_, number)) = solicitations(record).next() else {
        return Ok(None);
    };
    let (mut others, mut bids) = (Vec::new(), None);
    for of in EntityType::ALL {
        if !Schema::of(of).has_role(Role::SolicitationNumber) {
            continue;
        }
        let key = query_key(Role::SolicitationNumber, number);
        let query = SearchQuery::newest(of, vec![term(Role::SolicitationNumber, key)]);
        // One more, because the record itself is among them.
        let records = ask.first(&query, MAX_OTHERS + 1)?;
        let own = address::record(t.language(), entity_type, record.id());
        let mut listed = Vec::new();
        for bytes in &records {
            let row = ListedRecord::of(t, of, bytes)?;
            if row.href == own {
                continue;
            }
            let other = parse(of, bytes)?;
            if of == EntityType::Tender && bids.is_none() && is_of_one_call(record, &other) {
                let sentence = bids_on(ask, t, other.id());
                bids = sentence.map(|sentence| (sentence, format!("{}#{}", row.href, BID_IDS[0].section)));
            }
            listed.push(row);
        }
        listed.truncate(MAX_OTHERS);
        others.append(&mut listed);
    }
    Ok(Some(Related {
        href: address::solicitation(t.language(), number),
        number: number.to_owned(),
        others,
        bids,
    }))
}

/// Whether two records state the identifier of one call. Buyers use the same solicitation numbers.
fn is_of_one_call(record: &Record, other: &Record) -> bool {
    let call = record.text("ocid").map(str::trim).filter(|ocid| !ocid.is_empty());
    call.is_some() && call == other.text("ocid").map(str::trim)
}

/// The fields with a solicitation number that identifies something, and the number.
fn solicitations<'r>(record: &'r Record) -> impl Iterator<Item = (&'r str, &'r str)> {
    let texts = record.named_texts(Role::SolicitationNumber);
    texts.filter(|(_, number)| vocabulary::identifies(number))
}
