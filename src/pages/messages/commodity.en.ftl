# The pages of commodity codes, and market figures.

commodity-scheme-unspsc = UNSPSC
commodity-scheme-gsin = GSIN
commodity-scheme-object = Economic object

## The page of a code.
commodity-kicker = Commodity
commodity-place = Place in the hierarchy
commodity-all = All commodities
commodity-no-words = No source states the words of this code.
commodity-other-words = In French:
commodity-own-words = Not every source names this code in both languages: words are partly those of this project.
commodity-leading = Words that lead here:
commodity-children = What it consists of
commodity-name = Commodity
commodity-number = Records
commodity-value = Value
commodity-search = Search all records with this code
commodity-count-note = A record counts for each of its codes, and for all codes above them.
commodity-nothing = There are no records of this type with this code. Choose another type.

## No such code.
commodity-unknown-title = No record has this commodity code
commodity-unknown-text = Codes have 2, 4, 6 or 8 digits (UNSPSC), or begin with a letter (GSIN), such as N7030.
commodity-unknown-search = Find a code by its words

## The list of codes.
commodities-title = Commodities
commodities-about = Publishers state in codes what is bought. Look for the words of a code, or go down from the highest level.
commodities-label = Words or start of a code
commodities-count = { $count ->
    [0] No code that records have fits.
    [one] { $count } code that records have
   *[other] { $count } codes that records have
}
commodities-below = Codes below
commodities-next = Next codes
commodities-first = First codes

## Market figures.
market-title = Market figures
market-figure = Figure
market-value = Value
market-coverage = Stated by
market-name-competition = Awarded without competition
market-name-bids = Median number of bids
market-name-top_five = Share of the five largest suppliers
market-name-concentration = Concentration (HHI)
market-name-growth = Growth by amendments
market-about-competition = Share of the value whose method of procurement names one supplier only.
market-about-bids = Half of the awards had at most as many bids.
market-about-top_five = Share of the value that the five suppliers with the most of it have.
market-about-concentration = Sum of the squared shares of the suppliers: near 0 for many small ones, 10,000 for a single one.
market-about-growth = Change of the value by amendments, where the value before them is published.
market-new-title = New suppliers by year
market-new-about = A supplier is new in the year of its first record among these: in the first year that the sources cover, all are. Years that no source covers are left out.
market-new = New
market-suppliers = All of the year
