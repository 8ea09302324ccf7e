//! Words that only ask, in both languages: verbs of buying and winning, articles, adverbs, and nouns such as "money".
//!
//! The lists are of folded words, separated by `|`. Most of them are names or things outside a question: "lost and
//! found", "système de son".

use crate::{
    query::translate::is_function_word,
    question::words::{Word, elided, is_in, joined, remove_phrase, remove_phrase_between, words},
};

/// Words that begin a question.
pub(crate) const QUESTION_WORDS: &str = "\
    combien|comment|est ce|how|laquelle|lequel|lesquelles|lesquels|pourquoi|quand|que|quel|quelle|quelles|quels|qui|\
    quoi|what|when|where|which|who|whom|whose|why";

/// Those that begin one anywhere: "bridge repair 2015, who won".
pub(crate) const QUESTION_WORDS_ANYWHERE: &str = "\
    combien|how|laquelle|lequel|quand|quel|quelle|quelles|quels|what|when|which|who|whom";

/// Several words that ask, and are more than each of them.
pub(crate) const PHRASES: &str = "\
    a quel prix|at what price|gave out|give out|gives out|total des contrats|total spent|total spending|au final|au total|aupres de qui|\
    combien de fois|depuis combien de temps|depuis quand|did business|do business|does business|does it cost|en tout|\
    faire affaire|faire affaires|fait affaire|fait affaires|font affaire|font affaires|for how much|how long|\
    how many times|in the end|in total|pour combien|quel genre de|quel ministere|quel organisme|\
    quel organisme public|quel type de|quelle sorte de|quelles sortes de|quels genres de|quels ministeres|\
    quels organismes|quels organismes publics|quels types de|since when|what kind of|what kinds of|what type of|\
    what types of|which agencies|which agency|which bodies|which body|which department|which departments|\
    which public bodies|which public body|who supplies|who supply|which companies supply|which company supplies|\
    which firm supplies|which firms supply|would it be|would it cost|biggest spenders|depensiers|depensieres|\
    best customer of|best customers of|biggest customer of|biggest customers of|main customer of|main customers of|\
    meilleur client|meilleurs clients|principal client|principaux clients|les plus depensieres|les plus depensiers|\
    plus depensieres|plus depensiers|top spenders|contract size|\
    contract sizes|size of contracts|taille des contrats|taille du contrat|on average|d habitude|en general|\
    en moyenne par|en moyenne pour|habitude|in general|per ton|per tonne|price per ton|price per tonne|\
    prix a la tonne|prix de la tonne|avec le gouvernement|classees selon leurs depenses|classes selon leurs depenses|\
    ranked by number|ranked by spending|ranked by value|with the government";

/// The same in a question only: "electrical work for the library" is a thing.
pub(crate) const PHRASES_IN_QUESTIONS: &str = "\
    revenue of|revenues of|travaille pour|travaillent pour|work for|work most for|work the most for|work with|working for|working with|\
    works for|works with";

/// Several words that say that it is about now.
pub(crate) const NOW: &str = "\
    actuellement|as of now|as of today|a present|a heure actuelle|at present|at the moment|at this time|ces jours ci|de nos jours|\
    en ce moment|en ce moment meme|for the moment|heure actuelle|maintenant|pour instant|pour le moment|presentement|right now|these days";

/// What asks for contracts that were amended, next to a word for contracts or an order.
pub(crate) const AMENDED: &str = "\
    amended|avec avenant|avec avenants|avec depense supplementaire|avec depenses supplementaires|avec modifications|\
    avenant|avenants|ayant ete modifies|depense supplementaire|depenses supplementaires|extra spending|modifies|\
    qui ont ete modifies|that were amended|with amendments|with extra spending";

