//! The names of sources, as pages show them.

use crate::pages::messages::Texts;

/// The name of a source; its identifier, if the operator added it.
pub(crate) fn source_name(t: Texts, id: &str) -> String {
    if t.has("sources-name-", id) {
        t.keyed("sources-name-", id)
    } else {
        id.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Language;

    #[test]
    fn a_source_of_the_operator_is_named_by_its_identifier() {
        let t = Texts::of(Language::French);
        assert_eq!(source_name(t, "toronto"), "Ville de Toronto");
        assert_eq!(source_name(t, "my-own"), "my-own");
    }
}
