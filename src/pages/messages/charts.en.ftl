# Texts of the charts.

chart-table = These figures as a table
chart-year = Year
chart-value = Value
chart-number = Number
chart-share = Share
chart-not-over = (not over)
chart-value-by-year = Value by year, Canadian dollars
chart-number-by-year = Number by year
chart-no-years = No record has a date.
chart-years-about = From { $first } to { $last }. Highest: { $highest }.
chart-year-value = { $year }: { $value }, { $count ->
    [one] { $count } record
   *[other] { $count } records
}
chart-year-number = { $year }: { $count ->
    [one] { $count } record
   *[other] { $count } records
}
chart-year-gap = { $year }: no source covers it
chart-year-stray = { $about } (no source covers this year)
chart-year-part = { $about } (not covered by { $sources })
chart-year-few = { $about } (a small part only)
chart-shaded-few = Lightly shaded years: the sources have a small part only.
chart-no-value = no value
chart-unknown = unknown
chart-uncovered = not covered
chart-covered-part = 0 (partly covered)
chart-hatched = { $year } is hatched because it is not over.
chart-beyond = { $name }: { $value } goes beyond the axis.
chart-shaded = Shaded years: no source covers them.
chart-shaded-part = Lightly shaded years: not covered by { $sources }, but by other sources.
chart-undated = { $count ->
    [one] { $count } record without a date is not in the chart.
   *[other] { $count } records without a date are not in the chart.
}
chart-years-cut = Drawn from { $first } to { $last }. The table has all years.

## Timelines.
chart-event-notice = Notice
chart-event-amendment = Amendment
chart-event-closing = Closing
chart-event-award = Award
chart-event-contract = Contract
chart-today = Today
chart-period = { $from } to { $until }
chart-event = { $dates }: { $kind }. { $label }
chart-no-events = No event has a date.
chart-events-about = { $count ->
    [one] { $count } event
   *[other] { $count } events
} from { $first } to { $last }. The list has each of them.
chart-events-cut = The first { $count } events are drawn. The list has all.

## Values of comparable contracts.
chart-range = { $label }: { $from } to { $to }
chart-mark = { $label }: { $value }
chart-dot = { $value }. { $label }. { $weight } of the weight.
chart-no-dots = There is no value to draw.
chart-dots-about = { $count ->
    [one] { $count } contract
   *[other] { $count } contracts
} from { $from } to { $to }. The table has each of them.
chart-dots-scale = Each dot is a contract. The larger the dot, the more it counts in the estimate. The axis is logarithmic: equal distances are equal factors.
chart-dots-left-out = { $count ->
    [one] { $count } contract without a positive value is not drawn.
   *[other] { $count } contracts without a positive value are not drawn.
}

## Records by source and year.
chart-row-about = { $name }: { $count ->
    [one] { $count } record
   *[other] { $count } records
}, { $first } to { $last }
chart-row-empty = { $name }: no records
chart-shade-none = No records
chart-shade = { $from } to { $to }
chart-shade-last = { $from } or more

## Which years the sources cover, next to figures.
coverage-all = The sources here cover { $kind } of { $years }.
coverage-none = The sources of this page do not cover { $kind } of { $years }.
coverage-stray = The sources here have only { $records } of { $years }, a small part.
coverage-abroad-all = All its suppliers are in { $country }.
coverage-abroad-nearly-all = Nearly all its suppliers are in { $country }.
coverage-country-US = the United States
coverage-country-GB = the United Kingdom
coverage-country-FR = France
coverage-part = The sources of this page do not cover { $kind } of { $years }: the figures are of the other years.
coverage-uneven-year = Not every source covers this year.
coverage-uneven = Not every source covers each of these years.
coverage-few = The sources here have only a small part of { $years }.
coverage-until = { $year } is covered until { $date }.
coverage-of-place = Of { $place }, the sources have { $kind } of { $years } only.
coverage-with-gaps = { $years }, with gaps
coverage-link = What each source covers
