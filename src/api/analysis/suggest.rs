//! What typed words may mean, each with the search that finds its records.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    api::{cost::ScanCost, params::filters::term},
    catalog::{
        ask::Ask,
        generation::{Generation, Thing},
        suggest::{Found, Likeness, MeaningType},
        suppliers::Party,
    },
    engine::Error,
    http::{
        encoding::{encode, encode_pair},
        search_pool::Lane,
    },
    model::{EntityType, Facet, Language, Role, Schema, commodity::CommodityCode, record::query_key},
    query::SearchQuery,
};

/// What to suggest something for.
#[derive(Clone, Debug)]
pub(crate) struct SuggestPlan {
    pub(crate) text: String,
    /// Of the labels.
    pub(crate) language: Language,
    /// The maximum number of suggestions.
    pub(crate) limit: usize,
}

/// Something that the words may mean.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Suggested {
    #[serde(rename = "type")]
    pub(crate) meaning: MeaningType,
    /// The identifier of a supplier or of a body, a solicitation's number, a commodity code with its scheme, or a
    /// municipality's slug.
    pub(crate) id: String,
    /// Its name in the requested language, if that is known.
    pub(crate) label: String,
    pub(crate) likeness: Likeness,
    /// Number of its records of all entity types; never 0.
    pub(crate) records: u64,
    /// The filter that finds them, as a parameter of a search and its value; null for a solicitation.
    pub(crate) query: Option<BTreeMap<&'static str, String>>,
    /// What this service knows about it; null for a municipality.
    pub(crate) href: Option<String>,
    /// The entity types with records.
    pub(crate) by_entity_type: Vec<SuggestedRecords>,
    /// How many names of a supplier or of a body are joined; not part of the answer of the API.
    #[serde(skip)]
    pub(crate) names: usize,
}

/// The records of one entity type.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct SuggestedRecords {
    pub(crate) entity_type: EntityType,
    pub(crate) records: u64,
    /// The search that finds exactly these records; null for a solicitation.
    pub(crate) search: Option<String>,
}

/// The maximum number of suggestions of each type.
const MAX_OF_TYPE: usize = 5;

/// How many parts of a text are looked up as numbers of solicitations.
const MAX_NUMBERS: usize = 4;

/// The fewest characters of such a number.
const MIN_NUMBER: usize = 3;

impl SuggestPlan {
    /// The names are listed once for a generation; then suggestions are quick.
    pub(crate) fn lane(generation: &Generation) -> Lane {
        if generation.known_meanings().is_some() {
            return Lane::Quick;
        }
        // Commodity codes.
        ScanCost::of(generation, &EntityType::ALL.map(|entity_type| (entity_type, 1))).lane()
    }

    /// The best first. Each has records.
    pub(crate) fn run(&self, ask: &Ask) -> Result<Vec<Suggested>, Error> {
        let mut suggested = self.solicitations(ask)?;
        let meanings = ask.generation.meanings(&ask.deadline)?;
        for found in meanings.index.find(&self.text, MAX_OF_TYPE, &ask.deadline)? {
            if suggested.len() >= self.limit {
                break;
            }
            let shown = match party_of(found.meaning) {
                Some(party) => self.party(ask, party, &found),
                None => meanings
                    .thing(found.meaning, found.number)
                    .map(|thing| self.thing(&found, &thing)),
            };
            suggested.extend(shown.filter(|shown| shown.records > 0));
        }
        suggested.truncate(self.limit);
        Ok(suggested)
    }

    fn thing(&self, found: &Found, thing: &Thing) -> Suggested {
        let code = CommodityCode::of_key(&thing.id).filter(|_| found.meaning == MeaningType::Commodity);
        let (own, other) = match self.language {
            Language::English => (&thing.name_en, &thing.name_fr),
            Language::French => (&thing.name_fr, &thing.name_en),
        };
        let label = match &code {
            Some(code) => own.as_deref().or(other.as_deref()).unwrap_or(code.code()),
            None => own.as_deref().unwrap_or(&thing.id),
        };
        let (parameter, href) = match found.meaning {
            MeaningType::Commodity => ("commodity", Some(format!("/commodity/{}", encode(&thing.id)))),
            _ => ("municipality", None),
        };
        suggested(found, parameter, (&thing.id, label), href, &thing.records)
    }

