# What is doubtful about records and totals, their average values, and sums of other currencies.

search-quality_flag-placeholder_value = placeholder amount
search-quality_flag-implausible_value = implausible amount
search-quality_flag-future_date = date in the future
search-quality_flag-no_vendor = no supplier named
search-quality_flag-duplicate_suspect = possible duplicate
search-quality_flag-none = no doubt
quality-about-placeholder_value = The amount looks like a placeholder, such as $1 or one cent, not like a price.
quality-about-implausible_value = The amount is very far from those of similar records of the same source. It may be a typing error.
quality-about-future_date = Its date is later than the day on which the publisher’s file was published or fetched.
quality-about-no_vendor = The publisher does not name the supplier.
quality-about-duplicate_suspect = Another record has the same buyer, supplier and value, and the same date or solicitation number. The same purchase may have been published twice.
quality-not-an-amount = not an amount
quality-telephone = { $published } looks like the telephone number { $number }; it is not counted.
quality-unclear-amount = What the publisher wrote as the amount, “{ $published }”, is not clearly one amount; it is not counted.
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
average-all = Average value: { $average }. Median: { $median }, of { $count } published values.
average-sound = Without the records in doubt: average value { $average }, median { $median }, of { $count } published values.
average-too-few = { $count ->
    [one] Only { $count } of { $total } records states a value: no average.
   *[other] Only { $count } of { $total } records state a value: no average.
}
average-too-few-sound = { $count ->
    [0] Without the records in doubt, no value is left: no average.
    [one] Without the records in doubt, only { $count } value is left: no average.
   *[other] Without the records in doubt, only { $count } values are left: no average.
}
average-largest = One record has { $value } of this value ({ $share }).
average-largest-about = One record has { $value } of this value ({ $share }): { $about }.
average-largest-title = “{ $title }”
average-largest-first = Highest value first
