# La page de recherche : formulaire, résultats, facettes, conditions, rien trouvé, erreurs.

search-title-about = { $kind } : { $query }

## The form

search-form-label = Recherche
search-form-box = Mots à chercher
search-form-hint = Tous les mots doivent s’y trouver. OR entre deux mots ; « guillemets » pour une expression ; -{ "\u2060" }mot pour exclure.
search-form-kinds = Où chercher
search-form-more = Autres conditions
search-form-apply = Appliquer les conditions
search-form-clear = Retirer toutes les conditions
search-form-any = Indifférent

search-field-department = Le nom de l’acheteur contient
search-field-vendor = Le nom du fournisseur contient
search-field-vendor_is = Nom complet du fournisseur
search-field-department_is = Nom complet de l’acheteur
search-field-municipality = Lieu ou gouvernement
search-field-category = Catégorie
search-field-commodity = Code de marchandise, début
search-field-status = État
search-field-procurement_method = Le mode d’approvisionnement commence par
search-field-notice_type = Type d’avis
search-field-region = Région de livraison ou province
search-field-vendor_province = Province du fournisseur
search-field-vendor_city = Ville du fournisseur
search-field-vendor_country = Pays du fournisseur, ou « étranger »
search-field-reference_number = Numéro de référence
search-field-value_min = Valeur minimale, en dollars
search-field-value_max = Valeur maximale, en dollars
search-field-awarded_after = Attribué à partir du
search-field-awarded_before = Attribué jusqu’au
search-field-published_after = Publié à partir du
search-field-published_before = Publié jusqu’au
search-field-closing_after = Clôture à partir du
search-field-closing_before = Clôture jusqu’au
search-field-ending_after = Fin à partir du
search-field-ending_before = Fin jusqu’au
search-field-body = Organisme public, tous les noms
search-field-supplier = Fournisseur, tous les noms
search-field-quality_flag = Doutes sur la fiche
search-field-competition = Concurrence
search-field-amended = Modifications
search-field-level = Palier de gouvernement
search-field-body_class = Type d’acheteur
search-field-date-hint = AAAA-MM-JJ

## Active conditions

search-conditions = Conditions actives
search-periods = Période
search-open-today = Ouverts aux soumissions aujourd’hui
search-values = Valeur
search-value-under = moins de { $to }
search-value-between = de { $from } à { $to }
search-value-over = { $from } et plus
search-period-year = Cette année
search-period-five = Cinq dernières années
search-period-fiscal = Exercice { $years }
search-still-open = Des avis restent ouverts chez les diffuseurs après leur dernier jour, donc certains de ceux-ci sont clos.
search-still-open-only = Seulement ceux qui reçoivent encore des soumissions
search-condition-remove = Retirer la condition : { $condition }
search-condition-q = Mots :
search-condition-department = Acheteur :
search-condition-vendor = Fournisseur :
search-condition-vendor_is = Fournisseur, ce nom seulement :
search-condition-department_is = Acheteur, ce nom seulement :
search-condition-municipality = Lieu :
search-condition-category = Catégorie :
search-condition-status = État :
search-condition-procurement_method = Mode :
search-condition-notice_type = Type d’avis :
search-condition-region = Région :
search-condition-vendor_province = Province du fournisseur :
search-condition-vendor_city = Ville du fournisseur :
search-condition-vendor_country = Pays du fournisseur :
search-condition-reference_number = Numéro :
search-condition-value_min = À partir de
search-condition-value_max = Jusqu’à
search-condition-issued_after = Depuis le
search-condition-issued_before = Jusqu’au
search-condition-closing_after = Clôture à partir du
search-condition-closing_before = Clôture jusqu’au
search-condition-ending_after = Fin à partir du
search-condition-ending_before = Fin jusqu’au
search-condition-commodity = Marchandise :
search-condition-body = Organisme public :
search-condition-supplier = Fournisseur :
search-supplier-names =
    { $count ->
        [one] { $name }
       *[other] { $name }, tous ses { $count } noms
    }
search-condition-quality_flag = Doute :
search-condition-competition = Concurrence :
search-condition-amended = Contrat :
search-condition-level = Palier :
search-condition-body_class = Type d’acheteur :
search-condition-won = Soumission :
search-condition-ignored = Sans objet pour ces fiches

