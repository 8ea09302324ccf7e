# Ce qui est douteux dans les fiches et les totaux, leurs valeurs moyennes, et les sommes en d’autres monnaies.

search-quality_flag-placeholder_value = montant fictif
search-quality_flag-implausible_value = montant invraisemblable
search-quality_flag-future_date = date dans l’avenir
search-quality_flag-no_vendor = aucun fournisseur nommé
search-quality_flag-duplicate_suspect = doublon possible
search-quality_flag-none = aucun doute
quality-about-placeholder_value = Le montant ressemble à une valeur fictive, comme 1 $ ou un cent, et non à un prix.
quality-about-implausible_value = Le montant est très éloigné de ceux de fiches semblables de la même source. Il peut s’agir d’une faute de frappe.
quality-about-future_date = Sa date est postérieure au jour où le fichier du diffuseur a été publié ou obtenu.
quality-about-no_vendor = Le diffuseur ne nomme pas le fournisseur.
quality-about-duplicate_suspect = Une autre fiche a le même acheteur, le même fournisseur et la même valeur, et la même date ou le même numéro d’appel d’offres. Le même achat a peut-être été publié deux fois.
quality-not-an-amount = pas un montant
quality-telephone = { $published } ressemble au numéro de téléphone { $number } ; ce nombre n’est pas compté.
quality-unclear-amount = Ce que l’éditeur a inscrit comme montant, « { $published } », n’est pas clairement un seul montant ; il n’est pas compté.
quality-title = Doutes sur cette fiche
quality-tag = Douteux
quality-share = { $share } de cette valeur ({ $value }) provient de { $count ->
    [one] { $count } fiche faisant l’objet d’un doute.
   *[other] { $count } fiches faisant l’objet d’un doute.
}
quality-number = { $count ->
    [one] { $count } de ces fiches fait l’objet d’un doute.
   *[other] { $count } de ces fiches font l’objet d’un doute.
}
quality-counted = { $name } ({ $count })
quality-flags = Motifs : { $flags }.
quality-without = Les exclure
quality-currency = { $value } ({ $count ->
    [one] { $count } fiche
   *[other] { $count } fiches
})
quality-currencies = Hors de ce total : { $sums }.
average-all = Valeur moyenne : { $average }. Médiane : { $median }, sur { $count } valeurs publiées.
average-sound = Sans les fiches douteuses : valeur moyenne de { $average }, médiane de { $median }, sur { $count } valeurs publiées.
average-too-few = { $count ->
    [one] Seulement { $count } fiche sur { $total } indique une valeur : pas de moyenne.
   *[other] Seulement { $count } fiches sur { $total } indiquent une valeur : pas de moyenne.
}
average-too-few-sound = { $count ->
    [0] Sans les fiches douteuses, il ne reste aucune valeur : pas de moyenne.
    [one] Sans les fiches douteuses, il ne reste que { $count } valeur : pas de moyenne.
   *[other] Sans les fiches douteuses, il ne reste que { $count } valeurs : pas de moyenne.
}
average-largest = Une seule fiche représente { $value } de cette valeur ({ $share }).
average-largest-about = Une seule fiche représente { $value } de cette valeur ({ $share }) : { $about }.
average-largest-title = « { $title } »
average-largest-first = Afficher d’abord la valeur la plus élevée
