# The pages of a supplier (vendor) and of a buyer (department), and their comparison.

profile-kicker-vendor = Supplier
profile-kicker-department = Buyer
profile-body-division = This is a part of a larger buyer. The page has the records that name it.
profile-body-both = Some records name it as the buyer, others as a part of a buyer. The page has all of them.
profile-tabs = Types of records
profile-nothing = There are no records of this type under this name. Choose another type.

## The sentence.
profile-worth = { $records } worth { $value }
profile-with-buyers =
    { $count ->
        [one] with { $count } buyer
       *[other] with { $count } buyers
    }
profile-with-suppliers =
    { $count ->
        [one] with { $count } supplier
       *[other] with { $count } suppliers
    }
profile-headline-suppliers-amount = The largest supplier is { $name }, with { $share } of the value
profile-headline-suppliers-number = The largest supplier is { $name }, with { $share } of the records
profile-headline-buyers-amount = The largest buyer is { $name }, with { $share } of the value
profile-headline-buyers-number = The largest buyer is { $name }, with { $share } of the records
profile-headline-doubtful = { $largest }, { $share } of it in records with a doubt
profile-headline-category-amount = { $share } of the value is of the kind “{ $category }”
profile-headline-category-number = { $share } of the records are of the kind “{ $category }”
profile-headline-competition-amount = as far as the method is published, { $share } of the value was awarded without competition
profile-headline-competition-number = as far as the method is published, { $share } of the records were awarded without competition
profile-values-note = { $count } of the { $total } state a value. The total is the sum of these values.

## Charts.
profile-years-title = { $kinds } by year
profile-ranked-buyers-amount = Buyers with the largest total value
profile-ranked-buyers-number = Buyers with the most records
profile-ranked-suppliers-amount = Suppliers with the largest total value
profile-ranked-suppliers-number = Suppliers with the most records
profile-ranked-note-buyers = The ten largest of { $count } buyers.
profile-ranked-note-divisions = The ten largest of { $count } buyers and parts of buyers.
profile-ranked-note-suppliers = The ten largest of { $count } suppliers.
profile-name-buyers = Buyer
profile-name-suppliers = Supplier
profile-name-categories = Kind of purchase
profile-categories-title = By kind of purchase

## Competition.
profile-competition-title = How they were awarded
profile-competition-amount = { $share } of the value was awarded without competition, as far as the method is published: it is for { $coverage } of the records.
profile-competition-number = { $share } of the records were awarded without competition, as far as the method is published: it is for { $coverage } of the records.
profile-competition-few = The method is published for { $coverage } of the records. The share awarded without competition is stated only from { $least } on, because the others would decide it.
profile-competition-unclear = The share awarded without competition cannot be stated. The method is published for { $coverage } of the records.
profile-competition-none = The publishers do not state how these were awarded.
profile-method = Method
profile-method-without = Without competition
profile-method-advance = Advance notice to award to one supplier
profile-method-competitive = With competition
profile-method-unclear = Method that does not say
profile-method-not-published = Not published
profile-number = Number
profile-amount = Value
profile-share = Share


profile-search = Search all records with this name

## No such name.
profile-unknown-vendor = No supplier has this name
profile-unknown-department = No buyer has this name
profile-similar = Names that are similar:
profile-unknown-search-vendor = Search the contracts for these words
profile-unknown-search-department = Search the contracts for these words
