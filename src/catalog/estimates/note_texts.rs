//! The texts of caveats and reasons: a code for programs, a sentence in each language.

use super::answer::Note;

/// A note; `{}` in its sentences is replaced by a detail.
pub(crate) struct NoteText {
    code: &'static str,
    en: &'static str,
    fr: &'static str,
}

impl NoteText {
    pub(crate) fn with(&self, detail: &str) -> Note {
        Note {
            code: self.code,
            note_en: self.en.replace("{}", detail),
            note_fr: self.fr.replace("{}", detail),
        }
    }

    pub(crate) fn note(&self) -> Note {
        self.with("")
    }
}

/// A list of notes, each added if its condition holds.
#[derive(Default)]
pub(crate) struct Notes(pub(crate) Vec<Note>);

impl Notes {
    pub(crate) fn add_if(&mut self, applies: bool, text: NoteText) {
        self.add_with(applies, text, String::new);
    }

    pub(crate) fn add_with(&mut self, applies: bool, text: NoteText, detail: impl FnOnce() -> String) {
        if applies {
            self.0.push(text.with(&detail()));
        }
    }
}

macro_rules! note_texts {
    ($($name:ident $code:literal $en:literal $fr:literal)*) => {
        $(pub(crate) const $name: NoteText = NoteText { code: $code, en: $en, fr: $fr };)*
    };
}

// Caveats.
note_texts! {
    TOO_FEW_COMPARABLES "too_few_comparables"
        "Comparable contracts found: {}; an estimate needs at least five."
        "Contrats comparables trouvés : {}; une estimation en demande au moins cinq."
    NO_SUCH_TENDER "no_such_tender"
        "No tender has this record_id."
        "Aucun appel d'offres ne porte ce record_id."
    VALUE_STATED "value_stated"
        "The tender states its own value, which is returned; the percentiles are those of comparable contracts."
        "L'appel d'offres indique sa propre valeur, qui est retournée; les percentiles sont ceux de contrats comparables."
    STATED_VALUE_UNUSUAL "stated_value_unusual"
        "The stated value is outside the range in which eight of ten comparable contracts should be."
        "La valeur indiquée est hors de la fourchette où devraient se situer huit contrats comparables sur dix."
    NO_SUBJECT "no_subject"
        "No text says what is bought: the comparables share other facts only."
        "Aucun texte ne dit ce qui est acheté : les contrats comparables n'ont en commun que d'autres faits."
    BROAD_MATCH "broad_match"
        "Too few contracts for the same need or code were found: the other comparables share the category and similar words, or less."
        "Trop peu de contrats pour le même besoin ou le même code ont été trouvés : les autres contrats comparables partagent la catégorie et des mots semblables, ou moins."
    CODE_NOT_RECOGNIZED "code_not_recognized"
        "gsin contains no valid GSIN or UNSPSC code: no code is compared."
        "gsin ne contient aucun code NIBS ou UNSPSC valide : aucun code n'est comparé."
    CODE_IS_A_BRANCH "code_is_a_branch"
        "The code covers a whole class or branch: contracts with the same code may be for very different needs. A shared segment alone does not make a contract comparable."
        "Le code désigne toute une classe ou une branche : des contrats qui ont le même code peuvent répondre à des besoins bien différents. Un segment commun ne suffit pas à rendre un contrat comparable."
    OTHER_BUYERS_ONLY "other_buyers_only"
        "None of the comparables is of this buyer."
        "Aucun des contrats comparables n'est de cet acheteur."
    FEW_CARRY_THE_WEIGHT "few_carry_the_weight"
        "Few contracts carry the weight. Effective sample size: about {}."
        "Peu de contrats portent le poids. Taille effective de l'échantillon : environ {}."
    COMPARABLES_WEIGH_LITTLE "comparables_weigh_little"
        "The comparables carry {} % of the weight; the rest is carried by contracts for other needs that share the buyer, category, rules or province."
        "Les contrats comparables portent {} % du poids; le reste est porté par des contrats pour d'autres besoins qui partagent l'acheteur, la catégorie, les règles ou la province."
    NO_BID_GUIDE "no_bid_guide"
        "The comparables carry {} % of the weight, less than a third: too little for a bid guide."
        "Les contrats comparables portent {} % du poids, moins du tiers : trop peu pour guider une offre."
    COMPARABLES_OLD "comparables_old"
        "The newest comparable contract was awarded on {}."
        "Le contrat comparable le plus récent a été adjugé le {}."
    WIDE_RANGE "wide_range"
        "Prices for such needs differ widely: use the range, not the median."
        "Les prix pour de tels besoins varient beaucoup : retenez la fourchette, non la médiane."
    INCUMBENT_UNKNOWN "incumbent_unknown"
        "No earlier contract for the same need at this buyer was found."
        "Aucun contrat antérieur pour le même besoin chez cet acheteur n'a été trouvé."
    COMPETITION_UNKNOWN "competition_unknown"
        "Too few comparables name their vendor to measure the competition."
        "Trop peu de contrats comparables nomment leur fournisseur pour mesurer la concurrence."
    RECORDS_EXCLUDED "records_excluded"
        "Contracts left out because the request excludes them: {}."
        "Contrats laissés de côté parce que la demande les exclut : {}."
}

// Reasons.
note_texts! {
    SAME_BUYER "same_buyer" "Same buyer" "Même acheteur"
    NEAR_SAME_TITLE "near_same_title" "Nearly the same words" "Presque les mêmes mots"
    SIMILAR_TEXT "similar_text" "Similar words" "Mots semblables"
    SAME_CODE "same_code" "Same commodity code" "Même code de marchandise"
    SAME_CODE_CLASS "same_code_class" "Same commodity class" "Même classe de marchandises"
    SAME_CODE_FAMILY "same_code_family" "Same commodity family" "Même famille de marchandises"
    SAME_CODE_SEGMENT "same_code_segment" "Same commodity segment" "Même segment de marchandises"
    SAME_CATEGORY "same_category" "Same category" "Même catégorie"
    SAME_METHOD "same_method" "Same procurement method" "Même mode de sollicitation"
    NO_METHOD_EITHER "no_method_either" "Neither states a procurement method" "Aucun des deux n'indique de mode de sollicitation"
    NO_TERMS_EITHER "no_terms_either" "Neither states trade agreements or grounds" "Aucun des deux n'indique d'accord commercial ni de motif"
    SAME_TERMS "same_terms" "Same trade agreements and grounds" "Mêmes accords commerciaux et motifs"
    SAME_GOVERNMENT_LEVEL "same_government_level" "Same level of government" "Même palier de gouvernement"
    SAME_PROVINCE "same_province" "Same province" "Même province"
    PUBLISHED_TWICE "published_twice" "Also published as {}" "Aussi publié sous {}"
}
