# What is doubtful about records and totals, and sums of other currencies.

quality-name-placeholder_value = placeholder amount
quality-name-implausible_value = implausible amount
quality-name-future_date = date in the future
quality-name-no_vendor = no supplier named
quality-name-duplicate_suspect = possible duplicate
quality-name-none = no doubt
quality-about-placeholder_value = The amount looks like a placeholder, such as $1 or one cent, not like a price.
quality-about-implausible_value = The amount is very far from those of similar records of the same source. It may be a typing error.
quality-about-future_date = Its date is later than the day on which the publisher’s file was published or fetched.
quality-about-no_vendor = The publisher does not name the supplier.
quality-about-duplicate_suspect = Another record has the same buyer, supplier, date and value. The same purchase may have been published twice.
quality-title = Doubts about this record
quality-tag = Doubtful
quality-share = { $share } of this value ({ $value }) is of { $count ->
    [one] { $count } record with a doubt.
   *[other] { $count } records with a doubt.
}
quality-number = { $count ->
    [one] { $count } of these records has a doubt.
   *[other] { $count } of these records have a doubt.
}
quality-counted = { $name } ({ $count })
quality-flags = Reasons: { $flags }.
quality-without = Leave them out
quality-currency = { $value } ({ $count ->
    [one] { $count } record
   *[other] { $count } records
})
quality-currencies = Not in this total: { $sums }.
