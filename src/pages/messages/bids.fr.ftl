# Les soumissions à un appel.

bids-title = Soumissions
bids-of-call = Qui a soumissionné, à quel prix
bids-none = Le diffuseur n’indique aucune soumission pour cet appel.
bids-count =
    { $count ->
        [one] { $count } soumission
       *[other] { $count } soumissions
    } de { $bidders ->
        [one] { $bidders } fournisseur
       *[other] { $bidders } fournisseurs
    }, { $procedure }.
bids-spread = La plus élevée en dollars dépasse la plus basse de { $share }.
bids-procedure-open = lors d’un appel d’offres public
bids-procedure-invitation = sur invitation
bids-procedure-direct = de gré à gré
bids-procedure-other = selon un mode qui n’est ni un appel public ni une invitation
bids-note-invitation = Les avis d’appels sur invitation n’indiquent souvent que l’adjudicataire.
bids-note-direct = Un contrat de gré à gré indique son fournisseur comme seul soumissionnaire ; il n’y a pas eu de concurrence.
bids-note-repeated =
    { $count ->
        [one] Une ligne répète une soumission déjà indiquée ; les calculs ne la comptent qu’une fois.
       *[other] { $count } lignes répètent des soumissions déjà indiquées ; les calculs ne les comptent qu’une fois.
    }
bids-note-lots = L’appel a des lots, ou un fournisseur a présenté plusieurs soumissions différentes : les montants sont les prix de choses différentes et ne sont pas comparés.
bids-note-flags = L’avis n’indique pas quelles soumissions étaient admissibles.
bids-note-cut = Les { $shown } plus basses sur { $count } ; le fichier les contient toutes.
bids-more = Autres avis de cet appel d’offres qui indiquent des soumissions :
bids-supplier = Fournisseur
bids-amount = Soumission
bids-result = Résultat
bids-admissible = Admissible
bids-conforming = Conforme
bids-above-lowest = Au-dessus de la plus basse
bids-outcome-won = Retenue
bids-outcome-rejected = Rejetée
bids-outcome-lost = Non retenue
bids-yes = oui
bids-no = non
bids-not-stated = non indiqué
bids-no-amount = aucun montant indiqué
bids-per-year = { $amount } par an
bids-per-hour = { $amount } l’heure
bids-percent = { $number } %
bids-points = { $number } points
bids-other-unit = { $number }, dans l’unité { $code } du diffuseur
bids-distance = { $amount } ({ $share })
bids-lowest = la plus basse
bids-csv = Ces soumissions en CSV
bids-chart-title = Soumissions en dollars, de la plus basse à la plus élevée
bids-chart-about = { $count ->
    [one] { $count } soumission
   *[other] { $count } soumissions
} en dollars, de { $from } à { $to }. Le tableau les contient toutes.
bids-chart-logarithmic = L’axe est logarithmique : à distances égales, facteurs égaux.
bids-dot-won = { $name } : { $amount }, retenue
bids-dot-rejected = { $name } : { $amount }, rejetée
bids-dot-lost = { $name } : { $amount }
bids-legend-won = Retenue
bids-legend-rejected = Rejetée
bids-legend-lost = Non retenue
bids-legend-spread = Écart, de la plus basse à la plus élevée

## Les soumissions d’un fournisseur.
bidder-about = Seuls certains diffuseurs indiquent qui a soumissionné sans être retenu. Les parts et les concurrents sont ceux des appels publics.
bidder-open = Appels publics
bidder-calls = { $count } : { $won } remportés, { $lost } non
bidder-rate = Part remportée
bidder-rate-of = { $share } (intervalle à 95 % : de { $low } à { $high })
bidder-distance = Écart quand ce n’est pas remporté
bidder-distance-of = la moitié étaient au plus { $amount } ({ $share }) au-dessus du gagnant, sur { $count ->
        [one] { $count } appel
       *[other] { $count } appels
    } où les deux montants sont connus
bidder-distance-below = la moitié étaient d’au moins { $amount } ({ $share }) au-dessous du gagnant, sur { $count ->
        [one] { $count } appel
       *[other] { $count } appels
    } où les deux montants sont connus
bidder-invitations = Appels sur invitation
bidder-direct = Contrats de gré à gré, sans concurrence
bidder-rivals = Concurrents, les plus souvent rencontrés
bidder-common = Appels en commun
bidder-won-here = Remportés par ce fournisseur
bidder-won-there = Remportés par le concurrent
bidder-rivals-note = Les { $listed } plus souvent rencontrés sur { $count } concurrents.
bidder-pair = Les deux ont soumissionné à { $count ->
        [one] { $count } appel public
       *[other] { $count } appels publics
    } : { $first } en a remporté { $first_won }, { $second } { $second_won }, et { $others } sont allés à un autre ou à personne.
