# The page of sources.

sources-title = Sources
sources-sentence = { $records ->
    [one] { $records } record
   *[other] { $records } records
} from { $sources ->
    [one] { $sources } source
   *[other] { $sources } sources
}.
sources-about = Public bodies publish them as open data. This service reads their files and changes no figure in them.
sources-grid = Records by source and year of the award or publication
sources-row = { $source }, { $kind }
sources-row-kind-contract = contracts
sources-row-kind-tender = tenders
sources-row-kind-award = award notices
sources-row-kind-disclosure = disclosed federal contracts
sources-row-kind-standing_offer = standing offers
sources-row-kind-pre_solicitation = pre-solicitations
sources-periods = Period and freshness
sources-source = Source
sources-kind = Records of
sources-records = Number
sources-from = First date
sources-to = Last date
sources-to-future = as published, after the day of this index
sources-updated = Published or fetched
sources-presence = What the records state
sources-presence-about = The share of the records in which a publisher states something. What is missing is shown as “not published”, never as zero.
sources-no-part = does not apply
sources-part-date = Date
sources-part-subject = Title or description
sources-part-value = Value
sources-part-buyer = Buyer
sources-part-supplier = Supplier
sources-part-commodity_code = Commodity code
sources-part-closing_date = Closing date
sources-licences = Licences
sources-licences-about = You may use the records under the licence of their source. Most licences ask you to show the attribution.
sources-licence = Licence
sources-attribution = Attribution
sources-rhythm = The publisher updates it
sources-publisher = Publisher’s page
sources-own = These records were added by the operator of this service. Ask the operator for their licence.
sources-rhythm-daily = every day
sources-rhythm-weekly = every week
sources-rhythm-monthly = every month
sources-rhythm-quarterly = every quarter
sources-rhythm-on-demand = on demand
sources-rhythm-frozen = no longer
sources-name-canadabuys-tender = CanadaBuys, tender notices
sources-name-canadabuys-award = CanadaBuys, award notices
sources-name-canadabuys-contract = CanadaBuys, contract history
sources-name-canadabuys-sosa = CanadaBuys, standing offers
sources-name-disclosure = Federal proactive disclosure
sources-selection-disclosure-export = Of disclosed federal contracts, a source here is the export of a search on the publisher’s page: it has only what that search found.
sources-name-disclosure-export = Federal proactive disclosure, export
sources-name-buyandsell-tender = Buyandsell, tender notices
sources-name-buyandsell-contract = Buyandsell, contract history
sources-name-seao-xml = SEAO (Quebec), until 2024
sources-name-seao-ocds = SEAO (Quebec), since 2021
sources-name-montreal = City of Montréal
sources-name-toronto = City of Toronto
sources-name-novascotia = Nova Scotia
sources-name-alberta = Alberta
sources-dump = Whole files
sources-dump-about = All records, bids and suppliers of the index { $generation }, as Parquet and as compressed NDJSON.
sources-dump-paid = They need a key of a paid plan.
sources-dump-file = File
sources-dump-rows = Rows
sources-dump-size = Megabytes
