# The comparison of suppliers, buyers or commodities.

compare-title = Comparison
compare-title-of = Comparison: { $names }
compare-kicker-supplier = Suppliers
compare-kicker-department = Buyers
compare-kicker-commodity = Commodities
compare-things = Compared
compare-remove = Remove { $name }
compare-label-supplier = Compare with another supplier
compare-label-department = Compare with another buyer
compare-label-commodity = Compare with another commodity, by its words or code
compare-button = Compare
compare-unknown-supplier = No supplier has this name
compare-no-records = The supplier of exactly this name has no records
compare-without-records = no records
compare-unknown-department = No buyer has this name
compare-unknown-commodity = No commodity has this code
compare-caption = The same figures, and how they differ from those of the first
compare-more = { $amount } more
compare-less = { $amount } less
compare-same = the same
compare-points = { $count ->
    [one] { $count } point
   *[other] { $count } points
}
compare-alike = { $count ->
    [one] { $count } other supplier has a name that begins like one of “{ $name }”. Its records are not counted here.
   *[other] { $count } other suppliers have names that begin like one of “{ $name }”. Their records are not counted here.
}
compare-alike-many = At least { $count ->
    [one] { $count } other supplier has a name that begins like one of “{ $name }”. Its records are not counted here.
   *[other] { $count } other suppliers have names that begin like one of “{ $name }”. Their records are not counted here.
}
compare-joined-name = { $count ->
    [one] { $name } and { $count } similar name
   *[other] { $name } and { $count } similar names
}
compare-joined = “{ $first }” is counted here with names that begin alike, which no publisher states to be one firm: { $names }.
compare-consortia = Not counted: consortia that name “{ $name }”, each a bidder of its own: { $names }
compare-divisions = “{ $name }” is counted here with its divisions: { $names }
compare-alike-list = Similar names
compare-years = By year, on one axis
compare-nothing = There are no records of this type. Choose another type.
compare-nothing-conditions = There are no records of this type under these conditions.
compare-conditions = Counted for each: only records under these conditions
compare-uneven = The sources do not cover the same years for all, so figures of all years are not comparable. Only the rows “in { $years }”, of the years that are covered for all, state differences.
compare-undated = The sources do not cover the same years for all, and most records of one have no date: neither the figures of all years nor those “in” some years are comparable.
compare-no-common-years = The sources cover no year for all: these totals are not comparable.
compare-in-years = { $what } in { $years }
compare-fact-value = Total value
compare-fact-value-sound = Total value without the records in doubt
compare-doubt = Records in doubt decide how the total values differ, so that no difference is stated of these.
compare-doubt-most = Records in doubt decide how the total values differ, so that no difference is stated of these. Without them, { $name } has the highest sum.
compare-fact-mean = Mean value
compare-fact-period = Years
compare-fact-buyers = Buyers
compare-fact-suppliers = Suppliers
compare-fact-names = Names
compare-fact-competition = Share without competition
compare-fact-coverage = Method is published for
