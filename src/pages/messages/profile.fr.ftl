# Les pages d’un fournisseur et d’un acheteur, et leur comparaison.

profile-kicker-vendor = Fournisseur
profile-kicker-department = Acheteur
profile-body-division = C’est une partie d’un acheteur plus grand. La page contient les fiches qui la nomment.
profile-body-both = Des fiches le nomment comme acheteur, d’autres comme partie d’un acheteur. La page les contient toutes.
profile-tabs = Types de fiches
profile-nothing = Il n’y a aucune fiche de ce type sous ce nom. Choisissez un autre type.

## La phrase.
profile-worth = { $records } d’une valeur de { $value }
profile-with-buyers =
    { $count ->
        [one] avec { $count } acheteur
       *[other] avec { $count } acheteurs
    }
profile-with-suppliers =
    { $count ->
        [one] avec { $count } fournisseur
       *[other] avec { $count } fournisseurs
    }
profile-headline-suppliers-amount = Le plus grand fournisseur est { $name }, avec { $share } de la valeur
profile-headline-suppliers-number = Le plus grand fournisseur est { $name }, avec { $share } des fiches
profile-headline-buyers-amount = Le plus grand acheteur est { $name }, avec { $share } de la valeur
profile-headline-buyers-number = Le plus grand acheteur est { $name }, avec { $share } des fiches
profile-headline-doubtful = { $largest }, dont { $share } dans des fiches faisant l’objet d’un doute
profile-headline-category-amount = { $share } de la valeur est de la nature « { $category } »
profile-headline-category-number = { $share } des fiches sont de la nature « { $category } »
profile-headline-competition-amount = dans la mesure où le mode est publié, { $share } de la valeur a été attribuée sans concurrence
profile-headline-competition-number = dans la mesure où le mode est publié, { $share } des fiches ont été attribuées sans concurrence
profile-values-note = { $count } sur { $total } indiquent une valeur. Le total est la somme de ces valeurs.

## Graphiques.
profile-years-title = { $kinds } par année
profile-ranked-buyers-amount = Acheteurs dont la valeur totale est la plus élevée
profile-ranked-buyers-number = Acheteurs ayant le plus de fiches
profile-ranked-suppliers-amount = Fournisseurs dont la valeur totale est la plus élevée
profile-ranked-suppliers-number = Fournisseurs ayant le plus de fiches
profile-ranked-note-buyers = Les dix premiers de { $count } acheteurs.
profile-ranked-note-divisions = Les dix premiers de { $count } acheteurs et parties d’acheteurs.
profile-ranked-note-suppliers = Les dix premiers de { $count } fournisseurs.
profile-name-buyers = Acheteur
profile-name-suppliers = Fournisseur
profile-name-categories = Nature de l’achat
profile-categories-title = Selon la nature de l’achat

## Concurrence.
profile-competition-title = Mode d’attribution
profile-competition-amount = { $share } de la valeur a été attribuée sans concurrence, dans la mesure où le mode est publié : il l’est pour { $coverage } des fiches.
profile-competition-number = { $share } des fiches ont été attribuées sans concurrence, dans la mesure où le mode est publié : il l’est pour { $coverage } des fiches.
profile-competition-few = Le mode est publié pour { $coverage } des fiches. La part attribuée sans concurrence n’est indiquée qu’à partir de { $least }, car les autres fiches en décideraient.
profile-competition-unclear = La part attribuée sans concurrence ne peut être établie. Le mode est publié pour { $coverage } des fiches.
profile-competition-none = Les diffuseurs n’indiquent pas le mode d’attribution.
profile-method = Mode
profile-method-without = Sans concurrence
profile-method-advance = Préavis d’attribution à un seul fournisseur
profile-method-competitive = Avec concurrence
profile-method-unclear = Mode qui ne le précise pas
profile-method-not-published = Non publié
profile-number = Nombre
profile-amount = Valeur
profile-share = Part


profile-search = Chercher toutes les fiches portant ce nom

## Nom inexistant.
profile-unknown-vendor = Aucun fournisseur n’a ce nom
profile-unknown-department = Aucun acheteur n’a ce nom
profile-similar = Noms semblables :
profile-unknown-search-vendor = Chercher ces mots dans les contrats
profile-unknown-search-department = Chercher ces mots dans les contrats