## Results

search-skip-to-results = Passer aux résultats
search-results = Résultats
search-records-contract =
    { $count ->
        [one] { $count } contrat
       *[other] { $count } contrats
    }
search-records-tender =
    { $count ->
        [one] { $count } appel d’offres
       *[other] { $count } appels d’offres
    }
search-records-award =
    { $count ->
        [one] { $count } avis d’attribution
       *[other] { $count } avis d’attribution
    }
search-records-disclosure =
    { $count ->
        [one] { $count } contrat fédéral divulgué
       *[other] { $count } contrats fédéraux divulgués
    }
search-records-standing_offer =
    { $count ->
        [one] { $count } offre à commandes
       *[other] { $count } offres à commandes
    }
search-records-pre_solicitation =
    { $count ->
        [one] { $count } avis préalable
       *[other] { $count } avis préalables
    }
search-buyers =
    { $count ->
        [one] { $count } acheteur
       *[other] { $count } acheteurs
    }
search-suppliers =
    { $count ->
        [one] { $count } fournisseur
       *[other] { $count } fournisseurs
    }
search-supplier-spellings = { $count } noms de fournisseurs
search-sentence-worth = { $records } d’une valeur de { $value }
search-sentence-worth-published = { $records } d’une valeur de { $value } là où elle est publiée ({ $count } d’entre eux)
search-sentence-sound = { $value } ({ $sound } sans les fiches douteuses)
search-sentence-period = { $sentence }, { $period }
search-sentence-buyers = { $sentence }, par { $buyers }
search-sentence-suppliers = { $sentence }, auprès de { $suppliers }

search-hit-supplier = Fournisseur
search-hit-buyer = Acheteur
search-hit-before = Avant les modifications
search-hit-value = Valeur
search-hit-awarded = Attribué le
search-hit-published = Publié le
search-hit-closes = Clôture le
search-hit-closed = Clos le
search-hit-number = Numéro
search-hit-status = État
search-hit-no-title = Aucun titre publié
search-hit-from-description = tiré de la description
search-hit-from-commodity = tiré du code de marchandise
search-hit-from-category = tiré de la catégorie
search-hit-from-number = numéro de référence
search-hit-still-open = Clos, bien qu’encore indiqué comme ouvert
search-hit-ends = Fin

search-sort = Trier
search-sort-relevance = Les plus pertinents d’abord
search-sort-date-desc = Plus récents d’abord
search-sort-date-asc = Plus anciens d’abord
search-sort-closing-desc = Clôture la plus lointaine d’abord
search-sort-closing-asc = Clôture la plus proche d’abord
search-sort-ending-desc = Fin la plus lointaine d’abord
search-sort-ending-asc = Fin la plus proche d’abord
search-sort-value-desc = Valeur la plus élevée d’abord
search-sort-value-asc = Valeur la plus basse d’abord
search-sort-sound = Valeur la plus élevée d’abord, sans les fiches douteuses
search-first-in-doubt = Exclu, parce que la fiche est douteuse ({ $doubts }) : { $value }, { $supplier }{ $more ->
        [0] .
        [one] , et une autre dont la valeur dépasse la première ici.
       *[other] , et { $more } autres dont la valeur dépasse la première ici.
    }
search-sort-increase = Plus forte hausse d’abord ({ $count } en hausse)
search-amended-days = Les dates sont celles des contrats, non de leurs modifications.
search-amended-largest = Valeur de contrat la plus élevée d’abord, et non la plus grande modification

search-pages = Pages de résultats
search-page-next = Page suivante
search-page-previous = Page précédente
search-page-first = Première page
search-page-shown = { $from } à { $to } sur { $total }
search-page-shown-after-cursor =
    { $count ->
        [one] { $count } fiche sur cette page, { $total } en tout
       *[other] { $count } fiches sur cette page, { $total } en tout
    }
search-page-end = Dans cet ordre, seules les { $count } premières fiches peuvent être affichées. Ajoutez une condition ou triez par date.

## Facets

