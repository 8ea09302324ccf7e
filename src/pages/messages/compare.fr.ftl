# La comparaison de fournisseurs, d’acheteurs ou de produits et services.

compare-title = Comparaison
compare-title-of = Comparaison : { $names }
compare-kicker-supplier = Fournisseurs
compare-kicker-department = Acheteurs
compare-kicker-commodity = Produits et services
compare-things = Comparés
compare-remove = Retirer { $name }
compare-label-supplier = Comparer avec un autre fournisseur
compare-label-department = Comparer avec un autre acheteur
compare-label-commodity = Comparer avec un autre produit ou service, par ses mots ou son code
compare-button = Comparer
compare-unknown-supplier = Aucun fournisseur n’a ce nom
compare-no-records = Le fournisseur qui a exactement ce nom n’a aucune fiche
compare-without-records = aucune fiche
compare-unknown-department = Aucun acheteur n’a ce nom
compare-unknown-commodity = Aucun produit ou service n’a ce code
compare-caption = Les mêmes chiffres, et leur écart avec ceux du premier
compare-more = { $amount } de plus
compare-less = { $amount } de moins
compare-same = le même
compare-points = { $count ->
    [one] { $count } point
   *[other] { $count } points
}
compare-alike = { $count ->
    [one] { $count } autre fournisseur a un nom qui commence comme l’un de ceux de « { $name } ». Ses fiches ne sont pas comptées ici.
   *[other] { $count } autres fournisseurs ont un nom qui commence comme l’un de ceux de « { $name } ». Leurs fiches ne sont pas comptées ici.
}
compare-alike-many = Au moins { $count ->
    [one] { $count } autre fournisseur a un nom qui commence comme l’un de ceux de « { $name } ». Ses fiches ne sont pas comptées ici.
   *[other] { $count } autres fournisseurs ont un nom qui commence comme l’un de ceux de « { $name } ». Leurs fiches ne sont pas comptées ici.
}
compare-joined-name = { $count ->
    [one] { $name } et { $count } nom semblable
   *[other] { $name } et { $count } noms semblables
}
compare-joined = « { $first } » est compté ici avec des noms qui commencent de la même façon, dont aucun diffuseur ne dit qu’ils désignent une seule entreprise : { $names }.
compare-consortia = Non comptés : les consortiums qui nomment « { $name } », chacun étant un soumissionnaire distinct : { $names }
compare-divisions = « { $name } » est compté ici avec ses divisions : { $names }
compare-alike-list = Noms semblables
compare-years = Par année, sur un seul axe
compare-nothing = Il n’y a aucune fiche de ce type. Choisissez un autre type.
compare-nothing-conditions = Il n’y a aucune fiche de ce type qui remplisse ces conditions.
compare-conditions = Comptées pour chacun : seulement les fiches qui remplissent ces conditions
compare-uneven = Les sources ne couvrent pas les mêmes années pour tous : les chiffres de toutes les années ne sont pas comparables. Seules les lignes « en { $years } », qui ne comptent que les années couvertes pour tous, indiquent des écarts.
compare-undated = Les sources ne couvrent pas les mêmes années pour tous, et la plupart des fiches de l’un n’ont pas de date : ni les chiffres de toutes les années ni ceux de certaines années ne sont comparables.
compare-no-common-years = Les sources ne couvrent aucune année pour tous : ces totaux ne sont pas comparables.
compare-in-years = { $what } en { $years }
compare-fact-value = Valeur totale
compare-fact-value-sound = Valeur totale sans les fiches douteuses
compare-doubt = L’écart entre les valeurs totales dépend de fiches douteuses : il n’est pas indiqué.
compare-doubt-most = L’écart entre les valeurs totales dépend de fiches douteuses : il n’est pas indiqué. Sans elles, la somme la plus élevée est celle de { $name }.
compare-fact-mean = Valeur moyenne
compare-fact-period = Années
compare-fact-buyers = Acheteurs
compare-fact-suppliers = Fournisseurs
compare-fact-names = Noms
compare-fact-competition = Part sans concurrence
compare-fact-coverage = Mode publié pour
