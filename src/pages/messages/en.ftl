# Texts that several pages share, and those of the home, error, account and about pages.

site-name = Public Procurement Explorer
other-language = Français
skip-to-content = Skip to content
nav-label = Main
nav-search = Search
nav-feed = New tenders
nav-sources = Sources
nav-about = About
nav-account = Account
footer-about = Canadian public procurement, from the publishers’ own open data.
footer-as-of = Updated here on { $date }.
footer-printed = { $address }, printed on { $date }.
footer-sources = Sources and their licences
footer-licence = How to read these figures
footer-api = For programs: the API
footer-cite = Cite this page
pinned-note = These figures are of an older index, published here on { $date }.
pinned-current = Show the current figures
cite-title = Cite this page
cite-about = Figures change when the data are updated. This address shows the page as it is now, as long as the operator keeps this index.
cite-address = The address of the page in this index
cite-text = The data, as a sentence
title-error = Error: { $title }
exports-title = Take this data with you
exports-json = The same as JSON: the address in the API, which needs your API key in a header
exports-rows-all = The CSV has { $count ->
    [one] the only row.
   *[other] all { $count } rows.
}
exports-rows-cut = The CSV has the first { $rows } of { $total } rows. The Link header of the file leads to the next ones.
exports-whole = All rows as one file
exports-whole-paid = with a key of a paid plan
exports-whole-csv = CSV
exports-whole-excel = CSV for Excel
exports-whole-parquet = Parquet
exports-whole-ndjson = NDJSON
exports-curl = The same as JSON, from a terminal; KEY is your API key
copy-button = Copy
copied-button = Copied
not-copied-button = Selected: copy it with the keyboard
search-button = Search

## The entity types.
kinds-contract = Contracts
kinds-tender = Tenders
kinds-award = Award notices
kinds-disclosure = Disclosed federal contracts
kinds-standing_offer = Standing offers
kinds-pre_solicitation = Pre-solicitations

## Values that records do not have.
not-published = not published

## The home page.
home-title = Who sells what to Canada’s public bodies?
home-search-label = Search contracts and tenders
home-kind-label = In
home-kind-any = All records
home-examples = Try:
home-example-1 = snow removal
home-example-2 = bridge repair
home-example-3 = software licences
home-lists = Or go through a list:
home-suppliers = suppliers
home-bodies = public bodies
home-bids = who bid
home-commodities = commodity codes
home-inside = What is inside
home-inside-counts = { $records ->
    [one] One record
   *[other] { $records } records
} from { $sources ->
    [one] one source.
   *[other] { $sources } sources.
}
home-inside-fetched = Last fetched on { $date }.
home-inside-sources = All sources, what they cover and their licences
home-contents-caption = By type of record and source
home-contents-latest = Newest record
home-contents-year = in { $year }
home-contents-updated = { $count ->
    [0] { $date } (today)
    [one] { $date } ({ $count } day ago)
   *[other] { $date } ({ $count } days ago)
}
home-years-title = Contracts by year
home-years = Value and number of contracts awarded, by year of the award
home-closing = Open tenders that close next
home-closing-none = No open tender states when it closes.
home-closing-date = Closes
home-closing-tender = Tender
home-closing-buyer = Buyer
home-closing-all = All open tenders
home-ending = Contracts that end soon

## Errors.
error-title-forbidden = This page is not open to you
error-text-forbidden = Your key, its plan or the form you sent does not allow it.
error-title-missing = There is nothing at this address
error-text-missing = The record or the page does not exist, or no longer. Check the address, or search for it.
error-title-limit = You have reached your limit
error-text-limit = With a key, it is the limit of its plan; without one, that of your network address. The account page shows what is left.
error-title-busy = The service is busy
error-text-busy = It has too much to do at the moment.
error-title-timeout = This took too long
error-text-timeout = The service did not finish in time. Try again. A search is faster with one more word, a municipality or a period.
error-title-invalid = The address cannot be understood
error-text-invalid = A part of it is not valid. Change it, or start again from the home page.
error-title-server = Something went wrong on our side
error-text-server = The error was logged. Load the page again; if it happens again, tell the operator.
error-wait-seconds = { $count ->
    [one] Try again in { $count } second.
   *[other] Try again in { $count } seconds.
}
error-wait-minutes = Try again in { $count } minutes.
error-wait-hours = Try again in { $count } hours.
error-request-id = The request is logged as { $id }.
error-home = Go to the home page

