# The page that estimates what a tender is worth.

worth-title = Worth of: { $title }
worth-kicker = What is this tender worth?
worth-estimate = The estimate
worth-stated = The notice states a value of { $value }.
worth-range = Probably between { $low } and { $high }.
worth-too-few = { $count ->
    [0] There is no comparable contract, so there is no estimate.
    [one] There is only { $count } comparable contract: too few for an estimate. At least five are needed.
   *[other] There are only { $count } comparable contracts: too few for an estimate. At least five are needed.
}
worth-stated-range = Half of comparable contracts were between { $low } and { $high }.
worth-percentiles = Four of five such contracts should be between { $p10 } and { $p90 }. The middle is { $middle }.
worth-confidence-high = Reliable: for contracts whose value is known, such estimates were close.
worth-confidence-medium = Rather reliable: for contracts whose value is known, such estimates were sometimes off by a factor of two.
worth-confidence-low = Unreliable: for contracts whose value is known, such estimates were often far off.
worth-basis = { $count ->
    [one] Based on { $count } contract awarded from { $from } to { $to }.
   *[other] Based on { $count } contracts awarded from { $from } to { $to }.
}
worth-level-buyer-and-title = They include contracts of this buyer for nearly the same words.
worth-level-buyer-and-code = They include contracts of this buyer with the same commodity code.
worth-level-code = They include contracts with the same commodity code.
worth-level-code-class = They include contracts of the same class of commodities.
worth-level-code-family = They include contracts of the same family of commodities.
worth-level-category-and-text = They share the category and similar words, no commodity code.
worth-level-category-and-government-level = They share only the category and the level of government.
worth-caveats = What to keep in mind
worth-comparables = Comparable contracts
worth-no-comparables = No contract is comparable.
worth-plot-title = Values of comparable contracts, Canadian dollars
worth-band-wide = Four of five
worth-band-narrow = Half
worth-middle = Middle
worth-mark-stated = Stated
worth-table = { $count ->
    [one] The most similar contract
   *[other] The { $count } most similar contracts, the closest in what is bought first. Weight: how much a contract counts in the estimate.
}
worth-contract = Contract
worth-supplier = Supplier
worth-awarded = Awarded
worth-value = Value
worth-weight = Weight
worth-reasons = Why comparable
worth-ends = Ends
worth-competition = { $count ->
    [one] One supplier won all of them.
   *[other] { $count } suppliers won them; the most frequent one won { $share }.
}
worth-bid = Values to bid around
worth-bid-aggressive = Low
worth-bid-competitive = Competitive
worth-bid-conservative = High
worth-incumbent = Who has the contract now, or had it last
worth-incumbent-share = { $total ->
    [one] It is the only contract of this buyer for this need.
   *[other] It had { $count } of the { $total } contracts of this buyer for this need.
}
worth-expiring = Contracts of this buyer for such a need that end within twelve months
worth-holders = Suppliers with a standing offer for such a need
worth-until = until { $date }
