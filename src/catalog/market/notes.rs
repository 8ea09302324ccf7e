//! What a reader must know beside the figures, in one table: a code for programs, a sentence in each language.

use crate::catalog::market::answer::Note;

/// A sentence of the table, to be filled in.
pub struct Sentence {
    code: &'static str,
    en: &'static str,
    fr: &'static str,
}

impl Sentence {
    /// The note; `{}` stands for the detail.
    pub fn with(&self, detail: &str) -> Note {
        self.of(detail, detail)
    }

    /// The note, its detail said in each language.
    pub fn of(&self, en: &str, fr: &str) -> Note {
        Note {
            code: self.code,
            note_en: self.en.replace("{}", en),
            note_fr: self.fr.replace("{}", fr),
        }
    }

    pub fn note(&self) -> Note {
        self.with("")
    }
}

macro_rules! sentences {
    ($($name:ident $code:literal $en:literal $fr:literal)*) => {
        $(pub const $name: Sentence = Sentence { code: $code, en: $en, fr: $fr };)*
    };
}

// Caveats.
sentences! {
    TOO_FEW "too_few_comparables"
        "Comparable contracts found: {}; an estimate needs at least five."
        "Contrats comparables trouvés : {}; une estimation en demande au moins cinq."
    NO_TENDER "no_such_tender"
        "No tender has this record_id."
        "Aucun appel d'offres ne porte ce record_id."
    STATED "value_stated"
        "The tender states its own value, which is given; the percentiles are those of comparable contracts."
        "L'appel d'offres indique sa propre valeur, qui est donnée; les percentiles sont ceux de contrats comparables."
    STATED_APART "stated_value_unusual"
        "The stated value lies outside what eight of ten comparable contracts would cost."
        "La valeur indiquée se situe hors de ce que coûteraient huit contrats comparables sur dix."
    NO_WORDS "no_subject"
        "Nothing says in words what is bought: the comparables share other facts only."
        "Aucun texte ne dit ce qui est acheté : les contrats comparables n'ont en commun que d'autres faits."
    BROAD_MATCH "broad_match"
        "Too few contracts for this very need or code were found: other comparables share category and wording, or less."
        "Trop peu de contrats pour ce besoin ou ce code ont été trouvés : d'autres contrats comparables partagent la catégorie et le vocabulaire, ou moins."
    NO_CODE "code_not_recognized"
        "Nothing in gsin has the form of a GSIN or UNSPSC code: no code is compared."
        "Rien dans gsin n'a la forme d'un code NIBS ou UNSPSC : aucun code n'est comparé."
    BRANCH "code_is_a_branch"
        "The code stands for a whole class or branch: contracts that share it may be for quite different needs, and a segment alone makes none comparable."
        "Le code désigne toute une classe ou une branche : des contrats qui le partagent peuvent répondre à des besoins bien différents, et un segment seul n'en rend aucun comparable."
    OTHER_BUYERS "other_buyers_only"
        "None of the comparables is of this buyer."
        "Aucun des contrats comparables n'est de cet acheteur."
    FEW_COUNT "few_carry_the_weight"
        "Contracts the figures rest on, counted by their weight: about {}."
        "Contrats sur lesquels reposent les chiffres, comptés selon leur poids : environ {}."
    LITTLE_WEIGHT "comparables_weigh_little"
        "The comparables carry {} % of the estimate; the rest rests on contracts for other needs that share its buyer, category, rules or province."
        "Les contrats comparables portent {} % de l'estimation; le reste repose sur des contrats pour d'autres besoins qui en partagent l'acheteur, la catégorie, les règles ou la province."
    NO_GUIDE "no_bid_guide"
        "The comparables carry {} % of the weight, less than a third: they are no guide to bid around."
        "Les contrats comparables portent {} % du poids, moins du tiers : ils ne peuvent guider une offre."
    OLD "comparables_old"
        "The newest comparable contract was awarded on {}."
        "Le contrat comparable le plus récent a été adjugé le {}."
    WIDE "wide_range"
        "Prices for such needs differ widely: take the range, not the middle."
        "Les prix pour de tels besoins varient beaucoup : retenez la fourchette, non le milieu."
    NO_INCUMBENT "incumbent_unknown"
        "No earlier contract for the same need at this buyer was found."
        "Aucun contrat antérieur pour le même besoin chez cet acheteur n'a été trouvé."
    VENDORS_UNKNOWN "competition_unknown"
        "Too few comparables name their supplier to tell how many compete."
        "Trop peu de contrats comparables nomment leur fournisseur pour dire combien se font concurrence."
    EXCLUDED "records_excluded"
        "Contracts found, and left out everywhere because they were to be excluded: {}."
        "Contrats trouvés, et laissés partout de côté parce qu'ils étaient à exclure : {}."
}

// Reasons.
sentences! {
    SAME_BUYER "same_buyer" "Same buyer" "Même acheteur"
    NEAR_SAME_TITLE "near_same_title" "Nearly the same words" "Presque les mêmes mots"
    SIMILAR_TEXT "similar_text" "Similar words" "Mots semblables"
    SAME_CODE "same_code" "Same commodity code" "Même code de produit ou service"
    SAME_CLASS "same_code_class" "Same class of commodity" "Même classe de produits ou services"
    SAME_FAMILY "same_code_family" "Same family of commodities" "Même famille de produits ou services"
    SAME_SEGMENT "same_code_segment" "Same segment of commodities" "Même segment de produits ou services"
    SAME_CATEGORY "same_category" "Same category" "Même catégorie"
    SAME_METHOD "same_method" "Same method of procurement" "Même mode de sollicitation"
    NO_METHOD "no_method_either" "Neither names a method of procurement" "Aucun des deux n'indique de mode de sollicitation"
    NO_TERMS "no_terms_either" "Neither names trade agreements or grounds" "Aucun des deux n'indique d'accord commercial ni de motif"
    SAME_TERMS "same_terms" "Same trade agreements and grounds" "Mêmes accords commerciaux et motifs"
    SAME_LEVEL "same_government_level" "Same level of government" "Même ordre de gouvernement"
    SAME_PROVINCE "same_province" "Same province" "Même province"
    PUBLISHED_TWICE "published_twice" "Also published as {}" "Aussi publié sous {}"
}
