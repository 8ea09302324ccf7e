//! The names of municipalities and governments in the language of the page.

use crate::{catalog::generation::Coverage, model::Language};

/// The name in the language of the page, else in the other one; `None` if neither is known.
pub(crate) fn place_name(row: &Coverage, lang: Language) -> Option<&str> {
    let names = match lang {
        Language::English => [&row.name_en, &row.name_fr],
        Language::French => [&row.name_fr, &row.name_en],
    };
    names.into_iter().flatten().next().map(String::as_str)
}
