//! What a comparison is asked for, and the address of another one.

use crate::{
    api::{
        analysis::compared::{ComparedType, MAX_COMPARED},
        params::{
            param::Param,
            parse::{Case, Given},
            value::{ENTITY_TYPES, ParamType},
        },
    },
    http::{error::ApiError, quoted::quoted},
    model::{Date, EntityType, Language},
    pages::{
        address::{self, Parameters},
        messages::Texts,
        page::PageCall,
    },
};

#[derive(Debug, Default, PartialEq)]
pub(super) struct CompareParams {
    of: Vec<String>,
    kind: Option<Given<&'static str>>,
    pub(super) q: Option<Given<String>>,
}

const OF: Param<CompareParams> = Param::new(
    "of",
    "What is compared: a supplier's identifier or name, a department's name, a commodity code; up to four times",
    ParamType::Texts(MAX_COMPARED, |p| &mut p.of),
);

const KIND: Param<CompareParams> = Param::new(
    "kind",
    "Count the records of this entity type",
    ParamType::OneOf(&ENTITY_TYPES, Case::Exact, |p| &mut p.kind),
);

pub(super) static TABLE: &[Param<CompareParams>] = &[OF, KIND];

pub(super) static SUGGEST_TABLE: &[Param<CompareParams>] = &[
    OF,
    KIND,
    Param::new("q", "What somebody types", ParamType::Typed(|p| &mut p.q)),
];

/// What the page needs of the request.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) what: ComparedType,
    pub(super) of: Vec<String>,
    pub(super) kind: Option<EntityType>,
    pub(super) t: Texts,
    pub(super) today: Date,
}

impl Request {
    pub(super) fn of(call: &PageCall, what: &str, given: CompareParams) -> Result<Request, ApiError> {
        let types = "supplier, department or commodity";
        let unknown = || ApiError::not_found(format!("{} cannot be compared; give {types}", quoted(what)));
        Ok(Request {
            what: ComparedType::parse(what).ok_or_else(unknown)?,
            of: given.of,
            kind: given.kind.and_then(|given| EntityType::parse(given.value)),
            t: call.t,
            today: call.today,
        })
    }

    pub(super) fn lang(&self) -> Language {
        self.t.language()
    }

    /// The comparison of these.
    pub(super) fn address(&self, of: &[&str]) -> String {
        let kind = self.kind.map(|kind| Parameters::default().with("kind", kind.name()));
        let all = of.iter().fold(kind.unwrap_or_default(), |all, id| all.and("of", id));
        all.after(&address::compare(self.lang(), self.what.name()))
    }
}
