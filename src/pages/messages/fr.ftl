# Textes communs à plusieurs pages, et ceux des pages d’accueil, d’erreur, de compte et d’information.

site-name = Explorateur des marchés publics
other-language = English
skip-to-content = Passer au contenu
nav-label = Principale
nav-search = Recherche
nav-feed = Nouveaux appels d’offres
nav-sources = Sources
nav-about = À propos
nav-account = Compte
footer-about = Les marchés publics du Canada, d’après les données ouvertes des organismes qui les publient.
footer-as-of = Mis à jour ici le { $date }.
footer-printed = { $address }, imprimé le { $date }.
footer-sources = Sources et licences
footer-licence = Comment lire ces chiffres
footer-api = Pour les programmes : l’API
footer-cite = Citer cette page
pinned-note = Ces chiffres sont ceux d’un index plus ancien, publié ici le { $date }.
pinned-current = Afficher les chiffres actuels
cite-title = Citer cette page
cite-about = Les chiffres changent quand les données sont mises à jour. Cette adresse montre la page telle qu’elle est maintenant, tant que l’exploitant conserve cet index.
cite-address = L’adresse de la page dans cet index
cite-text = Les données, en une phrase
title-error = Erreur : { $title }
exports-title = Emporter ces données
exports-json = La même chose en JSON : l’adresse dans l’API, qui demande votre clé d’API dans un en-tête
exports-rows-all = Le fichier CSV contient { $count ->
    [one] la seule ligne.
   *[other] les { $count } lignes.
}
exports-rows-cut = Le fichier CSV contient les { $rows } premières lignes sur { $total }. L’en-tête Link du fichier mène aux suivantes.
exports-whole = Toutes les lignes en un fichier
exports-whole-paid = avec une clé d’un forfait payant
exports-whole-csv = CSV
exports-whole-excel = CSV pour Excel
exports-whole-parquet = Parquet
exports-whole-ndjson = NDJSON
exports-curl = La même chose en JSON, dans un terminal ; KEY est votre clé d’API
copy-button = Copier
copied-button = Copié
not-copied-button = Sélectionné : copiez avec le clavier
search-button = Rechercher

## Les types de fiches.
kinds-contract = Contrats
kinds-tender = Appels d’offres
kinds-award = Avis d’attribution
kinds-disclosure = Contrats fédéraux divulgués
kinds-standing_offer = Offres à commandes
kinds-pre_solicitation = Avis préalables

## Valeurs absentes.
not-published = non publié

## La page d’accueil.
home-title = Qui vend quoi aux organismes publics du Canada ?
home-search-label = Chercher des contrats et des appels d’offres
home-kind-label = Parmi
home-kind-any = Toutes les fiches
home-examples = Exemples :
home-example-1 = déneigement
home-example-2 = réfection de pont
home-example-3 = licences de logiciels
home-lists = Ou parcourir une liste :
home-suppliers = fournisseurs
home-bodies = organismes publics
home-bids = qui a soumissionné
home-commodities = codes de marchandise
home-inside = Ce qu’il y a ici
home-inside-counts = { $records ->
    [one] { $records } fiche
   *[other] { $records } fiches
} de { $sources ->
    [one] { $sources } source.
   *[other] { $sources } sources.
}
home-inside-fetched = Dernière récupération le { $date }.
home-inside-sources = Toutes les sources, ce qu’elles couvrent et leurs licences
home-contents-caption = Selon le type de fiche et la source
home-contents-latest = Fiche la plus récente
home-contents-year = en { $year }
home-contents-updated = { $count ->
    [0] { $date } (aujourd’hui)
    [one] { $date } (il y a { $count } jour)
   *[other] { $date } (il y a { $count } jours)
}
home-years-title = Les contrats par année
home-years = Valeur et nombre de contrats attribués, par année d’attribution
home-closing = Appels d’offres ouverts dont la clôture approche
home-closing-none = Aucun appel d’offres ouvert n’indique sa date de clôture.
home-closing-date = Clôture
home-closing-tender = Appel d’offres
home-closing-buyer = Acheteur
home-closing-all = Tous les appels d’offres ouverts
home-ending = Contrats qui prennent fin bientôt

## Les erreurs.
error-title-forbidden = Cette page ne vous est pas ouverte
error-text-forbidden = Votre clé, son forfait ou le formulaire envoyé ne le permet pas.
error-title-missing = Il n’y a rien à cette adresse
error-text-missing = La fiche ou la page n’existe pas ou n’existe plus. Vérifiez l’adresse ou lancez une recherche.
error-title-limit = Vous avez atteint votre limite
error-text-limit = Avec une clé, c’est la limite de son forfait ; sans clé, celle de votre adresse réseau. La page du compte indique ce qui reste.
error-title-busy = Le service est très sollicité
error-text-busy = Il a trop à faire en ce moment.
error-title-timeout = La réponse a pris trop de temps
error-text-timeout = Le service n’a pas fini à temps. Réessayez. Une recherche est plus rapide avec un mot de plus, une municipalité ou une période.
error-title-invalid = L’adresse n’est pas comprise
error-text-invalid = Une de ses parties n’est pas valide. Corrigez-la ou recommencez à partir de l’accueil.
error-title-server = Une erreur s’est produite de notre côté
error-text-server = L’erreur a été consignée. Rechargez la page ; si elle se répète, avertissez l’exploitant du service.
error-wait-seconds = { $count ->
    [one] Réessayez dans { $count } seconde.
   *[other] Réessayez dans { $count } secondes.
}
error-wait-minutes = Réessayez dans { $count } minutes.
error-wait-hours = Réessayez dans { $count } heures.
error-request-id = La requête est consignée sous le numéro { $id }.
error-home = Aller à l’accueil