/// The same of those that cost more than before: the largest increase comes first.
pub(crate) const GREW: &str = "\
    amended most|amended the most|augmente le plus|avec depassement de cout|avec depassements|avec depassements de couts|\
    biggest increase|biggest increases|cost more than expected|cost more than planned|cost overrun|cost overruns|\
    coute plus cher que prevu|depasse le budget|depasse leur budget|depasse leur valeur initiale|depassement de cout|\
    depassement de couts|depassement des couts|depassements|depassements de cout|depassements de couts|\
    depassements des couts|grew most|grew the most|grown the most|have grown the most|increased in value|\
    increased most|increased the most|largest increase|largest increases|le plus augmente|le plus modifies|\
    modifies a la hausse|modifies le plus|most amended|more than expected|more than planned|ont coute plus cher que prevu|\
    ont le plus augmente|\
    over budget|overruns|plus augmente|plus cher que prevu|plus chere que prevu|plus chers que prevu|\
    plus forte hausse|plus fortes hausses|plus grande augmentation|plus grandes augmentations|plus modifies|\
    qui ont augmente le plus|qui ont coute plus cher que prevu|qui ont depasse leur budget|\
    qui ont depasse leur valeur initiale|revises a la hausse|revus a la hausse|qui ont ete le plus modifies|\
    qui ont le plus augmente|rose the most|\
    that were amended most|that were amended the most|which were amended the most|\
    that grew|that grew the most|that increased the most|that went over budget|went over budget|went up the most|\
    were amended the most|with cost overruns|with overruns";

/// The same if nothing else is left, because it can be a thing: "soil amendment", "modifications of vehicles". Words of
/// questions are left out before, such as "dépense" of "dépense supplémentaire".
pub(crate) const AMENDMENTS: &str = "\
    amendments|amendment|modifications|modifie|depenses supplementaires|supplementaires|supplementaire|\
    extra spending|extra";

/// Nouns that begin a question if what they are of follows: "suppliers of the museum".
const PARTIES: &str = "\
    acheteurs|buyers|competitors|concurrents|contractors|entrepreneurs|fournisseurs|rivals|rivaux|suppliers|vendors";

/// What asks who buys.
const BUYERS: &str = "\
    best customer|best customers|biggest customer|biggest customers|main customer|main customers|meilleur client|\
    meilleurs clients|principal client|principaux clients|achete le plus|achetent le plus|acheteurs|biggest spenders|\
    depensieres|depensiers|top spenders|biggest buyer|\
    biggest buyers|buyers|buys most|buys the most|depense le plus|depensent le plus|largest buyers|\
    plus gros acheteurs|principaux acheteurs|quel hopital|quel ministere|quel organisme|quelle universite|\
    quelle ville|quelles universites|quelles villes|quels hopitaux|quels ministeres|quels organismes|qui achete|\
    qui achetent|spends most|spends the most|top buyers|which agencies|which agency|which cities|which city|\
    which department|which departments|which hospital|which hospitals|which universities|which university|who buys|\
    who purchases";

/// What asks which part of a body buys.
const DIVISIONS: &str = "\
    quel arrondissement|quel departement|quelle direction|quelle division|quelles directions|quelles divisions|\
    quels arrondissements|quels departements|what department|what division|which borough|which boroughs|\
    which department|which departments|which division|which divisions";
/// The same of a city only: "quels services" elsewhere asks for a thing.
const SERVICES: &str = "quel service|quels services";
const OF_CITY: [&str; 3] = ["de la municipalite", "de la ville", "municipaux"];

/// Words for contracts that only say who buys, after verbs of winning and at the beginning. They are in names, too:
/// "Public Contracts Review Board".
const PUBLIC_CONTRACTS: &str = "contrats publics|government contracts|public contracts";
const WINNING: &str = "avec|eu|get|gets|got|has|have|obtenu|obtient|recu|win|wins|with|won";

/// Nouns that ask for a ranking at the beginning, if a word for parties follows. Others are things: "système de
/// classement".
const RANKINGS: &str = "classement|palmares|ranking";

/// From whom a firm has its revenue, and how that is asked for. Elsewhere they are of things: "revenue management
/// software", "growth chambers", "from government buildings".
const FROM_GOVERNMENT: &str = "from government|from governments|from the government";
const GROW: &str = "evolue|evoluent|evolve|evolved|grow|grown";

/// Verbs that begin a question if more words follow: "did anyone bid".
const FIRST_VERBS: &str = "\
    a t elle|a t il|a t on|are|avons|can|could|did|do|does|existe t il|had|has|have|is|ont elles|ont ils|peut on|\
    should|was|were|will|would|y a t il|y avait il";

/// What begins a text that asks to see something: folded phrases, after words such as "please".
const ORDERS: &str = "\
    affiche moi|affichez moi|can i|can we|can you|can you show me|can you tell me|could you|could you show me|\
    could you tell me|donne moi|donnez moi|find all|find me|give me|i am looking for|i m looking for|i need|i want|\
    i would like|je cherche|je veux|je voudrais|list all|list of|list the|liste de|liste des|liste moi|listez moi|\
    montre moi|montrez moi|show|show all|show me|show the|tell me|trouve moi|trouvez moi";