    fn party(&self, ask: &Ask, party: Party, found: &Found) -> Option<Suggested> {
        let of = ask.generation.parties(party).get(found.number)?;
        let records = of.by_entity_type.iter().map(|of| (of.entity_type, of.records));
        let records: Vec<(EntityType, u64)> = records.collect();
        let href = Some(format!("/{}/{}", party.noun(), of.id));
        let label = of.name_in(self.language);
        let shown = suggested(found, party.noun(), (&of.id, label), href, &records);
        Some(Suggested {
            names: of.names.len(),
            ..shown
        })
    }

    /// The solicitations whose number is the text, or a word of it with a digit.
    fn solicitations(&self, ask: &Ask) -> Result<Vec<Suggested>, Error> {
        let mut numbers: BTreeMap<String, &str> = BTreeMap::new();
        // "Contract 12-345?"
        let words = self.text.split_whitespace();
        let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        for text in std::iter::once(self.text.trim()).chain(words) {
            let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
            let key = query_key(Role::SolicitationNumber, text);
            if has_digit && key.chars().count() >= MIN_NUMBER && numbers.len() < MAX_NUMBERS {
                numbers.entry(key).or_insert(text);
            }
        }
        let has_numbers = |of: &EntityType| Schema::of(*of).has_role(Role::SolicitationNumber);
        let entity_types: Vec<EntityType> = EntityType::ALL.into_iter().filter(has_numbers).collect();
        let query = |key: &String, entity_type: &EntityType| {
            SearchQuery::newest(*entity_type, vec![term(Role::SolicitationNumber, key.clone())])
        };
        let queries = numbers
            .keys()
            .flat_map(|key| entity_types.iter().map(move |of| query(key, of)));
        let counts = ask.counts(queries.collect())?;
        let found = numbers.values().zip(counts.chunks(entity_types.len()));
        let found = found.map(|(number, counts)| solicitation(number, &entity_types, counts));
        Ok(found.filter(|found| found.records > 0).collect())
    }
}

/// The names of vendors or departments that a text may mean, the best first. They need not be spelled like it.
pub(crate) fn meant_names(ask: &Ask, facet: Facet, text: &str, limit: usize) -> Result<Vec<String>, Error> {
    let wanted = match facet {
        Facet::Vendor => MeaningType::Supplier,
        _ => MeaningType::Department,
    };
    let meanings = ask.generation.meanings(&ask.deadline)?;
    let found = meanings.index.find(text, limit, &ask.deadline)?.into_iter();
    let name = |found: Found| Some(ask.generation.parties(party_of(found.meaning)?).get(found.number)?.name);
    Ok(found.filter(|found| found.meaning == wanted).filter_map(name).collect())
}

fn solicitation(number: &str, entity_types: &[EntityType], counts: &[u64]) -> Suggested {
    let counted = entity_types.iter().zip(counts).filter(|(_, records)| **records > 0);
    let by_entity_type = counted.map(|(entity_type, records)| SuggestedRecords {
        entity_type: *entity_type,
        records: *records,
        search: None,
    });
    Suggested {
        meaning: MeaningType::Solicitation,
        id: number.to_owned(),
        label: number.to_owned(),
        likeness: Likeness::Exact,
        records: counts.iter().sum(),
        query: None,
        href: Some(format!("/procurement/{}", encode(number))),
        by_entity_type: by_entity_type.collect(),
        names: 1,
    }
}

/// `None` for what is no supplier and no body.
const fn party_of(meaning: MeaningType) -> Option<Party> {
    match meaning {
        MeaningType::Supplier => Some(Party::Supplier),
        MeaningType::Department => Some(Party::Body),
        MeaningType::Solicitation | MeaningType::Commodity | MeaningType::Municipality => None,
    }
}

/// Something that one parameter finds, in the entity types that accept the parameter.
fn suggested(
    found: &Found,
    parameter: &'static str,
    (id, label): (&str, &str),
    href: Option<String>,
    records: &[(EntityType, u64)],
) -> Suggested {
    let accepting = records
        .iter()
        .filter(|(of, records)| *records > 0 && Schema::of(*of).accepts(parameter));
    let by_entity_type = accepting.map(|(entity_type, records)| {
        let mut search = format!("/{entity_type}?");
        encode_pair(&mut search, parameter, id);
        SuggestedRecords {
            entity_type: *entity_type,
            records: *records,
            search: Some(search),
        }
    });
    let by_entity_type: Vec<SuggestedRecords> = by_entity_type.collect();
    Suggested {
        meaning: found.meaning,
        id: id.to_owned(),
        label: label.to_owned(),
        likeness: found.likeness,
        records: by_entity_type.iter().map(|of| of.records).sum(),
        query: Some(BTreeMap::from([(parameter, id.to_owned())])),
        href,
        by_entity_type,
        names: 1,
    }
}
