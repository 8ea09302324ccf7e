# La page d’un fournisseur avec tous ses noms.

supplier-under-names =
    { $count ->
        [one] sous { $count } nom
       *[other] sous { $count } noms
    }
supplier-with-names =
    { $count ->
        [one] { $name } ({ $count } nom)
       *[other] { $name } ({ $count } noms)
    }
supplier-ranked-by-suppliers = Les fournisseurs sont classés selon leurs noms reconnus; une entreprise peut en avoir d’autres.
supplier-ranked-by-spellings = Chaque graphie d’un nom de fournisseur est classée à part.
supplier-rank-by-suppliers = Classer les fournisseurs selon tous leurs noms
supplier-rank-by-spellings = Classer chaque graphie à part
supplier-ranked-by-all-names = Les acheteurs et les fournisseurs sont classés selon leurs noms reconnus; une entreprise peut en avoir d’autres.
supplier-ranked-by-buyers = Les acheteurs sont classés selon tous leurs noms. La fiche d’une partie d’un acheteur compte pour les deux.
supplier-rank-by-buyers = Classer les acheteurs selon tous leurs noms
supplier-ranked-by-bodies = Les acheteurs sont classés selon tous leurs noms; les fournisseurs en ont trop, si bien que chaque nom est classé à part.
supplier-rank-by-bodies = Classer les acheteurs selon tous leurs noms
supplier-ranked-by-names = Chaque nom est classé à part.
supplier-rank-by-all-names = Classer les acheteurs et les fournisseurs selon tous leurs noms
supplier-rank-by-names = Classer chaque nom à part
supplier-all-names = Les { $count } noms ensemble
supplier-total =
    { $count ->
        [one] Un seul nom est connu comme le sien.
       *[other] Les sommes de cette page réunissent { $count } noms.
    } Fiches de tous les types : { $records }, d’une valeur de { $value }. Un achat publié comme attribution et comme contrat compte dans les deux.
