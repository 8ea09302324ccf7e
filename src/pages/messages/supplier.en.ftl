# The page of a supplier with all its names.

supplier-under-names =
    { $count ->
        [one] under { $count } name
       *[other] under { $count } names
    }
supplier-with-names =
    { $count ->
        [one] { $name } ({ $count } name)
       *[other] { $name } ({ $count } names)
    }
supplier-ranked-by-suppliers = Suppliers are ranked over the names known to be theirs; a firm may have more.
supplier-ranked-by-spellings = Each spelling of a supplier’s name is ranked for itself.
supplier-rank-by-suppliers = Rank suppliers over all their names
supplier-rank-by-spellings = Rank each spelling for itself
supplier-ranked-by-all-names = Buyers and suppliers are ranked over the names known to be theirs; a firm may have more.
supplier-ranked-by-buyers = Buyers are ranked over all their names. A record of a part of a buyer counts for both.
supplier-rank-by-buyers = Rank buyers over all their names
supplier-ranked-by-bodies = Buyers are ranked over all their names; suppliers have too many, so that each name is ranked for itself.
supplier-rank-by-bodies = Rank buyers over all their names
supplier-ranked-by-names = Each name is ranked for itself.
supplier-rank-by-all-names = Rank buyers and suppliers over all their names
supplier-rank-by-names = Rank each name for itself
supplier-all-names = All { $count } names together
supplier-total =
    { $count ->
        [one] One name is known to belong to it.
       *[other] The sums on this page join { $count } names.
    } Records of all types together: { $records }, worth { $value }. A purchase that is published as an award and as a contract counts in both.
supplier-names-title = Names, and why each is here
supplier-name = Name
supplier-records = Records
supplier-value = Value, all types
supplier-reason = Reason
supplier-more-names = The { $listed } names with most records of { $count }.
supplier-reason-chosen = The name that all are shown under.
supplier-reason-number = It is published with { $number }, as “{ $with }” is.
supplier-reason-legal-name = { $source } publishes it and “{ $with }” as the name and the legal name of one supplier.
supplier-reason-operating-name = { $source } publishes it and “{ $with }” as the name and the operating name of one supplier.
supplier-reason-standardized-name = { $source } publishes it and “{ $with }” as the name and the standardized name of one supplier.
supplier-reason-division = One of this name and “{ $with }” says that it is a division of the other.
supplier-reason-core-name = It differs from “{ $with }” in its form only, and both are at { $code }.
supplier-reason-core-name-city = It differs from “{ $with }” in its form only, and both are in one city.
supplier-reason-core-name-only = It differs from “{ $with }” in its form only, and nothing states another place.
supplier-reason-near-name = It is spelled nearly as “{ $with }” is, and both are at { $code }.
supplier-reason-table = The table of names of public bodies lists it with “{ $with }” ({ $source }).
supplier-reason-municipality = It is the municipality of { $place }, as “{ $with }” is.
supplier-reason-ampersand = It differs from “{ $with }” in “&” for “and” or “et” only, and both are of one government.
supplier-reason-claim = A person has claimed that it is “{ $with }”
supplier-numbers-title = Official numbers
supplier-number = { $number }, published { $count ->
        [one] once
       *[other] { $count } times
    }
supplier-number-neq = Quebec enterprise number (NEQ) { $number }
supplier-number-alberta = account { $number } on Alberta’s portal
supplier-number-seao = body { $number } on Quebec’s portal
supplier-suggestions-title = Perhaps the same
supplier-suggestions-about = These are not in any sum of this page. A person has to decide.
supplier-suggestion = Name
supplier-suggestion-why = Why it is not decided
supplier-compare = Compare
supplier-suggestion-names = “{ $own }” and “{ $other }”: { $why }
supplier-suggestion-evidence = “{ $own }”: { $sentence } No rule joins them: { $why }
supplier-waiting-several-names = a publisher gives one of the names to several suppliers.
supplier-waiting-single-statement = only one statement gives them the same official number.
supplier-waiting-too-many-names = together they would have more names than a rule may join.
supplier-waiting-two-large-suppliers = both have more than ten names.
supplier-waiting-different-numbers = they have different official numbers.
supplier-waiting-one-word = a name of one word without an official number may be that of several firms.
supplier-waiting-consortium = one is a consortium, which is a bidder of its own.
supplier-waiting-person = it is the name of a person.
supplier-waiting-different-forms = their legal forms differ.
supplier-waiting-same-core-name = they are equal but for legal form and punctuation, and share no place.
supplier-waiting-division = one is a part of the other.
supplier-waiting-near-name = they are spelled nearly the same, and share a place.
supplier-words-of-name = { $records } of suppliers whose names contain “{ $words }”
supplier-alike-title = Similar names, not joined
supplier-alike-about = No rule joins these with it. A consortium is a bidder of its own.
supplier-consortium = consortium
supplier-report-title = Do you disagree?
supplier-report = Rules join names by what publishers state; records never change. If two firms or bodies are joined here, or one is split, send the operator of this service the address of this page, the two names, and how you know. The operator can record that two names are the same, or different ones; this beats every rule from the next index on.
supplier-search = Search all records of this supplier
supplier-ranked-by-value = Ranked by value.
supplier-ranked-by-number = Ranked by number.
supplier-rank-by-value = Rank by value
supplier-rank-by-number = Rank by number
supplier-search-body = Search all records of this body

# The lists of suppliers and of public bodies.

parties-title-suppliers = Suppliers
parties-title-bodies = Public bodies
parties-about-suppliers = Suppliers with all their names, those with most records first. The page of each says why its names belong together.
parties-about-bodies = Public bodies with all their names, those with most records first. The page of each says why its names belong together.
parties-label = Part of any of the names
parties-count-suppliers =
    { $count ->
        [0] There is no such supplier.
        [one] { $count } supplier.
       *[other] { $count } suppliers.
    }
parties-count-bodies =
    { $count ->
        [0] There is no such public body.
        [one] { $count } public body.
       *[other] { $count } public bodies.
    }
parties-names = Names
parties-years = Years of records
parties-note = A purchase that is published as an award and as a contract counts in both.
parties-first = First page
parties-next = Next page