bidder-pair-csv = Les plus récents de ces appels en CSV, jusqu’à 50
bidder-no-records = Aucun contrat ni aucune attribution ne nomme ce fournisseur. Des diffuseurs l’indiquent comme soumissionnaire.
bidder-none = Aucun diffuseur n’indique de soumission de ce fournisseur. Seuls certains diffuseurs indiquent qui a soumissionné.
bidder-by-years = Appels publics par année
bidder-by-bodies = Appels publics par organisme
bidder-by-classes = Appels publics par classe de biens et services
bidder-body = Organisme
bidder-class = Classe
bidder-won = Remportés
bidder-csv = Les soumissions en CSV
bidder-csv-note = (les plus récentes, autant que le forfait en permet par page ; l’en-tête Link mène au fichier suivant)
bidder-whole = Toutes les soumissions en un fichier, avec une clé d’un forfait payant

## Les appels d’un organisme ou d’un code.
calls-title = Qui a soumissionné
calls-none = Les diffuseurs n’indiquent aucune soumission à ces appels. Seuls certains diffuseurs indiquent qui a soumissionné.
calls-no-match = Aucune soumission publiée ne correspond. Seuls certains diffuseurs publient qui a soumissionné.
calls-other-years = Des soumissions à de tels appels d’offres sont publiées pour { $years }.
calls-open =
    { $count ->
        [one] { $count } appel public
       *[other] { $count } appels publics
    } avec des soumissions : la moitié avaient au plus { $median ->
        [one] { $median } soumissionnaire
       *[other] { $median } soumissionnaires
    } ; en moyenne { $mean }. Un seul soumissionnaire : { $share }.
calls-invitation =
    { $count ->
        [one] { $count } appel
       *[other] { $count } appels
    } sur invitation, dont beaucoup d’avis ne nomment que le gagnant : la moitié avaient au plus { $median ->
        [one] { $median } soumissionnaire
       *[other] { $median } soumissionnaires
    } ; en moyenne { $mean }. Un seul soumissionnaire : { $share }.
calls-open-single = 1 appel public avec des soumissions, de { $bidders ->
        [one] { $bidders } soumissionnaire
       *[other] { $bidders } soumissionnaires
    }.
calls-invitation-single = 1 appel sur invitation avec des soumissions, de { $bidders ->
        [one] { $bidders } soumissionnaire
       *[other] { $bidders } soumissionnaires
    }; beaucoup de ces avis ne nomment que le gagnant.
calls-direct =
    { $count ->
        [one] { $count } contrat de gré à gré
       *[other] { $count } contrats de gré à gré
    }, sans concurrence.
calls-by-year = Appels publics par année
calls-median = Médiane des soumissionnaires
calls-one-of = { $count }, soit { $share }
calls-one-bidder = Un seul soumissionnaire
calls-bidders = Qui a soumissionné le plus souvent
calls-bidders-note = Sur { $all ->
        [one] { $all } soumissionnaire
       *[other] { $all } soumissionnaires
    } aux appels d’offres publics; un fournisseur qui a plusieurs noms est un seul.
calls-won = Remportés
calls-never-won = Fournisseurs qui ont soumissionné sans jamais remporter
calls-never-won-note =
    { $count } des { $all } soumissionnaires n’ont remporté aucun des appels publics ; ceux qui en comptent le plus sont nommés.
calls-bid-on = Appels publics où ils ont soumissionné
calls-csv = Ces chiffres en CSV

## Une recherche de soumissions.
bids-page-about = Soumissions aux appels d’offres, aussi celles qui n’ont pas été retenues. Seuls certains diffuseurs publient qui a soumissionné : les appels d’offres sans soumissions publiées n’y sont pas.
bids-page-words = Mots de l’appel d’offres
bids-page-bidder = Partie du nom du soumissionnaire
bids-page-count = { $count ->
        [one] { $count } soumission
       *[other] { $count } soumissions
    } à { $calls ->
        [one] { $calls } appel d’offres
       *[other] { $calls } appels d’offres
    }.
bids-page-tenders = Tous les appels d’offres avec ces mots et ces conditions, aussi ceux sans soumissions publiées
bids-page-newest = Les soumissions, l’appel d’offres le plus récent d’abord
bids-page-call = Appel d’offres
bids-page-date = Publié
bids-page-won-true = retenue
bids-page-won-false = non retenue
bids-page-method-open = appel d’offres public
bids-page-method-invitation = sur invitation
bids-page-method-direct = gré à gré
bids-page-method-other = autre procédure