supplier-names-title = Noms, et pourquoi chacun est ici
supplier-name = Nom
supplier-records = Fiches
supplier-value = Valeur, tous les types
supplier-reason = Raison
supplier-more-names = Les { $listed } noms ayant le plus de fiches sur { $count }.
supplier-reason-chosen = Le nom sous lequel tous sont présentés.
supplier-reason-number = Il est publié avec { $number }, comme « { $with } ».
supplier-reason-legal-name = { $source } le publie avec « { $with } » comme nom et dénomination sociale d’un même fournisseur.
supplier-reason-operating-name = { $source } le publie avec « { $with } » comme nom et nom commercial d’un même fournisseur.
supplier-reason-standardized-name = { $source } le publie avec « { $with } » comme nom et nom normalisé d’un même fournisseur.
supplier-reason-division = L’un de ce nom et de « { $with } » se dit une division de l’autre.
supplier-reason-core-name = Il ne diffère de « { $with } » que par sa forme, et les deux sont à l’adresse { $code }.
supplier-reason-core-name-city = Il ne diffère de « { $with } » que par sa forme, et les deux sont dans la même ville.
supplier-reason-core-name-only = Il ne diffère de « { $with } » que par sa forme, et rien n’indique un autre lieu.
supplier-reason-near-name = Sa graphie est presque celle de « { $with } », et les deux sont à l’adresse { $code }.
supplier-reason-table = La table des noms d’organismes publics l’indique avec « { $with } » ({ $source }).
supplier-reason-municipality = C’est la municipalité de { $place }, comme « { $with } ».
supplier-reason-ampersand = Il ne diffère de « { $with } » que par « & » au lieu de « et » ou de « and », et les deux relèvent du même gouvernement.
supplier-reason-claim = Une personne a déclaré qu’il s’agit de « { $with } »
supplier-numbers-title = Numéros officiels
supplier-number = { $number }, publié { $count } fois
supplier-number-neq = numéro d’entreprise du Québec (NEQ) { $number }
supplier-number-alberta = compte { $number } sur le portail de l’Alberta
supplier-number-seao = organisme { $number } du portail du Québec
supplier-suggestions-title = Peut-être le même
supplier-suggestions-about = Ils ne sont dans aucune somme de cette page. Une personne doit en décider.
supplier-suggestion = Nom
supplier-suggestion-why = Pourquoi ce n’est pas décidé
supplier-compare = Comparer
supplier-suggestion-names = « { $own } » et « { $other } » : { $why }
supplier-suggestion-evidence = « { $own } » : { $sentence } Aucune règle ne les réunit : { $why }
supplier-waiting-several-names = un diffuseur donne l’un des noms à plusieurs fournisseurs.
supplier-waiting-single-statement = une seule mention leur donne le même numéro officiel.
supplier-waiting-too-many-names = ensemble, ils auraient plus de noms qu’une règle ne peut en réunir.
supplier-waiting-two-large-suppliers = les deux ont plus de dix noms.
supplier-waiting-different-numbers = ils ont des numéros officiels différents.
supplier-waiting-one-word = un nom d’un seul mot, sans numéro officiel, peut être celui de plusieurs entreprises.
supplier-waiting-consortium = l’un est un consortium, soumissionnaire à part entière.
supplier-waiting-person = c’est le nom d’une personne.
supplier-waiting-different-forms = leurs formes juridiques diffèrent.
supplier-waiting-same-core-name = ils ne diffèrent que par la forme juridique et la ponctuation, sans lieu commun.
supplier-waiting-division = l’un fait partie de l’autre.
supplier-waiting-near-name = leur graphie est presque la même, et ils partagent un lieu.
supplier-words-of-name = { $records } de fournisseurs dont le nom contient « { $words } »
supplier-alike-title = Noms semblables, non réunis
supplier-alike-about = Aucune règle ne les réunit avec celui-ci. Un consortium est un soumissionnaire à part.
supplier-consortium = consortium
supplier-report-title = Vous n’êtes pas d’accord ?
supplier-report = Des règles réunissent les noms d’après ce que publient les diffuseurs ; les fiches ne changent jamais. Si deux entreprises ou organismes sont réunis ici, ou si l’un est divisé, envoyez à l’exploitant de ce service l’adresse de cette page, les deux noms et ce qui le montre. L’exploitant peut déclarer que deux noms désignent le même, ou des différents ; cela l’emporte sur toute règle dès l’index suivant.
supplier-search = Chercher toutes les fiches de ce fournisseur
supplier-ranked-by-value = Classement par valeur.
supplier-ranked-by-number = Classement par nombre.
supplier-rank-by-value = Classer par valeur
supplier-rank-by-number = Classer par nombre
supplier-search-body = Chercher toutes les fiches de cet organisme

# Les listes des fournisseurs et des organismes publics.

parties-title-suppliers = Fournisseurs
parties-title-bodies = Organismes publics
parties-about-suppliers = Les fournisseurs sous tous leurs noms, d’abord ceux qui ont le plus de fiches. La page de chacun indique pourquoi ses noms vont ensemble.
parties-about-bodies = Les organismes publics sous tous leurs noms, d’abord ceux qui ont le plus de fiches. La page de chacun indique pourquoi ses noms vont ensemble.
parties-label = Partie de l’un des noms
parties-count-suppliers =
    { $count ->
        [0] Aucun fournisseur ne correspond.
        [one] { $count } fournisseur.
       *[other] { $count } fournisseurs.
    }
parties-count-bodies =
    { $count ->
        [0] Aucun organisme public ne correspond.
        [one] { $count } organisme public.
       *[other] { $count } organismes publics.
    }
parties-names = Noms
parties-years = Années des fiches
parties-note = Un achat publié comme attribution et comme contrat compte dans les deux.
parties-first = Première page
parties-next = Page suivante
