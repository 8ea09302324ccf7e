# Les pages des codes de marchandise, et les chiffres du marché.

commodity-scheme-unspsc = UNSPSC
commodity-scheme-gsin = NIBS
commodity-scheme-object = Article économique

## La page d’un code.
commodity-kicker = Marchandise
commodity-place = Place dans la hiérarchie
commodity-all = Toutes les marchandises
commodity-no-words = Aucune source n’indique le libellé de ce code.
commodity-other-words = En anglais :
commodity-own-words = Toutes les sources ne nomment pas ce code dans les deux langues : une partie du libellé est de ce projet.
commodity-leading = Mots qui mènent ici :
commodity-children = Ce qu’elle comprend
commodity-name = Marchandise
commodity-number = Fiches
commodity-value = Valeur
commodity-search = Chercher toutes les fiches portant ce code
commodity-count-note = Une fiche compte pour chacun de ses codes, et pour tous les codes au-dessus.
commodity-nothing = Il n’y a aucune fiche de ce type portant ce code. Choisissez un autre type.

## Code inexistant.
commodity-unknown-title = Aucune fiche ne porte ce code de marchandise
commodity-unknown-text = Les codes ont 2, 4, 6 ou 8 chiffres (UNSPSC), ou commencent par une lettre (NIBS), comme N7030.
commodity-unknown-search = Trouver un code par son libellé

## La liste des codes.
commodities-title = Marchandises
commodities-about = Les diffuseurs indiquent par des codes ce qui est acheté. Cherchez le libellé d’un code, ou descendez depuis le premier niveau.
commodities-label = Mots ou début d’un code
commodities-count = { $count ->
    [0] Aucun code porté par des fiches ne convient.
    [one] { $count } code porté par des fiches
   *[other] { $count } codes portés par des fiches
}
commodities-below = Codes au-dessous
commodities-next = Codes suivants
commodities-first = Premiers codes

## Chiffres du marché.
market-title = Chiffres du marché
market-figure = Chiffre
market-value = Valeur
market-coverage = Indiqué par
market-name-competition = Attribué sans concurrence
market-name-bids = Nombre médian de soumissions
market-name-top_five = Part des cinq plus grands fournisseurs
market-name-concentration = Concentration (IHH)
market-name-growth = Croissance par modifications
market-about-competition = Part de la valeur dont le mode d’attribution ne vise qu’un seul fournisseur.
market-about-bids = La moitié des attributions ont eu au plus autant de soumissions.
market-about-top_five = Part de la valeur détenue par les cinq fournisseurs qui en ont le plus.
market-about-concentration = Somme des carrés des parts des fournisseurs : près de 0 pour de nombreux petits, 10 000 pour un seul.
market-about-growth = Variation de la valeur par des modifications, là où la valeur initiale est publiée.
market-new-title = Nouveaux fournisseurs par année
market-new-about = Un fournisseur est nouveau l’année de sa première fiche parmi celles-ci : la première année couverte, tous le sont. Les années qu’aucune source ne couvre sont omises.
market-new = Nouveaux
market-suppliers = Tous ceux de l’année