search-facets = Préciser les résultats
search-facet-year = Année
search-facet-department = Acheteur
search-facet-vendor = Fournisseur
search-facet-category = Catégorie
search-facet-commodity = Marchandise
search-facet-quality_flag = Doutes
search-facet-competition = Concurrence
search-facet-level = Palier de gouvernement
search-facet-body_class = Type d’acheteur
search-facet-municipality = Lieu
search-facet-status = État tel que publié
search-facet-procurement_method = Mode d’approvisionnement
search-facet-more =
    { $count ->
        [one] { $count } autre valeur
       *[other] { $count } autres valeurs
    }
search-facet-other =
    { $count ->
        [one] et { $count } autre, trop rare pour la liste
       *[other] et { $count } autres, trop rares pour la liste
    }
search-facet-selected = choisi
# Entre des valeurs dont une fiche a l’une.
search-and-more = { $name } et { $count } de plus
search-or = ou

search-category-CNST = Construction
search-category-GD = Biens
search-category-SRV = Services
search-category-SRVTGD = Services liés aux biens
search-status-Active = En vigueur
search-status-Expired = Terminé
search-status-Cancelled = Annulé
search-status-Open = Ouvert
search-competition-open = ouvert à tous
search-competition-invitation = sur invitation
search-competition-none = sans concurrence
search-competition-unknown = non connue
search-amended-true = modifié
search-amended-false = non modifié
search-level-federal = fédéral
search-level-provincial = provincial
search-level-municipal = municipal

search-body_class-health = hôpitaux et autres organismes de santé
search-body_class-university = universités
search-body_class-college = cégeps et collèges
search-body_class-school = commissions et centres de services scolaires
search-body_class-transit = transport en commun
search-body_class-housing = habitation publique
search-body_class-municipality = municipalités
search-body_class-other = ministères, agences et autres

## Charts

search-charts = Graphiques : par année, acheteurs, fournisseurs
search-charts-without-suppliers = Graphiques : par année, acheteurs
search-chart-years = Nombre et valeur totale par année
search-chart-years-number = Nombre par année
search-chart-buyers = Acheteurs dont la valeur totale est la plus élevée
search-chart-buyers-number = Acheteurs qui ont le plus de fiches
search-chart-suppliers = Fournisseurs dont la valeur totale est la plus élevée
search-chart-suppliers-number = Fournisseurs qui ont le plus de fiches
search-chart-among = { $title }, parmi les { $count } qui ont le plus de fiches

## Nothing found

search-nothing = Rien trouvé
search-nothing-one = Aucune fiche ne remplit les conditions.
search-nothing-all = Il n’y a pas encore de fiches de ce type.
search-nothing-spellings = Vouliez-vous dire
search-nothing-spelled = trouve { $records }
search-nothing-costs = Ce que chaque condition exclut
search-nothing-condition = Condition
search-nothing-without = Sans elle
search-nothing-alone = Avec elle seule
search-nothing-vendors = Fournisseurs au nom semblable
search-nothing-departments = Acheteurs au nom semblable
search-nothing-elsewhere = Trouvé parmi les autres fiches

## Wrong parameters

search-wrong = La recherche comporte une erreur
search-wrong-without = Chercher sans ce paramètre

## Traduction

search-translated = { $words } : { $others }
search-translate-is-on = Aussi cherché :
search-translate-is-off = Seuls vos propres mots ont été cherchés.
search-translate-off = Seulement mes propres mots
search-codes = Inclus pour leur code de marchandise, non pour leurs mots : { $records }. Les codes :
search-codes-more = { $count } de plus
search-translate-on = Chercher aussi d’autres termes pour les dire, dans les deux langues

## What words may mean

