//! Words that only ask, in both languages: verbs of buying and winning, articles, adverbs, and nouns such as "money".
//!
//! The lists are of folded words, separated by `|`. Most of them are names or things outside a question: "lost and
//! found", "système de son".

use crate::{
    pages::search::written_words::{Word, elided, is_in, joined},
    query::translate::is_function_word,
};

/// Words that begin a question.
pub(super) const QUESTION_WORDS: &str = "\
    combien|est ce|how|laquelle|lequel|lesquelles|lesquels|quand|que|quel|quelle|quelles|quels|qui|quoi|what|when|\
    where|which|who|whose";

/// Those that begin one anywhere: "bridge repair 2015, who won".
pub(super) const QUESTION_WORDS_ANYWHERE: &str = "\
    combien|how|laquelle|lequel|quand|quel|quelle|quelles|quels|what|when|which|who";

/// Several words that ask, and are more than each of them.
pub(super) const PHRASES: &str = "\
    at what price|a quel prix|au final|au total|depuis combien de temps|depuis quand|en tout|for how much|how long|\
    in the end|in total|pour combien|quelle municipalite|quelle ville|quelles municipalites|quelles villes|\
    since when|what city|which cities|which city";

/// What asks for bidders that won nothing.
pub(super) const NEVER_WON: &str = "\
    jamais gagne|jamais gagner|jamais obtenir|jamais remporte|jamais remporter|n ont jamais gagne|never been awarded|\
    never win|never winning|never won|sans gagner|sans jamais gagner|sans jamais obtenir|sans jamais remporter|\
    without ever winning|without winning";

/// What asks for calls with one bidder: folded phrases without elided articles. No condition of a search says it.
pub(super) const ONE_BIDDER: &str = "\
    avec un seul soumissionnaire|avec une seule offre|avec une seule soumission|just one bid|just one bidder|one bid|\
    one bidder|only one bid|only one bidder|seul soumissionnaire|seule soumission|single bid|single bidder|\
    single bids|un seul soumissionnaire|une seule offre|une seule soumission|with a single bid|\
    with a single bidder|with just one bid|with just one bidder|with one bid|with one bidder|with only one bid|\
    with only one bidder";

/// Nouns that begin a question if what they are of follows: "suppliers of the museum".
const PARTIES: &str = "\
    acheteurs|buyers|competitors|concurrents|contractors|entrepreneurs|fournisseurs|rivals|rivaux|suppliers|vendors";

/// Verbs that begin a question if more words follow: "did anyone bid".
const FIRST_VERBS: &str = "\
    a t elle|a t il|a t on|are|avons|did|do|does|existe t il|had|has|have|is|ont elles|ont ils|was|were|y a t il";

/// Verbs and adverbs of questions, which do not describe what was bought.
const WORDS_OF_QUESTIONS: &str = "\
    a t elle|a t il|a t on|accorde|accordes|achete|achetent|all|are|attribue|attribues|awarded|bought|buys|\
    coute|coutent|currently|depense|did|do|does|else|est|eu|gagne|gagnes|get|gets|got|had|has|hired|is|issued|many|\
    most|much|now|obtenu|paye|octroyes|ont|paid|plus|publies|published|remporte|remportes|sells|signed|sold|sont|\
    soumissionne|spend|spends|spent|to|today|un|une|vend|vendent|vendu|was|were|won";

/// Words that ask in a question and describe a purchase elsewhere: "price adjustment".
const WORDS_IN_QUESTIONS: &str = "\
    already|deja|\
    acheteur|acheteurs|against|amount|anybody|anyone|argent|autre|autres|award|awarding|awards|beat|beats|bid|\
    bidder|bidders|bidding|bids|buy|buyer|buyers|cheapest|combined|compagnie|compagnies|companies|company|competes|\
    competitor|competitors|concurrent|concurrents|contractor|contractors|contre|cost|costs|cout|couts|depenses|\
    dollars|earn|earned|earns|entrepreneur|entrepreneurs|entreprise|entreprises|ever|finalement|\
    finally|firm|firme|firmes|firms|fournisseur|fournisseurs|gave|give|given|gives|goes|hire|hires|il|jamais|lose|\
    loses|lost|lowest|made|make|makes|money|montant|more|n a|n est|n ont|never|offer|offered|offers|often|pay|\
    pourcentage|price|prices|prix|provide|provides|publie|publient|publish|publishes|purchased|receive|received|\
    receives|rival|rivals|rivaux|sell|selling|sign|signe|someone|somme|sommes|soumissionnaire|\
    soumissionnaires|souvent|spending|still|supplier|suppliers|surtout|there|they|total|up|usually|\
    vendor|vendors|we|went|win|wins|y";

/// French verbs of questions: the beginnings of regular ones, their endings, and the other ones.
const FRENCH_VERBS: [&str; 19] = [
    "accord",
    "achet",
    "allou",
    "attribu",
    "confi",
    "cout",
    "depens",
    "donn",
    "embauch",
    "engag",
    "factur",
    "gagn",
    "octroy",
    "pay",
    "publi",
    "remport",
    "sign",
    "soumissionn",
    "vers",
];
const FRENCH_ENDINGS: &str = "aient|ait|e|ee|ees|ent|er|es";
const OTHER_FRENCH_VERBS: &str = "\
    conclu|conclus|conclut|etait|etaient|ete|faire|fait|faites|faits|font|obtenir|obtenue|obtenues|obtenus|obtient|\
    obtiennent|paie|paient|perd|perdent|perdu|perdus|recevoir|recoit|recoivent|recu|recue|recues|recus|vendre|vendue|\
    vendues|vendus";

