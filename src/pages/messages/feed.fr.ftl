# La page des nouveaux appels d’offres, l’abonnement par courriel, et ce que voit un visiteur dont le forfait n’inclut pas une page.

feed-title = Nouveaux appels d’offres pour vos mots
feed-about = Les appels d’offres ouverts qui ont été publiés ces derniers jours, chacun une seule fois, quel que soit le nombre de ses avis.
feed-form-label = Nouveaux appels d’offres
feed-keywords = Mots ou expressions, séparés par des virgules
feed-keywords-hint = Un appel d’offres est retenu si son titre ou sa description contient l’un d’eux. Exemple : déneigement, snow removal
feed-place = Lieu ou gouvernement
feed-place-any = Tous
feed-published = Publié depuis
feed-days = { $count ->
    [one] { $count } jour
   *[other] { $count } jours
}
feed-language = Langue de l’avis
feed-language-both = Français ou anglais
feed-language-en = Anglais
feed-language-fr = Français
feed-translate = Vos mots
feed-translate-both = dans les deux langues
feed-translate-own = seulement tels quels
feed-show = Afficher
feed-count = { $count ->
    [0] Aucun nouvel appel d’offres ouvert depuis le { $since }
    [one] { $count } nouvel appel d’offres ouvert depuis le { $since }
   *[other] { $count } nouveaux appels d’offres ouverts depuis le { $since }
}
feed-count-page = { $count ->
    [0] Aucun autre appel d’offres ouvert depuis le { $since }
    [one] { $count } appel d’offres ouvert sur cette page, publié depuis le { $since }
   *[other] { $count } appels d’offres ouverts sur cette page, publiés depuis le { $since }
}
feed-none = Aucun appel d’offres ouvert ne correspond. Vous pouvez essayer :
feed-try-longer = les 90 derniers jours
feed-try-without-words = tous les mots
feed-try-everywhere = toutes les villes et tous les gouvernements
feed-closing = Clôture
feed-closes-today = { $date }, aujourd’hui
feed-closes = { $date }, { $count ->
    [one] dans { $count } jour
   *[other] dans { $count } jours
}
feed-value = Valeur
feed-value-estimate = environ { $value }, selon une estimation
feed-value-unknown = non publiée, et trop peu de contrats comparables pour une estimation
feed-worth = Combien vaut-il ?
feed-worth-of = Estimation de
feed-published-on = Publié
feed-others = { $count ->
    [one] (et { $count } autre avis)
   *[other] (et { $count } autres avis)
}
feed-matched = Vos mots
feed-next = Appels d’offres suivants

## L’abonnement par courriel.
feed-subscribe-title = Recevoir les nouveaux appels d’offres par courriel
feed-subscribe-about = Un courriel énumère les nouveaux appels d’offres qui remplissent les conditions ci-dessus. Sans nouveauté, il n’y a pas de courriel.
feed-subscribe-without = La valeur minimale et le type d’avis ne font pas partie d’un abonnement : les courriels énumèrent des appels d’offres de toute valeur et de tout type.
feed-email = Adresse de courriel
feed-frequency = À quelle fréquence
feed-frequency-daily = Au plus une fois par jour
feed-frequency-weekly = Au plus une fois par semaine
feed-consent = En vous abonnant, vous acceptez de recevoir à cette adresse des courriels sur les nouveaux appels d’offres publics. Si l’adresse est nouvelle ici, elle reçoit d’abord un courriel avec un lien qui confirme l’abonnement. Chaque courriel contient un lien qui y met fin aussitôt.
feed-subscribe = S’abonner
feed-not-subscribed-title = L’abonnement n’a pas été enregistré
feed-subscribed-done = Merci. Si cette adresse n’a pas encore été confirmée, elle reçoit un courriel avec un lien. Ouvrez ce lien dans les 7 jours : sans cela, aucun appel d’offres n’est envoyé.
feed-subscribed-end = Chaque courriel contient un lien qui met fin aussitôt à l’abonnement.
feed-subscribed-email = Ce n’est pas une adresse à laquelle un courriel peut être envoyé. Revenez en arrière et vérifiez son orthographe.
feed-subscribed-conditions = Une condition ne peut pas faire partie d’un abonnement. Modifiez-la et essayez de nouveau.
feed-subscribed-link = Un mot ou l’acheteur ressemble à un lien ou à une adresse, qu’aucun courriel ne peut montrer. Écrivez des espaces à la place des points, des barres obliques et des @ : la recherche trouve la même chose.
feed-subscribed-long = Un mot ou l’acheteur est trop long pour un courriel. Abrégez-le à 80 caractères.
feed-subscribed-telephone = Un mot ou l’acheteur ressemble à un numéro de téléphone, qu’aucun courriel ne peut montrer. Retirez-le.
feed-subscribed-sign = Un mot ou l’acheteur contient un signe qui n’est dans aucun mot, comme une image. Mettez une espace à la place : le résultat est le même.
feed-subscribed-invisible = Un mot ou l’acheteur contient un caractère de commande ou invisible. Tapez-le de nouveau.
feed-subscribed-limit = Il y a trop d’abonnements pour cette adresse ou cette clé. Mettez fin à l’un d’eux par le lien d’un courriel, ou essayez de nouveau demain.
feed-back = Retour aux appels d’offres

## La même chose pour les programmes.
feed-address-title = L’adresse de ce fil pour les programmes
feed-address-about = Un programme qui envoie votre clé d’API dans un en-tête obtient à cette adresse les mêmes appels d’offres en JSON. La clé ne fait jamais partie d’une adresse. La ligne de commande ci-dessous montre comment faire.

## Ce que voit un visiteur dont le forfait n’inclut pas une page.
paid-title-feed = Nouveaux appels d’offres pour vos mots
paid-title-worth = Combien vaut cet appel d’offres ?
paid-title-export = Toutes les lignes en un fichier
paid-about-export = Une recherche entière en un fichier CSV, CSV pour Excel, Parquet ou NDJSON.
paid-about-feed = Cette page énumère les nouveaux appels d’offres ouverts pour vos mots, chacun une seule fois, avec une estimation de sa valeur. Elle peut vous les envoyer par courriel.
paid-about-worth = Cette page estime la valeur d’un appel d’offres : une fourchette, sa fiabilité et les contrats auxquels il est comparé.
paid-plan = Elle fait partie des forfaits payants. Votre clé a le forfait { $plan }.
paid-no-key = Elle fait partie des forfaits payants. Ouvrez une session avec la clé d’API d’un tel forfait.
paid-upgrade = Voir les forfaits et changer de forfait
paid-plans = Voir les forfaits
paid-sign-in = Ouvrir une session
paid-search = Chercher dans tous les appels d’offres