search-unsearched = Rien n’a été cherché : « { $text } » ne contient ni lettre ni chiffre. Voici tout ce qui répond aux autres conditions.
search-answer-years = Par année
search-answer-year = Année
search-answer-no-data = aucune donnée
search-answer-value = Valeur
search-answer-value-sound = Sans les fiches douteuses
search-answer-listed = Fiches qui ont tous ces mots
search-gap-words = Sans titre ni description : { $without } des { $records } { $kind } de ces sources. Les mots n’y trouvent que des noms et des codes.
search-unknown-buyer = Si { $place } désigne l’acheteur ou le lieu : aucune source ici n’a ses achats.
search-unknown-buyer-successors = Une partie de ses activités relève maintenant de : { $names }.
search-no-kind = { $kind } : les sources ici n’en ont pas. Des fiches d’autres types sont montrées à la place.
search-undated = Sans date : { $without } de ces { $records } { $kind }. Une recherche par année ne les trouve pas.
search-names-only = Un mot n’est que dans un nom, celui du fournisseur ou de l’acheteur : { $count } de ces { $records } { $kind }.
search-names-only-all = Dans chacune de ces fiches, un mot n’est que dans un nom, celui du fournisseur ou de l’acheteur.
search-names-further = Un mot n’y est que dans un nom, celui du fournisseur ou de l’acheteur, et non compté : { $records }.
search-names-further-of-buyers = Non comptés, car le mot n’y est que dans le nom de l’acheteur : { $records }.
search-names-left-out-of-buyers = Sans les fiches qui n’ont un mot que dans le nom de l’acheteur.
search-names-without = Seulement avec tous les mots dans l’achat lui-même ({ $count })
search-names-left-out = Seulement les fiches où chaque mot est dans l’achat lui-même, pas seulement dans le nom du fournisseur ou de l’acheteur. Sans titre ni description, le nom du fournisseur compte.
search-names-left-out-stated = Seulement les fiches où chaque mot est dans le titre, la description ou le code, pas seulement dans un nom.
search-names-of-firms =
    { $count ->
        [one] { $count } de ces fiches n’est comptée que pour le nom du fournisseur : ni son titre ni son code ne le disent. Le même travail d’autres firmes peut manquer.
       *[other] { $count } de ces fiches ne sont comptées que pour le nom du fournisseur : ni leur titre ni leur code ne le disent. Le même travail d’autres firmes peut manquer.
    }
search-names-with = Aussi dans les noms
search-no-day-end_date = Aucune date de fin dans les fiches qui répondent aux autres conditions : { $records } { $kind }.
search-no-day-closing_date = Aucune date de clôture dans les fiches qui répondent aux autres conditions : { $records } { $kind }.
search-few-days-end_date = Date de fin indiquée dans { $count } seulement des { $records } { $kind } qui répondent aux autres conditions.
search-few-days-closing_date = Date de clôture indiquée dans { $count } seulement des { $records } { $kind } qui répondent aux autres conditions.
search-gap-days = Sans date : { $without } des { $records } { $kind } de ces sources. Aucune année ne les trouve.
search-meanings = Peut-être cherchez-vous
search-meanings-all = Ce que les mots peuvent désigner
search-meaning-supplier =
    { $count ->
        [one] Fournisseur, sous ce nom
       *[other] Fournisseur, sous { $count } noms
    }