/// What may follow a French verb of a question.
const PRONOUNS: &str = "elle|elles|il|ils|on|t elle|t il|t on";

/// Nouns that look like verbs: "centre de données", "imprimer des factures".
const NOUNS: &str = "donnee|donnees|factures|verse|verses";

/// Articles, which say nothing unless they follow another function word: "déneigement de la rue".
const ARTICLES: &str = "an|ce|ces|cet|cette|la|le|les|son|the|this|these|those";

/// Whose something is.
const POSSESSIVES: &str = "her|his|its|leur|leurs|nos|notre|our|sa|ses|their|vos|votre|your";

/// Whether a word asks, or says nothing for itself.
pub(super) fn is_of_question(folded: &str) -> bool {
    is_function_word(folded) || is_in(QUESTION_WORDS, folded) || is_in(WORDS_OF_QUESTIONS, folded)
}

/// Whether a word only asks, in a question or anywhere.
pub(super) fn asks(folded: &str, is_question: bool) -> bool {
    let asks_here = |word: &str| is_in(QUESTION_WORDS, word) || is_in(WORDS_IN_QUESTIONS, word) || is_french_verb(word);
    // "achète-t-elle", "vend-il"
    let inverted = folded.split_once(' ').filter(|(_, rest)| is_in(PRONOUNS, rest));
    let verb = inverted.map_or(folded, |(verb, _)| verb);
    let mut forms = [folded, verb].into_iter();
    forms.any(|word| is_in(WORDS_OF_QUESTIONS, word) || is_question && asks_here(word))
}

fn is_french_verb(folded: &str) -> bool {
    let ending = FRENCH_VERBS.iter().find_map(|verb| folded.strip_prefix(verb));
    let is_regular = ending.is_some_and(|ending| is_in(FRENCH_ENDINGS, ending)) && !is_in(NOUNS, folded);
    is_regular || is_in(OTHER_FRENCH_VERBS, folded)
}

/// Whether a word of a question only says which one, or whose.
pub(super) fn is_determiner(written: &[Word], number: usize) -> bool {
    let folded = written[number].1.as_str();
    let follows_function_word = number > 0 && is_function_word(&written[number - 1].1);
    is_in(POSSESSIVES, folded) || is_in(ARTICLES, folded) && !follows_function_word
}

/// Whether words begin as a question does, or ask in their midst: "Acme ou Zénith, qui a vendu le plus".
pub(super) fn begins_question(written: &[Word]) -> bool {
    // "WHO" and "IS" are names.
    let is_small = |(word, _): &Word| word.len() == 1 || word.chars().skip(1).any(char::is_lowercase);
    let first = written.iter().find(|(_, folded)| !is_function_word(folded));
    let begins = first.is_some_and(|(_, folded)| is_in(QUESTION_WORDS, folded));
    let begins_with_verb = written.len() > 2 && is_small(&written[0]) && {
        let lengths = 1..=3;
        lengths
            .into_iter()
            .any(|length| is_in(FIRST_VERBS, &joined(&written[..length])))
    };
    let begins_with_parties = match written {
        [(_, first), (next, folded), ..] => {
            is_in(PARTIES, first) && (is_in("de|des|du|of", folded) || elided(next) != *next)
        }
        _ => false,
    };
    let asks_at = |number: usize| {
        let word = &written[number];
        let is_who = word.1 == "qui" && written.get(number + 1).is_some_and(|(_, next)| is_verb_after_who(next));
        is_small(word) && is_in(QUESTION_WORDS_ANYWHERE, &word.1) || is_who
    };
    begins || begins_with_verb || begins_with_parties || (0..written.len()).any(asks_at)
}

fn is_verb_after_who(folded: &str) -> bool {
    folded == "a" || is_french_verb(folded) || is_in(WORDS_OF_QUESTIONS, folded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::search::written_words::words;

    #[test]
    fn verbs_ask_in_a_question_only() {
        for word in ["donnés", "donne", "signés", "perdu", "reçoivent", "a-t-elle", "confiée"] {
            let folded = &words(word)[0].1;
            assert!(asks(folded, true), "{word}");
        }
        for word in [
            "données",
            "pavage",
            "signalisation",
            "versant",
            "couture",
            "fournitures",
            "publicité",
        ] {
            assert!(!asks(&words(word)[0].1, true), "{word}");
        }
        for word in ["lost", "signs", "donnés", "total"] {
            assert!(!asks(&words(word)[0].1, false), "{word}");
        }
    }

    #[test]
    fn a_question_begins_with_its_words_or_asks_in_its_midst() {
        for text in [
            "Did anyone bid on salt?",
            "Is there more salt",
            "Acme ou Zénith, qui a vendu le plus",
            "égouts quel entrepreneur",
            "Y a-t-il d’autres offres",
            "fournisseurs du Musée de la civilisation",
        ] {
            assert!(begins_question(&words(text)), "{text}");
        }
        for text in [
            "IS Consulting Group",
            "vaccines WHO 2015",
            "Do it",
            "sel de route",
            "Quincaillerie Roy",
            "suppliers day",
        ] {
            assert!(!begins_question(&words(text)), "{text}");
        }
    }
}
