//! The name of a firm, as what a text is about: with its article, and without what follows an owner.

use crate::{
    catalog::suppliers::SupplierList,
    model::fold::fold,
    question::words::{without_marks, words},
};

/// The articles that names of firms begin with.
const ARTICLES: [&str; 4] = ["la", "le", "les", "the"];

/// A word with the article in the text before it, if both begin the name of a firm: "La Presse" is not a press. Several
/// words identify a firm without its article, which publishers may leave out.
pub(crate) fn with_article(text: &str, about: String, suppliers: Option<&SupplierList>) -> String {
    let written = words(text);
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let before = written.windows(2).find(|pair| without_marks(&pair[1..]) == about);
    let article = before.map(|pair| pair[0].0).filter(|article| {
        let is_name = suppliers.is_some_and(|suppliers| suppliers.has_name_from(&format!("{article} {about}")));
        is_name && is_capital(article) && is_capital(&about) && ARTICLES.contains(&fold(article).as_str())
    });
    article.map_or_else(|| about.clone(), |article| format!("{article} {about}"))
}

/// "Bell Canada's" as "Bell Canada", if that is the name of a firm and the other is not.
pub(super) fn without_possessive(about: String, suppliers: Option<&SupplierList>) -> String {
    let owner = about.strip_suffix("'s").or_else(|| about.strip_suffix("’s"));
    let is_name = |name: &str| suppliers.is_some_and(|suppliers| suppliers.has_name_from(name));
    match owner {
        Some(owner) if is_name(owner) && !is_name(&about) => owner.to_owned(),
        _ => about,
    }
}