## The account page.
account-title = Your account
account-notice-link = This link does not work, or was used before. Sign in with an API key.
account-notice-signed-out = You are signed out.
account-notice-wrong-key = This key is not valid: it is mistyped, revoked or expired. Check it, or ask the operator for a key.
account-notice-too-many-keys = Too many wrong keys came from your network address. A right key still signs in.
account-notice-no-key = Type your API key.
account-key = Key
account-plan = Plan
account-today = Left today
account-minute = Left this minute
account-left = { $left } of { $all } requests
account-page-cap = Records on a page
account-records = up to { $count }
account-pro = New tenders and estimates
account-pro-yes = included
account-pro-no = not included in this plan
account-ends = Valid until
account-minute-note = Each page counts like a request of the API. The day ends at midnight UTC. Looking at this page counts for the minute only.
account-sign-out = Sign out
account-sign-in-title = Sign in
account-sign-in-text = The pages are for holders of an API key. You type it once; it is not stored in your browser.
account-key-label = API key
account-key-hint = It begins with pk_ and has 43 characters. The operator of this service gave it to you.
account-sign-in = Sign in
account-signed-in-already = You came from another site, so your browser did not send your session. If you are signed in:
account-continue = continue to the page
account-programs = Programs send the key in the header { $header } instead, on pages as in the API.

## The about page.
about-title = How to read these figures
about-what-title = What this is
about-what-text = This service searches the contracts, tenders and award notices that Canadian public bodies publish as open data: federal departments, provinces and municipalities. Each record shows its source, and a link to the publisher’s own page where there is one.
about-what-not = It is not an official register. Where a figure matters, check it at the publisher.
about-read-title = Reading the figures
about-read-values = Amounts are as published, taxes as the publisher has them. They are not adjusted for inflation.
about-read-currencies = Totals add up Canadian dollars only. The sums of other currencies are listed next to them.
about-read-missing = A value that a publisher left out is shown as “not published”, never as zero. Totals add up only what was published.
about-read-doubt = Records that are doubtful carry a mark and the reason, and totals name the share that they have. Nothing is left out for that: you decide. Estimates show their range before their middle.
about-read-names = Names are as published. Two spellings of one company count as one only if they differ in accents, case or punctuation.
about-read-kinds = The same purchase can appear as a tender, an award notice, a contract and a federal disclosure. Do not add up figures of different kinds.
about-read-language = Where a record has no English text, the French one is shown and marked.
about-search-title = Searching
about-search-words = All words have to occur. Accents, capitals and endings do not matter: road finds roads.
about-search-languages = The words are also searched in the other language, as far as they are known: snow removal finds déneigement. The page says what was added, and how to turn it off.
about-search-order = The best match comes first: words in a title count more than words in a description. Other orders are a link away.
about-search-phrase = Quotation marks look for a phrase: "snow removal".
about-search-or = OR between two words finds either.
about-search-not = A minus before a word leaves out the records that have it: snow -roof.
about-licence-title = Licences
about-licence-text = The data stay under the open licences of their publishers. If you pass them on, name the source as its licence asks.
about-accessibility-title = Accessibility
about-accessibility-text = The pages aim at WCAG 2.2, level AA. They work with a keyboard, with a screen reader, at 400% zoom, in dark mode and without JavaScript. Every chart has a table with the same figures.
about-accessibility-limits = Known limits: texts of records are as published, so they can be in capitals, without structure or in the other language; documents of publishers are outside this service. If something stops you, tell the operator of this service.
about-privacy-title = Privacy
about-privacy-cookie = One cookie is set when you sign in, and only then. It holds the number of your key and a signature, ends after 12 hours, and is not used for anything else. No other site is contacted.
about-privacy-address = Without a key, your network address is kept in memory to count your pages of the day. It is not written to disk.
about-privacy-log = The log of the server has the time, the page and the number of the key. It has neither what you searched for nor your address.
about-programs-title = For programs
about-programs-text = Everything on these pages is also available as JSON, and their data as CSV for spreadsheets.