/// Verbs and adverbs of questions, which do not describe what was bought.
const WORDS_OF_QUESTIONS: &str = "\
    a t elle|a t il|a t on|accorde|accordes|achete|achetent|actuellement|all|are|attribue|attribues|awarded|bought|\
    buys|coute|coutent|currently|depense|did|do|does|else|est|eu|gagne|gagnes|get|gets|got|had|has|hired|is|issued|\
    many|most|much|now|obtenu|octroyes|ont|paid|paye|plus|presentement|presently|publies|published|remporte|remportes|\
    sells|signed|sold|sont|soumissionne|spend|spends|spent|to|today|un|une|vend|vendent|vendu|was|were|won";

/// Words that ask in a question and describe a purchase elsewhere: "price adjustment".
const WORDS_IN_QUESTIONS: &str = "\
    acheteur|acheteurs|against|already|amount|any|augmente|augmentee|augmentees|augmentes|baisse|changed|declined|\
    decreased|diminue|dropped|evolue|evolved|fallen|grew|grown|grows|increased|risen|anybody|anyone|argent|aupres|\
    autre|autres|be|beaucoup|been|being|chaque|cheaper|cheapest|cher|chere|cheres|chers|chez|combined|comment|\
    compagnie|compagnies|companies|company|competitor|competitors|concurrent|concurrents|contractor|contractors|\
    contre|cost|costs|could|cout|couts|deal|deals|deja|depenses|division|divisions|dollars|dont|durant|during|each|\
    elle|elles|else|encore|entrepreneur|entrepreneurs|entreprise|entreprises|eux|ever|every|finalement|finally|firm|\
    firme|firmes|firms|fournisseur|fournisseurs|habituel|habituelle|habituellement|have|having|he|held|hold|holds|il|\
    ils|into|jamais|je|know|least|lowest|mainly|maintenant|many|me|moi|money|montant|montants|more|mostly|n a|n est|\
    n ont|never|next|nous|often|on|others|oui|overall|parmi|pendant|please|pourcentage|pourquoi|price|prices|\
    principalement|\
    prix|prochain|prochaine|prochaines|prochains|recemment|recently|regulierement|rival|rivals|rivaux|\
    s il vous plait|savoir|se|see|selon|she|should|since|some|someone|somme|sommes|soumissionnaire|soumissionnaires|\
    souvent|still|supplier|suppliers|surtout|svp|tell|than|that|them|there|they|to|total|toujours|tous|tout|toute|\
    toutes|typique|up|usual|usually|vendor|vendors|voir|vous|we|whether|whom|why|will|worth|would|y|you";

/// English verbs of questions.
const ENGLISH_VERBS: &str = "\
    acquire|acquired|acquires|award|awarding|awards|beat|beats|bid|bidder|bidders|bidding|bids|billed|builds|built|\
    buy|buyer|buyers|buying|charged|competed|competes|contracted|does|doing|done|earn|earned|earning|earns|employed|\
    employs|engaged|engages|exist|exists|gave|getting|give|given|gives|goes|going|gotten|granted|grants|hire|hires|\
    hiring|invoiced|issues|issuing|keep|keeps|landed|let|lose|losers|loses|losing|lost|made|make|makes|making|obtain|\
    obtained|obtains|offer|offered|offers|ordered|outsourced|outsources|pay|paying|pays|procure|procured|procures|\
    provide|provided|provides|providing|publish|publishes|purchase|purchased|purchasing|receive|recieve|recieved|recieves|received|receives|\
    receiving|retained|selected|sell|selling|send|sends|sent|sign|signing|spend|spending|supplied|supplying|tendered|\
    took|went|win|winner|winners|winning|wins";

