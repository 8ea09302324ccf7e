# Les pages d’une fiche et d’un appel d’offres, et les tableaux de fiches.

## Un texte que la fiche n’a que dans l’autre langue.
text-in-en = en anglais
text-in-fr = en français

## Une fiche, selon son type.
record-kind-contract = Contrat
record-kind-tender = Appel d’offres
record-kind-award = Avis d’attribution
record-kind-disclosure = Contrat divulgué
record-kind-standing_offer = Offre à commandes
record-kind-pre_solicitation = Avis préalable

## Groupes de champs.
record-group-key = Faits saillants
record-group-description = Objet de l’achat
record-group-parties = Parties
record-group-procedure = Mode d’achat
record-group-history = Changements
record-group-classification = Classement
record-group-documents = Pages du diffuseur
record-group-numbers = Numéros
record-group-source = Provenance des données
record-group-other = Autres

## Éléments d’objets dans une fiche.
record-member-disposition = Disposition légale
record-member-limited_tendering_reason = Raison de l’appel d’offres limité
record-member-procurement_method_rationale = Raison du mode d’achat
record-member-selection_criteria = Critères de sélection
record-member-trade_agreements = Accords commerciaux
record-member-indigenous_set_aside = Marché réservé aux entreprises autochtones
record-member-land_claims_agreements = Accords sur les revendications territoriales
record-member-regions_of_opportunity = Régions des soumissionnaires
record-member-language = Langue
record-member-doc_index = Numéro dans la liste
record-member-url = Adresse
record-member-document_type = Type

## Codes des diffuseurs, en mots.
record-code-government_level-federal = Fédéral
record-code-government_level-provincial = Provincial
record-code-government_level-municipal = Municipal
record-code-solicitation_procedure-AC = Préavis d’adjudication de contrat
record-code-solicitation_procedure-OB = Appel d’offres ouvert
record-code-solicitation_procedure-ST = Appel d’offres sélectif
record-code-solicitation_procedure-TC = Concurrentielle traditionnelle
record-code-solicitation_procedure-TN = Non concurrentielle traditionnelle
record-code-instrument_type-C = Contrat
record-code-instrument_type-A = Modification
record-code-instrument_type-SOSA = Offre à commandes ou arrangement en matière d’approvisionnement
record-code-indigenous_business-Y = Oui
record-code-indigenous_business-N = Non
record-code-language-en = Anglais
record-code-language-fr = Français

## Valeurs.
record-whole-title = Le titre complet
record-yes = Oui
record-no = Non
record-moment = { $day }, { $time } ({ $zone })
record-zone-eastern = heure de l’Est
record-in-other-language = Aussi en anglais
record-untitled = { $kind } { $id }

## Parties de la page.
record-closes = { $count ->
    [0] Clôture aujourd’hui, le { $date }.
    [one] Clôture le { $date }, dans { $count } jour.
   *[other] Clôture le { $date }, dans { $count } jours.
}
record-closed = Clos depuis le { $date }.
record-closed-open = Clos depuis le { $date }, bien que le diffuseur l’indique encore comme ouvert.
record-commodities = Toutes les fiches portant le même code :
record-worth = Combien vaut cet appel d’offres ? Voir des contrats semblables
record-amendments-title = Modifications
record-amendments-summary =
    { $count ->
        [one] De { $from } à { $to } par { $count } modification ({ $share }).
       *[other] De { $from } à { $to } par { $count } modifications ({ $share }).
    }
record-amendments-summary-plain =
    { $count ->
        [one] De { $from } à { $to } par { $count } modification.
       *[other] De { $from } à { $to } par { $count } modifications.
    }
record-amendments-original = Publication initiale
record-amendments-number = Modification { $number }
record-amendments-step = Étape
record-amendments-change = Changement
record-amendments-value = Valeur ensuite
record-amendments-end = Dernier jour
record-amendments-supplier = Fournisseur
record-amendments-period = Période de déclaration
record-amendments-reference = Numéro de référence
record-amendments-note = Ce qui diffère de l’étape précédente est en gras.
record-documents-title = Documents
record-document-kind-tenderNotice = Avis d’appel d’offres
record-document-number = Document { $number }
record-related-title = Le même appel d’offres
record-related-timeline = Toute la vie de l’appel d’offres
record-related-none = Aucune autre fiche n’a ce numéro ici.
record-source = Source :
record-publisher-title = Diffuseur et licence
record-publisher-page = Jeu de données
record-publisher-licence = Licence
record-publisher-attribution = Attribution
record-publisher-sources = État de cette source
record-publisher-unknown = La source de cette fiche n’est pas de celles que ce service connaît. Renseignez-vous sur la licence auprès de son exploitant.
record-raw = La fiche telle qu’elle est conservée

## Fiche inexistante.
solicitation-group-notice = { $count } avis
solicitation-group-amendment = { $count } modifications
solicitation-group-closing = { $count } clôtures
solicitation-group-award = { $count } attributions
solicitation-group-contract = { $count } contrats
record-missing-title = Cette fiche n’existe pas
record-missing-text = Aucune fiche de ce type n’a l’identifiant
record-missing-elsewhere = Une autre fiche a cet identifiant :
record-missing-search = Chercher :

## Tableaux de fiches.
records-caption-related = Autres fiches du même appel d’offres
records-caption-solicitation = Fiches de l’appel d’offres, les plus récentes de chaque type d’abord
records-caption-newest = Les fiches les plus récentes
records-date = Date
records-kind = Type
records-title = Titre
records-supplier = Fournisseur
records-buyer = Acheteur
records-value = Valeur

## Un appel d’offres.
solicitation-title = Appel d’offres { $number }
solicitation-records =
    { $count ->
        [one] { $count } fiche
       *[other] { $count } fiches
    }
solicitation-from = du { $first } au { $last }
solicitation-on = le { $first }
solicitation-days =
    { $days ->
        [one] { $days } jour entre le premier avis et la première attribution
       *[other] { $days } jours entre le premier avis et la première attribution
    }
solicitation-with-suppliers =
    { $count ->
        [one] { $count } fournisseur
       *[other] { $count } fournisseurs
    }
solicitation-worth = d’une valeur de { $value }
solicitation-suppliers = Fournisseurs
solicitation-buyers = Acheteurs
solicitation-several-buyers = Plusieurs acheteurs utilisent ce numéro. Choisissez-en un pour ne voir que ses fiches :
solicitation-one-buyer = Seulement les fiches d’un acheteur dont le nom contient
solicitation-all-buyers = Afficher les fiches de tous les acheteurs
solicitation-more =
    { $count ->
        [one] et { $count } autre
       *[other] et { $count } autres
    }
solicitation-timeline = De l’avis au contrat
solicitation-timeline-cut = Le graphique montre les { $count } premiers événements. Le tableau contient toutes les fiches.
solicitation-cut = { $shown } fiches sur { $total } sont affichées.
solicitation-event-announced = Annonce
solicitation-event-announcement_closed = Fin de l’annonce
solicitation-event-started = Début du contrat
solicitation-event-ended = Fin du contrat
solicitation-event-with = { $event } : { $name }
solicitation-missing-title = Aucune fiche n’a ce numéro d’appel d’offres
solicitation-missing-text = La casse, les espaces et la ponctuation ne comptent pas. Vérifiez le numéro
solicitation-missing-search = Le chercher dans le texte de tous les contrats
solicitation-missing-tenders = Le chercher parmi les appels d’offres
