# La page des sources.

sources-title = Sources
sources-sentence = { $records ->
    [one] { $records } fiche
   *[other] { $records } fiches
} de { $sources ->
    [one] { $sources } source
   *[other] { $sources } sources
}.
sources-about = Des organismes publics les publient comme données ouvertes. Ce service lit leurs fichiers et n’y change aucun chiffre.
sources-grid = Fiches par source et par année d’attribution ou de publication
sources-row = { $source }, { $kind }
sources-row-kind-contract = contrats
sources-row-kind-tender = appels d’offres
sources-row-kind-award = avis d’attribution
sources-row-kind-disclosure = contrats fédéraux divulgués
sources-row-kind-standing_offer = offres à commandes
sources-row-kind-pre_solicitation = avis préalables
sources-periods = Période et fraîcheur
sources-source = Source
sources-kind = Type de fiche
sources-records = Nombre
sources-from = Première date
sources-to = Dernière date
sources-to-future = telle que publiée, après le jour de cet index
sources-updated = Publié ou obtenu
sources-presence = Ce que les fiches indiquent
sources-presence-about = La part des fiches où l’organisme indique quelque chose. Ce qui manque est affiché comme « non publié », jamais comme zéro.
sources-no-part = sans objet
sources-part-date = Date
sources-part-subject = Titre ou description
sources-part-value = Valeur
sources-part-buyer = Acheteur
sources-part-supplier = Fournisseur
sources-part-commodity_code = Code de marchandise
sources-part-closing_date = Date de clôture
sources-licences = Licences
sources-licences-about = Vous pouvez utiliser les fiches selon la licence de leur source. La plupart des licences demandent d’afficher l’attribution.
sources-licence = Licence
sources-attribution = Attribution
sources-rhythm = L’organisme la met à jour
sources-publisher = Page de l’organisme
sources-own = Ces fiches ont été ajoutées par l’exploitant de ce service. Demandez-lui leur licence.
sources-rhythm-daily = chaque jour
sources-rhythm-weekly = chaque semaine
sources-rhythm-monthly = chaque mois
sources-rhythm-quarterly = chaque trimestre
sources-rhythm-on-demand = sur demande
sources-rhythm-frozen = plus jamais
sources-name-canadabuys-tender = AchatsCanada, avis d’appel d’offres
sources-name-canadabuys-award = AchatsCanada, avis d’attribution
sources-name-canadabuys-contract = AchatsCanada, historique des contrats
sources-name-canadabuys-sosa = AchatsCanada, offres à commandes
sources-name-disclosure = Divulgation proactive fédérale
sources-selection-disclosure-export = Parmi les contrats fédéraux divulgués, une source ici est l’exportation d’une recherche sur la page du diffuseur : elle n’a que ce que cette recherche a trouvé.
sources-name-disclosure-export = Divulgation proactive fédérale, exportation
sources-name-buyandsell-tender = Achatsetventes, avis d’appel d’offres
sources-name-buyandsell-contract = Achatsetventes, historique des contrats
sources-name-seao-xml = SEAO (Québec), jusqu’en 2024
sources-name-seao-ocds = SEAO (Québec), depuis 2021
sources-name-montreal = Ville de Montréal
sources-name-toronto = Ville de Toronto
sources-name-novascotia = Nouvelle-Écosse
sources-name-alberta = Alberta
sources-dump = Fichiers entiers
sources-dump-about = Toutes les fiches, les soumissions et les fournisseurs de l’index { $generation }, en Parquet et en NDJSON compressé.
sources-dump-paid = Il faut une clé d’un forfait payant.
sources-dump-file = Fichier
sources-dump-rows = Lignes
sources-dump-size = Mégaoctets
