# The search page: form, results, facets, conditions, nothing found, errors.

search-title-about = { $kind }: { $query }

## The form

search-form-label = Search
search-form-box = Words to search for
search-form-hint = All words must occur. OR between two words; "quotes" for a phrase; -{ "\u2060" }word to exclude.
search-form-kinds = What to search
search-form-more = More conditions
search-form-apply = Apply conditions
search-form-clear = Remove all conditions
search-form-any = Any

search-field-department = Buyer’s name contains
search-field-vendor = Supplier’s name contains
search-field-vendor_is = Supplier’s whole name
search-field-department_is = Buyer’s whole name
search-field-municipality = Place or government
search-field-category = Category
search-field-commodity = Commodity code begins with
search-field-status = Status
search-field-procurement_method = Procurement method begins with
search-field-notice_type = Notice type
search-field-region = Region of delivery or province
search-field-vendor_province = Supplier’s province
search-field-vendor_city = Supplier’s city
search-field-vendor_country = Supplier’s country, or “abroad”
search-field-reference_number = Reference number
search-field-value_min = Value from, in dollars
search-field-value_max = Value to, in dollars
search-field-awarded_after = Awarded from
search-field-awarded_before = Awarded until
search-field-published_after = Published from
search-field-published_before = Published until
search-field-closing_after = Closing from
search-field-closing_before = Closing until
search-field-ending_after = Ending from
search-field-ending_before = Ending until
search-field-body = Public body, all names
search-field-supplier = Supplier, all names
search-field-quality_flag = Doubts about the record
search-field-competition = Competition
search-field-amended = Amendments
search-field-level = Level of government
search-field-body_class = Type of buyer
search-field-date-hint = YYYY-MM-DD

## Active conditions

search-conditions = Active conditions
search-periods = Period
search-open-today = Open for bids today
search-values = Value
search-value-under = under { $to }
search-value-between = { $from } to { $to }
search-value-over = { $from } and more
search-period-year = This year
search-period-five = Last five years
search-period-fiscal = Fiscal year { $years }
search-still-open = Publishers leave notices open after their last day, so some of these are closed.
search-still-open-only = Only those that still take bids
search-condition-remove = Remove condition: { $condition }
search-condition-q = Words:
search-condition-department = Buyer:
search-condition-vendor = Supplier:
search-condition-vendor_is = Supplier, this name only:
search-condition-department_is = Buyer, this name only:
search-condition-municipality = Place:
search-condition-category = Category:
search-condition-status = Status:
search-condition-procurement_method = Method:
search-condition-notice_type = Notice type:
search-condition-region = Region:
search-condition-vendor_province = Supplier’s province:
search-condition-vendor_city = Supplier’s city:
search-condition-vendor_country = Supplier’s country:
search-condition-reference_number = Number:
search-condition-value_min = From
search-condition-value_max = Up to
search-condition-issued_after = Since
search-condition-issued_before = Until
search-condition-closing_after = Closing from
search-condition-closing_before = Closing until
search-condition-ending_after = Ending from
search-condition-ending_before = Ending until
search-condition-commodity = Commodity:
search-condition-body = Public body:
search-condition-supplier = Supplier:
search-supplier-names =
    { $count ->
        [one] { $name }
       *[other] { $name }, all { $count } names
    }
search-condition-quality_flag = Doubt:
search-condition-competition = Competition:
search-condition-amended = Amendments:
search-condition-level = Level:
search-condition-body_class = Type of buyer:
search-condition-won = Bid:
search-condition-ignored = Does not apply to these records

## Results

search-skip-to-results = Skip to the results
search-results = Results
search-records-contract =
    { $count ->
        [one] { $count } contract
       *[other] { $count } contracts
    }
search-records-tender =
    { $count ->
        [one] { $count } tender
       *[other] { $count } tenders
    }
search-records-award =
    { $count ->
        [one] { $count } award notice
       *[other] { $count } award notices
    }
search-records-disclosure =
    { $count ->
        [one] { $count } disclosed federal contract
       *[other] { $count } disclosed federal contracts
    }
search-records-standing_offer =
    { $count ->
        [one] { $count } standing offer
       *[other] { $count } standing offers
    }
search-records-pre_solicitation =
    { $count ->
        [one] { $count } pre-solicitation
       *[other] { $count } pre-solicitations
    }
