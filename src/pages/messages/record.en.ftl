# The pages of a record and of a solicitation, and tables of records.

## A text that the record has only in the other language.
text-in-en = in English
text-in-fr = in French

## A record, by its entity type.
record-kind-contract = Contract
record-kind-tender = Tender
record-kind-award = Award notice
record-kind-disclosure = Disclosed contract
record-kind-standing_offer = Standing offer
record-kind-pre_solicitation = Pre-solicitation

## Groups of fields.
record-group-key = Key facts
record-group-description = What is bought
record-group-parties = Who is involved
record-group-procedure = How it is bought
record-group-history = What changed
record-group-classification = Classification
record-group-documents = Pages of the publisher
record-group-numbers = Numbers
record-group-source = Origin of the data
record-group-other = Other

## Members of objects inside a record.
record-member-disposition = Legal provision
record-member-limited_tendering_reason = Reason for limited tendering
record-member-procurement_method_rationale = Reason for the method
record-member-selection_criteria = Selection criteria
record-member-trade_agreements = Trade agreements
record-member-indigenous_set_aside = Set-aside for Indigenous businesses
record-member-land_claims_agreements = Land claims agreements
record-member-regions_of_opportunity = Regions of the bidders
record-member-language = Language
record-member-doc_index = Number in the list
record-member-url = Address
record-member-document_type = Type

## Codes of the publishers, in words.
record-code-government_level-federal = Federal
record-code-government_level-provincial = Provincial
record-code-government_level-municipal = Municipal
record-code-solicitation_procedure-AC = Advance contract award notice
record-code-solicitation_procedure-OB = Open bidding
record-code-solicitation_procedure-ST = Selective tendering
record-code-solicitation_procedure-TC = Traditional competitive
record-code-solicitation_procedure-TN = Traditional non-competitive
record-code-instrument_type-C = Contract
record-code-instrument_type-A = Amendment
record-code-instrument_type-SOSA = Standing offer or supply arrangement
record-code-indigenous_business-Y = Yes
record-code-indigenous_business-N = No
record-code-language-en = English
record-code-language-fr = French

## Values.
record-whole-title = The whole title
record-yes = Yes
record-no = No
record-moment = { $day }, { $time } ({ $zone })
record-zone-eastern = Eastern time
record-in-other-language = Also in French
record-untitled = { $kind } { $id }

## Parts of the page.
record-closes = { $count ->
    [0] Closes today, { $date }.
    [one] Closes on { $date }, in { $count } day.
   *[other] Closes on { $date }, in { $count } days.
}
record-closed = Closed on { $date }.
record-closed-open = Closed on { $date }, although its publisher still lists it as open.
record-commodities = All records with the same code:
record-worth = What is this tender worth? See similar contracts
record-amendments-title = Amendments
record-amendments-summary =
    { $count ->
        [one] From { $from } to { $to } by { $count } amendment ({ $share }).
       *[other] From { $from } to { $to } by { $count } amendments ({ $share }).
    }
record-amendments-summary-plain =
    { $count ->
        [one] From { $from } to { $to } by { $count } amendment.
       *[other] From { $from } to { $to } by { $count } amendments.
    }
record-amendments-original = As first published
record-amendments-number = Amendment { $number }
record-amendments-step = Step
record-amendments-change = Change
record-amendments-value = Value after it
record-amendments-end = Last day
record-amendments-supplier = Supplier
record-amendments-period = Reporting period
record-amendments-reference = Reference number
record-amendments-note = What differs from the step before is in bold.
record-documents-title = Documents
record-document-kind-tenderNotice = Tender notice
record-document-number = Document { $number }
record-related-title = The same solicitation
record-related-timeline = The whole life of solicitation
record-related-none = No other record here has its number.
record-source = Source:
record-publisher-title = Publisher and licence
record-publisher-page = Dataset
record-publisher-licence = Licence
record-publisher-attribution = Attribution
record-publisher-sources = How complete this source is
record-publisher-unknown = The source of this record is not one of those that this service knows. Ask its operator about the licence.
record-raw = The record as it is stored

## No such record.
solicitation-group-notice = { $count } notices
solicitation-group-amendment = { $count } amendments
solicitation-group-closing = { $count } closings
solicitation-group-award = { $count } awards
solicitation-group-contract = { $count } contracts
record-missing-title = There is no such record
record-missing-text = No record of this type has the identifier
record-missing-elsewhere = Another record has this identifier:
record-missing-search = Search:

## Tables of records.
records-caption-related = Other records of the same solicitation
records-caption-solicitation = Records of the solicitation, the newest of each type first
records-caption-newest = The newest records
records-date = Date
records-kind = Type
records-title = Title
records-supplier = Supplier
records-buyer = Buyer
records-value = Value

## A solicitation.
solicitation-title = Solicitation { $number }
solicitation-records =
    { $count ->
        [one] { $count } record
       *[other] { $count } records
    }
solicitation-from = from { $first } to { $last }
solicitation-on = on { $first }
solicitation-days =
    { $days ->
        [one] { $days } day from the first notice to the first award
       *[other] { $days } days from the first notice to the first award
    }
solicitation-with-suppliers =
    { $count ->
        [one] { $count } supplier
       *[other] { $count } suppliers
    }
solicitation-worth = worth { $value }
solicitation-suppliers = Suppliers
solicitation-buyers = Buyers
solicitation-several-buyers = Several buyers use this number. Choose one to see its records only:
solicitation-one-buyer = Only the records of a buyer whose name contains
solicitation-all-buyers = Show the records of all buyers
solicitation-more =
    { $count ->
        [one] and { $count } more
       *[other] and { $count } more
    }
solicitation-timeline = From notice to contract
solicitation-timeline-cut = The chart shows the first { $count } events. The table has all records.
solicitation-cut = { $shown } of { $total } records are shown.
solicitation-event-announced = Announced
solicitation-event-announcement_closed = Announcement closed
solicitation-event-started = Contract started
solicitation-event-ended = Contract ended
solicitation-event-with = { $event }: { $name }
solicitation-missing-title = No record has this solicitation number
solicitation-missing-text = Case, blanks and punctuation do not matter. Check the number
solicitation-missing-search = Search the text of all contracts for it
solicitation-missing-tenders = Search the tenders for it