/// French verbs of questions: the beginnings of regular ones, their endings, and the other ones.
const FRENCH_VERBS: [&str; 28] = [
    "accord",
    "achet",
    "adjug",
    "allou",
    "attribu",
    "confi",
    "consacr",
    "cout",
    "decern",
    "decroch",
    "depens",
    "donn",
    "embauch",
    "encaiss",
    "engag",
    "exist",
    "factur",
    "gagn",
    "mandat",
    "octroi",
    "octroy",
    "pay",
    "publi",
    "remport",
    "sign",
    "soumissionn",
    "travaill",
    "vers",
];
const FRENCH_ENDINGS: &str = "a|aient|ait|e|ee|ees|ent|er|era|eraient|erait|erent|eront|es|ez|ons";
const OTHER_FRENCH_VERBS: &str = "\
    ait|aura|auraient|aurait|auront|avaient|avait|avez|avoir|choisi|choisie|choisies|choisis|choisissent|choisit|\
    conclu|conclue|concluent|conclues|conclure|conclus|conclut|doit|doivent|etaient|etait|ete|etre|eu|eue|eues|eurent|\
    eus|eut|faire|faisait|fait|faite|faites|faits|faut|feront|font|fourni|fournie|fournies|fournir|fournis|\
    fournissent|fournit|furent|fut|gagnants|obtenir|obtenu|obtenue|obtenues|obtenus|obtiendra|obtiennent|obtient|\
    obtint|occupe|occupent|paie|paient|paiera|percu|percus|perd|perdant|perdants|perdent|perdre|perdu|perdue|perdues|\
    perdus|peut|peuvent|pris|procure|procurent|recevait|recevoir|recevra|recoit|recoivent|recu|recue|recues|recurent|\
    recus|recut|retenu|retenus|sera|seraient|serait|seront|soit|termine|terminent|terminera|termineront|va|vend|\
    valait|valent|vaut|vendaient|vendait|vendent|vendra|vendre|vendu|vendue|vendues|vendus|vont";

/// What may follow a French verb of a question.
const PRONOUNS: &str = "elle|elles|il|ils|on|t elle|t il|t on";

/// Nouns that look like verbs: "centre de données", "imprimer des factures".
const NOUNS: &str = "donnee|donnees|factures";

/// Articles, which say nothing unless they follow another function word: "déneigement de la rue".
const ARTICLES: &str = "an|ce|ces|cet|cette|la|le|les|son|the|this|these|those";

/// Whose something is.
const POSSESSIVES: &str = "her|his|its|leur|leurs|nos|notre|our|sa|ses|their|vos|votre|your";

/// Whether a word asks, or says nothing for itself.
pub(crate) fn is_of_question(folded: &str) -> bool {
    is_function_word(folded) || is_in(QUESTION_WORDS, folded) || is_in(WORDS_OF_QUESTIONS, folded)
}

/// Whether a word only asks, in a question or anywhere.
pub(crate) fn asks(folded: &str, is_question: bool) -> bool {
    let asks_here = |word: &str| {
        let lists = [QUESTION_WORDS, WORDS_IN_QUESTIONS, ENGLISH_VERBS];
        lists.iter().any(|list| is_in(list, word)) || is_french_verb(word)
    };
    let verb = inverted_verb(folded).unwrap_or(folded);
    let mut forms = [folded, verb].into_iter();
    forms.any(|word| is_in(WORDS_OF_QUESTIONS, word) || is_question && asks_here(word))
}

/// The verb before its subject: "achète" of "achète-t-elle", folded.
fn inverted_verb(folded: &str) -> Option<&str> {
    let (verb, subject) = folded.split_once(' ')?;
    is_in(PRONOUNS, subject).then_some(verb)
}

fn is_french_verb(folded: &str) -> bool {
    let ending = FRENCH_VERBS.iter().find_map(|verb| folded.strip_prefix(verb));
    let is_regular = ending.is_some_and(|ending| is_in(FRENCH_ENDINGS, ending)) && !is_in(NOUNS, folded);
    is_regular || is_in(OTHER_FRENCH_VERBS, folded)
}

/// Removes what asks to see something at the beginning: "please show me".
pub(crate) fn take_order(written: &mut Vec<Word>) -> bool {
    remove_phrase_between(written, ORDERS, |before, _| {
        before.iter().all(|(_, folded)| asks(folded, true))
    })
}

/// Removes what asks for a ranking at the beginning: "classement des fournisseurs".
pub(crate) fn take_ranking(written: &mut Vec<Word>) -> bool {
    remove_phrase_between(written, RANKINGS, |before, after| {
        before.is_empty() && after.iter().any(|(_, folded)| is_in(PARTIES, folded))
    })
}

/// Whether a word of a question only says which one, or whose.
pub(crate) fn is_determiner(written: &[Word], number: usize) -> bool {
    let folded = written[number].1.as_str();
    let follows_function_word = number > 0 && is_function_word(&written[number - 1].1);
    is_in(POSSESSIVES, folded) || is_in(ARTICLES, folded) && !follows_function_word
}

/// Whether a text asks which body buys, instead of who sells.
pub(crate) fn asks_for_buyers(text: &str) -> bool {
    remove_phrase(&mut words(text), BUYERS)
}

