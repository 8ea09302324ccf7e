//! The form that adds one more thing to a comparison.

use crate::{
    api::analysis::compared::ComparedType,
    model::{EntityType, Language},
    pages::address::{self, Parameters},
};

pub(crate) struct CompareForm {
    /// What the things are, for messages.
    pub(crate) what: &'static str,
    pub(crate) action: String,
    /// The entity type that the address states.
    pub(crate) kind: Option<&'static str>,
    /// The things that are compared already.
    pub(crate) of: Vec<String>,
    /// What the records of each have to meet.
    pub(crate) conditions: Parameters,
    /// What suggests while somebody types.
    pub(crate) suggest: String,
}

impl CompareForm {
    /// Of a page without conditions.
    pub(crate) fn new(lang: Language, what: ComparedType, kind: Option<EntityType>, of: Vec<String>) -> CompareForm {
        CompareForm::under(lang, (what, kind), of, Parameters::default())
    }

    pub(crate) fn under(
        lang: Language,
        (what, kind): (ComparedType, Option<EntityType>),
        of: Vec<String>,
        conditions: Parameters,
    ) -> CompareForm {
        let all = of.iter().fold(conditions.clone(), |all, id| all.and("of", id));
        CompareForm {
            what: what.name(),
            action: address::compare(lang, what.name()),
            kind: kind.map(EntityType::name),
            suggest: all.after(&format!("/{}/suggest/{}", lang.code(), what.name())),
            of,
            conditions,
        }
    }
}
