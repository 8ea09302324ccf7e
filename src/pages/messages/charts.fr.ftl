# Textes des graphiques.

chart-table = Ces chiffres en tableau
chart-year = Année
chart-value = Valeur
chart-number = Nombre
chart-share = Part
chart-not-over = (en cours)
chart-value-by-year = Valeur par année, en dollars canadiens
chart-number-by-year = Nombre par année
chart-no-years = Aucune fiche n’est datée.
chart-years-about = De { $first } à { $last }. Maximum : { $highest }.
chart-year-value = { $year } : { $value }, { $count ->
    [one] { $count } fiche
   *[other] { $count } fiches
}
chart-year-number = { $year } : { $count ->
    [one] { $count } fiche
   *[other] { $count } fiches
}
chart-year-gap = { $year } : aucune source ne la couvre
chart-year-stray = { $about } (aucune source ne couvre cette année)
chart-year-part = { $about } (non couverte par { $sources })
chart-year-few = { $about } (une petite partie seulement)
chart-shaded-few = Années légèrement ombrées : les sources n’en ont qu’une petite partie.
chart-no-value = sans valeur
chart-unknown = inconnue
chart-uncovered = non couverte
chart-covered-part = 0 (année couverte en partie)
chart-hatched = L’année { $year } est hachurée, car elle n’est pas terminée.
chart-beyond = { $name } : { $value } dépasse l’axe.
chart-shaded = Années ombrées : aucune source ne les couvre.
chart-shaded-part = Années légèrement ombrées : non couvertes par { $sources }, mais par d’autres sources.
chart-undated = { $count ->
    [one] { $count } fiche sans date n’est pas dans le graphique.
   *[other] { $count } fiches sans date ne sont pas dans le graphique.
}
chart-years-cut = Le graphique va de { $first } à { $last }. Le tableau contient toutes les années.

## Chronologies.
chart-event-notice = Avis
chart-event-amendment = Modification
chart-event-closing = Clôture
chart-event-award = Attribution
chart-event-contract = Contrat
chart-today = Aujourd’hui
chart-period = { $from } au { $until }
chart-event = { $dates } : { $kind }. { $label }
chart-no-events = Aucun événement n’est daté.
chart-events-about = { $count ->
    [one] { $count } événement
   *[other] { $count } événements
}, du { $first } au { $last }. La liste les contient tous.
chart-events-cut = Seuls les { $count } premiers événements sont dessinés. La liste les contient tous.

## Valeurs des contrats comparables.
chart-range = { $label } : de { $from } à { $to }
chart-mark = { $label } : { $value }
chart-dot = { $value }. { $label }. { $weight } du poids.
chart-no-dots = Il n’y a aucune valeur à dessiner.
chart-dots-about = { $count ->
    [one] { $count } contrat
   *[other] { $count } contrats
}, de { $from } à { $to }. Le tableau les contient tous.
chart-dots-scale = Chaque point est un contrat. Plus il est grand, plus le contrat compte dans l’estimation. L’axe est logarithmique : à distances égales, facteurs égaux.
chart-dots-left-out = { $count ->
    [one] { $count } contrat sans valeur positive n’est pas dessiné.
   *[other] { $count } contrats sans valeur positive ne sont pas dessinés.
}

## Fiches par source et par année.
chart-row-about = { $name } : { $count ->
    [one] { $count } fiche
   *[other] { $count } fiches
}, de { $first } à { $last }
chart-row-empty = { $name } : aucune fiche
chart-shade-none = Aucune fiche
chart-shade = De { $from } à { $to }
chart-shade-last = { $from } ou plus

## Années que couvrent les sources, à côté des chiffres.
coverage-all = Les sources couvrent ici les { $kind } de { $years }.
coverage-none = Les sources de cette page ne couvrent pas les { $kind } de { $years }.
coverage-stray = Les sources n’ont ici que { $records } de { $years }, une petite partie.
coverage-abroad-all = Tous ses fournisseurs sont dans ce pays : { $country }.
coverage-abroad-nearly-all = Presque tous ses fournisseurs sont dans ce pays : { $country }.
coverage-country-US = États-Unis
coverage-country-GB = Royaume-Uni
coverage-country-FR = France
coverage-part = Les sources de cette page ne couvrent pas les { $kind } de { $years } : les chiffres portent sur les autres années.
coverage-uneven-year = Certaines sources ne couvrent pas cette année.
coverage-uneven = Certaines sources ne couvrent pas toutes ces années.
coverage-few = Les sources n’ont ici qu’une petite partie de { $years }.
coverage-until = L’année { $year } est couverte jusqu’au { $date }.
coverage-of-place = Pour { $place }, les sources n’ont des { $kind } que de { $years }.
coverage-with-gaps = { $years }, avec des lacunes
coverage-link = Ce que couvre chaque source