search-buyers =
    { $count ->
        [one] { $count } buyer
       *[other] { $count } buyers
    }
search-suppliers =
    { $count ->
        [one] { $count } supplier
       *[other] { $count } suppliers
    }
search-supplier-spellings = { $count } names of suppliers
search-sentence-worth = { $records } worth { $value }
search-sentence-worth-published = { $records } worth { $value } where a value is published ({ $count } of them)
search-sentence-sound = { $value } ({ $sound } without the records in doubt)
search-sentence-period = { $sentence }, { $period }
search-sentence-buyers = { $sentence }, by { $buyers }
search-sentence-suppliers = { $sentence }, from { $suppliers }

search-hit-supplier = Supplier
search-hit-buyer = Buyer
search-hit-before = Before amendments
search-hit-value = Value
search-hit-awarded = Awarded
search-hit-published = Published
search-hit-closes = Closes
search-hit-closed = Closed
search-hit-number = Number
search-hit-status = Status
search-hit-no-title = No title published
search-hit-from-description = from the description
search-hit-from-commodity = from the commodity code
search-hit-from-category = from the category
search-hit-from-number = reference number
search-hit-still-open = Closed, although still listed as open
search-hit-ends = Ends

search-sort = Sort
search-sort-relevance = Best match first
search-sort-date-desc = Newest first
search-sort-date-asc = Oldest first
search-sort-closing-desc = Latest closing first
search-sort-closing-asc = Earliest closing first
search-sort-ending-desc = Latest end first
search-sort-ending-asc = Earliest end first
search-sort-value-desc = Highest value first
search-sort-value-asc = Lowest value first
search-sort-sound = Highest value first, without the records in doubt
search-first-in-doubt = Left out, because the record is in doubt ({ $doubts }): { $value }, { $supplier }{ $more ->
        [0] .
        [one] , and one more with a higher value than the first here.
       *[other] , and { $more } more with a higher value than the first here.
    }
search-sort-increase = Largest increase first ({ $count } rose in value)
search-amended-days = The days are those of the contracts, not of their amendments.
search-amended-largest = Highest contract value first, not largest amendment

search-pages = Pages of results
search-page-next = Next page
search-page-previous = Previous page
search-page-first = First page
search-page-shown = { $from }–{ $to } of { $total }
search-page-shown-after-cursor =
    { $count ->
        [one] { $count } record on this page, { $total } in all
       *[other] { $count } records on this page, { $total } in all
    }
search-page-end = In this order, only the first { $count } records can be shown. Add a condition, or sort by date.

## Facets

search-facets = Narrow the results
search-facet-year = Year
search-facet-department = Buyer
search-facet-vendor = Supplier
search-facet-category = Category
search-facet-commodity = Commodity
search-facet-quality_flag = Doubts
search-facet-competition = Competition
search-facet-level = Level of government
search-facet-body_class = Type of buyer
search-facet-municipality = Place
search-facet-status = Status as published
search-facet-procurement_method = Procurement method
search-facet-more =
    { $count ->
        [one] { $count } more value
       *[other] { $count } more values
    }
search-facet-other =
    { $count ->
        [one] and { $count } other, too rare to list
       *[other] and { $count } others, too rare to list
    }
search-facet-selected = selected
# Between values of which a record has one.
search-and-more = { $name } and { $count } more
search-or = or

search-category-CNST = Construction
search-category-GD = Goods
search-category-SRV = Services
search-category-SRVTGD = Services related to goods
search-status-Active = Active
search-status-Expired = Ended
search-status-Cancelled = Cancelled
search-status-Open = Open
search-competition-open = open to all
search-competition-invitation = by invitation
search-competition-none = without competition
search-competition-unknown = not known
search-amended-true = amended
search-amended-false = not amended
search-level-federal = federal
search-level-provincial = provincial
search-level-municipal = municipal

search-body_class-health = hospitals and other health bodies
search-body_class-university = universities
search-body_class-college = colleges
search-body_class-school = school boards
search-body_class-transit = public transit
search-body_class-housing = public housing
search-body_class-municipality = municipalities
search-body_class-other = departments, agencies and others

## Translation