/// Whether a text asks which part of a body buys: "which Toronto division spends most".
pub(crate) fn asks_for_divisions(text: &str) -> bool {
    let mut written = words(text);
    // A name may be between them.
    let asks_which = written.first().is_some_and(|(_, folded)| is_in("what|which", folded));
    let is_division = |word: &Word| ["division", "divisions"].contains(&word.1.as_str());
    take_divisions(&mut written) || asks_which && written.iter().take(4).any(is_division)
}

/// Removes the words that ask which part of a body buys.
pub(crate) fn take_divisions(written: &mut Vec<Word>) -> bool {
    let is_of_city = |_: &[Word], after: &[Word]| {
        let next = joined(&after[..after.len().min(3)]);
        OF_CITY.iter().any(|of| next.starts_with(of))
    };
    remove_phrase(written, DIVISIONS) || remove_phrase_between(written, SERVICES, is_of_city)
}

/// Removes the words for contracts that say nothing besides that a government buys.
pub(crate) fn take_public_contracts(written: &mut Vec<Word>) -> bool {
    remove_phrase_between(written, PUBLIC_CONTRACTS, |before, after| {
        let is_next = |after: &[Word]| after.first().is_some_and(|(_, folded)| is_function_word(folded));
        match before.last() {
            None => is_next(after),
            Some((_, folded)) => is_in(WINNING, folded) && (after.is_empty() || is_next(after)),
        }
    })
}

/// Removes "from government" at the end of a question, or before the verb there: all is from governments.
pub(crate) fn take_from_government(written: &mut Vec<Word>) {
    if begins_question(written) {
        remove_phrase_between(written, FROM_GOVERNMENT, |_, after| match after {
            [] => true,
            [(_, verb)] => is_in(GROW, verb),
            _ => false,
        });
    }
}

/// Removes what asks how a revenue changed, at the end: "Acme revenue growth", "how did the revenue of Acme grow".
pub(crate) fn take_growth(written: &mut Vec<Word>) -> bool {
    const REVENUE_GROWTH: &str = "\
        revenue evolve|revenue evolved|revenue grow|revenue grown|revenue growth|revenues evolve|revenues grow|\
        revenues grown|revenus evoluent";
    let is_end = |_: &[Word], after: &[Word]| after.is_empty();
    remove_phrase_between(written, REVENUE_GROWTH, is_end)
        || begins_question(written) && remove_phrase_between(written, GROW, is_end)
}

/// Whether words begin as a question does, or ask in their midst: "Acme ou Zénith, qui a vendu le plus".
pub(crate) fn begins_question(written: &[Word]) -> bool {
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
    let begins_with_where = written.first().is_some_and(|(word, _)| word.to_lowercase() == "où");
    // "Les villes achètent-elles du sel"
    let is_inverted = |(_, folded): &Word| inverted_verb(folded).is_some_and(|_| asks(folded, true));
    let has_inverted = written.iter().any(is_inverted);
    begins
        || begins_with_verb
        || begins_with_parties
        || begins_with_where
        || has_inverted
        || (0..written.len()).any(asks_at)
}

fn is_verb_after_who(folded: &str) -> bool {
    folded == "a" || is_french_verb(folded) || is_in(WORDS_OF_QUESTIONS, folded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::words::words;

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
    fn parts_of_bodies_are_asked_for_by_their_words() {
        for text in [
            "which Toronto division spends the most",
            "which department of the city buys salt",
            "quel service de la Ville dépense le plus",
            "quel arrondissement achète du sel",
        ] {
            assert!(asks_for_divisions(text), "{text}");
        }
        for text in [
            "division 3 doors",
            "which city buys salt",
            "who sells division bells",
            "quels services juridiques la Ville achète",
        ] {
            assert!(!asks_for_divisions(text), "{text}");
        }
    }

    #[test]
    fn public_contracts_are_left_out_where_they_are_no_name() {
        for (text, left) in [
            ("construction firms with public contracts", "construction firms with"),
            ("public contracts in Gatineau", "in Gatineau"),
            ("qui a obtenu des contrats publics", "qui a obtenu des contrats publics"),
            ("Public Contracts Review Board", "Public Contracts Review Board"),
            ("Régie des contrats publics", "Régie des contrats publics"),
        ] {
            let mut written = words(text);
            assert_eq!(take_public_contracts(&mut written), text != left, "{text}");
            let rest: Vec<&str> = written.iter().map(|(word, _)| *word).collect();
            assert_eq!(rest.join(" "), left);
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