search-meaning-department = Acheteur
search-meaning-solicitation = Appel d’offres par numéro
search-meaning-commodity = Domaine, selon son code
search-meaning-municipality = Lieu ou gouvernement
search-closing-in = clôture : { $period }
search-ending-in = fin : { $period }
search-meaning-region = Livraisons dans la région de ce nom, de tous les acheteurs
search-meaning-city-of-firms = À des fournisseurs de cette ville, de tous les acheteurs
search-in-region = { $region } (région)
search-suppliers-in = ville du fournisseur : { $city }
search-suppliers-of-country = pays du fournisseur : { $country }
search-suppliers-abroad = fournisseurs à l’étranger
search-suppliers-stated = fournisseurs dont le pays est indiqué
search-meaning-conditions = Avec des conditions à la place de mots
search-meaning-words = Sans les mots de la question
search-meaning-share-of-value = { $share } ; { $percent } de la valeur, sans les fiches douteuses
search-meaning-share = Part : { $part } sur { $all }, { $percent }
search-meaning-spelling = « { $word } » à la place de « { $written } », qu’aucune fiche n’a avec le reste
search-meaning-misspelled = « { $word } » à la place de « { $written } », que peu de fiches ont
search-set-aside = Seules les divulgations proactives disent, chacune dans sa fiche, si un contrat était réservé aux entreprises autochtones. Aucune recherche ne trouve les contrats ainsi : les mots trouvent des textes et des noms.
search-answer-codes = Inclus pour leur code de marchandise, non pour leurs mots : { $records }.
search-answer-others-first = { $records }, le premier { $first }
search-answer-others = Non comptés ici, aux mêmes conditions :
search-answer-all = les { $count } au total
search-leaders-sound = { $title }, sans les fiches douteuses
search-leaders = { $title } :
search-meaning-wider = Sans « { $word } », que peu de fiches ont avec le reste
search-who-bid-everywhere = { $words }, pour tous les acheteurs et lieux
search-who-bid-all = tous les appels d’offres ici, de toute région
search-piece-price = Les prix à la pièce ne sont pas publiés : les valeurs ici sont celles de contrats entiers, qui peuvent viser des réparations, des pièces ou plusieurs unités.
search-other-years = Toutes années confondues, la même recherche trouve { $records }, de { $years }.
search-unit-price = Les prix à l’unité, à la tonne ou à l’heure ne sont pas publiés : les valeurs ici sont celles de contrats entiers.
search-meaning-fewer = Sans « { $word } » : aucune fiche ne l’a avec le reste
search-who-bid = Qui a soumissionné : { $name }
search-stated-bids = Nombre de soumissions : { $name }
search-stated-bids-figures = { $stated } de ces { $records } { $kind } ont un nombre de soumissions : la médiane est de { $median }, la moyenne de { $mean }. { $one }
search-stated-bids-one = Avec une seule soumission : { $count } ({ $share }).
search-newest-call = L’appel d’offres le plus récent ici avec ces conditions est du { $date } : d’autres, plus récents, peuvent être ouverts, mais n’y sont pas.
search-similar-names = Des noms semblables, qu’aucune règle ne réunit à celui-ci, ne sont pas comptés ici, chacun avec toutes ses fiches de tous les ans et types : { $names }.
search-similar-name = { $name } ({ $count } en tout)
search-no-method = Sans indication de qui pouvait soumissionner, donc non comptés : { $count } des { $records } { $kind } qui répondent aux autres conditions.
search-no-city = Seules les fiches qui indiquent la ville du fournisseur sont comptées; des diffuseurs ne l’indiquent jamais.
search-no-country = Pays du fournisseur indiqué : { $count } des { $records } { $kind } qui répondent aux autres conditions. Le reste n’est pas compté.
search-growth = Avant les modifications : { $before }; maintenant : { $now } ({ $change }). Fiches qui indiquent les deux : { $records }. Les modifications haussent des montants et en baissent d’autres.
search-body-name = { $name } ({ $count })
search-body-names = Comptés sous { $count } noms de cet acheteur : { $names }.
search-consortia-count = De consortiums : { $records } parmi ces fiches. La part de chaque firme n’est pas publiée.
search-consortia = De consortiums : { $records } parmi ces fiches, d’une valeur de { $value }. La part de chaque firme n’est pas publiée.
search-bids = Qui a soumissionné à ces appels d’offres, là où c’est publié
search-meaning-calls = { $count ->
        [one] { $count } appel d’offres avec ses soumissions
       *[other] { $count } appels d’offres avec leurs soumissions
    }
search-meaning-who-bid = Sa page, qui dit qui a soumissionné là où les diffuseurs l’indiquent
search-profile = profil
search-profile-of = Profil de { $name }
search-meaning-part = Fournisseurs dont le nom contient ces mots
search-part-of-name = « { $words } » dans le nom du fournisseur
search-meaning-compared = Côte à côte
search-compared = { $one } et { $other }
search-compared-side = { $name } : { $records }.
search-compared-conditions = aux mêmes conditions
search-compared-more = { $count ->
    [one] Un autre nom commence
   *[other] { $count } autres noms commencent
} ainsi.
search-as-words = Tous les mots ont été cherchés comme des mots. Avec des conditions à la place de certains :
search-meaning-records =
    { $count ->
        [one] { $count } fiche
       *[other] { $count } fiches
    }
search-meaning-of-all = { $records } ; { $count } fiches de tous les types
search-suggestions = Suggestions
search-suggestions-count =
    { $count ->
        [0] Aucune suggestion
        [one] { $count } suggestion; les flèches choisissent
       *[other] { $count } suggestions; les flèches choisissent
    }