search-translated = { $words }: { $others }
search-translate-is-on = Also searched:
search-translate-is-off = Only your own words were searched.
search-translate-off = Only my own words
search-codes = Included for their commodity code, not their words: { $records }. The codes:
search-codes-more = { $count } more
search-translate-on = Search other terms for them, too, in both languages

## Charts

search-charts = Charts: by year, buyers, suppliers
search-charts-without-suppliers = Charts: by year, buyers
search-chart-years = Number and total value by year
search-chart-years-number = Number by year
search-chart-buyers = Buyers with the highest total value
search-chart-buyers-number = Buyers with the most records
search-chart-suppliers = Suppliers with the highest total value
search-chart-suppliers-number = Suppliers with the most records
search-chart-among = { $title }, among the { $count } with the most records

## Nothing found

search-nothing = Nothing found
search-nothing-one = No record meets the conditions.
search-nothing-all = There are no records of this type yet.
search-nothing-spellings = Did you mean
search-nothing-spelled = finds { $records }
search-nothing-costs = What each condition leaves out
search-nothing-condition = Condition
search-nothing-without = Without it
search-nothing-alone = With it alone
search-nothing-vendors = Suppliers with a similar name
search-nothing-departments = Buyers with a similar name
search-nothing-elsewhere = Found among other records

## Wrong parameters

search-wrong = There is a problem with the search
search-wrong-without = Search without it

## What words may mean

search-unsearched = Nothing was searched for: “{ $text }” has no letter or digit. These are all records that fit the other conditions.
search-answer-years = By year
search-answer-year = Year
search-answer-no-data = no data
search-answer-value = Value
search-answer-value-sound = Without the records in doubt
search-answer-listed = Records with all of these words
search-gap-words = Without a title and a description: { $without } of the { $records } { $kind } of these sources. Words find only names and codes there.
search-unknown-buyer = If { $place } is meant as the buyer or the place: no source here has its purchases.
search-unknown-buyer-successors = A part of what it did is now done by: { $names }.
search-no-kind = { $kind }: the sources here have none. Records of other types are shown instead.
search-undated = Without a date: { $without } of these { $records } { $kind }. No year has them.
search-names-only = A word is only in a name, of the supplier or the buyer: { $count } of these { $records } { $kind }.
search-names-only-all = In each of these records, a word is only in a name, of the supplier or the buyer.
search-names-further = With a word only in a name, of the supplier or the buyer, and not counted: { $records }.
search-names-further-of-buyers = With the word only in the name of the buyer, and not counted: { $records }.
search-names-left-out-of-buyers = Without records that have a word only in the name of the buyer.
search-names-without = Only those with all words in the purchase itself ({ $count })
search-names-left-out = Only records with each word in the purchase itself, not only in the name of the supplier or the buyer. Without title and description, the supplier’s name counts.
search-names-left-out-stated = Only records that state each word in their title, description or code, not only in a name.
search-names-of-firms =
    { $count ->
        [one] { $count } of these records is counted only for the name of its supplier: neither its title nor its code says it. The same work of other firms may be missing.
       *[other] { $count } of these records are counted only for the name of their supplier: neither their title nor their code says it. The same work of other firms may be missing.
    }
search-names-with = Names, too
search-no-day-end_date = None of the { $records } { $kind } that match the other conditions has a last day.
search-no-day-closing_date = None of the { $records } { $kind } that match the other conditions has a closing day.
search-few-days-end_date =
    { $count ->
        [one] Only { $count } of the { $records } { $kind } that match the other conditions has a last day.
       *[other] Only { $count } of the { $records } { $kind } that match the other conditions have a last day.
    }
search-few-days-closing_date =
    { $count ->
        [one] Only { $count } of the { $records } { $kind } that match the other conditions has a closing day.
       *[other] Only { $count } of the { $records } { $kind } that match the other conditions have a closing day.
    }
search-gap-days = Without a date: { $without } of the { $records } { $kind } of these sources. No year finds them.
search-meanings = Perhaps you mean
search-meanings-all = What the words may mean
search-meaning-supplier =
    { $count ->
        [one] Supplier, under this name
       *[other] Supplier, under { $count } names
    }
