# La page qui estime la valeur d’un appel d’offres.

worth-title = Valeur de : { $title }
worth-kicker = Combien vaut cet appel d’offres ?
worth-estimate = L’estimation
worth-stated = L’avis indique une valeur de { $value }.
worth-range = Probablement entre { $low } et { $high }.
worth-too-few = { $count ->
    [0] Il n’y a aucun contrat comparable, donc aucune estimation.
    [one] Il n’y a que { $count } contrat comparable : trop peu pour une estimation. Il en faut au moins cinq.
   *[other] Il n’y a que { $count } contrats comparables : trop peu pour une estimation. Il en faut au moins cinq.
}
worth-stated-range = La moitié des contrats comparables se situaient entre { $low } et { $high }.
worth-percentiles = Quatre contrats semblables sur cinq devraient se situer entre { $p10 } et { $p90 }. Le milieu est { $middle }.
worth-confidence-high = Fiable : pour des contrats dont la valeur est connue, de telles estimations étaient proches.
worth-confidence-medium = Assez fiable : pour des contrats dont la valeur est connue, de telles estimations s’écartaient parfois du simple au double.
worth-confidence-low = Peu fiable : pour des contrats dont la valeur est connue, de telles estimations étaient souvent loin.
worth-basis = { $count ->
    [one] D’après { $count } contrat attribué du { $from } au { $to }.
   *[other] D’après { $count } contrats attribués du { $from } au { $to }.
}
worth-level-buyer-and-title = Il s’y trouve des contrats de cet acheteur pour presque les mêmes mots.
worth-level-buyer-and-code = Il s’y trouve des contrats de cet acheteur avec le même code de marchandise.
worth-level-code = Il s’y trouve des contrats avec le même code de marchandise.
worth-level-code-class = Il s’y trouve des contrats de la même classe de marchandises.
worth-level-code-family = Il s’y trouve des contrats de la même famille de marchandises.
worth-level-category-and-text = Ils ont en commun la catégorie et des mots semblables, sans code de marchandise.
worth-level-category-and-government-level = Ils n’ont en commun que la catégorie et le palier de gouvernement.
worth-caveats = À retenir
worth-comparables = Contrats comparables
worth-no-comparables = Aucun contrat n’est comparable.
worth-plot-title = Valeurs des contrats comparables, en dollars canadiens
worth-band-wide = Quatre sur cinq
worth-band-narrow = La moitié
worth-middle = Milieu
worth-mark-stated = Indiquée
worth-table = { $count ->
    [one] Le contrat le plus semblable
   *[other] Les { $count } contrats les plus semblables, le plus proche de l’achat d’abord. Poids : combien un contrat compte dans l’estimation.
}
worth-contract = Contrat
worth-supplier = Fournisseur
worth-awarded = Attribué
worth-value = Valeur
worth-weight = Poids
worth-reasons = Pourquoi comparable
worth-ends = Fin
worth-competition = { $count ->
    [one] Un seul fournisseur les a tous obtenus.
   *[other] { $count } fournisseurs les ont obtenus ; le plus fréquent en a obtenu { $share }.
}
worth-bid = Valeurs autour desquelles soumissionner
worth-bid-aggressive = Basse
worth-bid-competitive = Concurrentielle
worth-bid-conservative = Haute
worth-incumbent = Qui a le contrat, ou l’avait en dernier
worth-incumbent-share = { $total ->
    [one] C’est le seul contrat de cet acheteur pour ce besoin.
   *[other] Il avait { $count } des { $total } contrats de cet acheteur pour ce besoin.
}
worth-expiring = Contrats de cet acheteur pour un tel besoin qui prennent fin d’ici douze mois
worth-holders = Fournisseurs qui ont une offre à commandes pour un tel besoin
worth-until = jusqu’au { $date }