## La page du compte.
account-title = Votre compte
account-notice-link = Ce lien ne fonctionne pas ou a déjà servi. Ouvrez une session avec une clé d’API.
account-notice-signed-out = Votre session est fermée.
account-notice-wrong-key = Cette clé n’est pas valide : elle est mal tapée, révoquée ou expirée. Vérifiez-la ou demandez-en une à l’exploitant du service.
account-notice-too-many-keys = Trop de clés non valides sont venues de votre adresse réseau. Une clé valide ouvre toujours la session.
account-notice-no-key = Tapez votre clé d’API.
account-key = Clé
account-plan = Forfait
account-today = Reste aujourd’hui
account-minute = Reste cette minute
account-left = { $left } requêtes sur { $all }
account-page-cap = Fiches par page
account-records = jusqu’à { $count }
account-pro = Nouveaux appels d’offres et estimations
account-pro-yes = compris
account-pro-no = non compris dans ce forfait
account-ends = Valide jusqu’au
account-minute-note = Chaque page compte comme une requête de l’API. La journée se termine à minuit, temps universel. Consulter cette page ne compte que pour la minute.
account-sign-out = Fermer la session
account-sign-in-title = Ouvrir une session
account-sign-in-text = Les pages sont réservées aux titulaires d’une clé d’API. Vous la tapez une seule fois ; elle n’est pas conservée dans votre navigateur.
account-key-label = Clé d’API
account-key-hint = Elle commence par pk_ et compte 43 caractères. L’exploitant du service vous l’a remise.
account-sign-in = Ouvrir une session
account-signed-in-already = Vous arrivez d’un autre site, et votre navigateur n’a pas transmis votre session. Si elle est ouverte :
account-continue = continuer vers la page
account-programs = Les programmes envoient plutôt la clé dans l’en-tête { $header }, pour les pages comme pour l’API.

## La page d’information.
about-title = Comment lire ces chiffres
about-what-title = De quoi il s’agit
about-what-text = Ce service cherche dans les contrats, les appels d’offres et les avis d’attribution que les organismes publics du Canada publient en données ouvertes : ministères fédéraux, provinces et municipalités. Chaque fiche indique sa source et, s’il y en a une, la page de l’organisme qui l’a publiée.
about-what-not = Ce n’est pas un registre officiel. Si un chiffre est important pour vous, vérifiez-le auprès de l’organisme.
about-read-title = Lire les chiffres
about-read-values = Les montants sont tels que publiés, avec ou sans taxes selon l’organisme. Ils ne sont pas corrigés de l’inflation.
about-read-currencies = Les totaux n’additionnent que des dollars canadiens. Les sommes en d’autres monnaies figurent à côté.
about-read-missing = Une valeur que l’organisme n’a pas donnée porte la mention « non publié », jamais zéro. Les totaux n’additionnent que ce qui a été publié.
about-read-doubt = Les fiches douteuses portent une marque et sa raison, et les totaux indiquent la part qui en provient. Rien n’est exclu pour autant : à vous de décider. Les estimations montrent leur fourchette avant leur milieu.
about-read-names = Les noms sont ceux qui ont été publiés. Deux graphies d’une même entreprise ne comptent pour une seule que si elles diffèrent par les accents, les majuscules ou la ponctuation.
about-read-kinds = Un même achat peut paraître comme appel d’offres, avis d’attribution, contrat et divulgation fédérale. N’additionnez pas des chiffres de types différents.
about-read-language = Si une fiche n’a pas de texte français, le texte anglais est montré et signalé.
about-search-title = Chercher
about-search-words = Tous les mots doivent être présents. Les accents, les majuscules et les terminaisons ne comptent pas : chemin trouve chemins.
about-search-languages = Les mots sont aussi cherchés dans l’autre langue, dans la mesure où ils sont connus : déneigement trouve snow removal. La page indique ce qui a été ajouté et comment s’en passer.
about-search-order = Les fiches les plus pertinentes viennent d’abord : les mots d’un titre comptent plus que ceux d’une description. D’autres ordres sont à un lien de là.
about-search-phrase = Les guillemets cherchent une expression : "travaux de voirie".
about-search-or = OR entre deux mots trouve l’un ou l’autre.
about-search-not = Un signe moins devant un mot écarte les fiches qui le contiennent : neige -toit.
about-licence-title = Licences
about-licence-text = Les données restent sous la licence ouverte de l’organisme qui les publie. Si vous les diffusez, nommez la source comme sa licence le demande.
about-accessibility-title = Accessibilité
about-accessibility-text = Les pages visent les WCAG 2.2, niveau AA. Elles fonctionnent au clavier, avec un lecteur d’écran, à un zoom de 400 %, en mode sombre et sans JavaScript. Chaque graphique a un tableau des mêmes chiffres.
about-accessibility-limits = Limites connues : les textes des fiches sont tels que publiés, parfois en majuscules, sans structure ou dans l’autre langue ; les documents des organismes sont hors de ce service. Si quelque chose vous bloque, dites-le à l’exploitant du service.
about-privacy-title = Vie privée
about-privacy-cookie = Un seul témoin est placé, et seulement quand vous ouvrez une session. Il contient le numéro de votre clé et une signature, prend fin après 12 heures et ne sert à rien d’autre. Aucun autre site n’est contacté.
about-privacy-address = Sans clé, votre adresse réseau est gardée en mémoire pour compter vos pages de la journée. Elle n’est pas écrite sur disque.
about-privacy-log = Le journal du serveur contient l’heure, la page et le numéro de la clé. Il ne contient ni ce que vous cherchez ni votre adresse.
about-programs-title = Pour les programmes
about-programs-text = Tout ce que montrent ces pages existe aussi en JSON, et leurs données en CSV pour les tableurs.