search-meaning-department = Buyer
search-meaning-solicitation = Solicitation
search-meaning-commodity = Trade, by its code
search-meaning-municipality = Place or government
search-closing-in = closing: { $period }
search-ending-in = ending: { $period }
search-meaning-region = Deliveries to the region of that name, of all buyers
search-meaning-city-of-firms = To suppliers of that city, of all buyers
search-in-region = { $region } (region)
search-suppliers-in = suppliers in { $city }
search-suppliers-of-country = suppliers’ country: { $country }
search-suppliers-abroad = suppliers abroad
search-suppliers-stated = suppliers whose country is stated
search-meaning-conditions = With conditions in place of words
search-meaning-words = Without the words of the question
search-meaning-share-of-value = { $share }; { $percent } of the value, without the records in doubt
search-meaning-share = Share: { $part } of { $all }, { $percent }
search-meaning-spelling = “{ $word }” in place of “{ $written }”, which no record has next to the rest
search-meaning-misspelled = “{ $word }” in place of “{ $written }”, which few records have
search-set-aside = Whether a contract was set aside for Indigenous businesses, only proactive disclosures state, each in its own record. No search finds the contracts by it: the words find texts and names.
search-answer-codes = Included for their commodity code, not their words: { $records }.
search-answer-others-first = { $records }, the first { $first }
search-answer-others = Not counted here, under the same conditions:
search-answer-all = all { $count }
search-leaders-sound = { $title }, without the records in doubt
search-leaders = { $title }:
search-meaning-wider = Without “{ $word }”, which few records have next to the rest
search-who-bid-everywhere = { $words }, of all buyers and places
search-who-bid-all = all calls for tenders here, of any region
search-piece-price = Prices of single pieces are not published: values here are those of whole contracts, which may be for repairs, parts or several pieces.
search-other-years = In all years, the same search finds { $records }, of { $years }.
search-unit-price = Prices per unit, ton or hour are not published: values here are those of whole contracts.
search-meaning-fewer = Without “{ $word }”: no record has it next to the rest
search-who-bid = Who bid: { $name }
search-stated-bids = Number of bids: { $name }
search-stated-bids-figures = { $stated } of these { $records } { $kind } have a number of bids: the median is { $median }, the average { $mean }. { $one }
search-stated-bids-one = With one bid: { $count } ({ $share }).
search-newest-call = The newest call for tenders here with these conditions is of { $date }: later ones may be open, but are not here.
search-similar-names = Not counted here, because no rule joins them, are names like this one, each with all its records of any year and type: { $names }.
search-similar-name = { $name } ({ $count } in all)
search-no-method = Without a word on who could bid, and not counted: { $count } of the { $records } { $kind } that match the other conditions.
search-no-city = Only records that state the supplier’s city are counted; some publishers never state it.
search-no-country = Supplier’s country stated: { $count } of the { $records } { $kind } that match the other conditions. The rest is not counted.
search-growth = Before amendments: { $before }; now: { $now } ({ $change }). Records that state both: { $records }. Amendments raise some values and lower others.
search-body-name = { $name } ({ $count })
search-body-names = Counted under { $count } names of this buyer: { $names }.
search-consortia-count = Of consortia: { $records } of these. What each of their firms got is not published.
search-consortia = Of consortia: { $records } of these, worth { $value }. What each of their firms got is not published.
search-bids = Who bid on these calls for tenders, where publishers state it
search-meaning-calls = { $count ->
        [one] { $count } call for tenders with its bids
       *[other] { $count } calls for tenders with their bids
    }
search-meaning-who-bid = Its page, which says who bid where publishers state it
search-profile = profile
search-profile-of = Profile of { $name }
search-meaning-part = Suppliers with these words in their names
search-part-of-name = “{ $words }” in the supplier’s name
search-meaning-compared = Side by side
search-compared = { $one } and { $other }
search-compared-side = { $name }: { $records }.
search-compared-conditions = under the same conditions
search-compared-more = { $count ->
    [one] One more name begins
   *[other] { $count } more names begin
} like this.
search-as-words = All words were searched for as words. With conditions in place of some of them:
search-meaning-records =
    { $count ->
        [one] { $count } record
       *[other] { $count } records
    }
search-meaning-of-all = { $records }; { $count } records of all types
search-suggestions = Suggestions
search-suggestions-count =
    { $count ->
        [0] No suggestions
        [one] { $count } suggestion; the arrow keys choose
       *[other] { $count } suggestions; the arrow keys choose
    }
